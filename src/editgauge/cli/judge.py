"""`editgauge judge`: ask a vision-language model about outputs, by a benchmark's own protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.errors import UsageError
from editgauge.judging.options import JudgeOptions, JudgeSettings, Selection

if TYPE_CHECKING:
    from editgauge.judging.asking import Stats
    from editgauge.judging.command import Outcome
    from editgauge.judging.session import Session


@opt.options("The judge")
class Judges:
    model: opt.Many
    """The judge: a dated model id, or a name of your own server. May be repeated: several judges
    share the budget, sample by sample."""

    def options(self, how: JudgeSettings) -> list[JudgeOptions]:
        """The options of each judge. Raises `UsageError` for a judge that is named twice, and for
        the price of another one.
        """
        for name in self.model:
            if self.model.count(name) > 1:
                raise UsageError(f"{name} is named twice", argument="model")
        for name in how.priced:
            if name not in self.model:
                raise UsageError(f"{name} is none of the judges", argument="price")
        settings = {setting.name: getattr(how, setting.name) for setting in fields(how)}
        return [JudgeOptions(model=name, **settings) for name in self.model]


@opt.options("Instead of asking")
class Instead:
    estimate: bool = False
    "Only say calls, tokens and dollars of what is left to ask; nothing is sent."
    show: bool = False
    "Print what would be sent: words in full, pictures by name and size; nothing is."
    probe: bool = False
    "Does the judge see? It must read the digits of three small pictures: one call."
    batch: Literal["submit", "collect"] | None = None
    "By OpenAI-style batches, at half the price within a day: submit, and later collect."


_JUDGE = ("mini", "--model", "gpt-4o-2024-11-20")


@modes(
    mode("--estimate", *_JUDGE, "--estimate", leaves="--show --probe --batch"),
    mode("--show", *_JUDGE, "--show", leaves="--probe --batch"),
    mode("--probe", *_JUDGE, "--probe", leaves="--batch --repeat --retry --offline"),
    mode("--batch", *_JUDGE, "--batch", "submit"),
    mode("", *_JUDGE),
)
def judge(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    what: Annotated[Selection, Parameter(name="*", group="What is judged")] = Selection(),
    who: Judges,
    how: Annotated[JudgeSettings, Parameter(name="*", group="The judge")] = JudgeSettings(),
    instead: Instead = Instead(),
) -> int:
    """Judge outputs. Stops and continues at any point; a reply that was paid for is never paid for
    again.

    Exit code 1: some samples have no score, or a judge does not see; 3: stopped by the budget.
    """
    from editgauge.store.remote import working

    judges = who.options(how)
    one_only = instead.show or instead.probe or instead.batch
    if len(judges) > 1 and one_only:
        raise UsageError("--show, --probe and --batch take one --model", argument="model")
    with ExitStack() as stack:
        if instead.estimate or instead.show:
            opened = _opened(stack, judges, benchmark, data, what, looking=True)
            if instead.estimate:
                _estimated(opened)
            else:
                _shown(opened[0], whole=bool(what.sample))
            output.warn(opened[0].run)
            return 0
        here = stack.enter_context(working(what.run))
        opened = _opened(stack, judges, benchmark, data, replace(what, run=here))
        for session in opened:
            session.named = opt.place_of(what.run)
        if instead.probe:
            return _probed(opened[0])
        return _by_batch(opened[0], instead.batch) if instead.batch else _judged(opened)


def _opened(
    stack: ExitStack,
    judges: Sequence[JudgeOptions],
    benchmark: str,
    data: Path | None,
    what: Selection,
    *,
    looking: bool = False,
) -> list[Session]:
    """A session for each judge, all on the ledger of the first."""
    from editgauge.judging.session import Session

    sessions: list[Session] = []
    for options in judges:
        ledger = sessions[0].engine.ledger if sessions else None
        session = Session(options, benchmark, data, what, looking=looking, ledger=ledger)
        sessions.append(stack.enter_context(session))
    return sessions


def _judged(opened: Sequence[Session]) -> int:
    """Run the sessions and print what they did; the exit code."""
    from editgauge.judging import command, estimate

    options = opened[0].options
    if options.budget is not None and not options.offline:
        estimates = [estimate.of_session(session) for session in opened]
        if bought := estimate.bought(opened, estimates):
            output.note(bought)
    with output.live() as line:
        show = {} if output.as_json() or output.quiet() else {"progress": _progress(opened, line)}
        outcomes = command.run_together(opened, say=output.note, **show)
    if len(outcomes) == 1:
        output.emit(outcomes[0].facts, outcomes[0].lines())
    else:
        judges = [outcome.facts for outcome in outcomes]
        output.emit({"judges": judges}, _lines(outcomes))
    output.warn(opened[0].run)
    if any(outcome.facts["interrupted"] for outcome in outcomes):
        return 130
    if any(outcome.facts["over_budget"] for outcome in outcomes):
        return 3
    return int(any(outcome.without_score for outcome in outcomes))


def _lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What several judges did, each under its name."""
    for outcome in outcomes:
        yield f"--- {outcome.session.options.model} ---"
        yield from outcome.lines()


def _progress(
    opened: Sequence[Session], line: Callable[[str, bool], None]
) -> Callable[[Stats], None]:
    """How far the judges are, at what speed and cost."""
    total = sum(session.expected() for session in opened)
    began = time.monotonic()
    priced = any(session.price is not None and not session.price.free for session in opened)

    def show(_: Stats) -> None:
        every = [session.engine.stats for session in opened]
        done = sum(stats.done for stats in every)
        rate = done / max(1e-9, time.monotonic() - began)
        dollars = f" · ${sum(stats.dollars for stats in every):.2f}" if priced else ""
        refused = sum(stats.refused for stats in every)
        failed = sum(stats.failed for stats in every)
        unparsable = sum(stats.unparsable for stats in every)
        line(
            f"{done} of {total} · {rate:.1f}/s{dollars} · "
            f"{refused} refused · {failed} failed · {unparsable} unparsable · "
            f"{(total - done) / rate:.0f} s left",
            False,
        )

    return show


def _estimated(opened: Sequence[Session]) -> None:
    from editgauge.judging import estimate

    estimates = [estimate.of_session(session) for session in opened]
    if len(estimates) == 1:
        output.emit(asdict(estimates[0]), estimates[0].lines())
        return
    total, bought = estimate.together(estimates), estimate.bought(opened, estimates)

    def lines() -> Iterator[str]:
        for session, estimated in zip(opened, estimates, strict=True):
            estimated.bought = ""  # it is of all judges together
            yield f"--- {session.options.model} ---"
            yield from estimated.lines()
        dollars = "unknown" if total["dollars"] is None else f"{total['dollars']:,.2f}"
        yield f"together: {total['calls']:,} calls, {dollars} US dollars"
        yield from filter(None, [bought])

    judges = {
        session.options.model: asdict(estimated)
        for session, estimated in zip(opened, estimates, strict=True)
    }
    output.emit({"calls": {"total": total}, "judges": judges, "bought": bought}, lines())


def _shown(opened: Session, *, whole: bool) -> None:
    """What would be sent: all of it as JSON, for people one question, or the `whole` of a sample's
    that was named.
    """
    from editgauge.judging.estimate import shown

    calls = shown(opened)

    def lines() -> Iterator[str]:
        for call in calls if whole else calls[:1]:
            yield "=== {sample} · {editor} · {call} · rubric {rubric} ===".format_map(call)
            yield from (f"{name}: {value}" for name, value in call["parameters"].items())
            for message in call["messages"]:
                yield f"--- {message['role']} ---"
                yield from message["parts"]
        yield f"{output.counted(len(calls), 'call')} in all (--sample ID shows its, --json all)"

    output.emit({"calls": calls}, lines())


def _probed(opened: Session) -> int:
    from editgauge.judging import command

    seen = command.probe(opened)
    output.listed(
        {"sight": "passed" if seen["sees"] else "FAILED: its scores mean nothing", **seen}
    )
    return int(not seen["sees"])


def _by_batch(opened: Session, action: str) -> int:
    from editgauge.judging import command

    done = command.batch(opened, action)
    collected = action == "collect" and not done.waiting
    if not (collected and output.as_json()):
        calls = f"{output.counted(done.calls, 'call')}, batches: {len(done.batches)}"
        lines = [f"{action}: {calls}; {done.waiting} wait"]
        lines += [f"note: batch without results: {name}" for name in done.failed]
        lines += _refused(done.refused)
        if done.waiting:
            lines.append("next:  the same command with --batch collect, within a day")
        output.emit({"what": action, **asdict(done)}, [*lines, *filter(None, [done.broke])])
    if done.broke or not collected:
        return 3 if done.broke else 0
    if output.as_json():
        for line in _refused(done.refused):
            output.note(line)
    opened.go_offline()
    return _judged([opened])


def _refused(calls: int) -> Iterator[str]:
    """Say what to do about calls that a batch's server refused for how they asked."""
    if calls:
        yield (
            f"note: {output.counted(calls, 'call')} refused for how the batch asked, which cost "
            f"nothing; what the server takes was learned"
        )
        yield "next:  the same command with --batch submit asks in other words"

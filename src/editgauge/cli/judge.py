"""`editgauge judge`: ask a vision-language model about outputs, by a benchmark's own protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.judging.options import JudgeOptions, Selection

if TYPE_CHECKING:
    from editgauge.judging.asking import Stats
    from editgauge.judging.session import Session


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
    how: Annotated[JudgeOptions, Parameter(name="*", group="The judge")],
    instead: Instead = Instead(),
) -> int:
    """Judge outputs. Stops and continues at any point; a reply that was paid for is never paid for
    again.

    Exit code 1: some samples have no score, or a judge does not see; 3: stopped by the budget.
    """
    from editgauge.judging.session import Session
    from editgauge.store.remote import working

    if instead.estimate or instead.show:
        with Session(how, benchmark, data, what, looking=True) as opened:
            _estimated(opened) if instead.estimate else _shown(opened, whole=bool(what.sample))
            output.warn(opened.run)
        return 0
    with (
        working(what.run) as here,
        Session(how, benchmark, data, replace(what, run=here)) as opened,
    ):
        opened.named = opt.place_of(what.run)
        if instead.probe:
            return _probed(opened)
        return _by_batch(opened, instead.batch) if instead.batch else _judged(opened)


def _judged(opened: Session) -> int:
    """Run a session and print what it did; the exit code."""
    from editgauge.judging import command, estimate

    asks = opened.options.budget is not None and not opened.options.offline
    if asks and (bought := estimate.of_session(opened).bought):
        output.note(bought)
    with output.live() as line:
        show = {} if output.as_json() or output.quiet() else {"progress": _progress(opened, line)}
        outcome = command.run(opened, say=output.note, **show)
    output.emit(outcome.facts, outcome.lines())
    output.warn(opened.run)
    if outcome.facts["interrupted"]:
        return 130
    return 3 if outcome.facts["over_budget"] else int(bool(outcome.without_score))


def _progress(opened: Session, line: Callable[[str, bool], None]) -> Callable[[Stats], None]:
    """How far the judge is, at what speed and cost."""
    total, began = opened.expected(), time.monotonic()
    priced = opened.price is not None and not opened.price.free

    def show(stats: Stats) -> None:
        rate = stats.done / max(1e-9, time.monotonic() - began)
        dollars = f" · ${stats.dollars:.2f}" if priced else ""
        line(
            f"{stats.done} of {total} · {rate:.1f}/s{dollars} · "
            f"{stats.refused} refused · {stats.failed} failed · {stats.unparsable} unparsable · "
            f"{(total - stats.done) / rate:.0f} s left",
            False,
        )

    return show


def _estimated(opened: Session) -> None:
    from editgauge.judging.estimate import of_session

    estimated = of_session(opened)
    output.emit(asdict(estimated), estimated.lines())


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
        if done.waiting:
            lines.append("next:  the same command with --batch collect, within a day")
        output.emit({"what": action, **asdict(done)}, [*lines, *filter(None, [done.broke])])
    if done.broke or not collected:
        return 3 if done.broke else 0
    opened.go_offline()
    return _judged(opened)

"""`editgauge judge`: ask a vision-language model about outputs, by a benchmark's own protocol."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import (
    BenchmarkArg,
    DataArg,
    Format,
    OnlyBenchmark,
    RunsArg,
    group,
    place_of,
)
from editgauge.errors import UsageError
from editgauge.judging.options import JudgeOptions, Selection

if TYPE_CHECKING:
    from editgauge.judging.asking import Stats
    from editgauge.judging.session import Session

app = group("judge", "Ask a vision-language model about outputs: judge BENCHMARK DATA --model M.")


What = Annotated[Selection, Parameter(name="*", group="What is judged")]
Options = Annotated[JudgeOptions, Parameter(name="*", group="The judge")]


@app.default
def judge(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    /,
    *,
    what: What = Selection(),
    options: Options,
    estimate: Annotated[bool, Parameter(group="Instead of asking")] = False,
    show: Annotated[bool, Parameter(group="Instead of asking")] = False,
    probe: Annotated[bool, Parameter(group="Instead of asking")] = False,
    batch: Annotated[
        Literal["submit", "collect"] | None, Parameter(group="Instead of asking")
    ] = None,
) -> int:
    """Judge outputs. Stops and continues at any point; a reply that was paid for is never paid for
    again.

    Exit code 1: some samples have no score; 3: stopped by the budget.

    Parameters
    ----------
    estimate
        Only say calls, tokens and dollars of what is left to ask; nothing is sent.
    show
        Print what would be sent: words in full, pictures by name and size; nothing is.
    probe
        Does the judge see? It must read the digits of three small pictures: one call.
    batch
        By OpenAI-style batches, at half the price within a day: submit, and later collect.
    """
    if sum(map(bool, (estimate, show, probe, batch))) > 1:
        raise UsageError("--estimate, --show, --probe and --batch: one only")
    from editgauge.judging.session import Session

    if estimate or show:
        with Session(options, benchmark, data, what, looking=True) as opened:
            (_estimated if estimate else _shown)(opened)
            output.warn(opened.run)
        return 0
    from editgauge.store.remote import working

    with (
        working(what.run) as here,
        Session(options, benchmark, data, replace(what, run=here)) as opened,
    ):
        opened.named = place_of(what.run)
        if probe:
            return _probed(opened)
        return _by_batch(opened, batch) if batch else _judged(opened)


def _judged(opened: Session) -> int:
    """Run a session and print what it did; the exit code."""
    from editgauge.judging import command, estimate

    live = LiveLine(opened, quiet=output.as_json() or output.quiet())
    asks = opened.options.budget is not None and not opened.options.offline
    if asks and (told := estimate.of_session(opened).bought):
        output.note(told)
    outcome = command.run(opened, progress=live.show, say=output.note, interruptible=True)
    live.end()
    output.emit(outcome.facts, outcome.lines())
    output.warn(opened.run)
    if outcome.facts["interrupted"]:
        return 130
    if outcome.facts["over_budget"]:
        return 3
    return 1 if outcome.facts["without_score"] else 0


def _estimated(opened: Session) -> None:
    from editgauge.judging.estimate import of_session

    found = of_session(opened)
    output.emit(found.as_json(), found.lines())


def _shown(opened: Session) -> None:
    """What would be sent: all of it as JSON, or of the first sample for people."""
    from editgauge.judging.estimate import shown

    calls = shown(opened)

    def lines() -> Iterator[str]:
        first = [call for call in calls if call["sample"] == calls[0]["sample"]]
        first = [call for call in first if call["editor"] == calls[0]["editor"]]
        for call in first:
            about = (call["sample"], call["editor"], call["call"], f"rubric {call['rubric']}")
            yield f"=== {' · '.join(map(str, about))} ==="
            yield from (f"{name}: {value}" for name, value in call["parameters"].items())
            for message in call["messages"]:
                yield f"--- {message['role']} ---"
                yield from message["parts"]
        if more := len(calls) - len(first):
            yield f"and {output.counted(more, 'call')} more (--sample ID shows one, --json all)"

    nothing = ["nothing would be sent: no output of this sample can be judged"]
    output.emit({"calls": calls}, lines() if calls else nothing)


def _probed(opened: Session) -> int:
    from editgauge.judging import command

    found = command.probe(opened)
    shown, said = (" ".join(map(str, found[name])) for name in ("shown", "read"))
    line = f"sight: it reads the digits {said} of three pictures: passed"
    if not found["sees"]:
        line = f"sight: FAILED: pictures show {shown}, it read {said}: its scores mean nothing"
    output.emit(found, [line])
    return 0


def _by_batch(opened: Session, action: str) -> int:
    from editgauge.judging import command

    done = command.batch(opened, action)
    lines = [f"{action}: {done.calls} calls in {len(done.batches)} batches; {done.waiting} wait"]
    lines += [f"note: batch ended without results: {name}" for name in done.failed]
    if done.waiting:
        lines.append("next:  the same command with --batch collect, within a day")
    lines += [done.broke] if done.broke else []
    collected = action == "collect" and not done.waiting
    if not (collected and output.as_json()):
        output.emit({"what": action, **asdict(done)}, lines)
    if done.broke:
        return 3
    if not collected:
        return 0
    opened.go_offline()
    return _judged(opened)


class LiveLine:
    """One line rewritten on a terminal, a line every ten seconds in a log; on standard error."""

    def __init__(self, opened: Session, *, quiet: bool) -> None:
        self._terminal, self._quiet = sys.stderr.isatty(), quiet
        self._total = 0 if quiet else opened.expected()
        self._priced = opened.price is not None and not opened.price.free
        self._last = 0.0

    @property
    def show(self) -> Callable[[Stats], None] | None:
        return None if self._quiet else self._show

    def _show(self, stats: Stats) -> None:
        now = time.monotonic()
        if now - self._last < (0.2 if self._terminal else 10.0):
            return
        self._last = now
        rate, left = stats.done / max(1e-9, now - stats.began), self._total - stats.done
        parts = [f"{stats.done} of {self._total}", f"{rate:.1f}/s"]
        if len(stats.by_editor) > 1:
            parts += [", ".join(f"{name} {n}" for name, n in sorted(stats.by_editor.items()))]
        parts += [f"${stats.dollars:.2f}"] if self._priced else []
        parts += [f"{stats.refused} refused", f"{stats.failed} failed"]
        parts += [f"{stats.unparsable} unparsable"]
        parts += [f"{left / rate:.0f} s left"] if rate and left > 0 else []
        line = " · ".join(parts)
        shown = f"\r\x1b[K{line}" if self._terminal else f"{line}\n"
        print(shown, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._terminal and not self._quiet:
            print(file=sys.stderr)


@app.command
def compare(
    runs: RunsArg,
    /,
    *,
    benchmark: OnlyBenchmark = "",
    variant: Annotated[
        Literal["faithful", "corrected"], Parameter(help="Which scores are compared.")
    ] = "corrected",
    form: Format = "terminal",
) -> None:
    """How far the judges of a run agree: each two of them, on the edits that both judged."""
    from editgauge.cli.table import print_table
    from editgauge.judging import compared
    from editgauge.tables import reading, rows

    opened = rows.open_runs(runs)
    frames = [reading.of_runs(opened, name) for name in rows.benchmarks(opened, benchmark)]
    made = [compared.table(frame, variant) for frame in frames]
    tables = [table for table in made if table is not None]
    if not tables:
        raise UsageError(
            "judge compare: no edit was judged by two judges, or with two prompt sets; judge again "
            "with another --model or --prompts"
        )
    for table in tables:
        print_table(table, form)
    output.warn(*opened)

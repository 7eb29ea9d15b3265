"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.run.edit import EditSummary, Made
    from editgauge.run.material import Material
    from editgauge.store.run import Run


@opt.options()
class Editing:
    editor: Annotated[str, opt.names_of("editors")]
    "The model under test: a name of editgauge list editors, or FILE.py:function."
    run: opt.RunOpt = opt.RUN
    model: str = ""
    "The model of a service, or a local path."
    base_url: str = ""
    "Another address of the same interface."
    set: opt.SetOpt = ()
    retry: opt.RetryOpt = ""
    timeout: opt.Seconds = 600.0
    "Seconds a sample may take, loading not counted; a call of a service: --set timeout=S."
    stop_after: opt.Whole = 5
    "Failures in a row with the same reason after which the command stops; 0: it never does."


@opt.options("What the model is told")
class Telling:
    instruction: str = "original"
    "original, rephrased or description, where the benchmark has it."
    shots: opt.Whole = 0
    "Demonstrations of the same task before each sample."
    held_out: bool = False
    """Only the test samples of the run's split (editgauge tune); demonstrations come from its
    training samples."""


@opt.options("Cost")
class Spending:
    budget: opt.Dollars | None = None
    "US dollars that editing in this run may cost, all commands together."
    price: opt.Dollars | None = None
    "US dollars for one output of a service."
    estimate: bool = False
    "Only say what it would cost; nothing is sent."


@modes(
    mode("--estimate", "mini", "--editor", "copy", "--estimate"),  # of the same command line
    mode("", "mini", "--editor", "copy"),
)
def edit(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    asked: Editing,
    narrowing: opt.Narrowing = opt.Narrowing(),
    placing: opt.Placing = opt.Placing(),
    telling: Telling = Telling(),
    spending: Spending = Spending(),
) -> int:
    """Make outputs with an editor. Stops and continues at any point; finished samples are never
    edited again.

    Exit code 1: some samples have no output; 3: stopped by the budget.
    """
    from editgauge.run.edit import Limits, edit_material
    from editgauge.store import selection

    how: JsonObject = {"retry": selection.statuses(asked.retry), "budget": spending.budget}
    how["limits"] = Limits(seconds=asked.timeout, stop_after=asked.stop_after)
    with output.answer_alone():
        material, editor = _made(benchmark, data, asked, narrowing, telling, spending)
    if spending.estimate:
        return _estimate(material, editor, asked.run)
    with opt.run_at(asked.run) as folder, placing.open() as workers, output.progress() as show:
        how["progress"] = show
        with output.answer_alone():
            summary = edit_material(material, folder, editor, workers=workers, **how)
    output.warn(folder)
    place, name = opt.place_of(asked.run), material.benchmark.name
    facts = {**asdict(summary), "counts": dict(summary.counts)}
    lines = _lines(summary, material, folder, f"{opt.typed(benchmark, data)} --run {place}")
    output.emit({"run": place, "benchmark": name, **facts}, lines)
    return summary.exit_code if summary.stopped else int(not summary.complete)


def _lines(made: EditSummary, material: Material, folder: Run, typed: str) -> Iterator[str]:
    """What was done in words, and what comes next."""
    from editgauge.run.tracks import judged

    name = material.benchmark.name
    yield from made.lines(name)
    if made.spent:
        yield f"costs:   {made.spent}"
    yield f"outputs: {folder.path / 'edits' / name / made.editor}"
    if made.stopped:
        yield made.stopped
    if made.counts.get("scored"):
        asks = judged(material.benchmark)
        yield f"next:    editgauge {'judge' if asks else 'score'} {typed}{' --model MODEL' * asks}"


def _made(
    benchmark: str,
    data: Path | None,
    asked: Editing,
    narrowing: opt.Narrowing,
    telling: Telling,
    spending: Spending,
) -> tuple[Material, Made]:
    """The samples, and the editor that the options name."""
    from editgauge import catalog
    from editgauge.run.edit import make
    from editgauge.store import selection
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run
    from editgauge.tuning import split

    catalog.find("editors", asked.editor)  # a wrong name costs no reading of data
    material, shown = narrowing.open(benchmark, data), None
    named = {"model": asked.model, "base_url": asked.base_url, "price": spending.price}
    named["shots"] = telling.shots or None
    settings: JsonObject = {k: v for k, v in named.items() if v not in ("", None)}
    settings |= selection.settings(asked.set)
    if telling.held_out:
        run = Run.open(fetched(asked.run))
        shown, test = split.held_out(run, material.benchmark.name, material.every)
        material = replace(material, samples=selection.choose(test, **narrowing.chosen))
    how: JsonObject = {"instruction": telling.instruction, "demonstrations": shown}
    return material, make(material, asked.editor, settings, **how)


def _estimate(material: Material, made: Made, run: Path) -> int:
    from editgauge.run import edit as editing
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run

    known = fetched(run) if address_of(run) else run
    there = Run.open(known) if known.exists() else None
    todo, dollars = editing.estimate(material, there, made.editor)
    facts = {"editor": made.editor.name, "benchmark": material.benchmark.name, "samples": todo}
    where = "prices are list prices" if dollars is not None else "give a price: --price 0.04"
    output.listed({**facts, "dollars": None if dollars is None else round(dollars, 4)}, where)
    return 0

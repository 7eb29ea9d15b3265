"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import (
    RUN,
    BenchmarkArg,
    DataArg,
    Dollars,
    Narrowing,
    Placing,
    RetryOpt,
    RunOpt,
    Seconds,
    SetOpt,
    at_least,
    place_of,
)
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.run.edit import Made
    from editgauge.run.material import Material


@Parameter(name="*", group="What the model is told")
@dataclass(frozen=True, kw_only=True)
class Telling:
    """What the editor is told beside the sample's own instruction, or instead of it."""

    instruction: str = "original"
    "original, rephrased or description, where the benchmark has it."
    shots: Annotated[int, at_least(0)] = 0
    "Demonstrations of the same task before each sample."
    held_out: bool = False
    """Only the test samples of the run's split (editgauge tune); demonstrations come from its
    training samples."""


@Parameter(name="*", group="Cost")
@dataclass(frozen=True, kw_only=True)
class Spending:
    """What editing may cost."""

    budget: Dollars | None = None
    "US dollars that editing in this run may cost, all commands together."
    price: Dollars | None = None
    "US dollars for one output of a service."
    estimate: bool = False
    "Only say what it would cost; nothing is sent."


def edit(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    /,
    *,
    editor: str = "",
    run: RunOpt = RUN,
    model: str = "",
    base_url: str = "",
    set_: SetOpt = (),
    narrowing: Narrowing = Narrowing(),
    placing: Placing = Placing(),
    retry: RetryOpt = "",
    timeout: Seconds = 600.0,
    telling: Telling = Telling(),
    spending: Spending = Spending(),
) -> int:
    """Make outputs with an editor. Stops and continues at any point; finished samples are never
    edited again.

    Exit code 1: some samples have no output; 3: stopped by the budget.

    Parameters
    ----------
    editor
        The model under test: a name of editgauge list editors, or FILE.py:function.
    model
        The model of a service, or a local path.
    base_url
        Another address of the same interface.
    timeout
        Seconds a sample may take; a call of a service: --set timeout=S.
    """
    from editgauge import catalog
    from editgauge.editors import costs
    from editgauge.run import edit as editing
    from editgauge.run.score import offered
    from editgauge.store import selection
    from editgauge.store.remote import fetched, working
    from editgauge.store.run import Run

    if not editor:
        raise UsageError(f"--editor: name one of {', '.join(catalog.names('editors'))}")
    retried = selection.statuses(retry)
    catalog.find("editors", editor)  # a wrong name costs no reading of data
    material = narrowing.open(benchmark, data)
    named: dict[str, Any] = {
        "model": model,
        "base_url": base_url,
        "shots": telling.shots or None,
        "price": spending.price,
    }
    settings: dict[str, Any] = {
        key: value for key, value in named.items() if value not in ("", None)
    }
    settings |= selection.settings(set_)
    request = editing.Request(
        editor=editor,
        template=settings.pop("template", ""),
        settings=settings,
        instruction=telling.instruction,
    )
    shown = None
    if telling.held_out:
        material, shown = narrowing.held_out(material, Run.open(fetched(run)))
    made = editing.make(material, request, shown)
    if spending.estimate:
        return _estimate(material, made, run)
    name = material.benchmark.name
    with working(run) as here, placing.open() as engine, output.progress() as show:
        folder = Run.create(here)
        summary = editing.edit_material(
            material,
            folder,
            made,
            workers=engine,
            retry=retried,
            seconds_a_sample=timeout,
            budget=spending.budget,
            progress=show,
        )
    output.warn(folder)
    lines = list(summary.lines(name))
    if spent := costs.spent(made.editor):
        lines.append(f"costs:   {spent}")
    typed = f"{benchmark}{f' {data}' if data else ''}"
    if summary.counts:
        lines.append(f"outputs: {folder.edits_folder(name, summary.editor)}")
    lines += [summary.stopped] if summary.stopped else []
    if summary.counts:
        judged = not offered(material.benchmark) and material.benchmark.judging is not None
        step, more = ("judge", " --model MODEL") if judged else ("score", "")
        lines.append(f"next:    editgauge {step} {typed} --run {place_of(run)}{more}")
    facts = {**asdict(summary), "counts": dict(summary.counts)}
    output.emit({"run": place_of(run), "benchmark": name, **facts}, lines)
    if summary.stopped:
        return summary.exit_code
    return 0 if summary.complete else 1


def _estimate(material: Material, made: Made, run: Path) -> int:
    from editgauge.editors import costs
    from editgauge.run import edit as editing
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run

    known = fetched(run) if address_of(run) else run
    there = Run.open(known) if known.exists() else None
    name, editor = material.benchmark.name, made.editor.name
    todo, dollars = costs.estimate(made.editor, editing.remaining(material, there, made.editor))
    rounded = None if dollars is None else round(dollars, 4)
    about = (
        "the price is not known: give one with --price 0.04"
        if dollars is None
        else f"about {dollars:.2f} US dollars by list prices"
    )
    facts = {"editor": editor, "benchmark": name, "samples": todo, "dollars": rounded}
    output.emit(facts, [f"{editor} on {name}: {todo} to make, {about}"])
    return 0

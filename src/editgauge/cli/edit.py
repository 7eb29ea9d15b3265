"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import (
    RUN,
    BenchmarkArg,
    DataArg,
    Dollars,
    Json,
    Many,
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
    from editgauge.run.edit import EditSummary, Limits, Made
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


@Parameter(name="*", group="Variants and cost")
@dataclass(frozen=True, kw_only=True)
class Spending:
    """Several variants of the editor in one command, and what editing may cost."""

    sweep: Many = ()
    """NAME=V,V…: a variant for each value; several sweeps make every combination; seed=0..3 makes
    one for each seed."""
    budget: Dollars | None = None
    "US dollars that editing in this run may cost, all commands together."
    price: Dollars | None = None
    "US dollars for one output of a service."
    estimate: bool = False
    "Only say what it would cost; nothing is sent."
    batch: Literal["submit", "collect"] | None = None
    "By the provider's batches: submit, and collect within a day, at a lower price."

    def variants(self) -> tuple[list[str], str]:
        """The sweeps, and the seeds."""
        seeds = [one.partition("=")[2] for one in self.sweep if one.startswith("seed=")]
        if len(seeds) > 1:
            raise UsageError("--sweep seed=…: one only")
        return [one for one in self.sweep if not one.startswith("seed=")], "".join(seeds)


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
    json: Json = False,
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
    from editgauge.run import edit as editing
    from editgauge.store import selection
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run

    if not editor:
        raise UsageError(f"--editor: name one of {', '.join(catalog.names('editors'))}")
    limits = editing.Limits(
        retry=selection.statuses(retry), seconds_a_sample=timeout, budget=spending.budget
    )
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
    sweeps, seeds = spending.variants()
    request = editing.Request(
        editor=editor,
        template=settings.pop("template", ""),
        preset=settings.pop("preset", ""),
        settings=settings,
        instruction=telling.instruction,
        sweeps=sweeps,
        seeds=seeds,
    )
    shown = None
    if telling.held_out:
        material, shown = narrowing.held_out(material, Run.open(fetched(run)))
    made = editing.make(material, request, shown)
    if spending.batch:
        return _by_batch(material, made, limits, run, spending.batch, json)
    if spending.estimate:
        return _estimate(material, made, run, json)
    summaries, lines = _edited(material, made, limits, run, placing, json)
    typed = f"{benchmark}{f' {data}' if data else ''}"
    if any(one.counts for one in summaries):
        from editgauge.run.score import offered

        judged = not offered(material.benchmark) and material.benchmark.judging is not None
        step, more = ("judge", " --model MODEL") if judged else ("score", "")
        lines.append(f"next:    editgauge {step} {typed} --run {place_of(run)}{more}")
    name = material.benchmark.name
    each = [{**asdict(one), "counts": dict(one.counts)} for one in summaries]
    facts = each[0] if len(made) == 1 else {"variants": each}
    output.emit({"run": place_of(run), "benchmark": name, **facts}, lines, json)
    last = summaries[-1]
    if last.stopped:
        return last.exit_code
    return 0 if all(one.complete for one in summaries) else 1


def _edited(
    material: Material,
    made: Sequence[Made],
    limits: Limits,
    run: Path,
    placing: Placing,
    json: bool,
) -> tuple[list[EditSummary], list[str]]:
    """Edit; the summaries, and the lines that say what was done."""
    from dataclasses import replace

    from editgauge.editors import costs
    from editgauge.run import edit as editing
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    name = material.benchmark.name
    with working(run) as here, placing.open() as engine, output.progress(json) as show:
        folder = Run.create(here)
        limits = replace(limits, workers=engine)
        summaries = list(editing.edit_each(material, folder, made, limits, progress=show))
    output.warn(folder)
    lines = []
    for number, summary in enumerate(summaries):
        lines.append(summary.line(name))
        lines += [f"  {why[:300]}" for why in summary.why()]
        if spent := costs.spent(made[number].editor):
            lines.append(f"costs:   {spent}")
    if any(one.counts for one in summaries):
        outputs = folder.edits_folder(name, summaries[0].editor)
        lines.append(f"outputs: {outputs if len(made) == 1 else outputs.parent}")
    lines += [summaries[-1].stopped] if summaries[-1].stopped else []
    return summaries, lines


def _estimate(material: Material, made: Sequence[Made], run: Path, json: bool) -> int:
    from editgauge.editors import costs
    from editgauge.run import edit as editing
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run

    known = fetched(run) if address_of(run) else run
    there = Run.open(known) if known.exists() else None
    name = material.benchmark.name
    facts: list[dict[str, Any]] = []
    lines = []
    for one in made:
        editor = one.editor.name
        todo, dollars = costs.estimate(one.editor, editing.remaining(material, there, one.editor))
        rounded = None if dollars is None else round(dollars, 4)
        facts.append({"editor": editor, "benchmark": name, "samples": todo, "dollars": rounded})
        about = (
            "the price is not known: give one with --price 0.04"
            if dollars is None
            else f"about {dollars:.2f} US dollars by list prices"
        )
        lines.append(f"{editor} on {name}: {todo} to make, {about}")
    output.emit(facts[0] if len(facts) == 1 else {"variants": facts}, lines, json)
    return 0


def _by_batch(
    material: Material,
    made: Sequence[Made],
    limits: Limits,
    run: Path,
    action: Literal["submit", "collect"],
    json: bool,
) -> int:
    """Submit or collect the outputs of each editor. Exit code 3 where the budget left samples out,
    and 1 where something waits or is lacking.
    """
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    facts: list[dict[str, Any]] = []
    lines: list[str] = []
    codes = {0}
    step = _submitted if action == "submit" else _collected
    with working(run) as here:
        folder = Run.create(here)
        for one in made:
            fact, said, code = step(material, folder, one, limits)
            facts.append(fact)
            lines += said
            codes.add(code)
    if action == "submit" and any(fact["waiting"] for fact in facts):
        lines.append("next: the same command with --batch collect, within a day")
    output.emit({"what": action, "editors": facts}, lines, json)
    return max(codes)


def _submitted(
    material: Material, folder: Any, one: Made, limits: Limits
) -> tuple[dict[str, Any], list[str], int]:
    from editgauge.run import edit as editing

    sent = editing.submit(material, folder, one.editor, limits)
    count = output.counted(sent.calls, "sample")
    lines = [f"{sent.editor}: {count} in {len(sent.batches)} batches; {sent.waiting} wait"]
    lines += [sent.broke] if sent.broke else []
    return asdict(sent), lines, 3 if sent.broke else 0


def _collected(
    material: Material, folder: Any, one: Made, limits: Limits
) -> tuple[dict[str, Any], list[str], int]:
    from editgauge.run import edit as editing

    done = editing.collect(material, folder, one.editor, limits, request=one.request)
    fact = {**asdict(done.summary), "counts": dict(done.summary.counts)}
    lacking = bool(done.waiting or done.open or not done.summary.complete)

    def lines() -> Iterator[str]:
        yield done.summary.line(material.benchmark.name)
        if done.waiting:
            yield f"{done.waiting} wait in batches that are not finished"
        if done.open:
            yield f"{done.open} were not answered: submit them again"
        yield from (f"note: batch ended without results: {name}" for name in done.failed)

    return {**asdict(done), "summary": fact}, list(lines()), int(lacking)

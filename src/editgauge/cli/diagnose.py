"""`editgauge diagnose, tune`: why edits failed; an editor fine-tuned on a few samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import (
    RUN,
    BenchmarkArg,
    Count,
    DataArg,
    EditorsOpt,
    Many,
    OnlyBenchmark,
    Placing,
    RetryOpt,
    RunArg,
    RunOpt,
    SetOpt,
    Settings,
    at_least,
    place_of,
)
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.run.diagnose import Maps
    from editgauge.tuning.training import Recipe

_MAPS = ("model", "dtype", "resolution", "alpha", "bins", "floor")
_HIGH = ("accurate", "preserved", "iou", "changed")


# -- diagnose --------------------------------------------------------------------------------------


def diagnose(
    run: RunArg,
    /,
    *,
    editor: EditorsOpt = (),
    basis: Annotated[Literal["pixels", "attention", "both"], Parameter(name="--from")] = "both",
    benchmark: OnlyBenchmark = "",
    limit: Count | None = None,
    sample: Many = (),
    where: Many = (),
    concepts: Path | None = None,
    device: str | None = None,
    figures: Path | None = None,
    placing: Placing = Placing(),
    retry: RetryOpt = "",
    set_: SetOpt = (),
) -> int:
    """Say why edits failed: where the model looked, and where the picture changed, against where it
    should have. Writes rows of the track diagnosis, and reads every output as edited well, at the
    right place without doing it, neither, or acted elsewhere. Stops and continues at any point.

    Exit code 0: done; 1: some outputs have no score that should have one.

    Parameters
    ----------
    basis
        pixels: where outputs changed, of every editor; attention: where the model looked, of
        diffusers editors (runs them again); both: as far as it can be told.
    limit
        Only the first N samples.
    sample
        Only this sample id, or @FILE with ids; may be repeated.
    where
        NAME=VALUE: only samples with this attribute; may be repeated.
    concepts
        A csv file with the columns sample,concept or task,concept: whose attention is looked at.
    device
        Where the model runs: auto, cpu, cuda, cuda:1.
    figures
        Also draw every diagnosed output in this folder, a PNG each.
    set_
        NAME=VALUE, may be repeated: model (the weights' folder or hub id, where the run does not
        tell), dtype, resolution (longer side of a U-Net's maps that count, or all; 16), alpha
        (factor of Otsu's threshold; 1.3), bins (of its histogram; 256), floor (differences up to it
        are no change; 10); from where on a score is high: accurate (MedEBench: 5), preserved (0.7),
        iou (0.3), changed (share of a picture; 0.005).
    """
    from editgauge.cli.table import print_table
    from editgauge.run.diagnose import Request
    from editgauge.run.diagnose import diagnose as diagnosed
    from editgauge.store import selection
    from editgauge.store.remote import changing
    from editgauge.tables.draw import as_json

    given = Settings.of(set_)
    high = {
        "accurate": given.take("accurate", None, float),
        "preserved": given.take("preserved", None, float),
        "iou": given.take("iou", 0.3, float),
        "changed": given.take("changed", 0.005, float),
    }
    request = Request(
        basis=basis,
        benchmark=benchmark,
        editors=editor,
        limit=limit,
        ids=sample,
        where=where,
        concepts=concepts,
        maps=_maps(given, device),
        cutoffs=high,
        figures=figures,
        retry=selection.statuses(retry),
    )
    given.end((*_MAPS, *_HIGH))
    with (
        changing(run) as folder,
        placing.open() as engine,
        output.progress() as show,
        output.warned(folder),
    ):
        found = diagnosed(folder, replace(request, workers=engine), show)
    place = place_of(run)
    if output.as_json():
        tables = [as_json(table) for table in found.tables]
        output.print_json({"run": place, **found.as_dict(), "tables": tables})
    else:
        for line in found.lines():
            print(line)
        for table in found.tables:
            print()
            print_table(table, "terminal")
        shown = f"--benchmark {found.benchmark} --published --intervals"
        print(f"\nnext: editgauge table {place} {shown}")
        print(f"      editgauge report {place}   (its page: Why edits failed)")
    return 0 if found.complete else 1


def _maps(given: Settings, device: str | None) -> Maps:
    """How maps are made and cut. Raises `UsageError` for a resolution that is none."""
    from editgauge.run.diagnose import Maps

    resolution = given.take("resolution", "16")
    side = None
    if resolution != "all":
        side = int(resolution) if resolution.isdecimal() else 0
        if not 1 <= side <= 1 << 16:
            raise UsageError(f"--set resolution={resolution}: wanted a number such as 16, or all")
    alpha, floor = given.take("alpha", 1.3, float), given.take("floor", 10.0, float)
    bins = given.take("bins", 256, int)
    if not (alpha >= 0 and 0 <= floor <= 255 and 2 <= bins <= 65536):
        raise UsageError("--set: wanted alpha >= 0, floor from 0 to 255, bins from 2 to 65536")
    return Maps(
        alpha=alpha,
        bins=bins,
        floor=floor,
        resolution=side,
        model=given.take("model", ""),
        device=device,
        dtype=given.take("dtype", ""),
    )


# -- tune ------------------------------------------------------------------------------------------


@Parameter(name="*", group="Training")
@dataclass(frozen=True, kw_only=True)
class Training:
    """How a U-Net is trained."""

    steps: Count = 50
    "Updates for each training sample."
    lora: Annotated[int, at_least(0)] = 0
    "Train LoRA of this rank; 0: all weights."
    seed: Annotated[int, at_least(0)] = 0
    "Of split and training."
    train: Many = ()
    """NAME=VALUE, may be repeated: rate (5e-5, with --lora 1e-4), resolution (longer side of the
    training pictures; 512), precision (float32, bfloat16), checkpoint_every (updates;
    100)."""

    def recipe(self) -> tuple[Recipe, int]:
        """The options as a training takes them, and the updates between two checkpoints."""
        from editgauge.schema import convert
        from editgauge.tuning.training import RATES, Recipe

        given = Settings.of(self.train)
        names = ("rate", "resolution", "precision", "checkpoint_every")
        values = {
            "steps_a_sample": self.steps,
            "rate": given.take("rate", RATES["lora" if self.lora else "all"], float),
            "resolution": given.take("resolution", 512, int),
            "precision": given.take("precision", "float32"),
            "lora": self.lora,
            "seed": self.seed,
        }
        every = given.take("checkpoint_every", 100, int)
        given.end(names)
        if every < 1:
            raise UsageError(f"--train checkpoint_every={every}: wanted at least 1")
        return convert(values, Recipe, "training"), every


def tune(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    /,
    *,
    editor: str = "instructpix2pix",
    task: Many = (),
    samples: str = "0,4,8,16",
    run: RunOpt = RUN,
    split: str | None = None,
    test: Count | None = None,
    only_split: bool = False,
    model: str = "",
    name: str = "",
    device: str = "",
    set_: SetOpt = (),
    training: Training = Training(),
) -> int:
    """Fine-tune an editor on a few samples of a task, then edit and score the task's other samples.

    A split that is drawn once, and stored in the run, says which samples are trained on. A training
    that was stopped or killed goes on at its last checkpoint. To show demonstrations instead, from
    the same split: editgauge edit --shots 2 --held-out.

    Parameters
    ----------
    editor
        instructpix2pix, or another editor with such a pipeline.
    task
        The task to learn; may be repeated, each by itself.
    samples
        Numbers of training samples; 0: the editor as it is.
    split
        Only this split (or set) of the benchmark.
    test
        Test at most so many samples of a task.
    only_split
        Draw and store the split, and show it.
    model
        A hub id or a folder of weights.
    name
        The editor's name in rows and tables.
    device
        cuda, cuda:1, mps or cpu.
    set_
        NAME=VALUE for editing; may be repeated.
    """
    from editgauge.run.material import Material
    from editgauge.run.score import Scoring
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.store.selection import settings
    from editgauge.tuning import command
    from editgauge.tuning import split as splits

    given: dict[str, Any] = {"model": model, "name": name, "device": device}
    recipe, every = training.recipe()
    order = command.Order(
        editor=editor,
        sizes=tuple(splits.sizes(samples)),
        recipe=recipe,
        settings={k: v for k, v in given.items() if v} | settings(set_),
        every=every,
    )
    if not only_split:  # it loads the libraries that train, which a split does not need
        order.base()
    whole = Material.open(benchmark, data, split=split)
    tasks = splits.tasks(whole.every, task)
    place = place_of(run)
    with working(run) as here, output.progress() as show:
        folder = Run.create(here)
        found = [
            splits.kept(folder, whole.benchmark.name, name, mine, most=max(order.sizes),
                        tests=test, seed=recipe.seed)
            for name, mine in tasks.items()
        ]  # fmt: skip
        tested = {identity for one in found for identity in one.test}
        material = replace(whole, samples=[s for s in whole.every if s.id in tested])
        if not output.as_json():
            print("\n".join(map(str, found)), flush=True)
        if only_split:
            if output.as_json():
                output.print_json(
                    {"run": place, "splits": {one.task: one.record() for one in found}}
                )
            return 0
        material.keep(folder)
        done = command.tune(
            folder, material.benchmark.name, whole.every, found, order, progress=show
        )
        scored = Scoring(material, folder).run(show, editors=done.editors)
    output.warn(folder)
    typed = f"{benchmark}{f' {data}' if data else ''}"
    lines: Sequence[str] = [
        *done.lines(place, material.benchmark.name),
        f"{scored.summary.computed} scores made now",
        f"next:  editgauge judge {typed} --run {place} --model MODEL",
        f"table: editgauge table {place} --published --intervals",
    ]
    splits_told = {one.task: one.record() for one in found}
    facts = {
        "run": place,
        "splits": splits_told,
        **done.as_json(),
        "scores": scored.summary.computed,
    }
    output.emit(facts, lines)
    return 0 if all(one.complete for one in done.edits) else 1

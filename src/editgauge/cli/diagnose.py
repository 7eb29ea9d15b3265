"""`editgauge diagnose, tune`: why edits failed; an editor fine-tuned on a few samples."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from msgspec import Meta

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.run.diagnose import Request
    from editgauge.run.material import Material
    from editgauge.store.run import Run
    from editgauge.tuning.command import Order
    from editgauge.tuning.split import Split

_MAPS: JsonObject = {
    "model": str,
    "dtype": str,
    "device": str,
    "resolution": Literal["all"] | Annotated[int, Meta(ge=1, le=1 << 16)],
    "alpha": Annotated[float, Meta(ge=0)],
    "floor": Annotated[float, Meta(ge=0, le=255)],
}
_HIGH: JsonObject = dict.fromkeys(("accurate", "preserved", "iou", "changed"), float)


# -- diagnose --------------------------------------------------------------------------------------


@opt.options()
class Diagnosing:
    editors: opt.EditorsOpt = ()
    basis: Annotated[Literal["pixels", "attention", "both"], Parameter(name="--from")] = "both"
    """pixels: where outputs changed, of every editor; attention: where the model looked, of
    diffusers editors (runs them again); both: as far as it can be told."""
    benchmark: opt.OnlyBenchmark = ""
    limit: opt.LimitOpt = None
    ids: opt.SampleOpt = ()
    where: opt.WhereOpt = ()
    concepts: Path | None = None
    "A csv file with the columns sample,concept or task,concept: whose attention is looked at."
    retry: opt.RetryOpt = ""
    set: opt.SetOpt = ()
    """NAME=VALUE, may be repeated: model (the weights' folder or hub id, where the run does not
    tell), dtype, device (cpu, cuda:1), resolution (longer side of a U-Net's maps that count,
    or all; 16), alpha (factor of Otsu's threshold; 1.3), floor (differences up to it are no change;
    10); from where on a score is high: accurate (MedEBench: 5), preserved (0.7), iou (0.3),
    changed (share of a picture; 0.005)."""

    def request(self) -> Request:
        """The options as a diagnosis takes them."""
        from editgauge.run.diagnose import Request
        from editgauge.store.selection import statuses

        asked = {**vars(self), "retry": statuses(self.retry)}
        maps = opt.given(asked.pop("set"), _MAPS | _HIGH)
        high = {name: maps.pop(name) for name in maps.keys() & _HIGH}
        if maps.get("resolution") == "all":
            maps["resolution"] = None
        return Request(**asked, maps=maps, cutoffs=high)


@modes(
    mode(
        "--from pixels",
        *("RUN", "--from", "pixels"),
        chosen=lambda words: words.first("--from") == "pixels",
        leaves="--concepts",
        settings=" ".join({*_MAPS, *_HIGH} - {"model", "dtype", "device", "resolution"}),
    ),
    mode("", "RUN"),
)
def diagnose(
    run: opt.RunArg, /, *, asked: Diagnosing = Diagnosing(), placing: opt.Placing = opt.Placing()
) -> int:
    """Say why edits failed: where the model looked, and where the picture changed, against where it
    should have. Writes rows of the track diagnosis, and reads every output as edited well, at the
    right place without doing it, neither, or acted elsewhere. Stops and continues at any point.

    Exit code 0: done; 1: outputs have no score that should have one, or none could be made.
    """
    from editgauge.cli.table import print_each
    from editgauge.run.diagnose import diagnose as diagnosed
    from editgauge.tables.draw import as_json

    request = asked.request()
    with opt.run_there(run) as folder, placing.open() as workers, output.progress() as show:
        outcome = diagnosed(folder, replace(request, workers=workers), show)
    place, tables = opt.place_of(run), outcome.tables
    facts = {"run": place, **outcome.as_dict(), "tables": [*map(as_json, tables)]}
    output.emit(facts, [*outcome.lines(), ""])
    if not output.as_json():
        print_each(tables, "terminal")
        shown = f"--benchmark {outcome.benchmark} --published --intervals"
        output.said("", f"next:  editgauge table {place} {shown}")
        output.said(f"       editgauge report {place}   (its page: Why edits failed)")
    return 0 if outcome.complete else 1


# -- tune ------------------------------------------------------------------------------------------

_TRAIN = {"rate": float, "resolution": int, "checkpoint_every": Annotated[int, Meta(ge=1)]}


@opt.options()
class Tuning:
    editor: str = "instructpix2pix"
    "instructpix2pix, or another editor with such a pipeline."
    task: opt.Many = ()
    "The task to learn; may be repeated, each by itself."
    samples: str = "0,4,8,16"
    "Numbers of training samples; 0: the editor as it is."
    run: opt.RunOpt = opt.RUN
    split: opt.SplitOpt = None
    test: opt.Count | None = None
    "Test at most so many samples of a task."
    only_split: bool = False
    "Draw and store the split, and show it."


@opt.options("Training")
class Training:
    steps: opt.Count = 50
    "Updates for each training sample."
    lora: opt.Whole = 0
    "Train LoRA of this rank; 0: all weights."
    seed: opt.Whole = 0
    "Of split and training."
    set: opt.SetOpt = ()
    """NAME=VALUE, may be repeated: rate (5e-5, with --lora 1e-4), resolution (longer side of the
    training pictures; 512), checkpoint_every (updates; 100); all
    others are the editor's: model (a hub id or a folder of weights), name (in rows and tables),
    device (cpu, cuda:1)…"""

    def order(self, asked: Tuning) -> Order:
        """The options as a training takes them."""
        from editgauge.schema import convert
        from editgauge.store.selection import settings
        from editgauge.tuning import command, split
        from editgauge.tuning.training import RATES, Recipe

        editor = settings(self.set)
        train = opt.given([f"{n}={editor.pop(n)}" for n in editor.keys() & _TRAIN], _TRAIN)
        every = train.pop("checkpoint_every", 100)
        about = {"steps_a_sample": self.steps, "lora": self.lora, "seed": self.seed}
        recipe = {"rate": RATES["lora" if self.lora else "all"], **about, **train}
        return command.Order(
            editor=asked.editor,
            sizes=tuple(split.sizes(asked.samples)),
            recipe=convert(recipe, Recipe, "training"),
            settings=editor,
            every=every,
        )


@modes(
    mode(
        "--only-split",
        *("mini", "--only-split"),
        uses="BENCHMARK DATA --task --samples --run --split --test --only-split --seed",
    ),
    mode("", "mini"),
)
def tune(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    asked: Tuning = Tuning(),
    training: Training = Training(),
) -> int:
    """Fine-tune an editor on a few samples of a task, then edit and score the task's other samples.

    A split that is drawn once, and stored in the run, says which samples are trained on. A training
    that was stopped or killed goes on at its last checkpoint. To show demonstrations instead, from
    the same split: editgauge edit --shots 2 --held-out. Exit code 1: some outputs or scores are
    lacking.
    """
    from editgauge.run.material import Material
    from editgauge.tuning import split as splits

    order = training.order(asked)
    if not asked.only_split:  # it loads the libraries that train, which a split does not need
        order.base()
    whole = Material.open(benchmark, data, split=asked.split)
    tasks, name = splits.tasks(whole.every, asked.task), whole.benchmark.name
    how: JsonObject = {"most": max(order.sizes), "tests": asked.test, "seed": training.seed}
    with opt.run_at(asked.run) as folder:
        drawn = [splits.kept(folder, name, task, mine, **how) for task, mine in tasks.items()]
        place, kept = opt.place_of(asked.run), {one.task: one.record() for one in drawn}
        facts: JsonObject = {"run": place, "splits": kept}
        if asked.only_split:
            output.emit(facts, map(str, drawn))
            return 0
        output.said(*map(str, drawn))
        return _learned(folder, whole, drawn, order, facts, opt.typed(benchmark, data))


def _learned(
    folder: Run, whole: Material, drawn: list[Split], order: Order, facts: JsonObject, typed: str
) -> int:
    """Train by the splits, edit and score what they leave for tests; the exit code."""
    from editgauge.run.score import Scoring
    from editgauge.tuning.command import tune

    name, place = whole.benchmark.name, facts["run"]
    tested = {identity for one in drawn for identity in one.test}
    material = replace(whole, samples=[one for one in whole.every if one.id in tested])
    material.keep(folder)
    with output.progress() as show:
        done = tune(folder, name, whole.every, drawn, order, progress=show)
        scored = Scoring(material, folder).run(show, editors=done.editors)
    output.warn(folder)
    new = scored.summary.computed
    lines = [
        *done.lines(place, name),
        f"{output.counted(new, 'score')} made now",
        f"next:  editgauge judge {typed} --run {place} --model MODEL",
        f"table: editgauge table {place} --published --intervals",
    ]
    output.emit({**facts, **done.as_json(), "scores": new}, lines)
    return 0 if scored.complete and all(one.complete for one in done.edits) else 1

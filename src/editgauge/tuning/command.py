"""`editgauge tune`: train, edit and score, each kept and never done twice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from time import perf_counter
from typing import Any

import msgspec

from editgauge.editors import diffusers
from editgauge.editors.command import recorded
from editgauge.editors.diffusers import DiffusersEditor
from editgauge.editors.editor import as_editor
from editgauge.editors.models import MODELS
from editgauge.editors.tracks import Track, on_track
from editgauge.errors import UsageError
from editgauge.escape import counted, file_name
from editgauge.run.edit import EditSummary, edit
from editgauge.store import lease, paths
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.tuning import split, training
from editgauge.tuning.split import Split
from editgauge.tuning.training import Place, Progress, Recipe
from editgauge.types import Editor, JsonMapping, JsonObject, Sample

PIPELINE = "StableDiffusionInstructPix2PixPipeline"
"""The class of pipeline whose U-Net this training is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is tuned, on how many samples (0: as it is), how; updates between checkpoints."""

    editor: str
    sizes: tuple[int, ...]
    recipe: Recipe
    settings: JsonMapping = field(default_factory=dict)
    every: int = 100

    def base(self, **more: Any) -> DiffusersEditor:
        """The editor as it is. Raises `UsageError` for one that cannot be tuned, or not so."""
        family = MODELS.get(self.editor)
        if family is None or family.pipeline != PIPELINE:
            able = ", ".join(name for name, one in MODELS.items() if one.pipeline == PIPELINE)
            why = f"{self.editor}: cannot be tuned; wanted one of {able}"
            raise UsageError(why, argument="editor")
        if self.recipe.lora:
            training.lora_config(self.recipe.lora)
        return diffusers.factory(self.editor, [], **{**self.settings, **more})


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """One finished training: paths below the run, mean losses of the `first` and the `last` tenth
    of the updates; `fresh`: made by this call.
    """

    task: str
    samples: int
    folder: str
    weights: str
    fingerprint: str
    first: float
    last: float
    seconds: float
    fresh: bool = True


@dataclass(slots=True)
class Outcome:
    """What a call did."""

    trainings: list[Training] = field(default_factory=list)
    edits: list[EditSummary] = field(default_factory=list)

    @property
    def editors(self) -> list[str]:
        """The editors that were tested, each once."""
        return list(dict.fromkeys(summary.editor for summary in self.edits))

    def lines(self, run: str, benchmark: str) -> Iterator[str]:
        """What was done in words."""
        for one in self.trainings:
            how = f"{one.seconds:.1f} s" if one.fresh else "was there"
            yield (
                f"{one.task}, {counted(one.samples, 'sample')}: loss {one.first:.4f} at first, "
                f"{one.last:.4f} at last; {how}: {run}/{one.folder}"
            )
        yield from (line for summary in self.edits for line in summary.lines(benchmark))

    def as_json(self) -> JsonObject:
        """The same for programs."""
        return {
            "trainings": [msgspec.structs.asdict(one) for one in self.trainings],
            "edits": [{**asdict(one), "counts": dict(one.counts)} for one in self.edits],
        }


def tune(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    splits: Sequence[Split],
    order: Order,
    progress: Progress | None = None,
) -> Outcome:
    """Train what is not trained yet, edit the test samples with every size, and record the call.
    `samples` are in the run already; `splits` are as `split.kept` gives them, checked. Raises
    `UsageError` for settings that differ from those that the run was trained with.
    """
    base, done = order.base(), Outcome()
    place = f"tuning/{plain_name(benchmark)}/{plain_name(base.name)}"
    known = {sample.id: sample for sample in samples}
    recipe = msgspec.structs.asdict(order.recipe)
    with lease.lease(run.path, "tune", benchmark, base.name):
        for one, size in product(splits, order.sizes):
            editor: Editor = base
            if size:
                chosen = [known[identity] for identity in one.training[:size]]
                trained = _trained(run, place, one.task, chosen, order, progress)
                done.trainings.append(trained)
                about = {"task": one.task, "samples": size, "fingerprint": trained.fingerprint}
                facts = {**about, "training": [sample.id for sample in chosen], **recipe}
                weights = run.path / trained.weights
                editor = training.tuned(base, weights, order.recipe.lora, facts)
            editor, tests = on_track(editor, Track(tuned=size)), [known[name] for name in one.test]
            done.edits.append(edit(run, benchmark, tests, editor, workers=0, progress=progress))
            as_editor(editor).release()
    facts = {"benchmark": benchmark, "editor": order.editor, "settings": recorded(order.settings)}
    splits_made = {one.task: one.record() for one in splits}
    run.record("tune", **facts, recipe=recipe, splits=splits_made, **done.as_json())
    return done


def _trained(
    run: Run, place: str, task: str, chosen: Sequence[Sample], order: Order,
    progress: Progress | None,
) -> Training:  # fmt: skip
    """The training of a task with these samples: the one that is there, or made now."""
    folder = f"{place}/{file_name(task)[:40]}-{digest(task)[:8]}/{len(chosen)}"
    learner = order.base(dtype="float32")  # whatever is edited with
    plan = _plan(task, learner, order, chosen)
    if (there := _planned(run, folder, plan)) is not None:
        return there
    began = perf_counter()
    at = Place(run.path, folder, order.every)
    weights, losses = training.learn(learner, chosen, order.recipe, at, progress)
    lines = "\n".join(["step,loss", *(f"{n},{loss}" for n, loss in enumerate(losses, 1)), ""])
    paths.write(run.path, f"{folder}/loss.csv", lines.encode())
    tenth = max(1, len(losses) // 10)
    run_of_training = Training(
        task=task,
        samples=len(chosen),
        folder=folder,
        weights=weights,
        fingerprint=digest(plan),
        first=sum(losses[:tenth]) / tenth,
        last=sum(losses[-tenth:]) / tenth,
        seconds=round(perf_counter() - began, 3),
    )
    split.write_json(run, f"{folder}/done.json", run_of_training)
    for old in training.checkpoints(at):
        shutil.rmtree(old, ignore_errors=True)
    return run_of_training


def _plan(
    task: str, learner: DiffusersEditor, order: Order, chosen: Sequence[Sample]
) -> JsonObject:
    """What decides how a training ends."""
    return {
        "task": task,
        "family": order.editor,
        **msgspec.structs.asdict(order.recipe),
        "model": paths.facts(learner.model),
        "revision": learner.source()[1],
        "training": [[s.id, s.instruction, sorted(split.pictures(s))] for s in chosen],
    }


def _planned(run: Run, folder: str, plan: JsonMapping) -> Training | None:
    """The training of a plan, if it has ended; a plan that is there must be the same."""
    there = split.read_json(run, f"{folder}/plan.json", JsonObject)
    if there is None:
        split.write_json(run, f"{folder}/plan.json", plan)
        return None
    if other := [name for name in plan if plan[name] != there.get(name)]:
        what = "; ".join(f"{n} {there.get(n)!s:.40}, now {plan[n]!s:.40}" for n in other)
        raise UsageError(
            f"{folder}: was tuned in another way ({what}); its outputs stay under its name: take "
            f"another run or name"
        )
    stored: Training | None = split.read_json(run, f"{folder}/done.json", Training)
    if stored is None:
        return None
    lost = paths.fault(run.path, stored.weights, folder, limit=training.MOST_BYTES)
    return None if lost else msgspec.structs.replace(stored, fresh=False)

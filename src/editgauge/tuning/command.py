"""`editgauge tune`: train, edit and score, each kept and never done twice."""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

import msgspec

from editgauge.editors import diffusers
from editgauge.editors.command import recorded
from editgauge.editors.diffusers import DiffusersEditor
from editgauge.editors.editor import as_editor
from editgauge.editors.models import MODELS
from editgauge.editors.tracks import Track, on_track
from editgauge.errors import DataError, UsageError
from editgauge.escape import file_name
from editgauge.run.edit import EditSummary, edit
from editgauge.schema import convert
from editgauge.store import lease, paths
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.tuning import split
from editgauge.tuning.split import Split
from editgauge.tuning.training import (
    MOST_BYTES,
    Place,
    Recipe,
    checkpoints,
    lora_config,
    train,
    triplets,
    tuned,
    write_weights,
)  # fmt: skip
from editgauge.types import Editor, Sample

Progress = Callable[[int, int, str], None]
PIPELINE = "StableDiffusionInstructPix2PixPipeline"
"""The class of pipeline whose U-Net this training is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be tuned, with how many samples (0: the editor as it is), how; updates between two
    checkpoints.
    """

    editor: str
    sizes: tuple[int, ...]
    recipe: Recipe
    settings: Mapping[str, Any] = field(default_factory=dict)
    every: int = 100

    def base(self, **more: Any) -> DiffusersEditor:
        """The editor as it is. Raises `UsageError` for one that cannot be tuned, or not so."""
        family = MODELS.get(self.editor)
        if family is None or family.pipeline != PIPELINE:
            able = ", ".join(name for name, one in MODELS.items() if one.pipeline == PIPELINE)
            why = f"{self.editor}: cannot be tuned; wanted one of {able}"
            raise UsageError(why, argument="editor")
        if "shots" in self.settings or "devices" in self.settings:
            raise UsageError("tune: trains and edits on one --device, without demonstrations")
        if self.recipe.lora:
            lora_config(self.recipe.lora)
        return diffusers.factory(self.editor, [], **{**self.settings, **more})


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """One finished training: paths below the run, the mean losses of the `first` and the `last`
    tenth of the updates; `fresh`: made by this call.
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
                f"{one.task}, {one.samples} samples: loss {one.first:.4f} at first, {one.last:.4f} "
                f"at last; {how}: {run}/{one.folder}"
            )
        yield from (line for summary in self.edits for line in summary.lines(benchmark))

    def as_json(self) -> dict[str, Any]:
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
    name = plain_name(base.name)
    known = {sample.id: sample for sample in samples}
    with lease.lease(run.path, "tune", benchmark, name):
        for one in splits:
            for size in order.sizes:
                made: Editor = base
                if size:
                    task = "-".join(file_name(one.task)[:40].split()).strip("-.") or "task"
                    task = f"{task}-{digest(one.task)[:8]}/{size}"
                    folder = f"tuning/{plain_name(benchmark)}/{name}/{task}"
                    chosen = [known[identity] for identity in one.training[:size]]
                    training = _trained(run, folder, one.task, chosen, order, progress)
                    done.trainings.append(training)
                    facts = {
                        "task": one.task,
                        "samples": size,
                        "training": [sample.id for sample in chosen],
                        "fingerprint": training.fingerprint,
                        **order.recipe.record(),
                    }
                    made = tuned(base, run.path / training.weights, order.recipe.lora, facts)
                made = on_track(made, Track(tuned=size))
                tests = [known[identity] for identity in one.test]
                done.edits.append(edit(run, benchmark, tests, made, progress=progress))
                as_editor(made).release()
    run.record(
        "tune",
        benchmark=benchmark,
        editor=order.editor,
        editors=done.editors,
        samples=list(order.sizes),
        recipe=order.recipe.record(),
        settings=recorded(order.settings),
        splits={one.task: one.record() for one in splits},
        trainings=done.as_json()["trainings"],
    )
    return done


def _trained(
    run: Run,
    folder: str,
    task: str,
    chosen: Sequence[Sample],
    order: Order,
    progress: Progress | None,
) -> Training:
    """The training of a task with these samples: the one that is there, or made now."""
    # Weights and optimizer are float32 whatever is edited with; accelerate lowers what may be.
    learner = order.base(dtype="float32")
    plan = {
        "task": task,
        "family": order.editor,
        "model": paths.facts(learner.model),
        "revision": learner.source()[1],
        "training": [[s.id, s.instruction, sorted(split.pictures(s))] for s in chosen],
        **order.recipe.record(),
    }
    there = _planned(run, folder, plan)
    if there is not None:
        return there
    began = perf_counter()
    pipe, _ = learner.load()
    kept, nothing = triplets(pipe, chosen, order.recipe.resolution)
    for part in (pipe.vae, pipe.text_encoder):
        part.to("cpu")  # their work is done: the memory is the U-Net's
    place = Place(run.path, folder, order.every)
    losses = train(
        pipe, kept, nothing, order.recipe, place, device=learner.device, progress=progress
    )
    weights = write_weights(run.path, folder, pipe, order.recipe.lora)
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([("step", "loss"), *enumerate(losses, 1)])
    paths.write(run.path, f"{folder}/loss.csv", table.getvalue().encode())
    part = max(1, len(losses) // 10)
    result = Training(
        task=task,
        samples=len(chosen),
        folder=folder,
        weights=weights,
        fingerprint=digest(plan),
        first=sum(losses[:part]) / part,
        last=sum(losses[-part:]) / part,
        seconds=round(perf_counter() - began, 3),
    )
    split.write_json(run, f"{folder}/done.json", result)
    for old in checkpoints(place):
        shutil.rmtree(old, ignore_errors=True)
    return result


def _planned(run: Run, folder: str, plan: Mapping[str, Any]) -> Training | None:
    """Write the plan of a training, or compare it with the one that is there (`UsageError` where
    they differ); the training, where it has ended and its weights are there.
    """
    there = split.read_json(run, f"{folder}/plan.json")
    if there is None:
        split.write_json(run, f"{folder}/plan.json", plan)
        return None
    other = [name for name in {**plan, **there} if plan.get(name) != there.get(name)]
    if other:
        what = "; ".join(f"{n} {there.get(n)!s:.40}, now {plan.get(n)!s:.40}" for n in other)
        raise UsageError(
            f"{folder}: was tuned in another way ({what}); its outputs stay under its name: take "
            f"another --run or --name"
        )
    try:
        made = convert(split.read_json(run, f"{folder}/done.json"), Training, f"{folder}/done.json")
    except DataError:
        return None
    lost = paths.fault(run.path, made.weights, f"tuning{folder[6:]}", limit=MOST_BYTES)
    if lost is not None or made.fingerprint != digest(plan):
        return None
    return msgspec.structs.replace(made, folder=folder, fresh=False)

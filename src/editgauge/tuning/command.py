"""`editgauge tune`: split, train, edit and score, each kept and never done twice."""

from __future__ import annotations

import csv
import hashlib
import io
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

import orjson

from editgauge.editors import diffusers
from editgauge.editors.command import recorded
from editgauge.editors.diffusers import DiffusersEditor
from editgauge.editors.editor import as_editor
from editgauge.editors.models import MODELS
from editgauge.editors.tracks import Track, on_track
from editgauge.errors import DataError, RunError, UsageError
from editgauge.escape import file_name
from editgauge.run.edit import EditSummary, edit
from editgauge.schema import convert
from editgauge.store import lease, paths
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.tuning import split
from editgauge.tuning.editor import LORA, MOST_BYTES, WHOLE, tuned, write_weights
from editgauge.tuning.split import Split
from editgauge.tuning.training import Place, Recipe, check_device, checkpoints, lora_config, train
from editgauge.tuning.triplets import triplets
from editgauge.types import Editor, Sample

Progress = Callable[[int, int, str], None]
PIPELINE = "StableDiffusionInstructPix2PixPipeline"
"""The class of pipeline whose U-Net this training is for."""
_PLAN, _DONE = "plan.json", "done.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be tuned and tested: an editor of `MODELS` with its settings, and how.

    `sizes`: numbers of training samples; 0 is the editor as it is, on the same test samples.
    `tests`: at most so many test samples of a task; None: all that are not trained on. `every`:
    updates between two checkpoints.
    """

    editor: str
    sizes: tuple[int, ...] = (0, 4, 8, 16)
    recipe: Recipe = field(default_factory=Recipe)
    settings: Mapping[str, Any] = field(default_factory=dict)
    every: int = 100
    tests: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """One finished training. Paths are below the run; `first` and `last` are the mean losses of the
    first and the last tenth of the updates; `fresh`: made by this call.
    """

    task: str
    samples: int
    folder: str
    weights: str
    fingerprint: str
    first: float
    last: float
    seconds: float
    fresh: bool


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What a call did."""

    splits: list[Split]
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
            "splits": {one.task: one.record() for one in self.splits},
            "trainings": [asdict(one) for one in self.trainings],
            "edits": [{**asdict(one), "counts": dict(one.counts)} for one in self.edits],
        }


def splits_of(
    run: Run, benchmark: str, tasks: Mapping[str, Sequence[Sample]], order: Order
) -> list[Split]:
    """The splits of these tasks, stored in the run. Raises as `split.kept`."""
    most, seed = max(order.sizes), order.recipe.seed
    return [
        split.kept(run, benchmark, task, samples, most=most, tests=order.tests, seed=seed)
        for task, samples in tasks.items()
    ]


def check(order: Order) -> None:
    """Raises `UsageError` for an order that cannot be carried out, before anything is read."""
    check_device(order.recipe, _base(order, order.settings).device)
    if order.recipe.lora:
        lora_config(order.recipe.lora)


def tune(
    run: Run,
    benchmark: str,
    samples: Sequence[Sample],
    splits: Sequence[Split],
    order: Order,
    progress: Progress | None = None,
) -> Outcome:
    """Train what is not trained yet, edit the test samples with every size. `samples` are in the
    run already (`store.samples.keep_samples`).

    Raises `UsageError` for an editor that cannot be trained so, for settings that differ from those
    that the run was trained with, `Unavailable` for weights that cannot be loaded.
    """
    base = _base(order, order.settings)
    done = Outcome(splits=list(splits))
    name = plain_name(base.name)
    known = {sample.id: sample for sample in samples}
    with lease.lease(run.path, "tune", benchmark, name):
        for one in splits:
            split.check(one, known)
            for size in order.sizes:
                made: Editor = base
                if size:
                    folder = f"tuning/{plain_name(benchmark)}/{name}/{_folder(one.task, size)}"
                    chosen = [known[identity] for identity in one.training[:size]]
                    training = _trained(run, folder, one.task, chosen, order, progress)
                    done.trainings.append(training)
                    made = _tuned(run, base, training, chosen, order)
                made = on_track(made, Track(tuned=size))
                tests = [known[identity] for identity in one.test]
                done.edits.append(edit(run, benchmark, tests, made, progress=progress))
                as_editor(made).release()
    return done


def entry(benchmark: str, order: Order, done: Outcome) -> dict[str, Any]:
    """The manifest's entry of a call."""
    facts = done.as_json()
    return {
        "benchmark": benchmark,
        "editor": order.editor,
        "editors": done.editors,
        "samples": list(order.sizes),
        "recipe": order.recipe.record(),
        "settings": recorded(order.settings),
        "splits": facts["splits"],
        "trainings": facts["trainings"],
    }


def _base(order: Order, settings: Mapping[str, Any]) -> DiffusersEditor:
    family = MODELS.get(order.editor)
    if family is None or family.pipeline != PIPELINE:
        able = ", ".join(name for name, one in MODELS.items() if one.pipeline == PIPELINE)
        why = f"{order.editor}: cannot be tuned; wanted one of {able}"
        raise UsageError(why, argument="editor")
    if "shots" in settings or "devices" in settings:
        raise UsageError("tune: trains and edits on one --device, without demonstrations")
    return diffusers.factory(order.editor, [], **settings)


def _folder(task: str, size: int) -> str:
    """A task's folder: its name as far as folders can have it, with a hash of all of it."""
    name = "-".join(file_name(task)[:40].split()).strip("-.") or "task"
    return f"{name}-{digest(task)[:8]}/{size}"


def _tuned(
    run: Run, base: DiffusersEditor, training: Training, chosen: Sequence[Sample], order: Order
) -> Editor:
    """The editor with the weights of a training."""
    weights = run.path / training.weights
    facts = {
        "task": training.task,
        "samples": len(chosen),
        "training": [sample.id for sample in chosen],
        "fingerprint": training.fingerprint,
        "weights": _hash(weights),
        **order.recipe.record(),
    }
    seen = frozenset().union(*(split.pictures(sample) for sample in chosen))
    return tuned(base, weights, rank=order.recipe.lora, trained_on=seen, facts=facts)


def _hash(file: Any) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


# -- one training ----------------------------------------------------------------------------------


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
    learner = _base(order, {**order.settings, "dtype": "float32"})
    _, revision = learner.source()
    plan = {
        "task": task,
        "family": order.editor,
        "model": paths.facts(learner.model),
        "revision": revision,
        "training": [
            [sample.id, sample.instruction, sorted(split.pictures(sample))] for sample in chosen
        ],
        **order.recipe.record(),
    }
    fingerprint = digest(plan)
    _keep_plan(run, folder, plan)
    there = _finished(run, folder, task, fingerprint)
    if there is not None:
        return there
    began = perf_counter()
    pipe, _ = learner.load()
    kept, nothing = triplets(pipe, chosen, order.recipe.resolution)
    for part in (pipe.vae, pipe.text_encoder):
        part.to("cpu")  # their work is done: the memory is the U-Net's
    place = Place(run=run.path, folder=folder, every=order.every)
    losses = train(
        pipe, kept, nothing, order.recipe, place, device=learner.device, progress=progress
    )
    weights = write_weights(run.path, folder, pipe, order.recipe.lora)
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([("step", "loss"), *enumerate(losses, 1)])
    paths.write(run.path, f"{folder}/loss.csv", table.getvalue().encode())
    part = max(1, len(losses) // 10)
    result: dict[str, Any] = {
        "samples": len(chosen),
        "fingerprint": fingerprint,
        "weights": weights,
        "first": sum(losses[:part]) / part,
        "last": sum(losses[-part:]) / part,
        "seconds": round(perf_counter() - began, 3),
    }
    _write(run, f"{folder}/{_DONE}", result)
    for old in checkpoints(place):
        shutil.rmtree(old, ignore_errors=True)
    return Training(task=task, folder=folder, fresh=True, **result)


def _keep_plan(run: Run, folder: str, plan: Mapping[str, Any]) -> None:
    """Write the plan of a training, or compare it with the one that is there. Raises `UsageError`
    where they differ: outputs of two trainings would stand under one name.
    """
    there = _json(run, f"{folder}/{_PLAN}")
    if there is None:
        _write(run, f"{folder}/{_PLAN}", plan)
        return
    told = orjson.loads(orjson.dumps(dict(plan)))
    other = [name for name in {**told, **there} if told.get(name) != there.get(name)]
    if other:
        what = "; ".join(f"{n} {there.get(n)!s:.40}, now {told.get(n)!s:.40}" for n in other)
        raise UsageError(
            f"{folder}: was tuned in another way ({what}); its outputs stay under its name: take "
            f"another --run or --name"
        )


def _finished(run: Run, folder: str, task: str, fingerprint: str) -> Training | None:
    """The training in a folder, where it has ended and its weights are there."""
    found = _json(run, f"{folder}/{_DONE}")
    weights = (found or {}).get("weights")
    if found is None or weights not in (f"{folder}/{LORA}", f"{folder}/{WHOLE}"):
        return None
    if paths.fault(run.path, weights, "tuning", limit=MOST_BYTES) is not None:
        return None
    try:
        facts = {**found, "task": task, "folder": folder, "fresh": False}
        made = convert(facts, Training, f"{folder}/{_DONE}")
    except DataError:
        return None
    return made if made.fingerprint == fingerprint else None


def _write(run: Run, place: str, value: Mapping[str, Any]) -> None:
    data = orjson.dumps(dict(value), option=orjson.OPT_INDENT_2) + b"\n"
    paths.write(run.path, place, data, sync=True)


def _json(run: Run, place: str) -> dict[str, Any] | None:
    """A JSON object of a run; None where there is no file. Raises `RunError` for anything else."""
    why = paths.fault(run.path, place, "tuning")
    if why == "not there":
        return None
    if why is not None:
        raise RunError(f"{place}: {why}; it is not opened")
    try:
        found = orjson.loads(paths.read(run.path / place))
    except (OSError, ValueError) as error:
        raise RunError(f"{place}: cannot be read ({type(error).__name__}); remove it") from error
    if not isinstance(found, dict):
        raise RunError(f"{place}: wanted an object; remove it")
    return found

"""Which samples of a task are trained on, and which are tested: drawn once, stored in the run, and
checked before every use.

No sample is on both sides, and no picture: samples that share an input or a reference, pixel by
pixel, stand on one side together. The same picture in another size or compression is not
recognised. The training samples have an order, of which a training of K takes the first K, so that
4 are among the 8 and all sizes are tested on the same samples.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from editgauge.errors import DataError, ImageError, RunError, UsageError
from editgauge.images import read_image
from editgauge.schema import convert
from editgauge.store import lease, paths
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.types import Sample

FILE = "split.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One task's samples by id: `training` in order, `test` in the benchmark's order."""

    task: str
    seed: int
    training: tuple[str, ...]
    test: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        return {"seed": self.seed, "training": list(self.training), "test": list(self.test)}

    def lines(self) -> list[str]:
        """The split in words."""
        return [
            f"{self.task}: {len(self.training)} to train on, {len(self.test)} to test",
            f"  train: {', '.join(self.training) or 'none'}",
            f"  test:  {', '.join(self.test)}",
        ]


def task_name(sample: Sample) -> str:
    """The name of a sample's task: its attribute ``task``, or the narrowest category."""
    task = sample.attributes.get("task")
    return str(task) if task else (sample.category[-1] if sample.category else "")


def tasks(samples: Sequence[Sample], wanted: Sequence[str]) -> dict[str, list[Sample]]:
    """The samples of each wanted task, under the name that the benchmark has for it; case and a
    full stop at the end do not matter. Raises `UsageError` for a task that no sample has.
    """
    there: dict[str, list[Sample]] = {}
    for sample in samples:
        there.setdefault(task_name(sample), []).append(sample)
    known = {_plain(name): name for name in there}
    found = {}
    for text in wanted:
        name = known.get(_plain(text))
        if name is None:
            near = difflib.get_close_matches(_plain(text), known, n=3, cutoff=0.4)
            names = [known[one] for one in near] or sorted(there)[:5]
            why = f"{text!r}: no sample has it; there are {', '.join(names)}"
            raise UsageError(why, argument="task")
        found[name] = there[name]
    if not found:
        raise UsageError(f"is missing: name one of {', '.join(sorted(there)[:8])}", argument="task")
    return found


def usable(sample: Sample) -> bool:
    """Whether a sample can be trained on and tested: one input, a reference, nothing at fault."""
    return (
        sample.fault is None
        and len(sample.images) == 1
        and sample.reference is not None
        and sample.images[0].is_file()
        and sample.reference.is_file()
    )


def pictures(sample: Sample) -> frozenset[str]:
    """Hashes of the pixels of a sample's inputs and reference: another file of the same pixels has
    the same. Raises `ImageError` for a picture that cannot be read.
    """
    found = set()
    for path in (*sample.images, *([sample.reference] if sample.reference else [])):
        pixels = read_image(path)
        hashed = hashlib.blake2b(repr(pixels.shape).encode(), digest_size=16)
        hashed.update(pixels.tobytes())
        found.add(hashed.hexdigest())
    return frozenset(found)


def draw(task: str, samples: Sequence[Sample], *, most: int, tests: int | None, seed: int) -> Split:
    """A split with `most` training samples, and all others (at most `tests`) as test samples.

    The order depends on the seed and the ids alone. Samples that share a picture go to one side
    together, to the test side where they are too many for what is left of the other. Raises
    `DataError` where there are not `most` training samples and one test sample.
    """
    alike = _alike([sample for sample in samples if usable(sample)])
    order = sorted(alike, key=lambda group: (_place(seed, group[0]), group[0]))
    training: list[str] = []
    for group in order:
        if len(training) + len(group) <= most:
            training += group
    left = [group for group in order if group[0] not in training]
    test = [identity for group in left for identity in group][:tests]
    if len(training) < most or not test:
        raise DataError(
            f"task {task!r}: wanted {most} samples to train on and others to test, each with one "
            f"input and a reference; found {sum(map(len, alike))} in {len(alike)} groups without a "
            f"common picture; take smaller --samples"
        )
    at = {sample.id: number for number, sample in enumerate(samples)}
    ordered = tuple(sorted(test, key=at.__getitem__))
    return Split(task=task, seed=seed, training=tuple(training), test=ordered)


def check(split: Split, samples: Mapping[str, Sample]) -> None:
    """The guard. Raises `DataError` where a sample or a picture is on both sides, and where one of
    the samples is not in the data.
    """
    both = sorted(set(split.training) & set(split.test))
    if both:
        raise DataError(f"task {split.task!r}: {both[0]} is trained on and tested; nothing is done")
    absent = [name for name in (*split.training, *split.test) if name not in samples]
    if absent:
        raise DataError(
            f"task {split.task!r}: the run's split has the sample {absent[0]}, the data have not; "
            f"use the data that the split was made with, or another run"
        )
    trained = {picture: name for name in split.training for picture in pictures(samples[name])}
    for name in split.test:
        for picture in pictures(samples[name]):
            if picture in trained:
                raise DataError(
                    f"task {split.task!r}: test sample {name} has a picture of training sample "
                    f"{trained[picture]}; nothing is done. Use another run, whose split is drawn "
                    f"anew"
                )


def kept(
    run: Run,
    benchmark: str,
    task: str,
    samples: Sequence[Sample],
    *,
    most: int,
    tests: int | None,
    seed: int,
) -> Split:
    """The run's split of a task: the one that is stored, or a new one that is stored now. Either
    has passed `check`.

    Raises `UsageError` where the stored one has another seed or too few training samples.
    """
    place = f"tuning/{plain_name(benchmark)}/{FILE}"
    with lease.lock(run.path / ".lock"):
        there = stored(run, benchmark)
        split = there.get(task)
        if split is None:
            split = draw(task, samples, most=most, tests=tests, seed=seed)
            whole = {name: one.record() for name, one in {**there, task: split}.items()}
            data = orjson.dumps({"tasks": whole}, option=orjson.OPT_INDENT_2) + b"\n"
            paths.write(run.path, place, data, sync=True)
    if split.seed != seed or len(split.training) < most:
        raise UsageError(
            f"{run.path.name}: its split of {task!r} has seed {split.seed} and "
            f"{len(split.training)} training samples, wanted seed {seed} and {most}; what was "
            f"tested by it stays: use another run"
        )
    check(split, {sample.id: sample for sample in samples})
    return split


def stored(run: Run, benchmark: str) -> dict[str, Split]:
    """The run's splits by task; {} where it has none. Raises `RunError` for a file that is none."""
    place = f"tuning/{plain_name(benchmark)}/{FILE}"
    why = paths.fault(run.path, place, "tuning")
    if why == "not there":
        return {}
    if why is not None:
        raise RunError(f"{place}: {why}; it is not opened")
    try:
        found = orjson.loads(paths.read(run.path / place))["tasks"]
        return convert({t: {"task": t, **one} for t, one in found.items()}, dict[str, Split], place)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, DataError) as error:
        raise RunError(
            f"{place}: wanted the splits that tune wrote ({type(error).__name__}); restore it"
        ) from error


def held_out(
    run: Run, benchmark: str, samples: Sequence[Sample]
) -> tuple[list[Sample], list[Sample]]:
    """(training, test) samples of all splits of a run, checked: what demonstrations may be drawn
    from, and what is then edited. Raises `UsageError` where the run has no split.
    """
    splits = stored(run, benchmark)
    if not splits:
        raise UsageError(
            f"--held-out: {run.path.name} has no split of {benchmark}; make one with: editgauge "
            f"tune … --only-split"
        )
    known = {sample.id: sample for sample in samples}
    for split in splits.values():
        check(split, known)
    training = [known[name] for split in splits.values() for name in split.training]
    test = {name for split in splits.values() for name in split.test}
    return training, [sample for sample in samples if sample.id in test]


def _alike(samples: Sequence[Sample]) -> list[list[str]]:
    """The ids of samples in groups: those that share a picture, directly or through others,
    together. A sample whose pictures cannot be read is left out.
    """
    groups: list[tuple[set[str], list[str]]] = []
    for sample in samples:
        try:
            marks = set(pictures(sample))
        except ImageError:
            continue
        mine = [group for group in groups if group[0] & marks]
        groups = [group for group in groups if not group[0] & marks]
        names = [name for group in mine for name in group[1]]
        groups.append((marks.union(*(group[0] for group in mine)), [*names, sample.id]))
    return [sorted(names) for _, names in groups]


def _place(seed: int, identity: str) -> bytes:
    return hashlib.blake2b(f"{seed}\n{identity}".encode(), digest_size=8).digest()


def _plain(name: str) -> str:
    return name.strip().rstrip(".").casefold()


def sizes(text: str) -> list[int]:
    """``0,4,8,16`` as numbers in order. Raises `UsageError` for anything else, or one twice."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 5 for word in words):
        raise UsageError(f"--samples {text!r}: wanted whole numbers such as 0,4,8,16")
    found = [int(word) for word in words]
    if len(set(found)) < len(found):
        raise UsageError(f"--samples {text!r}: a number stands there twice")
    return sorted(found)

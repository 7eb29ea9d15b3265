"""Which samples of a task are trained on: drawn once, stored in the run, checked before use;
samples that share a picture stand on one side. K takes the first K: all sizes have one test set.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from editgauge.errors import DataError, ImageError, RunError, UsageError
from editgauge.images import read_image
from editgauge.store import lease, paths
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.types import JsonObject, Sample


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """One task's samples by id: `training` in order, `test` in the benchmark's order."""

    task: str
    seed: int
    training: tuple[str, ...]
    test: tuple[str, ...]

    def record(self) -> JsonObject:
        return {"seed": self.seed, "training": list(self.training), "test": list(self.test)}

    def __str__(self) -> str:
        sizes = f"{len(self.training)} to train on, {len(self.test)} to test"
        train, test = ", ".join(self.training) or "none", ", ".join(self.test)
        return f"{self.task}: {sizes}\n  train: {train}\n  test:  {test}"


def tasks(samples: Sequence[Sample], wanted: Sequence[str]) -> dict[str, list[Sample]]:
    """The samples of each wanted task (the attribute ``task``, or the narrowest category); case and
    a full stop at the end do not matter. Raises `UsageError` for a task that no sample has.
    """
    there: dict[str, list[Sample]] = {}
    for sample in samples:
        name = sample.attributes.get("task") or "".join(sample.category[-1:])
        there.setdefault(str(name), []).append(sample)
    known = {name.rstrip(".").casefold(): name for name in there}
    names = [known.get(text.strip().rstrip(".").casefold(), "") for text in wanted or [""]]
    if "" in names:
        why = f"{', '.join(wanted)!r}: no sample has it" if wanted else "wanted one or more"
        why = f"{why}; there are {', '.join(sorted(there))}"
        raise UsageError(why, argument="task")
    return {name: there[name] for name in names}


def sizes(text: str) -> list[int]:
    """``0,4,8,16`` as numbers in order. Raises `UsageError` for anything else, or one twice."""
    if re.fullmatch(r"\s*\d{1,4}(\s*,\s*\d{1,4})*\s*", text, re.ASCII):
        numbers = sorted(map(int, text.split(",")))
        if len({*numbers}) == len(numbers):
            return numbers
    message = "wanted whole numbers such as 0,4,8,16, none of them twice"
    raise UsageError(f"{text!r}: {message}", argument="sizes")


def pictures(sample: Sample) -> frozenset[str]:
    """Hashes of the pixels of a sample's inputs and reference. Raises as `read_image`."""
    every = map(read_image, filter(None, (*sample.images, sample.reference)))
    return frozenset(_hash(repr(one.shape).encode() + one.tobytes()) for one in every)


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def draw(task: str, samples: Sequence[Sample], *, most: int, tests: int | None, seed: int) -> Split:
    """A split with `most` training samples, and all others (at most `tests`) as test samples: those
    with one input and a reference, and nothing at fault. The order depends on the seed and the ids
    alone. Raises `DataError` where there are not `most` training samples and one test sample.
    """
    alike = _alike(samples)
    training: list[str] = []
    test: list[str] = []
    for group in sorted(alike, key=lambda g: _hash(f"{seed}\n{g[0]}".encode())):
        (training if len(training) + len(group) <= most else test).extend(group)
    test = test[:tests]
    if len(training) < most or not test:
        raise DataError(
            f"task {task!r}: wanted {most} samples to train on and others to test, each with one "
            f"input and a reference; found {sum(map(len, alike))} in {len(alike)} groups without a "
            f"common picture; train on fewer"
        )
    ordered = tuple(sample.id for sample in samples if sample.id in test)
    return Split(task=task, seed=seed, training=tuple(training), test=ordered)


def _alike(samples: Sequence[Sample]) -> list[list[str]]:
    """The ids of usable samples, those together that share a picture, also through others."""
    groups: list[tuple[frozenset[str], list[str]]] = []
    for sample in samples:
        if sample.fault is not None or len(sample.images) != 1 or sample.reference is None:
            continue
        try:
            marks = pictures(sample)
        except ImageError:
            continue
        mine = [group for group in groups if group[0] & marks]
        groups = [group for group in groups if not group[0] & marks]
        names = [name for group in mine for name in group[1]]
        groups.append((marks.union(*(group[0] for group in mine)), [*names, sample.id]))
    return [sorted(names) for _, names in groups]


def check(split: Split, samples: Mapping[str, Sample]) -> None:
    """Raises `DataError` where a picture is on both sides, or a sample is not there."""
    absent = [name for name in (*split.training, *split.test) if name not in samples]
    if absent:
        raise DataError(
            f"task {split.task!r}: the run's split has the sample {absent[0]}, the data have not; "
            f"use the data that the split was made with, or another run"
        )
    trained = {picture: name for name in split.training for picture in pictures(samples[name])}
    for name in split.test:
        for picture in pictures(samples[name]) & trained.keys():
            raise DataError(
                f"task {split.task!r}: test sample {name} has a picture of training sample "
                f"{trained[picture]}; nothing is done. Use another run, whose split is drawn anew"
            )


def _place(benchmark: str) -> str:
    return f"tuning/{plain_name(benchmark)}/split.json"


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
    """The run's split of a task: the one that is stored, or a new one that is stored now. Raises
    as `check`, and `UsageError` where the stored one has another seed or too few training samples.
    """
    with lease.lock(run.path / ".lock"):
        there = stored(run, benchmark)
        split = there.get(task) or draw(task, samples, most=most, tests=tests, seed=seed)
        if task not in there:
            write_json(run, _place(benchmark), [*there.values(), split])
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
    return {one.task: one for one in read_json(run, _place(benchmark), list[Split]) or ()}


def read_json(run: Run, place: str, kind: Any) -> Any:
    """The JSON of a file below ``tuning`` as a type, None without one; `RunError` for another."""
    why = paths.fault(run.path, place, "tuning")
    if why == "not there":
        return None
    if why is None:
        try:
            return msgspec.json.decode(paths.read(run.path / place), type=kind)
        except (OSError, msgspec.DecodeError) as error:
            why = f"cannot be read ({type(error).__name__}: {error})"
    raise RunError(f"{place}: {why}; restore it, or remove it")


def write_json(run: Run, place: str, value: object) -> None:
    data = msgspec.json.format(msgspec.json.encode(value))
    paths.write(run.path, place, data + b"\n", sync=True)


def held_out(
    run: Run, benchmark: str, samples: Sequence[Sample]
) -> tuple[list[Sample], list[Sample]]:
    """(training, test) samples of all splits of a run, checked. Raises `UsageError` without one."""
    splits = stored(run, benchmark).values()
    if not splits:
        why = f"{run.path.name} has no split of {benchmark}; make one: editgauge tune"
        raise UsageError(why, argument="held_out")
    known = {sample.id: sample for sample in samples}
    for split in splits:
        check(split, known)
    training = [known[name] for split in splits for name in split.training]
    test = {name for split in splits for name in split.test}
    return training, [sample for sample in samples if sample.id in test]

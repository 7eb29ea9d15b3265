"""What a model is asked: the instruction, the pictures in order, and demonstrations before them.

In-context editing (MedEBench, arXiv 2506.01921, section 3.4): triplets of input, instruction and
reference of the same task precede the sample. Which ones depends on ids alone, so that every editor
sees the same; the sample itself, and any sample with the same input, is never among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge.images import fingerprint
from editgauge.types import Sample


@dataclass(frozen=True, slots=True)
class Shot:
    """One demonstration: input pictures, the instruction, and the right answer."""

    id: str
    images: tuple[Path, ...]
    instruction: str
    reference: Path


def shots_for(sample: Sample, samples: Sequence[Sample], count: int) -> list[Shot]:
    """`count` demonstrations of the sample's task from `samples`, or as many as there are: whoever
    asks must see to it that fewer are not shown under the same name (`tracks.on_track` does).

    Ordered by a hash of both ids: a sample's demonstrations are the same in every run, and differ
    between samples.
    """
    task = task_of(sample)
    others = [
        other
        for other in samples
        if other.id != sample.id
        and other.reference is not None
        and other.fault is None
        and task_of(other) == task
    ]
    own = _contents(sample)
    chosen: list[Shot] = []
    for other in sorted(others, key=lambda o: (_order(sample.id, o.id), o.id)):
        if len(chosen) >= count:
            break
        if (
            other.images
            and other.reference is not None
            and other.reference.is_file()
            and not own & _contents(other)
        ):
            chosen.append(Shot(other.id, other.images, other.instruction, other.reference))
    return chosen


def task_of(sample: Sample) -> tuple[str, ...]:
    """What two samples share that are of the same task: the task's name, or the category where
    there is none.
    """
    task = sample.attributes.get("task")
    return (*sample.category, str(task)) if task is not None else sample.category


def _order(own: str, other: str) -> bytes:
    return hashlib.blake2b(f"{own}\n{other}".encode(), digest_size=8).digest()


def _contents(sample: Sample) -> set[str]:
    return {fingerprint(path) for path in sample.images if path.is_file()}


def conversation(sample: Sample, shots: Sequence[Shot]) -> list[str | Path]:
    """Texts and pictures in the order in which a model that reads both in turn is given them."""
    if not shots:
        return [*sample.images, sample.instruction]
    parts: list[str | Path] = []
    for number, shot in enumerate(shots, 1):
        parts += [
            f"Example {number}. Instruction: {shot.instruction}\nInput:",
            *shot.images,
            "Result:",
            shot.reference,
        ]
    return [
        *parts,
        f"Now do the same kind of edit. Instruction: {sample.instruction}\nInput:",
        *sample.images,
        "Result:",
    ]


def numbered(sample: Sample, shots: Sequence[Shot]) -> tuple[str, list[Path]]:
    """One prompt and the pictures it counts, for a model that is given all pictures first."""
    if not shots:
        return sample.instruction, list(sample.images)
    lines: list[str] = []
    pictures: list[Path] = []
    for shot in shots:
        first = len(pictures) + 1
        pictures += [*shot.images, shot.reference]
        inputs = _range(first, len(shot.images))
        lines.append(
            f"{inputs} edited by the instruction {shot.instruction!r} gives image {len(pictures)}."
        )
    own = _range(len(pictures) + 1, len(sample.images))
    pictures += sample.images
    lines.append(
        f"Now edit {own[0].lower()}{own[1:]} in the same way by this instruction: "
        f"{sample.instruction}"
    )
    return "\n".join(lines), pictures


def _range(first: int, count: int) -> str:
    return f"Image {first}" if count == 1 else f"Images {first} to {first + count - 1}"

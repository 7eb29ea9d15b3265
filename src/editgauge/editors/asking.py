"""What a model is asked: the instruction, the pictures in order, and demonstrations before them
(`Sample.shots`, which `tracks` chooses).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editgauge.types import Sample, Shot


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

"""What a model is asked: the instruction, the pictures in order, demonstrations before them
(`Sample.shots`, which `tracks` chooses), and pictures in the forms that services take.
"""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from PIL import Image

from editgauge.images import need_readable, read_file, read_header, read_image
from editgauge.types import Sample

_MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


class File(NamedTuple):
    """A picture as it is sent: in a form, as base64, or as a ``data:`` address."""

    name: str
    data: bytes
    media: str

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()

    @property
    def address(self) -> str:
        return f"data:{self.media};base64,{self.base64}"


def _file(path: Path, number: int) -> File:
    """A picture as it is sent: the file's own bytes where services know the format, else PNG.
    Raises `ImageError`, also for one that we could not score: it is not sent, and not paid.
    """
    header = read_header(path)
    need_readable(header, path)
    if media := _MEDIA.get(header.format):
        return File(f"image-{number}{header.extension}", read_file(path), media)
    buffer = io.BytesIO()
    Image.fromarray(read_image(path)).save(buffer, "PNG")
    return File(f"image-{number}.png", buffer.getvalue(), "image/png")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is asked of a service: `prompt` counts the pictures (`files`), for a model that is given
    all of them first; `turns` has texts and pictures in turn.
    """

    sample: Sample
    prompt: str
    files: Sequence[File]
    turns: Sequence[str | File]


def asked(sample: Sample) -> Ask:
    """What is asked, its pictures read once. Raises `ImageError`."""
    prompt, pictures = numbered(sample)
    read = {path: _file(path, number) for number, path in enumerate(pictures, 1)}
    turns = [read[turn] if isinstance(turn, Path) else turn for turn in conversation(sample)]
    return Ask(sample=sample, prompt=prompt, files=[read[path] for path in pictures], turns=turns)


def conversation(sample: Sample) -> list[str | Path]:
    """Texts and pictures in the order in which a model that reads both in turn is given them."""
    if not sample.shots:
        return [*sample.images, sample.instruction]
    parts: list[str | Path] = []
    for number, shot in enumerate(sample.shots, 1):
        parts += [f"Example {number}. Instruction: {shot.instruction}\nInput:", *shot.images]
        parts += ["Result:", shot.reference]
    last = f"Now do the same kind of edit. Instruction: {sample.instruction}\nInput:"
    return [*parts, last, *sample.images, "Result:"]


def numbered(sample: Sample) -> tuple[str, list[Path]]:
    """One prompt and the pictures it counts, for a model that is given all pictures first."""
    if not sample.shots:
        return sample.instruction, list(sample.images)
    lines: list[str] = []
    pictures: list[Path] = []
    for shot in sample.shots:
        inputs = _range("Image", len(pictures) + 1, len(shot.images))
        pictures += [*shot.images, shot.reference]
        by = f"edited by the instruction {shot.instruction!r} gives image {len(pictures)}."
        lines.append(f"{inputs} {by}")
    own = _range("image", len(pictures) + 1, len(sample.images))
    last = f"Now edit {own} in the same way by this instruction: {sample.instruction}"
    return "\n".join([*lines, last]), [*pictures, *sample.images]


def _range(word: str, first: int, count: int) -> str:
    return f"{word} {first}" if count == 1 else f"{word}s {first} to {first + count - 1}"


def sized(path: Path, step: int = 16, most: int = 4096) -> tuple[int, int]:
    """Width and height of a picture, each to the nearest multiple of `step`, the longer at most
    `most`; the shape is kept as far as that allows.
    """
    header = read_header(path)
    scale = min(1.0, most / max(header.width, header.height))
    sides = (header.width, header.height)
    width, height = (max(step, round(side * scale / step) * step) for side in sides)
    return width, height


def nearest_shape(path: Path, sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Of some sizes (width, height) the one whose shape is nearest to the picture's."""
    header = read_header(path)
    wanted = math.log(header.width / header.height)
    return min(sizes, key=lambda size: abs(math.log(size[0] / size[1]) - wanted))

"""What a model is asked: the words and pictures of a sample, and the call that carries them."""

from __future__ import annotations

import base64
import hashlib
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from editgauge.images import need_readable, read_file, read_header, read_image
from editgauge.types import JsonObject, Sample

_MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
AGAIN = ".asked-before"
"""A file that a run lays into an output's temporary folder when the user asks for a call once more
(``--retry``). What it holds stands for the outcome that was there before.
"""


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


class Ask(NamedTuple):
    """What is asked of a service: `prompt` counts the pictures (`files`), demonstrations first."""

    sample: Sample
    prompt: str
    files: Sequence[File]


class Call(NamedTuple):
    """A request: a JSON value, or `fields` and `files` of a form."""

    path: str
    json: Any = None
    fields: Mapping[str, str] = {}
    files: Sequence[tuple[str, File]] = ()


def asked(sample: Sample) -> Ask:
    """What is asked, its pictures read once. Raises `ImageError`."""
    prompt, pictures = numbered(sample)
    return Ask(sample, prompt, [_file(path, n) for n, path in enumerate(pictures, 1)])


def _file(path: Path, number: int) -> File:
    """A picture as it is sent, as PNG where services do not know its format."""
    header = read_header(path)
    need_readable(header, path)
    if media := _MEDIA.get(header.format):
        return File(f"image-{number}{header.extension}", read_file(path), media)
    buffer = io.BytesIO()
    Image.fromarray(read_image(path)).save(buffer, "PNG")
    return File(f"image-{number}.png", buffer.getvalue(), "image/png")


def numbered(sample: Sample) -> tuple[str, list[Path]]:
    """The prompt with its demonstrations, and the pictures that it counts."""
    if not sample.shots:
        return sample.instruction, list(sample.images)
    lines: list[str] = []
    pictures: list[Path] = []
    for shot in sample.shots:
        numbers = [str(len(pictures) + n) for n in range(1, len(shot.images) + 1)]
        pictures += [*shot.images, shot.reference]
        by = f"edited by the instruction {shot.instruction!r} gives image {len(pictures)}."
        lines.append(f"Image {', '.join(numbers)} {by}")
    numbers = [str(len(pictures) + n) for n in range(1, len(sample.images) + 1)]
    last = f"Now edit image {', '.join(numbers)} in the same way by this instruction: "
    return "\n".join([*lines, last + sample.instruction]), [*pictures, *sample.images]


def sized(path: Path, step: int = 16, most: int = 4096) -> tuple[int, int]:
    """Width and height of a picture, each to the nearest multiple of `step`, the longer at most
    `most`; the shape is kept as far as that allows.
    """
    header = read_header(path)
    scale = min(1.0, most / max(header.width, header.height))
    sides = (header.width, header.height)
    width, height = (max(step, round(side * scale / step) * step) for side in sides)
    return width, height


def call_key(folder: Path, *parts: str | bytes, question: bool = False) -> str:
    """A call's identity: the same for the same question in the same run, also after the run was
    killed; another one when the user asks again, but for that of the `question` alone. `folder`:
    the temporary folder that the run gave for the output; its parent stands for the run.
    """
    digest = hashlib.blake2b(str(folder.parent.resolve()).encode(), digest_size=16)
    again = folder / AGAIN
    for part in (*parts, *([again.read_bytes()] if again.is_file() and not question else [])):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def put(body: JsonObject, place: str, value: Any) -> None:
    """Write a value at a dotted place of JSON, making the objects on the way."""
    *way, last = place.split(".")
    for step in way:
        body = body.setdefault(step, {})
    body[last] = value

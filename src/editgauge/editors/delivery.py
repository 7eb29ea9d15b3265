"""What editors share: settings as words become values, and delivered bytes become an `Edit`."""

from __future__ import annotations

import base64
import contextlib
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from editgauge import schema
from editgauge.errors import DataError, ImageError, UsageError
from editgauge.images import read_header, read_image, write_bytes
from editgauge.types import Edit, JsonMapping, Sample, Status

Count = Annotated[int, msgspec.Meta(ge=1)]
Amount = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e9)]
Shape = TypeVar("Shape", bound=msgspec.Struct)


def deliver(sample: Sample, editor: str, folder: Path, data: bytes, **facts: Any) -> Edit:
    """The edit whose picture is `data`, as delivered; unreadable, with the reason, when that is no
    picture. `facts` are further fields of `Edit`.
    """
    path = folder / "output"
    write_bytes(path, data)
    return received(sample, editor, path, **facts)


def received(sample: Sample, editor: str, path: Path, **facts: Any) -> Edit:
    """The edit whose picture is the file at `path`; see `deliver`."""
    try:
        read_image(path)
        header = read_header(path)
    except ImageError as error:
        reason = f"output: {str(error).replace(str(path), 'the delivered file')}"
        return Edit.without(sample.id, editor, Status.UNREADABLE, reason, **facts)
    facts |= {"width": header.width, "height": header.height}
    return Edit(sample=sample.id, editor=editor, path=path, **facts)


def decoded(text: str) -> bytes | None:
    """The bytes of base64 as services write it: with or without a ``data:`` prefix, wrapped into
    lines, url-safe, with or without the ``=`` at its end; None for what is none, or nothing.
    """
    letters = text.rpartition(",")[2].rstrip("=").replace("-", "+").replace("_", "/")
    with contextlib.suppress(ValueError):
        return base64.b64decode(letters + "==") or None
    return None


def faulty(sample: Sample, editor: str, *, pictures: int | None = None) -> Edit | None:
    """Why an editor cannot be asked at all about a sample: its data are at fault, or it has too
    many pictures, demonstrations included.
    """
    fault = sample.fault or ("" if sample.images else "the sample has no input image")
    if fault:
        return Edit.without(sample.id, editor, Status.DATASET_FAULT, fault)
    number = len(sample.images) + sum(len(shot.images) + 1 for shot in sample.shots)
    if pictures is None or number <= pictures:
        return None
    takes = "one picture" if pictures == 1 else f"at most {pictures} pictures"
    has = f"its {len(sample.shots)} demonstrations make it" if sample.shots else "the sample has"
    reason = f"the editor takes {takes}, {has} {number}"
    return Edit.without(sample.id, editor, Status.NOT_APPLICABLE, reason)


def settings_of(editor: str, settings: JsonMapping, shape: type[Shape], *also: str) -> Shape:
    """Settings, words of a command line among them, as a declared shape. `also`: names that are
    taken beside, for the message. Raises `UsageError` for one that is not known or does not fit.
    """
    if unknown := sorted(set(settings) - set(shape.__struct_fields__)):
        wanted = ", ".join((*shape.__struct_fields__, *also)) or "none"
        found = ", ".join(unknown)
        raise UsageError(f"editor {editor!r}: wanted the settings {wanted}; found {found}")
    try:
        return schema.convert(dict(settings), shape, f"editor {editor!r}", strict=False)
    except DataError as error:
        raise UsageError(str(error)) from error


def typed(value: Any) -> Any:
    """A setting from the command line as JSON would have it (7, 2.5, true, null), or the word."""
    with contextlib.suppress(msgspec.DecodeError):
        text = value.lower() if str(value).isalpha() else value
        return msgspec.json.decode(text) if isinstance(text, str) else value
    return value

"""What editors share: settings as words become values, and delivered bytes become an `Edit`."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from editgauge import schema
from editgauge.errors import DataError, ImageError, UsageError
from editgauge.images import read_header, read_image, write_bytes
from editgauge.types import Edit, Sample, Status


def deliver(sample: Sample, editor: str, folder: Path, data: bytes, **facts: Any) -> Edit:
    """The edit whose picture is `data`, as delivered; unreadable, with the reason, when that is no
    picture.

    `facts` are further fields of `Edit`. Nothing is resized or re-encoded.
    """
    path = folder / "output"
    write_bytes(path, data)
    return received(sample, editor, path, **facts)


def decoded(text: str) -> bytes | None:
    """The bytes of base64 as services write it; None for what is none, or nothing.

    Taken as it comes: with or without a ``data:`` prefix, wrapped into lines, in the url-safe
    alphabet, with or without the ``=`` at its end. A letter of neither alphabet is refused.
    """
    head, comma, body = text.partition(",")
    letters = "".join((body if comma and head.lstrip().startswith("data:") else text).split())
    letters = letters.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        data = base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
    return data or None


def received(sample: Sample, editor: str, path: Path, **facts: Any) -> Edit:
    """The edit whose picture is the file at `path`; unreadable, with the reason, when that is no
    picture.
    """
    try:
        pixels = read_image(path)
        header = read_header(path)
    except ImageError as error:
        reason = f"output: {str(error).replace(str(path), 'the delivered file')}"
        return Edit.without(sample.id, editor, Status.UNREADABLE, reason, **facts)
    del pixels
    return Edit(
        sample=sample.id,
        editor=editor,
        path=path,
        width=header.width,
        height=header.height,
        **facts,
    )


def faulty(sample: Sample, editor: str, *, pictures: int | None = None) -> Edit | None:
    """Why an editor cannot be asked at all about a sample: its data are at fault, or it has too
    many pictures.
    """
    if sample.fault is not None:
        return Edit.without(sample.id, editor, Status.DATASET_FAULT, sample.fault)
    if not sample.images:
        return Edit.without(
            sample.id, editor, Status.DATASET_FAULT, "the sample has no input image"
        )
    if pictures is not None and len(sample.images) > pictures:
        takes = "one picture" if pictures == 1 else f"at most {pictures} pictures"
        reason = f"the editor takes {takes}, the sample has {len(sample.images)}"
        return Edit.without(sample.id, editor, Status.NOT_APPLICABLE, reason)
    return None


Shape = TypeVar("Shape", bound=msgspec.Struct)


def settings_of(editor: str, settings: Mapping[str, Any], shape: type[Shape], *also: str) -> Shape:
    """Settings, words of a command line among them, as a declared shape. `also`: names that are
    taken beside, for the message. Raises `UsageError` for one that is not known or does not fit.
    """
    if unknown := sorted(set(settings) - set(shape.__struct_fields__)):
        wanted = ", ".join((*shape.__struct_fields__, *also))
        raise UsageError(
            f"editor {editor!r}: wanted the settings {wanted}; found {', '.join(unknown)}"
        )
    try:
        return schema.convert(dict(settings), shape, f"editor {editor!r}", strict=False)
    except DataError as error:
        raise UsageError(str(error)) from error


def known(editor: str, settings: Mapping[str, object], *names: str) -> None:
    """Raises `UsageError` for a setting that is not among `names`."""
    unknown = sorted(set(settings) - set(names))
    if unknown:
        raise UsageError(
            f"editor {editor!r}: wanted the settings {', '.join(names)}; found {', '.join(unknown)}"
        )


def number(
    editor: str,
    settings: Mapping[str, object],
    name: str,
    default: float,
    *,
    least: float = 0.0,
    kind: Callable[[str], float] = float,
) -> float:
    """A setting as a number of at least `least`. Raises `UsageError` for anything else."""
    given = settings.get(name)
    if given is None:
        return default
    try:
        value = kind(str(given))
    except ValueError:
        value = float("nan")
    if not value >= least or value == float("inf"):
        what = "a whole number" if kind is int else "a number"
        raise UsageError(
            f"editor {editor!r}: {name}: wanted {what} of at least {least:g}, found {given!r}"
        )
    return value


def whole(
    editor: str, settings: Mapping[str, object], name: str, default: int, *, least: int = 0
) -> int:
    """A setting as a whole number of at least `least`. Raises `UsageError` for anything else."""
    return int(number(editor, settings, name, default, least=least, kind=int))


def flag(editor: str, settings: Mapping[str, object], name: str, default: bool) -> bool:
    """A setting as true or false. Raises `UsageError` for anything else."""
    word = str(settings.get(name, default)).lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise UsageError(f"editor {editor!r}: {name}: wanted true or false, found {settings[name]!r}")


def typed(value: Any) -> Any:
    """A setting from the command line as Python would have it: 7, 2.5, True, None, or the word
    itself.
    """
    if not isinstance(value, str):
        return value
    words: dict[str, Any] = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return words[value.lower()]
    kinds: tuple[Callable[[str], Any], ...] = (int, float)
    for kind in kinds:
        try:
            return kind(value)
        except ValueError:
            continue
    return value


# -- reading a reply's JSON ------------------------------------------------------------------------


def at(value: Any, *path: str | int) -> Any:
    """What lies at a path in JSON; None where there is nothing."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list; none for anything else."""
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []

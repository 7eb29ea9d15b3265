"""Settings and other people's files against a declared shape: a `msgspec.Struct` or any type of
msgspec's, with limits as ``Annotated[int, msgspec.Meta(ge=1)]``, and one kind of error.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from editgauge.errors import DataError

T = TypeVar("T")
MOST_BYTES = 1 << 20
"""Of a file of settings."""


def convert(value: object, shape: type[T], where: str, *, strict: bool = True) -> T:
    """`value` as the declared `shape`. `where` names it in errors: a file, an option.

    Texts become numbers and truth values where `strict` is False (what a command line gives).
    Raises `DataError` that says where, what was wanted and what was found.
    """
    try:
        return msgspec.convert(value, shape, strict=strict)
    except msgspec.ValidationError as error:
        raise DataError(f"{where}: {_worded(error, value, shape)}") from error


def read_toml(path: Path, shape: type[T]) -> T:
    """The settings in a TOML file of at most `MOST_BYTES`. Raises `DataError` for a file that
    cannot be read, is no TOML, or does not have this shape.
    """
    return convert(toml_tables(path), shape, path.name)


def toml_tables(path: Path) -> dict[str, Any]:
    """The tables of a TOML file, unchecked. Raises `DataError` as `read_toml`."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise DataError(f"{path}: wanted at most {MOST_BYTES:,} bytes of settings")
        return tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path.name}: no valid TOML ({error}); correct that line") from error


_WORDS = {"float": "a number", "int": "a whole number", "bool": "true or false", "str": "a text",
          "object": "a table", "array": "a list"}  # fmt: skip


def _worded(error: msgspec.ValidationError, value: object, shape: Any) -> str:
    """msgspec's message as ours: ``concurrency`` first, then what was wanted, then the value."""
    message, _, place = str(error).partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    text = message[:1].lower() + message[1:].replace("`", "")
    if kinds := re.match(r"expected ([\w |]+?)( [<>o].*)?(, got .*)?$", text):
        wanted = " or ".join(_WORDS.get(one, one) for one in kinds[1].split(" | "))
        text = f"wanted {wanted}{kinds[2] or ''}"
    if "invalid enum value" in text and (words := _words_at(shape, place)):
        text = f"wanted one of {', '.join(words)}"
    text = f"{place}: {text}" if place else text
    if "unknown field" in message or "missing required" in message:
        return f"{text}; remove it, or correct its name" if "unknown" in message else text
    given = _at(value, place)
    if given is value and isinstance(value, dict):
        return text  # of the whole, which says nothing
    return f"{text}; found {given!r}"[:400]


def _words_at(shape: Any, place: str) -> list[str]:
    """The words of which one may stand at a place; none where the shape does not say."""
    try:
        node = msgspec.json.schema(shape)
    except TypeError:  # it has a type that JSON does not know
        return []
    tables = node.get("$defs", {})
    for part in [
        "",
        *place.replace("[...]", ".additionalProperties").replace("[", ".[").split("."),
    ]:
        room = "items" if part.startswith("[") else "properties"
        node = node.get(room, node)
        node = node.get(part, node)
        options = node.get("anyOf", [node])
        node = next((one for one in options if "enum" in one or "$ref" in one), node)
        node = tables.get(str(node.get("$ref")).rpartition("/")[2], node)
    return [str(word) for word in node.get("enum", ())]


def _at(value: object, place: str) -> object:
    """What stands at a place like ``questions[0].id``; the whole where it cannot be followed."""
    for part in place.replace("[", ".[").split("."):
        if part.startswith("[") and part[1:-1].isdigit() and isinstance(value, list | tuple):
            value = value[int(part[1:-1])]
        elif isinstance(value, dict) and part in value:
            value = value[part]
    return value

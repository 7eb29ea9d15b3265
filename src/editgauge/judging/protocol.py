"""What one call to a judge is: words, pictures, the reply's form. The form is declared once:
`reading` checks by it, and the server's JSON Schema and the judge's line are made of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from editgauge.types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from editgauge.judging.reading import Reading

Rule = Callable[["Mapping[str, Reading]"], "dict[str, Reading]"]
"""What a protocol's own rule makes of the readings of one reply."""
Released = Callable[[str | None], Mapping[str, float | None]]
"""What the released code makes of a reply (None: there was none): field -> number or None."""


@dataclass(frozen=True, slots=True)
class Range:
    """A whole number from `low` to `high`."""

    low: int
    high: int


Kind = type[str] | type[bool] | type[object] | Range | Mapping[str, "Kind"]
"""A text, yes or no, anything (the papers' free reasons), a whole number, or an object."""
VISIBLE: Mapping[str, Kind] = {"pictures_visible": bool}
"""The first field of every reply to our own prompts: a judge that saw nothing can say so."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a call: the file's own bytes, or brought to the size of `size_of` by Lanczos'
    filter. `name` is what ``show`` and errors call it, `mime` the media type that is declared ("":
    its own), `jpeg` the quality at which it is written anew, as one released script does.
    """

    path: Path
    name: str
    size_of: Path | None = None
    mime: str = ""
    jpeg: int = 0


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message. A `plain` one is sent as a text, not as a list of parts."""

    role: str
    parts: tuple[str | Picture, ...]
    plain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to a judge about one edit.

    `parts` are texts and pictures in the order in which the judge sees them. `reply` is the form of
    the answer: words before numbers, for a verdict that follows its reasons. `metrics` maps the
    numbers of the reply to metric names. `rubric` is the hash of the rubric file.
    """

    name: str
    parts: tuple[str | Picture, ...]
    reply: Mapping[str, Kind]
    metrics: Mapping[str, str]
    rubric: str
    released: Released | None = None
    """None: no released reader fits this form, and both variants are the strict reading."""
    rule: Rule | None = None
    """The protocol's rule between fields of one reply, applied to the readings."""
    lines: bool = False
    """Whether the reply ends in a line for each number instead of an object (MedEBench's paper)."""
    system: str | None = None
    temperature: float | None = 0.0
    """None leaves it to the server, as the released script does."""
    max_tokens: int = 1000
    messages: tuple[ChatMessage, ...] = ()
    """A released script's whole chat in place of `parts`: sent once, with its `parameters`."""
    parameters: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)

    @property
    def as_released(self) -> bool:
        """Whether exactly the released script's request is sent."""
        return bool(self.messages)

    @property
    def fields(self) -> dict[str, Range]:
        """The numbers of the reply by their names, those of inner objects included."""
        return {name: kind for name, kind, _ in numbers(self.reply, {})}

    def chat(self) -> tuple[ChatMessage, ...]:
        """The messages in order, whichever way they are given; ours end with the reply's form."""
        if self.messages:
            return self.messages
        system = (ChatMessage("system", (self.system,), plain=True),) if self.system else ()
        form = f"End your answer with one JSON object and nothing behind it: {self.shape}"
        return (*system, ChatMessage("user", (*self.parts, form)))

    @property
    def shape(self) -> str:
        """The object that is wanted, as a person would write it down."""
        return _shape(self.reply)

    def schema(self) -> JsonObject | None:
        """The JSON Schema of the reply; None where the released script's request is sent."""
        return None if self.as_released or self.lines else _schema(self.reply)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(
            part for message in self.chat() for part in message.parts if isinstance(part, Picture)
        )


def numbers(kind: Mapping[str, Kind], reply: JsonMapping) -> Iterator[tuple[str, Range, Any]]:
    """Each number of a reply that fits: its name, its range, its value (None of an empty one)."""
    for name, inner in kind.items():
        if isinstance(inner, Range):
            yield name, inner, reply.get(name)
        elif isinstance(inner, Mapping):
            yield from numbers(inner, reply.get(name, {}))


def _schema(kind: Kind) -> JsonObject:
    if isinstance(kind, Range):  # an enumeration: enforced by more servers than a minimum
        return {"type": "integer", "enum": list(range(kind.low, kind.high + 1))}
    if isinstance(kind, Mapping):
        inner = {name: _schema(part) for name, part in kind.items()}
        return {
            "type": "object", "properties": inner, "required": [*kind],
            "additionalProperties": False,
        }  # fmt: skip
    return {"type": "boolean"} if kind is bool else {"type": "string"} if kind is str else {}


def _shape(kind: Kind) -> str:
    if isinstance(kind, Range):
        return f"<{kind.low}-{kind.high}>"
    if isinstance(kind, Mapping):
        return "{" + ", ".join(f'"{name}": {_shape(inner)}' for name, inner in kind.items()) + "}"
    return "<true if you see every picture, else false>" if kind is bool else '"<text>"'


def check(kind: Kind, value: Any, place: str = "the object") -> None:
    """Raises ValueError, in words for the judge, where a value is not of this kind."""
    if isinstance(kind, Range):
        if type(value) is not int or not kind.low <= value <= kind.high:
            found = repr(value)[:60]
            raise ValueError(
                f"{place}: wanted an integer from {kind.low} to {kind.high}, found {found}"
            )
    elif isinstance(kind, Mapping):
        if not isinstance(value, dict):
            raise ValueError(f"{place}: wanted an object, found {type(value).__name__}")
        if unknown := [name for name in value if name not in kind]:
            raise ValueError(f"{place}: has an unknown field {unknown[0][:60]!r}")
        if missing := [name for name in kind if name not in value]:
            raise ValueError(f"{place}: the field {missing[0]!r} is missing")
        for name, inner in kind.items():
            check(inner, value[name], repr(name))
    elif kind is not object and type(value) is not kind:
        wanted = "true or false" if kind is bool else "a text"
        raise ValueError(f"{place}: wanted {wanted}, found {type(value).__name__}")


class Rubrics(Protocol):
    """Where rubrics come from: see `prompts.RubricFolder`."""

    def render(self, name: str, **fields: str | None) -> tuple[str, str]:
        """The text with the fields filled in, and the hash of the rubric file."""
        ...


def fenced(name: str, text: str) -> str:
    """Text from data between two marks that it cannot contain: they carry its hash."""
    data = text.encode("utf-8", "surrogatepass")
    mark = hashlib.blake2b(data, digest_size=4).hexdigest()
    return f"[[{name} {mark}]]\n{text}\n[[end of {name} {mark}]]"

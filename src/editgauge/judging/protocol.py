"""What one call to a judge is: words, pictures, and the class that its reply must have.

Benchmarks build `Call`s (each in its ``judge.py``, the one readable place for order, labels, sizes
and parameters); the engine sends them and knows nothing of benchmarks. A reply is declared once, as
a mapping of names to kinds, and everything comes of it: the class that reads it (`Call.model`), the
JSON Schema that the server enforces (`Call.schema`), and the line that tells the judge its form
(`Call.form`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from editgauge.types import Edit, Metric, Sample

if TYPE_CHECKING:
    from editgauge.judging.reading import Reading

Rule = Callable[["Mapping[str, Reading]"], "dict[str, Reading]"]
"""What a protocol's own rule makes of the readings of one reply."""
Released = Callable[[str | None], Mapping[str, float | None]]
"""What the released code makes of a reply: field -> number or None. Given None when there was no
reply at all.
"""


@dataclass(frozen=True, slots=True)
class Range:
    """A whole number from `low` to `high`."""

    low: int
    high: int


Kind = type[str] | type[bool] | type[object] | Range | Sequence[Range] | Mapping[str, "Kind"]
"""Of one field of a reply: a text, yes or no, anything (the papers' free reasons), a whole number,
a list of them, or an object.
"""
VISIBLE: Mapping[str, Kind] = {"pictures_visible": bool}
"""The first field of every reply to our own prompts: a judge that saw nothing can say so."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a call: the file's own bytes, or, where `size_of` names another picture, resized
    to its size.

    `name` says what it is in ``show`` and in errors. Resizing is Lanczos; an equal size sends the
    file as it is.
    """

    path: Path
    name: str
    size_of: Path | None = None
    mime: str = ""
    """The media type that is declared for it; "" takes the file's own. The released scripts call
    every picture a JPEG, or every one a PNG.
    """
    jpeg: int = 0
    """The quality at which it is written anew as a JPEG, as one released script does; 0: it is not.
    """


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a call whose messages are given whole: a role, and texts and pictures.

    A `plain` message has one text and is sent as a text, not as a list of parts.
    """

    role: str
    parts: tuple[str | Picture, ...]
    plain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to a judge about one edit.

    `parts` are texts and pictures in the order in which the judge sees them; `system` is a system
    message or None. `reply` is the form of the answer, in the order in which it is generated: words
    before numbers, for a verdict that follows its reasons. `metrics` maps the numbers of the reply
    to metric names; `lists` names the numbers of a list::

        reply={**VISIBLE, "rationale": str, "score": [Range(0, 10), Range(0, 10)]},
        lists={"score": ("success", "overediting")},
        metrics={"success": "SC_success", "overediting": "SC_overediting"},

    Raises ValueError for a declaration that contradicts itself.
    """

    name: str
    parts: tuple[str | Picture, ...]
    reply: Mapping[str, Kind]
    metrics: Mapping[str, str]
    rubric: str
    """Hash of the rubric file: part of every score's identity."""
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
    """The whole chat, where a released script's own messages are sent: then `parts` and `system`
    are empty, no schema is asked for and no reply is repaired.
    """
    parameters: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)
    """Further parameters of the request, as the released script sends them (``stream``)."""
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Key of a list in the reply -> the names of its numbers, in order."""

    def __post_init__(self) -> None:
        if unknown := sorted(set(self.metrics) - set(self.fields)):
            known = ", ".join(self.fields) or "none"
            raise ValueError(
                f"call {self.name!r}: {', '.join(unknown)} in metrics, but no number of the reply "
                f"({known})"
            )

    @property
    def as_released(self) -> bool:
        """Whether exactly the released script's request is sent."""
        return bool(self.messages)

    @property
    def fields(self) -> dict[str, Range]:
        """The numbers of the reply by their names, those of lists and inner objects included."""
        return dict(_leaves(self.reply, self.lists))

    @property
    def model(self) -> type[Any]:
        """The class of the reply: what `reading` validates by."""
        return _model(_frozen(self.reply).fields)

    def chat(self) -> tuple[ChatMessage, ...]:
        """The messages in order, whichever way they are given; ours end with the reply's form."""
        if self.messages:
            return self.messages
        system = (ChatMessage("system", (self.system,), plain=True),) if self.system else ()
        return (*system, ChatMessage("user", (*self.parts, self.form)))

    @property
    def form(self) -> str:
        """The line that says which answer is wanted."""
        return f"End your answer with one JSON object and nothing behind it: {self.shape}"

    @property
    def shape(self) -> str:
        """The object that is wanted, as a person would write it down."""
        return _shape(self.reply)

    def schema(self) -> dict[str, Any] | None:
        """The JSON Schema of the reply; None where the released script's request is sent."""
        return None if self.as_released or self.lines else _schema(_frozen(self.reply).fields)

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(
            part for message in self.chat() for part in message.parts if isinstance(part, Picture)
        )


# --- the class of a reply -----------------------------------------------------------------------


def _leaves(
    reply: Mapping[str, Kind], lists: Mapping[str, Sequence[str]]
) -> list[tuple[str, Range]]:
    found: list[tuple[str, Range]] = []
    for name, kind in reply.items():
        if isinstance(kind, Range):
            found.append((name, kind))
        elif isinstance(kind, Mapping):
            found += _leaves(kind, lists)
        elif isinstance(kind, Sequence):
            found += zip(lists[name], kind, strict=True)
    return found


def _frozen(kind: Any) -> Any:
    """A declaration as a value that a cache takes."""
    if isinstance(kind, Mapping):
        return _Object(tuple((name, _frozen(inner)) for name, inner in kind.items()))
    return tuple(kind) if isinstance(kind, Sequence) else kind


class _Object(NamedTuple):
    fields: tuple[Any, ...]


@lru_cache(maxsize=256)
def _model(fields: tuple[Any, ...]) -> type[Any]:
    """A msgspec class with these fields, each of them needed, and no other."""
    names = {f"field_{number}": name for number, (name, _) in enumerate(fields)}
    return msgspec.defstruct(
        f"Reply{abs(hash(fields))}",  # an inner class needs a name of its own in a schema
        [(key, _type(kind)) for key, (_, kind) in zip(names, fields, strict=True)],
        rename=names.get,
        kw_only=True,
        forbid_unknown_fields=True,
    )


def _type(kind: Any) -> Any:
    if isinstance(kind, Range):  # an enumeration: enforced by more servers than a minimum
        return Literal[tuple(range(kind.low, kind.high + 1))]
    if isinstance(kind, _Object):
        return _model(kind.fields)
    if isinstance(kind, tuple):
        widest = Range(min(one.low for one in kind), max(one.high for one in kind))
        size = msgspec.Meta(min_length=len(kind), max_length=len(kind))
        return Annotated[list[_type(widest)], size]  # type: ignore[misc]
    return Any if kind is object else kind


@lru_cache(maxsize=256)
def _schema(fields: tuple[Any, ...]) -> dict[str, Any]:
    """The class as a JSON Schema without references, which not every server follows."""
    schema = msgspec.json.schema(_model(fields), ref_template="{name}")
    inlined: dict[str, Any] = _inlined(schema, schema.get("$defs", {}))
    return inlined


def _inlined(schema: Any, known: Mapping[str, Any]) -> Any:
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inlined(known[schema["$ref"]], known)
    found = {
        name: {key: _inlined(inner, known) for key, inner in part.items()}
        if name == "properties"
        else _inlined(part, known)
        for name, part in schema.items()
        if name not in ("title", "$defs")
    }
    return {"type": "integer", **found} if "enum" in found else found


def _shape(kind: Kind) -> str:
    if isinstance(kind, Range):
        return f"<{kind.low}-{kind.high}>"
    if isinstance(kind, Mapping):
        return "{" + ", ".join(f'"{name}": {_shape(inner)}' for name, inner in kind.items()) + "}"
    if isinstance(kind, Sequence):
        return "[" + ", ".join(map(_shape, kind)) + "]"
    return "<true if you see every picture, else false>" if kind is bool else '"<text>"'


# --- a judge track ------------------------------------------------------------------------------


@runtime_checkable
class Judging(Protocol):
    """A benchmark's judge track, which its object gives as `types.Benchmark.judging`. The shortest
    one is `questions.Questions`.

    One that has options also has an attribute ``options``: name -> the values it may have. Another
    name or value is an error before anything is sent.
    """

    @property
    def version(self) -> str:
        """Of the protocol's readers: part of every row's fingerprint, so that a mended one makes
        the rows anew from the replies that are there.
        """
        ...

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """All metrics that its calls can give, each in both variants."""
        ...

    def rubric_names(self) -> Sequence[str]:
        """The rubric files that it uses (without ``.md``), for their common hash."""
        ...

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        """The calls for one edit. Raises nothing for odd samples: what cannot be asked is not in
        the list.
        """
        ...

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        """The metrics that a complete judgement of this sample has (those of `calls`, picture or
        not).
        """
        ...


@runtime_checkable
class Rubrics(Protocol):
    """Where rubrics come from: see `rubrics.RubricFolder`."""

    def render(self, name: str, **fields: str | None) -> tuple[str, str]:
        """The text with the fields filled in, and the hash of the rubric file."""
        ...


def fenced(name: str, text: str) -> str:
    """Text from data between two marks that it cannot contain: the marks carry a hash of the text
    itself.

    The same text always gets the same marks, so that a reply can be found again; a text that holds
    its own mark (which nobody can write on purpose) gets another one.
    """
    salt = 0
    while True:
        mark = hashlib.blake2b(
            f"{salt}:{text}".encode("utf-8", "surrogatepass"), digest_size=4
        ).hexdigest()
        if mark not in text:
            return f"[[{name} {mark}]]\n{text}\n[[end of {name} {mark}]]"
        salt += 1

"""A prompt set: what a judge is sent, call by call, as data in a folder.

Two kinds of sets never mix in one table. *Ours* are the rubrics of this package (`rubrics`). A
*paper's* set is made from the released scripts (`released`, ``editgauge fetch prompts``) and lies
in the run, because its texts belong to others. A set is one file, ``set.json``; its hash is part of
every score's identity and of its source's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import DataError, UsageError
from editgauge.images import write_bytes
from editgauge.judging.protocol import ChatMessage, Picture
from editgauge.judging.released import Field, Message, Part, Scalar, Template

FILE = "set.json"
FORMAT = 1
MAX_BYTES = 8 << 20
UNLIMITED = 65_536
"""The token limit where a script sends none."""
Value = str | Picture | None
"""What goes into a place of a prompt; None where the sample has no such thing."""


@dataclass(frozen=True, slots=True)
class CallPrompt:
    """One request to the judge: its messages with places for a sample's texts and pictures, and the
    parameters that the released script sends (``temperature``, ``max_tokens``, ``stream``).
    """

    messages: tuple[Message, ...]
    parameters: Mapping[str, Scalar] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The prompts of one benchmark. `source` says where they came from: repository, commit and the
    SHA-256 of each file.
    """

    benchmark: str
    name: str
    calls: Mapping[str, CallPrompt]
    source: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """A hash over what is sent: 16 hexadecimal digits. Where it came from does not count."""
        data = orjson.dumps(_calls_as_json(self.calls), option=orjson.OPT_SORT_KEYS)
        return hashlib.blake2b(data, digest_size=8).hexdigest()

    def call(self, name: str) -> CallPrompt:
        """The prompt of a call. Raises `UsageError` naming those that the set has."""
        if name not in self.calls:
            raise UsageError(
                f"prompt set {self.name!r} of {self.benchmark}: has no prompt for {name!r}; it "
                f"has: {', '.join(self.calls)}"
            )
        return self.calls[name]

    def save(self, folder: Path) -> Path:
        """Write the set below `folder`; returns the file."""
        folder.mkdir(parents=True, exist_ok=True)
        content = {
            "format": FORMAT,
            "benchmark": self.benchmark,
            "name": self.name,
            "source": dict(self.source),
            "calls": _calls_as_json(self.calls),
        }
        write_bytes(folder / FILE, orjson.dumps(content, option=orjson.OPT_INDENT_2))
        return folder / FILE


def load(folder: Path, benchmark: str) -> PromptSet:
    """The set in a folder. Raises `UsageError` when there is none, `DataError` when it is damaged
    or another benchmark's.
    """
    path = folder / FILE
    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path}: wanted a prompt set of at most {MAX_BYTES:,} bytes")
        found = orjson.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{path}: no prompt set there ({error.strerror}); get the paper's with: editgauge "
            f"fetch prompts {benchmark} --run RUN, or start your own with: editgauge prompts new"
        ) from error
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path}: is damaged ({error}); fetch the prompts again") from error
    try:
        if found["format"] != FORMAT or found["benchmark"] != benchmark:
            raise DataError(
                f"{path}: wanted prompts of {benchmark} in format {FORMAT}, found "
                f"{str(found['benchmark'])[:40]!r} in format {str(found['format'])[:10]!r}"
            )
        calls = {str(name): _call_from(entry) for name, entry in found["calls"].items()}
        return PromptSet(benchmark, str(found["name"]), calls, dict(found.get("source") or {}))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{path}: is no prompt set ({error!r}); fetch the prompts again") from error


def render(
    prompt: CallPrompt,
    values: Mapping[str, Value],
    loops: Mapping[str, Sequence[Mapping[str, Value]]] | None = None,
) -> tuple[ChatMessage, ...]:
    """The messages of a call for one edit.

    `values` has a text or a picture for each name; None (or "") is one that is not there, and parts
    under its condition are left out. `loops` has the values of each turn for the parts inside a
    loop. Raises `UsageError` for a name without a value.
    """
    built = []
    for message in prompt.messages:
        parts = tuple(_rendered(message.parts, values, loops or {}))
        if parts:
            built.append(ChatMessage(message.role, parts, message.plain))
    return tuple(built)


def request(
    prompt: CallPrompt,
    values: Mapping[str, Value],
    loops: Mapping[str, Sequence[Mapping[str, Value]]] | None = None,
) -> dict[str, Any]:
    """The keywords of a `Call` that sends this prompt: messages, temperature, token limit and the
    further parameters, as the released script sends them.
    """
    further = dict(prompt.parameters)
    temperature, limit = further.pop("temperature", None), further.pop("max_tokens", None)
    return {
        "parts": (),
        "messages": render(prompt, values, loops),
        "temperature": None if temperature is None else float(temperature),
        "max_tokens": UNLIMITED if limit is None else int(limit),
        "parameters": further,
    }


def readable(prompts: PromptSet) -> Iterator[str]:
    """The set as lines to read: each call with its messages, ``{name}`` for what is filled in."""
    for name, call in prompts.calls.items():
        told = ", ".join(f"{key}={value}" for key, value in call.parameters.items())
        yield f"== {name}{f' ({told})' if told else ''}"
        for message in call.messages:
            yield f"-- {message.role}"
            for part in message.parts:
                around = [f"each of {part.each}"] if part.each else []
                around += [
                    key if value is None else f"{key} is {value}"
                    for key, value in part.when.items()
                ]
                prefix = f"[{'; '.join(around)}] " if around else ""
                if part.text is None:
                    detail = f", detail {part.detail}" if part.detail else ""
                    yield f"{prefix}<picture: {part.picture}, as {part.mime}{detail}>"
                else:
                    words = (f"{{{p.name}}}" if isinstance(p, Field) else p for p in part.text)
                    yield prefix + "".join(words)


# -- inside ----------------------------------------------------------------------------------------


def _rendered(
    parts: Sequence[Part],
    values: Mapping[str, Value],
    loops: Mapping[str, Sequence[Mapping[str, Value]]],
) -> Iterator[str | Picture]:
    position = 0
    while position < len(parts):
        each = parts[position].each
        if not each:
            yield from _one(parts[position], values)
            position += 1
            continue
        end = position
        while end < len(parts) and parts[end].each == each:
            end += 1
        if each not in loops:
            raise UsageError(f"prompt: nothing is given to loop over for {each!r}")
        for turn in loops[each]:
            for part in parts[position:end]:
                yield from _one(part, {**values, **turn})
        position = end


def _one(part: Part, values: Mapping[str, Value]) -> Iterator[str | Picture]:
    for name, wanted in part.when.items():
        given = _value(values, name)
        if (wanted is None and not given) or (wanted is not None and given != wanted):
            return
    if part.text is not None:
        yield "".join(
            str(_value(values, piece.name) or "") if isinstance(piece, Field) else piece
            for piece in part.text
        )
        return
    picture = _value(values, part.picture)
    if not isinstance(picture, Picture):
        raise UsageError(f"prompt: wanted a picture for {part.picture!r}, found {picture!r}")
    yield replace(picture, mime=part.mime)


def _value(values: Mapping[str, Value], name: str) -> Value:
    if name not in values:
        known = ", ".join(sorted(values))
        raise UsageError(f"prompt: {{{name}}} is no field here; there are: {known}")
    return values[name]


def _calls_as_json(calls: Mapping[str, CallPrompt]) -> dict[str, Any]:
    return {
        name: {
            "parameters": dict(call.parameters),
            "messages": [
                {
                    "role": message.role,
                    "plain": message.plain,
                    "parts": [_part_as_json(part) for part in message.parts],
                }
                for message in call.messages
            ],
        }
        for name, call in calls.items()
    }


def _part_as_json(part: Part) -> dict[str, Any]:
    if part.text is not None:
        pieces = [{"field": p.name} if isinstance(p, Field) else p for p in part.text]
        found: dict[str, Any] = {"text": pieces}
    else:
        found = {"picture": part.picture, "mime": part.mime}
        if part.detail:
            found["detail"] = part.detail
    if part.when:
        found["when"] = dict(part.when)
    if part.each:
        found["each"] = part.each
    return found


def _call_from(entry: Mapping[str, Any]) -> CallPrompt:
    messages = tuple(
        Message(str(m["role"]), tuple(_part_from(p) for p in m["parts"]), bool(m.get("plain")))
        for m in entry["messages"]
    )
    return CallPrompt(messages, dict(entry.get("parameters") or {}))


def _part_from(entry: Mapping[str, Any]) -> Part:
    when, each = dict(entry.get("when") or {}), str(entry.get("each") or "")
    if "text" not in entry:
        detail = str(entry.get("detail") or "")
        return Part(
            picture=str(entry["picture"]),
            mime=str(entry["mime"]),
            detail=detail,
            when=when,
            each=each,
        )
    text: Template = tuple(
        Field(str(p["field"])) if isinstance(p, Mapping) else str(p) for p in entry["text"]
    )
    return Part(text=text, when=when, each=each)

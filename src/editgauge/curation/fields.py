"""What the command line says of samples and of the set, as fields of records."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from editgauge.curation.conventions import READ
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import SOURCE, TEXTS, About, Record
from editgauge.errors import UsageError
from editgauge.web.log import Act

WHOLE = "."
"""In place of a sample's id: what is said of the whole set."""
_READ = [name for names in READ.values() for name in names]
_PLAIN = (*TEXTS, "split", "state", "protocol")
_ABOUT = ("title", "description", "licence", "protocol", "required", "reviews", "expert")


def set_words(
    data: DataSet, sample: str, pairs: Sequence[str], who: str, *, note: str = ""
) -> Record | About:
    """Set what ``name=value`` pairs say of a sample, or (`WHOLE`) of the set and its policy;
    returns it as it is then. Raises `UsageError` for a name that there is not, `DataError` for a
    value that is none.
    """
    if sample == WHOLE:
        return data.describe(who, **_about(data.about, pairs))
    record = data.record(sample)
    return data.change(sample, record.version, patch_of(record, pairs), Act(who, note=note))


def patch_of(record: Record, pairs: Sequence[str]) -> dict[str, Any]:
    """The fields of a record that ``name=value`` pairs set: a field of a sample, ``category``
    (steps joined by ``/``), ``source.<name>``, an attribute that a protocol reads or that the
    sample has, or ``attribute.<name>``. An empty value takes it out. Raises `UsageError` for any
    other name.
    """
    made: dict[str, Any] = {}
    parts: dict[str, dict[str, Any]] = {
        name: dict(getattr(record, name)) for name in ("attributes", "source")
    }
    for pair in pairs:
        name, value = _split(pair)
        room, _, rest = name.partition(".")
        if name in _PLAIN:
            made[name] = value or None
        elif name == "category":
            made[name] = steps_of(value)
        elif room == "source" and rest in SOURCE:
            made[room] = _with(parts[room], rest, value)
        elif (room == "attribute" and rest) or name in parts["attributes"] or name in _READ:
            made["attributes"] = _with(parts["attributes"], rest or name, _value(value))
        else:
            raise UsageError(_unknown(name, record))
    return made


def fields_of(
    split: str = "",
    category: str = "",
    protocol: str = "",
    source: Mapping[str, str] | None = None,
    attributes: Sequence[str] = (),
) -> dict[str, Any]:
    """Fields of new samples from words: `category` broad/narrow, `attributes` NAME=VALUE."""
    made = {
        "split": split,
        "category": steps_of(category),
        "protocol": protocol,
        "source": {name: text for name, text in (source or {}).items() if text},
        "attributes": {name: _value(value) for name, value in map(_split, attributes)},
    }
    return {name: value for name, value in made.items() if value}


def steps_of(text: str) -> list[str]:
    """A category from its steps, which ``/`` joins."""
    return [step.strip() for step in text.split("/") if step.strip()]


def words_of(text: str) -> tuple[str, ...]:
    """The words between commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def box_of(text: str) -> list[int]:
    """``LEFT,TOP,WIDTH,HEIGHT`` as whole numbers; [] for an empty text. Raises `UsageError`."""
    numbers = [part.strip() for part in text.split(",")] if text else []
    if text and (len(numbers) != 4 or not all(number.isdecimal() for number in numbers)):
        raise UsageError(f"box {text!r}: wanted LEFT,TOP,WIDTH,HEIGHT in pixels")
    return [int(number) for number in numbers]


def _about(about: About, pairs: Sequence[str]) -> dict[str, Any]:
    texts: dict[str, Any] = {}
    policy = msgspec.to_builtins(about.policy)
    for pair in pairs:
        name, value = _split(pair)
        if name not in _ABOUT:
            raise UsageError(f"{name!r}: said of no set; wanted some of {', '.join(_ABOUT)}")
        if name in ("required", "expert"):
            policy[name] = words_of(value)
        elif name == "reviews":
            policy[name] = _value(value)
        else:
            texts[name] = value
    return {**texts, "policy": policy}


def _unknown(name: str, record: Record) -> str:
    """Why a field cannot be set, and the nearest one that can."""
    if name in ("id", "version"):
        return f"{name}: given by the set, and not to be set"
    sources = (f"source.{one}" for one in SOURCE)
    known = dict.fromkeys([*_PLAIN, "category", *sources, *_READ, *record.attributes])
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.75)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return (
        f"{name!r}: no field of a sample; {hint}A new attribute is attribute.{name}=VALUE; fields "
        f"are: {', '.join(known)}"
    )


def _split(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"{pair!r}: wanted NAME=VALUE")
    return name.strip(), value.strip()


def _value(text: str) -> str | int:
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 16 else text


def _with(facts: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    if value == "":
        facts.pop(name, None)
    else:
        facts[name] = value
    return facts

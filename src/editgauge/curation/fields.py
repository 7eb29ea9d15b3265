"""What the command line says of samples, as fields of a record."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from editgauge.curation import privacy
from editgauge.curation.conventions import READ
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import SOURCE, TEXTS, Policy
from editgauge.errors import UsageError

_READ = [name for names in READ.values() for name in names]
_PLAIN = (*TEXTS, "split", "state", "protocol")


def attributes_of(pairs: Sequence[str]) -> dict[str, Any]:
    """``name=value`` pairs; a value that is a whole number becomes one."""
    made: dict[str, Any] = {}
    for pair in pairs:
        name, value = _split(pair)
        made[name] = _value(value)
    return made


def patch_of(record: Mapping[str, Any], pairs: Sequence[str]) -> dict[str, Any]:
    """The fields of a record that ``name=value`` pairs set: a field of a sample, ``category``
    (steps joined by ``/``), ``source.<name>``, an attribute that a protocol reads or that the
    sample has, or ``attribute.<name>``. An empty value takes it out. Raises `UsageError` for any
    other name.
    """
    made: dict[str, Any] = {}
    attributes = dict(record.get("attributes") or {})
    source = dict(record.get("source") or {})
    for pair in pairs:
        name, value = _split(pair)
        if name in _PLAIN:
            made[name] = value or None
        elif name == "category":
            made[name] = [step.strip() for step in value.split("/") if step.strip()] or None
        elif name.startswith("source."):
            _set(source, name.removeprefix("source."), value)
            made["source"] = source or None
        elif name.startswith("attribute.") or name in attributes or name in _READ:
            _set(attributes, name.removeprefix("attribute."), _value(value))
            made["attributes"] = attributes or None
        else:
            raise UsageError(_unknown(name, attributes))
    if odd := set(source) - set(SOURCE):
        raise UsageError(f"source.{min(odd)}: wanted one of {', '.join(SOURCE)}")
    return made


def _unknown(name: str, attributes: Mapping[str, Any]) -> str:
    """Why a field cannot be set, and the nearest one that can."""
    if name in ("id", "version"):
        return f"{name}: given by the set, and not to be set"
    source = (f"source.{one}" for one in SOURCE)
    known = dict.fromkeys([*_PLAIN, "category", *source, *_READ, *attributes])
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


def _set(facts: dict[str, Any], name: str, value: Any) -> None:
    if value == "":
        facts.pop(name, None)
    else:
        facts[name] = value


def engine_for_scans(data: DataSet, name: str) -> Any:
    """The OCR engine that looks for names before an export: only where the set has scans.

    An empty name is ``rapidocr``. Raises `UsageError` where it is not installed.
    """
    scans = any(
        about.get("needs_look")
        for record in data.records()
        for about in (record.get("pictures") or {}).values()
    )
    return privacy.engine_of(name or "rapidocr") if scans else None


def box_of(text: str) -> list[int]:
    """``LEFT,TOP,WIDTH,HEIGHT`` as whole numbers; [] for an empty text. Raises `UsageError`."""
    if not text:
        return []
    try:
        made = [int(part) for part in text.split(",")]
    except ValueError:
        made = []
    if len(made) != 4:
        raise UsageError(f"--box {text!r}: wanted LEFT,TOP,WIDTH,HEIGHT in pixels")
    return made


def two_of(text: str) -> tuple[str, str]:
    """Two ids between which a comma stands. Raises `UsageError`."""
    words = words_of(text)
    if len(words) != 2:
        raise UsageError(f"--accept {text!r}: wanted the ids of two samples: s-1,s-2")
    return words[0], words[1]


def words_of(text: str) -> tuple[str, ...]:
    """The words between commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def policy_of(
    policy: Policy, require: str | None, reviews: int | None, expert: str | None
) -> Policy:
    """A policy with what was given in place of what was there; None leaves it."""
    given: dict[str, Any] = {
        "required": None if require is None else words_of(require),
        "reviews": reviews,
        "expert": None if expert is None else words_of(expert),
    }
    return replace(policy, **{name: value for name, value in given.items() if value is not None})


def fields_of(
    split: str, category: str, protocol: str, source: tuple[str, str, str], attribute: list[str]
) -> dict[str, Any]:
    """Fields of new samples from words: `category` broad/narrow, `source` url, licence and consent,
    `attribute` NAME=VALUE. What is empty is left out.
    """
    told = {name: text for name, text in zip(SOURCE, source, strict=True) if text}
    made: dict[str, Any] = {
        "split": split or None,
        "category": [step.strip() for step in category.split("/") if step.strip()] or None,
        "protocol": protocol or None,
        "source": told or None,
        "attributes": attributes_of(attribute),
    }
    return {name: value for name, value in made.items() if value}

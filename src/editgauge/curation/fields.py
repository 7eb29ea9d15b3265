"""What the command line says of samples and of the set, as changes: ``NAME=VALUE``."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from editgauge.curation import masks, review
from editgauge.curation.conventions import READ
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import MASKS, SOURCE, TEXTS, About, Record
from editgauge.errors import UsageError
from editgauge.web.log import Act

WHOLE = "."
"""In place of a sample's id: what is said of the whole set."""
ERASED = "erased"
"""As a state: withdrawn, and its pictures are deleted from the folder."""
_READ = [name for names in READ.values() for name in names]
_PLAIN = (*TEXTS, "split", "protocol")
_ABOUT = ("title", "description", "licence", "protocol", "required", "reviews", "expert")


def set_words(
    data: DataSet,
    sample: str,
    pairs: Sequence[str],
    who: str,
    *,
    note: str = "",
    engine: Any = None,
) -> Record | About:
    """Do what ``name=value`` pairs say of a sample, in this order: its fields (see `patch_of`),
    ``mask=HOW`` (or ``mask.roi=…``), ``review=VERDICT``, ``state=…``; or (`WHOLE`) of the set and
    its policy. Returns it as it is then.

    A mask of a box or click is ``box:LEFT,TOP,WIDTH,HEIGHT`` or ``segment:…``, other ways are those
    of `masks.HOWS`; of several that a network proposes the surest is taken. Raises `UsageError` for
    a name that there is not, `DataError` for a value that is none.
    """
    given = dict(map(_split, pairs))
    if sample == WHOLE:
        return data.describe(who, **_about(data.about, given))
    state, verdict = given.pop("state", ""), given.pop("review", "")
    drawn = {n: given.pop(n) for n in list(given) if n.partition(".")[0] == "mask"}
    record = data.record(sample)
    act = Act(who, note=note)
    record = data.change(sample, record.version, patch_of(record, given), act)
    for name, how in drawn.items():
        mask = name.partition(".")[2] or "input"
        if mask not in MASKS:
            raise UsageError(f"{name}: wanted mask, or mask.{', mask.'.join(MASKS)}")
        way, _, box = how.partition(":")
        (best, *_) = masks.propose(data, record, way, box=box_of(box), engine=engine)
        record = masks.save(data, sample, record.version, mask, best.mask, who, note=f"from {way}")
    if verdict:
        expert = any(review.is_expert(p) for p in data.log.people() if p.name == who)
        record = review.review(
            data, sample, record.version, verdict, who, comment=note, expert=expert
        )
    if state in ("withdrawn", ERASED):
        return data.withdraw(sample, who, why=note, erase=state == ERASED)
    return data.change(sample, record.version, {"state": state}, act) if state else record


def patch_of(record: Record, pairs: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a record that are set: a field of a sample, ``category`` (steps joined by
    ``/``), ``source.<name>``, an attribute that a protocol reads or that the sample has, or
    ``attribute.<name>``. An empty value takes it out. Raises `UsageError` for any other name.
    """
    made: dict[str, Any] = {}
    for name, value in pairs.items():
        room, _, rest = name.partition(".")
        if name in _PLAIN:
            made[name] = value or None
        elif name == "category":
            made[name] = steps_of(value)
        elif room == "source" and rest in SOURCE:
            made[room] = _with(made.get(room, record.source), rest, value)
        elif (room == "attribute" and rest) or name in record.attributes or name in _READ:
            facts = made.get("attributes", record.attributes)
            made["attributes"] = _with(facts, rest or name, _value(value))
        else:
            raise UsageError(_unknown(name, record))
    return made


def fields_of(given: Mapping[str, str]) -> dict[str, Any]:
    """Fields of new samples: split, category, protocol, url, licence, consent; any other name is
    an attribute.
    """
    plain = {name: given[name] for name in ("split", "protocol") if given.get(name)}
    source = {name: given[name] for name in SOURCE if given.get(name)}
    rest = set(given) - {"split", "protocol", "category", *SOURCE}
    attributes = {name: _value(value) for name, value in given.items() if name in rest and value}
    made = {"category": steps_of(given.get("category", "")), "source": source}
    made["attributes"] = attributes
    return {**plain, **{name: value for name, value in made.items() if value}}


def steps_of(text: str) -> list[str]:
    """A category from its steps, which ``/`` joins."""
    return [step.strip() for step in text.split("/") if step.strip()]


def box_of(text: str) -> list[int]:
    """``LEFT,TOP,WIDTH,HEIGHT`` as whole numbers; [] for an empty text. Raises `UsageError`."""
    numbers = [part.strip() for part in text.split(",")] if text else []
    if text and (len(numbers) != 4 or not all(number.isdecimal() for number in numbers)):
        raise UsageError(f"box {text!r}: wanted LEFT,TOP,WIDTH,HEIGHT in pixels")
    return [int(number) for number in numbers]


def _about(about: About, given: Mapping[str, str]) -> dict[str, Any]:
    if unknown := [name for name in given if name not in _ABOUT]:
        raise UsageError(f"{unknown[0]!r}: said of no set; wanted some of {', '.join(_ABOUT)}")
    policy = msgspec.to_builtins(about.policy)
    for name in policy.keys() & given.keys():
        words = [word.strip() for word in given[name].split(",") if word.strip()]
        policy[name] = _value(given[name]) if name == "reviews" else words
    return {**{n: v for n, v in given.items() if n not in policy}, "policy": policy}


def _unknown(name: str, record: Record) -> str:
    """Why a field cannot be set, and the nearest one that can."""
    if name in ("id", "version"):
        return f"{name}: given by the set, and not to be set"
    sources = (f"source.{one}" for one in SOURCE)
    own = (*_PLAIN, "category", *sources, "mask", "review", "state", *_READ, *record.attributes)
    near = difflib.get_close_matches(name, dict.fromkeys(own), n=2, cutoff=0.75)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return (
        f"{name!r}: no field of a sample; {hint}A new attribute is attribute.{name}=VALUE; fields "
        f"are: {', '.join(dict.fromkeys(own))}"
    )


def _split(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"{pair!r}: wanted NAME=VALUE")
    return name.strip(), value.strip()


def _value(text: str) -> str | int:
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 16 else text


def _with(facts: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    return {key: one for key, one in {**facts, name: value}.items() if key != name or one != ""}

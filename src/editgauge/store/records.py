"""What the records of a run must be: rows, edits and samples that somebody wrote, checked before
anything is made of them.

A run folder may be damaged, or come from anybody. Each function says in words what is wrong with a
record, or "" when it can be used; who reads leaves the others out and says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from editgauge.store import paths
from editgauge.types import VARIANTS, Status

NAMES = 64
"""How many pictures, and how many masks, a sample may have."""
ATTRIBUTES = 256
_STATUSES = frozenset(status.value for status in Status)
_LARGEST = 1 << 62
_ROW_KEY = ("benchmark", "sample", "editor", "scorer", "metric", "variant", "source", "fingerprint")


def row_fault(record: Mapping[str, Any]) -> str:
    """Of a row, or of the record that retires one."""
    for name in _ROW_KEY:
        if not isinstance(record.get(name), str):
            return f"{name} is no text"
    if not record["sample"] or record["variant"] not in VARIANTS:
        return f"unknown variant {record['variant']!r}" if record["sample"] else "names no sample"
    if not _whole(record.get("repeat", 0), 1 << 20):
        return "repeat is no whole number from 0"
    if (why := _order_fault(record)) or record.get("retired") is True:
        return why
    if record.get("retired") not in (None, False):
        return "retired is neither true nor false"
    return _score_fault(record)


def _score_fault(record: Mapping[str, Any]) -> str:
    status, value, detail = record.get("status"), record.get("value"), record.get("detail")
    if not isinstance(status, str) or status not in _STATUSES:
        return f"unknown status {str(status)[:40]!r}"
    if not isinstance(record.get("reason"), str):
        return "reason is no text"
    if not isinstance(detail, Mapping) or not isinstance(record.get("origin"), Mapping):
        return "detail or origin is no object"
    if value is not None and not _number(value):
        return "value is no finite number"
    infinite = detail.get("infinite") is True
    if (value is not None) != (status == Status.SCORED.value and not infinite):
        return f"status {status!r} does not go with value {value!r}"
    return ""


def edit_fault(record: Mapping[str, Any]) -> str:
    """Of the record of an output; its picture must lie in the room of its benchmark and editor."""
    for name in ("benchmark", "sample", "editor"):
        if not isinstance(record.get(name), str) or not record[name]:
            return f"{name} is no text"
    status = record.get("status")
    if not isinstance(status, str) or status not in _STATUSES:
        return f"unknown status {str(status)[:40]!r}"
    for name, (clear, wanted) in _EDIT_KINDS.items():
        if name in record and type(record[name]) not in clear and not wanted(record[name]):
            return f"{name} is of a wrong kind ({str(record[name])[:40]!r})"
    if status == Status.SCORED.value and record.get("path") is None:
        return "says that a picture was delivered, and names none"
    room = f"edits/{record['benchmark']}/{record['editor']}"
    if record.get("path") is not None and (why := paths.misplaced(record["path"], room)):
        return f"path {str(record['path'])[:80]!r}: {why}"
    return _order_fault(record)


def sample_fault(record: Mapping[str, Any], benchmark: str) -> str:
    """Of a sample's record; what is wrong with the places of its pictures says `cleared`."""
    if not isinstance(record.get("id"), str) or not record["id"]:
        return "id is no text"
    if record.get("benchmark", benchmark) != benchmark:
        return f"of another benchmark ({str(record['benchmark'])[:40]!r})"
    for name in ("images", "category", "findings"):
        if not isinstance(record.get(name) or [], list) or len(record.get(name) or ()) > NAMES:
            return f"{name}: wanted a list of at most {NAMES}"
    for name, most in (("masks", NAMES), ("attributes", ATTRIBUTES), ("marks", 3 * NAMES)):
        if not isinstance(record.get(name) or {}, Mapping) or len(record.get(name) or ()) > most:
            return f"{name}: wanted an object of at most {most} names"
    return ""


def cleared(record: dict[str, Any], benchmark: str) -> list[str]:
    """Take out of a sample's record, in place, the pictures that do not lie in the room of the
    benchmark's inputs; returns what was wrong with each.
    """
    said: list[str] = []

    def place(path: Any) -> str | None:
        if path is None:
            return None
        why = paths.misplaced(path, f"inputs/{benchmark}")
        if why is not None:
            said.append(f"picture {str(path)[:80]!r} of {record['id'][:80]!r}: {why}")
        return None if why else str(path)

    if record.get("images"):
        record["images"] = [place(path) for path in record["images"]]
    if record.get("reference") is not None:
        record["reference"] = place(record["reference"])
    if record.get("masks"):
        record["masks"] = {name: place(path) for name, path in record["masks"].items()}
    return said


def order(record: Mapping[str, Any]) -> tuple[int, int]:
    """What tells which of two records is newer, without a clock: lines of this version by their
    numbers, before them those of earlier versions by their time.
    """
    return record.get("seq") or 0, record.get("at") or 0


def _order_fault(record: Mapping[str, Any]) -> str:
    if not _whole(record.get("at", 0), _LARGEST * 2) or not _whole(record.get("seq", 0), _LARGEST):
        return "its time or its number is no whole number"
    return ""


def _number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _whole(value: Any, limit: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _none_or(wanted: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or wanted(value)


def _amount(value: Any) -> bool:
    return _number(value) and value >= 0


_NONE = type(None)
_EDIT_KINDS: dict[str, tuple[frozenset[type], Callable[[Any], bool]]] = {
    "path": (frozenset({_NONE, str}), _none_or(_text)),
    "reason": (frozenset({str}), _text),
    "fingerprint": (frozenset({str}), _text),
    "width": (frozenset({_NONE}), _none_or(lambda value: _whole(value, 1 << 31))),
    "height": (frozenset({_NONE}), _none_or(lambda value: _whole(value, 1 << 31))),
    "seed": (frozenset({_NONE, int}), _none_or(lambda value: isinstance(value, int))),
    "settings": (frozenset({dict}), lambda value: isinstance(value, Mapping)),
    "seconds": (frozenset({_NONE}), _none_or(_amount)),
    "cost": (frozenset({_NONE}), _none_or(_amount)),
    "instruction": (frozenset({_NONE, str}), _none_or(_text)),
    "detail": (frozenset({dict}), lambda value: isinstance(value, Mapping)),
    "given_back": (frozenset({_NONE, bool}), _none_or(lambda value: isinstance(value, bool))),
}
"""Field -> the types of which every value will do, and what is asked of a value of another type."""

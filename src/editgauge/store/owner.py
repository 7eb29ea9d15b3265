"""Which run a record is of: a run's id, and what it says of records.

A run is given an id when it is created; its manifest keeps it, and every line of a segment or of an
index of samples carries it behind its checksum. So a file of another run that was laid among a
run's own is told, and left out. A copy of a run has the run's id. A run that several machines begin
on one store has the ids of all of them.

Runs of earlier versions have no id and their lines carry none. Theirs is derived from what their
manifest begins with, so that all copies of such a run get the same; `Owner.older` names the files
that were there by then. Of these alone it cannot be told whose they are.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

_BYTES = 6
PATTERN = "[0-9a-f]{12}"
"""What an id looks like, as a regular expression."""
_ID = re.compile(PATTERN)


@dataclass(frozen=True, slots=True)
class Owner:
    """The ids of a run, the one that it writes under first; none where they are not known: then no
    record is refused. `older`: the files without an id that are the run's own, by folder and name
    (``segments/x.jsonl``); None for all.
    """

    ids: tuple[str, ...] = ()
    older: frozenset[str] | None = None

    def fault(self, file: str, mark: str) -> str:
        """Why a record is not the run's own, by the id that it carries ("" for none) and the name
        of its file; "" when it is.
        """
        if not self.ids or mark in self.ids:
            return ""
        if mark:
            return f"of another run ({mark})"
        if self.older is None or file in self.older:
            return ""
        return "of another run, or written by an earlier version (no run's id)"


ANYONE = Owner()
"""Refuses nothing."""


def new_id() -> str:
    return secrets.token_hex(_BYTES)


def owner_of(manifest: Mapping[str, Any]) -> Owner:
    """The owner that a sound manifest tells of; `ANYONE` where its ids are none."""
    if "ids" not in manifest:
        return Owner((_derived(manifest),))
    ids = manifest["ids"]
    if not isinstance(ids, list) or not ids or not all(map(id_of, ids)):
        return ANYONE
    older = manifest.get("older")
    names = older if isinstance(older, list) else []
    return Owner(tuple(ids), frozenset(name for name in names if isinstance(name, str)))


def written(ids: Iterable[str], older: Iterable[str]) -> dict[str, Any]:
    """What a manifest says of its owner: its ids in this order, each once."""
    return {"ids": list(dict.fromkeys(ids)), "older": sorted(set(older))}


def id_of(value: object) -> str:
    """A value that is an id; "" for any other."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def _derived(manifest: Mapping[str, Any]) -> str:
    """The id of a run of an earlier version."""
    begun = [manifest.get("created"), list(manifest.get("entries") or ())[:1]]
    data = orjson.dumps(begun, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(data, digest_size=_BYTES).hexdigest()

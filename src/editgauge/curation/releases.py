"""Versions of a data set: a zipped set with checksums, and what changed since the last one.

A release says which old scores stay comparable: those of samples whose inputs to a track did not
change, and means over the set only where no sample came or went.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from editgauge.curation import card
from editgauge.curation.dataset import DataSet
from editgauge.curation.exports import refusal
from editgauge.curation.leaving import bare_file
from editgauge.curation.readiness import faults, of_set
from editgauge.curation.records import DATASET, SAMPLES, TEXTS, pictures_of, written
from editgauge.errors import DataError, EditgaugeError, UsageError
from editgauge.images import write_bytes
from editgauge.store import paths

SUMS = "SHA256SUMS"
CHANGES = "CHANGES.json"
READS: Mapping[str, frozenset[str]] = {
    "pixel": frozenset({"images", "reference", "masks"}),
    "ocr": frozenset({"images", "source_text", "target_text", "instruction"}),
    "embedding": frozenset({"images", "reference", "masks", "instruction", "caption", "change"}),
    "judge": frozenset({"images", "reference", "protocol", "attributes", "category", *TEXTS}),
    "human": frozenset({"images", "reference", "instruction", "knowledge"}),
    "diagnosis": frozenset({"images", "reference", "masks", "instruction", "concept", "category"}),
}
"""Track -> fields of a sample that its scores depend on."""
_PROCESS = ("reviews", "comments", "ratings", "version", "proposed")
"""Fields of a record that are about its making and name people."""
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")
_DATE = (1980, 1, 1, 0, 0, 0)


def published(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record as a release has it: without what names the people who made it."""
    made = {key: value for key, value in record.items() if key not in _PROCESS}
    pictures = {
        path: {
            k: v
            for k, v in about.items()
            if k not in ("looked", "proposals", "needs_look", "searched")
        }
        for path, about in (record.get("pictures") or {}).items()
    }
    kept = {path: about for path, about in pictures.items() if about}
    return (
        {**made, "pictures": kept} if kept else {k: v for k, v in made.items() if k != "pictures"}
    )


def changes(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """What two releases (id -> published record) differ in, and which tracks' scores stay
    comparable: of all samples, and of which ones.
    """
    old = old or {}
    added, removed = sorted(set(new) - set(old)), sorted(set(old) - set(new))
    changed: dict[str, list[str]] = {}
    for identity in sorted(set(new) & set(old)):
        names = set(new[identity]) | set(old[identity])
        fields = sorted(n for n in names if new[identity].get(n) != old[identity].get(n))
        if fields:
            changed[identity] = fields
    tracks = {}
    for track, reads in READS.items():
        touched = [identity for identity, fields in changed.items() if reads & set(fields)]
        tracks[track] = {
            "whole_set": bool(old) and not (added or removed or touched),
            "not_comparable": touched,
        }
    return {"added": added, "removed": removed, "changed": changed, "comparable": tracks}


def release(
    data: DataSet, to: Path, version: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> dict[str, Any]:  # fmt: skip
    """Write the set as one zip file with checksums, card and change list; the same set gives the
    same bytes. Returns the change list.

    Raises `DataError` when a sample may not leave, `UsageError` for a version that is none or is
    there already, or a file in use, and `OSError` or `EditgaugeError` where the file or the set
    cannot be written: then there is no file, and no release is noted.
    """
    past = releases(data)
    if not _VERSION.fullmatch(version):
        raise UsageError(f"--version {version!r}: wanted three numbers: 1.2.0")
    if past and _is_older(data.about.version, past[-1]["version"]):  # killed before its last step
        data.describe(who, version=past[-1]["version"])
    if past and _order(version) <= _order(past[-1]["version"]):
        raise UsageError(f"--version {version}: the last one is {past[-1]['version']}")
    if os.path.lexists(to) and not _is_zip(to):
        raise _in_use(to)
    records = data.records()
    found = faults(data, records, engine=engine)
    if found and not ready_only:
        raise DataError(refusal(found))
    if whole := of_set(data):
        raise DataError(f"{whole[0]}; change it with: editgauge curate about DIR")
    back = {fault.sample for fault in found}
    leaving = [record for record in records if record["id"] not in back]
    new = {record["id"]: published(record) for record in leaving}
    if not new:
        raise DataError(refusal(found) if found else "the set has no sample")
    told = {
        "version": version,
        "since": past[-1]["version"] if past else None,
        **changes(past[-1]["samples"] if past else None, new),
    }
    places = dict.fromkeys(path for record in new.values() for path in pictures_of(record))
    pictures = {path: bare_file(data, path) for path in places}
    before = data.about
    data.about = replace(before, version=version)  # as the file says; the set says so at the end
    try:
        content = _zipped(_files(data, leaving, told, pictures))
    finally:
        data.about = before
    if not os.path.lexists(to):  # the same file is there when it was killed before it was noted
        write_bytes(to, content, sync=True)
    elif to.stat().st_size != len(content) or paths.read(to, limit=len(content)) != content:
        raise _in_use(to)
    try:
        data.note(who, "released", version=version, samples=new)
    except (OSError, EditgaugeError):
        to.unlink(missing_ok=True)
        raise
    data.describe(who, version=version)
    return told


def releases(data: DataSet) -> list[dict[str, Any]]:
    """The releases so far, oldest first: version and published records."""
    return [dict(event.after) for event in data.events() if event.what == "released"]


def _files(
    data: DataSet,
    leaving: Sequence[dict[str, Any]],
    told: Mapping[str, Any],
    pictures: Mapping[str, bytes],
) -> dict[str, bytes]:
    indent = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    made = {
        **pictures,
        DATASET: orjson.dumps(data.about.as_dict(), option=indent),
        SAMPLES: written(published(record) for record in leaving),
        CHANGES: orjson.dumps(told, option=indent),
        "README.md": card.card(data, leaving).encode(),
    }
    sums = [f"{hashlib.sha256(made[name]).hexdigest()}  {name}\n" for name in sorted(made)]
    return {**made, SUMS: "".join(sums).encode()}


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            about = zipfile.ZipInfo(name, _DATE)
            about.external_attr = 0o644 << 16
            archive.writestr(about, files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _is_zip(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and zipfile.is_zipfile(path)


def _in_use(path: Path) -> UsageError:
    return UsageError(f"{path}: there is something already; name a new file")


def _is_older(version: str, other: str) -> bool:
    return _VERSION.fullmatch(version) is not None and _order(version) < _order(other)


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]

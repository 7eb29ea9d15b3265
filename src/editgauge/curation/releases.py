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
from pathlib import Path
from typing import Any

import msgspec
import orjson

from editgauge.curation import card
from editgauge.curation.dataset import DataSet
from editgauge.curation.exports import bare_file
from editgauge.curation.readiness import leaving
from editgauge.curation.records import DATASET, SAMPLES, TEXTS, About, Record, written
from editgauge.errors import EditgaugeError, UsageError
from editgauge.images import write_bytes

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
_PROCESS = ("reviews",)
"""Fields of a record that are about its making and name people."""
_VERSION = re.compile(r"\d{1,4}\.\d{1,4}\.\d{1,4}")
_DATE = (1980, 1, 1, 0, 0, 0)
_INDENT = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def published(record: Record) -> dict[str, Any]:
    """A record as a release has it: without what names the people who made it."""
    made = {key: value for key, value in record.data().items() if key not in _PROCESS}
    kept = {"hidden", "scan", "alignment"}
    facts = {
        path: {name: value for name, value in about.items() if name in kept}
        for path, about in made.pop("pictures", {}).items()
    }
    pictures = {path: about for path, about in facts.items() if about}
    return {**made, "pictures": pictures} if pictures else made


def changes(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, Any]:
    """What two releases (id -> published record) differ in, and which tracks' scores stay
    comparable: of all samples, and of which ones.
    """
    old = old or {}
    added, removed = sorted(set(new) - set(old)), sorted(set(old) - set(new))
    changed: dict[str, list[str]] = {}
    for identity in sorted(set(new) & set(old)):
        one, other = new[identity], old[identity]
        if fields := sorted(n for n in {**one, **other} if one.get(n) != other.get(n)):
            changed[identity] = fields
    tracks = {}
    for track, reads in READS.items():
        touched = [identity for identity, fields in changed.items() if reads & set(fields)]
        whole = bool(old) and not (added or removed or touched)
        tracks[track] = {"whole_set": whole, "not_comparable": touched}
    return {"added": added, "removed": removed, "changed": changed, "comparable": tracks}


def release(
    data: DataSet, to: Path, version: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> dict[str, Any]:  # fmt: skip
    """Write the set as one zip file with checksums, card and change list. Returns the change list.

    Raises `DataError` when a sample may not leave, `UsageError` for a version that is none or is
    there already, or a file in use, and `OSError` or `EditgaugeError` where the file or the set
    cannot be written: then there is no file, and no release is noted.
    """
    past = releases(data)
    last = str(past[-1]["version"]) if past else ""
    if not _VERSION.fullmatch(version):
        raise UsageError(f"version {version!r}: wanted three numbers: 1.2.0")
    if past and _order(version) <= _order(last):
        raise UsageError(f"version {version}: the last one is {last}")
    if os.path.lexists(to):
        raise UsageError(f"{to}: there is something already; name a new file")
    records, _ = leaving(data, ready_only=ready_only, engine=engine)
    new = {record.id: published(record) for record in records}
    told = {"version": version, "since": last or None}
    told |= changes(past[-1]["samples"] if past else None, new)
    about = msgspec.structs.replace(data.about, version=version)
    try:
        write_bytes(to, _zipped(_files(data, about, records, told)), sync=True)
        with data.log.transaction():
            data.note(who, "released", version=version, samples=new)
            data.describe(who, version=version)
    except (OSError, EditgaugeError):
        to.unlink(missing_ok=True)
        raise
    return told


def releases(data: DataSet) -> list[dict[str, Any]]:
    """The releases so far, oldest first: version and published records."""
    return [dict(event.after) for event in data.events() if event.what == "released"]


def _files(
    data: DataSet, about: About, records: Sequence[Record], told: Mapping[str, Any]
) -> dict[str, bytes]:
    made = {path: bare_file(data, path) for record in records for path in record.files}
    made |= {
        DATASET: orjson.dumps(about.as_dict(), option=_INDENT),
        SAMPLES: written(published(record) for record in records),
        CHANGES: orjson.dumps(told, option=_INDENT),
        "README.md": card.card(data, records, version=about.version).encode(),
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


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]

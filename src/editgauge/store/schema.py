"""The tables of a run, and the records in them.

::

    facts(name, value)                        format, generation of the rows, records of each table
    entries(command, at, facts)               what was done: one record a command
    samples(benchmark, sample, place, facts)    what a reader needs to know of each sample
    metrics(benchmark, metric, facts)         direction, range and heading of metrics with rows
    series(benchmark, editor, scorer, metric, variant, source, rows)
    origins(facts)                            what made a row: versions, hashes
    rows(series, sample, repeat, value, …)    the scores; `value` is Inf for an infinite PSNR
    edits(sample, editor, status, path, …)    the outputs

Which row counts is its primary key. Every record ends in `mark`, a CRC-32 of its other columns, and
`series.rows` and `facts` count the records: what is damaged or gone is noticed. No path is
absolute.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import platform
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypedDict

import msgspec

from editgauge import __version__
from editgauge.store import paths, records
from editgauge.store.records import plain
from editgauge.types import VARIANTS, Edit, Row, Sample, Status

FORMAT = "3"
_STATUSES = {status.value for status in Status}
_VARIANTS = ", ".join(f"'{variant}'" for variant in VARIANTS)
SCHEMA = (
    "CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL, mark INTEGER) WITHOUT ROWID",
    "CREATE TABLE entries(id INTEGER PRIMARY KEY, command TEXT, at TEXT, facts TEXT, mark INTEGER)",
    """CREATE TABLE samples(id INTEGER PRIMARY KEY, benchmark TEXT NOT NULL, sample TEXT NOT NULL,
        place INTEGER, facts TEXT, mark INTEGER, UNIQUE(benchmark, sample))""",
    """CREATE TABLE metrics(id INTEGER PRIMARY KEY, benchmark TEXT NOT NULL, metric TEXT NOT NULL,
        facts TEXT, mark INTEGER, UNIQUE(benchmark, metric))""",
    f"""CREATE TABLE series(id INTEGER PRIMARY KEY, benchmark TEXT NOT NULL, editor TEXT NOT NULL,
        scorer TEXT NOT NULL, metric TEXT NOT NULL,
        variant TEXT NOT NULL CHECK(variant IN ({_VARIANTS})), source TEXT NOT NULL,
        rows INTEGER NOT NULL, mark INTEGER,
        UNIQUE(benchmark, editor, scorer, metric, variant, source))""",
    "CREATE TABLE origins(id INTEGER PRIMARY KEY, facts TEXT UNIQUE, mark INTEGER)",
    """CREATE TABLE rows(series INTEGER, sample INTEGER, repeat INTEGER CHECK(repeat >= 0),
        value REAL, status TEXT NOT NULL, reason TEXT NOT NULL,
        fingerprint NOT NULL, detail TEXT NOT NULL, origin INTEGER, mark INTEGER,
        PRIMARY KEY(series, sample, repeat),
        CHECK((value IS NOT NULL) = (status = 'scored'))) WITHOUT ROWID""",
    """CREATE TABLE edits(sample INTEGER, editor TEXT,
        status TEXT NOT NULL, path TEXT, fingerprint TEXT NOT NULL,
        facts TEXT, mark INTEGER, PRIMARY KEY(sample, editor)) WITHOUT ROWID""",
)
COUNTED = ("entries", "samples", "metrics", "series", "origins", "edits")
"""The tables whose number of records is a fact."""
ROW_COLUMNS = "series, sample, repeat, value, status, reason, fingerprint, detail, origin, mark"
KEY_COLUMNS = ("benchmark", "sample", "editor", "scorer", "metric", "variant", "source", "repeat")
RowKey = tuple[str, str, str, str, str, str, str, int]
"""What `types.Row.key` is."""
RowRecord = tuple[int, int, int, float | None, str, str, bytes | str, str, int, int]
"""A row as the table has it: `ROW_COLUMNS`."""

_numbers = struct.Struct("<qqqqd").pack
_FINGERPRINT = 32
_HALF = 1 << 31


class Series(NamedTuple):
    """Rows that differ by sample and repeat alone."""

    id: int
    benchmark: str
    editor: str
    scorer: str
    metric: str
    variant: str
    source: str
    rows: int


def row_record(row: Row, series: int, sample: int, origin: int) -> RowRecord:
    """A row as the table has it."""
    detail = dict(row.detail)
    infinite = detail.pop("infinite", None) is True and row.status is Status.SCORED
    value = math.inf if infinite else row.value
    text = records.json(detail) if detail else ""
    mark = packed(row.fingerprint)
    record = (
        series, sample, row.repeat, value, row.status.value, plain(row.reason), mark, text, origin,
    )  # fmt: skip
    return (*record, row_mark(record))


def row_mark(record: Sequence[Any]) -> int:
    """The checksum of a row, of its other columns. Raises `struct.error`, `TypeError` or
    `ValueError` where a column holds what no row has.
    """
    series, sample, repeat, value, status, reason, fingerprint, detail, origin = record
    numbers = _numbers(series, sample, repeat, origin, math.nan if value is None else value)
    if isinstance(fingerprint, str):
        fingerprint = b"\1" + fingerprint.encode()
    text = f"{status}\0{reason}\0{detail}".encode()
    mark = zlib.crc32(text, zlib.crc32(fingerprint, zlib.crc32(numbers)))
    return mark - _HALF  # SQLite has four bytes for it


def row_stands(record: Sequence[Any]) -> bool:
    """Whether a row that was read is what was written."""
    try:
        return bool(row_mark(record[:9]) == record[9]) and record[4] in _STATUSES
    except (struct.error, TypeError, ValueError, AttributeError):
        return False


def packed(fingerprint: str) -> bytes | str:
    """A fingerprint as it is stored: 16 bytes where it is a `digest`."""
    if len(fingerprint) == _FINGERPRINT:
        try:
            data = bytes.fromhex(fingerprint)
        except ValueError:
            return plain(fingerprint)
        if data.hex() == fingerprint:
            return data
    return plain(fingerprint)


def unpacked(fingerprint: bytes | str) -> str:
    """What was `packed`."""
    return fingerprint.hex() if isinstance(fingerprint, bytes) else fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRecord:
    """One output as the run knows it. `path` is relative to the run folder, with ``/``; None when
    there is none.
    """

    benchmark: str
    sample: str
    editor: str
    status: Status
    path: str | None = None
    reason: str = ""
    fingerprint: str = ""
    width: int | None = None
    height: int | None = None
    seed: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seconds: float | None = None
    cost: float | None = None
    instruction: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    given_back: bool | None = None
    """Whether the output is an input handed back (`store.outputs.given_back`); None where that is
    not known.
    """

    def edit(self, run: Path) -> Edit:
        """The record as an `Edit` whose path is below the given run folder. A picture that may not
        be opened (`paths.fault`: a link, a pipe) makes it one that cannot be read.
        """
        path, status, reason = None, self.status, self.reason
        if self.path:
            why = paths.fault(run, self.path, "edits")
            if why is None or why == "not there":
                path = run / self.path
            else:
                status, reason = Status.UNREADABLE, f"{self.path}: {why}; it is not opened"
        same = {name: getattr(self, name) for name in _EDIT_SAME}
        return Edit(**same, path=path, status=status, reason=reason)


_EDIT_SAME = tuple(
    name for name in Edit.__dataclass_fields__ if name not in ("path", "status", "reason")
)
_EDIT_FACTS = tuple(
    name
    for name in EditRecord.__dataclass_fields__
    if name not in ("benchmark", "sample", "editor", "status", "path", "fingerprint")
)


def edit_facts(record: EditRecord) -> str:
    """What an edit's column of facts holds: what is not a column of its own, and says anything."""
    facts = {name: getattr(record, name) for name in _EDIT_FACTS}
    return records.json({name: v for name, v in facts.items() if v not in (None, "", {})})


def edit_record(
    benchmark: str, sample: str, editor: str, columns: tuple[Any, ...]
) -> EditRecord | str:
    """An edit of its columns status, path, fingerprint and facts; in words what is wrong with it
    where it is none, or its picture does not lie in the room of its benchmark and editor.
    """
    status, path, fingerprint, facts = columns
    try:
        known = {**records.parsed(facts), "status": status, "path": path}
        known |= {"benchmark": benchmark, "sample": sample, "editor": editor}
        record = msgspec.convert({**known, "fingerprint": fingerprint}, EditRecord)
    except (ValueError, msgspec.ValidationError) as error:
        return f"the output of {editor} for {sample!r}: {error}"
    if path is None:
        lacks = record.status is Status.SCORED
        return f"the output of {editor} for {sample!r} names no picture" if lacks else record
    why = paths.misplaced(path, f"edits/{benchmark}/{editor}")
    return f"path {str(path)[:80]!r}: {why}" if why else record


_TEXTS = (
    "split", "instruction", "source_text", "target_text", "caption", "knowledge", "change",
    "concept", "rephrased",
)  # fmt: skip
_Some = msgspec.Meta(max_length=64)
_Text = str | None


class FindingRecord(TypedDict):
    """A finding (`types.Finding`) of a sample."""

    kind: str
    file: str
    found: str
    assumed: str
    repaired: bool
    part: str


class SampleRecord(TypedDict, total=False):
    """What a run says of a sample, as JSON. Pictures are named by their paths in the run; None: it
    does not keep that one. `marks`: path -> hash of each picture that is kept.
    """

    benchmark: str
    id: str
    category: Annotated[list[str], _Some]
    images: Annotated[list[_Text], _Some]
    reference: _Text
    has_reference: bool
    masks: Annotated[dict[str, _Text], _Some]
    split: _Text
    instruction: _Text
    source_text: _Text
    target_text: _Text
    caption: _Text
    knowledge: _Text
    change: _Text
    concept: _Text
    rephrased: _Text
    attributes: Annotated[dict[str, str | int | float | bool | None], msgspec.Meta(max_length=256)]
    findings: Annotated[list[FindingRecord], _Some]
    marks: Annotated[dict[str, str], msgspec.Meta(max_length=256)]


def sample_record(sample: Sample, place: Mapping[Path, str]) -> dict[str, Any]:
    """A sample as JSON for the run's index. `place` maps each picture to its path in the run;
    others become None.
    """
    return {
        "benchmark": sample.benchmark,
        "id": sample.id,
        "category": list(sample.category),
        "images": [place.get(path) for path in sample.images],
        "reference": place.get(sample.reference) if sample.reference else None,
        "has_reference": sample.reference is not None,
        "masks": {name: place.get(path) for name, path in sample.masks.items()},
        **{name: getattr(sample, name) for name in _TEXTS},
        "attributes": dict(sample.attributes),
        "findings": [asdict(finding) for finding in sample.findings],
    }


def read_sample(
    benchmark: str, sample: str, facts: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, list[str]]:
    """The `SampleRecord` of its columns, which somebody may have written, and what was wrong with
    it: pictures that do not lie in the room of the benchmark's inputs are taken out; None for what
    is none.
    """
    try:
        told = {**facts, "benchmark": benchmark, "id": sample}
        record: dict[str, Any] = {**msgspec.convert(told, SampleRecord)}
    except msgspec.ValidationError as error:
        return None, [f"sample {sample[:80]!r}: {error}; left out"]
    said = []

    def place(path: str | None) -> str | None:
        why = None if path is None else paths.misplaced(path, f"inputs/{benchmark}")
        if why:
            told = f"samples of {benchmark}: picture {str(path)[:80]!r} of {sample[:80]!r}"
            said.append(f"{told}: {why}; left out")
        return None if why else path

    record["images"] = [place(path) for path in record.get("images", ())]
    record["reference"] = place(record.get("reference"))
    record["masks"] = {name: place(path) for name, path in record.get("masks", {}).items()}
    return record, said


def digest(*parts: Any) -> str:
    """Hash of JSON values, independent of the order of mappings: 32 hexadecimal digits."""
    return hashlib.blake2b(records.ordered(parts), digest_size=16).hexdigest()


_PACKAGES = ("numpy", "opencv-python-headless", "pillow", "orjson", "duckdb")


def versions(*more: str) -> dict[str, str]:
    """Versions of ourselves, Python, and the packages that numbers depend on (those that are
    installed).
    """
    known = {"editgauge": __version__, "python": platform.python_version()}
    for name in (*_PACKAGES, *more):
        with contextlib.suppress(PackageNotFoundError):
            known[name] = version(name)
    return known


def machine() -> dict[str, Any]:
    """What a run tells of the machine that it was made on."""
    return {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()}


def now() -> str:
    """The time in UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")

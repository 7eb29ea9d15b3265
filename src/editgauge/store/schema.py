"""A run's tables and records. The primary key is the row that counts; `value` is Inf for infinite
PSNR; `mark` is a CRC-32 of table and other columns. No path is absolute.
"""

from __future__ import annotations

import contextlib
import hashlib
import json as standard
import os
import platform
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import orjson

from editgauge import __version__
from editgauge.store import paths
from editgauge.types import VARIANTS, Edit, Finding, JsonMapping, JsonObject, Row, Sample, Status

FORMAT = "6"
_VARIANTS = ", ".join(f"'{variant}'" for variant in VARIANTS)
# facts: format, generation of the rows, mark of rows.parquet; entries: one a command; metrics:
# direction, range and heading; series: rows that differ by sample and repeat alone; origins: what
# made a row; counts: how many records a table (or a series of rows) has, and the sum of their
# marks: a page of an earlier day, or one in another's place, has sound records and is told by it
TABLES = ("facts", "entries", "samples", "metrics", "series", "origins", "edits")
"""All but `rows`, which are counted by series, and `counts`."""


def _counted(table: str, part: str) -> tuple[str, str]:
    """The triggers that keep the counts of a table: `part` is what a record counts for."""
    new, old = part.format("NEW"), part.format("OLD")
    added = f"""CREATE TRIGGER {table}_in AFTER INSERT ON {table} BEGIN
        INSERT INTO counts VALUES('{table}', {new}, 1, NEW.mark) ON CONFLICT(name, part)
        DO UPDATE SET records = records + 1, marks = marks + NEW.mark; END"""
    taken = f"""CREATE TRIGGER {table}_out AFTER DELETE ON {table} BEGIN
        UPDATE counts SET records = records - 1, marks = marks - OLD.mark
        WHERE name = '{table}' AND part = {old}; END"""
    return added, taken


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
        mark INTEGER, UNIQUE(benchmark, editor, scorer, metric, variant, source))""",
    "CREATE TABLE origins(id INTEGER PRIMARY KEY, facts TEXT UNIQUE, mark INTEGER)",
    """CREATE TABLE rows(series INTEGER, sample INTEGER, repeat INTEGER CHECK(repeat >= 0),
        value REAL, status TEXT NOT NULL, reason TEXT NOT NULL,
        fingerprint NOT NULL, detail TEXT NOT NULL, origin INTEGER, mark INTEGER,
        PRIMARY KEY(series, sample, repeat),
        CHECK((value IS NOT NULL) = (status = 'scored'))) WITHOUT ROWID""",
    """CREATE TABLE edits(sample INTEGER, editor TEXT,
        status TEXT NOT NULL, path TEXT, fingerprint TEXT NOT NULL,
        facts TEXT, mark INTEGER, PRIMARY KEY(sample, editor)) WITHOUT ROWID""",
    """CREATE TABLE counts(name TEXT, part INTEGER, records INTEGER NOT NULL,
        marks INTEGER NOT NULL, PRIMARY KEY(name, part)) WITHOUT ROWID""",
    *_counted("rows", "{}.series"),
    *(trigger for table in TABLES for trigger in _counted(table, "0")),
)
COUNTS = "SELECT records, marks FROM counts WHERE name = ? AND part = ?"
STATUS = {status.value: status for status in Status}
NO_RECORD = (ValueError, msgspec.ValidationError)
"""What reading a record raises that is none."""
RowKey = tuple[str, str, str, str, str, str, str, int]
"""What `types.Row.key` is."""
Record = tuple[Any, ...]
"""A line of a table; the last column is its mark."""

_HALF = 1 << 31
_DIGEST = re.compile("[0-9a-f]{32}")


def _mark(table: str, columns: Sequence[object]) -> int:
    return zlib.crc32(repr((table, *columns)).encode()) - _HALF  # SQLite has four bytes for it


def sealed(table: str, *columns: Any) -> tuple[Any, ...]:
    """A record of a table with its checksum."""
    return (*columns, _mark(table, columns))


def stands(table: str, record: Sequence[Any]) -> bool:
    """Whether a record that was read, its checksum last, is what was written into this table."""
    return bool(_mark(table, record[:-1]) == record[-1])


def all_stand(table: str, records: Iterable[Record]) -> bool:
    """Whether each of these is a record that `stands`."""
    crc, start = zlib.crc32, zlib.crc32(f"({table!r}, ".encode())
    return all(crc(repr(one[:-1]).encode()[1:], start) - _HALF == one[-1] for one in records)


def counted(records: Iterable[Sequence[Any]]) -> tuple[int, int]:
    """How many sound records there are, and the sum of their marks, as `counts` has them."""
    marks = [record[-1] for record in records]
    return len(marks), sum(marks)


def json(value: Any) -> str:
    """A value as JSON text. What JSON cannot hold comes from outside: it becomes text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    except TypeError:  # odd keys or kinds, a lone surrogate, an integer of more than 64 bits
        text = standard.dumps(value, default=str, skipkeys=True, ensure_ascii=False)
        return text.encode("utf-8", "replace").decode()


def parsed(text: Any) -> JsonObject:
    """The object in a column of JSON. Raises `ValueError` when it is none."""
    value = orjson.loads(text)
    if not isinstance(value, dict):
        raise ValueError("wanted an object")
    return value


def known(text: str | None) -> JsonObject:
    """The object in a column of JSON; {} for what is none (a run may come from anybody)."""
    try:
        return parsed(text or "{}")
    except ValueError:
        return {}


def plain(text: str) -> str:
    """`text` as UTF-8 can hold it: lone surrogates escaped."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def digest(*parts: Any) -> str:
    """Hash of JSON values, independent of the order of mappings: 32 hexadecimal digits."""
    try:
        text = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS, default=str)
    except TypeError:
        text = orjson.dumps(orjson.loads(json(parts)), option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(text, digest_size=16).hexdigest()


class Series(NamedTuple):
    """What rows share that differ by sample and repeat alone."""

    benchmark: str
    editor: str
    scorer: str
    metric: str
    variant: str
    source: str


def row_record(row: Row, series: int, sample: int, origin: int) -> Record:
    """A row as the table has it."""
    detail, number = row.detail, row.number
    if "infinite" in detail:
        detail = {name: value for name, value in detail.items() if name != "infinite"}
    value = None if number is None else float(number) + 0.0  # SQLite knows no -0.0
    columns = (
        series, sample, int(row.repeat), value, row.status.value, plain(row.reason),
        packed(row.fingerprint), json(dict(detail)) if detail else "", origin,
    )  # fmt: skip
    return (*columns, _mark("rows", columns))


def packed(fingerprint: str) -> bytes | str:
    """A fingerprint as it is stored: 16 bytes where it is a `digest`."""
    return bytes.fromhex(fingerprint) if _DIGEST.fullmatch(fingerprint) else plain(fingerprint)


def unpacked(fingerprint: bytes | str) -> str:
    """What was `packed`."""
    return fingerprint.hex() if isinstance(fingerprint, bytes) else fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRecord:
    """One output as the run knows it. `path` is relative to the run folder, with ``/``; None when
    there is none. `given_back`: whether it is an input handed back (`store.outputs.given_back`);
    None where that is not known.
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
    settings: JsonMapping = field(default_factory=dict)
    seconds: float | None = None
    cost: float | None = None
    instruction: str | None = None
    detail: JsonMapping = field(default_factory=dict)
    given_back: bool | None = None

    def edit(self, run: Path) -> Edit:
        """The record as an `Edit` whose path is below the given run folder. A picture that may not
        be opened (`paths.fault`: a link, a pipe) makes it one that cannot be read.
        """
        same = {name: getattr(self, name) for name in _EDIT_SAME}
        why = paths.fault(run, self.path, "edits") if self.path else None
        if why not in (None, "not there"):
            why = f"{self.path}: {why}; it is not opened"
            return Edit(**same | {"status": Status.UNREADABLE, "reason": why}, path=None)
        return Edit(**same, path=run / self.path if self.path else None)


_EDIT_SAME = {one.name for one in fields(Edit)} - {"path"}
_EDIT_FACTS = sorted(
    {one.name for one in fields(EditRecord)}
    - {"benchmark", "sample", "editor", "status", "path", "fingerprint"}
)


def edit_columns(record: EditRecord) -> tuple[str, str | None, str, str]:
    """An edit's columns status, path, fingerprint and facts: what else says anything."""
    facts = {name: getattr(record, name) for name in _EDIT_FACTS}
    text = json({name: value for name, value in facts.items() if value not in (None, "", {})})
    return record.status.value, record.path, record.fingerprint, text


def edit_record(benchmark: str, sample: str, editor: str, columns: Sequence[Any]) -> EditRecord:
    """An edit of its names and `edit_columns`. Raises `NO_RECORD` where they are none, or its
    picture does not lie in the room of its benchmark and editor.
    """
    status, path, fingerprint, facts = columns
    names = {"benchmark": benchmark, "sample": sample, "editor": editor}
    values = {**parsed(facts), **names, "status": status, "path": path, "fingerprint": fingerprint}
    record = msgspec.convert(values, EditRecord)
    if path is None and record.status is Status.SCORED:
        raise ValueError("names no picture")
    if path is not None and (why := paths.misplaced(path, f"edits/{benchmark}/{editor}")):
        raise ValueError(f"path {str(path)[:80]!r}: {why}")
    return record


TEXTS = ("source_text", "target_text", "caption", "knowledge", "change", "concept", "rephrased")
_SAMPLE_TEXTS = ("split", "instruction", *TEXTS)
SAMPLE_FACTS = ("category", "has_reference", *_SAMPLE_TEXTS)
"""What a data release says of a sample, but for its pictures and attributes."""
_texts_of = attrgetter(*_SAMPLE_TEXTS)
_TEXT = str | None
_SAMPLE = msgspec.defstruct(
    "SampleRecord",
    [
        *((name, _TEXT, None) for name in ("split", "instruction", "reference", *TEXTS)),
        ("category", list[str], []),
        ("images", list[_TEXT], []),
        ("has_reference", bool, False),
        ("masks", dict[str, _TEXT], {}),
        ("attributes", dict[str, str | int | float | bool | None], {}),
        ("findings", list[Finding], []),
        ("marks", dict[str, str], {}),
    ],
)
"""What a run says of a sample, as JSON. Pictures are named by their paths in the run; None: it does
not keep that one. `marks`: path -> hash of each picture that is kept.
"""


def sample_text(there: str, record: JsonMapping) -> str:
    """A sample's record as the run's index has it: what is `there`, completed."""
    rest = {name: value for name, value in record.items() if name not in ("id", "benchmark")}
    text = json(rest)
    return there if not rest or text == there else json({**known(there), **rest})


def sample_record(sample: Sample, place: Mapping[str, str]) -> JsonObject:
    """A sample as JSON for the index. `place`: picture -> path in the run; others are None."""
    return {
        "benchmark": sample.benchmark,
        "id": sample.id,
        "category": list(sample.category),
        **places(sample, place),
        "has_reference": sample.reference is not None,
        **dict(zip(_SAMPLE_TEXTS, _texts_of(sample), strict=True)),
        "attributes": dict(sample.attributes),
        "findings": [asdict(finding) for finding in sample.findings] if sample.findings else [],
    }


def places(sample: Sample, place: Mapping[str, str]) -> JsonObject:
    """The pictures of a `sample_record`."""
    masks = sample.masks
    return {
        "images": [place.get(str(path)) for path in sample.images],
        "reference": place.get(str(sample.reference)) if sample.reference else None,
        "masks": {name: place.get(str(masks[name])) for name in masks} if masks else {},
    }


def read_sample(benchmark: str, sample: str, facts: str) -> JsonObject:
    """The `sample_record` of its columns. Raises `NO_RECORD` where they are none, or name a picture
    that does not lie in the room of the benchmark's inputs.
    """
    record = {"images": [], "reference": None, "masks": {}, **parsed(facts)}
    msgspec.convert(record, _SAMPLE)
    for path in pictures_of(record):
        if why := paths.misplaced(path, f"inputs/{benchmark}"):
            raise ValueError(f"picture {path[:80]!r}: {why}")
    return {**record, "benchmark": benchmark, "id": sample}


def pictures_of(record: JsonMapping) -> list[str]:
    """The paths of the pictures that a run keeps of a sample."""
    return [p for p in (*record["images"], record["reference"], *record["masks"].values()) if p]


def versions(*more: str) -> dict[str, str]:
    """Versions of ourselves, Python, and the installed packages that numbers depend on."""
    from importlib import metadata  # 10 ms, which a table does not wait for

    packages = {"editgauge": __version__, "python": platform.python_version()}
    for name in ("numpy", "opencv-python-headless", "pillow", "orjson", "duckdb", *more):
        with contextlib.suppress(metadata.PackageNotFoundError):
            packages[name] = metadata.version(name)
    return packages


def machine() -> JsonObject:
    """What a run tells of the machine that it was made on."""
    return {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()}


def now() -> str:
    """The time in UTC, to the second, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")

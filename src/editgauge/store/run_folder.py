"""The run folder: rows, edits, the index of samples, the manifest. All that is needed to read a
result again.

::

    RUN/manifest.json            what, when, with which versions; one entry a command
    RUN/samples/<benchmark>.jsonl  what a reader needs to know of each sample; paths relative to RUN
    RUN/inputs/<benchmark>/…     the pictures of the samples (hard links where possible, else copies)
    RUN/edits/<benchmark>/<editor>/…  outputs in the benchmark's own layout
    RUN/rows/segments/*.jsonl    rows, append-only, one segment a writer
    RUN/rows/edits/*.jsonl       edit records, likewise
    RUN/rows/parquet/*.parquet   the current rows, made from the segments for reading
    RUN/replies/                 judges' raw replies
    RUN/cache/                   may be deleted at any time

No file of a run holds an absolute path. Two rows with one key and one fingerprint must agree, or
reading reports it: a row is never silently overwritten. A row of an output that has changed since
is *retired* by a record that says so.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import orjson

from editgauge import __version__
from editgauge.errors import RunError
from editgauge.images import write_bytes
from editgauge.store import paths, segments
from editgauge.types import Edit, Row, Sample, Status, Variant

FORMAT = 1
RowKey = tuple[str, str, str, str, str, str, str, int]
KEY_COLUMNS = ("benchmark", "sample", "editor", "scorer", "metric", "variant", "source", "repeat")
_PACKAGES = ("numpy", "opencv-python-headless", "pillow", "orjson", "duckdb")


@dataclass(frozen=True, slots=True)
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
        """The record as an `Edit` whose path is below the given run folder."""
        return Edit(
            self.sample,
            self.editor,
            run / self.path if self.path else None,
            self.status,
            self.reason,
            self.width,
            self.height,
            self.seed,
            self.settings,
            self.seconds,
            self.cost,
            self.instruction,
            self.detail,
        )


class RowWriter:
    """Writes rows (and retirements) to a segment of its own. A context manager; raises `RunError`
    as its segment.
    """

    def __init__(self, folder: Path, label: str) -> None:
        self._segment = segments.SegmentWriter(folder, label)

    def write(self, rows: Iterable[Row]) -> int:
        """Append rows in one piece; return how many."""
        return self._segment.write(_shallow(row) for row in rows)

    def retire(self, old: Iterable[tuple[RowKey, str]]) -> int:
        """Say that the rows with these keys and fingerprints no longer count: what they were made
        from has changed.
        """
        return self._segment.write(
            {**dict(zip(KEY_COLUMNS, key, strict=True)), "fingerprint": mark, "retired": True}
            for key, mark in old
        )

    def close(self) -> None:
        self._segment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()


class RunFolder:
    """One run on disk. `problems` collects, in words, what was found damaged or contradictory while
    reading.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []

    # -- opening -----------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open a run, or make a new one in a folder that is empty or not there.

        Raises `RunError` when the folder cannot be written or holds something that is not a run.
        """
        path = path.resolve()
        if (path / "manifest.json").exists():
            return cls.open(path)
        try:
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise RunError(
                    f"{path}: not empty, and not a run (no manifest.json); name another folder"
                )
            path.mkdir(parents=True, exist_ok=True)
            run = cls(path)
            run._write_manifest(
                {"format": FORMAT, "editgauge": __version__, "created": _now(), "entries": []}
            )
        except OSError as error:
            raise RunError(
                f"{path}: the run folder cannot be written ({error.strerror}); check its rights or "
                f"name another folder"
            ) from error
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing run and repair the torn last lines of killed writers.

        Raises `RunError` when there is no run, or one of a format that this version does not know.
        """
        path = path.resolve()
        run = cls(path)
        manifest = run.manifest()
        if manifest.get("format") != FORMAT:
            raise RunError(
                f"{path}: run format {manifest.get('format')!r}, this version reads {FORMAT}; "
                f"use the editgauge that wrote it ({manifest.get('editgauge', 'unknown')})"
            )
        for folder in (run.path / "rows" / "segments", run.path / "rows" / "edits"):
            run.problems += segments.repair(folder)
        return run

    # -- places ------------------------------------------------------------------------------------

    @property
    def cache_folder(self) -> Path:
        return self.path / "cache"

    @property
    def replies_path(self) -> Path:
        return self.path / "replies" / "replies.sqlite"

    def edits_folder(self, benchmark: str, editor: str) -> Path:
        """Where the outputs of an editor lie. Raises `RunError` for a name that is no plain folder
        name.
        """
        return self.path / "edits" / plain_name(benchmark) / plain_name(editor)

    # -- manifest ----------------------------------------------------------------------------------

    def manifest(self) -> dict[str, Any]:
        path = self.path / "manifest.json"
        try:
            manifest = orjson.loads(path.read_bytes())
        except FileNotFoundError:
            raise RunError(
                f"{self.path}: not a run folder (no manifest.json); "
                f"make one with: editgauge score … --run {self.path.name}"
            ) from None
        except (OSError, orjson.JSONDecodeError) as error:
            raise RunError(
                f"{path}: cannot be read ({error}); restore it or start a new run"
            ) from error
        if not isinstance(manifest, dict) or not isinstance(manifest.get("entries", []), list):
            found = (
                "entries that are no list"
                if isinstance(manifest, dict)
                else type(manifest).__name__
            )
            raise RunError(
                f"{path}: wanted an object with a list of entries, found {found}; restore it or "
                f"start a new run"
            )
        return manifest

    def record(self, command: str, **facts: Any) -> None:
        """Add an entry to the manifest: command, time, versions, platform, and `facts` (JSON
        values).

        Of a fact that is an absolute path only the last name is kept: a run folder is read on other
        machines.
        """
        entry = {
            "command": command,
            "at": _now(),
            "versions": versions(),
            "platform": _platform(),
            **paths.facts(facts),
        }
        with self._locked():
            manifest = self.manifest()
            manifest.setdefault("entries", []).append(entry)
            self._write_manifest(manifest)

    # -- rows --------------------------------------------------------------------------------------

    def writer(self, label: str = "rows") -> RowWriter:
        return RowWriter(self.path / "rows" / "segments", label)

    def parquet(self) -> list[Path]:
        """The Parquet files of the current rows, brought up to date; an empty list when no row was
        ever written.
        """
        from editgauge.store import parquet

        return parquet.parquet(self.path, self.problems)

    def rows(self) -> list[Row]:
        """All current rows, ordered by key."""
        from editgauge.store import parquet

        found = parquet.fetch(
            self.parquet(), f"SELECT * FROM rows ORDER BY {', '.join(KEY_COLUMNS)}, fingerprint"
        )
        return [
            Row(
                **{
                    k: record[k]
                    for k in (
                        *KEY_COLUMNS[:5],
                        "value",
                        "reason",
                        "fingerprint",
                        "source",
                        "repeat",
                    )
                },
                variant=cast(Variant, record["variant"]),
                status=Status(record["status"]),
                detail=orjson.loads(record["detail"]),
                origin=orjson.loads(record["origin"]),
            )
            for record in found
        ]

    def done(
        self, benchmark: str, scorers: Sequence[str] | None = None
    ) -> dict[RowKey, dict[str, Status]]:
        """What has been scored: row key -> {fingerprint: status}, of one benchmark (and only of
        these scorers).
        """
        from editgauge.store import parquet

        clause = "" if scorers is None else f"AND scorer IN ({', '.join(['?'] * len(scorers))})"
        if scorers is not None and not scorers:
            return {}
        found = parquet.fetch_tuples(
            self.parquet(),
            f"SELECT {', '.join(KEY_COLUMNS)}, fingerprint, status FROM rows WHERE benchmark = ? "
            f"{clause}",
            [benchmark, *(scorers or [])],
        )
        known: dict[RowKey, dict[str, Status]] = {}
        for *key, mark, status in found:
            known.setdefault(cast(RowKey, tuple(key)), {})[mark] = Status(status)
        return known

    def reasons(self, benchmark: str) -> list[tuple[str, str, str, int]]:
        """Why rows have no score: (scorer, status, reason, how many), the commonest first;
        not_applicable left out.
        """
        from editgauge.store import parquet

        found = parquet.fetch_tuples(
            self.parquet(),
            "SELECT scorer, status, reason, count(*) FROM rows WHERE benchmark = ? "
            "AND status NOT IN ('scored', 'not_applicable') GROUP BY ALL ORDER BY 4 DESC, 1, 2, 3 "
            "LIMIT 20",
            [benchmark],
        )
        return [(str(a), str(b), str(c), int(n)) for a, b, c, n in found]

    # -- edits -------------------------------------------------------------------------------------

    def write_edits(self, records: Iterable[EditRecord], writer: segments.SegmentWriter) -> int:
        return writer.write(_shallow(record) for record in records)

    def edit_writer(self, label: str = "edits") -> segments.SegmentWriter:
        return segments.SegmentWriter(self.path / "rows" / "edits", label)

    def edits(self, benchmark: str | None = None) -> list[EditRecord]:
        """The newest record of each (benchmark, sample, editor), ordered by these."""
        newest: dict[tuple[str, str, str], dict[str, Any]] = {}
        for path in segments.segments(self.path / "rows" / "edits"):
            for record in segments.read(path, self.problems):
                key = (record["benchmark"], record["sample"], record["editor"])
                if (benchmark is None or key[0] == benchmark) and newest.get(key, {"at": 0})[
                    "at"
                ] <= record["at"]:
                    newest[key] = record
        return [
            EditRecord(
                **{k: v for k, v in newest[key].items() if k != "at"}
                | {"status": Status(newest[key]["status"])}
            )
            for key in sorted(newest)
        ]

    # -- samples -----------------------------------------------------------------------------------

    def write_samples(self, benchmark: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Keep what a reader needs to know of samples; records of ids that are there already are
        replaced.
        """
        path = self.path / "samples" / f"{plain_name(benchmark)}.jsonl"
        with self._locked():
            merged = {record["id"]: record for record in self.samples(benchmark)}
            for record in records:
                merged[record["id"]] = {**merged.get(record["id"], {}), **record}
            data = b"".join(orjson.dumps(record) + b"\n" for record in merged.values())
            if not path.exists() or path.read_bytes() != data:
                write_bytes(path, data)

    def samples(self, benchmark: str) -> list[dict[str, Any]]:
        """The records of a benchmark's samples in the benchmark's order: see `sample_record`."""
        path = self.path / "samples" / f"{plain_name(benchmark)}.jsonl"
        if not path.exists():
            return []
        return list(segments.read(path, self.problems))

    def benchmarks(self) -> list[str]:
        """The benchmarks that have samples in this run."""
        return sorted(path.stem for path in (self.path / "samples").glob("*.jsonl"))

    def keep(self, file: Path, place: Path) -> Path:
        """Keep a file in the run at `place` (relative): a hard link where the file system allows,
        else a copy.

        What is there already is replaced when it is another file. Returns the path in the run.
        """
        target = self.path / place
        with contextlib.suppress(FileNotFoundError):
            there, wanted = target.stat(), file.stat()
            if os.path.samestat(there, wanted) or (
                (there.st_size, there.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns)
                and there.st_nlink == 1
            ):
                return target
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".tmp-", dir=target.parent)
        os.close(handle)
        os.unlink(temporary)
        source = os.path.realpath(file)  # a hard link to a link would lead nowhere elsewhere
        try:
            try:
                os.link(source, temporary)
            except OSError:  # another file system, or rights: a copy serves as well
                shutil.copy2(source, temporary)
            os.replace(temporary, target)
        except OSError as error:
            raise RunError(
                f"{target}: cannot be written ({error.strerror}); make room or rights and run the "
                f"same command again"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        return target

    # -- inside ------------------------------------------------------------------------------------

    def _write_manifest(self, manifest: Mapping[str, Any]) -> None:
        write_bytes(
            self.path / "manifest.json", orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n"
        )

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        """Hold the run's lock: two commands may change the manifest or the index of samples at
        once.
        """
        return segments.lock(self.path / ".lock")


def sample_record(sample: Sample, place: Mapping[Path, str]) -> dict[str, Any]:
    """A sample as JSON for the run's index. `place` maps each picture to its path in the run;
    others become None.
    """
    return {
        "benchmark": sample.benchmark,
        "id": sample.id,
        "split": sample.split,
        "category": list(sample.category),
        "instruction": sample.instruction,
        "images": [place.get(path) for path in sample.images],
        "reference": place.get(sample.reference) if sample.reference else None,
        "masks": {name: place.get(path) for name, path in sample.masks.items()},
        "source_text": sample.source_text,
        "target_text": sample.target_text,
        "caption": sample.caption,
        "knowledge": sample.knowledge,
        "change": sample.change,
        "concept": sample.concept,
        "rephrased": sample.rephrased,
        "attributes": dict(sample.attributes),
        "findings": [asdict(finding) for finding in sample.findings],
    }


def _shallow(record: Row | EditRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def plain_name(name: str) -> str:
    """`name` if it can be one folder's name on any system. Raises `RunError` otherwise."""
    bad = set('/\\:*?"<>|') | {chr(code) for code in range(32)}
    if not name or name.startswith(".") or len(name) > 120 or any(letter in bad for letter in name):
        raise RunError(
            f'name {name!r}: wanted 1 to 120 characters without / \\ : * ? " < > | and no leading '
            f"dot; rename it"
        )
    return name


def digest(*parts: Any) -> str:
    """Hash of JSON values, independent of the order of mappings: 32 hexadecimal digits."""
    data = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS, default=str)
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def versions(*more: str) -> dict[str, str]:
    """Versions of ourselves, Python, and the packages that numbers depend on (those that are
    installed).
    """
    found = {"editgauge": __version__, "python": platform.python_version()}
    for name in (*_PACKAGES, *more):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _platform() -> dict[str, Any]:
    return {"system": platform.system(), "machine": platform.machine(), "cores": os.cpu_count()}


def _now() -> str:
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds")

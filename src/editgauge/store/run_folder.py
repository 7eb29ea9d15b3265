"""The run folder: rows, edits, the index of samples, the manifest. All that is needed to read a
result again.

::

    RUN/manifest.json            what, when, with which versions; one entry a command
    RUN/metrics.json             direction, range and heading of every metric that has rows
    RUN/samples/<benchmark>.jsonl  what a reader needs to know of each sample; paths relative to RUN
    RUN/inputs/<benchmark>/…     the pictures of the samples: copies (reflinks where possible)
    RUN/edits/<benchmark>/<editor>/…  outputs in the benchmark's own layout
    RUN/rows/segments/*.jsonl    rows, append-only, one segment a writer
    RUN/rows/edits/*.jsonl       edit records, likewise
    RUN/rows/parquet/*.parquet   the current rows, made from the segments for reading
    RUN/replies/                 judges' raw replies
    RUN/tuning/<benchmark>/…     what `tune` trained on and tests on, weights, loss curves
    RUN/cache/                   may be deleted at any time
    RUN/.locks/ RUN/.tmp/        who is at work, and files that are not finished

No file of a run holds an absolute path. Two rows with one key and one fingerprint must agree, or
reading reports it: a row is never silently overwritten. A row of an output that has changed since
is *retired* by a record that says so.

A run folder may be damaged, or come from anybody. Every record carries a checksum and the id of its
run (`store.owner`), every path goes through the door of `store.paths`; what does not pass is left
out and named in `RunFolder.problems`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import time
import weakref
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import orjson

from editgauge import __version__
from editgauge.errors import RunError, UsageError
from editgauge.images import MAX_FILE_BYTES
from editgauge.json_text import uncrowded
from editgauge.store import copies, described, lease, owner, paths, records, segments
from editgauge.store.addresses import address_of
from editgauge.types import Edit, Metric, Row, Sample, Status, Variant

if TYPE_CHECKING:
    from editgauge.store.hashes import HashStore

FORMAT = 1
Found = TypeVar("Found")
RowKey = tuple[str, str, str, str, str, str, str, int]
KEY_COLUMNS = ("benchmark", "sample", "editor", "scorer", "metric", "variant", "source", "repeat")
ROW_SEGMENTS, EDIT_SEGMENTS = "rows/segments", "rows/edits"
_ROOMS = (
    "rows",
    ROW_SEGMENTS,
    EDIT_SEGMENTS,
    "samples",
    "inputs",
    "edits",
    "replies",
    "reply-parts",
    "cache",
    "tuning",
    "study",
    lease.FOLDER,
    lease.TEMPORARY,
)
_PACKAGES = ("numpy", "opencv-python-headless", "pillow", "orjson", "duckdb")


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
        return Edit(
            sample=self.sample,
            editor=self.editor,
            path=path,
            status=status,
            reason=reason,
            width=self.width,
            height=self.height,
            seed=self.seed,
            settings=self.settings,
            seconds=self.seconds,
            cost=self.cost,
            instruction=self.instruction,
            detail=self.detail,
        )


class RowWriter:
    """Writes rows (and retirements) to a segment of its own. A context manager; raises `RunError`
    as its segment.
    """

    def __init__(self, segment: segments.SegmentWriter) -> None:
        self._segment = segment

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
        self._parquet: Any = None
        self._samples: dict[str, int] = {}
        self._opened = False
        self._owner: tuple[tuple[int, ...], owner.Owner] | None = None
        self._temporary = contextlib.ExitStack()
        self._scratch: Path | None = None
        weakref.finalize(self, _close_own, os.getpid(), self._temporary)

    # -- opening -----------------------------------------------------------------------------------

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open a run, or make a new one in a folder that is empty or not there.

        Raises `RunError` when the folder cannot be written or holds something that is not a run.
        """
        path = _real(path)
        if os.path.lexists(path / "manifest.json"):
            run = cls.open(path)
            for place in ("cache", "replies"):
                paths.only_files(path, place)
            # where it cannot be written, whoever writes says so
            with contextlib.suppress(RunError):
                run.own_id()
            return run
        try:
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise RunError(
                    f"{path}: not empty, and not a run (no manifest.json); name another folder"
                )
            path.mkdir(parents=True, exist_ok=True)
            run = cls(path)
            begun = {"format": FORMAT, "editgauge": __version__, "created": _now(), "entries": []}
            run._write_manifest({**begun, **owner.written([owner.new_id()], [])})
        except OSError as error:
            raise RunError(
                f"{path}: the run folder cannot be written ({error.strerror}); check its rights or "
                f"name another folder"
            ) from error
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing run, repair the torn last lines of killed writers, and remove the
        temporary files that they left.

        Raises `RunError` when there is no run, one of a format that this version does not know, or
        one with a link where a folder of its own belongs.
        """
        path = _real(path)
        run = cls(path)
        manifest = run.manifest()
        if manifest.get("format") != FORMAT:
            raise RunError(
                f"{path}: run format {manifest.get('format')!r}, this version reads {FORMAT}; "
                f"use the editgauge that wrote it ({manifest.get('editgauge', 'unknown')})"
            )
        paths.no_links(path, _ROOMS)
        if os.path.lexists(run.replies_path):
            for suffix in ("", "-wal", "-shm", "-journal"):
                _refuse_odd(Path(f"{run.replies_path}{suffix}"))
        for place in (ROW_SEGMENTS, EDIT_SEGMENTS):
            run.problems += segments.repair(path, place)
        run._say_what_is_gone(manifest)
        lease.sweep(path)
        run._opened = True
        return run

    @classmethod
    def adopt(cls, path: Path, manifest: Mapping[str, Any]) -> Self:
        """A run whose manifest came from elsewhere (see `store.remote_run`); it is written down."""
        run = cls(_real(path))
        with run.locked():
            run._write_manifest(manifest)
        return run

    def _say_what_is_gone(self, manifest: Mapping[str, Any]) -> None:
        """Compare the segments with what the manifest says there were when a command last ended."""
        if not _is_sound(manifest):
            self._note(
                "manifest.json: changed by hand or damaged (its checksum does not fit); until a "
                "command has written it anew, files of other runs are not told from this one's"
            )
        counts = manifest.get("samples")
        for benchmark, count in counts.items() if isinstance(counts, Mapping) else ():
            place = f"samples/{benchmark}{segments.SUFFIX}"
            if isinstance(count, int) and not paths.misplaced(place, "samples"):
                self._samples[benchmark] = count
                if count and not os.path.lexists(self.path / place):
                    self._note(f"{place}: gone; `editgauge score` writes it again")
        if manifest.get("described") and not os.path.lexists(self.path / "metrics.json"):
            self._note("metrics.json: gone; `editgauge score` writes it again")
        ledger = manifest.get("segments")
        for name, size in ledger.items() if isinstance(ledger, Mapping) else ():
            if not isinstance(size, int) or paths.misplaced(name, "rows"):
                continue
            if not self._has_here(name):
                continue
            try:
                there = os.lstat(self.path / name).st_size
            except OSError:
                there = 0
            if there < size:
                self._note(
                    f"{name.removeprefix('rows/')}: {there} bytes, there were {size}: lines at its "
                    f"end are gone; `editgauge score` makes their scores again"
                )

    def _has_here(self, name: str) -> bool:
        """Whether a segment must lie in this folder; `store.store_run` has rows elsewhere."""
        return True

    def _if_there(self, found: list[Found]) -> list[Found]:
        """What was found in the run. Raises `RunError` where that is nothing, because the run is
        gone since it was opened.
        """
        manifest = self.path / "manifest.json"
        if not found and self._opened and not os.path.lexists(manifest):
            raise paths.gone(manifest)
        return found

    def _note(self, text: str) -> None:
        segments.note(self.problems, text)

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
            manifest = orjson.loads(uncrowded(paths.read(path)))
        except FileNotFoundError:
            raise RunError(
                f"{self.path}: not a run folder (no manifest.json); "
                f"make one with: editgauge score … --run {self.path.name}"
            ) from None
        except (OSError, ValueError) as error:
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
        with self.locked():
            manifest = self._owned(self.manifest())
            manifest.setdefault("entries", []).append(entry)
            manifest["segments"] = self._segment_sizes()
            manifest["samples"] = self._sample_counts()
            manifest["described"] = self.described_benchmarks()
            self._write_manifest(manifest)

    # -- owner -------------------------------------------------------------------------------------

    def owner(self) -> owner.Owner:
        """Whose records are this run's. Read anew where the manifest has changed."""
        try:
            found = os.lstat(self.path / "manifest.json")
            key = (found.st_ino, found.st_size, found.st_mtime_ns)
            if self._owner is None or self._owner[0] != key:
                manifest = self.manifest()
                mine = owner.owner_of(manifest) if _is_sound(manifest) else owner.ANYONE
                self._owner = (key, mine)
            return self._owner[1]
        except (OSError, RunError):  # not a run yet, or no longer: whoever opens it says so
            return owner.ANYONE

    def own_id(self) -> str:
        """The id to write under. A run of an earlier version, and one whose manifest is damaged, is
        given its id first; raises `RunError` where that cannot be written.
        """
        manifest = self.manifest()
        if not _is_sound(manifest) or "ids" not in manifest or self.owner() == owner.ANYONE:
            with self.locked():
                self._write_manifest(self._owned(self.manifest()))
        mine = self.owner().ids
        if not mine:
            raise paths.gone(self.path / "manifest.json")
        return mine[0]

    def _owned(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """A manifest that says whose the run's records are. Of one that is damaged nothing is
        believed but what the segments say as well: else a flipped bit would lose all rows.
        """
        mine = owner.owner_of(manifest) if _is_sound(manifest) else owner.ANYONE
        if "ids" in manifest and mine.ids:
            return manifest
        ids, older = list(mine.ids), ["metrics.json"]
        for place in (ROW_SEGMENTS, EDIT_SEGMENTS, "samples"):
            for path in segments.segments(self.path / place):
                found = segments.ids(path)
                ids += [] if mine.ids else found
                older += [] if found else [f"{path.parent.name}/{path.name}"]
        return {**manifest, **owner.written(ids or [owner.new_id()], older)}

    # -- rows --------------------------------------------------------------------------------------

    def writer(self, label: str = "rows") -> RowWriter:
        return RowWriter(segments.SegmentWriter(self.path, ROW_SEGMENTS, label, self.own_id()))

    def parquet(self) -> list[Path | str]:
        """The Parquet files of the current rows, brought up to date; an empty list when no row was
        ever written. They stay as they are for as long as this object lives. Only a run that is
        read from its store (`store.store_run`) has one that is no path.
        """
        if self._parquet is None:
            from editgauge.store.parquet import Cache

            self._parquet = Cache(self.path)
            self._temporary.callback(self._parquet.close)
        return self._if_there(list(self._parquet.current(self.problems, self.owner())))

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
                detail=parquet.mapping(record["detail"]),
                origin=parquet.mapping(record["origin"]),
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
        """Why outputs have no score: (scorer, status, reason, how many outputs), the commonest
        first; not_applicable left out.
        """
        from editgauge.store import parquet

        found = parquet.fetch_tuples(
            self.parquet(),
            "SELECT scorer, status, reason, count(DISTINCT {'editor': editor, 'sample': sample}) "
            "FROM rows WHERE benchmark = ? "
            "AND status NOT IN ('scored', 'not_applicable') GROUP BY ALL ORDER BY 4 DESC, 1, 2, 3 "
            "LIMIT 20",
            [benchmark],
        )
        return [(str(a), str(b), str(c), int(n)) for a, b, c, n in found]

    def samples_by_status(
        self,
        benchmark: str,
        scorers: Iterable[str],
        *,
        among: Iterable[str],
        source: str = "",
        variant: str = "",
    ) -> dict[str, dict[str, int]]:
        """editor -> status -> how many of the samples `among` have a row of these scorers in that
        status. A sample with rows in several counts in each. Rows of whole sets are no samples'.
        `source`: only rows that this judge or engine made; `variant`: only rows of this one.
        """
        from editgauge.store import parquet

        wanted, kept = set(scorers), set(among)
        found: dict[str, dict[str, int]] = {}
        rows = parquet.fetch_tuples(
            self.parquet(),
            "SELECT DISTINCT editor, status, scorer, sample FROM rows WHERE benchmark = ? "
            "AND (? = '' OR source = ?) AND (? = '' OR variant = ?)",
            [benchmark, source, source, variant, variant],
        )
        outputs = {(e, s, sample) for e, s, scorer, sample in rows if scorer in wanted}
        for editor, status, sample in sorted(outputs):
            if sample in kept:
                counts = found.setdefault(str(editor), {})
                counts[str(status)] = counts.get(str(status), 0) + 1
        return found

    # -- edits -------------------------------------------------------------------------------------

    def write_edits(self, records: Iterable[EditRecord], writer: segments.SegmentWriter) -> int:
        return writer.write(_shallow(record) for record in records)

    def edit_writer(self, label: str = "edits") -> segments.SegmentWriter:
        return segments.SegmentWriter(self.path, EDIT_SEGMENTS, label, self.own_id())

    def edits(self, benchmark: str | None = None) -> list[EditRecord]:
        """The newest record of each (benchmark, sample, editor), ordered by these. A record that is
        damaged, or names a picture outside its room, is left out and named in `problems`.
        """
        newest: dict[tuple[str, str, str], tuple[tuple[int, int], EditRecord]] = {}
        once: dict[Any, Any] = {}
        mine = self.owner()
        for path in segments.segments(self.path / EDIT_SEGMENTS, problems=self.problems):
            for number, record in enumerate(segments.read(path, self.problems, mine), start=1):
                why = records.edit_fault(record)
                if why:
                    self._note(f"edits/{path.name}, record {number}: {why}; left out")
                    continue
                if benchmark is not None and record["benchmark"] != benchmark:
                    continue
                found, order = _edit_record(record, once), records.order(record)
                key = (found.benchmark, found.sample, found.editor)
                if key not in newest or newest[key][0] <= order:
                    newest[key] = (order, found)
        return self._if_there([newest[key][1] for key in sorted(newest)])

    # -- metrics -----------------------------------------------------------------------------------

    def keep_metrics(self, benchmark: str, metrics: Iterable[Metric]) -> None:
        """Keep what is said about metrics beside their rows, so that a reader needs to guess
        nothing. What is there of the same name is replaced.
        """
        path = self.path / "metrics.json"
        run = self.own_id()
        with self.locked():
            stored = self.described()
            mine = stored.setdefault(benchmark, {})
            mine.update({metric.name: described.record(metric) for metric in metrics})
            whole = {**stored, "run": run}
            whole |= {"check": _check(whole)}
            data = orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) + b"\n"
            if not path.exists() or path.read_bytes() != data:
                paths.write(self.path, path.name, data)

    def metrics(self, benchmark: str) -> dict[str, Metric]:
        """The metrics of a benchmark as the commands that wrote rows of them described them."""
        stored = self.described().get(benchmark, {})
        return {name: described.metric(name, record) for name, record in stored.items()}

    def adopt_metrics(self, stored: Mapping[str, Any]) -> None:
        """Keep descriptions of metrics as another copy of the run stored them; those that are there
        stay. Raises `RunError` for what is no such thing.
        """
        for benchmark, metrics in stored.items():
            if benchmark not in described.MARKS:
                mine = self.metrics(benchmark)
                given = {n: described.metric(n, one) for n, one in metrics.items()}
                self.keep_metrics(benchmark, ({**given, **mine}).values())

    def described_benchmarks(self) -> list[str]:
        """The benchmarks of which `metrics` knows any."""
        return sorted(self.described())

    def described(self) -> dict[str, dict[str, Any]]:
        """What is said about metrics: benchmark -> metric -> record. Raises `RunError` when it is
        damaged, or of another run.
        """
        path = self.path / "metrics.json"
        try:
            stored = orjson.loads(uncrowded(paths.read(path)))
            if isinstance(stored, dict):
                if stored.pop("check", None) not in (None, _check(stored)):
                    raise ValueError("damaged or changed by hand: its checksum does not fit")
                if why := self.owner().fault(path.name, owner.id_of(stored.pop("run", ""))):
                    raise ValueError(why)
            return described.checked(stored)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise RunError(
                f"{path}: cannot be read ({error}); restore it, or remove it and score again"
            ) from error

    # -- samples -----------------------------------------------------------------------------------

    def write_samples(self, benchmark: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Keep what a reader needs to know of samples; records of ids that are there already are
        replaced. Raises `RunError` for an id that is not text as UTF-8 can hold it.
        """
        place = f"samples/{plain_name(benchmark)}.jsonl"
        told = {plain_text(record["id"], "sample id"): record for record in records}
        writable = os.access(self.path, os.W_OK)
        run = self.own_id() if writable else "".join(self.owner().ids[:1])

        def merged() -> bytes | None:
            """What is to be there; None where it is."""
            every = {record["id"]: record for record in self.samples(benchmark)}
            every |= {one: {**every.get(one, {}), **record} for one, record in told.items()}
            data = b"".join(
                segments.marked({**record, "of": len(every)}, number, run)
                for number, record in enumerate(every.values())
            )
            there = paths.fault(self.path, place) is None
            return None if there and (self.path / place).read_bytes() == data else data

        if not writable and merged() is None:
            return
        with self.locked():
            data = merged()
            if data is not None:
                paths.write(self.path, place, data, sync=True)

    def samples(self, benchmark: str) -> list[dict[str, Any]]:
        """The records of a benchmark's samples in the benchmark's order: see `sample_record`. One
        that is damaged, and a picture outside ``inputs/<benchmark>``, are left out and named in
        `problems`.
        """
        name = f"{plain_name(benchmark)}.jsonl"
        path = self.path / "samples" / name
        if not os.path.lexists(path):
            return self._if_there([])
        found, wanted, lines = [], self._samples.get(benchmark, 0), 0
        for record in segments.read(path, self.problems, self.owner()):
            lines += 1
            record.pop("seq", None)
            of = record.pop("of", 0)
            wanted = max(wanted, of if isinstance(of, int) else 0)
            why = records.sample_fault(record, benchmark)
            if why:
                self._note(f"samples/{name}, record {lines}: {why}; left out")
                continue
            for text in records.cleared(record, benchmark):
                self._note(f"samples/{name}: {text}; left out")
            found.append(record)
        if lines < wanted:
            self._note(
                f"samples/{name}: {lines} of {wanted} samples can be read; `editgauge score` "
                f"writes them again"
            )
        return found

    def samples_mark(self, benchmark: str) -> str:
        """The hash of a benchmark's index of samples: equal where two runs say the same of them;
        "" where there is none.
        """
        path = self.path / "samples" / f"{plain_name(benchmark)}{segments.SUFFIX}"
        mark = hashlib.blake2b()
        problems: list[str] = []
        for line in segments.lines(path, problems, owner=self.owner(), parsed=False):
            mark.update(b"" if line.fault else segments.unmarked(line.data))
        return "" if problems else mark.hexdigest()

    def benchmarks(self) -> list[str]:
        """The benchmarks that have samples in this run."""
        found = []
        for name, why in paths.files(self.path / "samples", segments.SUFFIX):
            stem = name.removesuffix(segments.SUFFIX)
            try:
                plain_name(stem)
            except RunError as error:
                why = str(error)
            if why is None:
                found.append(stem)
            else:
                self._note(f"samples/{name!a}: {why}; left out")
        return sorted(found)

    def picture(self, relative: object, room: str = "") -> Path | None:
        """The file of the run that a record names, or None when it is not there or may not be
        opened (`paths.fault`); then `problems` says so.
        """
        if not relative:
            return None
        why = paths.fault(self.path, relative, room)
        if why is None:
            return self.path / str(relative)
        if why != "not there":
            self._note(f"{str(relative)[:200]}: {why}; left out")
        return None

    def keep(self, file: Path, place: Path | str, hashes: HashStore | None = None) -> Path:
        """Keep a file in the run at `place` (relative): a copy of its own, or a reflink where the
        file system has them, so that nobody changes the run's pictures by changing his.

        What is there already is replaced when it is another file. Returns the path in the run.
        `hashes` learns the hash of a file that is copied, and of its copy.
        Raises `RunError` when it cannot be written, or `file` is no regular file of at most
        `images.MAX_FILE_BYTES`.
        """
        name = place if isinstance(place, str) else place.as_posix()
        target = f"{self.path}{os.sep}{name}"
        if why := paths.misplaced(name):
            raise RunError(f"{self.path.name}: {name!a}: {why}; nothing is kept there")
        if copies.same(file, target):
            return self.path / place
        try:
            temporary = self._scratch_folder() / "kept"
            mark, found = copies.copy(file, temporary, limit=MAX_FILE_BYTES)
            paths.put(temporary, self.path, name)
            kept = self.path / place
            if hashes is not None:
                hashes.forget(kept)
                if mark is not None:
                    hashes.learn(file, found, mark)
                    hashes.learn(kept, os.lstat(target), mark)
        except OSError as error:
            raise paths.unwritable(Path(target), error) from error
        return kept

    # -- inside ------------------------------------------------------------------------------------

    def _write_manifest(self, manifest: Mapping[str, Any]) -> None:
        whole = {**manifest, "check": _check(manifest)}
        data = orjson.dumps(segments.storable(whole), option=orjson.OPT_INDENT_2)
        paths.write(self.path, "manifest.json", data + b"\n", sync=True)

    def _segment_sizes(self) -> dict[str, int]:
        """The bytes of each segment, for `_say_what_is_gone`."""
        sizes = {}
        for place in (ROW_SEGMENTS, EDIT_SEGMENTS):
            for path in segments.segments(self.path / place):
                with contextlib.suppress(OSError):
                    sizes[f"{place}/{path.name}"] = path.lstat().st_size
        return sizes

    def _sample_counts(self) -> dict[str, int]:
        """How many samples each benchmark's index has."""
        counts = {}
        for benchmark in self.benchmarks():
            with contextlib.suppress(OSError, RunError):
                data = paths.read(self.path / "samples" / f"{benchmark}{segments.SUFFIX}")
                counts[benchmark] = data.count(b"\n")
        return counts

    def _scratch_folder(self) -> Path:
        """This object's own temporary folder below the run."""
        if self._scratch is None:
            self._scratch = self._temporary.enter_context(lease.scratch(self.path))
        return self._scratch

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Hold the run's lock: two commands may change the manifest or the index of samples at
        once.
        """
        return lease.lock(self.path / ".lock")


def _close_own(process: int, stack: contextlib.ExitStack) -> None:
    if process == os.getpid():  # not in a fork: what is closed there is still ours
        stack.close()


def _real(path: Path) -> Path:
    """A run folder's own path, which must be text: databases take no other names. Raises
    `UsageError` for an address.
    """
    address = address_of(path)
    if address is not None:
        raise UsageError(
            f"{address}: this command works on runs of this machine; bring it here with: editgauge "
            f"merge {address} --to RUN"
        )
    path = path.resolve()
    plain_text(str(path), "run folder")
    return path


def _refuse_odd(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.close(paths.open_read(path))


def _is_sound(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest stands its checksum. Those of earlier versions have no id and may have no
    checksum.
    """
    check = manifest.get("check")
    return check == _check(manifest) or (check is None and "ids" not in manifest)


def _check(content: Mapping[str, Any]) -> str:
    """Checksum of a JSON object without its own checksum."""
    rest = segments.storable({name: part for name, part in content.items() if name != "check"})
    return f"{zlib.crc32(orjson.dumps(rest, option=orjson.OPT_SORT_KEYS)):08x}"


def _edit_record(record: Mapping[str, Any], once: dict[Any, Any]) -> EditRecord:
    """`once` keeps what many records say alike, so that a million of them share it."""
    known = {name: record[name] for name in EditRecord.__dataclass_fields__ if name in record}
    for name in ("benchmark", "sample", "editor"):
        known[name] = once.setdefault(known[name], known[name])
    for name in ("settings", "detail"):
        if known.get(name):
            try:
                text = orjson.dumps(known[name])
            except TypeError:  # a lone surrogate, a very large integer
                text = orjson.dumps(segments.storable(known[name]))
            known[name] = once.setdefault(text, known[name])
    return EditRecord(**known | {"status": Status(record["status"])})


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
        "has_reference": sample.reference is not None,
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


@lru_cache(maxsize=1024)
def plain_name(name: str) -> str:
    """`name` if it can be one folder's name on any system. Raises `RunError` otherwise."""
    bad = set('/\\:*?"<>|') | {chr(code) for code in range(32)}
    if not name or name.startswith(".") or len(name) > 120 or any(letter in bad for letter in name):
        raise RunError(
            f'name {name!r}: wanted 1 to 120 characters without / \\ : * ? " < > | and no leading '
            f"dot; rename it"
        )
    return plain_text(name, "name")


def plain_text(text: str, what: str) -> str:
    """`text` if UTF-8 can hold it. Raises `RunError` otherwise (a file name in another encoding, a
    lone surrogate in JSON), showing it escaped.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise RunError(
            f"{what} {text!a}: not valid text (UTF-8); rename it, or correct the data"
        ) from None
    return text


def digest(*parts: Any) -> str:
    """Hash of JSON values, independent of the order of mappings: 32 hexadecimal digits."""
    try:
        data = orjson.dumps(parts, option=orjson.OPT_SORT_KEYS, default=str)
    except TypeError:  # a lone surrogate, a very large integer: see `segments.storable`
        data = orjson.dumps(segments.storable(parts), option=orjson.OPT_SORT_KEYS)
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

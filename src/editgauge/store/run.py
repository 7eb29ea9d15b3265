"""A run on disk (docs/how-to/read-a-run.md), written by several commands at once: each write is one
transaction. What is not proven, or no record, is left out and named.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from editgauge import __version__, temporary
from editgauge.errors import RunError, UsageError
from editgauge.store import described, lease, locks, paths, schema, sqlite
from editgauge.store.addresses import address_of
from editgauge.store.file import FILE, insert, put
from editgauge.store.hashes import HashStore, copy
from editgauge.store.rows import Rows
from editgauge.store.schema import EditRecord
from editgauge.types import JsonMapping, JsonObject, Metric, Row

__all__ = ["FILE", "PAID", "ROOMS", "Run"]
PAID = "paid.sqlite"
_NO_RECORD = (*schema.NO_RECORD, RunError)
ROOMS = ("inputs", "edits", "cache", "tuning", "study", lease.FOLDER, lease.TEMPORARY)


class Run(Rows):
    """One run on disk. `problems`: damage and contradictions found, in words. Thread-safe."""

    _parquet: tuple[str, Path] | None = None

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._folders: set[str] = set()
        """Those that `keep` has made: a run has few folders and many files."""

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open a run, or make a new one in a folder that is empty or not there. Raises `RunError`
        when it cannot be written or holds something else.
        """
        path = _real(path)
        if not os.path.lexists(path / FILE):
            try:
                path.mkdir(parents=True, exist_ok=True)
                there = [one for one in os.listdir(path) if not one.startswith(".editgauge-")]
            except OSError as error:
                raise paths.unwritable(path, error) from error
            if there and not os.path.lexists(path / FILE):
                raise RunError(f"{path}: not empty, and not a run (no {FILE}); name another folder")
            make_file(path)
        run = cls.open(path)
        paths.only_files(path, "cache")
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing run. Raises `RunError` when there is none, one of another format, or one
        with a link where a folder of its own belongs.
        """
        run = cls(_real(path))
        paths.no_links(run.path, ROOMS)
        if os.path.lexists(run.replies_path):
            sqlite.need_files(run.replies_path)
        written = run.fact("format")
        if run.damage is None and written != schema.FORMAT:
            raise RunError(
                f"{run.place}: run format {written!r}, this version reads {schema.FORMAT!r}; use "
                f"the editgauge that wrote it ({run.fact('editgauge') or 'unknown'})"
            )
        return run

    @property
    def cache_folder(self) -> Path:
        return self.path / "cache"

    @property
    def replies_path(self) -> Path:
        return self.path / PAID

    def close(self) -> None:
        super().close()
        self._parquet = None

    def put(self, rows: Iterable[Row] = (), edits: Iterable[EditRecord] = ()) -> int:
        """Write rows and edits in one transaction; how many rows were given."""
        with self.changing():
            self.write_edits(edits)
            return self.put_rows(rows)

    def parquet(self) -> list[Path]:
        """The Parquet file of the rows, brought up to date; an empty list when there are none. It
        stays for as long as this object is open.
        """
        from editgauge.store import snapshot

        with self._lock:
            if not self.read("SELECT 1 FROM rows LIMIT 1"):
                return []
            generation = self.generation
            if self._parquet is None or self._parquet[0] != generation:
                self._parquet = generation, snapshot.current(self)
            return [self._parquet[1]]

    # -- what was done -----------------------------------------------------------------------------

    def manifest(self) -> JsonObject:
        """When the run was begun, by which version, and `entries`, one a command."""
        entries = [
            {"command": command, "at": at, **schema.known(facts)}
            for _, command, at, facts, _ in self.proven("entries")
        ]
        created = self.fact("created") or (entries[0]["at"] if entries else "")
        by = self.fact("editgauge") or "unknown"
        return {"format": schema.FORMAT, "editgauge": by, "created": created, "entries": entries}

    def record(self, command: str, **facts: Any) -> None:
        """Add an entry: command, time, versions, platform, and `facts` (JSON values; of an absolute
        path only the last name is kept); and bring ``rows.parquet`` up to date.
        """
        temporary.sweep(self.path)
        for room in ("edits", "inputs", lease.TEMPORARY):
            lease.sweep(self.path / room)
        entry = {"versions": schema.versions(), "platform": schema.machine(), **paths.facts(facts)}
        with self.changing() as db:
            insert(db, "entries", (command, schema.now(), schema.json(entry)))
        self.parquet()

    def take_entries(self, other: Run) -> None:
        """Add the entries of another run that are not there."""
        known = {entry[1:4] for entry in self.proven("entries")}
        with self.changing() as db:
            for entry in other.proven("entries"):
                if entry[1:4] not in known:
                    insert(db, "entries", entry[1:4])

    # -- outputs -----------------------------------------------------------------------------------

    def write_edits(self, edits: Iterable[EditRecord], *, instead: bool = True) -> int:
        """Write records of outputs; `instead`: each in the place of an older one of its sample and
        editor.
        """
        edits = list(edits)
        if edits:
            with self.changing() as db:
                records = []
                for one in edits:
                    sample = self.number_of(db, "samples", (one.benchmark, one.sample))
                    records.append((sample, schema.plain(one.editor), *schema.edit_columns(one)))
                put(db, "edits", *records, instead=instead)
        return len(edits)

    def edits(self, benchmark: str | None = None) -> list[EditRecord]:
        """The records of outputs, ordered by benchmark, sample and editor. One that names a picture
        outside its room is left out and named in `problems`.
        """
        records, names = [], self.sample_names()
        for sample, editor, *columns, _ in self.proven("edits"):
            of, name = names.get(sample, ("", ""))
            if name and benchmark in (None, of):
                try:  # a context manager each would take as long again
                    records.append(schema.edit_record(of, name, editor, columns))
                except _NO_RECORD as error:
                    self.note(f"the output of {editor} for {name!r}: {error}; left out")
        return sorted(records, key=attrgetter("benchmark", "sample", "editor"))

    @contextlib.contextmanager
    def _named(self, what: str) -> Iterator[None]:
        """Note that something is left out which is no record: a run may come from anybody."""
        try:
            yield
        except _NO_RECORD as error:
            self.note(f"{what}: {error}; left out")

    # -- metrics and samples -----------------------------------------------------------------------

    def keep_metrics(self, benchmark: str, metrics: Iterable[Metric]) -> None:
        """Keep what is said about metrics beside their rows, in place of what was said before."""
        there = {record[1:4] for record in self.proven("metrics")}
        new = {(benchmark, one.name, described.column(one)) for one in metrics} - there
        if new:
            with self.changing() as db:
                number = partial(self.number_of, db, "metrics")
                put(db, "metrics", *[(number(one[:2]), *one) for one in sorted(new)])

    def metrics(self, benchmark: str) -> dict[str, Metric]:
        """The metrics of a benchmark as the commands that wrote rows of them described them."""
        metrics = {}
        for _, of, name, facts, _ in self.proven("metrics"):
            if of == benchmark:
                with self._named(f"metric {name!r} of {of}"):
                    metrics[name] = described.metric(name, facts)
        return metrics

    def described_benchmarks(self) -> list[str]:
        """The benchmarks of which `metrics` knows any."""
        return sorted({record[1] for record in self.proven("metrics")})

    def write_samples(
        self,
        benchmark: str,
        given: Iterable[JsonMapping],
        index: dict[str, tuple[int, str]] | None = None,
    ) -> None:
        """Keep what a reader needs to know of samples (`schema.sample_record`); what is known of an
        id is completed. Where all ids are given, their order is the benchmark's, else new ones are
        behind the others. `index`, where it is known, is brought up to date. Raises `RunError`
        for an id that UTF-8 cannot hold.
        """
        records = {paths.plain_text(record["id"], "sample id"): record for record in given}
        with self._lock:
            there = self.index(paths.plain_name(benchmark)) if index is None else index
            whole, new = records.keys() >= there.keys(), dict[str, tuple[int, str]]()
            free = 0 if whole else max(place for place, _ in there.values()) + 1
            for number, (name, record) in enumerate(records.items(), free):
                place, text = there.get(name, (number, "{}"))
                entry = (number if whole else place, schema.sample_text(text, record))
                if entry != there.get(name):
                    new[name] = entry
            if new:
                with self.changing() as db:
                    for name, entry in new.items():
                        number = self.number_of(db, "samples", (benchmark, name))
                        put(db, "samples", (number, benchmark, name, *entry))
            there |= new

    def index(self, benchmark: str) -> dict[str, tuple[int, str]]:
        """Sample id -> its place in the benchmark's order, and its record as JSON."""
        return {r[2]: (r[3], r[4]) for r in self._index(benchmark)}

    def _index(self, benchmark: str | None = None) -> list[tuple[Any, ...]]:
        """What is said of samples, in the benchmark's order: number, benchmark, id, place, facts"""
        every = self.proven("samples")
        return [r for r in every if r[3] is not None and benchmark in (None, r[1])]

    def samples(self, benchmark: str) -> list[JsonObject]:
        """The records (`schema.sample_record`) of a benchmark's samples in its order. One with a
        picture outside ``inputs/<benchmark>`` is left out and named in `problems`.
        """
        paths.plain_name(benchmark)
        samples = []
        for _, _, sample, _, facts, _ in self._index(benchmark):
            with self._named(f"samples of {benchmark}: {sample[:80]!r}"):
                samples.append(schema.read_sample(benchmark, sample, facts))
        return samples

    def benchmarks(self) -> list[str]:
        """The benchmarks that have samples in this run."""
        names = []
        for name in sorted({record[1] for record in self._index()}):
            with self._named(f"benchmark {name!a}"):
                names.append(paths.plain_name(name))
        return names

    # -- pictures ----------------------------------------------------------------------------------

    def picture(self, relative: object, room: str = "") -> Path | None:
        """The file of the run that a record names, or None when it is not there or may not be
        opened (`paths.fault`); then `problems` says so.
        """
        why = paths.fault(self.path, relative, room) if relative else "not there"
        if why is None:
            return self.path / str(relative)
        if why != "not there":
            self.note(f"{str(relative)[:200]}: {why}; left out")
        return None

    def keep(
        self,
        file: Path | str,
        where: Path | str,
        facts: os.stat_result | None = None,
        hashes: HashStore | None = None,
    ) -> tuple[str, os.stat_result] | None:
        """Keep a copy of a file in the run at `where` (relative), in place of another file that is
        there. `facts`: what `os.stat` said of the file, where it is known; `hashes`: remembers the
        content of both. Returns what `hashes.copy` does; None where the copy was there.

        Raises `RunError` when it cannot be written, and as `hashes.copy` where `file` cannot be
        read.
        """
        name = where if isinstance(where, str) else where.as_posix()
        kept = f"{self.path}{os.sep}{name}"
        if (hashes or HashStore(None)).is_copy(file, kept, facts):
            return None
        if why := paths.misplaced(name):
            raise RunError(f"{self.path.name}: {name!a}: {why}; nothing is kept there")
        if (above := name.rpartition("/")[0]) not in self._folders:
            paths.folder(self.path, above)
            self._folders.add(above)
        copied = copy(file, kept)
        if hashes is not None:
            hashes.learn(file, copied[1], copied[0])
            hashes.learn(kept, os.lstat(kept), copied[0])
        return copied


def make_file(folder: Path) -> None:
    """Put a file without rows into a folder that has none. Raises `RunError` where it cannot be
    written.
    """
    locks.need(folder)
    about = {"format": schema.FORMAT, "editgauge": __version__, "created": schema.now()}
    facts = [schema.sealed("facts", *fact) for fact in about.items()]
    write = "INSERT INTO facts VALUES (?, ?, ?)"
    sqlite.create(folder / FILE, schema.SCHEMA, *((write, fact) for fact in facts))


def _real(path: Path) -> Path:
    """A run folder's own path. Raises `UsageError` for an address, or one that is no text."""
    if address := address_of(path):
        raise UsageError(
            f"{address}: this command works on runs of this machine; bring it here with: editgauge "
            f"merge {address} --to RUN"
        )
    paths.plain_text(str(path.resolve()), "run folder")
    return path.resolve()

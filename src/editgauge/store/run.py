"""A run on disk: everything that is needed to read a result again (docs/how-to/read-a-run.md).

Several commands may write one run at once, on one machine: each write is one transaction. A run may
be damaged, or come from anybody: what does not stand its checksum is left out and named in
`Run.problems`; a file that SQLite itself cannot read any more is read as far as it can be.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from editgauge import __version__, temporary
from editgauge.errors import RunError, UsageError
from editgauge.store import described, hashes, lease, paths, schema, sqlite
from editgauge.store.addresses import address_of
from editgauge.store.file import FILE, insert, put
from editgauge.store.rows import Rows
from editgauge.store.schema import EditRecord
from editgauge.types import Metric, Row

if TYPE_CHECKING:
    from editgauge.store.hashes import HashStore

__all__ = ["FILE", "PAID", "ROOMS", "Run"]
PAID = "paid.sqlite"
ROOMS = ("inputs", "edits", "cache", "tuning", "study", lease.FOLDER, lease.TEMPORARY)


class Run(Rows):
    """One run on disk. `problems` collects, in words, what was found damaged or contradictory.
    Thread-safe.
    """

    _parquet: tuple[str, Path] | None = None

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._folders: set[str] = set()
        """Those that `keep` has made and swept: a run has few folders and many files."""

    @classmethod
    def create(cls, path: Path) -> Self:
        """Open a run, or make a new one in a folder that is empty or not there.

        Raises `RunError` when the folder cannot be written or holds something that is not a run.
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
            about = {"format": schema.FORMAT, "editgauge": __version__, "created": schema.now()}
            facts = [schema.sealed("facts", *fact) for fact in about.items()]
            write = "INSERT INTO facts VALUES (?, ?, ?)"
            sqlite.create(path / FILE, schema.SCHEMA, *((write, fact) for fact in facts))
        run = cls.open(path)
        paths.only_files(path, "cache")
        return run

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open an existing run.

        Raises `RunError` when there is none, one of a format that this version does not know, or
        one with a link where a folder of its own belongs.
        """
        run = cls(_real(path))
        paths.no_links(run.path, ROOMS)
        if os.path.lexists(run.replies_path):
            sqlite.need_files(run.replies_path)
        run.fact("format")
        return run

    @property
    def cache_folder(self) -> Path:
        return self.path / "cache"

    @property
    def replies_path(self) -> Path:
        return self.path / PAID

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

    def close(self) -> None:
        """Let go of the file; what is read or written later opens it again."""
        super().close()
        self._parquet = None

    def manifest(self) -> dict[str, Any]:
        """What was done: when the run was begun and by which version, and `entries`, one a
        command.
        """
        every = self.proven("entries")
        entries = [{"command": c, "at": at, **schema.known(facts)} for _, c, at, facts, _ in every]
        created = self.fact("created") or (entries[0]["at"] if entries else "")
        by = self.fact("editgauge") or "unknown"
        return {"format": schema.FORMAT, "editgauge": by, "created": created, "entries": entries}

    def record(self, command: str, **facts: Any) -> None:
        """Add an entry: command, time, versions, platform, and `facts` (JSON values); and bring
        ``rows.parquet`` up to date.

        Of a fact that is an absolute path only the last name is kept: a run is read on other
        machines.
        """
        temporary.sweep(self.path)
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

    def write_edits(self, edits: Iterable[EditRecord]) -> int:
        """Write records of outputs, each in the place of an older one of its sample and editor."""
        edits = list(edits)
        if edits:
            with self.changing() as db:
                for one in edits:
                    sample = self.number_of(db, "samples", (one.benchmark, one.sample))
                    editor = schema.plain(one.editor)
                    put(db, "edits", (sample, editor, *schema.edit_columns(one)))
        return len(edits)

    def edits(self, benchmark: str | None = None) -> list[EditRecord]:
        """The records of outputs, ordered by benchmark, sample and editor. One that is damaged, or
        names a picture outside its room, is left out and named in `problems`.
        """
        every = self.proven("edits", "sample, editor")
        names = self.sample_names() if every else {}
        records = []
        for sample, editor, *columns, _ in every:
            if sample not in names or benchmark not in (None, names[sample][0]):
                continue
            try:
                records.append(schema.edit_record(*names[sample], editor, columns))
            except schema.NO_RECORD as error:
                self.note(f"the output of {editor} for {names[sample][1]!r}: {error}; left out")
        return sorted(records, key=lambda one: (one.benchmark, one.sample, one.editor))

    def keep_metrics(self, benchmark: str, metrics: Iterable[Metric]) -> None:
        """Keep what is said about metrics beside their rows, so that a reader needs to guess
        nothing. What is there of the same name is replaced.
        """
        there = {record[1:4] for record in self.proven("metrics")}
        wanted = {(benchmark, one.name, described.column(one)) for one in metrics}
        if wanted <= there:
            return
        with self.changing() as db:
            for record in sorted(wanted - there):
                db.execute("DELETE FROM metrics WHERE benchmark = ? AND metric = ?", record[:2])
                insert(db, "metrics", record)

    def metrics(self, benchmark: str) -> dict[str, Metric]:
        """The metrics of a benchmark as the commands that wrote rows of them described them."""
        metrics = {}
        for _, name, metric, facts, _ in self.proven("metrics"):
            try:
                if name == benchmark:
                    metrics[metric] = described.metric(metric, facts)
            except schema.NO_RECORD as error:
                self.note(f"metric {metric!r} of {name}: cannot be read ({error}); left out")
        return metrics

    def described_benchmarks(self) -> list[str]:
        """The benchmarks of which `metrics` knows any."""
        return sorted({record[1] for record in self.proven("metrics")})

    def write_samples(self, benchmark: str, given: Iterable[Mapping[str, Any]]) -> None:
        """Keep what a reader needs to know of samples; records of ids that are there already are
        completed. Where all ids are given, their order is that of the benchmark. Raises `RunError`
        for an id that is not text as UTF-8 can hold it.
        """
        records = {paths.plain_text(record["id"], "sample id"): record for record in given}
        paths.plain_name(benchmark)
        with self._lock:
            there = {r[2]: r for r in self.proven("samples") if r[1] == benchmark}
            new = []
            for place, name in enumerate(_order(there, records)):
                known = schema.known(there[name][4]) if name in there else {}
                facts = {**known, **records.get(name, {})}
                text = schema.json({k: v for k, v in facts.items() if k not in ("id", "benchmark")})
                if name not in there or there[name][3:5] != (place, text):
                    new.append((name, place, text))
            if new:
                with self.changing() as db:
                    for name, *rest in new:
                        number = self.number_of(db, "samples", (benchmark, name))
                        put(db, "samples", (number, benchmark, name, *rest))

    def samples(self, benchmark: str) -> list[dict[str, Any]]:
        """The records of a benchmark's samples in the benchmark's order: see
        `schema.sample_record`. One that is damaged, and a picture outside ``inputs/<benchmark>``,
        are left out and named in `problems`.
        """
        paths.plain_name(benchmark)
        samples = []
        for _, name, sample, place, facts, *_ in self.proven("samples", "place, id"):
            if name == benchmark and place is not None:
                try:
                    record, note = schema.read_sample(benchmark, sample, facts)
                    samples.append(record)
                except schema.NO_RECORD as error:
                    note = [f"sample {sample[:80]!r}: {error}"]
                for text in note:
                    self.note(f"samples of {benchmark}: {text}; left out")
        return samples

    def samples_mark(self, benchmark: str) -> str:
        """The hash of a benchmark's index of samples: equal where two runs say the same of them."""
        every = self.proven("samples", "place, id")
        return schema.digest([r[2:5] for r in every if r[1] == benchmark and r[3] is not None])

    def benchmarks(self) -> list[str]:
        """The benchmarks that have samples in this run."""
        names = set()
        for name in {r[1] for r in self.proven("samples") if r[3] is not None}:
            try:
                names.add(paths.plain_name(name))
            except RunError as error:
                self.note(f"benchmark {name!a}: {error}; left out")
        return sorted(names)

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

    def keep(self, file: Path, where: Path | str, known: HashStore | None = None) -> Path:
        """Keep a copy of a file in the run at `where` (relative), in place of another file that is
        there. Returns the path in the run. `known` learns the hash of a file that is copied, and of
        its copy.

        Raises `RunError` when it cannot be written, and as `hashes.copy` where `file` cannot be
        read.
        """
        name = where if isinstance(where, str) else where.as_posix()
        kept = self.path / name
        if why := paths.misplaced(name):
            raise RunError(f"{self.path.name}: {name!a}: {why}; nothing is kept there")
        if (above := name.rpartition("/")[0]) not in self._folders:
            temporary.sweep(paths.folder(self.path, above))
            self._folders.add(above)
        if not hashes.same(file, kept):
            mark, stat = hashes.copy(file, kept)
            if known is not None:
                known.learn(file, stat, mark)
                known.learn(kept, os.lstat(kept), mark)
        return kept


def _order(there: Mapping[str, Any], given: Mapping[str, Any]) -> list[str]:
    """The ids of an index: as given where all of it is, else those that are there first."""
    known = [name for name, record in there.items() if record[3] is not None]
    if set(known) <= set(given):
        return list(given)
    known.sort(key=lambda name: there[name][3])
    kept = set(known)
    return known + [name for name in given if name not in kept]


def _real(path: Path) -> Path:
    """A run folder's own path, which must be text: databases take no other names. Raises
    `UsageError` for an address.
    """
    if address := address_of(path):
        raise UsageError(
            f"{address}: this command works on runs of this machine; bring it here with: editgauge "
            f"merge {address} --to RUN"
        )
    paths.plain_text(str(path.resolve()), "run folder")
    return path.resolve()

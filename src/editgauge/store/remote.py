"""What lies on a store: data and outputs as a mirror, fetched again where size or mark differ; runs
as the join of their parts, in the order of their names: ``parts/<time>-<random>.sqlite`` is what
one command changed, ``….paid.sqlite`` the replies that it paid for. A run is worked on in a folder
of this machine (below ``EDITGAUGE_CACHE``), which stays: what could not be handed over is handed
over by the next command. Files are moved within that folder alone: the temporary folder may lie on
another file system.
"""

from __future__ import annotations

import calendar
import contextlib
import glob
import os
import secrets
import shutil
import sqlite3
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge import temporary
from editgauge.errors import DataError, RunError, UsageError
from editgauge.store import lease, paths, schema, sqlite
from editgauge.store.addresses import Entry, Store, address_of, at_once, opened, place_of
from editgauge.store.file import put
from editgauge.store.merge import moved
from editgauge.store.paid import Paid
from editgauge.store.run import FILE, PAID, Run
from editgauge.store.schema import EditRecord
from editgauge.types import Status

_PAID = ".paid.sqlite"
_SUFFIX = ".sqlite"
_GONE, _WITHDRAWN = "gone", "withdrawn"
"""Facts of a part: rows, and outputs, that its machine took out or replaced by a failure."""
_PARTS = "parts"
"""The fact that names the parts which a copy of a run has joined."""
_LIST = "list.json"
_NEXT = "next.sqlite"
_TIME = "%Y%m%dT%H%M%S"
_STATUS = 4
"""The place of the status in a record of rows."""
_TRIES = 100
"""Attempts to find the copy unchanged by other commands of this machine for a moment."""


def local_folder(place: Path | None) -> Path | None:
    """The folder of this machine that holds what `place` names: itself, or a mirror of an address.
    None stays None. Raises `DataError` when nothing is there, `DownloadError` when the store does
    not answer.
    """
    address = address_of(place)
    if address is None:
        return place
    store, target = opened(address), place_of("stores", address)
    beside = paths.folder(target.parent.parent, target.parent.name)
    with lease.lock(beside / ".lock"):
        entries = store.files()
        if not entries:
            raise DataError(f"{address}: nothing is there; check the address and your rights")
        there = {entry.relative: [entry.size, entry.version] for entry in entries}
        known = _read_list(beside)
        for relative in known.keys() - there.keys():
            with contextlib.suppress(OSError):
                paths.inside(target, relative, limit=paths.LARGEST).unlink()
        same = {name for name, one in there.items() if one[1] and known.get(name) == one}
        _fetch(store, target, entries, same)
        paths.write(beside, _LIST, orjson.dumps(there))
    one_file = len(entries) == 1 and entries[0].name == store.base
    return target / entries[0].relative if one_file else target


def _fetch(store: Store, target: Path, entries: Iterable[Entry], same: Collection[str]) -> None:
    """Bring files, some at once, below folders that are no links; not the `same` if whole."""

    def get(entry: Entry) -> None:
        file = target / entry.relative
        why = paths.fault(target, entry.relative, limit=paths.LARGEST)
        if why or entry.relative not in same or file.stat().st_size != entry.size:
            folder = paths.folder(target, entry.relative.rpartition("/")[0])
            store.fetch(entry, folder / file.name)

    target.mkdir(parents=True, exist_ok=True)
    at_once(get, entries)


@contextlib.contextmanager
def working(run: Path) -> Iterator[Path]:
    """The folder to work in: `run` itself, or this machine's copy of an address, which is handed
    over at the end of the ``with`` block, however that ends. Raises `DownloadError` when the store
    does not answer (what was done is kept here), and `RunError` for what lies there and is no run.
    """
    address = address_of(run)
    if address is None:
        yield run
        return
    store = opened(address)
    folder = _brought(store)
    try:
        yield folder
    finally:
        _push(store, folder)


@contextlib.contextmanager
def changing(run: Path) -> Iterator[Run]:
    """As `working`, a run that is there already. Raises `RunError` where there is none."""
    with working(run) as folder:
        _need_run(run, folder)
        yield Run.open(folder)


def fetched(run: Path, *, pictures: bool = True) -> Path:
    """The folder to read from: `run` itself, or this machine's copy of an address, brought up to
    date (without `pictures`: but for these). Raises as `working` does.
    """
    address = address_of(run)
    if address is None:
        return run
    folder = _brought(opened(address), pictures=pictures)
    _need_run(run, folder)
    return folder


def _need_run(run: Path, folder: Path) -> None:
    address = address_of(run)
    if address is not None and not (folder / FILE).exists():
        raise RunError(f"{address}: no run is there; check the address and your rights")


def matching(path: Path) -> list[Path]:
    """The runs of this machine that a pattern with ``*``, ``?`` or ``[…]`` matches, by name; any
    other path as it is. Raises `UsageError` where nothing matches.
    """
    if address_of(path) or not glob.has_magic(str(path)) or os.path.lexists(path):
        return [path]
    runs = [Path(one) for one in sorted(glob.glob(str(path))) if Path(one, FILE).exists()]
    if not runs:
        raise UsageError(f"{path}: wanted a pattern of run folders, it matches none")
    return runs


def _brought(store: Store, *, pictures: bool = True) -> Path:
    """The copy here, brought up to date after handing over. Raises `RunError` for a bad part."""
    folder = place_of("runs", store.address)
    folder.mkdir(parents=True, exist_ok=True)
    with _only_here(folder) as before:
        _seal_and_send(store, folder, before)
        entries = store.files()
        if any(entry.relative == FILE for entry in entries):
            raise RunError(
                f"{store.address}: a run folder that was copied there by hand; copy it here, and "
                f"hand it over with: editgauge merge COPY --to ADDRESS (another address)"
            )
        parts = [entry for entry in entries if entry.relative.startswith("parts/")]
        replies = [entry for entry in parts if entry.relative.endswith(_PAID)]
        changes = [entry for entry in parts if not entry.relative.endswith(_PAID)]
        new_outputs = _take_changes(store, folder, before, changes)
        _take_replies(store, folder, before, replies)
    if pictures:
        mine = [one for one in entries if one.relative.startswith(("edits/", "inputs/"))]
        _fetch(store, folder, mine, {one.relative for one in mine} - new_outputs)
    return folder


def _push(store: Store, folder: Path) -> None:
    """Hand over what this machine has and the store has not."""
    with _only_here(folder) as before:
        _seal_and_send(store, folder, before)


@contextlib.contextmanager
def _only_here(folder: Path) -> Iterator[Path]:
    """Keep other commands of this machine from handing over or joining parts of this copy. Gives
    the folder beside the copy that holds:

    ``run.sqlite``, ``paid.sqlite``: the copy's files as they were handed over or joined last;
    ``unsent/NAME/``: the parts that the store does not have yet; ``list.json``: the parts with
    replies that were sent or joined.
    """
    before = paths.folder(folder.parent, f"{folder.name}.store")
    with lease.lock(before / ".lock"):
        temporary.sweep(before)
        _finish(folder, before)
        yield before


# -- the order of parts ----------------------------------------------------------------------------
# A run is what its parts give, one after the other in the order of their names, whatever the order
# in which they arrive. A part that sorts before one that is joined already is not put on top of it:
# then all parts are joined again. The name of a part begins with its time, which is later than that
# of every part that its machine had joined, whatever the clocks say: what it replaces is older.


def _new_name(joined: Iterable[str]) -> str:
    """A name for a part that is made now; it sorts behind the parts that are `joined`."""
    moment = max([time.time_ns(), *(_moment_of(name) + 1 for name in joined)])
    seconds, rest = divmod(moment, 10**9)
    shown = f"{time.strftime(_TIME, time.gmtime(seconds))}.{rest:09d}"
    return f"{shown}-{secrets.token_hex(6)}"


def _moment_of(name: str) -> int:
    """The time in the name of a part, in nanoseconds since 1970; 0 where it has none."""
    seconds, _, rest = name.removeprefix("parts/").partition("-")[0].partition(".")
    try:
        return calendar.timegm(time.strptime(seconds, _TIME)) * 10**9 + int(rest)
    except ValueError:
        return 0


def _parts_of(run: Run) -> set[str]:
    """The names of the parts that are joined in a run, those of its own included."""
    try:
        names = orjson.loads(run.fact(_PARTS) or "[]")
    except ValueError:
        return set()
    return {str(name) for name in names} if isinstance(names, list) else set()


# -- rows, edits and all else of run.sqlite --------------------------------------------------------


class _Changed(Exception):
    """Another command of this machine has changed the copy in the meantime."""


def _seal_and_send(store: Store, folder: Path, before: Path) -> None:
    """Make parts of what has changed in the copy, and send all that the store has not."""
    if not (folder / FILE).exists():
        return
    with contextlib.closing(Run.open(folder)) as run:
        _seal_changes(run, before)
    _seal_replies(folder, before)
    for part in _unsent(before):
        if (part / FILE).exists():
            _send_pictures(store, folder, part)
            store.send(part / FILE, f"parts/{part.name}{_SUFFIX}")
        if (part / PAID).exists():
            store.send(part / PAID, f"parts/{part.name}{_PAID}")
            _write_list(before, {**_read_list(before), f"parts/{part.name}{_PAID}": None})
        shutil.rmtree(part)


def _unsent(before: Path) -> list[Path]:
    """The parts that are not on the store, each a folder, in their order."""
    return sorted(paths.folder(before, "unsent").iterdir())


def _seal_changes(run: Run, before: Path) -> None:
    """Make a part of what has changed since the copy was handed over last, if anything has."""
    with temporary.folder(before) as place:
        now, part = paths.folder(place, "now"), paths.folder(place, "part")
        with run.changing() as db:  # until its end nobody else writes
            _copy(run.path / FILE, now / FILE)
            if not _changes(now / FILE, before / FILE, part / FILE):
                return
            joined = _parts_of(run)
            name = _new_name(joined)
            os.replace(part, paths.folder(before, "unsent") / name)
            _note_joined(run, db, before, {*joined, f"parts/{name}{_SUFFIX}"})
    _finish(run.path, before)


def _note_joined(run: Run, db: sqlite3.Connection, before: Path, names: Iterable[str]) -> None:
    """Write which parts the copy has, as the last act of a transaction; and keep its file as it
    will be, which `_finish` puts into its place once the transaction counts.
    """
    run.set_fact(_PARTS, schema.json(sorted(names)))
    image = bytearray(db.serialize())
    image[18:20] = b"\1\1"  # no write-ahead log: it is only read from here on
    paths.write(before, _NEXT, bytes(image))


def _finish(folder: Path, before: Path) -> None:
    """Put the file that `_note_joined` made into its place, where its transaction counts: a kill
    between the two leaves it. Unsent parts whose transaction does not count are removed.
    """
    if not (folder / FILE).exists():
        return
    with contextlib.closing(Run.open(folder)) as run:
        joined = _parts_of(run)
    if (before / _NEXT).exists():
        with contextlib.closing(sqlite3.connect(before / _NEXT)) as db:
            query = "SELECT value FROM facts WHERE name = ?"
            (names,) = db.execute(query, (_PARTS,)).fetchone()
        if set(orjson.loads(names)) == joined:
            os.replace(before / _NEXT, before / FILE)
        else:
            (before / _NEXT).unlink()
    for part in _unsent(before):
        if (part / FILE).exists() and f"parts/{part.name}{_SUFFIX}" not in joined:
            shutil.rmtree(part)


def _take_changes(store: Store, folder: Path, before: Path, entries: Sequence[Entry]) -> set[str]:
    """Join the parts that the copy has not; the outputs that they name. Raises `RunError` for a
    part that is not sound; then none is joined.
    """
    if not entries:
        return set()
    with contextlib.closing(Run.create(folder)) as run, temporary.folder(before) as place:
        for _ in range(_TRIES):
            joined = _parts_of(run)
            new = sorted(entry.relative for entry in entries if entry.relative not in joined)
            if not new:
                return set()
            again = not joined or new[0] < max(joined)
            wanted = [entry for entry in entries if again or entry.relative in new]
            parts = {}
            for entry in wanted:
                parts[entry.relative] = part = place / Path(entry.relative).stem
                if not part.exists():
                    store.fetch(entry, paths.folder(place, part.name) / FILE)
            if again:
                mine = {f"parts/{part.name}{_SUFFIX}": part for part in _unsent(before)}
                parts |= {name: part for name, part in mine.items() if (part / FILE).exists()}
            try:
                with run.changing() as db:
                    if _counts_of(run.path / FILE) != _counts_of(before / FILE):
                        raise _Changed
                    if again:
                        _clear(db)
                    outputs = set[str]()
                    for name, part in sorted(parts.items()):
                        named = _join_part(store, name, part, run)
                        outputs |= named if name in new else set()
                    # a part that is not on the store any more is not joined again
                    _note_joined(run, db, before, parts if again else {*joined, *parts})
            except _Changed:
                _seal_changes(run, before)
                continue
            _finish(folder, before)
            return outputs
    raise RunError(
        f"{store.address}: other commands of this machine are writing this run all the time; wait "
        f"for their end, or set another EDITGAUGE_CACHE"
    )


def _counts_of(file: Path) -> list[tuple[Any, ...]]:
    """How many records a run's file has of what is handed over, and the sums of their marks."""
    if not file.exists():
        return []
    query = "SELECT * FROM counts WHERE records AND name NOT IN ('facts', 'series', 'origins')"
    with contextlib.closing(sqlite3.connect(file)) as db:
        return sorted(db.execute(query).fetchall())


def _clear(db: sqlite3.Connection) -> None:
    """Take everything out of a run that parts bring. Numbers stay whose they are: another command
    may have remembered them.
    """
    for table in ("rows", "edits", "entries"):
        db.execute(f"DELETE FROM {table}")
    samples = db.execute("SELECT id, benchmark, sample FROM samples").fetchall()
    if samples:
        put(db, "samples", *[(*sample, None, None) for sample in samples])


def _join_part(store: Store, name: str, folder: Path, run: Run) -> set[str]:
    """Join a part into this machine's copy; the outputs that it names."""
    try:
        with contextlib.closing(Run.open(folder)) as part:
            _join(part, run)
            return {str(edit.path) for edit in part.edits() if edit.path}
    except RunError as error:
        raise _unsound(store, name, error) from error


def _unsound(store: Store, name: str, error: RunError) -> RunError:
    return RunError(f"{store.address}: {name}: no sound part of a run ({error}); remove it there")


def _join(part: Run, target: Run) -> None:
    """Put a part's records into a run. Of two records of one key the part's counts, which is the
    newer; but a score, or an output, does not give way to a failure of which the part's machine
    did not know that there was one: what it took out on purpose the part names.
    """
    if part.damage is not None:
        raise part.damage
    with target.changing() as db:
        created = [run.fact("created") for run in (part, target)]
        target.set_fact("created", min(filter(None, created), default=""))
        for benchmark in part.benchmarks():
            target.write_samples(benchmark, part.samples(benchmark))
        for benchmark in part.described_benchmarks():
            target.keep_metrics(benchmark, part.metrics(benchmark).values())
        gone = orjson.loads(part.fact(_GONE) or "[]")
        target.drop((tuple(key), mark) for *key, mark in gone)
        _join_edits(part, target)
        for records in moved(db, part, target):
            target.put_records(db, records, _counts_against)
        target.take_entries(part)
        if part.problems:  # it is never looked at again
            raise RunError(part.problems[0])


def _counts_against(old: schema.Record, new: schema.Record) -> bool:
    """Whether a part's row takes the place of the one that is there."""
    was_scored = bool(old[_STATUS] == Status.SCORED)
    is_scored = bool(new[_STATUS] == Status.SCORED)
    return is_scored or not was_scored


def _join_edits(part: Run, target: Run) -> None:
    """Write a part's records of outputs: a failure takes the place of an output only where the
    part withdraws it.
    """
    edits = part.edits()
    if any(edit.status is not Status.SCORED for edit in edits):
        withdrawn = {tuple(key) for key in orjson.loads(part.fact(_WITHDRAWN) or "[]")}
        outputs = {_key_of(edit) for edit in target.edits() if edit.status is Status.SCORED}
        outputs -= withdrawn
        edits = [
            edit for edit in edits if edit.status is Status.SCORED or _key_of(edit) not in outputs
        ]
    target.write_edits(edits)


def _key_of(edit: EditRecord) -> tuple[str, str, str]:
    return edit.benchmark, edit.sample, edit.editor


def _send_pictures(store: Store, folder: Path, part: Path) -> None:
    with contextlib.closing(Run.open(part)) as run:
        named = {one.path for one in run.edits()}
        for benchmark in run.benchmarks():
            named |= {path for one in run.samples(benchmark) for path in schema.pictures_of(one)}
    there = {entry.relative: entry.size for entry in store.files("inputs")}
    files = {name: folder / name for name in named if name and not paths.fault(folder, name)}
    new = [(file, name) for name, file in files.items() if there.get(name) != file.stat().st_size]
    at_once(lambda one: store.send(*one), sorted(new))


# -- replies of judges -----------------------------------------------------------------------------


def _seal_replies(folder: Path, before: Path) -> None:
    """Make a part of the replies that were paid for since the last time, if there are any."""
    if not (folder / PAID).exists():
        return
    with temporary.folder(before) as place:
        now, part = paths.folder(place, "now"), paths.folder(place, "part")
        _copy(folder / PAID, now / PAID)
        if _new_replies(now / PAID, before / PAID, part / PAID):
            os.replace(part, paths.folder(before, "unsent") / _new_name(_read_list(before)))
            os.replace(now / PAID, before / PAID)


def _new_replies(now: Path, before: Path, part: Path) -> bool:
    """Put the replies that `now` has and `before` has not into a file of their own; whether any."""
    with Paid(now) as ours, Paid(before) as known, Paid(part) as new, new.transaction():
        if ours.damaged():  # they are paid for: better an error than another machine pays again
            raise RunError("the copy of the run has damaged replies; see: editgauge check RUN")
        for key, reply in ours.replies():
            if known.get(key) != reply:
                new.put(key, reply)
        return len(new) > 0


def _take_replies(store: Store, folder: Path, before: Path, entries: Sequence[Entry]) -> None:
    """Take the replies of the parts that the copy has not. Of two replies to one question that of
    the later part counts, so that all are taken again where a part comes late.
    """
    known = _read_list(before)
    new = sorted(entry.relative for entry in entries if entry.relative not in known)
    if not new:
        return
    Run.create(folder).close()
    again = any(new[0] < name for name in known if name.endswith(_PAID))
    with temporary.folder(before) as place:
        for entry in sorted(entries, key=lambda entry: entry.relative):
            if again or entry.relative in new:
                part = paths.folder(place, Path(entry.relative).stem) / PAID
                store.fetch(entry, part)
                try:
                    # First into what was handed over: what is there alone is not sent again.
                    _copy_replies(part, before / PAID)
                    _copy_replies(part, folder / PAID)
                except RunError as error:
                    raise _unsound(store, entry.relative, error) from error
    if again:  # a part that is not on the store any more was not taken again
        known = {}
    _write_list(before, {**known, **dict.fromkeys(entry.relative for entry in entries)})


def _copy_replies(part: Path, target: Path) -> None:
    with Paid(part) as theirs, Paid(target) as ours, ours.transaction():
        if theirs.damaged():
            raise RunError("replies in it are damaged")
        for key, reply in theirs.replies():
            ours.put(key, reply)


# -- the difference of two files -------------------------------------------------------------------


_NEW = "SELECT * FROM now.{0} EXCEPT SELECT * FROM before.{0}"
_KEPT = {
    **{table: _NEW.format(table) for table in ("rows", "edits", "entries", "metrics")},
    "series": "SELECT * FROM now.series WHERE id IN (SELECT series FROM rows)",
    "origins": "SELECT * FROM now.origins WHERE id IN (SELECT origin FROM rows)",
    "samples": "SELECT * FROM now.samples WHERE id IN (SELECT sample FROM rows UNION SELECT sample "
    f"FROM edits UNION SELECT id FROM ({_NEW.format('samples')}))",
    "facts": "SELECT * FROM now.facts WHERE name IN ('format', 'created', 'editgauge')",
}
"""What a part has of each table."""
_TAKEN_OUT = """SELECT s.benchmark, n.sample, s.editor, s.scorer, s.metric, s.variant, s.source,
    b.repeat, b.fingerprint FROM before.rows b JOIN before.series s ON s.id = b.series
    JOIN before.samples n ON n.id = b.sample WHERE NOT EXISTS (SELECT 1 FROM now.rows a
    WHERE a.series = b.series AND a.sample = b.sample AND a.repeat = b.repeat
    AND (a.status = 'scored' OR b.status <> 'scored'))"""
"""The rows that are not there any more, and the scores that have become failures."""
_WITHDRAWN_EDITS = """SELECT n.benchmark, n.sample, b.editor FROM before.edits b
    JOIN now.edits a ON a.sample = b.sample AND a.editor = b.editor
    JOIN before.samples n ON n.id = b.sample WHERE b.status = 'scored' AND a.status <> 'scored'"""
"""The outputs that have become failures."""


def _changes(now: Path, before: Path, part: Path) -> bool:
    """Make a run of what `now` has and the same file's earlier `before` has not; whether any."""
    if not before.exists():
        sqlite.create(before, schema.SCHEMA)
    sqlite.create(part, schema.SCHEMA)
    with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as db:
        db.execute("ATTACH ? AS now", (str(now),))
        db.execute("ATTACH ? AS before", (str(before),))
        with sqlite.transaction(db):
            new = {table: db.execute(f"INSERT INTO {table} {_KEPT[table]}") for table in _KEPT}
            gone = [(*key, schema.unpacked(mark)) for *key, mark in db.execute(_TAKEN_OUT)]
            withdrawn = db.execute(_WITHDRAWN_EDITS).fetchall()
            put(db, "facts", (_GONE, schema.json(gone)), (_WITHDRAWN, schema.json(withdrawn)))
            return bool(gone) or any(new[t].rowcount > 0 for t in new if t != "facts")


def _copy(file: Path, target: Path) -> None:
    """A copy of a database as it is at this moment, with what lies in its journal."""
    if file.exists():
        with (
            contextlib.closing(sqlite3.connect(file)) as ours,
            contextlib.closing(sqlite3.connect(target)) as theirs,
        ):
            ours.backup(theirs)


def _read_list(folder: Path) -> Mapping[str, Any]:
    """What a copy has: name -> size and mark, or the parts of a run."""
    try:
        listed = orjson.loads(paths.read(folder / _LIST))
    except (OSError, ValueError):
        return {}
    return listed if isinstance(listed, dict) else {}


def _write_list(folder: Path, known: Mapping[str, Any]) -> None:
    paths.write(folder, _LIST, orjson.dumps(known))

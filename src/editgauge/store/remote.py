"""What lies on a store: data and outputs as a mirror, fetched again where size or mark differ; runs
as the join of their parts, in the order of their names: ``parts/<time>-<random>.sqlite`` is what
one command changed, ``….paid.sqlite`` the replies that it paid for. A run is worked on in a folder
of this machine (below ``EDITGAUGE_CACHE``), which stays: what could not be handed over is handed
over by the next command.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import DataError, RunError, UsageError
from editgauge.store import lease, paths, schema, sqlite
from editgauge.store.addresses import Entry, Store, address_of, at_once, opened, place_of
from editgauge.store.file import put
from editgauge.store.merge import moved
from editgauge.store.paid import Paid
from editgauge.store.run import FILE, PAID, Run

_PAID = ".paid.sqlite"
_GONE = "gone"
_LIST = "list.json"


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
    _push(store, folder)
    entries, before = store.files(), _before(folder)
    if any(entry.relative == FILE for entry in entries):
        raise RunError(
            f"{store.address}: a run folder that was copied there by hand; copy it here, and hand "
            f"it over with: editgauge merge COPY --to ADDRESS (another address)"
        )
    known, anew = _read_list(before), set[str]()
    parts = [e for e in entries if e.relative.startswith("parts/") and e.relative not in known]
    if parts:
        with contextlib.closing(Run.create(folder)) as run:
            for entry in parts:
                anew |= _take_part(store, run, entry)
        for name in (FILE, PAID):
            _copy(folder / name, before / name)
        _remember(before, *(entry.relative for entry in parts))
    if pictures:
        mine = [one for one in entries if one.relative.startswith(("edits/", "inputs/"))]
        _fetch(store, folder, mine, {one.relative for one in mine} - anew)
    return folder


def _take_part(store: Store, run: Run, entry: Entry) -> set[str]:
    """Join a part into this machine's copy; the outputs that it names."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        there = Path(folder) / (PAID if entry.relative.endswith(_PAID) else FILE)
        store.fetch(entry, there)
        try:
            if there.name == PAID:
                with Paid(there) as theirs, Paid(run.replies_path) as ours, ours.transaction():
                    if theirs.damaged():
                        raise RunError("replies in it are damaged")
                    for key, reply in theirs.replies():
                        ours.put(key, reply)
                return set()
            with contextlib.closing(Run.open(Path(folder))) as part:
                _join(part, run)
                return {str(one.path) for one in part.edits() if one.path}
        except RunError as error:
            raise RunError(
                f"{store.address}: {entry.relative}: no sound part of a run ({error}); remove it "
                f"there"
            ) from error


def _join(part: Run, target: Run) -> None:
    """Put a part's records into a run; of one key the part's counts, which is the newer."""
    if part.damage is not None:
        raise part.damage
    with target.changing() as db:
        for benchmark in part.benchmarks():
            target.write_samples(benchmark, part.samples(benchmark))
        for benchmark in part.described_benchmarks():
            target.keep_metrics(benchmark, part.metrics(benchmark).values())
        target.write_edits(part.edits())
        for records in moved(db, part, target):
            target.put_records(db, records, lambda old, new: True)
        gone = orjson.loads(part.fact(_GONE) or "[]")
        target.drop((tuple(key), mark) for *key, mark in gone)
        target.take_entries(part)
        if part.problems:  # it is never looked at again
            raise RunError(part.problems[0])


def _push(store: Store, folder: Path) -> None:
    """Hand over what this machine has and the store has not."""
    if not (folder / FILE).exists():
        return
    before = _before(folder)
    seconds, rest = divmod(time.time_ns(), 10**9)  # parts are joined in the order of their names
    moment = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}.{rest:09d}"
    name = f"parts/{moment}-{secrets.token_hex(6)}"
    with tempfile.TemporaryDirectory(prefix="editgauge-") as place:
        now, part = paths.folder(Path(place), "now"), paths.folder(Path(place), "part")
        for file, suffix, difference in ((PAID, _PAID, _new_replies), (FILE, ".sqlite", _changes)):
            _copy(folder / file, now / file)
            if difference(now / file, before / file, part / file):
                if file == FILE:
                    _send_pictures(store, folder, part)
                store.send(part / file, f"{name}{suffix}")
                _remember(before, f"{name}{suffix}")
                os.replace(now / file, before / file)


def _send_pictures(store: Store, folder: Path, part: Path) -> None:
    with contextlib.closing(Run.open(part)) as run:
        named = {one.path for one in run.edits()}
        for benchmark in run.benchmarks():
            named |= {path for one in run.samples(benchmark) for path in schema.pictures_of(one)}
    there = {entry.relative: entry.size for entry in store.files("inputs")}
    files = {name: folder / name for name in named if name and not paths.fault(folder, name)}
    new = [(file, name) for name, file in files.items() if there.get(name) != file.stat().st_size]
    at_once(lambda one: store.send(*one), sorted(new))


def _new_replies(now: Path, before: Path, part: Path) -> bool:
    """The replies that were paid for since the last time, into a file of their own."""
    if not now.exists():
        return False
    with Paid(now) as ours, Paid(before) as known, Paid(part) as new, new.transaction():
        if ours.damaged():  # they are paid for: better an error than another machine pays again
            raise RunError("the copy of the run has damaged replies; see: editgauge check RUN")
        for key, reply in ours.replies():
            if known.get(key) != reply:
                new.put(key, reply)
        return len(new) > 0


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
    WHERE a.series = b.series AND a.sample = b.sample AND a.repeat = b.repeat)"""


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
            put(db, "facts", (_GONE, schema.json(gone)))
            return bool(gone) or any(new[t].rowcount > 0 for t in new if t != "facts")


def _copy(file: Path, target: Path) -> None:
    """A copy of a database as it is at this moment, with what lies in its journal."""
    if file.exists():
        with (
            contextlib.closing(sqlite3.connect(file)) as ours,
            contextlib.closing(sqlite3.connect(target)) as theirs,
        ):
            ours.backup(theirs)


def _before(folder: Path) -> Path:
    """The folder with the run's files as they were when they were last handed over."""
    return paths.folder(folder.parent, f"{folder.name}.store")


def _read_list(folder: Path) -> Mapping[str, Any]:
    """What a copy has: name -> size and mark, or the parts of a run."""
    try:
        listed = orjson.loads(paths.read(folder / _LIST))
    except (OSError, ValueError):
        return {}
    return listed if isinstance(listed, dict) else {}


def _remember(folder: Path, *parts: str) -> None:
    known = {**_read_list(folder), **dict.fromkeys(parts)}
    paths.write(folder, _LIST, orjson.dumps(known))

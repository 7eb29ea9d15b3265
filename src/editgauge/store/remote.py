"""Runs on stores: worked on in a folder of this machine, handed over without a lock.

::

    RUN/parts/<time>-<random>.sqlite         what one command changed: an immutable run of its own
    RUN/parts/<time>-<random>.paid.sqlite    the replies that it paid for
    RUN/edits/…, RUN/inputs/…                pictures

A run on a store is the join of its parts, in the order of their names. A part is sent after the
pictures that it names, whole or not at all: a command that is killed before leaves what was there.
Two machines that end at once leave two parts. The folder of this machine (below
``EDITGAUGE_CACHE``) stays, with the files of the run as they were when they were last handed over:
what could not be handed over is handed over by the next command.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import orjson

from editgauge.errors import EditgaugeError, RunError
from editgauge.store import paths, records, schema, sqlite
from editgauge.store.addresses import Entry, Store, address_of, at_once, mark_of, opened, user_cache
from editgauge.store.file import put
from editgauge.store.merge import take_rows
from editgauge.store.paid import Paid
from editgauge.store.run import FILE, PAID, Run

PARTS = "parts"
_ROOMS = ("edits", "inputs")
_PAID = ".paid.sqlite"
_GONE = "gone"


@contextlib.contextmanager
def working(run: Path) -> Iterator[Path]:
    """The folder to work in: `run` itself, or this machine's copy of an address, which is handed
    over at the end of the ``with`` block, however that ends. A folder that was not there before,
    and in which an error left neither outputs nor scores nor replies, is taken away again.

    Raises `DownloadError` when the store does not answer (what was done is kept here), and
    `RunError` for what lies there and is no run.
    """
    address = address_of(run)
    if address is None:
        new = not os.path.lexists(run)
        try:
            yield run
        except EditgaugeError:
            if new and not _holds_work(run):
                shutil.rmtree(run, ignore_errors=True)
            raise
        return
    store = opened(address)
    folder = bring(store)
    try:
        yield folder
    finally:
        push(store, folder)


def _holds_work(run: Path) -> bool:
    """Whether anything lies in a run folder that was made, asked or paid for."""
    if any(path.is_file() for path in (run / "edits").rglob("*")):
        return True
    if any(path.name != FILE for path in run.glob("*.sqlite")):
        return True
    with contextlib.suppress(RunError):
        there = Run.open(run)
        try:
            return bool(there.series() or there.edits())
        finally:
            there.close()
    return False


@contextlib.contextmanager
def changing(run: Path) -> Iterator[Run]:
    """As `working`, a run that is there already. Raises `RunError` where there is none."""
    with working(run) as folder:
        _need_run(run, folder)
        yield Run.open(folder)


@contextlib.contextmanager
def keeping_up(run: Path, gather: Callable[[], object], seconds: float) -> Iterator[None]:
    """Meanwhile, every so many seconds, call `gather` and hand over what it has brought into the
    run of an address. What fails is told on standard error and tried again the next time.
    """
    address = address_of(run)
    if address is None:
        yield
        return
    stop = threading.Event()

    def keep_up() -> None:
        while not stop.wait(seconds):
            try:
                gather()
                push(opened(address), folder_of(address))
            except (EditgaugeError, OSError) as error:
                print(f"not handed over yet: {error}", file=sys.stderr, flush=True)

    thread = threading.Thread(target=keep_up, name="keep-up", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def fetched(run: Path, *, pictures: bool = True) -> Path:
    """The folder to read from: `run` itself, or this machine's copy of an address, brought up to
    date (without `pictures`: but for these). Raises as `working` does.
    """
    address = address_of(run)
    if address is None:
        return run
    folder = bring(opened(address), pictures=pictures)
    _need_run(run, folder)
    return folder


def _need_run(run: Path, folder: Path) -> None:
    address = address_of(run)
    if address is not None and not (folder / FILE).exists():
        raise RunError(f"{address}: no run is there; check the address and your rights")


def folder_of(address: str) -> Path:
    """Where this machine's copy of a run on a store lies."""
    return user_cache() / "runs" / mark_of(address) / (address.rsplit("/", 1)[-1] or "run")


# -- from the store --------------------------------------------------------------------------------


def bring(store: Store, *, pictures: bool = True) -> Path:
    """Bring this machine's copy of a run up to date; returns its folder, empty when there is no run
    on the store. What was not yet handed over is, first. Raises `RunError` for a part that is none.
    """
    folder = folder_of(store.address)
    folder.mkdir(parents=True, exist_ok=True)
    push(store, folder)
    entries = store.files()
    if any(entry.relative == FILE for entry in entries):
        raise RunError(
            f"{store.address}: a run folder that was copied there by hand; copy it here, and hand "
            f"it over with: editgauge merge COPY --to ADDRESS (another address)"
        )
    known = _known(folder)
    parts = [e for e in entries if e.relative.startswith(f"{PARTS}/") and e.relative not in known]
    anew: set[str] = set()
    if parts:
        run = Run.create(folder)
        for entry in parts:
            anew |= _take_part(store, run, entry)
        run.close()
        for name in (FILE, PAID):
            _copy(folder / name, _before(folder) / name)
        _remember(folder, known | {entry.relative for entry in parts})
    if pictures:
        _bring_pictures(store, folder, entries, anew)
    return folder


def _take_part(store: Store, run: Run, entry: Entry) -> set[str]:
    """Join a part into this machine's copy; the outputs that it names."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        there = Path(folder) / (PAID if entry.relative.endswith(_PAID) else FILE)
        store.fetch(entry, there)
        try:
            if there.name == PAID:
                with Paid(there) as theirs, Paid(run.replies_path) as ours, ours.transaction():
                    for key, reply in theirs.replies():
                        ours.put(key, reply)
                return set()
            part = Run.open(Path(folder))
            if part.damage is not None:
                raise part.damage
            _join(part, run)
            pictures = {str(one.path) for one in part.edits() if one.path}
            part.close()
        except RunError as error:
            raise RunError(
                f"{store.address}: {entry.relative}: no part of a run ({error}); remove it there"
            ) from error
    return pictures


def _join(part: Run, target: Run) -> None:
    """Put a part's records into a run; of one key the part's counts, which is the newer."""
    with target.changing() as db:
        for benchmark in part.benchmarks():
            target.write_samples(benchmark, part.samples(benchmark))
        for benchmark in part.described_benchmarks():
            target.keep_metrics(benchmark, part.metrics(benchmark).values())
        target.write_edits(part.edits())
        take_rows(db, part, target, lambda _, old, new: old[3:] != new[3:])
        gone = orjson.loads(part.fact(_GONE) or "[]")
        target.drop((tuple(key), mark) for *key, mark in gone)
        target.take_entries(part)


def _bring_pictures(store: Store, folder: Path, entries: Sequence[Entry], anew: set[str]) -> None:
    def wanted(entry: Entry) -> bool:
        if entry.relative.split("/")[0] not in _ROOMS:
            return False
        why = paths.fault(folder, entry.relative)
        if why not in (None, "not there"):
            raise RunError(f"{folder / entry.relative}: {why}; nothing is written there")
        return why is not None or entry.relative in anew

    def get(entry: Entry) -> None:
        paths.folder(folder, Path(entry.relative).parent.as_posix())
        store.fetch(entry, folder / entry.relative)

    at_once(get, [entry for entry in entries if wanted(entry)])


# -- to the store ----------------------------------------------------------------------------------


def push(store: Store, folder: Path) -> str:
    """Hand over what this machine has and the store has not; returns the name of the new part, or
    "" when there was nothing to hand over.
    """
    if not (folder / FILE).exists():
        return ""
    before, sent = _before(folder), ""
    name = f"{PARTS}/{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(6)}"
    with tempfile.TemporaryDirectory(prefix="editgauge-") as place:
        now, part = Path(place) / "now", Path(place) / "part"
        now.mkdir()
        part.mkdir()
        for file in (FILE, PAID):
            _copy(folder / file, now / file)
        if _new_replies(now / PAID, before / PAID, part / PAID):
            sent = name + _PAID
            store.send(part / PAID, sent)
            _remember(folder, _known(folder) | {sent})
            os.replace(now / PAID, before / PAID)
        if _difference(now / FILE, before / FILE, part / FILE):
            made = Run.open(part)
            pictures = {str(one.path) for one in made.edits() if one.path} | _inputs(made)
            made.close()
            _send_pictures(store, folder, pictures)
            sent = f"{name}.sqlite"
            store.send(part / FILE, sent)
            _remember(folder, _known(folder) | {sent})
            os.replace(now / FILE, before / FILE)
    return sent


def _send_pictures(store: Store, folder: Path, names: set[str]) -> None:
    there = {entry.relative: entry.size for entry in store.files("inputs")}

    def send(name: str) -> None:
        file = paths.inside(folder, name)
        if there.get(name) != file.stat().st_size:
            store.send(file, name)

    at_once(send, sorted(name for name in names if paths.fault(folder, name) is None))


def _inputs(part: Run) -> set[str]:
    found: set[str] = set()
    for benchmark in part.benchmarks():
        for record in part.samples(benchmark):
            masks = (record.get("masks") or {}).values()
            found |= {*record["images"], record.get("reference"), *masks} - {None}
    return found


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


_SAME = """DELETE FROM {table} WHERE EXISTS (SELECT 1 FROM before.{table} AS b
    WHERE {key} AND b.mark = {table}.mark AND b.{told} IS {table}.{told})"""
_KEYS = {
    "rows": (("series", "sample", "repeat"), "fingerprint"),
    "edits": (("sample", "editor"), "facts"),
    "entries": (("id",), "facts"),
    "metrics": (("id",), "facts"),
}


def _difference(now: Path, before: Path, part: Path) -> bool:
    """Make a run of what `now` says and `before` does not; whether there is anything. `before` is
    an earlier state of the same file: its numbers of samples and series mean the same.
    """
    if not before.exists():
        sqlite.create(before, schema.SCHEMA)
    _copy(now, part)
    with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as db:
        db.execute("ATTACH ? AS before", (str(before),))
        with sqlite.transaction(db):
            gone = _gone(db)
            for table, (key, told) in _KEYS.items():
                where = " AND ".join(f"b.{one} = {table}.{one}" for one in key)
                db.execute(_SAME.format(table=table, key=where, told=told))
            db.execute(
                "DELETE FROM samples WHERE id NOT IN (SELECT sample FROM rows) AND id NOT IN "
                "(SELECT sample FROM edits) AND EXISTS (SELECT 1 FROM before.samples AS b WHERE "
                "b.id = samples.id AND b.mark = samples.mark AND b.facts IS samples.facts)"
            )
            db.execute("DELETE FROM origins WHERE id NOT IN (SELECT origin FROM rows)")
            put(db, "facts", (_GONE, records.json(gone)))
            found = _count_anew(db)
        db.execute("DETACH before")
        db.execute("VACUUM")
    return found > 0 or bool(gone)


def _gone(db: sqlite3.Connection) -> list[list[object]]:
    """The keys and fingerprints of rows that are not there any more."""
    lost = db.execute(
        "SELECT s.benchmark, n.sample, s.editor, s.scorer, s.metric, s.variant, s.source, "
        "r.repeat, r.fingerprint FROM before.rows r JOIN before.series s ON s.id = r.series "
        "JOIN before.samples n ON n.id = r.sample WHERE NOT EXISTS (SELECT 1 FROM main.rows a "
        "WHERE a.series = r.series AND a.sample = r.sample AND a.repeat = r.repeat)"
    )
    return [[*key, schema.unpacked(mark)] for *key, mark in lost]


def _count_anew(db: sqlite3.Connection) -> int:
    """Bring the counts of a part's records up to date; how many there are."""
    for series in db.execute("SELECT * FROM series").fetchall():
        (rows,) = db.execute("SELECT count(*) FROM rows WHERE series = ?", series[:1]).fetchone()
        if rows:
            put(db, "series", (*series[:-2], rows))
        else:
            db.execute("DELETE FROM series WHERE id = ?", series[:1])
    total = 0
    for table in schema.COUNTED:
        (count,) = db.execute(f"SELECT count(*) FROM {table}").fetchone()
        put(db, "facts", (f"count {table}", str(count)))
        total += count
    return total


# -- what this machine knows -----------------------------------------------------------------------


def _copy(file: Path, target: Path) -> None:
    """A copy of a database as it is at this moment, with what lies in its journal."""
    if not file.exists():
        return
    with (
        contextlib.closing(sqlite3.connect(file)) as ours,
        contextlib.closing(sqlite3.connect(target)) as theirs,
    ):
        ours.backup(theirs)


def _before(folder: Path) -> Path:
    """The folder with the run's files as they were when they were last handed over."""
    place = folder.parent / f"{folder.name}.store"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _known(folder: Path) -> set[str]:
    try:
        return set(orjson.loads((_before(folder) / "parts.json").read_bytes()))
    except (OSError, ValueError):
        return set()


def _remember(folder: Path, parts: set[str]) -> None:
    paths.write(_before(folder), "parts.json", orjson.dumps(sorted(parts)))

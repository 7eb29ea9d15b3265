"""Runs on a store: worked on in a folder of this machine, handed over without a lock.

::

    RUN/parts/<time>-<random>.sqlite    what one command changed: an immutable run of its own
    RUN/parts/<time>-<random>.paid.sqlite    the replies that it paid for
    RUN/edits/…, RUN/inputs/…           pictures

A run on a store is the join of its parts, in the order of their names. A part is sent after the
pictures that it names, whole or not at all: a command that is killed before leaves what was there.
Two machines that end at once leave two parts. The folder of this machine (below
``EDITGAUGE_CACHE``) stays, with a copy of what it was when it was last handed over: what could not
be handed over is handed over by the next command.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import EditgaugeError, RunError
from editgauge.store import database, paths, schema
from editgauge.store.addresses import Entry, Store, address_of, opened, user_cache
from editgauge.store.merge import take_rows
from editgauge.store.paid import Paid
from editgauge.store.run import FILE, PAID, Run
from editgauge.store.schema import Series

PARTS = "parts"
AT_ONCE = 8
_ROOMS = ("edits", "inputs")
_STATE = ".store"
"""Beside a copy of a run: what it was when it was last handed over."""
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
    mark = hashlib.blake2b(address.encode(), digest_size=8).hexdigest()
    return user_cache() / "runs" / mark / (address.rsplit("/", 1)[-1] or "run")


# -- from the store --------------------------------------------------------------------------------


def bring(store: Store, *, pictures: bool = True) -> Path:
    """Bring this machine's copy of a run up to date; returns its folder, empty when there is no run
    on the store. What was not yet handed over stays. Raises `RunError` for a part that is none.
    """
    folder = folder_of(store.address)
    folder.mkdir(parents=True, exist_ok=True)
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
        _remember(folder, known | {entry.relative for entry in parts})
    if pictures:
        _bring_pictures(store, folder, entries, anew)
    return folder


def _take_part(store: Store, run: Run, entry: Entry) -> set[str]:
    """Join a part into this machine's copy and into what that was when it was handed over; the
    pictures that it names anew.
    """
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        there = Path(folder) / (PAID if entry.relative.endswith(_PAID) else FILE)
        store.fetch(entry, there)
        try:
            if there.name == PAID:
                for target in (run.replies_path, _base(run.path) / PAID):
                    _take_replies(there, target)
                return set()
            part = Run.open(Path(folder))
            if part.damage is not None:
                raise part.damage
            base = Run.create(_base(run.path))
            pictures = {str(one.path) for one in part.edits() if one.path}
            _join(part, run)
            _join(part, base)
            base.close()
            part.close()
        except RunError as error:
            raise RunError(
                f"{store.address}: {entry.relative}: no part of a run ({error}); remove it there"
            ) from error
    return pictures


def _take_replies(source: Path, target: Path) -> None:
    with Paid(source) as theirs, Paid(target) as ours, ours.transaction():
        for key, reply in theirs.replies():
            ours.put(key, reply)


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

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(get, [entry for entry in entries if wanted(entry)]):
            pass


# -- to the store ----------------------------------------------------------------------------------


def push(store: Store, folder: Path) -> str:
    """Hand over what this machine has and the store has not; returns the name of the new part, or
    "" when there was nothing to hand over.
    """
    if not (folder / FILE).exists():
        return ""
    base = _base(folder)
    name = f"{PARTS}/{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(6)}"
    with tempfile.TemporaryDirectory(prefix="editgauge-") as made:
        replies = _new_replies(folder, Path(made))
        run, before = Run.open(folder), Run.create(base)
        part = Run.create(Path(made) / "part")
        changed = _difference(run, before, part)
        pictures = {str(one.path) for one in part.edits() if one.path} | _inputs(part)
        part.close()
        if changed:
            _send_pictures(store, folder, pictures)
        sent = []
        if replies:
            sent.append(_send(store, Path(made) / PAID, name + _PAID))
            _take_replies(Path(made) / PAID, base / PAID)
        if changed:
            sent.append(_send(store, Path(made) / "part" / FILE, f"{name}.sqlite"))
            joined = Run.open(Path(made) / "part")
            _join(joined, before)
            joined.close()
        run.close()
        before.close()
    _remember(folder, _known(folder) | set(sent))
    return sent[-1] if sent else ""


def _send(store: Store, file: Path, name: str) -> str:
    store.call("pipe_file", store.path(name), file.read_bytes())
    return name


def _send_pictures(store: Store, folder: Path, names: set[str]) -> None:
    there = {entry.relative: entry.size for room in _ROOMS for entry in store.files(room)}

    def send(name: str) -> None:
        file = paths.inside(folder, name)
        if name.startswith("inputs/") and there.get(name) == file.stat().st_size:
            return
        store.call("put_file", str(file), store.path(name))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(send, sorted(n for n in names if paths.fault(folder, n) is None)):
            pass


def _inputs(part: Run) -> set[str]:
    found: set[str] = set()
    for benchmark in part.benchmarks():
        for record in part.samples(benchmark):
            masks = (record.get("masks") or {}).values()
            found |= {*record["images"], record.get("reference"), *masks} - {None}
    return found


def _new_replies(folder: Path, made: Path) -> bool:
    """The replies that were paid for since the last time, into a file of their own."""
    if not (folder / PAID).exists():
        return False
    new = 0
    with Paid(folder / PAID) as ours, Paid(_base(folder) / PAID) as before, Paid(made / PAID) as to:
        if ours.damaged():  # they are paid for: better an error than another machine pays again
            raise RunError(f"{folder / PAID}: damaged replies; see: editgauge check-run RUN")
        with to.transaction():
            for key, reply in ours.replies():
                if before.get(key) != reply:
                    to.put(key, reply)
                    new += 1
    return new > 0


def _difference(run: Run, before: Run, part: Run) -> bool:
    """Write into `part` what `run` says and `before` does not; whether there is anything."""
    with part.changing() as db:
        for benchmark in run.benchmarks():
            old = {record["id"]: record for record in before.samples(benchmark)}
            new = [one for one in run.samples(benchmark) if old.get(one["id"]) != one]
            part.write_samples(benchmark, new)
        for benchmark in run.described_benchmarks():
            known = before.metrics(benchmark)
            metrics = [
                one for name, one in run.metrics(benchmark).items() if known.get(name) != one
            ]
            part.keep_metrics(benchmark, metrics)
        edits = {(one.benchmark, one.sample, one.editor): one for one in before.edits()}
        part.write_edits(
            one for one in run.edits() if edits.get((one.benchmark, one.sample, one.editor)) != one
        )
        gone = _changed_rows(db, run, before, part)
        part.set_fact(_GONE, database.json(gone))
        part.take_entries(run, but=before)
        counts = [db.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in schema.COUNTED]
    return bool(gone) or any(counts)


def _changed_rows(db: sqlite3.Connection, run: Run, before: Run, part: Run) -> list[list[Any]]:
    """Write the rows that are new or others; the keys and fingerprints of those that are gone."""
    old = {series[1:7]: series for series in before.series()}
    names, were = run.sample_names(), before.sample_names()
    origins = run.origins()
    gone: list[list[Any]] = []
    for series in run.series():
        there: dict[tuple[str, int], Any] = {}
        if series[1:7] in old:
            for record in before.records(old[series[1:7]]):
                there[were[record[1]][1], record[2]] = record
        new = []
        for record in run.records(series):
            name = names[record[1]]
            known = there.pop((name[1], record[2]), None)
            if known is None or known[3:8] != record[3:8]:
                moved = (
                    part.number_of(db, "series", tuple(series[1:7])),
                    part.number_of(db, "samples", name),
                    *record[2:8],
                    part.number_of(db, "origins", (origins.get(record[8], "{}"),)),
                )
                new.append((*moved, schema.row_mark(moved)))
        if new:
            part.put_records(db, new[0][0], new)
        gone += [_key(series, name, record) for (name, _), record in there.items()]
    return gone


def _key(series: Series, sample: str, record: Any) -> list[Any]:
    head = [series.benchmark, sample, *series[2:7], record[2]]
    return [*head, schema.unpacked(record[6])]


# -- what this machine knows -----------------------------------------------------------------------


def _base(folder: Path) -> Path:
    place = folder.parent / f"{folder.name}{_STATE}"
    place.mkdir(parents=True, exist_ok=True)
    return place


def _known(folder: Path) -> set[str]:
    try:
        return set(orjson.loads((_base(folder).parent / f"{folder.name}.parts.json").read_bytes()))
    except (OSError, ValueError):
        return set()


def _remember(folder: Path, parts: set[str]) -> None:
    paths.write(folder.parent, f"{folder.name}.parts.json", orjson.dumps(sorted(parts)))

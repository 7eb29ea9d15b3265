"""Runs on a store: worked on in a folder of this machine, handed over without a lock.

::

    RUN/rows/segments/*.jsonl, RUN/rows/edits/*.jsonl  as in a run folder: each has one writer
    RUN/edits/…, RUN/inputs/…                          pictures, likewise
    RUN/reply-parts/*.sqlite                           judges' replies (`store.reply_parts`)
    RUN/rows/parquet/rows-<content>.parquet            the current rows of the state that names it
    RUN/states/<time>-<random>.json                    what the run is, as one worker knows it

A state names the files of the run with their sizes and checksums, holds the manifest, the metrics
and the index of samples, and says which earlier states it contains. It is written last, under a
name of its own: a worker that is killed before leaves files that no state names, and what was there
before. Two workers that end at once leave two states, which every reader joins. Of rows nothing is
ever replaced but by a longer version of one's own segment: none is lost, and none counts twice.

Rows are compacted where a command ends: the Parquet file that it has made of all segments goes to
the store under a name made from their content, and the state, written last, names it. A reader of
one state reads that file (`store.store_run`); of two, the segments. Nobody waits for anybody.

The folder of this machine (below ``EDITGAUGE_CACHE``) stays: what could not be handed over is
handed over by the next command.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import DataError, DownloadError, EditgaugeError, RunError
from editgauge.json_text import uncrowded
from editgauge.store import described, paths, reply_parts, segments
from editgauge.store.addresses import Entry, Store, address_of, opened, user_cache
from editgauge.store.owner import owner_of, written
from editgauge.store.parquet import FOLDER
from editgauge.store.run_folder import EDIT_SEGMENTS, FORMAT, ROW_SEGMENTS, RunFolder

ROOMS = (ROW_SEGMENTS, EDIT_SEGMENTS, "edits", "inputs", reply_parts.FOLDER)
"""What of a run is handed over file by file."""
AT_ONCE = 8
_STATES = "states"
_STATE_FORMAT = 1
_READINGS = 10
_OWN = ".store.json"
_PARQUET = re.compile(r"rows-[0-9a-f]{16}\.parquet")
Mark = tuple[int, str]
"""Bytes and checksum of a file."""


@dataclass(slots=True, kw_only=True)
class State:
    """What a run on a store is: the union of the states that no other contains."""

    names: set[str] = field(default_factory=set)
    files: dict[str, set[Mark]] = field(default_factory=dict)
    documents: list[dict[str, Any]] = field(default_factory=list)

    @property
    def parquet(self) -> tuple[str, int] | None:
        """The file of all current rows and its bytes, where one state is all there is and has
        one.
        """
        told = self.documents[0].get("parquet") if len(self.documents) == 1 else None
        return None if told is None else (f"{FOLDER}/{told[0]}", int(told[1]))

    @property
    def segments(self) -> list[str]:
        """The segments of rows."""
        return sorted(name for name in self.files if name.startswith(f"{ROW_SEGMENTS}/"))


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
    folder = fetch(store)
    try:
        yield folder
    finally:
        push(store, folder)


def _holds_work(run: Path) -> bool:
    """Whether anything lies in a run folder that was made, asked or paid for."""
    made = (path for room in ("edits", "rows", "replies") for path in (run / room).rglob("*"))
    return any(path.is_file() for path in made) or any(run.glob("*.sqlite*"))


@contextlib.contextmanager
def changing(run: Path) -> Iterator[RunFolder]:
    """As `working`, a run that is there already. Raises `RunError` where there is none."""
    with working(run) as folder:
        _need_run(run, folder)
        yield RunFolder.open(folder)


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
        store = opened(address)
        while not stop.wait(seconds):
            try:
                gather()
                push(store, folder_of(address))
            except (EditgaugeError, OSError) as error:
                print(f"not handed over yet: {error}", file=sys.stderr, flush=True)

    thread = threading.Thread(target=keep_up, name="keep-up", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def fetched(run: Path) -> Path:
    """The folder to read from: `run` itself, or this machine's copy of an address, brought up to
    date. Raises as `working` does.
    """
    address = address_of(run)
    if address is None:
        return run
    folder = fetch(opened(address))
    _need_run(run, folder)
    return folder


def _need_run(run: Path, folder: Path) -> None:
    address = address_of(run)
    if address is not None and not (folder / "manifest.json").exists():
        raise RunError(f"{address}: no run is there; check the address and your rights")


def folder_of(address: str) -> Path:
    """Where this machine's copy of a run on a store lies."""
    mark = hashlib.blake2b(address.encode(), digest_size=8).hexdigest()
    return user_cache() / "runs" / mark / (address.rsplit("/", 1)[-1] or "run")


def fetch(store: Store) -> Path:
    """Bring this machine's copy of a run up to date; returns its folder, empty when there is no run
    on the store. What was not yet handed over stays.
    """
    folder = folder_of(store.address)
    folder.mkdir(parents=True, exist_ok=True)
    state = read_state(store)
    if not state.names:
        _refuse_copied(store)
        return folder
    bring(store, folder, state, state.files)
    return folder


def _refuse_copied(store: Store) -> None:
    if any(entry.relative == "manifest.json" for entry in store.files()):
        raise RunError(
            f"{store.address}: a run folder that was copied there by hand; copy it here, and "
            f"hand it over with: editgauge merge COPY --to ADDRESS (another address)"
        )


def bring(store: Store, folder: Path, state: State, names: Collection[str]) -> None:
    """Bring these files of a state, and what else it says, to a folder of this machine."""
    known = _own(folder)
    wanted = sorted(n for n in names if not _there(folder, n, state.files[n], known))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for mark in pool.map(lambda n: _bring(store, folder, n, state.files[n]), wanted):
            known.update(mark)
    _join(folder, state.documents)
    if any(name.startswith(f"{reply_parts.FOLDER}/") for name in names):
        reply_parts.take_over(folder, [])
    _remember(folder, known, state.names)


def push(store: Store, folder: Path) -> str:
    """Hand over what this machine has and the store has not; returns the name of the new state, or
    "" when there was nothing to hand over.
    """
    if not (folder / "manifest.json").exists():
        return ""
    unread: list[str] = []
    reply_parts.hand_over(folder, unread)
    if unread:  # they are paid for: better an error than another machine that pays again
        raise RunError(f"{folder}: {unread[0]}")
    state = read_state(store)  # others may have handed over meanwhile
    known = _own(folder)
    mine = {name: _mark(folder, name, known) for name in _files(folder)}
    for name, mark in mine.items():
        known[name] = [*mark, *_times(folder / name)]
    news = [name for name, mark in mine.items() if _is_news(name, mark, state.files.get(name))]
    document = _document(folder)
    if not news and any(_same(document, other) for other in state.documents):
        return ""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for _ in pool.map(lambda name: _send(store, folder, name, mine[name]), news):
            pass
    contained = _contained(folder) & state.names
    name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(6)}.json"
    files = {name: max(marks) for name, marks in state.files.items()} | {
        name: mark for name, mark in mine.items() if name in news or name not in state.files
    }
    told = {
        "format": _STATE_FORMAT,
        "contains": sorted(contained),
        "files": {name: list(mark) for name, mark in sorted(files.items())},
        **document,
        **_compacted(store, folder, {name for name in files if mine.get(name) != files[name]}),
    }
    data = orjson.dumps(segments.storable(told))
    store.call("pipe_file", store.path(f"{_STATES}/{name}"), data)
    _remember(folder, known, {name})
    with contextlib.suppress(Exception):  # they are contained: who reads them wastes time only
        for old in contained:
            store.call("rm_file", store.path(f"{_STATES}/{old}"))
        kept = told.get("parquet", [""])[0]
        for one in state.documents:
            if one["name"] in contained and one.get("parquet") and one["parquet"][0] != kept:
                store.call("rm_file", store.path(f"{FOLDER}/{one['parquet'][0]}"))
    return name


def _compacted(store: Store, folder: Path, elsewhere: set[str]) -> dict[str, Any]:
    """Hand over the Parquet file of all rows; what a state says of it. Empty where segments lie
    `elsewhere`, or there are no rows.
    """
    if any(name.startswith(f"{ROW_SEGMENTS}/") for name in elsewhere):
        return {}
    run = RunFolder.open(folder)
    for place in run.parquet():
        path = Path(place)
        if run.problems or not _PARQUET.fullmatch(path.name):
            break  # who reads shall be told of them: he reads the segments
        data = paths.read(path, limit=paths.SEGMENT_BYTES)
        store.call("pipe_file", store.path(f"{FOLDER}/{path.name}"), data)
        return {"parquet": [path.name, *_mark_of(data)]}
    return {}


def _is_news(name: str, mark: Mark, there: set[Mark] | None) -> bool:
    """Whether a file of this machine is to be handed over: of a segment the longer version is the
    newer one.
    """
    if there is None:
        return True
    return mark[0] > max(there)[0] if _is_segment(name) else mark not in there


def _is_segment(name: str) -> bool:
    return name.startswith((f"{ROW_SEGMENTS}/", f"{EDIT_SEGMENTS}/"))


# -- states ----------------------------------------------------------------------------------------


def read_state(store: Store) -> State:
    """The states that no other contains, joined.

    A state that goes while it is read is contained in one that is there by then: all is read again.
    """
    for _ in range(_READINGS):
        with contextlib.suppress(FileNotFoundError):
            return _joined({_name(e): _parsed(store, e) for e in store.files(_STATES)})
    raise DownloadError(f"{store.address}: its states change faster than they are read; try again")


def _name(entry: Entry) -> str:
    return entry.relative.removeprefix(f"{_STATES}/")


def _joined(read: Mapping[str, dict[str, Any]]) -> State:
    contained = {name for one in read.values() for name in one["contains"]}
    state = State()
    for name in sorted(read.keys() - contained):
        state.names.add(name)
        state.documents.append({**read[name], "name": name})
        for path, (size, mark) in read[name]["files"].items():
            state.files.setdefault(path, set()).add((size, mark))
    return state


def _parsed(store: Store, entry: Entry) -> dict[str, Any]:
    """A state as it must be. It may come from anybody: a path that is none of a run's ends all."""
    if entry.size > paths.MANIFEST_BYTES * 8:
        raise RunError(
            f"{store.address}: {entry.relative}: {entry.size:,} bytes; no state of a run"
        )
    data = store.call("cat_file", entry.name)
    try:
        state = orjson.loads(uncrowded(data))
        if state["format"] != _STATE_FORMAT:
            raise ValueError(f"format {state['format']!r}, this version reads {_STATE_FORMAT}")
        for path, (size, mark) in state["files"].items():
            room = next((r for r in ROOMS if str(path).startswith(f"{r}/")), None)
            why = "lies in no room of a run" if room is None else paths.misplaced(path, room)
            if why or not isinstance(size, int) or not isinstance(mark, str):
                raise ValueError(f"{path[:200]!a}: {why or 'no size and checksum'}")
        kinds = {"contains": list, "manifest": dict, "metrics": dict, "samples": dict}
        if not all(isinstance(state[name], kind) for name, kind in kinds.items()):
            raise ValueError("not what a state holds")
        records = [one for part in state["samples"].values() for one in part]
        if not all(isinstance(record, dict) and "id" in record for record in records):
            raise ValueError("a sample without an id")
        if not isinstance(state["manifest"].get("entries", []), list):
            raise ValueError("entries that are no list")
        if (rows := state.get("parquet")) is not None:
            kinds_of = (str, int, str)
            fit = isinstance(rows, list) and len(rows) == len(kinds_of)
            if (
                not fit
                or not all(map(isinstance, rows, kinds_of))
                or not _PARQUET.fullmatch(rows[0])
            ):
                raise ValueError(f"no name of a Parquet file: {str(rows)[:80]}")
        metrics = state["metrics"].items()
        described.checked({k: v for k, v in metrics if k not in described.MARKS})
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(
            f"{store.address}: {entry.relative}: no state of a run ({error}); remove it there"
        ) from error
    return dict(state)


def _document(folder: Path) -> dict[str, Any]:
    """What of a run is no file of one writer: the manifest, the metrics, the index of samples."""
    run = RunFolder.open(folder)
    return {
        "manifest": run.manifest(),
        "metrics": run.described(),
        "samples": {name: run.samples(name) for name in run.benchmarks()},
    }


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    def entries(document: Mapping[str, Any]) -> list[Any]:
        return list(document["manifest"].get("entries", []))

    def rest(document: Mapping[str, Any]) -> bytes:
        kept = {name: document[name] for name in ("metrics", "samples")}
        return orjson.dumps(segments.storable(kept), option=orjson.OPT_SORT_KEYS)

    return entries(one) == entries(other) and rest(one) == rest(other)


def _join(folder: Path, documents: Iterable[Mapping[str, Any]]) -> None:
    """Bring the documents of states into the run of this machine; what is there stays."""
    documents = list(documents)
    entries: list[Any] = []
    oldest = min((str(d["manifest"].get("created", "")) for d in documents), default="")
    if (folder / "manifest.json").exists():
        entries += RunFolder(folder).manifest().get("entries", [])
    for document in documents:
        if document["manifest"].get("format") != FORMAT:
            raise RunError(
                f"{folder.name}: run format {document['manifest'].get('format')!r} on the store, "
                f"this version reads {FORMAT}; use the editgauge that wrote it"
            )
        entries += [e for e in document["manifest"].get("entries", []) if e not in entries]
    entries.sort(key=lambda entry: str(entry.get("at", "")) if isinstance(entry, dict) else "")
    manifest = {**documents[0]["manifest"], "created": oldest, "entries": entries}
    run = RunFolder.adopt(folder, {**manifest, **_owners(folder, documents)})
    for document in documents:
        run.adopt_metrics(document["metrics"])
        for benchmark, samples in document["samples"].items():
            run.write_samples(benchmark, samples)


def _owners(folder: Path, documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The ids under which the machines that share a run write, and the files of earlier versions
    among those that states name; nothing where no machine knows an id.
    """
    here = folder / "manifest.json"
    known = [RunFolder(folder).manifest()] if here.exists() else []
    told = [*((one, ()) for one in known), *((d["manifest"], d["files"]) for d in documents)]
    ids: list[str] = []
    older: list[str] = []
    for manifest, names in told:
        if "ids" in manifest:
            mine = owner_of(manifest)
            ids += mine.ids
            older += mine.older or ()
        else:
            older += [name.split("/", 1)[1] for name in names if _is_segment(name)]
    return written(ids, older) if ids else {}


# -- files -----------------------------------------------------------------------------------------


def _files(folder: Path) -> Iterator[str]:
    """The regular files of a run that are handed over."""
    for room in ROOMS:
        for place, folders, names in os.walk(folder / room):
            folders[:] = [name for name in folders if not (Path(place) / name).is_symlink()]
            for name in names:
                relative = (Path(place) / name).relative_to(folder).as_posix()
                if _is_segment(relative) and not name.endswith(segments.SUFFIX):
                    continue
                if paths.fault(folder, relative, limit=paths.SEGMENT_BYTES) is None:
                    yield relative


def _content(folder: Path, name: str) -> bytes:
    """The bytes of a file; of a segment its whole lines."""
    path = paths.inside(folder, name, limit=paths.SEGMENT_BYTES)
    data = paths.read(path, limit=paths.SEGMENT_BYTES)
    if _is_segment(name):
        return data[: data.rfind(b"\n") + 1]
    return data


def _mark_of(data: bytes) -> Mark:
    return len(data), hashlib.blake2b(data, digest_size=16).hexdigest()


def _times(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_size, found.st_mtime_ns


def _mark(folder: Path, name: str, known: Mapping[str, Any]) -> Mark:
    """Size and checksum of a file of this machine, remembered by its size and time."""
    old = known.get(name)
    if old and tuple(old[2:]) == _times(folder / name):
        return int(old[0]), str(old[1])
    return _mark_of(_content(folder, name))


def _there(folder: Path, name: str, marks: set[Mark], known: Mapping[str, Any]) -> bool:
    """Whether this machine has a file as the store has it, or a newer version of its own."""
    if paths.fault(folder, name, limit=paths.SEGMENT_BYTES) is not None:
        return False
    mark = _mark(folder, name, known)
    if _is_segment(name):  # one that is longer here was not yet handed over
        return mark == max(marks) or mark[0] > max(marks)[0]
    if mark in marks:
        return True
    old = known.get(name)  # changed here since it was last the store's
    return old is None or (int(old[0]), str(old[1])) != mark


def _bring(store: Store, folder: Path, name: str, marks: set[Mark]) -> dict[str, Any]:
    """Fetch a file of the run and check it; returns what is remembered of it."""
    for _ in range(3):
        try:
            data = store.call("cat_file", store.path(name))
        except FileNotFoundError:
            raise DataError(
                f"{store.address}: {name} is gone, and a state of the run names it; restore it"
            ) from None
        mark = _mark_of(data)
        longer = _is_segment(name) and mark[0] > max(marks)[0]  # its writer has gone on meanwhile
        if mark in marks or longer:
            path = paths.write(folder, name, data)
            return {name: [*mark, *_times(path)]}
    raise DownloadError(
        f"{store.address}: {name}: its bytes are not those that a state names; it is damaged there"
    )


def _send(store: Store, folder: Path, name: str, mark: Mark) -> None:
    data = _content(folder, name)[: mark[0]]
    store.call("pipe_file", store.path(name), data)


# -- what this machine remembers -------------------------------------------------------------------


def _stored(folder: Path) -> dict[str, Any]:
    try:
        stored = orjson.loads(paths.read(folder.parent / f"{folder.name}{_OWN}"))
    except (OSError, ValueError, RunError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _own(folder: Path) -> dict[str, Any]:
    """File -> bytes, checksum, and its size and time here when it was last the store's."""
    files = _stored(folder).get("files")
    return dict(files) if isinstance(files, dict) else {}


def _contained(folder: Path) -> set[str]:
    """The states that this machine's copy holds all of."""
    return set(_stored(folder).get("states") or ())


def _remember(folder: Path, files: Mapping[str, Any], states: set[str]) -> None:
    data = orjson.dumps({"files": files, "states": sorted(states)})
    paths.write(folder.parent, f"{folder.name}{_OWN}", data)

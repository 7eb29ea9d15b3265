"""Stores: mirrors of data, and runs that are joined without a lock, whatever breaks."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import sqlite3
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.made_rows import row

from editgauge.errors import DownloadError, RunError, UsageError
from editgauge.store import addresses, remote
from editgauge.store.paid import Paid
from editgauge.store.remote import fetched, local_folder, working
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.tables import rows
from editgauge.types import Status

fsspec = pytest.importorskip("fsspec")
RUN = Path("memory://bucket/runs/one")


@pytest.fixture
def memory(memory_store: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    return memory_store


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Change the machine: each has a cache of its own."""

    def change(name: str) -> None:
        monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / name))

    change("first")
    return change


def write(run: Path, *samples: str, picture: bytes = b"") -> None:
    folder = Run.create(run)
    folder.put([row(name, "e", "m", float(len(name))) for name in samples])
    if picture:
        (run / "edits" / "mini" / "e").mkdir(parents=True, exist_ok=True)
        (run / "edits" / "mini" / "e" / "one.png").write_bytes(picture)
        told = {"benchmark": "mini", "sample": "one", "editor": "e", "status": Status.SCORED}
        place = "edits/mini/e/one.png"
        folder.write_edits([EditRecord(**told, path=place, fingerprint=picture.hex())])
    folder.record("test", samples=len(samples))
    folder.close()


def samples_in(run: Path = RUN) -> list[str]:
    (folder,) = rows.open_runs([run])
    assert not folder.problems
    return [one.sample for one in folder.rows()]


def test_other_machines_read_and_go_on_also_at_once(memory: Any, machine: Any) -> None:
    with working(RUN) as here:
        write(here, "a", "bb", picture=b"first")
    before = dict.fromkeys(memory.store)
    with working(RUN):
        pass
    assert dict.fromkeys(memory.store) == before, "nothing new hands nothing over"
    machine("second")
    assert samples_in() == ["a", "bb"]
    with working(RUN) as here:
        write(here, "ccc")
        machine("first")
        with working(RUN) as other:
            write(other, "dddd")
            run = Run.open(other)
            run.drop((one.key, one.fingerprint) for one in run.rows() if one.sample == "a")
            run.close()
        machine("second")
    machine("third")
    assert samples_in() == ["bb", "ccc", "dddd"]
    place = fetched(RUN)
    assert (place / "edits/mini/e/one.png").read_bytes() == b"first"
    assert len(Run.open(place).manifest()["entries"]) >= 2, "two of one second are one"


def test_a_kill_before_the_end_leaves_what_was_and_is_made_good(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with working(RUN) as here:
        write(here, "first")
    put = type(memory).put_file

    def killed(self: Any, file: str, path: str, **more: Any) -> Any:
        if "/parts/" in path:
            raise KeyboardInterrupt
        return put(self, file, path, **more)

    monkeypatch.setattr(type(memory), "put_file", killed)
    with pytest.raises(KeyboardInterrupt), working(RUN) as here:
        write(here, "second")
    monkeypatch.setattr(type(memory), "put_file", put)
    machine("other")
    assert samples_in() == ["first"]
    machine("first")
    with working(RUN):
        pass
    machine("other")
    assert samples_in() == ["first", "second"]


@pytest.mark.parametrize("seed", range(3))
def test_one_call_in_ten_fails_and_nothing_is_lost_or_twice(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance, lock = random.Random(seed), threading.Lock()
    failed = 0
    for name in ("pipe_file", "put_file", "get_file", "find"):
        true = getattr(type(memory), name)

        def sometimes(*args: Any, _true: Any = true, **more: Any) -> Any:
            nonlocal failed
            with lock:
                draw = chance.random()
                failed += draw < 0.1
            if draw < 0.05:
                raise ConnectionError("reset by peer")
            result = _true(*args, **more)
            if draw < 0.1:
                raise TimeoutError("no answer")
            return result

        monkeypatch.setattr(type(memory), name, sometimes)
    wanted = []
    for number in range(9):
        machine(f"machine-{number % 3}")
        with working(RUN) as here:
            write(here, f"s{number}", picture=bytes([number]))
        wanted.append(f"s{number}")
    machine("reader")
    assert samples_in() == wanted
    assert failed >= 3
    assert (fetched(RUN) / "edits/mini/e/one.png").read_bytes() == bytes([8])
    assert len(Run.open(fetched(RUN)).rows()) == len(wanted)


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("paid", "UPDATE replies SET reply = '{}'"),
        ("run", "UPDATE rows SET value = 9"),
        ("run", "CREATE VIEW v AS SELECT * FROM rows"),
        ("run", b"no database"),
        ("run", b""),
    ],
)
def test_a_part_that_is_not_sound_is_refused_and_nothing_of_it_is_taken(
    memory: Any, machine: Any, tmp_path: Path, kind: str, change: str | bytes
) -> None:
    with working(RUN) as here:
        write(here, "a", "bb")
        with Paid(here / "paid.sqlite") as paid:
            paid.put("k", {"content": "score: 4"})
    names = {name.endswith(".paid.sqlite"): name for name in memory.store if "/parts/" in name}
    name, file = names[kind == "paid"], tmp_path / "part.sqlite"
    whole = memory.store[name].getvalue()
    file.write_bytes(change if isinstance(change, bytes) else whole)
    if isinstance(change, str):
        with contextlib.closing(sqlite3.connect(file)) as db, db:
            db.execute(change)
    memory.pipe(name, file.read_bytes())
    machine("reader")
    with pytest.raises(RunError, match=rf"{name[-20:]}: no sound part of a run"):
        fetched(RUN)
    memory.pipe(name, whole)
    assert samples_in() == ["a", "bb"], "from the sound part, by the same machine"


def test_of_two_scores_of_one_key_the_later_part_counts(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, name in enumerate(("first", "second")):
        machine(name)
        monkeypatch.setattr(remote.time, "strftime", lambda *_, n=number: f"2026010{n}T000000")
        with working(RUN) as here:
            run = Run.create(here)
            run.put([row("a", "e", "m", float(number), fingerprint=f"{number}")])
            run.close()
    machine("first")
    assert [one.value for one in Run.open(fetched(RUN)).rows()] == [1.0]


def test_the_temporary_folder_may_lie_on_another_file_system(
    memory: Any, machine: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "temporary"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    for name in ("replace", "rename", "link"):
        true = getattr(os, name)

        def within_one_file_system(source: Any, target: Any, _true: Any = true) -> None:
            places = [Path(path).is_relative_to(elsewhere) for path in (source, target)]
            if places[0] != places[1]:
                raise OSError(errno.EXDEV, "Invalid cross-device link", str(source))
            _true(source, target)

        monkeypatch.setattr(os, name, within_one_file_system)
    with working(RUN) as here:
        write(here, "a", picture=b"first")
        with Paid(here / "paid.sqlite") as paid:
            paid.put("k", {"content": "score: 4"})
    sent = [name for name in memory.store if "/parts/" in name]
    assert len(sent) == 2
    machine("second")
    with working(RUN) as here:
        write(here, "bb")
    machine("first")
    assert samples_in() == ["a", "bb"]
    assert len([name for name in memory.store if "/parts/" in name]) == 3, "nothing is sent twice"


# -- all machines read the same --------------------------------------------------------------------


def put(value: float | None, fingerprint: str, picture: bytes = b"") -> Any:
    """What a machine does: it scores the output, or fails to."""

    def act(run: Run) -> None:
        status = Status.FAILED if value is None else Status.SCORED
        run.write_samples("mini", [{"id": "a", "split": fingerprint}])
        run.put([row("a", "e", "m", value, status=status, fingerprint=fingerprint)])
        edit = {"benchmark": "mini", "sample": "a", "editor": "e", "fingerprint": fingerprint}
        place = "edits/mini/e/a.png" if value is not None else None
        if place is not None:
            (run.path / place).parent.mkdir(parents=True, exist_ok=True)
            (run.path / place).write_bytes(fingerprint.encode())
        run.write_edits([EditRecord(**edit, path=place, status=status)])
        with Paid(run.replies_path) as paid:
            paid.put("question", {"content": f"{value} {fingerprint}"})

    return act


def drop(run: Run) -> None:
    run.drop((one.key, one.fingerprint) for one in run.rows())


def state() -> tuple[Any, ...]:
    """What the machine reads in the run."""
    place = fetched(RUN)
    with contextlib.closing(Run.open(place)) as run, Paid(run.replies_path) as paid:
        assert not run.problems
        entries = [one["name"] for one in run.manifest()["entries"]]
        return run.rows(), run.edits(), run.samples("mini"), entries, dict(paid.replies())


FAILED, GOOD, OTHER, AGAIN = put(None, "f"), put(0.9, "x"), put(0.4, "y"), put(None, "x")


@pytest.mark.parametrize(
    ("acts", "value"),
    [
        ([FAILED, GOOD], 0.9),
        ([GOOD, FAILED], 0.9),
        ([GOOD, AGAIN], 0.9),
        ([GOOD, OTHER], 0.4),
        ([OTHER, GOOD], 0.9),
        ([FAILED, GOOD, AGAIN], 0.9),
        ([OTHER, FAILED, GOOD], 0.9),
        ([FAILED, FAILED, FAILED], None),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_machines_that_work_at_once_read_the_same_in_whatever_order_parts_arrive(
    memory: Any, machine: Any, acts: list[Any], value: float | None, seed: int
) -> None:
    """The acts are begun at once and end in this order; machines look at the store in any order."""
    chance = random.Random(seed)
    names = [f"machine-{number}" for number in range(len(acts))]
    parts: list[dict[str, Any]] = []
    for name, act in zip(names, acts, strict=True):
        machine(name)
        memory.store.clear()  # none knows of the others
        with working(RUN) as here, contextlib.closing(Run.create(here)) as run:
            act(run)
            run.record("test", name=name)
        parts.append(dict(memory.store))
    chance.shuffle(parts)
    for part in parts:
        memory.store.update(part)
        for name in chance.sample(names, chance.randint(0, len(names))):
            machine(name)
            state()
    states = []
    for name in (*names, "reader"):
        machine(name)
        states.append(state())
    assert all(one == states[-1] for one in states), "all read what one reads that did nothing"
    rows, edits, _, entries, _ = states[-1]
    assert [one.value for one in rows] == [value]
    assert [one.status for one in edits] == [Status.FAILED if value is None else Status.SCORED]
    assert entries == names, "in the order in which they ended"
    sent = [name for name in memory.store if "/parts/" in name]
    assert len(sent) == 2 * len(acts), "nothing is handed over twice"


@pytest.mark.parametrize(
    "acts", [[GOOD, AGAIN], [GOOD, FAILED], [GOOD, drop], [GOOD, drop, FAILED]]
)
def test_what_is_replaced_on_purpose_is_replaced_on_all_machines_also_where_a_clock_is_slow(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch, acts: list[Any]
) -> None:
    """Each machine knows what the one before it did; its clock is a day behind."""
    now = time.time_ns()
    for number, act in enumerate(acts):
        machine(f"machine-{number}")
        late = now - number * 86_400 * 10**9
        with monkeypatch.context() as patched:
            patched.setattr(remote.time, "time_ns", lambda moment=late: moment)
            with working(RUN) as here, contextlib.closing(Run.create(here)) as run:
                if act in (AGAIN, FAILED):
                    drop(run)  # by `--retry`: else the score would stay
                act(run)
                run.record("test", name=f"machine-{number}")
    last = state()
    assert [one.value for one in last[0]] == ([] if acts[-1] is drop else [None])
    for name in ("machine-0", "reader"):
        machine(name)
        assert state() == last


@pytest.mark.parametrize("seed", range(6))
def test_three_machines_at_anything_in_any_order_read_the_same(
    memory: Any, machine: Any, seed: int
) -> None:
    chance = random.Random(seed)
    names = ["one", "two", "three"]
    hidden: dict[str, Any] = {}
    for step in range(14):
        machine(chance.choice(names))
        with working(RUN) as here, contextlib.closing(Run.create(here)) as run:
            act = chance.choice([FAILED, GOOD, OTHER, AGAIN, drop, put(step / 100, f"{step}")])
            act(run)
            run.record("test", name=f"step {step}")
        for name in [name for name in memory.store if "/parts/" in name]:
            if chance.random() < 0.3:  # it arrives later
                hidden[name] = memory.store.pop(name)
        for name in [name for name in hidden if chance.random() < 0.3]:
            memory.store[name] = hidden.pop(name)
    memory.store.update(hidden)
    states = []
    for name in (*names, "reader", *names):
        machine(name)
        states.append(state())
    assert all(one == states[3] for one in states)


def test_what_another_command_of_this_machine_has_not_handed_over_is_neither_lost_nor_joined(
    memory: Any, machine: Any
) -> None:
    """A command reads the run while another one of the same machine is at work on it."""
    with working(RUN) as here:
        write(here, "a")
    machine("second")
    with working(RUN) as here:
        write(here, "bb")
    machine("first")
    with working(RUN) as here:
        write(here, "ccc")
        state_before = samples_in()  # the other command: it hands over what is there
        write(here, "dddd")
    assert state_before == ["a", "bb", "ccc"]
    machine("reader")
    assert samples_in() == ["a", "bb", "ccc", "dddd"]


@pytest.mark.parametrize("moment", ["join", "seal", "next", "send"])
def test_a_kill_at_any_moment_of_handing_over_is_made_good_and_sends_nothing_twice(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    with working(RUN) as here:
        write(here, "a")
    machine("second")
    with working(RUN) as here:
        write(here, "bb")

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    def work() -> None:
        if moment == "join":
            patched.setattr(remote, "_note_joined", killed)
        with working(RUN) as here:
            write(here, "ccc")
            if moment == "seal":
                patched.setattr(remote, "_note_joined", killed)
            elif moment == "next":
                patched.setattr(remote, "_finish", next_move)
            elif moment == "send":
                patched.setattr(remote.shutil, "rmtree", killed)

    def next_move(*args: Any) -> None:
        moves.pop(0)(*args)

    moves = [remote._finish, killed]
    machine("first")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        work()
    if moment == "join":
        with working(RUN) as here:
            write(here, "ccc")
    assert samples_in() == ["a", "bb", "ccc"]
    machine("reader")
    assert samples_in() == ["a", "bb", "ccc"]
    assert len([name for name in memory.store if "/parts/" in name]) == 3


def test_what_is_no_run_is_said(memory: Any, machine: Any) -> None:
    with pytest.raises(RunError, match="no run is there"):
        fetched(RUN)
    with pytest.raises(UsageError, match="editgauge merge memory://bucket/runs/one --to RUN"):
        Run.create(RUN)
    memory.pipe("/bucket/runs/one/run.sqlite", b"{}")
    with pytest.raises(RunError, match="copied there by hand"):
        fetched(RUN)


# -- mirrors ---------------------------------------------------------------------------------------


def test_a_mirror_has_the_files_and_only_what_has_changed_is_fetched_again(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe({"/b/d/one.txt": b"1", "/b/d/two/2.txt": b"2"})
    brought: list[str] = []
    get = type(memory).get_file

    def noted(self: Any, name: str, target: str) -> None:
        brought.append(name.rpartition("/")[2])
        get(self, name, target)

    monkeypatch.setattr(type(memory), "get_file", noted)
    place = local_folder(Path("memory://b/d"))
    assert place is not None
    assert local_folder(Path("memory://b/d")) == place
    assert sorted(brought) == ["2.txt", "one.txt"]
    memory.pipe("/b/d/one.txt", b"3")
    memory.rm("/b/d/two/2.txt")
    local_folder(Path("memory://b/d"))
    assert brought[2:] == ["one.txt"]
    assert {p.name: p.read_bytes() for p in place.rglob("*.txt")} == {"one.txt": b"3"}
    (place / "one.txt").write_bytes(b"cut short")
    local_folder(Path("memory://b/d"))
    assert (place / "one.txt").read_bytes() == b"3"


@pytest.mark.parametrize("call", ["find", "get_file", "put_file"])
def test_a_store_that_accepts_and_stays_silent_is_said_and_given_up(
    memory: Any,
    machine: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    call: str,
) -> None:
    with working(RUN) as here:
        write(here, "a", picture=b"first")
    machine("second")
    never, calls = threading.Event(), []

    def silent(*_: object, **__: object) -> None:
        calls.append(1)
        never.wait()

    for limit in ("SILENCE", "LISTING"):
        monkeypatch.setattr(addresses, limit, 0.4)
    for pace in ("SAID", "_LOOKED"):
        monkeypatch.setattr(addresses, pace, 0.05)
    addresses._last_said.clear()
    monkeypatch.setattr(type(memory), call, silent)

    def work() -> None:
        with working(RUN) as here:
            write(here, "bb")

    with pytest.raises(DownloadError, match=r"no answer for \d seconds; check the address"):
        work()
    never.set()
    assert len(calls) <= 8, "as many as go at once: a call that is not answered is not repeated"
    assert capsys.readouterr().err.startswith(f"waiting for {remote.address_of(RUN)}, which does")


def test_a_large_file_that_comes_slowly_is_waited_for(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pipe("/b/d/one.txt", b"0123456789")

    def slow(self: Any, name: str, target: str) -> None:
        with open(target, "wb") as file:
            for byte in b"0123456789":
                file.write(bytes([byte]))
                file.flush()
                seconds[0] += 40.0  # less than the limit since the last byte
                time.sleep(0.02)

    seconds = [0.0]
    monkeypatch.setattr(addresses, "_LOOKED", 0.001)
    monkeypatch.setattr(addresses.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(type(memory), "get_file", slow)
    place = local_folder(Path("memory://b/d"))
    assert place is not None
    assert (place / "one.txt").read_bytes() == b"0123456789"


@pytest.mark.parametrize(
    ("error", "calls"), [(ConnectionError("reset by peer"), 8), (PermissionError("denied"), 1)]
)
def test_only_what_may_pass_is_tried_again(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, calls: int
) -> None:
    made = []

    def refused(*_: object, **__: object) -> None:
        made.append(1)
        raise error

    monkeypatch.setattr(type(memory), "find", refused)
    with pytest.raises(DownloadError, match=f"memory://b/d: .*{error}"):
        local_folder(Path("memory://b/d"))
    assert len(made) == calls

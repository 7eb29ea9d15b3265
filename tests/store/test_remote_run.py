"""Runs on a store: handed over whole, read by anybody, joined without a lock, whatever breaks."""

from __future__ import annotations

import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.made_rows import row

from editgauge.errors import DownloadError, RunError, UsageError
from editgauge.store import addresses, remote_run
from editgauge.store.addresses import opened
from editgauge.store.remote_run import fetched, push, working
from editgauge.store.run_folder import RunFolder
from editgauge.tables import rows

fsspec = pytest.importorskip("fsspec")
RUN = Path("memory://bucket/runs/one")


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield system
    system.store.clear()


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Change the machine: each has a cache of its own."""

    def change(name: str) -> None:
        monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / name))

    change("first")
    return change


def write(run: Path, *samples: str, picture: bytes = b"") -> None:
    folder = RunFolder.create(run)
    with folder.writer() as writer:
        writer.write([row(name, "e", "m", float(len(name))) for name in samples])
    if picture:
        (run / "edits" / "mini" / "e").mkdir(parents=True, exist_ok=True)
        (run / "edits" / "mini" / "e" / "one.png").write_bytes(picture)
    folder.record("test", samples=len(samples))


def samples_in(run: Path = RUN) -> list[str]:
    (folder,) = rows.open_runs([run])
    assert not folder.problems
    return [one.sample for one in folder.rows()]


def test_another_machine_reads_and_goes_on(memory: Any, machine: Any) -> None:
    with working(RUN) as here:
        write(here, "a", "bb", picture=b"first")
    machine("second")
    assert samples_in() == ["a", "bb"]
    with working(RUN) as here:
        write(here, "ccc")
    machine("first")
    assert samples_in() == ["a", "bb", "ccc"]
    place = fetched(RUN)
    assert (place / "edits/mini/e/one.png").read_bytes() == b"first"
    assert len(RunFolder.open(place).manifest()["entries"]) == 2
    assert len(memory.ls("/bucket/runs/one/states")) == 1, "earlier states are contained"


def test_two_machines_at_once_lose_nothing(memory: Any, machine: Any) -> None:
    with working(RUN) as here:
        write(here, "first")
    with working(RUN) as one:
        write(one, "here")
        machine("second")
        with working(RUN) as other:
            write(other, "there")
        machine("first")
    machine("third")
    assert samples_in() == ["first", "here", "there"]


def test_a_kill_before_the_end_leaves_what_was_and_is_made_good(
    memory: Any, machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with working(RUN) as here:
        write(here, "first")
    pipe = type(memory).pipe_file

    def killed(self: Any, path: str, value: bytes, **more: Any) -> Any:
        if "/states/" in path:
            raise KeyboardInterrupt
        return pipe(self, path, value, **more)

    monkeypatch.setattr(type(memory), "pipe_file", killed)
    with pytest.raises(KeyboardInterrupt), working(RUN) as here:
        write(here, "second")
    monkeypatch.setattr(type(memory), "pipe_file", pipe)
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
    """Calls fail before they do anything, and after they have done it."""
    chance, lock = random.Random(seed), threading.Lock()
    failed = 0
    for name in ("pipe_file", "cat_file", "find", "rm_file"):
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
    assert failed >= 5
    assert (fetched(RUN) / "edits/mini/e/one.png").read_bytes() == bytes([8])
    texts = [path.read_text() for path in fetched(RUN).glob("rows/segments/*.jsonl")]
    assert sum(text.count("\n") for text in texts) == len(wanted)


def test_nothing_new_hands_nothing_over(memory: Any, machine: Any) -> None:
    with working(RUN) as here:
        write(here, "a")
    before = dict.fromkeys(memory.store)
    with working(RUN):
        pass
    assert dict.fromkeys(memory.store) == before


@pytest.mark.parametrize(
    "state",
    [
        b"no JSON",
        b"[]",
        b'{"format": 9}',
        {"files": {"../../evil": [1, "x"]}},
        {"files": {"rows/segments/../../evil": [1, "x"]}},
        {"files": {"/etc/passwd": [1, "x"]}},
        {"files": {"manifest.json": [1, "x"]}},
        {"samples": {"mini": [{"no": "id"}]}},
        {"metrics": {"mini": {"m": 3}}},
        {"manifest": {"entries": 3}},
    ],
)
def test_a_hostile_state_is_refused(
    memory: Any, machine: Any, tmp_path: Path, state: bytes | dict[str, Any]
) -> None:
    whole = {"format": 1, "contains": [], "files": {}, "metrics": {}, "samples": {}}
    if isinstance(state, dict):
        state = orjson.dumps({**whole, "manifest": {"format": 1, "entries": []}, **state})
    memory.pipe("/bucket/runs/one/states/x.json", state)
    with pytest.raises(RunError, match=r"states/x\.json: no state of a run"):
        fetched(RUN)
    assert not list(tmp_path.rglob("evil"))


def test_a_file_that_is_damaged_on_the_store_is_named(memory: Any, machine: Any) -> None:
    with working(RUN) as here:
        write(here, "a", picture=b"good")
    memory.pipe("/bucket/runs/one/edits/mini/e/one.png", b"baad")
    machine("other")
    with pytest.raises(DownloadError, match=r"one\.png: its bytes are not those"):
        fetched(RUN)


def test_what_is_no_run_is_said(memory: Any, machine: Any) -> None:
    with pytest.raises(RunError, match="no run is there"):
        fetched(RUN)
    with pytest.raises(UsageError, match="editgauge merge memory://bucket/runs/one --to RUN"):
        RunFolder.create(RUN)
    memory.pipe("/bucket/runs/one/manifest.json", b"{}")
    with pytest.raises(RunError, match="copied there by hand"):
        fetched(RUN)


def test_a_torn_line_is_not_handed_over(memory: Any, machine: Any) -> None:
    with working(RUN) as here:
        write(here, "a")
        (segment,) = here.glob("rows/segments/*.jsonl")
    whole = segment.read_bytes()
    segment.write_bytes(whole + b'{"half": ')
    mark = remote_run._mark(here, f"rows/segments/{segment.name}", {})
    assert mark[0] == len(whole)
    shutil.rmtree(here)
    assert push(opened("memory://bucket/runs/one"), here) == ""
    assert samples_in() == ["a"]


def test_what_is_gathered_meanwhile_is_handed_over_again_and_again(
    memory: Any, machine: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also after it could not be; the run of this machine is left alone."""
    with working(RUN) as here:
        write(here, "a")
    calls: list[str] = []
    enough = threading.Event()

    def gather() -> None:
        calls.append("b" * len(calls) + "b")
        if len(calls) == 1:
            raise DownloadError("the store does not answer")
        write(here, calls[-1])
        if len(calls) > 3:
            enough.set()

    with remote_run.keeping_up(RUN, gather, 0.01):
        assert enough.wait(20)
    assert "not handed over yet: the store does not answer" in capsys.readouterr().err
    machine("other")
    assert {"a", "bb", "bbb"} <= set(samples_in())
    with remote_run.keeping_up(here, gather, 0.0):
        assert "keep-up" not in [thread.name for thread in threading.enumerate()]

"""People, items and events in one file: what is acknowledged is there, once."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from editgauge.errors import RunError, UsageError
from editgauge.web.log import Act, Conflict, Log

CHANGER = """
import sys
from pathlib import Path
from editgauge.web.log import Act, Log
with Log(Path(sys.argv[1])) as log:
    item = log.get("a")
    while True:
        item = log.change("a", item.version, {"n": item.version + 1}, Act("ann"))
        print(item.version, flush=True)
"""


@pytest.fixture
def log(tmp_path: Path) -> Log:
    with Log(tmp_path / "log.sqlite") as opened:
        yield opened


def test_link_is_kept_as_a_hash_and_is_useless_after_revoking(log: Log) -> None:
    token = log.invite("ann", "expert")
    assert token.encode() not in log.path.read_bytes() + Path(f"{log.path}-wal").read_bytes()
    who = log.find(token)
    assert who is not None
    assert (who.name, who.role) == ("ann", "expert")
    log.revoke("ann")
    assert log.find(token) is None
    assert log.find("") is None
    assert log.find(log.invite("ann")) is not None, "a revoked person can get a new link"


@pytest.mark.parametrize("name", ["", "ann@clinic.org", "a:b", "../x", "x" * 61, "a\nb"])
def test_name_that_is_no_pseudonym_is_refused(log: Log, name: str) -> None:
    with pytest.raises(UsageError, match="wanted a pseudonym"):
        log.invite(name)


def test_change_from_an_old_version_is_a_conflict_and_its_words_are_kept(log: Log) -> None:
    log.add("a", "sample", {"text": "one", "n": 1}, "ann")
    log.change("a", 1, {"text": "two", "n": 1}, Act("ann"))
    with pytest.raises(Conflict) as late:
        log.change("a", 1, {"text": "three", "n": 1}, Act("bob"))
    assert (late.value.newest.version, late.value.newest.data["text"]) == (2, "two")
    assert [(e.who, e.what, e.after) for e in log.events("a")] == [
        ("ann", "added", {"text": "one", "n": 1}),
        ("ann", "changed", {"text": "two"}),
        ("bob", "refused", {"text": "three"}),
    ]


def test_same_nonce_counts_once_and_only_for_its_sender(log: Log) -> None:
    log.add("a", "sample", {}, "ann")
    first = log.change("a", 1, {"n": 1}, Act("ann", nonce="12345678"))
    assert log.change("a", 1, {"n": 1}, Act("ann", nonce="12345678")) == first
    with pytest.raises(UsageError, match="nonce"):
        log.change("a", 2, {"n": 2}, Act("bob", nonce="12345678"))
    assert log.get("a").version == 2


def test_transaction_that_fails_leaves_nothing(log: Log) -> None:
    def twice() -> None:
        with log.transaction():
            log.add("a", "sample", {}, "ann")
            log.add("a", "sample", {}, "ann")

    with pytest.raises(UsageError, match="there is something of this id"):
        twice()
    assert log.all("sample") == []
    assert list(log.events()) == []


def test_acknowledged_change_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with Log(path) as log:
        log.add("a", "sample", {"n": 1}, "ann")
    command = [sys.executable, "-c", CHANGER, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as changer:
        assert changer.stdout is not None
        acknowledged = [int(changer.stdout.readline()) for _ in range(20)][-1]
        os.kill(changer.pid, signal.SIGKILL)
    with Log(path) as log:
        item = log.get("a")
        assert item.version >= acknowledged
        assert item.data["n"] == item.version
        changes = [event.version for event in log.events("a")]
        assert changes == list(range(1, item.version + 1)), "each once, none missing"


def test_threads_that_change_one_item_lose_nothing(log: Log) -> None:
    log.add("a", "sample", {"by": []}, "plan")

    def work(name: str) -> None:
        for _ in range(10):
            while True:
                item = log.get("a")
                try:
                    log.change("a", item.version, {"by": [*item.data["by"], name]}, Act(name))
                    break
                except Conflict:
                    continue

    threads = [threading.Thread(target=work, args=(f"p{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(log.get("a").data["by"]) == sorted(f"p{n}" for n in range(4) for _ in range(10))


def test_damaged_item_and_event_are_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with Log(path) as log:
        log.add("a", "sample", {"text": "one"}, "ann")
        log.add("b", "sample", {"text": "two"}, "ann")
    with sqlite3.connect(path) as db:
        db.execute("UPDATE items SET data = replace(data, 'one', 'eno')")
        db.execute("UPDATE events SET who = 'eve' WHERE item = 'b'")
    with Log(path) as log:
        assert [item.id for item in log.all("sample")] == ["b"]
        assert [event.item for event in log.events()] == ["a"]
        assert len(log.problems) == 2
        assert all("damaged" in line for line in log.problems)


@pytest.mark.parametrize("content", [b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_file_that_is_no_log_is_one_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log.sqlite").write_bytes(content)
    with pytest.raises(RunError, match=r"log\.sqlite"):
        Log(tmp_path / "log.sqlite")

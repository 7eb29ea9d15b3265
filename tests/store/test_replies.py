"""Of a damaged file of paid replies all that is proven is kept, and what is lost is named."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from editgauge.errors import RunError
from editgauge.store import replies
from editgauge.store.paid import OLDER, SCHEMA, Paid

COUNT = 63
PAGE = 4096


def reply(number: int) -> dict[str, object]:
    return {"status": "ok", "content": f"{number} " * (40 + number % 5 * 700)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Replies of 100 bytes to three pages, and a bill for each."""
    with Paid(tmp_path / "paid.sqlite") as paid:
        for number in range(COUNT):
            call = paid.book("judge", 0.5, key=f"key-{number:03}", model="m")
            assert call
            paid.put(f"key-{number:03}", reply(number))
            paid.settle(call, "billed", 0.25)
        paid.note("answered m", "m-1")
    return tmp_path / "paid.sqlite"


def page_of(file: Path, table: str) -> int:
    with sqlite3.connect(file) as db:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = db.execute(query, (table,)).fetchone()
    return int(page) - 1


def turn(file: Path, at: int, bit: int = 1) -> None:
    data = bytearray(file.read_bytes())
    data[at] ^= bit
    file.write_bytes(data)


def kept(file: Path) -> dict[str, object]:
    proven, _ = replies.salvaged(file)
    with proven:
        return dict(proven.replies())


@pytest.mark.parametrize("half", [0, PAGE // 2])
def test_each_page_costs_no_more_than_the_replies_that_lie_on_it(file: Path, half: int) -> None:
    truth = {f"key-{number:03}": reply(number) for number in range(COUNT)}
    data = file.read_bytes()
    worst = COUNT
    for start in range(0, len(data), PAGE):
        broken = bytearray(data)
        broken[start + half : start + half + PAGE // 2] = bytes(PAGE // 2)
        file.write_bytes(broken)
        seen = kept(file)
        assert seen.items() <= truth.items()
        worst = min(worst, len(seen))
    assert worst >= COUNT * 2 // 3


def test_lost_replies_are_named_and_the_others_and_the_sums_survive_a_repair(file: Path) -> None:
    data = file.read_bytes()
    at = data.index(b'key-041{"status"')
    start = at // PAGE * PAGE
    file.write_bytes(data[:start] + bytes(PAGE // 2) + data[start + PAGE // 2 :])
    proven, lost = replies.salvaged(file)
    proven.close()
    assert any("replies are lost" in text and "key-" in text for text in lost)
    with pytest.raises(RunError, match="--repair"), Paid(file) as paid:
        paid.get("never asked")
    replies.rewrite(file)
    with Paid(file) as paid:
        assert paid.faults() == []
        assert COUNT - 8 < len(paid) < COUNT
        assert paid.totals("judge").billed == pytest.approx(COUNT * 0.25)
        assert paid.totals("judge").booked == pytest.approx(COUNT * 0.25)
        assert paid.note("answered m") == "m-1"


def test_a_bit_in_the_index_of_keys_hides_no_reply(file: Path) -> None:
    page = page_of(file, "sqlite_autoindex_replies_1") * PAGE
    data = file.read_bytes()
    turn(file, data.index(b"key-030", page, page + PAGE) + 5)
    with Paid(file) as paid:
        assert paid.faults()
        with pytest.raises(RunError, match="damaged"):
            paid.get("key-030")
        assert len(list(paid.replies())) == COUNT
    opened, faults = replies.reading(file)
    with opened:
        assert faults
        assert opened.get("key-030") == reply(30)
    replies.rewrite(file)
    with Paid(file) as paid:
        assert paid.faults() == []
        assert len(paid) == COUNT


def test_a_bit_in_the_ledger_is_named_and_no_dollar_is_forgotten(file: Path) -> None:
    page = page_of(file, "calls") * PAGE
    data = file.read_bytes()
    place = data.index(b"billed", page)
    turn(file, place + 2)
    with Paid(file) as paid:
        assert paid.faults()
        with pytest.raises(RunError, match="ledger"):
            paid.calls()
    replies.rewrite(file)
    with Paid(file) as paid:
        assert paid.faults() == []
        assert paid.totals("judge").booked == pytest.approx(COUNT * 0.25)
        assert len(paid) == COUNT


def test_another_amount_in_the_ledger_or_its_sums_is_named(file: Path) -> None:
    with sqlite3.connect(file) as db:
        db.execute("UPDATE calls SET most = 0.75 WHERE id = 7")
    with Paid(file) as paid:
        assert paid.faults() == ["1 calls of the ledger are not what was written"]
    replies.rewrite(file)
    with sqlite3.connect(file) as db:
        db.execute("UPDATE totals SET booked = booked / 2")
    with Paid(file) as paid:
        assert "the sums of 'judge' are not those of its calls" in paid.faults()[0]
        with pytest.raises(RunError, match="--repair"):
            paid.book("judge", 0.5, budget=100.0)
    replies.rewrite(file)
    with Paid(file) as paid:
        assert paid.faults() == []
        assert paid.totals("judge").booked == pytest.approx(COUNT * 0.25)


def test_a_file_of_an_earlier_version_is_read_and_gets_checksums(tmp_path: Path) -> None:
    (older,) = OLDER
    file = tmp_path / "paid.sqlite"
    with sqlite3.connect(file) as db:
        for statement in SCHEMA:
            db.execute(older if statement.startswith("CREATE TABLE calls(") else statement)
        db.execute(
            "INSERT INTO calls(purpose, key, model, state, most, at, note) "
            "VALUES ('judge', 'k', 'm', 'sent', 0.5, 1.0, '')"
        )
    db.close()
    with Paid(file) as paid:
        assert paid.calls()[0].mark is None
        assert paid.faults() == []
        paid.settle(1, "billed", 0.25)
        assert paid.calls()[0].mark is not None
    with Paid(file) as paid:
        assert paid.totals("judge").billed == 0.25
    replies.rewrite(file)
    with Paid(file) as paid:
        assert paid.calls()[0].billed == 0.25


def test_no_bit_makes_another_reply_or_another_call(file: Path) -> None:
    choose, data = random.Random(3), file.read_bytes()
    truth = {f"key-{number:03}": reply(number) for number in range(COUNT)}
    with Paid(file) as paid:
        calls = {call.id: call[1:9] for call in paid.calls()}
    for _ in range(60):
        file.write_bytes(data)
        turn(file, choose.randrange(len(data)), 1 << choose.randrange(8))
        proven, _ = replies.salvaged(file)
        with proven:
            assert dict(proven.replies()).items() <= truth.items()
            assert len(proven) >= COUNT - 8
            for call in proven.calls():
                assert calls.get(call.id, call[1:9]) == call[1:9] or call.state == "kept"
            assert proven.totals("judge").booked == pytest.approx(COUNT * 0.25, rel=0.1)

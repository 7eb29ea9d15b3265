"""check-run names what is damaged; a repair keeps what is proven, and the old file beside it."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.store.made_run import SAMPLES, make_run, state

from editgauge.errors import RunError
from editgauge.store.check import check, repair
from editgauge.store.collect import takes_of
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.store.samples import stored_samples
from editgauge.types import Status


@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(1000), marks=pytest.mark.slow)])
def test_a_damaged_run_names_a_problem_and_is_repaired_and_has_no_other_number(
    tmp_path: Path, seeds: range
) -> None:
    run = make_run(tmp_path / "run")
    assert check(run) == []
    truth = state(run)
    run.close()
    data = (run.path / "run.sqlite").read_bytes()
    told = 0
    for seed in seeds:
        place = tmp_path / f"{seed}"
        place.mkdir()
        (place / "run.sqlite").write_bytes(damaged(bytearray(data), random.Random(seed)))
        damage = Run.open(place)
        seen, entries = state(damage), len(damage.manifest()["entries"])
        assert (seen == truth and entries == 1) or damage.problems, seed
        told += bool(damage.problems)
        repaired = bool(repair(damage))
        assert (place / "run.sqlite.damaged").exists() is repaired
        again = Run.open(place)
        for mine, later, true in zip(seen, state(again), truth, strict=True):
            assert mine.items() <= true.items(), seed
            assert later.items() <= true.items(), seed
        assert not again.problems
        assert not [one for one in check(again) if not one.by_hand]
        again.close()
    assert told > len(seeds) / 3


def damaged(data: bytearray, choose: random.Random) -> bytes:
    kind, place = choose.randrange(7), choose.randrange(len(data))
    page = place // 4096 * 4096
    if kind < 3:
        data[place] ^= 1 << choose.randrange(8)
    elif kind == 3:
        del data[place:]
    elif kind == 4:
        data[page : page + 4096] = bytes(4096)
    elif kind == 5:
        other = choose.randrange(len(data) // 4096) * 4096
        data[page : page + 4096], data[other : other + 4096] = (
            data[other : other + 4096],
            data[page : page + 4096],
        )
    else:
        data[choose.randrange(100)] ^= 1 << choose.randrange(8)
    return bytes(data)


def test_a_row_of_another_value_is_taken_out(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    rows = run.rows()
    run.close()
    with sqlite3.connect(run.path / "run.sqlite") as db:
        db.execute("UPDATE rows SET value = 0.5 WHERE series = 1 AND sample = 1")
    why, lost = check(Run.open(run.path))
    assert "the rows are not those that were written" in why.found
    assert lost.found == "1 rows are lost"
    assert repair(Run.open(run.path)) == [why, lost]
    assert len(Run.open(run.path).rows()) == len(rows) - 1


def test_damaged_replies_are_named_and_taken_out(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    run.close()
    with sqlite3.connect(run.path / "paid.sqlite") as db:
        db.execute("UPDATE replies SET reply = '{}' WHERE key = 'key-s1'")
    items = repair(Run.open(run.path))
    assert {item.place for item in items} == {"paid.sqlite"}
    assert any("key-s1" in item.found for item in items)
    assert (run.path / "paid.sqlite.damaged").exists()
    assert check(Run.open(run.path)) == []
    with Paid(run.path / "paid.sqlite") as paid:
        assert {key for key, _ in paid.replies()} == {f"key-{one}" for one in SAMPLES} - {"key-s1"}


def test_rows_of_a_damaged_sample_are_left_out_and_made_again(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    rows, samples = run.rows(), run.samples("mini")
    run.close()
    with sqlite3.connect(run.path / "run.sqlite") as db:
        db.execute("UPDATE samples SET facts = '{}' WHERE id = 2")
    again = Run.open(run.path)
    assert again.rows() == [row for row in rows if row.sample != "s1"]
    assert "run.sqlite: 1 samples are lost" in again.problems
    told = "SELECT DISTINCT sample FROM rows WHERE sample = 's1'"
    assert fetch_tuples(again.parquet(), told) == [], "of no table of other samples"
    again.close()
    assert again.rows() == [row for row in rows if row.sample != "s1"], "opened again"
    with pytest.raises(RunError, match=r"see: editgauge check RUN --repair"):
        again.put(rows)
    repair(again)
    assert check(Run.open(run.path)) == []
    assert fetch_tuples([run.path / "rows.parquet"], told) == []
    again.write_samples("mini", samples)
    again.put(rows)
    assert again.rows() == rows


def test_outputs_whose_records_are_lost_are_taken_from_the_run_again(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    before = {(one.editor, one.sample): one.fingerprint for one in run.edits()}
    (first, *_) = run.edits()
    run.close()
    with sqlite3.connect(run.path / "run.sqlite") as db:
        db.execute("UPDATE edits SET facts = ''")
    repair(Run.open(run.path))
    linked = run.path / "edits/mini/one/s1.png"
    linked.rename(tmp_path / "outside.png")
    linked.symlink_to(tmp_path / "outside.png")
    again = Run.open(run.path)
    assert again.edits() == []
    takes = takes_of(again, "mini", None, [], HashStore(None))
    told = replace(first, seed=7, settings={"steps": 20})
    again.write_edits([told])  # by `edit`, which is at work
    found = [one for take in takes.values() for one in take(stored_samples(again, "mini"))]
    assert again.edits()[0] == told
    assert {str(one) for one in again.edits()[1:]} < {str(one) for one in found}
    marks = {(one.editor, one.sample): one.fingerprint for one in found}
    assert marks == before | {("one", "s1"): ""}
    assert [one.sample for one in found if one.status is Status.UNREADABLE] == ["s1"]


def test_a_header_that_sqlite_would_only_read_is_damaged_and_repaired(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    truth = state(run)
    run.close()
    data = bytearray((run.path / "run.sqlite").read_bytes())
    data[18] ^= 64
    (run.path / "run.sqlite").write_bytes(data)
    (item,) = repair(Run.open(run.path))
    assert "its first page is not what was written" in item.found
    again = Run.open(run.path)
    assert state(again) == truth
    again.set_fact("a", "b")

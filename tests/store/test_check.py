"""check-run names what is damaged; a repair keeps what is proven, and the old file beside it."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest
from tests.store.made_run import make_run
from tests.store.test_run import damaged, state

from editgauge.errors import RunError
from editgauge.store.check import check, repair
from editgauge.store.collect import edits_of
from editgauge.store.hashes import HashStore
from editgauge.store.parquet import fetch_tuples
from editgauge.store.run import Run
from editgauge.store.samples import stored_samples
from editgauge.types import Status


def test_a_sound_run_has_no_damage(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert check(run) == []
    assert repair(run) == []


@pytest.mark.parametrize("seed", range(12))
def test_a_repaired_run_is_sound_and_holds_nothing_new(tmp_path: Path, seed: int) -> None:
    run = make_run(tmp_path / "run")
    truth = state(run)
    run.close()
    file = run.path / "run.sqlite"
    data = file.read_bytes()
    file.write_bytes(damaged(bytearray(data), random.Random(seed)))
    found = repair(Run.open(run.path))
    again = Run.open(run.path)
    assert not again.problems
    assert not [item for item in check(again) if not item.by_hand]
    for mine, true in zip(state(again), truth, strict=True):
        assert all(true[key] == value for key, value in mine.items())
    if found:
        assert (run.path / "run.sqlite.damaged").exists()


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
    (item,) = repair(Run.open(run.path))
    assert item.place == "paid.sqlite"
    assert check(Run.open(run.path)) == []


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
    run.close()
    with sqlite3.connect(run.path / "run.sqlite") as db:
        db.execute("UPDATE edits SET facts = ''")
    repair(Run.open(run.path))
    linked = run.path / "edits/mini/one/s1.png"
    linked.rename(tmp_path / "outside.png")
    linked.symlink_to(tmp_path / "outside.png")
    again = Run.open(run.path)
    assert again.edits() == []
    found = edits_of(again, "mini", None, [], stored_samples(again, "mini"), HashStore(None))
    assert sorted(again.edits(), key=str) == sorted(found, key=str)
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

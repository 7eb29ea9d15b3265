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
from editgauge.store.run import Run


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
    again.close()
    assert again.rows() == [row for row in rows if row.sample != "s1"], "opened again"
    with pytest.raises(RunError, match=r"see: editgauge check RUN --repair"):
        again.put(rows)
    repair(again)
    assert check(Run.open(run.path)) == []
    again.write_samples("mini", samples)
    again.put(rows)
    assert again.rows() == rows

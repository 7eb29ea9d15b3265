"""check-run names what is damaged; a repair keeps what is proven, and the old file beside it."""

from __future__ import annotations

import random
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_rows import row
from tests.store.made_run import SAMPLES, make_run, state

from editgauge.errors import RunError
from editgauge.store.check import check, make_again, repair
from editgauge.store.collect import takes_of
from editgauge.store.hashes import HashStore
from editgauge.store.paid import Paid
from editgauge.store.parquet import database, fetch_tuples
from editgauge.store.rebuild import can_be_made_again
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


@pytest.mark.parametrize("table", [True, False])
def test_a_row_of_another_value_is_taken_out(tmp_path: Path, table: bool) -> None:
    run = make_run(tmp_path / "run")
    rows = run.rows()
    run.close()
    if not table:
        (run.path / "rows.parquet").unlink()
    with sqlite3.connect(run.path / "run.sqlite") as db:
        db.execute("UPDATE rows SET value = 0.5 WHERE series = 1 AND sample = 1")
    why, lost = check(Run.open(run.path))
    assert "the rows are not those that were written" in why.found
    assert lost.found == "1 rows are lost"
    assert repair(Run.open(run.path))[:2] == [why, lost]
    again = Run.open(run.path)
    assert again.rows() == rows[: len(rows) * table] or len(again.rows()) == len(rows) - 1
    assert len(again.rows()) == len(rows) - 1 + table, "from rows.parquet, where that is sound"
    assert again.lost_rows() == 1 - table
    again.put(rows)
    assert again.lost_rows() == 0


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
    (run.path / "rows.parquet").unlink()
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
    linked = run.path / "edits/mini/one/s1.png"
    linked.rename(tmp_path / "outside.png")
    linked.symlink_to(tmp_path / "outside.png")
    repair(Run.open(run.path))
    again = Run.open(run.path)
    found = again.edits()
    marks = {(one.editor, one.sample): one.fingerprint for one in found}
    assert marks == before | {("one", "s1"): ""}
    assert [one.sample for one in found if one.status is Status.UNREADABLE] == ["s1"]
    told = replace(first, seed=7, settings={"steps": 20})
    again.write_edits([told])  # by `edit`, which is at work
    takes = takes_of(again, "mini", None, [], HashStore(None))
    for take in takes.values():
        take(stored_samples(again, "mini"))
    assert again.edits()[0] == told


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


def test_a_file_that_is_gone_or_cut_short_is_made_again_from_the_rest(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    rows, edits = run.rows(), {(one.editor, one.sample, one.fingerprint) for one in run.edits()}
    run.close()
    data = (run.path / "run.sqlite").read_bytes()
    for left in (None, 0, 100, 4096, len(data) // 3, len(data) * 2 // 3):
        if left is None:
            (run.path / "run.sqlite").unlink()
            assert can_be_made_again(run.path)
            (item,) = make_again(run.path)
            assert "24 rows were taken" in item.repair
        else:
            (run.path / "run.sqlite").write_bytes(data[:left])
            assert repair(Run.open(run.path))
        again = Run.open(run.path)
        assert again.rows() == rows, left
        assert {(one.editor, one.sample, one.fingerprint) for one in again.edits()} == edits
        assert [one for one in check(again) if not one.by_hand] == []
        again.close()


def test_a_snapshot_that_was_changed_gives_no_row(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    run.close()
    (run.path / "run.sqlite").unlink()
    place = str(run.path / "rows.parquet")
    with database() as db:
        db.execute(
            "CREATE TABLE rows AS SELECT * REPLACE (value / 2 AS value) FROM read_parquet(?)",
            [place],
        )
        db.execute(f"COPY rows TO '{place}' (FORMAT parquet)")
    (item,) = make_again(run.path)
    assert "without rows" in item.repair
    assert Run.open(run.path).rows() == []


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A run whose log holds most rows, as a command leaves it that is killed."""
    run = make_run(tmp_path / "run")
    for number in range(40):
        run.put(
            row(name, "three", f"m{number}", number / 7, variant="corrected")
            for name in ("s0", "s1")
        )
    run.parquet()
    place = tmp_path / "killed"
    shutil.copytree(run.path, place)
    run.close()
    assert (place / "run.sqlite-wal").stat().st_size > 100_000
    return place


def test_a_bit_in_the_middle_of_the_log_costs_no_row_behind_it(
    killed: Path, tmp_path: Path
) -> None:
    truth = {one.key: one for one in Run.open(Path(shutil.copytree(killed, tmp_path / "a"))).rows()}
    log = (killed / "run.sqlite-wal").read_bytes()
    snapshot = (killed / "rows.parquet").read_bytes()
    for number, part in enumerate((0.1, 0.4, 0.6, 0.9)):
        place = tmp_path / str(number)
        shutil.copytree(killed, place)
        data = bytearray(log)
        data[int(len(log) * part)] ^= 16
        (place / "run.sqlite-wal").write_bytes(data)
        run = Run.open(place)
        seen = {one.key: one for one in run.rows()}
        assert any("write-ahead log" in text for text in run.problems)
        assert seen.items() <= truth.items()
        assert len(seen) > len(truth) // 2
        run.parquet()
        run.close()
        assert (place / "rows.parquet").read_bytes() == snapshot
        assert check(Run.open(place))
        repair(Run.open(place))
        again = Run.open(place)
        assert {one.key: one for one in again.rows()} == truth
        assert check(again) == []
        again.close()


def test_no_reader_replaces_a_snapshot_that_has_more_rows(killed: Path) -> None:
    run = Run.open(Path(shutil.copytree(killed, killed.with_name("whole"))))
    rows = run.rows()
    run.close()
    (killed / "run.sqlite-wal").unlink()
    (killed / "run.sqlite-shm").unlink(missing_ok=True)
    snapshot = (killed / "rows.parquet").read_bytes()
    run = Run.open(killed)
    assert len(run.rows()) < len(rows)
    run.parquet()
    assert "rows that run.sqlite has lost" in run.problems[0]
    run.close()
    assert (killed / "rows.parquet").read_bytes() == snapshot
    (item,) = check(Run.open(killed))
    assert "are not in it" in item.found
    repair(Run.open(killed))
    assert Run.open(killed).rows() == rows
    assert check(Run.open(killed)) == []


@pytest.mark.parametrize("written", ["7", "", "six"])
def test_a_run_of_another_format_is_refused(tmp_path: Path, written: str) -> None:
    run = make_run(tmp_path / "run")
    run.set_fact("format", written)
    run.close()
    with pytest.raises(RunError, match="run format"):
        Run.open(run.path)

"""A run keeps what it was given, whoever writes at once, and says what is damaged."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.made_rows import row
from tests.store.made_run import make_run, state

from editgauge import temporary
from editgauge.errors import ImageError, RunError
from editgauge.reports import site
from editgauge.reports.part import Part
from editgauge.store import lease, parquet, schema
from editgauge.store.check import check, repair
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.tables import reading
from editgauge.types import Metric, Row, Status

NAMES = st.text(min_size=1, max_size=6)
WIDTHS = st.floats(allow_nan=False, allow_infinity=False)


def rows_with(value: float | None, mark: str) -> Row:
    status = Status.SCORED if value is not None else Status.FAILED
    return row("a", "e", "m", value, status=status, fingerprint=mark)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, WIDTHS, NAMES, st.integers(0, 3)), max_size=8))
def test_rows_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, parts: list) -> None:  # type: ignore[type-arg]
    run = Run.create(tmp_path_factory.mktemp("run") / "r")
    made = {}
    for sample, editor, value, reason, repeat in parts:
        one = row(sample, editor, "m", value, repeat=repeat, fingerprint=digest(value))
        made[one.key] = replace(one, reason=reason, detail={"why": reason}, origin={"by": editor})
    run.put(made.values())
    run.close()
    again = Run.open(run.path)
    plain = {k: v for k, v in made.items() if all(t.isprintable() for t in (k[1], k[2], v.reason))}
    there = {one.key: one for one in again.rows()}
    assert {key: there[key] for key in plain} == plain
    assert not again.problems
    again.close()


def test_an_infinite_score_is_infinite_in_every_file(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    one = row("a", "e", "psnr", None, infinite=True)
    run.put([one])
    run.record("score")
    assert run.rows() == [one]
    assert run.read("SELECT value FROM rows") == [(math.inf,)]
    assert parquet.fetch_tuples(run.parquet(), "SELECT value FROM rows") == [(math.inf,)]


def test_a_sample_may_be_called_as_a_metric_or_a_series_is(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    metrics = [Metric(name, direction="lower", low=0, high=math.inf) for name in ("mse", "psnr")]
    with run.changing():
        run.write_samples("mini", [{"id": "a", "split": "x"}, {"id": "b", "split": "x"}])
        run.keep_metrics("mini", metrics)
        run.put([row("mse", "e", "psnr", 1.0), row("psnr", "e", "mse", 2.0)])
        run.write_samples("mini", [{"id": "mse"}, {"id": "psnr", "split": "y"}])
    run.close()
    again = Run.open(run.path)
    assert [one["id"] for one in again.samples("mini")] == ["a", "b", "mse", "psnr"]
    assert [(one.sample, one.metric) for one in again.rows()] == [("mse", "psnr"), ("psnr", "mse")]
    assert set(again.metrics("mini")) == {"mse", "psnr"}
    assert not again.problems


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")

    def half() -> None:
        with run.changing():
            run.put([rows_with(1.0, "x")])
            run.keep(tmp_path / "none", "inputs/x.png")

    with pytest.raises(ImageError):
        half()
    run.put([row("b", "e", "m", 3.0)])
    assert [one.sample for one in run.rows()] == ["b"]
    assert not run.problems


def test_samples_keep_the_order_of_the_benchmark(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    run.put([row("c", "e", "m", 1.0)])
    run.write_samples("mini", [{"id": "b"}, {"id": "a"}])
    run.write_samples("mini", [{"id": "d", "split": "x"}])
    assert [one["id"] for one in run.samples("mini")] == ["b", "a", "d"]
    run.write_samples("mini", [{"id": name} for name in "abcd"])
    assert [one["id"] for one in run.samples("mini")] == ["a", "b", "c", "d"]
    assert run.samples("mini")[3]["split"] == "x", "what is known stays"
    assert run.benchmarks() == ["mini"]


class Elsewhere:
    """Another machine that writes a run: it renews its lease, or was killed."""

    def __init__(self, run: Run, age: float = 0.0) -> None:
        self.lease = run.path / lease.HOST
        self.lease.write_bytes(b"another machine")
        self.grow_older(age)

    def grow_older(self, seconds: float) -> None:
        moment = time.time() - seconds
        os.utime(self.lease, (moment, moment))


def test_a_writer_waits_for_another_machine_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run.create(tmp_path / "run")
    other, looks = Elsewhere(run), []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 5:
            with contextlib.closing(sqlite3.connect(run.path / "run.sqlite")) as db, db:
                db.execute("INSERT INTO origins VALUES (1, 'theirs', 0)")
            other.lease.unlink()

    monkeypatch.setattr(lease.time, "sleep", sleep)
    run.put([rows_with(2.0, "y")])
    assert len(looks) == 5, "while it renews its lease it is waited for, however long that takes"
    said = capsys.readouterr().err
    assert said.count("another machine is writing this run (last seen 0 seconds ago)") == 1
    assert run.read("SELECT facts FROM origins WHERE id = 1") == [("theirs",)]
    assert other.lease.read_bytes() != b"another machine"
    run.close()
    assert not other.lease.exists(), "it is released"


def test_a_lease_that_is_not_renewed_ends_within_a_minute_whatever_the_clocks_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(tmp_path / "run")
    other, waited = Elsewhere(run), 0.0

    def sleep(seconds: float) -> None:
        nonlocal waited
        waited += seconds
        other.grow_older(waited)

    wrong_clock = SimpleNamespace(time=lambda: 0.0, sleep=sleep)
    monkeypatch.setattr(lease, "time", wrong_clock)
    run.put([rows_with(2.0, "y")])
    assert 0 < waited <= 60
    assert [one.value for one in run.rows()] == [2.0]


def test_a_reader_does_not_wait_for_another_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(tmp_path / "run")
    run.put([rows_with(2.0, "y")])
    run.close()
    Elsewhere(run)

    def sleep(seconds: float) -> None:
        pytest.fail("it waits")

    monkeypatch.setattr(lease, "time", SimpleNamespace(time=time.time, sleep=sleep))
    again = Run.open(run.path)
    assert parquet.fetch_tuples(again.parquet(), "SELECT value FROM rows") == [(2.0,)]


def test_a_reader_that_stays_holds_no_lease(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    run.put([rows_with(2.0, "y")])
    run.close()
    reader = Run.open(run.path)
    assert reader.parquet() == [run.path / "rows.parquet"], "it was made"
    assert not (run.path / lease.HOST).exists()


def test_a_lease_is_renewed_while_a_command_computes_and_kept_until_all_have_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "_RENEWED", 0.01)
    run = Run.create(tmp_path / "run")
    run.put([rows_with(2.0, "y")])
    second = Run.open(run.path)
    second.put([rows_with(3.0, "z")])
    place = run.path / lease.HOST
    run.close()
    old = time.time() - 2 * lease.ALIVE
    os.utime(place, (old, old))
    for _ in range(3000):
        if time.time() - place.stat().st_mtime < lease.ALIVE:
            break
        time.sleep(0.01)
    else:
        pytest.fail("the lease is not renewed")
    second.close()
    assert not place.exists()


def test_a_page_of_an_earlier_day_or_in_another_s_place_brings_no_number_back(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path / "run")
    run.close()
    earlier = (run.path / "run.sqlite").read_bytes()
    run.put(replace(one, value=one.value / 2, fingerprint="x") for one in run.rows() if one.value)
    truth = state(run)
    run.close()
    now, told = (run.path / "run.sqlite").read_bytes(), 0
    pages = [slice(at, at + 4096) for at in range(0, len(now), 4096)]
    for number, page in enumerate(pages):
        for other in (earlier[page], now[pages[(number + 1) % len(pages)]]):
            place = tmp_path / f"{number}-{len(list(tmp_path.iterdir()))}"
            place.mkdir()
            (place / "run.sqlite").write_bytes(now[: page.start] + other + now[page.stop :])
            again = Run.open(place)
            found = state(again)
            assert found == truth or again.problems, number
            assert found[0].items() <= truth[0].items(), number
            told += bool(again.problems)
            repair(again)
            assert Run.open(place).rows() == again.rows()
    assert told > len(pages) / 2


def test_other_tables_are_another_format() -> None:
    tables = "\n".join(" ".join(statement.split()) for statement in schema.SCHEMA)
    told = (schema.FORMAT, hashlib.sha256(tables.encode()).hexdigest()[:16])
    assert told == ("6", "8c9373d6cbecf990")


@pytest.mark.parametrize(
    ("given", "value", "mark", "said"),
    [
        ([(1.0, "x"), (2.0, "y")], 2.0, "y", 0),
        ([(None, "x"), (2.0, "x"), (None, "x")], 2.0, "x", 0),
        ([(1.0, "x"), (1.5, "x")], 1.0, "x", 1),
    ],
)
def test_of_two_rows_of_one_key_the_score_and_the_other_fingerprint_count(
    tmp_path: Path, given: list[tuple[float | None, str]], value: float, mark: str, said: int
) -> None:
    run = Run.create(tmp_path / "run")
    for one in given:
        run.put([rows_with(*one)])
    assert [(one.value, one.fingerprint) for one in run.rows()] == [(value, mark)]
    assert run.done("mini") == {rows_with(value, mark).key: {mark: Status.SCORED}}
    assert len(run.problems) == said
    assert all("e a m (faithful) was scored twice" in text for text in run.problems)
    assert run.drop([(run.rows()[0].key, "z")]) == 0
    assert run.drop([(run.rows()[0].key, mark)]) == 1
    assert (run.rows(), run.parquet()) == ([], [])


def test_a_run_of_another_format_is_one_line_and_stays_as_it_is(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    run.set_fact("format", "3")
    run.close()
    with contextlib.closing(sqlite3.connect(run.path / "run.sqlite")) as database, database:
        database.execute("CREATE TABLE of_then(id INTEGER)")
    before = (run.path / "run.sqlite").read_bytes()
    with pytest.raises(RunError, match=r"run format '3', this version reads 6; use the editgauge"):
        Run.open(run.path)
    assert (run.path / "run.sqlite").read_bytes() == before
    with pytest.raises(RunError, match=r"no run\.sqlite"):
        Run.open(tmp_path)
    with pytest.raises(RunError, match="not empty"):
        Run.create(tmp_path)


def test_what_killed_commands_have_left_half_made_is_taken_away(tmp_path: Path) -> None:
    run, report = make_run(tmp_path / "run"), tmp_path / "report"
    part = Part(reading.of_runs([run], "mini"), [], run.metrics("mini"), title="Mini")
    site.build([run], [part], report)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    name = temporary.new_name().replace(f"-{os.getpid()}-", f"-{ended.pid}-")
    thumbnails = next(report.rglob("*.webp")).parent
    left = [run.path / "edits/mini/one" / name, thumbnails / name]
    for path in left:
        path.write_bytes(b"half a picture")
    run.record("score")
    site.build([run], [part], report)
    assert not [path for path in left if path.exists()]


def test_a_row_of_an_unknown_status_is_named_and_in_no_number(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    rows = run.rows()
    with run.changing() as db:
        record = db.execute("SELECT * FROM rows WHERE value IS NOT NULL").fetchone()
        strange = schema.sealed("rows", *record[:3], None, "pondered", *record[5:9])
        run.put_records(db, [strange], lambda old, new: True)
    assert len(run.rows()) == len(rows) - 1
    assert "'pondered'" in run.problems[0]
    (item,) = check(run)
    assert "'pondered'" in item.found
    assert item.by_hand
    results = reading.of_runs([run], "mini")
    assert sum((cube.status >= 0).sum() for cube in results.cubes.values()) == len(rows) - 1
    (file,) = run.parquet()
    with parquet.database() as db:  # as another version would write it
        db.execute("CREATE TABLE rows AS SELECT * FROM read_parquet(?)", [str(file)])
        db.execute("UPDATE rows SET status = 'pondered' WHERE status = 'failed'")
        db.execute(f"COPY rows TO {parquet.quoted(file)} (FORMAT parquet)")
    reading._fetched([file], "mini")

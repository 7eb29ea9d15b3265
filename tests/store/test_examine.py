"""`editgauge check-run`: what is damaged is named, and a repair makes the run sound without making
anything up.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.command_line import invoke
from tests.made_rows import row
from tests.store.damaged import damage, make_run, state, without_ids

from editgauge.errors import EditgaugeError
from editgauge.store.examine import examine, repair
from editgauge.store.run_folder import RunFolder


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path / "run")


def segment(run: RunFolder, room: str = "rows/segments") -> Path:
    return sorted((run.path / room).glob("*.jsonl"))[0]


def edit_line(path: Path, number: int, old: bytes, new: bytes) -> None:
    lines = path.read_bytes().split(b"\n")
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new, 1)
    path.write_bytes(b"\n".join(lines))


def test_a_sound_run(run: RunFolder) -> None:
    assert examine(run) == []
    told = invoke(["check-run", str(run.path)])
    assert told.exit_code == 0
    assert "sound" in told.output


def test_a_changed_number_is_named_taken_out_and_kept_beside(run: RunFolder) -> None:
    path = segment(run)
    before = state(run)["rows"]
    edit_line(path, 2, b'"value":0', b'"value":9')
    (found,) = [item for item in examine(RunFolder.open(run.path)) if "line" in item.place]
    assert found.place == f"rows/segments/{path.name}, line 2"
    assert "checksum" in found.found
    assert "score makes it again" in found.repair
    repair(RunFolder.open(run.path))
    again = RunFolder.open(run.path)
    after = state(again)["rows"]
    assert again.problems == []
    assert examine(again) == []
    assert len(after) == len(before) - 1
    assert all(before[key] == row for key, row in after.items())
    assert b'"value":9' in path.with_suffix(".damaged").read_bytes()


@pytest.mark.parametrize(
    ("label", "wanted"),
    [("human", "study import"), ("judge", "judge makes"), ("judge-import", "judge import")],
)
def test_it_is_told_who_makes_a_damaged_row_again(run: RunFolder, label: str, wanted: str) -> None:
    path = segment(run)
    edit_line(path, 2, b'"value":0', b'"value":9')
    path.rename(path.with_name(f"{label}-{path.name}"))
    repairs = [item.repair for item in examine(RunFolder.open(run.path)) if "line 2" in item.place]
    assert len(repairs) == 1
    assert f"editgauge {wanted}" in repairs[0]


@pytest.mark.parametrize("lines", [1, 3])
def test_lines_cut_off_at_the_end_are_noticed(run: RunFolder, lines: int) -> None:
    path = segment(run)
    kept = path.read_bytes().split(b"\n")[: -lines - 1]
    path.write_bytes(b"\n".join(kept) + b"\n")
    opened = RunFolder.open(run.path)
    opened.rows()
    assert any("lines at its end are gone" in text for text in opened.problems)
    repair(opened)
    assert RunFolder.open(run.path).problems == []


def test_a_picture_that_is_another_one(run: RunFolder) -> None:
    picture = run.path / "edits/mini/one/s1.png"
    picture.write_bytes((run.path / "edits/mini/one/s2.png").read_bytes())
    (found,) = examine(RunFolder.open(run.path))
    assert (found.place, found.by_hand) == ("edits/mini/one/s1.png", True)
    assert "another one than its record" in found.found


def test_damaged_parquet_and_metrics_are_put_right(run: RunFolder) -> None:
    (file,) = run.parquet()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    edit_line(run.path / "metrics.json", 4, b":", b";")
    assert {item.place for item in examine(RunFolder.open(run.path))} == {
        "rows/parquet", "metrics.json",
    }  # fmt: skip
    repair(RunFolder.open(run.path))
    assert (run.path / "metrics.json.damaged").exists()
    run.parquet()


def test_rows_that_no_reader_has_made_ready_are_no_damage(run: RunFolder) -> None:
    """Another command may be writing them just now."""
    with run.writer() as writer:
        writer.write([row("s0", "three", "ssim", 0.5)])
        assert examine(RunFolder.open(run.path)) == []
    for path in (run.path / "rows/parquet").iterdir():
        path.unlink()
    assert examine(RunFolder.open(run.path)) == []


def test_the_command_says_and_repairs(run: RunFolder) -> None:
    edit_line(segment(run, "rows/edits"), 1, b'"width":8', b'"width":9')
    words = ["check-run", str(run.path)]
    told = invoke(words)
    assert told.exit_code == 1
    assert "line 1: damaged" in told.output
    assert "--repair" in told.output
    found = json.loads(invoke([*words, "--repair", "--json"]).stdout)
    assert (found["repaired"], len(found["damages"]), found["left"]) == (True, 1, [])
    assert invoke(words).exit_code == 0


@pytest.mark.parametrize("seed", range(5000, 5030))
def test_a_repair_leaves_only_what_was_written(tmp_path: Path, run: RunFolder, seed: int) -> None:
    truth = state(run)
    damage(run.path, seed)
    try:
        repair(RunFolder.open(run.path))
        found = state(RunFolder.open(run.path))
    except EditgaugeError as error:
        assert "\n" not in str(error)  # noqa: PT017 - a refusal is allowed, but is one line
        return
    for kind, records in found.items():
        assert all(truth[kind][key] == record for key, record in records.items())


def test_a_clock_that_was_ahead_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.made_rows import row

    run = RunFolder.create(tmp_path / "clock")
    with monkeypatch.context() as patch:
        patch.setattr("time.time_ns", lambda: 1 << 62)
        with run.writer() as writer:
            writer.write([row("s1", "one", "ssim", 0.1, fingerprint="old")])
    with run.writer() as writer:
        writer.retire([(row("s1", "one", "ssim", 0.1).key, "old")])
        writer.write([row("s1", "one", "ssim", 0.2, fingerprint="new")])
    assert [r.value for r in run.rows()] == [0.2]
    assert run.problems == []


def test_rows_of_earlier_versions_are_read_and_are_older(run: RunFolder) -> None:
    truth = state(run)
    without_ids(run.path, checked=False)
    for path in (run.path / "rows/segments").glob("*.jsonl"):  # by a clock that was ahead
        path.write_bytes(re.sub(rb'"at":\d+', b'"at":%d' % (1 << 61), path.read_bytes()))
    opened = RunFolder.open(run.path)
    assert state(opened) == truth
    assert opened.problems == []
    first = opened.rows()[0]
    with opened.writer() as writer:
        writer.retire([(row.key, row.fingerprint) for row in opened.rows()])
    assert opened.rows() == []
    with opened.writer() as writer:
        writer.write([first])
    assert opened.rows() == [first]


def test_a_run_on_a_read_only_disk_is_read(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = run.rows()
    for path in (run.path / "rows/parquet").iterdir():
        path.unlink()
    real = os.open

    def readonly(path: object, flags: int, *more: object, **named: object) -> int:
        above = named.get("dir_fd")
        place = str(path) if above is None else os.readlink(f"/proc/self/fd/{above}")
        inside = place.startswith(str(run.path))
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR) and inside:
            raise OSError(30, "Read-only file system", str(path))
        return real(path, flags, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", readonly)
    assert RunFolder.open(run.path).rows() == rows

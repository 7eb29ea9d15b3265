"""Damaged runs: a problem is named, or nothing is wrong; never another number, never a traceback."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.contract.faults import Cells, calls, cells, copy_of, files, named
from tests.contract.server import ENV, Server, chat, verdict
from tests.contract.support import Result, cli, picture, save

DAMAGES = [40, pytest.param(1000, marks=pytest.mark.slow)]
LIMIT = ("--limit", 6, "--workers", 0)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, judged_run: Path) -> Path:
    """A run of the same samples and editors with other outputs, and so with other numbers."""
    place = tmp_path_factory.mktemp("other")
    outputs = place / "outputs"
    for editor in ("copy", "reference"):
        for number, path in enumerate(sorted((judged_run / "edits/mini" / editor).iterdir())):
            save(outputs / editor / path.name, picture(number + len(editor)))
    told = ("--outputs", outputs, "--run", place / "run")
    cli("score", "mini", *told, "--tracks", "pixel", *LIMIT, expect=None)
    return place / "run"


def damage(run: Path, other: Path, choose: random.Random) -> str:
    """A byte turned, a file cut, a file gone, or another run's file in its place."""
    path = choose.choice([path for path in files(run, pictures=False) if path.stat().st_size])
    data = bytearray(path.read_bytes())
    kind = choose.choice(("turned", "turned", "cut", "gone", "another's"))
    if kind == "turned":
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)
        path.write_bytes(data)
    elif kind == "cut":
        path.write_bytes(data[: choose.randrange(len(data))])
    elif kind == "gone":
        path.unlink()
    else:
        theirs = [one for one in files(other, pictures=False) if one.suffix == path.suffix]
        path.write_bytes(choose.choice(theirs or files(other)).read_bytes())
    return f"{path.relative_to(run)}: {kind}"


def reading(run: Path, into: Path, number: int) -> Result:
    """One of the commands that read a run."""
    commands: tuple[tuple[Any, ...], ...] = (
        ("compare", run, "copy", "reference", "--json"),
        ("report", run, "--to", into / "report"),
        ("check", run),
        ("score", "mini", "--run", run, "--tracks", "pixel", *LIMIT),
        ("merge", run, "--to", into / "all"),
        ("costs", run),
    )
    return cli(*commands[number % len(commands)], expect=None)


def plain(result: Result, what: str) -> None:
    """Assert that a command ended as commands end: no traceback, no code of its own."""
    assert "Traceback" not in result.text, f"{what}\n{result.text}"
    assert result.code in (0, 1, 2), f"{what}\n{result.text}"
    assert result.code != 2 or result.err.strip(), f"{what}: ends without a word"


def believed(seen: Cells, truth: Cells) -> bool:
    """Whether no number is another one, but where its count says that rows are gone."""
    return all(
        key in truth and (pair == truth[key] or (pair[1] or 0) < truth[key][1])
        for key, pair in seen.items()
    )


@pytest.mark.parametrize("count", DAMAGES)
def test_a_damaged_run_names_a_problem_or_nothing_is_wrong(
    judged_run: Path, other: Path, tmp_path: Path, count: int
) -> None:
    truth, theirs = (cells(cli("table", run, "--json", expect=None)) for run in (judged_run, other))
    choose, told, read = random.Random(7), 0, 0
    for number in range(count):
        into = tmp_path / str(number)
        run = copy_of(judged_run, into / "run")
        what = damage(run, other, choose)
        table = cli("table", run, "--json", expect=None)
        plain(table, what)
        told += named(table)
        if table.code != 2:
            seen = cells(table)
            read += bool(seen)
            assert seen in (truth, theirs) or named(table), f"{what}: lost without a word"
            assert believed(seen, truth) or seen == theirs, f"{what}: another number"
        plain(reading(run, into, number), what)
    assert told, "no damage was told: the test damages nothing"
    assert read, "no table could be read"


def holds_rows(data: bytes) -> bool:
    return b"ssim" in data and b"replace-01" in data


@pytest.mark.parametrize("lost", [False, True])
def test_no_damaged_file_and_none_that_is_lost_closes_a_run(
    judged_run: Path, tmp_path: Path, lost: bool
) -> None:
    truth, closed = cells(cli("table", judged_run, "--json")), []
    for place in (path.relative_to(judged_run) for path in files(judged_run, pictures=False)):
        data = (judged_run / place).read_bytes()
        run = copy_of(judged_run, tmp_path / str(place) / "run")
        (run / place).unlink()
        if not lost:
            (run / place).write_bytes(bytes(byte ^ 16 for byte in data[:1]) + data[1:])
        plain(cli("check", run, "--repair", expect=None), str(place))
        table = cli("table", run, "--json", expect=None)
        if table.code == 2:
            closed.append(str(place))
        else:
            assert believed(cells(table), truth), place
            if lost and holds_rows(data):
                assert cells(table) == truth, f"{place}: not all rows were brought back"
    assert not closed


def test_scores_that_a_repair_took_out_are_made_again(judged_run: Path, tmp_path: Path) -> None:
    truth = cells(cli("table", judged_run, "--json"))
    repaired = 0
    for place in (path.relative_to(judged_run) for path in files(judged_run, pictures=False)):
        data = bytearray((judged_run / place).read_bytes())
        if not holds_rows(data):
            continue
        run = copy_of(judged_run, tmp_path / place.name / "run")
        data[data.rindex(b"ssim")] ^= 1
        (run / place).write_bytes(data)
        cli("check", run, "--repair", expect=None)
        cli("score", "mini", "--run", run, "--tracks", "pixel", *LIMIT)
        assert cells(cli("table", run, "--json")) == truth, place
        cli("check", run)
        repaired += 1
    assert repaired


SENTENCE = "It was paid for, and it says so. "
WORDS = SENTENCE * 40


def test_half_a_page_costs_its_replies_and_no_others(edited_run: Path, tmp_path: Path) -> None:
    whole, paid_again = copy_of(edited_run, tmp_path / "whole"), 0
    with Server(lambda asked: chat(verdict(asked, 3, WORDS))) as server:
        cli("judge", "mini", "--run", whole, *server.words, "--limit", 6, env=ENV)
        paid = calls(server)
    truth = cells(cli("table", whole, "--json"))
    for place in (path.relative_to(whole) for path in files(whole, pictures=False)):
        data = bytearray((whole / place).read_bytes())
        if SENTENCE.encode() not in data or not data.startswith(b"SQLite"):
            continue
        start = data.index(SENTENCE.encode(), len(data) // 2) // 4096 * 4096
        data[start : start + 2048] = bytes(2048)
        run = copy_of(whole, tmp_path / place.name / "run")
        (run / place).write_bytes(data)
        checked = cli("check", run, expect=1)
        assert "lost" in checked.out
        report = cli("report", run, "--to", tmp_path / place.name / "report")
        assert named(report)
        merged = cli("merge", run, "--to", tmp_path / place.name / "all", expect=1)
        assert "lost" in merged.err
        cli("check", run, "--repair", expect=1)
        with Server(lambda asked: chat(verdict(asked, 3, WORDS))) as server:
            judging = ("judge", "mini", *server.words, "--limit", 6)
            cli(*judging, "--run", run, env=ENV)
            fresh = copy_of(edited_run, tmp_path / place.name / "fresh")  # with these replies alone
            cli(*judging, "--run", fresh, "--replies", run / place, env=ENV, expect=None)
            paid_again += calls(server)
            assert calls(server) < paid // 4
        assert cells(cli("table", run, "--json")) == truth
        cli("check", run)
    assert paid_again, "no reply was lost: the test damages nothing"


def test_a_file_of_replies_that_is_gone_is_named(judged_run: Path, tmp_path: Path) -> None:
    cli("check", judged_run)
    removed = 0
    for place in (path.relative_to(judged_run) for path in files(judged_run, pictures=False)):
        data = (judged_run / place).read_bytes()
        if b"It is as it is." in data and data.startswith(b"SQLite"):
            run = copy_of(judged_run, tmp_path / place.name / "run")
            (run / place).unlink()
            checked = cli("check", run, expect=None)
            assert checked.code, f"{place}: called sound"
            assert place.name in checked.text
            removed += 1
    assert removed


def test_after_a_repair_tables_say_which_rows_are_lacking(judged_run: Path, tmp_path: Path) -> None:
    run = copy_of(judged_run, tmp_path / "run")
    (run / "rows.parquet").unlink()
    for path in files(run, pictures=False):
        data = bytearray(path.read_bytes())
        if holds_rows(data):
            path.write_bytes(data.replace(b"ssim", b"ssin"))
    cli("check", run, "--repair", expect=1)
    for words in (("table", run), ("compare", run, "copy", "reference")):
        assert "rows were lost" in cli(*words, expect=None).text
    cli("report", run, "--to", tmp_path / "report")
    cli("score", "mini", "--run", run, "--tracks", "pixel", *LIMIT)
    assert "rows were lost" not in cli("table", run).text


def test_an_output_that_is_another_picture_is_not_scored_and_not_shown(
    judged_run: Path, tmp_path: Path
) -> None:
    run = copy_of(judged_run, tmp_path / "run")
    output = sorted((run / "edits/mini/copy").iterdir())[0]
    save(output, picture(99))
    checked = cli("check", run, expect=1)
    assert output.name in checked.text
    report = cli("report", run, "--copy-images", "--to", tmp_path / "report")
    assert named(report)
    shown = {path.read_bytes() for path in files(tmp_path / "report")}
    assert output.read_bytes() not in shown

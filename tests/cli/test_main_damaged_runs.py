"""Every command on damaged copies of a run: an exit code and a line, never a traceback, and no
number of the sound run's table that is another one.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.corpus import spoilt_json
from tests.store.damaged import damage, files, make_other

from editgauge.cli.main import main
from editgauge.store.run_folder import RunFolder
from editgauge.testing import FaultServer

PART = 35
"""Damaged runs of one part: five for each command."""
PARTS = 15
LIMIT = ("--sample", "replace-01", "--sample", "replace-03")
JUDGE = ("--model", "scripted", "--sample", "replace-01", "--editor", "reference")
TEXTS = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class Said:
    """What a command gave back."""

    code: int
    out: str
    err: str


Call = Callable[..., Said]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Runs a command in this process, as the console does, with exit code and error lines."""
    place = tmp_path_factory.mktemp("elsewhere")

    def run(*words: object) -> Said:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["editgauge", *map(str, words)])
            patch.setenv("EDITGAUGE_MEMORY", "1GB")  # `score` sets it for its workers
            patch.setenv("EDITGAUGE_JUDGE_KEY", "none")
            patch.chdir(place)
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    main()
                    code: Any = 0
                except SystemExit as stop:
                    code = stop.code or 0
        return Said(code, out.getvalue(), err.getvalue())

    return run


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, call: Call) -> Path:
    """Two editors on three samples, with scores, a judge's rows and its replies, and the Parquet
    file.
    """
    run = tmp_path_factory.mktemp("sound") / "run"
    for editor in ("copy", "reference"):
        assert call("edit", "mini", "--run", run, "--editor", editor, *LIMIT).code == 0
    assert call("score", "mini", "--run", run, *LIMIT, "--workers", "0").code == 0
    with FaultServer() as server:
        words = ("judge", "mini", "--run", run, *JUDGE, "--base-url", server.url)
        said = call(*words)
        assert said.code == 0, said.err
    assert cells(call("table", run, "--json"))
    assert call("check-run", run).code == 0
    return run


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, sound: Path) -> RunFolder:
    return make_other(RunFolder.open(sound), tmp_path_factory.mktemp("other") / "run")


def cells(said: Said) -> dict[tuple[str, str, str, str], tuple[Any, Any, Any]]:
    """Every number of a printed table, with the count behind it."""
    return {
        (table["name"], table["variant"], line["name"], column): (
            cell["value"], cell["n"], cell.get("infinite"),
        )
        for table in json.loads(said.out)["tables"]
        for line in table["rows"]
        for column, cell in line["cells"].items()
    }  # fmt: skip


def commands(run: Path, into: Path) -> list[tuple[object, ...]]:
    offline = ("judge", "mini", "--run", run, *JUDGE, "--offline")
    return [
        ("table", run, "--variant", "both"),
        ("compare", run, "copy", "reference"),
        ("report", run, "--to", into / "report", "--no-intervals", "--no-thumbnails"),
        ("score", "mini", "--run", run, *LIMIT, "--workers", "0"),
        offline,
        ("merge", run, "--to", into / "all"),
        ("check-run", run),
    ]


def spoil(run: Path, seed: int, other: RunFolder) -> str:
    """Damage a run: any file, one of its texts, or a text's JSON with another value in it; or with
    files of another run.
    """
    texts = [path for path in files(run) if path.suffix in TEXTS]
    if seed % 3 == 0:
        return damage(run, seed, other=other if seed % 2 else None)
    if seed % 3 == 1:
        return damage(run, seed, texts)
    path = texts[seed % len(texts)]
    path.write_bytes(spoilt_json(path.read_bytes(), seed))
    return f"{seed}: {path.relative_to(run)}: another value"


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))]
)
def test_every_command_on_damaged_runs(
    tmp_path: Path, call: Call, sound: Path, other: RunFolder, part: int
) -> None:
    truth = cells(call("table", sound, "--json"))
    believed = 0
    for seed in range(part * PART, (part + 1) * PART):
        into = tmp_path / str(seed)
        run = Path(shutil.copytree(sound, into / "run", symlinks=True))
        what = spoil(run, seed, other)
        words = commands(run, into)[seed % 7]
        for said in (table := call("table", run, "--json"), call(*words)):
            told = f"{what}\n{words}\n{said.err}"
            assert said.code in (0, 1, 2), told
            assert "Traceback" not in said.err, told
            assert "a mistake in editgauge" not in said.err, told
            assert said.code != 2 or said.err.strip().count("\n") <= 5, told
            assert said.code != 2 or "error: " in said.err, told
        if table.code == 2:
            continue
        seen = cells(table)
        wrong = {key: (seen[key], truth.get(key)) for key in seen if seen[key] != truth.get(key)}
        silent = {key: pair for key, pair in wrong.items() if not fewer(*pair)}
        assert not silent, f"{what}: {silent}"
        assert not wrong or table.err or json.loads(table.out)["problems"], f"{what}: {wrong}"
        believed += 1
        shutil.rmtree(into)
    assert believed > PART / 3  # the rest was refused in a line


def fewer(seen: tuple[Any, Any, Any], truth: tuple[Any, Any, Any] | None) -> bool:
    """Whether a number is another one because rows behind it are gone, which its count says."""
    return truth is not None and (seen[1] or 0) < truth[1]


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (command, after)
        for command in ("table", "report", "check-run")
        for after in ("open", "benchmarks", "parquet", "samples", "edits")
        if (command, after) != ("check-run", "parquet")  # it does not make one
    ],
)
def test_a_run_that_is_deleted_meanwhile(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call: Call,
    sound: Path,
    command: str,
    after: str,
) -> None:
    """At any of the places where a command reads the run: one line, or what was read before; the
    run does not come back as an empty one.
    """
    run = Path(shutil.copytree(sound, tmp_path / "run"))
    original = getattr(RunFolder, after)

    def then_gone(*given: Any, **named: Any) -> Any:
        result = original(*given, **named)
        shutil.rmtree(run, ignore_errors=True)
        return result

    monkeypatch.setattr(RunFolder, after, then_gone)
    said = call(command, run)
    assert said.code in (0, 1, 2), said.err
    assert "Traceback" not in said.err, said.err
    assert said.code != 2 or said.err.strip().splitlines()[-1].startswith("error: ")
    if said.code == 2:
        assert "a mistake in editgauge" not in said.err
    assert said.code != 0 or after != "open", said.out
    assert not (run / "manifest.json").exists()


def test_whatever_counts_rows_says_what_was_left_out(
    tmp_path: Path, call: Call, sound: Path
) -> None:
    run = Path(shutil.copytree(sound, tmp_path / "run"))
    (tmp_path / "ratings.csv").write_text(
        "sample,annotator,editor,value\n"
        + "".join(
            f"replace-0{sample},{who},{editor},{value}\n"
            for sample in (1, 3)
            for who in ("ann", "ben")
            for editor, value in (("copy", 2), ("reference", 4 + (who == "ben")))
        )
    )
    (tmp_path / "design.toml").write_text('mode = "rate"\n[[questions]]\nid = "Q"\n')
    taken = call("study", "import", run, tmp_path / "ratings.csv", "--scale", "1-5")
    assert taken.code == 0, taken.err
    first = sorted((run / "rows" / "edits").glob("*.jsonl"))[:1]  # of copy
    for segment in (*first, *(run / "rows" / "segments").glob("*.jsonl")):
        data = segment.read_bytes()
        segment.write_bytes(data.replace(b'"benchmark"', b'"benchmarc"', 1))
    for words in (
        ("agree", run, "--resamples", "100"),
        ("study", "export", run, tmp_path / "out.csv"),
        ("study", "plan", run, tmp_path / "design.toml"),
        ("study", "import", run, tmp_path / "ratings.csv", "--scale", "1-5"),
        ("study", "start", run, tmp_path / "design.toml"),
        ("grid", run, "--sample", "replace-01", "--to", tmp_path / "grid.svg"),
        ("plan", "mini", "--run", run),
        ("judge", "estimate", "mini", "--run", run, *JUDGE),
        ("judge", "show", "mini", "--run", run, *JUDGE),
    ):
        said = call(*words)
        assert "warning: run: " in said.err, f"{words}: {said}"
        assert "left out" in said.err, words
        assert "mistake" not in said.err, words


def test_a_command_that_refuses_says_what_was_left_out(
    tmp_path: Path, call: Call, sound: Path, other: RunFolder
) -> None:
    """Every segment of the run is another run's: that is why there is no table."""
    run = Path(shutil.copytree(sound, tmp_path / "run"))
    (theirs,) = (other.path / "rows" / "segments").glob("*.jsonl")
    for segment in (run / "rows" / "segments").glob("*.jsonl"):
        shutil.copy(theirs, segment)
    for words in (
        ("table", run),
        ("compare", run, "copy", "reference"),
        ("grid", run, "--sample", "replace-01", "--to", tmp_path / "grid.png", "--metric", "ssim"),
    ):
        said = call(*words)
        assert said.code == 2, words
        assert "lines of another run" in said.err, words

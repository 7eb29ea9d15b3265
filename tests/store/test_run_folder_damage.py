"""A thousand damaged runs: no traceback, and no number that changed without a word."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.store.damaged import KINDS, damage, files, make_other, make_run, state, walk

from editgauge import json_text
from editgauge.errors import EditgaugeError
from editgauge.store import segments
from editgauge.store.examine import examine
from editgauge.store.merge import merge
from editgauge.store.run_folder import RunFolder
from editgauge.tables.frame import Frame

TRIALS = 1000


Sound = tuple[Path, dict[str, dict[Any, Any]]]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Sound:
    run = make_run(tmp_path_factory.mktemp("sound") / "run")
    assert run.problems == []
    assert examine(run) == []
    return run.path, state(run)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory, sound: Sound) -> RunFolder:
    return make_other(RunFolder.open(sound[0]), tmp_path_factory.mktemp("other") / "run")


def changed(found: dict[str, dict[Any, Any]], truth: dict[str, dict[Any, Any]]) -> list[str]:
    """What differs from the truth (a changed number), and what is missing ("gone …")."""
    said = []
    for kind, known in truth.items():
        for key, value in found[kind].items():
            if key not in known:
                said.append(f"{kind} {key} was never written")
            elif value != known[key]:
                said.append(f"{kind} {key} changed: {value} was {known[key]}")
        said += [f"gone: {kind} {key}" for key in known if key not in found[kind]]
    return said


def look(path: Path, into: Path | None) -> tuple[dict[str, dict[Any, Any]], list[str]] | str:
    """What readers make of a run: its state and what they say, or the one line of a refusal."""
    try:
        run = RunFolder.open(path)
        found = state(run)
        frame = Frame.of_runs([run], "mini")
        for metric in frame.metrics:
            frame.grid(metric, "corrected")
        examine(RunFolder.open(path))
        if into is not None:
            merge([run], RunFolder.create(into))
        return found, run.problems
    except EditgaugeError as error:
        return str(error)


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 20))]
)
def test_a_thousand_damaged_runs(tmp_path: Path, sound: Sound, other: RunFolder, part: int) -> None:
    original, truth = sound
    outside = {path: path.read_bytes() for path in (*files(original), *files(other.path))}
    for seed in range(part * TRIALS // 20, (part + 1) * TRIALS // 20):
        path = tmp_path / f"run-{seed}"
        shutil.copytree(original, path, symlinks=True)
        what = damage(path, seed, other=other)
        seen = look(path, tmp_path / f"merged-{seed}" if seed % 4 == 0 else None)
        if isinstance(seen, str):
            assert "\n" not in seen, what
            continue
        found, problems = seen
        wrong = changed(found, truth)
        assert not [text for text in wrong if not text.startswith("gone")], what
        assert problems or not wrong, f"{what}: {wrong[:3]}"
        shutil.rmtree(path)
    assert {path: path.read_bytes() for path in outside} == outside


@pytest.mark.parametrize("seeds", [1, pytest.param(8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", list(KINDS))
def test_every_file_damaged_in_every_way(
    tmp_path: Path, sound: Sound, kind: str, seeds: int
) -> None:
    original, truth = sound
    path = tmp_path / "run"
    looked = 0
    for what, _, _ in walk(Path(shutil.copytree(original, path)), kind, seeds):
        looked += 1
        copy = Path(shutil.copytree(path, tmp_path / "look"))  # what repairs itself stays there
        seen = look(copy, None)
        shutil.rmtree(copy)
        if isinstance(seen, str):
            assert "\n" not in seen, what
            continue
        found, problems = seen
        if kind == "another type":  # with a right checksum: only what it is of may be another
            values = {key: row.value for key, row in truth["rows"].items()}
            now = {key: row.value for key, row in found["rows"].items() if key in values}
            assert now.items() <= values.items(), what
            continue
        wrong = changed(found, truth)
        assert not [text for text in wrong if not text.startswith("gone")], what
        assert problems or not wrong, f"{what}: {wrong[:3]}"
    assert looked >= 3 * seeds


def test_a_line_of_too_many_values_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line of 200 MB of empty lists took more than 7 GB."""
    monkeypatch.setattr(json_text, "MOST_PARTS", 20)
    path = tmp_path / "rows.jsonl"
    path.write_text('{"a":[' + "{}," * 5 + "0]}\n" + '{"a":[' + "{}," * 30 + "0]}\n")
    problems: list[str] = []
    faults = [line.fault for line in segments.lines(path, problems)]
    assert faults == ["", "more than 20 values"]
    assert len(problems) == 1
    assert "line 2: more than 20 values; left out" in problems[0]

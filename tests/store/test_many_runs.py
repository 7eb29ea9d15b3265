"""Patterns for runs."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from editgauge.errors import UsageError
from editgauge.store.many_runs import FILES_A_RUN, matching, room_for
from editgauge.store.run import Run


def test_a_pattern_is_every_run_that_it_matches(tmp_path: Path) -> None:
    for name in ("b", "a", "c10"):
        Run.create(tmp_path / name)
    (tmp_path / "d").mkdir()  # no run
    assert matching(tmp_path / "?") == [tmp_path / "a", tmp_path / "b"]
    assert matching(tmp_path / "c[0-9]*") == [tmp_path / "c10"]


def test_a_name_without_a_pattern_and_one_that_is_there_stay(tmp_path: Path) -> None:
    assert matching(tmp_path / "gone") == [tmp_path / "gone"]
    Run.create(tmp_path / "odd[1]")
    assert matching(tmp_path / "odd[1]") == [tmp_path / "odd[1]"]


@pytest.mark.parametrize(("name", "told"), [("d*", "none of them a run"), ("x*", "nothing")])
def test_a_pattern_without_runs_is_an_error(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "d").mkdir()
    with pytest.raises(UsageError, match=told):
        matching(tmp_path / name)


def test_runs_of_a_store(memory_store: object) -> None:
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    for name in ("two", "one"):
        system.pipe_file(f"/lab/runs/{name}/states/x.json", b"{}")
    assert matching(Path("memory://lab/runs/*")) == [
        Path("memory://lab/runs/one"),
        Path("memory://lab/runs/two"),
    ]
    with pytest.raises(UsageError, match="nothing"):
        matching(Path("memory://lab/none/*"))


def test_room_is_made_for_the_files_of_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1_000_000))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: said.append(limits))
    room_for(1)
    assert said == []
    room_for(10_000)
    assert said[0][0] >= 10_000 * FILES_A_RUN
    assert said[0][1] == 1_000_000

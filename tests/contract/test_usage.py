"""What is typed: nothing is accepted and ignored, and every end has its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.support import cli

POLICY = "[coverage]\nleast = 0.5\n"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with two editors that were scored."""
    folder = tmp_path_factory.mktemp("usage") / "run"
    few = ("--limit", 3, "--run", folder, "--workers", 0)
    for editor in ("copy", "blank"):
        cli("edit", "mini", "--editor", editor, *few)
    cli("score", "mini", "--tracks", "pixel", *few, expect=None)
    return folder


@pytest.mark.parametrize(
    "line",
    [
        "compare RUN copy blank --gate POLICY --metric psnr",
        "compare RUN copy blank --gate POLICY --variant faithful",
        "compare RUN copy blank --gate POLICY --by operation",
        "compare RUN copy blank --gate POLICY --set alpha=0.1",
        "compare RUN copy blank --gate POLICY --fail-if-worse",
        "compare RUN copy blank --calibrate human --by operation",
        "compare RUN copy blank --calibrate human --metric psnr",
        "compare RUN copy blank --calibrate human --variant both",
        "compare RUN copy blank --calibrate human --set alpha=0.1",
        "compare RUN copy blank --set proxy=overall=psnr",
        "table RUN --calibrate human --by operation",
        "table RUN --calibrate human --variant faithful",
        "table RUN --calibrate human --only mini.pixel",
        "table RUN --calibrate human --columns PSNR",
        "table RUN --calibrate human --published",
        "table RUN --calibrate human --intervals",
        "table RUN --calibrate human --mean",
        "table RUN --calibrate human --failures floor",
        "table RUN --calibrate human --source nobody",
        "table RUN --set strata=operation",
        "table RUN --paper --json",
        "table RUN --paper --format csv",
        "check mini --repair",
        "check RUN DATA",
        "check RUN --outputs RUN",
        "check RUN --editor copy",
        "check RUN --split plain",
        "check RUN --all",
        "fetch texteditbench --run RUN",
        "fetch texteditbench --from RUN",
        "fetch weights --revision main",
        "new dataset set --to elsewhere",
        "new benchmark mine title=x",
        "import mini --from RUN --pattern {id} --run RUN",
        "import mini --from RUN --pattern {id} --column file=x",
        "score mini --run RUN --column file=x",
    ],
)
def test_what_a_mode_does_not_use_is_refused(
    line: str, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "POLICY").write_text(POLICY)
    words = [str(run) if word == "RUN" else word for word in line.split()]
    done = cli(*words, expect=2)
    option = [word for word in words if word.startswith("--")][-1:]
    assert all(name in done.text for name in option)
    assert [path.name for path in tmp_path.iterdir()] == ["POLICY"]


def test_a_mistake_of_ours_has_a_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("raise ZeroDivisionError\n")
    cli("list", "--plugin", "own.py", expect=2)  # a mistake of somebody else
    monkeypatch.setattr("platform.python_version", lambda: 1 / 0)
    done = cli("list", "installation", expect=70)
    assert "a mistake in editgauge" in done.err
    assert "70" in cli("--help").out


def test_a_data_set_without_samples_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("new", "dataset", "shop")
    done = cli("edit", "dir:shop", "--editor", "copy", "--run", "r", expect=2)
    assert "None" not in done.text
    assert "dir:shop: the data set has no samples yet" in done.err
    assert "curate add shop" in done.err

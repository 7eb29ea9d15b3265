"""What the contract tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.contract import runs
from tests.contract.faults import copy_of, graded
from tests.contract.runs import Known
from tests.contract.server import ENV, Server
from tests.contract.support import cli


@pytest.fixture(scope="session")
def mini_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the built-in benchmark: the anchors `copy` and `reference`, pixel scores of eight
    samples. Nobody writes into it: copy it first (`shutil.copytree`).
    """
    run = tmp_path_factory.mktemp("mini") / "run"
    for editor in ("copy", "reference"):
        cli("edit", "mini", "--editor", editor, "--run", run, "--limit", 8, "--workers", 0)
    cli("score", "mini", "--run", run, "--tracks", "pixel", "--limit", 8, "--workers", 0)
    return run


@pytest.fixture(scope="session")
def edited_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Outputs of `copy` and `reference` for six samples and no scores. To be copied, as above."""
    run = tmp_path_factory.mktemp("edited") / "run"
    for editor in ("copy", "reference"):
        cli("edit", "mini", "--editor", editor, "--run", run, "--limit", 6, "--workers", 0)
    return run


@pytest.fixture
def run(edited_run: Path, tmp_path: Path) -> Path:
    """A copy of `edited_run`."""
    return copy_of(edited_run, tmp_path / "run")


@pytest.fixture(scope="session")
def judged_run(edited_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`edited_run` with pixel scores and a judge's. To be copied, as above."""
    run = copy_of(edited_run, tmp_path_factory.mktemp("judged") / "run")
    cli("score", "mini", "--run", run, "--tracks", "pixel", "--limit", 6, "--workers", 0)
    with Server(graded) as server:
        cli("judge", "mini", "--run", run, *server.words, "--limit", 3, env=ENV)
    return run


def known(make: Callable[[Path], Known]) -> Any:
    """A run with known scores as a fixture of its name."""

    @pytest.fixture(scope="session", name=make.__name__)
    def fixture(tmp_path_factory: pytest.TempPathFactory) -> Known:
        return make(tmp_path_factory.mktemp(make.__name__))

    return fixture


text_edit_bench, text_edit = known(runs.text_edit_bench), known(runs.text_edit)
medical, kris = known(runs.medical), known(runs.kris)

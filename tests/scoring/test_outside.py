"""Scorers of other packages: marked with their version, alone in their fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.scoring.outside import scorers_of
from tests.command_line import invoke
from tests.contract.packages import installed

GAP = """
from editgauge.scoring.plain import metric

@metric("gap", direction="lower", low=0, high=255, heading="Gap", note="of the means")
def gap(original, edited):
    return abs(float(original.mean()) - float(edited.mean()))

@metric("ssim", direction="higher", low=0, high=1)
def ssim(original, edited):
    return 1.0

def nothing(**options):
    raise OSError("a library is missing")
"""
GROUP = "editgauge.scorers"


def put(
    place: Path, patch: Any, name: str, target: str, source: str = GAP, version: str = "1.0"
) -> None:
    points, modules = {GROUP: {name: f"plugin_{name}:{target}"}}, {f"plugin_{name}.py": source}
    installed(place / f"some-{name}", patch, points, modules, version)


def found() -> Any:
    return scorers_of(catalog.find("benchmarks", "mini"), ["pixel"])


def test_another_version_of_the_package_makes_its_rows_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = str(tmp_path / "run")
    more = ("mini", "--run", run, "--limit", "1", "--workers", "0", "--json")
    invoke(["edit", *more, "--editor", "copy"])
    for version, computed in (("1.0", 6), ("1.0", 0), ("2.0", 1)):
        with monkeypatch.context() as patch:
            put(tmp_path / f"{version}-{computed}", patch, "gap", "gap", version=version)
            assert json.loads(invoke(["score", *more]).stdout)["computed"] == computed


@pytest.mark.parametrize(
    ("target", "source", "said"),
    [
        ("gap", "import no_such_library", "cannot be imported: ModuleNotFoundError"),
        ("nothing", GAP, "scorers: OSError: a library is missing"),
        ("thing", "thing = lambda **options: [3]", "wanted scorers, found 3"),
        ("ssim", GAP, "mini has its own ssim; left out"),
        (
            "gap",
            GAP + "\nfrom editgauge.types import Metric\n"
            "gap.metrics = (Metric('gap', direction=None, low=0, high=1),)",
            "metric gap has no direction",
        ),
    ],
)
def test_what_cannot_be_used_is_named_and_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, source: str, said: str
) -> None:
    before = [scorer.name for scorer in found().scorers]
    put(tmp_path, monkeypatch, "odd", target, source)
    put(tmp_path, monkeypatch, "good", "gap", GAP.replace('"gap"', '"good"'))
    now = found()
    (problem,) = now.problems
    assert "some-odd" in problem
    assert said in problem
    assert [scorer.name for scorer in now.scorers] == [*before, "good"]

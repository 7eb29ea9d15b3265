"""Scorers of other packages: on every benchmark, marked with their version, alone in their fault."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editgauge import catalog
from editgauge.errors import PluginError
from editgauge.scoring.outside import scorers_of
from tests.command_line import invoke
from tests.plugins import install

GAP = """
from editgauge.scoring.plain import metric

@metric("gap", direction="lower", low=0, high=255, heading="Gap", note="of the means")
def gap(original, edited):
    return abs(float(original.mean()) - float(edited.mean()))

@metric("ssim", direction="higher", low=0, high=1)
def ssim(original, edited):
    return 1.0

def several(**options):
    return [gap]

def nothing(**options):
    raise OSError("a library is missing")
"""
GROUP = "editgauge.scorers"


def type_(*words: object) -> str:
    done = invoke([str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def made(name: str, points: dict[str, str], source: str = GAP, version: str = "1.0") -> None:
        module = f"plugin_{name}"
        points = {key: f"{module}:{target}" for key, target in points.items()}
        install(
            tmp_path,
            monkeypatch,
            f"some-{name}",
            {GROUP: points},
            modules={f"{module}.py": source},
            version=version,
        )

    return made


def test_another_version_of_the_package_makes_its_rows_again(
    put: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    type_("edit", "mini", "--editor", "copy", "--run", run, "--limit", 1, "--workers", 0)
    words = ("score", "mini", "--run", run, "--limit", 1, "--workers", 0, "--json")
    with monkeypatch.context() as older:
        install(tmp_path / "1", older, "some-gap", {GROUP: {"gap": "plugin_gap:gap"}},
                modules={"plugin_gap.py": GAP})  # fmt: skip
        assert json.loads(type_(*words))["computed"] == 6
        assert json.loads(type_(*words))["computed"] == 0
    put("gap", {"gap": "gap"}, version="2.0")
    assert json.loads(type_(*words))["computed"] == 1


def test_a_broken_package_costs_its_own_line_and_nothing_else(put: Any, tmp_path: Path) -> None:
    put("torn", {"torn": "gap"}, source="import no_such_library")
    put("empty", {"empty": "missing"})
    put("late", {"late": "nothing"})
    put("gap", {"gap": "gap"})
    entries = {e["name"]: e["about"] for e in json.loads(type_("list", "--json"))["metrics"]}
    assert "package some-torn): cannot be imported: ModuleNotFoundError" in entries["torn"]
    assert "package some-empty): cannot be imported: AttributeError" in entries["empty"]
    assert "package some-late): scorers: OSError: a library is missing" in entries["late"]
    assert entries["gap"].startswith("every benchmark, pixel, by some-gap 1.0: gap")
    found = scorers_of(catalog.find("benchmarks", "mini"), ["pixel"])
    assert len(found.problems) == 3
    assert "gap" in {one.name for one in found.scorers}
    with pytest.raises(PluginError, match="some-torn"):
        catalog.find("scorers", "torn")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("thing = 3", "TypeError"),
        ("thing = lambda **options: [3]", "wanted scorers, found 3"),
        ("class thing: name = 'x'", "wanted scorers, found"),
        (
            GAP + "\nfrom editgauge.types import Metric\n"
            "gap.metrics = (Metric('gap', direction=None, low=0, high=1),)\nthing = gap",
            "metric gap has no direction",
        ),
    ],
)
def test_what_is_no_scorer_is_named(put: Any, source: str, said: str) -> None:
    put("odd", {"odd": "thing"}, source=source)
    found = scorers_of(catalog.find("benchmarks", "mini"), ["pixel"])
    (problem,) = found.problems
    assert "some-odd" in problem
    assert said in problem


def test_a_metric_that_the_benchmark_has_itself_is_left_out(put: Any) -> None:
    put("ssim", {"ssim": "ssim"})
    found = scorers_of(catalog.find("benchmarks", "mini"), ["pixel"])
    (problem,) = found.problems
    assert "mini has its own ssim; left out" in problem
    assert "ssim" not in {one.name for one in found.scorers}

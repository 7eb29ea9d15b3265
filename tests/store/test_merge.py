"""Runs of several machines become one; whatever contradicts is named and nothing is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.made_rows import row
from tests.store.made_run import make_run

from editgauge.errors import RunError
from editgauge.store.merge import merge
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.types import Row


def run_of(path: Path, *rows: Row) -> Run:
    run = Run.create(path)
    run.write_samples("mini", [{"id": name, "split": "all"} for name in "01"])
    run.put(rows)
    return run


ONE = row("0", "one", "ssim", 0.1)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (row("0", "one", "ssim", 0.2), r"mini '0', one, ssim \(faithful\): 0.1 and 0.2"),
        (row("0", "one", "ssim", 0.1, fingerprint="other"), "0.1 and 0.1"),
        (row("0", "one", "ssim", None, infinite=True), "0.1 and inf"),
    ],
)
def test_contradictions_are_named_and_nothing_is_written(
    tmp_path: Path, other: Row, said: str
) -> None:
    target = Run.create(tmp_path / "all")
    last_bits = run_of(tmp_path / "c", row("0", "one", "ssim", 0.1 + 1e-12))
    merge([run_of(tmp_path / "d", ONE), last_bits], Run.create(tmp_path / "fine"))
    with pytest.raises(RunError, match=said):
        merge([run_of(tmp_path / "a", ONE), run_of(tmp_path / "b", other)], target)
    assert (target.rows(), target.benchmarks()) == ([], [])


@pytest.mark.parametrize("what", ["instruction", "direction", "itself"])
def test_runs_of_other_data_or_scorers_are_refused(tmp_path: Path, what: str) -> None:
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b")
    told: dict[str, Any] = {}
    if what == "instruction":
        second.write_samples("mini", [{"id": "s0", "instruction": "something else"}])
        told["match"] = "sample 's0' has another instruction"
    elif what == "direction":
        (metric, *_) = second.metrics("mini").values()
        second.keep_metrics("mini", [replace(metric, direction="lower")])
        told["match"] = "another direction or range"
    else:
        second, told["match"] = first, "into itself"
    target = first if what == "itself" else Run.create(tmp_path / "all")
    with pytest.raises(RunError, **told):
        merge([first, second], target)
    assert what == "itself" or (target.rows(), target.benchmarks()) == ([], [])


SAMPLE: dict[str, Any] = {
    "id": "0", "split": "all", "category": ["a"], "instruction": "do it", "has_reference": True,
    "images": [None], "reference": None, "masks": {"roi": None}, "attributes": {"organ": "lung"},
    "marks": {}, "change": "c", "concept": "d", "rephrased": "e",
}  # fmt: skip
PLACE = "inputs/medebench/0.png"


def run_with(path: Path, **facts: Any) -> Run:
    run = Run.create(path)
    run.write_samples("medebench", [{**SAMPLE, **facts}])
    return run


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        *(({name: "x"}, {name: "y"}, name) for name in ("change", "concept", "rephrased")),
        ({}, {"rephrased": None}, "rephrased"),
        ({}, {"has_reference": False}, "has_reference"),
        ({}, {"images": [None, None]}, "number of images"),
        ({}, {"masks": {}}, "set of masks"),
        ({"marks": {PLACE: "aa"}}, {"marks": {PLACE: "bb"}}, "picture"),
        ({}, {"attributes": {"organ": "liver"}}, "attributes"),
        ({}, {"attributes": {}}, "attributes"),
        (
            {"attributes": {"organ": "lung", "mask_ratio": 0.1}},
            {"attributes": {"organ": "lung", "mask_ratio": 0.2}},
            "attributes",
        ),
    ],
)
def test_samples_of_other_data_are_refused_whichever_fact_differs(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any], said: str
) -> None:
    target = Run.create(tmp_path / "all")
    runs = [run_with(tmp_path / "a", **one), run_with(tmp_path / "b", **other)]
    for sources in (runs, runs[::-1]):
        with pytest.raises(RunError, match=f"'0' has another {said} than"):
            merge(sources, target)
    assert target.benchmarks() == []


def test_what_only_the_chosen_samples_of_a_run_have_is_no_contradiction(tmp_path: Path) -> None:
    """Runs with `--limit` look at the pictures of different samples."""
    measured = {"organ": "lung", "mask_ratio": 0.25, "mask_band": "0.2–0.3"}
    looked_at = {"attributes": measured, "images": [PLACE], "marks": {PLACE: "aa"}}
    runs = [run_with(tmp_path / "a"), run_with(tmp_path / "b", **looked_at)]
    for number, sources in enumerate((runs, runs[::-1])):
        target = Run.create(tmp_path / f"all{number}")
        merge(sources, target)
        (sample,) = target.samples("medebench")
        assert sample["attributes"] == measured
        assert (sample["images"], sample["marks"]) == ([PLACE], {PLACE: "aa"})


def test_replies_are_united_by_key(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / name) for name in "ab"]
    for run, keys in zip(runs, (("k1", "k2"), ("k2", "k3")), strict=True):
        with Paid(run.replies_path) as paid:
            for key in keys:
                paid.put(key, {"content": run.path.name})
    target = Run.create(tmp_path / "all")
    assert merge(runs, target).replies == 3
    with Paid(target.replies_path) as paid:
        found = {key: reply["content"] for key, reply in paid.replies()}
    assert found == {"k1": "a", "k2": "a", "k3": "b"}


def test_what_was_learned_of_services_is_merged_with_the_replies(tmp_path: Path) -> None:
    runs = [run_of(tmp_path / name) for name in "ab"]
    for run, answered in zip(runs, ("m-1", "m-2"), strict=True):
        with Paid(run.replies_path) as paid:
            paid.note("answered m", answered)
            paid.note(f"job of {answered}", "under way")
            paid.book("edit", 0.5, key=f"job {answered}", model="m")
            paid.put("k", {"asked": "m", "answered": answered})
            paid.put(f"k{answered}", {"asked": "m", "answered": answered})
    target = Run.create(tmp_path / "all")
    for _ in range(2):
        merge(runs, target)
    with Paid(target.replies_path) as paid:
        assert paid.note("answered m") == "m-1"
        assert {paid.note(f"job of {name}") for name in ("m-1", "m-2")} == {"under way"}
        assert [call.key for call in paid.calls()] == ["job m-1", "job m-2"]
        # two judges are not mixed under one name
        assert {key for key, _ in paid.replies()} == {"k", "km-1", "k m-2", "km-2 m-2"}

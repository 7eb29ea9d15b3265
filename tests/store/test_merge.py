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

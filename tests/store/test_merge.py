"""Runs of several machines become one; whatever contradicts is named and nothing is written."""

from __future__ import annotations

import json
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
from editgauge.types import Row, Status


def run_of(path: Path, *rows: Row) -> Run:
    run = Run.create(path)
    run.write_samples("mini", [{"id": name, "split": "all"} for name in "01"])
    run.put(rows)
    return run


def test_everything_comes_over_and_the_manifest_tells_from_where(tmp_path: Path) -> None:
    source, target = make_run(tmp_path / "a"), Run.create(tmp_path / "all")
    source.put([row("s0", "one", "psnr", None, infinite=True), row("s0", "x", "m", 1.0, repeat=2)])
    done = merge([source], target)
    assert (done.samples, done.edits, done.replies) == (6, 12, 6)
    assert (target.rows(), target.edits()) == (source.rows(), source.edits())
    assert target.samples("mini") == [{**one, "marks": {}} for one in source.samples("mini")]
    assert target.metrics("mini") == source.metrics("mini")
    for file in (source.path / "edits").rglob("*.png"):
        assert (target.path / file.relative_to(source.path)).read_bytes() == file.read_bytes()
    (entry,) = target.manifest()["entries"]
    assert entry["sources"][0]["run"] == "a"
    assert entry["sources"][0]["entries"][0]["command"] == "score"
    assert str(tmp_path) not in json.dumps(entry)
    assert merge([source], target).rows == 0, "nothing is taken twice"


def test_a_failure_of_the_target_gives_way(tmp_path: Path) -> None:
    failed = row("0", "one", "ssim", None, status=Status.MISSING, fingerprint="none")
    target, other = (
        run_of(tmp_path / "t", failed),
        run_of(tmp_path / "b", row("0", "one", "ssim", 0.5)),
    )
    assert merge([other], target).retired == 1
    assert [one.value for one in target.rows()] == [0.5]
    assert merge([run_of(tmp_path / "c", failed)], target).retired == 0
    assert [one.value for one in target.rows()] == [0.5]


ONE = row("0", "one", "ssim", 0.1)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            row("0", "one", "ssim", 0.2),
            r"mini '0', one, ssim \(faithful\): 0.1 and 0.2, from the same",
        ),
        (row("0", "one", "ssim", 0.1, fingerprint="other"), "different outputs"),
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


@pytest.mark.parametrize("what", ["output", "instruction", "direction", "itself"])
def test_runs_of_other_outputs_data_or_scorers_are_refused(tmp_path: Path, what: str) -> None:
    first, second = make_run(tmp_path / "a"), make_run(tmp_path / "b")
    told: dict[str, Any] = {}
    if what == "output":
        second.write_edits([replace(second.edits()[0], fingerprint="another")])
        told["match"] = "one has two outputs for mini 's0'"
    elif what == "instruction":
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

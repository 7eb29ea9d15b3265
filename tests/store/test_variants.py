"""What rows keep of how their output was asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.run.fakes import MeanScorer

from editgauge.run.plan import Plan
from editgauge.run.worker import Told
from editgauge.store.hashes import HashStore
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord
from editgauge.store.summary import Summary
from editgauge.store.variants import marks, row_detail
from editgauge.testing import make_sample
from editgauge.types import Status

TEMPLATE = "Edit this image: {instruction}"


def test_demonstrations_and_template_go_into_the_detail() -> None:
    assert row_detail({}) == {}
    assert row_detail({"template": "", "demonstrations": []}) == {}
    told = {"template": TEMPLATE, "demonstrations": ["a", "b"], "seed": 1}
    assert row_detail(told) == {"template": TEMPLATE, "demonstrations": ["a", "b"]}


def test_a_template_is_part_of_the_fingerprint_and_no_template_changes_none(tmp_path: Path) -> None:
    assert marks({"seed": 1}) == []
    assert marks({"template": TEMPLATE}) != marks({"template": "{instruction}"})
    sample = make_sample(tmp_path)
    record = EditRecord(
        benchmark="mini", sample=sample.id, editor="e", status=Status.SCORED, path="edits/mini/e/x.png",
        fingerprint="f",
    )  # fmt: skip
    found = set()
    for settings in ({}, {"template": TEMPLATE}, {"template": "{instruction}!"}):
        run = Run.create(tmp_path / "run")
        asked = replace(record, settings=settings)
        told = Told("mini", [MeanScorer()], [{}], (), run.path)
        plan = Plan(run, told, HashStore(None), frozenset(), Summary())
        (item,) = plan.make([sample], [asked]).alone
        found.add(item.tasks[0].fingerprint)
    assert len(found) == 3

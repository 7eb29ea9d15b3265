"""The design of a study: what a file may say, and what is told about one that may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import DataError
from editgauge.store.labels import Samples
from editgauge.study.design import Design, make_design, read_design
from tests.made_rows import record

SAMPLES = Samples([record(f"s{k:02}", organ=["eye", "hand"][k % 2]) for k in range(20)])
OUTPUTS = {f"s{k:02}": ["alpha", "beta"] if k else ["alpha"] for k in range(20)}
GOOD: dict[str, Any] = {"mode": "rank", "questions": [{"id": "EA", "text": "?"}]}


def made(**more: Any) -> Design:
    return make_design({**GOOD, **more}, SAMPLES, OUTPUTS, "bench")


def test_what_is_left_out_has_a_sensible_value() -> None:
    found = made()
    assert found.editors == ("alpha", "beta")
    assert found.annotators_per_sample == 2
    assert len(found.samples) == 19, "a sample with one output cannot be ranked"


def test_a_stratified_draw_is_seeded() -> None:
    found = made(samples={"by": "organ", "each": 4}, seed=3)
    labels = dict(zip(SAMPLES.ids, SAMPLES.labels("organ").tolist(), strict=True))
    assert sorted(labels[name] for name in found.samples) == ["eye"] * 4 + ["hand"] * 4
    assert found.strata == "organ"
    assert found.samples == made(samples={"by": "organ", "each": 4}, seed=3).samples
    assert found.samples != made(samples={"by": "organ", "each": 4}, seed=4).samples
    assert len(made(samples={"count": 5}).samples) == 5
    assert made(samples={"ids": ["s07", "s03"]}).samples == ("s07", "s03")


def test_training_samples_are_not_drawn_again() -> None:
    found = made(training={"samples": ["s05"], "feedback": {"s05": "look"}})
    assert "s05" not in found.samples
    assert found.feedback == {"s05": "look"}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"mode": "guess"}, "mode 'guess': wanted one of rank, rate, grade, pairwise"),
        ({"colour": 1}, "colour: unknown; there are: name, mode"),
        ({"samples": {"per": 1}}, r"samples\.per: unknown"),
        ({"seed": "x"}, "seed: wanted int, found 'x'"),
        ({"seed": True}, "seed: wanted int"),
        ({"editors": ["gamma"]}, r"editors: \['gamma'\]: wanted editors with outputs"),
        ({"editors": ["alpha"]}, "mode rank needs two|but 0 have outputs|wanted"),
        ({"questions": []}, "wanted one or more"),
        ({"questions": [{"id": "a.b"}]}, "without dots"),
        ({"samples": {"count": 99}}, "wanted 99, but 19 have outputs"),
        ({"samples": {"by": "organ", "each": 10}}, "wanted 10 of 'eye', but 9"),
        ({"samples": {"ids": ["nope"]}}, "'nope' has no outputs"),
        ({"training": {"samples": ["nope"]}}, "sample 'nope' has no outputs"),
        ({"annotators_per_sample": 1}, "annotators_per_sample: wanted 2 to 100, found 1"),
        ({"repeats": {"share": 2.0}}, "repeats.share: wanted 0 to 1"),
        ({"benchmark": "other"}, "the samples are of 'bench'"),
        ({"labels": ["x", "x"]}, "labels: one is named twice"),
    ],
)
def test_what_does_not_fit_is_named(more: dict[str, Any], told: str) -> None:
    with pytest.raises(DataError, match=told):
        made(**more)


def test_files_that_are_no_designs(tmp_path: Path) -> None:
    path = tmp_path / "design.toml"
    with pytest.raises(DataError, match="cannot be read"):
        read_design(path, SAMPLES, OUTPUTS, "bench")
    path.write_bytes(b"mode = ")
    with pytest.raises(DataError, match="no valid TOML"):
        read_design(path, SAMPLES, OUTPUTS, "bench")

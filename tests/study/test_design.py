"""The design of a study: what a file may say, and what is told about one that may not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import DataError
from editgauge.store.labels import Samples
from editgauge.study.design import Design, resolved
from editgauge.study.planning import planned
from tests.made_rows import record
from tests.study.made_study import make_run

SAMPLES = Samples([record(f"s{k:02}", organ=["eye", "hand"][k % 2]) for k in range(20)])
OUTPUTS = {f"s{k:02}": ["alpha", "beta"] if k else ["alpha"] for k in range(20)}
GOOD: dict[str, Any] = {"mode": "rank", "questions": [{"id": "EA", "text": "?"}]}


def made(**more: Any) -> Design:
    return resolved({**GOOD, **more}, SAMPLES, OUTPUTS, "bench")


def test_a_stratified_draw_is_seeded() -> None:
    found = made(samples={"by": "organ", "each": 4}, seed=3)
    labels = dict(zip(SAMPLES.ids, SAMPLES.labels("organ").tolist(), strict=True))
    assert sorted(labels[name] for name in found.drawn) == ["eye"] * 4 + ["hand"] * 4
    assert found.samples.by == "organ"
    assert found.drawn == made(samples={"by": "organ", "each": 4}, seed=3).drawn
    assert found.drawn != made(samples={"by": "organ", "each": 4}, seed=4).drawn
    assert len(made(samples={"count": 5}).drawn) == 5
    assert made(samples={"ids": ["s07", "s03"]}).drawn == ["s07", "s03"]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"mode": "guess"}, "mode: wanted one of grade, pairwise, rank, rate; found 'guess'"),
        ({"colour": 1}, "unknown field colour"),
        ({"seed": "x"}, "seed: wanted a whole number; found 'x'"),
        ({"editors": ["gamma"]}, "editors: found gamma; .*with outputs in the run: alpha, beta"),
        ({"editors": ["alpha"]}, "mode rank wants 2 or more"),
        ({"questions": []}, "questions: wanted a list of length >= 1"),
        ({"questions": [{"id": "a.b"}]}, r"questions\[0\].id"),
        ({"samples": {"count": 99}}, "wanted 99, but 19 have outputs"),
        ({"samples": {"by": "organ", "each": 10}}, "wanted 10 of 'eye', but 9"),
        ({"samples": {"ids": ["nope"]}}, "'nope' has no outputs"),
        ({"training": {"samples": ["nope"]}}, "sample 'nope' has no outputs"),
        ({"annotators_per_sample": 1}, "annotators_per_sample: wanted a whole number >= 2"),
        ({"repeats": {"share": 2.0}}, "repeats.share: wanted a number <= 1"),
        ({"benchmark": "other"}, "the samples are bench's"),
        ({"questions": [{"id": "EA"}] * 2}, "questions: one id is named twice"),
    ],
)
def test_error_names_the_key_and_what_was_wanted(more: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        made(**more)


@pytest.mark.parametrize(("mode", "said"), [("rate", True), ("rank", False), ("pairwise", False)])
def test_a_width_is_said_of_ratings_alone(tmp_path: Path, mode: str, said: bool) -> None:
    path = tmp_path / "design.toml"
    path.write_text(f'mode = "{mode}"\nquestions = [{{id = "EA"}}]\n')
    facts = planned(make_run(tmp_path, samples=2), path, 2, 0.5)
    assert ("width_of_95%_interval" in facts, facts["samples"]) == (said, 2)

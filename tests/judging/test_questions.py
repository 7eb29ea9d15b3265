"""A judge track as a list of questions."""

from __future__ import annotations

from pathlib import Path

from editgauge import Metric, Question, Questions
from editgauge.testing import make_sample

METRICS = tuple(Metric(name, direction="higher", low=1, high=5) for name in ("seen", "known"))


def test_a_question_is_asked_of_the_samples_it_is_for(tmp_path: Path) -> None:
    knowing = Question(rubric="k", metrics=("known",), when=lambda sample: bool(sample.knowledge))
    track = Questions(metrics=METRICS, questions=(Question(rubric="s", metrics=("seen",)), knowing))
    names = [
        [metric.name for metric in track.metrics_for(sample, {})]
        for sample in (
            make_sample(tmp_path / "a"),
            make_sample(tmp_path / "b", knowledge="ice floats"),
        )
    ]
    assert names == [["seen"], ["seen", "known"]]

"""Substance of our own rubrics against the papers' (issue: criterion by criterion): what is told in
which call, what a step of the scale means, and MedEBench's third score.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from editgauge import benchmarks
from editgauge.benchmarks.medebench.judge import JUDGING as MEDEBENCH
from editgauge.benchmarks.texteditbench.judge import JUDGING as TEXTEDITBENCH
from editgauge.judging.prompts import RubricFolder
from editgauge.judging.protocol import Call
from editgauge.judging.reading import ExchangeResult, to_scores
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample, Status

PACKAGE = Path(benchmarks.__file__).parent


def rubric(benchmark: str, name: str) -> str:
    return (PACKAGE / benchmark / "rubrics" / f"{name}.md").read_text(encoding="utf-8")


# --- TextEditBench --------------------------------------------------------------------------------


def asked(sample: Sample) -> dict[str, Call]:
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    folder = RubricFolder(PACKAGE / "texteditbench" / "rubrics")
    return {call.name: call for call in TEXTEDITBENCH.calls(sample, edit, folder, {})}


@pytest.mark.parametrize(
    ("split", "told"), [("synthetic", {"IF", "TA", "VC", "LP", "SE"}), ("real", {"IF"})]
)
def test_the_kind_of_operation_is_told_as_the_released_scripts_tell_it(
    tmp_path: Path, split: str, told: set[str]
) -> None:
    """In all five calls of the synthetic split, in IF alone in the real one; the rubric speaks of it
    where it is told, and only there.
    """
    made = make_sample(tmp_path, knowledge="k", attributes={"operation": "text_delete"})
    calls = asked(replace(made, split=split, reference=made.image if split != "real" else None))
    assert set(calls) == {"IF", "TA", "VC", "LP", "SE"}
    assert {name for name, call in calls.items() if "text_delete" in str(call.parts[0])} == told
    assert {name for name, call in calls.items() if "kind of operation" in str(call.system)} == told


# --- MedEBench ------------------------------------------------------------------------------------


def test_our_prompt_asks_for_an_object_with_the_differences_first(tmp_path: Path) -> None:
    """Room for the list of differences: the paper's 400 tokens are for its lines."""
    sample = make_sample(tmp_path, change="the stain is gone")
    edit = Edit(sample=sample.id, editor="e", path=sample.image)
    rubrics = RubricFolder(PACKAGE / "medebench" / "rubrics")
    (call,) = MEDEBENCH.calls(sample, edit, rubrics, {})
    assert list(call.reply) == [
        "pictures_visible",
        "differences",
        "Editing Accuracy",
        "Visual Quality",
        "Contextual Preservation",
    ]
    assert call.max_tokens > 400
    reply = (
        '{"pictures_visible": true, "differences": "a stain", "Editing Accuracy": 7, '
        '"Visual Quality": 8, "Contextual Preservation": 9}'
    )
    scores = to_scores(call, ExchangeResult(first=reply, last=reply, status=Status.SCORED))
    found = {(score.metric, score.variant): score.value for score in scores}
    for variant in ("faithful", "corrected"):
        assert [found[name, variant] for name in ("EA", "VQ", "Context")] == [7, 8, 9]

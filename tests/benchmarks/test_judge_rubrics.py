"""Substance of our own rubrics against the papers' (issue: criterion by criterion): what is told in
which call, what a step of the scale means, and MedEBench's third score.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from editgauge import benchmarks
from editgauge.benchmarks.texteditbench.judge import JUDGING as TEXTEDITBENCH
from editgauge.judging.prompts import RubricFolder
from editgauge.judging.protocol import Call
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample

PACKAGE = Path(benchmarks.__file__).parent


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

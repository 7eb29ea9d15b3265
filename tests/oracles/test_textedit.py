"""TextEdit: both reports over 500 answers, exactly; and the normalisation by hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.oracles.textedit import QUESTIONS, normalise, report, weighted

SHARED = Path(os.environ.get("EDITGAUGE_SHARED", Path(__file__).parents[3] / "shared"))
LONG = (
    "Q1_Text_Accuracy",
    "Q2_Text_Preservation",
    "Q3_Scene_Integrity",
    "Q4_Local_Realism",
    "Q5_Visual_Coherence",
)


@pytest.mark.skipif(not (SHARED / "golden").is_dir(), reason="the shared golden files are not here")
@pytest.mark.parametrize("cut_off", [False, True])
def test_both_reports_of_the_released_script(cut_off: bool) -> None:
    """Weighted score, five means and counts of 500 answers, to the four places that the script
    prints.
    """
    golden = json.loads((SHARED / "golden" / "textedit_judge.json").read_text())
    expected = golden["expected"]["cutoff" if cut_off else "no_cutoff"]
    for split, number in (("Virtual", "1."), ("Real", "2.")):
        answers = [
            answer["score"] for answer in golden["answers"] if answer["category"].startswith(number)
        ]
        found = report(answers, cut_off=cut_off)
        assert round(found.weighted.value or 0, 4) == expected[split]["Weighted Score"]
        for name, question in zip(LONG, QUESTIONS, strict=True):
            assert (
                round(found.questions[question].value or 0, 4)
                == expected[split]["Detail Metrics"][name]
            )
        assert found.weighted.n == expected[split]["Count"]
        assert found.weighted.of == len(answers)


def test_normalisation_is_a_table() -> None:
    """5 4 3 2 1 -> 1 .8 .6 .2 0, weighted .4 .3 .1 .1 .1 = .4 + .24 + .06 + .02 + 0."""
    answer = {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}
    values = normalise(answer)
    assert values == {"Q1": 1.0, "Q2": 0.8, "Q3": 0.6, "Q4": 0.2, "Q5": 0.0}
    assert weighted(values) == pytest.approx(0.72)


def test_the_cut_off_needs_only_the_first_question() -> None:
    """Q1 = 3 sets the others to 0, whatever they are; without the cut-off a missing one drops the
    answer.
    """
    answer = {"Q1": 3, "Q2": None, "Q3": 5}
    assert normalise(answer) == {"Q1": 0.6, "Q2": 0.0, "Q3": 0.0, "Q4": 0.0, "Q5": 0.0}
    assert normalise(answer, cut_off=False) is None
    assert normalise({"Q1": 4, "Q2": None, "Q3": 5, "Q4": 5, "Q5": 5}) is None
    for bad in (None, {}, {"Q1": True}, {"Q1": 6}, {"Q1": 4.0}):
        assert normalise(bad) is None  # type: ignore[arg-type]


def test_failures_are_left_out_or_at_the_minimum() -> None:
    good = dict.fromkeys(QUESTIONS, 5)
    found, floor = report([good, None]), report([good, None], minimum=True)
    assert (found.weighted.value, found.weighted.n, found.weighted.of) == (pytest.approx(1.0), 1, 2)
    assert floor.weighted.value == pytest.approx(0.5)
    assert floor.weighted.n == 1
    assert report([]).weighted.value is None

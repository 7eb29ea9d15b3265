"""TextEdit's judge table (arXiv 2603.09877): Q1 text accuracy, Q2 preservation of other text, Q3 scene
integrity, Q4 local realism, Q5 visual coherence, integers from 1 to 5, normalised, cut off, weighted.
"""

from __future__ import annotations

from collections.abc import Mapping

QUESTIONS: tuple[str, ...] = ("Q1", "Q2", "Q3", "Q4", "Q5")
WEIGHTS: Mapping[str, float] = {"Q1": 0.4, "Q2": 0.3, "Q3": 0.1, "Q4": 0.1, "Q5": 0.1}
NORMALISED: Mapping[int, float] = {5: 1.0, 4: 0.8, 3: 0.6, 2: 0.2, 1: 0.0}
CUT_OFF = 4
"""An answer whose Q1 is below this has 0 for Q2 to Q5: an edit with wrong text earns nothing."""


def normalise(answer: Mapping[str, int | None], *, cut_off: bool = True) -> dict[str, float] | None:
    """Five values in [0, 1], or None when one that is needed is missing or no integer from 1 to 5:
    with the cut-off and Q1 below 4 only Q1 is.
    """
    known = {
        name: NORMALISED[score]
        for name in QUESTIONS
        if type(score := answer.get(name)) is int and score in NORMALISED
    }
    if cut_off and known.get("Q1", 1.0) < NORMALISED[CUT_OFF]:
        return {"Q1": known["Q1"]} | dict.fromkeys(QUESTIONS[1:], 0.0)
    return known if len(known) == len(QUESTIONS) else None


def weighted(values: Mapping[str, float]) -> float:
    """The weighted mean of five normalised values."""
    return sum(values[question] * WEIGHTS[question] for question in QUESTIONS)

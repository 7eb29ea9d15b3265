"""TextEdit's judge table: normalisation, cut-off, weights (arXiv 2603.09877). Pure functions over
Q1 to Q5.

The five questions: Q1 text accuracy (TA), Q2 preservation of other text (TP), Q3 scene integrity
(SI), Q4 local realism (LR), Q5 visual coherence (VC), integers from 1 to 5. Rows keep the integers;
everything here happens in tables.
"""

from __future__ import annotations

from collections.abc import Mapping

QUESTIONS: tuple[str, ...] = ("Q1", "Q2", "Q3", "Q4", "Q5")
WEIGHTS: Mapping[str, float] = {"Q1": 0.4, "Q2": 0.3, "Q3": 0.1, "Q4": 0.1, "Q5": 0.1}
NORMALISED: Mapping[int, float] = {5: 1.0, 4: 0.8, 3: 0.6, 2: 0.2, 1: 0.0}
"""A table and not a line: from 3 to 2 is a larger step than the others."""
CUT_OFF = 4
"""With the cut-off, an answer whose Q1 is below this has 0 for Q2 to Q5: an edit with wrong text
earns nothing.
"""

Answer = Mapping[str, int | None]
"""One sample's raw scores; a question may be missing or None."""


def normalise(answer: Answer | None, *, cut_off: bool = True) -> dict[str, float] | None:
    """Five values in [0, 1], or None when a value that is needed is missing or no integer from 1 to
    5.

    With the cut-off and Q1 below 4 only Q1 is needed: the others are 0 whatever they are.
    """
    answer = answer or {}
    first = _known(answer.get("Q1"))
    if first is None:
        return None
    if cut_off and first < CUT_OFF:
        return {"Q1": NORMALISED[first]} | dict.fromkeys(QUESTIONS[1:], 0.0)
    values: dict[str, float] = {}
    for question in QUESTIONS:
        score = _known(answer.get(question))
        if score is None:
            return None
        values[question] = NORMALISED[score]
    return values


def weighted(values: Mapping[str, float]) -> float:
    """The weighted mean of five normalised values: .4 .3 .1 .1 .1."""
    return sum(values[question] * WEIGHTS[question] for question in QUESTIONS)


def _known(score: object) -> int | None:
    return (
        score
        if isinstance(score, int) and not isinstance(score, bool) and score in NORMALISED
        else None
    )

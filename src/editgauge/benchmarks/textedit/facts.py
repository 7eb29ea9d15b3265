"""TextEdit's sizes, splits, judge questions, scale, weights and metrics (arXiv 2603.09877)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from operator import mul

from editgauge.scoring.metrics import read_metrics
from editgauge.types import Derived

SIZES: dict[str, int] = {"full": 2148, "mini": 500}
SETS: tuple[str, ...] = ("fullset", "miniset")
VIRTUAL: tuple[str, ...] = (
    "1.1.1", "1.1.2", "1.1.3", "1.2.1", "1.2.2", "1.3.1", "1.3.2", "1.4.1", "1.4.2", "1.4.3",
    "1.4.4",
)  # fmt: skip
REAL: tuple[str, ...] = ("2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7")
SPLITS: dict[str, str] = {"real": "Real", "virtual": "Virtual"}
"""How columns call a split -> its title, which is also the samples' label."""
MINISET: dict[str, int] = {
    "1.1.1": 13, "1.1.2": 17, "1.1.3": 25, "1.2.1": 16, "1.2.2": 6, "1.3.1": 16, "1.3.2": 17,
    "1.4.1": 32, "1.4.2": 10,
    "1.4.3": 11, "1.4.4": 14, "2.1": 39, "2.2": 79, "2.3": 55, "2.4": 45, "2.5": 59, "2.6": 16,
    "2.7": 30,
    "Virtual": 177, "Real": 323,
}  # fmt: skip
"""Samples of each category and half of the miniset, as its released judge answers have them."""
QUESTIONS: dict[str, str] = {"Q1": "TA", "Q2": "TP", "Q3": "SI", "Q4": "LR", "Q5": "VC"}
"""Question -> its column: text accuracy, preservation of other text, scene integrity, local
realism, visual coherence.
"""
LOW, HIGH = 1, 5
WEIGHTS: dict[str, float] = {"Q1": 0.4, "Q2": 0.3, "Q3": 0.1, "Q4": 0.1, "Q5": 0.1}
NORMALISED: dict[float, float] = {1: 0.0, 2: 0.2, 3: 0.6, 4: 0.8, 5: 1.0}
"""Raw score -> table scale. A table and not a line: from 3 to 2 is a larger step than the others.
"""
CUT_OFF = 4
"""With the cut-off an answer whose Q1 is below this has 0 for Q2 to Q5: its text is wrong."""


def split_of(category: str) -> str:
    """``Virtual`` or ``Real``, by the category's first number; "" for another one."""
    return {"1": "Virtual", "2": "Real"}.get(category.split(".")[0], "")


def average(answers: Mapping[str, float], *, cut_off: bool) -> float | None:
    """The weighted mean of one answer's five normalised questions, in [0, 1].

    None where a question that is needed has no score, or none of the scale: the released script
    drops such an answer. With the cut-off and Q1 below it only Q1 is needed.
    """
    scaled = {question: NORMALISED.get(raw) for question, raw in answers.items()}
    if (first := scaled.get("Q1")) is None:
        return None
    if cut_off and answers["Q1"] < CUT_OFF:
        return WEIGHTS["Q1"] * first
    known = [value for question in QUESTIONS if (value := scaled.get(question)) is not None]
    whole = len(known) == len(QUESTIONS)
    return sum(map(mul, WEIGHTS.values(), known)) if whole else None


METRICS = read_metrics(__file__)
CLIP, AES = METRICS["embedding"]
JUDGE = METRICS["judge"]
_AVERAGES = METRICS["average"]
AVERAGE = Derived(
    _AVERAGES[0],
    tuple(QUESTIONS),
    partial(average, cut_off=True),
    optional=tuple(QUESTIONS)[1:],
    tolerant=True,  # below the cut-off the other four do not count
)
AVERAGE_NO_CUT_OFF = Derived(_AVERAGES[1], tuple(QUESTIONS), partial(average, cut_off=False))

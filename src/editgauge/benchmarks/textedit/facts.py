"""TextEdit's sizes, splits, judge questions, scale, weights and metrics (arXiv 2603.09877)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from editgauge.scoring.metrics import higher, judged
from editgauge.types import VARIANTS, Derived

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
NORMALISED: dict[int, float] = {1: 0.0, 2: 0.2, 3: 0.6, 4: 0.8, 5: 1.0}
"""Raw score -> table scale. A table and not a line: from 3 to 2 is a larger step than the others.
"""
CUT_OFF = 4
"""With the cut-off an answer whose Q1 is below this has 0 for Q2 to Q5: an edit with wrong text
earns nothing.
"""


def split_of(category: str) -> str:
    """``Virtual`` or ``Real``, by the category's first number; "" for another one."""
    return {"1": "Virtual", "2": "Real"}.get(category.split(".")[0], "")


def average(answers: Mapping[str, float], *, cut_off: bool) -> float | None:
    """The weighted mean of one answer's five normalised questions, in [0, 1].

    None where a question that is needed has no score, or none of the scale: the released script
    drops such an answer. With the cut-off and Q1 below it only Q1 is needed.
    """
    first = _normalised(answers.get("Q1"))
    if first is None:
        return None
    if cut_off and answers["Q1"] < CUT_OFF:
        return WEIGHTS["Q1"] * first
    found = {question: _normalised(answers.get(question)) for question in QUESTIONS}
    known = {question: value for question, value in found.items() if value is not None}
    if len(known) < len(QUESTIONS):
        return None
    return sum(WEIGHTS[question] * value for question, value in known.items())


def _normalised(raw: float | None) -> float | None:
    return None if raw is None or not float(raw).is_integer() else NORMALISED.get(int(raw))


CLIP = higher(
    "CLIP",
    low=0.0,
    high=2.5,
    digits=2,
    failure=0.0,
    variants=VARIANTS,
    note="2.5 · max(0, cos(output, gt_caption)), CLIP ViT-L/14 of OpenAI; a caption over 77 tokens "
    "is cut so that the end token stays. Faithful crops as the released clip package does, whose "
    "rounding goes one pixel further on a quarter of the sizes; corrected crops at the middle, as "
    "transformers does.",
)
AES = higher(
    "AES",
    low=0.0,
    high=10.0,
    digits=2,
    failure=0.0,
    note="LAION's linear aesthetic head (768 to 1) on the CLIP ViT-L/14 feature scaled to length "
    "1; about 1 to 10.",
)
JUDGE = judged(
    {
        "Q1": "whether the new text is right, letter by letter, as a model that looked at it judged",
        "Q2": "whether all other text was kept, as a model that looked at it judged",
        "Q3": "whether everything but text was kept, as a model that looked at it judged",
        "Q4": "how natural the changed place looks, as a model that looked at it judged",
        "Q5": "how well the whole picture holds together, as a model that looked at it judged",
    },
    LOW,
    HIGH,
    "{}; faithful takes any integer that the released parser takes, corrected only 1 to 5",
    headings=QUESTIONS,
    keeps=("Q2", "Q3"),
    printed=tuple(NORMALISED.items()),
)


def _average(name: str, *, cut_off: bool) -> Derived:
    said = "with the cut-off (TA below 4 sets the others to 0)" if cut_off else "without a cut-off"
    note = f"The five questions on the scale of 0 to 1, weighted .4 .3 .1 .1 .1, {said}."
    return Derived(
        higher(
            name, heading="Avg", low=0.0, high=1.0, digits=2, variants=VARIANTS, failure=0.0,
            note=note,
        ),
        tuple(QUESTIONS),
        partial(average, cut_off=cut_off),
        optional=tuple(QUESTIONS)[1:] if cut_off else (),
        tolerant=cut_off,  # below the cut-off the other four do not count
    )  # fmt: skip


AVERAGE = _average("average", cut_off=True)
AVERAGE_NO_CUT_OFF = _average("average_no_cutoff", cut_off=False)

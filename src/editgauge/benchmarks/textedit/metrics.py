"""TextEdit's metrics but for those of OCR: CLIPScore and aesthetics, and the judge's five questions."""

from __future__ import annotations

from functools import partial

from editgauge.benchmarks.textedit.facts import HIGH, LOW, NORMALISED, QUESTIONS, average
from editgauge.types import VARIANTS, Derived, Metric

CLIP = Metric(
    "CLIP",
    direction="higher",
    low=0.0,
    high=2.5,
    digits=2,
    failure=0.0,
    variants=("faithful", "corrected"),
    note="2.5 · max(0, cos(output, gt_caption)), CLIP ViT-L/14 of OpenAI; a caption over 77 tokens "
    "is cut so that the end token stays. Faithful crops as the released clip package does, whose "
    "rounding goes one pixel further on a quarter of the sizes; corrected crops at the middle, as "
    "transformers does.",
)
AES = Metric(
    "AES",
    direction="higher",
    low=0.0,
    high=10.0,
    digits=2,
    failure=0.0,
    note="LAION's linear aesthetic head (768 to 1) on the CLIP ViT-L/14 feature scaled to length "
    "1; about 1 to 10.",
)
PLAIN = {
    "TA": "whether the new text is right, letter by letter, as a model that looked at it judged",
    "TP": "whether all other text was kept, as a model that looked at it judged",
    "SI": "whether everything but text was kept, as a model that looked at it judged",
    "LR": "how natural the changed place looks, as a model that looked at it judged",
    "VC": "how well the whole picture holds together, as a model that looked at it judged",
}
JUDGE = tuple(
    Metric(
        name,
        heading=heading,
        direction="higher",
        low=LOW,
        high=HIGH,
        digits=2,
        variants=VARIANTS,
        failure=LOW,
        printed=tuple(NORMALISED.items()),
        keeps=heading in ("TP", "SI"),
        plain=PLAIN[heading],
        note=f"{heading}; faithful takes any integer that the released parser takes, corrected "
        "only 1 to 5",
    )
    for name, heading in QUESTIONS.items()
)


def _average(name: str, *, cut_off: bool) -> Derived:
    said = "with the cut-off (TA below 4 sets the others to 0)" if cut_off else "without a cut-off"
    return Derived(
        Metric(
            name,
            heading="Avg",
            direction="higher",
            low=0.0,
            high=1.0,
            digits=2,
            variants=VARIANTS,
            failure=0.0,
            note=f"The five questions on the scale of 0 to 1, weighted .4 .3 .1 .1 .1, {said}.",
        ),
        tuple(QUESTIONS),
        partial(average, cut_off=cut_off),
        optional=tuple(QUESTIONS)[1:] if cut_off else (),
        tolerant=cut_off,  # below the cut-off the other four do not count
    )


AVERAGE = _average("average", cut_off=True)
AVERAGE_NO_CUT_OFF = _average("average_no_cutoff", cut_off=False)

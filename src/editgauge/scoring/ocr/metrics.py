"""What is scored by reading: TextEdit's five scores, and ours for deleted and inserted text."""

from __future__ import annotations

from editgauge.types import VARIANTS, Metric

_OCR_NOTE = (
    "corrected: lines by text height, right-to-left lines, case and punctuation seen, whole words "
    "for short texts, the penalty by region, dataset_fault where OCR does not find the source, "
    "invented text counted; TextEdit classic track"
)
OCR = tuple(
    Metric(
        name,
        direction="higher",
        low=0.0,
        high=1.0,
        digits=2,
        variants=VARIANTS,
        failure=0.0,
        note=f"{meaning}; {_OCR_NOTE}",
    )
    for name, meaning in {
        "OA": "target text read in the edited region",
        "OP": "precision over the target and the other lines",
        "OR": "recall over the target and the other lines",
        "F1": "harmonic mean of OP and OR",
        "NED": "text at the source's place against the target",
    }.items()
)
PRESENCE = tuple(
    Metric(
        name,
        direction="higher",
        low=0.0,
        high=1.0,
        variants=("corrected",),
        failure=0.0,
        note=f"{meaning}; ours",
    )
    for name, meaning in {
        "deleted": "source no longer read at its place",
        "inserted": "target read, more often than before",
        "kept": "the original's other lines still read",
    }.items()
)

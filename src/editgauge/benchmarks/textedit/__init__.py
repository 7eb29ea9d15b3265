"""TextEdit: samples from the released files, the scorers that its paper defines, and its tables."""

from __future__ import annotations

from editgauge.benchmarks.base import by_track, published
from editgauge.benchmarks.textedit.facts import (
    AES,
    AVERAGE,
    AVERAGE_NO_CUT_OFF,
    CLIP,
    JUDGE,
    MINISET,
    SIZES,
)
from editgauge.catalog import Parts
from editgauge.scoring.metrics import OCR, REFERENCE
from editgauge.types import DataSource, Plot

__all__ = ["AES", "BENCHMARK", "CLIP", "JUDGE"]


parts = Parts(__name__)
BENCHMARK = published(
    __name__,
    __file__,
    title="TextEdit",
    citation="TextEdit, in: InternVL-U, arXiv 2603.09877",
    about="2,148 text replacements (500 in the miniset), in 11 virtual and 7 real categories.",
    published_counts={
        "": SIZES["full"],
        "fullset": SIZES["full"],
        "miniset": SIZES["mini"],
        **{f"miniset/{name}": count for name, count in MINISET.items()},
    },
    data=DataSource(
        "OpenGVLab/TextEdit",
        "stated on the data set's page",
        note="the README names a collection, not a data set: if this one is not it, say which: "
        "editgauge fetch textedit OWNER/NAME; the prompts (eval_prompts/) are in the GitHub repository of the same name",
    ),
    metrics=(*OCR, CLIP, AES, *JUDGE, *REFERENCE),
    scorers=by_track(
        {
            "pixel": ["editgauge.scoring.pixel:TO_REFERENCE"],
            "ocr": ["editgauge.scoring.ocr.scorers:ocr_scorers"],
            "embedding": [".scorers:embedding"],
        },
        __name__,
    ),
    derived=(AVERAGE, AVERAGE_NO_CUT_OFF),
    audits=parts.constant("..audits:TEXTEDIT"),
    settled=parts(".tables:settled"),
    figures=(Plot("bars", "category", "by category"),),
    main_tracks=("ocr",),  # the paper has no pixel metric
    not_in_tables=("reference_psnr", "reference_ssim"),
)

"""TextEdit: samples from the released files, the scorers that its paper defines, and its tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Samples, by_track
from editgauge.benchmarks.textedit.facts import MINISET, SIZES
from editgauge.benchmarks.textedit.metrics import (
    AES,
    AVERAGE,
    AVERAGE_NO_CUT_OFF,
    CLIP,
    JUDGE,
    OCR,
    PRESENCE,
)
from editgauge.benchmarks.textedit.ocr import ocr_scores
from editgauge.scoring.metrics import REFERENCE
from editgauge.types import Benchmark, DataSource, Plot, Variant

__all__ = [
    "AES",
    "BENCHMARK",
    "CLIP",
    "JUDGE",
    "OCR",
    "PRESENCE",
    "embedding",
    "ocr_scores",
    "reading",
    "text_presence",
]


def _load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples below `root`; `split` is ``fullset`` or ``miniset``: the full set where both are
    there.
    """
    from editgauge.benchmarks.textedit.samples import load

    return load(root, split=split)


def reading(**options: Any) -> Sequence[Any]:
    """The five OCR scores of a replaced text; options as for `types.MakeScorers`."""
    from editgauge.benchmarks.textedit.ocr_scorer import ocr_scorers

    return ocr_scorers(**options)


def text_presence(**options: Any) -> Sequence[Any]:
    """Scores of deleted and inserted text; options as for `types.MakeScorers`."""
    from editgauge.benchmarks.textedit.ocr_scorer import presence_scorers

    return presence_scorers(**options)


def embedding(**options: Any) -> Sequence[Any]:
    """CLIPScore and aesthetics; options as for `types.MakeScorers`."""
    from editgauge.benchmarks.textedit.neural import scorers

    return scorers(**options)


def _reference(**options: Any) -> Sequence[Any]:
    from editgauge.scoring.pixel import reference

    return reference(**options)


def _tables(frame: Any, variant: Variant) -> Sequence[Any]:
    from editgauge.benchmarks.textedit.tables import layouts

    return layouts(frame, variant)


def _judging() -> Any:
    from editgauge.benchmarks.textedit.judge import JUDGING

    return JUDGING


def _prompts() -> Any:
    from editgauge.benchmarks.textedit.paper import PROMPTS

    return PROMPTS


def _audits() -> Sequence[Any]:
    from editgauge.benchmarks.textedit.audit import AUDITS

    return AUDITS


def _measurements() -> Sequence[Any]:
    from editgauge.benchmarks.textedit.measured import READERS

    return READERS


def _importers() -> Sequence[Any]:
    from editgauge.benchmarks.textedit.imports import read

    return [read]


def _scheme(**options: Any) -> Any:
    from editgauge.benchmarks.textedit.tables import scheme

    return scheme(**options)


def _settled(frame: Any) -> Any:
    from editgauge.benchmarks.textedit.tables import settled

    return settled(frame)


BENCHMARK = Benchmark(
    name="textedit",
    title="TextEdit",
    citation="TextEdit, in: InternVL-U, arXiv 2603.09877",
    about="2,148 text replacements (500 in the miniset), in 11 virtual and 7 real categories.",
    published_counts={
        "": SIZES["full"],
        "fullset": SIZES["full"],
        "miniset": SIZES["mini"],
        **{f"miniset/{name}": count for name, count in MINISET.items()},
    },
    marks=("eval_prompts",),
    data=DataSource(
        "OpenGVLab/TextEdit",
        "stated on the data set's page",
        note="the README names a collection, not a data set: if this one is not it, say which with "
        "--repo; the prompts (eval_prompts/) are in the GitHub repository of the same name",
    ),
    metrics=(*OCR, CLIP, AES, *JUDGE, *REFERENCE),
    load=_load,
    scorers=by_track({"pixel": [_reference], "ocr": [reading], "embedding": [embedding]}),
    tables=_tables,
    judging=_judging,
    rubrics=Path(__file__).parent / "rubrics",
    prompts=_prompts,
    derived=(AVERAGE, AVERAGE_NO_CUT_OFF),
    audits=_audits,
    importers=_importers,
    measurements=_measurements,
    figures=(Plot("bars", "category", "by category"),),
    main_tracks=("ocr",),  # the paper has no pixel metric
    not_in_tables=("reference_psnr", "reference_ssim"),
    settled=_settled,
    scheme=_scheme,
)

"""TextEditBench's tables: 3 (pixels) and 4 (judge), per split, and the judge's robustness over
repeated runs.

Per-sample values are rounded to 4 places before they are averaged (faithful MSE and PSNR), as the
released script does. One infinite PSNR makes the faithful mean infinite; the corrected PSNR is that
of the mean squared error.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from editgauge.benchmarks.texteditbench.facts import JUDGE, OVERALL, REFERENCE, SIZE, SPLITS
from editgauge.tables.results import Results
from editgauge.tables.spec import (
    Column,
    Floats,
    Mean,
    PaperTable,
    Published,
    Sizes,
    psnr_of_mean,
    read_published,
    total,
)
from editgauge.tables.table import Cell, TableRow
from editgauge.types import VARIANTS, Metric, Variant

PAPERS_JUDGE = "GPT-4o"
_HERE = Path(__file__).parent
_SOURCE = "Published: arXiv 2512.16270, Table {}; means over the full release."
_AGAINST_REFERENCE = (
    "Paper, 4.1: synthetic samples against their reference edits. The released code, and with it "
    "the published Table 3, compares with the input."
)
_FORMULA = "½·(judged ÷ 25) + ½·(SSIM + 1 − LPIPS) ÷ 2, times 100"
_OWN_FORMULA = (
    "Judged: the sum of the five judged means ÷ 25; Kept: the mean of SSIM and 1 − LPIPS outside "
    "the masks. The paper (section 1) says that the two tracks can be put together and gives no "
    "formula: this one is ours."
)
JUDGED_SHARE, KEPT_SHARE, BOTH = (
    Metric(name, heading=heading, direction="higher", low=-math.inf, high=100.0, digits=2)
    for name, heading in (("judged_share", "Judged"), ("kept_share", "Kept"), ("both", "Both"))
)
"""Columns of the table of both tracks; no row has them."""


def four_places(values: Floats) -> Floats:
    """Rounded as the released script rounds each sample's value."""
    return np.round(values, 4)


def _four(
    variant: Variant, name: str, title: str, where: Mapping[str, str], prefix: str = ""
) -> list[Column]:
    """The columns SSIM, LPIPS, PSNR, MSE of some samples. `prefix` of the metrics' names: against
    the input (none) or the reference edit.
    """
    rounded = four_places if variant == "faithful" else None
    ssim, lpips, psnr, mse = (
        Mean(f"{prefix}{metric}", where, shown)
        for metric, shown in (("ssim", None), ("lpips", None), ("psnr", rounded), ("mse", rounded))
    )
    found = [Column(f"{name}_{one.metric}", (one,), (title,)) for one in (ssim, lpips, psnr, mse)]
    if variant == "corrected":
        note = "PSNR of the mean squared error"
        found[2] = replace(found[2], of=(mse,), shows=psnr.metric, formula=psnr_of_mean, note=note)
    return found


def _pixel(variant: Variant) -> list[Column]:
    return [
        column
        for split, title in SPLITS.items()
        for column in _four(variant, split, title, {"split": split})
    ]


def _reference(variant: Variant) -> list[Column]:
    """Of all synthetic samples, of those whose reference keeps to its masks, and of the others."""
    where = {"split": "synthetic"}
    found = _four(variant, "all", SPLITS["synthetic"], where, REFERENCE)
    for name, value in (("within", "false"), ("outside", "true")):
        part, title = {**where, "reference_outside": value}, f"Reference {name} masks"
        found += _four(variant, name, title, part, REFERENCE)
    return found


def _asked(split: str) -> tuple[Mean, ...]:
    """The five judged dimensions, each over its own samples."""
    return tuple(
        Mean(
            metric.name,
            {"split": split, **({"has_knowledge": "true"} if metric.name == "SE" else {})},
        )
        for metric in JUDGE
    )


def _judged() -> list[Column]:
    found: list[Column] = []
    for split, title in SPLITS.items():
        means = _asked(split)
        found += [Column(f"{split}_{mean.metric}", (mean,), (title,)) for mean in means]
        found.append(Column(f"{split}_overall", means, (title,), OVERALL.metric.name, total))
    return found


def share_of_judge(means: Floats, sizes: Sizes = ()) -> Floats:
    """The sum of the five means as a share of 25, 0 to 100."""
    return np.asarray(100 * total(means, sizes) / OVERALL.metric.high)


def share_of_pixels(means: Floats, sizes: Sizes = ()) -> Floats:
    """The mean of SSIM and 1 - LPIPS, times 100."""
    del sizes
    return np.asarray(50 * (means[..., 0] + 1 - means[..., 1]))


def share_of_both(means: Floats, sizes: Sizes = ()) -> Floats:
    """The mean of the two shares; `means` are the five dimensions, SSIM and LPIPS."""
    return np.asarray((share_of_judge(means[..., :5]) + share_of_pixels(means[..., 5:])) / 2)


def _both() -> list[Column]:
    found: list[Column] = []
    for split, title in SPLITS.items():
        judged = _asked(split)
        seen = tuple(Mean(name, {"split": split}) for name in ("ssim", "lpips"))
        for name, metric, means, formula in (
            ("judged", JUDGED_SHARE, judged, share_of_judge),
            ("kept", KEPT_SHARE, seen, share_of_pixels),
            ("both", BOTH, (*judged, *seen), share_of_both),
        ):
            found.append(Column(f"{split}_{name}", means, (title,), metric, formula))
    return found


@cache
def published(table: str) -> Sequence[TableRow]:
    """The lines of Table 3 (``pixel``) or 4 (``judge``)."""
    columns = _pixel("faithful") if table == "pixel" else _judged()
    return read_published(_HERE / f"published_{table}.csv", [column.name for column in columns])


@cache
def published_repeats() -> Sequence[TableRow]:
    """The lines of Table 5, in columns ``<split>_overall_run<number>``."""
    lines: dict[str, dict[str, Cell]] = {}
    with (_HERE / "published_judge_repeats.csv").open(encoding="utf-8", newline="") as file:
        for record in csv.DictReader(file):
            for split in SPLITS:
                name = f"{split}_overall_run{record['run']}"
                lines.setdefault(record["model"], {})[name] = Cell(value=float(record[split]))
    return [TableRow(name=model, cells=cells, kind="published") for model, cells in lines.items()]


@cache
def published_both() -> Sequence[TableRow]:
    """The formula on the lines that stand in Table 3 and in Table 4."""
    pixels = {row.name: row.cells for row in published("pixel")}
    found = []
    for row in published("judge"):
        cells: dict[str, Cell] = {}
        for split in SPLITS:
            names = (f"{split}_overall", f"{split}_ssim", f"{split}_lpips")
            every = {**row.cells, **pixels.get(row.name, {})}
            parts = [every[name].value for name in names if name in every]
            if len(parts) == len(names) and None not in parts:
                overall, ssim, lpips = (float(part or 0.0) for part in parts)
                judged, kept = 100 * overall / OVERALL.metric.high, 50 * (ssim + 1 - lpips)
                values = {"judged": judged, "kept": kept, "both": (judged + kept) / 2}
                cells |= {f"{split}_{name}": Cell(value=value) for name, value in values.items()}
        found.append(replace(row, cells=cells))
    return found


PIXEL = PaperTable(
    name="texteditbench.pixel",
    title="TextEditBench, pixels outside the edited area",
    columns=_pixel("faithful"),
    corrected=_pixel("corrected"),
    strata="split",
    size=SIZE,
    headline="real_ssim",
    published=[Published(rows=partial(published, "pixel"), note=_SOURCE.format(3))],
)
AGAINST_REFERENCE = PaperTable(
    name="texteditbench.reference",
    title="TextEditBench, pixels outside the edited area, against the reference edit",
    columns=_reference("faithful"),
    corrected=_reference("corrected"),
    size=SIZE,
    headline="all_reference_ssim",
    notes=[_AGAINST_REFERENCE],
)
"""No published number belongs to it: Table 3 was made by the released code."""
JUDGED = PaperTable(
    name="texteditbench.judge",
    title="TextEditBench, judged 0–5 (Overall: the sum)",
    columns=_judged(),
    strata="split",
    size=SIZE,
    headline="real_overall",
    published=[
        Published(
            rows=partial(published, "judge"),
            note=_SOURCE.format("4 (judge GPT-4o)"),
            made_with=PAPERS_JUDGE,
            metric="IF",
        )
    ],
    repeats=[f"{split}_overall" for split in SPLITS],
    published_repeats=Published(rows=published_repeats, note=_SOURCE.format(5)),
)
BOTH_TRACKS = PaperTable(
    name="texteditbench.both",
    title=f"TextEditBench, both tracks together: {_FORMULA}",
    columns=_both(),
    strata="split",
    size=SIZE,
    headline="real_both",
    notes=[_OWN_FORMULA],
    published=[
        Published(
            rows=published_both,
            note="Published: computed by this formula from arXiv 2512.16270, Tables 3 and 4.",
            made_with=PAPERS_JUDGE,
            metric="IF",
        )
    ],
)
"""One score of the judge's and the pixels' track together, 0 to 100, with its two halves. PSNR and
MSE have no upper end and are left out.
"""


def tables(frame: Results) -> list[PaperTable]:
    """Tables 3 and 4, beside Table 3 the comparison with the reference edits, and both tracks
    together where a run has both.
    """
    names = [*(metric.name for metric in JUDGE if metric.name != "SE"), "ssim", "lpips"]
    whole = all(any(frame.has(name, made) for made in VARIANTS) for name in names)
    return [PIXEL, AGAINST_REFERENCE, JUDGED, *([BOTH_TRACKS] if whole else [])]

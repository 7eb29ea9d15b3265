"""TextEditBench's tables: 3 (pixels) and 4 (judge) per split, and the judge's robustness. Faithful
MSE and PSNR are rounded to 4 places first, and one infinite PSNR makes that mean infinite; the
corrected PSNR is that of the mean MSE.
"""

from __future__ import annotations

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
    psnr_of_mean,
    published_rows,
    read_published,
    records,
    total,
)
from editgauge.tables.table import Cell, TableRow
from editgauge.types import JsonObject, Variant

PAPERS_JUDGE = "GPT-4o"
_HERE = Path(__file__).parent
_SOURCE = "Published: arXiv 2512.16270, Table {}; means over the full release."
_AGAINST_REFERENCE = (
    "Paper, 4.1: synthetic samples against their reference edits. The released code, and with it "
    "the published Table 3, compares with the input."
)


def four_places(values: Floats) -> Floats:
    """Rounded as the released script rounds each sample's value."""
    return np.round(values, 4)


def _four(
    variant: Variant, name: str, title: str, where: Mapping[str, str], prefix: str = ""
) -> list[Column]:
    """SSIM, LPIPS, PSNR, MSE; `prefix`: none against the input, else the reference edit."""
    faithful = variant == "faithful"
    columns = []
    for metric in ("ssim", "lpips", "psnr", "mse"):
        error = not faithful and metric == "psnr"
        shown = four_places if faithful and metric in ("psnr", "mse") else None
        mean = Mean(f"{prefix}{'mse' if error else metric}", where, shown)
        column = Column(f"{name}_{prefix}{metric}", (mean,), (title,))
        of_mean: JsonObject = {"formula": psnr_of_mean, "note": "PSNR of the mean squared error"}
        columns.append(replace(column, shows=f"{prefix}psnr", **of_mean) if error else column)
    return columns


def _pixel(variant: Variant) -> list[Column]:
    return [
        column
        for split, title in SPLITS.items()
        for column in _four(variant, split, title, {"split": split})
    ]


def _reference(variant: Variant) -> list[Column]:
    """Of all synthetic samples, of those whose reference keeps to its masks, and of the others."""
    parts: list[tuple[str, str, dict[str, str]]] = [
        ("all", SPLITS["synthetic"], {}),
        ("within", "Reference within masks", {"reference_outside": "false"}),
        ("outside", "Reference outside masks", {"reference_outside": "true"}),
    ]
    return [
        replace(column, on_demand=name != "all")
        for name, title, where in parts
        for column in _four(variant, name, title, {"split": "synthetic", **where}, REFERENCE)
    ]


def _judged() -> list[Column]:
    """The five dimensions, each over its own samples, and their sum."""
    columns: list[Column] = []
    for split, title in SPLITS.items():
        known = {"SE": {"has_knowledge": "true"}}
        means = tuple(
            Mean(metric.name, {"split": split, **known.get(metric.name, {})}) for metric in JUDGE
        )
        columns += [Column(f"{split}_{mean.metric}", (mean,), (title,)) for mean in means]
        columns.append(Column(f"{split}_overall", means, (title,), OVERALL.metric.name, total))
    return columns


@cache
def published(table: str) -> Sequence[TableRow]:
    """The lines of Table 3 (``pixel``) or 4 (``judge``)."""
    columns = _pixel("faithful") if table == "pixel" else _judged()
    return read_published(_HERE / f"published_{table}.csv", [column.name for column in columns])


@cache
def published_repeats() -> Sequence[TableRow]:
    """The lines of Table 5, in columns ``<split>_overall_run<number>``."""
    lines: dict[str, dict[str, Cell]] = {}
    for record in records(_HERE / "published_judge_repeats.csv"):
        mine = lines.setdefault(record["model"], {})
        for split in SPLITS:
            mine[f"{split}_overall_run{record['run']}"] = Cell(value=float(record[split]))
    return published_rows(lines)


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


def tables(frame: Results) -> list[PaperTable]:
    """Tables 3 and 4, and beside Table 3 the comparison with the reference edits."""
    del frame
    return [PIXEL, AGAINST_REFERENCE, JUDGED]

"""The papers' tables from made-up rows to the cell, beyond `tests/contract/test_tables.py`: what is
dropped, left open, shown beside, and said.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editgauge import benchmarks
from editgauge.benchmarks.textedit.facts import QUESTIONS
from editgauge.tables import layouts
from editgauge.tables.audit import reports
from editgauge.tables.build import Shown
from editgauge.tables.spec import read_published
from editgauge.tables.table import Cell, Table
from editgauge.types import Row, Variant
from tests.made_rows import frame, record, row

PACKAGE = Path(benchmarks.__file__).parent


def made(
    benchmark: str, rows: list[Row], records: Any, variant: Variant = "faithful", **options: Any
) -> dict[str, Table]:
    found = layouts.tables(frame(rows, records, benchmark), variant, Shown(**options))
    return {table.name: table for table in found}


def cells(table: Table, line: int = 0) -> dict[str, Cell]:
    return dict(table.rows[line].cells)


PAPERS = {
    "texteditbench": "texteditbench_",
    "textedit": "textedit_",
    "medebench": "medebench_",
    "krisbench": "kris_bench_",
}
"""Benchmark -> how its published tables are called where they were collected."""


def test_published_files_are_the_papers(shared: Path) -> None:
    seen = set()
    for name in PAPERS:
        for path in (PACKAGE / name).glob("published_*.csv"):
            start = PAPERS[name]
            source = shared / "published" / f"{start}{path.name.removeprefix('published_')}"
            assert path.read_text() == source.read_text()
            seen.add(source.name)
    every = {path.name for path in (shared / "published").glob("*.csv")}
    assert seen == {name for name in every if name.startswith(tuple(PAPERS.values()))}


def test_nothing_that_rounding_explains_is_inconsistent_in_them() -> None:
    found = {(one.name, text.partition(":")[0]) for one in reports() for text in one.inconsistent}
    assert sum(one.checked for one in reports()) == 334
    assert {pair for pair in found if "_as_printed" not in pair[0]} == {
        ("published_gpt4o.csv", "Emu2, Spatial Perception avg"),
        ("published_qwen2.5-vl-72b.csv", "AnyEdit, Attribute Perception avg"),
        ("published_qwen2.5-vl-72b.csv", "BAGEL, Spatial Perception avg"),
    }
    assert len(found) == 27, "the README of TextEdit orders its columns otherwise"


# -- TextEditBench and mini ------------------------------------------------------------------------


def test_the_comparison_with_the_reference_stands_beside() -> None:
    """Means over the synthetic samples: all three, and where it is asked for by name the two within
    their masks, and the one outside; the real sample has none, and none of it is in Table 3.
    """
    b = "texteditbench"
    records = [record(f"s{n}", split="synthetic", reference_outside=n == 3) for n in (1, 2, 3)]
    records.append(record("r1", split="real"))
    rows = [
        row(f"s{n}", "m", f"reference_{metric}", value * n, benchmark=b)
        for n in (1, 2, 3)
        for metric, value in (("ssim", 0.1), ("mse", 10.00004), ("psnr", 10.0))
    ]
    rows.append(row("r1", "m", "ssim", 0.5, benchmark=b))
    found = made(b, rows, records)
    assert all(name.startswith("all_") for name in cells(found["texteditbench.reference"]))
    asked = made(b, rows, records, only="texteditbench.reference")
    values = cells(asked["texteditbench.reference"])
    assert values["all_reference_ssim"].value == pytest.approx(0.2)
    assert (values["all_reference_ssim"].n, values["all_reference_ssim"].of) == (3, 3)
    assert values["within_reference_ssim"].value == pytest.approx(0.15)
    assert values["outside_reference_ssim"].value == pytest.approx(0.3)
    # 10.0000, 20.0001, 30.0001: rounded before they are averaged
    assert values["all_reference_mse"].value == pytest.approx((10.0 + 20.0001 + 30.0001) / 3)
    assert cells(found["texteditbench.pixel"])["synthetic_ssim"].value is None


@pytest.mark.parametrize(("benchmark", "start"), [("mini", ""), ("texteditbench", "real_")])
def test_a_corrected_psnr_is_that_of_the_mean_squared_error(benchmark: str, start: str) -> None:
    """10 log10(65025 / 3.25125) = 40 + 10 log10 2; no table has a plain mean of decibels."""
    rows = [
        row(sample, "m", metric, value, benchmark=benchmark, variant="corrected",
            infinite=value is None)
        for sample, error, decibels in (("a", 0.0, None), ("b", 6.5025, 40.0))
        for metric, value in (("mse", error), ("psnr", decibels), ("ssim", 1.0))
    ]  # fmt: skip
    records = [record("a", split="real"), record("b", split="real")]
    found = made(benchmark, rows, records, "corrected")
    assert [*found] == [f"{benchmark}.pixel"]
    psnr = cells(found[f"{benchmark}.pixel"])[f"{start}psnr"]
    assert (psnr.value, psnr.n) == (pytest.approx(43.0103, abs=1e-4), 2)


# -- TextEdit --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "known"), [(500, "full"), (501, "mini")])
def test_the_set_is_what_the_samples_say_whatever_their_number(count: int, known: str) -> None:
    """500 samples of the full set are no miniset: its published lines do not stand beside them."""
    records = [record(str(n), split="Real", set=f"{known}set") for n in range(count)]
    rows = [row("0", "m", "OA", 0.5, benchmark="textedit")]
    found = made("textedit", rows, records, published=True)["textedit.classic"]
    assert f"{known}set" in found.title
    lines = read_published(PACKAGE / "textedit" / f"published_{known}_classic.csv", ["real_OA"])
    assert {line.name: line.cells["real_OA"].value for line in found.rows[1:]} == {
        line.name: line.cells["real_OA"].value for line in lines
    }


@pytest.mark.parametrize("odd", [7.0, -1.0, 0.0, 3.5])
@pytest.mark.parametrize("question", ["Q1", "Q3"])
def test_a_score_out_of_range_drops_its_answer(odd: float, question: str) -> None:
    """As the released step 2: it counts nowhere, neither as an error nor as an index from the end."""
    records = [record(str(n), split="Real", set="miniset") for n in range(5)]
    rows = [
        row(str(n), "m", q, odd if n == 0 and q == question else 4.0, benchmark="textedit")
        for n in range(5)
        for q in QUESTIONS
    ]
    found = made("textedit", rows, records)
    for name in ("textedit.judge", "textedit.judge_no_cutoff"):
        for heading in ("TA", "TP", "SI", "avg"):
            cell = cells(found[name])[f"real_{heading}"]
            assert (cell.value, cell.n, cell.of) == (pytest.approx(0.8), 4, 5)


@pytest.mark.parametrize(
    ("table", "metric", "source", "other"),
    [
        ("textedit.judge", "Q1", "gemini-3-pro-preview#imported", ""),
        ("textedit.classic", "OA", "classic_metrics_eval.py#imported", ""),
        ("textedit.classic", "OA", "rapidocr-3.10.0-1f", "PaddleOCR"),
        ("krisbench.judge", "VC", "gpt-4o-mini-2024-07-18#1", "GPT-4o"),
        ("krisbench.judge", "VC", "Qwen2.5-VL-7B-Instruct#1", "Qwen2.5-VL-72B"),
    ],
)
def test_published_lines_of_another_judge_or_engine_are_not_compared(
    table: str, metric: str, source: str, other: str
) -> None:
    benchmark = table.partition(".")[0]
    names = [*QUESTIONS] if metric == "Q1" else [metric]
    rows = [row("2.1/1", "m", name, 1.0, benchmark=benchmark, source=source) for name in names]
    category = ("Factual", "Spatial Perception", "viewpoint_change")
    records = [record("2.1/1", split="Real", category=category, set="miniset")]
    notes = made(benchmark, rows, records, published=True)[table].notes
    told = [note for note in notes if "were made with" in note]
    assert len(told) == bool(other)
    assert all(other in note and source in note for note in told)

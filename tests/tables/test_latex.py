"""Tables as LaTeX: what stands where, and a page that pdflatex sets without a line too wide."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from editgauge.errors import UsageError
from editgauge.tables import latex
from editgauge.tables.columns import with_columns
from editgauge.tables.draw import draw
from editgauge.tables.table import Cell, Column, Table, TableRow

NAMES = (
    "a",
    "FLUX.1-Kontext-dev-bfloat16-guidance-3.5",
    "Gemini-2.5-Flash-Image-Preview (Nano Banana)",
    "DreamOmni2_with_underscores_and_a_long_tail",
    'x & y % $ # { } ~ ^ \\ < > | "quoted" 100 % Ünïcode · × ≥ κ',
)


def made(columns: int, *, counts: tuple[int, ...] = (7,) * len(NAMES), **more: object) -> Table:
    """A table of two broad headings, a line for each of `NAMES`."""
    found = [
        Column(name=f"{part}_m{n}", heading=(part.title(), f"Metric {n}"), direction="higher")
        for part in ("real", "synthetic")
        for n in range(columns)
    ]
    rows = [
        TableRow(
            name=name,
            cells={c.name: Cell(value=0.1 * line, n=counts[line], of=9) for c in found},
            kind="run",
        )
        for line, name in enumerate(NAMES)
    ]
    return Table(name="bench.judge", title="A title", columns=found, rows=rows, **more)  # type: ignore[arg-type]


def compiled(folder: Path, *texts: str) -> str:
    """What pdflatex says of a two-column page with these tables."""
    found = shutil.which("kpsewhich")
    style = found and subprocess.run([found, "booktabs.sty"], capture_output=True, check=False)
    if shutil.which("pdflatex") is None or not style or not style.stdout:
        pytest.skip("no pdflatex with booktabs here (Debian: texlive-latex-recommended)")
    page = [
        r"\documentclass[10pt,twocolumn]{article}",
        rf"\textwidth={latex.TEXT}pt \columnsep=17pt \textheight=700pt \topmargin=-60pt",
        r"\usepackage{booktabs}",
        r"\begin{document}",
        *(rf"{text}\clearpage" for text in texts),
        r"\end{document}",
    ]
    (folder / "page.tex").write_text("\n".join(page), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, timeout=120, check=False, text=True,
        errors="replace",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def test_pdflatex_sets_every_width_without_a_line_too_wide(tmp_path: Path) -> None:
    uneven = (7, 6, 7, 7, 5)
    texts = [
        draw(made(columns, counts=counts, **more), "latex", place=place)  # type: ignore[arg-type]
        for columns, counts, place, more in (
            (1, (7,) * 5, "auto", {}),
            (3, uneven, "column", {"notes": ["A note of 100 % & more."]}),
            (6, uneven, "text", {"transposed": True}),
            (12, uneven, "text", {"source": "judge[paper]#ab12"}),
            (36, uneven, "text", {"transposed": True}),
        )
    ]
    said = compiled(tmp_path, *texts)
    assert "Overfull" not in said
    assert "too large" not in said
    assert (tmp_path / "page.pdf").stat().st_size > 10_000
    fonts = (tmp_path / "page.log").read_text(errors="replace")
    assert "mktexpk" not in said + fonts, "a bitmap font"


def test_what_a_paper_asks_for() -> None:
    """One count for all: in the caption. The judge is named, with its hash in a comment only."""
    text = draw(made(1, variant="corrected", source="gpt-4o[paper]#ab12"), "latex")
    assert r"\begin{table}[tbp]" in text
    assert r"\caption{A title (corrected). Scored by gpt-4o[paper]. n = 7 of 9.}" in text
    assert r"\label{tab:bench-judge-corrected-gpt-4o-paper}" in text
    assert text.startswith("% needs \\usepackage{booktabs}; scored by gpt-4o[paper]#ab12\n")
    assert "resizebox" not in text
    assert r"\toprule" in text
    assert text.count(r"\textbf{0.400}") == 2
    assert text.count(r"\underline{0.300}") == 2


def test_lines_of_other_counts_are_not_compared_and_keep_their_counts() -> None:
    text = draw(made(1, counts=(7, 6, 7, 7, 7)), "latex")
    assert r"\textbf" not in text
    assert "6/9" in text
    assert "n = 7" not in text


def test_a_table_goes_where_it_fits() -> None:
    assert r"\begin{table}[tbp]" in draw(made(1), "latex")
    wide = draw(made(5), "latex")
    assert r"\begin{table*}[tbp]" in wide
    assert wide.count(r"\begin{tabular}") == 1
    narrow = draw(made(5), "latex", place="column")
    assert r"\begin{table}[tbp]" in narrow
    assert narrow.count(r"\begin{tabular}") > 1
    numbers = re.compile(r" & 0\.\d+")
    assert len(numbers.findall(narrow)) == len(numbers.findall(wide)) == 10 * len(NAMES) - 20


def test_estimates_are_at_least_what_computer_modern_takes() -> None:
    """CMR10's own widths (cmr10.tfm, in ems of 10 pt): 0 to 9 .5, a .5, m .833, M .917, W 1.028."""
    assert latex.width("0123456789", 10) >= 50
    assert latex.width("Mm", 10) >= 17.5
    assert latex.width("a", 10, bold=True) >= 5.6


def test_columns_and_metrics() -> None:
    (table,) = with_columns([made(3)], columns=["real"], metrics=["metric 1", "m2"])
    assert [column.name for column in table.columns] == ["real_m1", "real_m2"]
    with pytest.raises(UsageError, match="--metrics SSIM: no such column; there are: Metric 0"):
        with_columns([made(1)], metrics=["SSIM"])
    with pytest.raises(UsageError, match="--metrics m1: no such column"):
        with_columns([made(2)], columns=["real_m0"], metrics=["m1"])


def test_what_is_higher_than_a_page_is_cut_where_a_heading_begins() -> None:
    """Two headings with 36 lines each: a part each, every line once, names and caption again."""
    text = draw(made(36, transposed=True), "latex", place="text")
    parts = text.split(r"\end{table*}")[:-1]
    assert len(parts) > 1
    assert all(r"\caption{A title" in part for part in parts)
    for heading in ("Real", "Synthetic"):
        (one,) = [part for part in parts if f"\n{heading} &" in part]
        assert [one.count(f"Metric {n} ") for n in range(36)] == [1] * 36


def test_a_groups_name_stands_once_above_its_lines() -> None:
    table = made(1)
    rows = [replace(row, section="Open models" if n else "") for n, row in enumerate(table.rows)]
    text = draw(replace(table, rows=rows), "latex")
    assert text.count("Open models") == 1


def test_a_part_of_published_lines_has_no_lines_of_counts() -> None:
    table = made(6, counts=(7, 6, 7, 7, 5), transposed=True)
    papers = [
        TableRow(name=f"Paper's model number {n}", kind="published",
                 cells={c.name: Cell(value=0.5) for c in table.columns})
        for n in range(30)
    ]  # fmt: skip
    text = draw(replace(table, rows=[*table.rows, *papers]), "latex", place="column")
    last = text.split(r"\begin{tabular}")[-1]
    assert "Paper" in last
    assert "& n &" not in last
    assert "& n &" in text

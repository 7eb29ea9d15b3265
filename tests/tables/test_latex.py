"""Tables as LaTeX: what stands where, and a page that pdflatex sets without a line too wide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from editgauge.errors import UsageError
from editgauge.run.tables import with_columns
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


def test_what_a_paper_asks_for() -> None:
    text = draw(made(1, variant="corrected", source="gpt-4o[paper]#ab12"), "latex")
    assert r"\begin{table}[tbp]" in text
    assert r"\caption{A title (corrected). Scored by gpt-4o[paper]. n = 7 of 9.}" in text
    assert r"\label{tab:bench-judge-corrected-gpt-4o-paper}" in text
    assert text.startswith("% needs booktabs, adjustbox; scored by gpt-4o[paper]#ab12\n")
    assert "resizebox" not in text
    assert r"\toprule" in text
    assert text.count(r"\textbf{0.400}") == 2
    assert text.count(r"\underline{0.300}") == 2


def test_a_long_table_is_several_that_part_between_groups() -> None:
    table = made(1)
    rows = [replace(row, group=f"g{n}", name=f"{row.name} {n}")
            for n in range(12) for row in table.rows]  # fmt: skip
    text = draw(replace(table, rows=rows, by="topic"), "latex")
    assert text.count(r"\begin{tabular}") == 2
    assert r"\label{tab:bench-judge-1}" in text
    first, second = (part.split(r"\bottomrule")[0] for part in text.split(r"\toprule")[1:])
    for page, groups in ((first, range(10)), (second, range(10, 12))):
        bodies = page.split(r"\midrule")[1:]
        assert [body.strip().split(" & ")[0] for body in bodies] == [f"g{n}" for n in groups]
        assert all(body.count(r" \\") == len(NAMES) for body in bodies)
        assert all(body.count(f"g{n} & ") == 1 for n, body in zip(groups, bodies, strict=True))


def test_columns_are_chosen_by_name_or_heading() -> None:
    (table,) = with_columns([made(3)], ["real metric 1", "Metric 2"])
    assert [column.name for column in table.columns] == ["real_m1", "real_m2", "synthetic_m2"]
    with pytest.raises(UsageError, match="columns SSIM: no such column; there are: real_m0"):
        with_columns([made(1)], ["SSIM"])

"""Tables drawn: exact text, counts, marks, and text from outside made harmless."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from editgauge.tables.draw import draw, merged
from editgauge.tables.table import Cell, Column, Table, TableRow, standing

COLUMNS = (
    Column(name="syn_ssim", heading=("Synthetic", "SSIM"), digits=3, direction="higher"),
    Column(name="syn_mse", heading=("Synthetic", "MSE"), digits=1, direction="lower"),
    Column(name="real_ssim", heading=("Real", "SSIM"), digits=3, direction="higher"),
)
ROWS = (
    TableRow(
        name="copy",
        cells={
            "syn_ssim": Cell(value=0.9, n=4, of=5),
            "syn_mse": Cell(value=0.0, n=4, of=5),
            "real_ssim": Cell(value=0.95, n=2, of=2),
        },
    ),
    TableRow(
        name="blank",
        cells={
            "syn_ssim": Cell(value=0.25, n=4, of=5),
            "syn_mse": Cell(value=99.94, n=4, of=5),
            "real_ssim": Cell(value=math.inf, n=2, of=2),
        },
    ),
    TableRow(
        name="Paper",
        cells={"syn_ssim": Cell(value=0.899), "syn_mse": Cell(value=1.0)},
        kind="published",
    ),
)
TABLE = Table(
    name="t", title="Title", columns=COLUMNS, rows=ROWS, variant="faithful", notes=("A note.",)
)


class TestTerminal:
    def test_exact_text(self) -> None:
        assert draw(TABLE, "terminal") == (
            "Title (faithful)\n"
            "         Synthetic           Real\n"
            "model       SSIM ↑  MSE ↓  SSIM ↑\n"
            "copy         0.900    0.0   0.950\n"
            "blank        0.250   99.9       ∞\n"
            "n              4/5    4/5     2/2\n"
            "Paper †      0.899    1.0       –\n"
            "A note.\n"
            "† published: the paper's number, not computed here.\n"
        )

    def test_what_does_not_fit_goes_below(self) -> None:
        text = draw(TABLE, "terminal", width=32)
        assert max(len(line) for line in text.splitlines()[1:-2]) <= 32
        assert text.count("copy") == 2
        assert text.count("0.950") == 1

    def test_editors_across(self) -> None:
        table = Table(name="t", title="Title", columns=COLUMNS, rows=ROWS[:2], transposed=True)
        assert draw(table, "terminal") == (
            "Title\n"
            "                     n   copy  blank\n"
            "Synthetic  SSIM ↑  4/5  0.900  0.250\n"
            "           MSE ↓   4/5    0.0   99.9\n"
            "Real       SSIM ↑  2/2  0.950      ∞\n"
        )


def test_notes_take_five_lines_unless_all_are_asked_for() -> None:
    table = replace(TABLE, notes=[f"Note {n} that is not long." for n in range(9)])
    for form in ("terminal", "markdown"):
        few, every = (draw(table, form, every_note=all_of_them) for all_of_them in (False, True))
        assert "Note 3" in few
        assert "Note 4" not in few
        assert "6 more notes: --notes" in few.replace("\\", "")
        assert "Note 8" in every


def test_variants_that_print_alike_are_one_table() -> None:
    corrected = replace(TABLE, variant="corrected")
    (one,) = merged([TABLE, corrected])
    assert one.variant == "faithful and corrected"
    row = replace(ROWS[0], cells={**ROWS[0].cells, "syn_mse": Cell(value=1.0, n=4, of=5)})
    _, part = merged([TABLE, replace(corrected, rows=[row, *ROWS[1:]])])
    text = draw(part, "terminal")
    assert ("copy" in text, "blank" in text) == (True, False), "the other line is alike"
    assert "†" not in text
    assert {(0, "syn_ssim"), (0, "syn_mse")} < standing(part).best, "as in the whole table"


class TestMarks:
    PART = Table(
        name="t",
        title="T",
        columns=COLUMNS[:1],
        rows=[
            TableRow(
                name="mine", cells={"syn_ssim": Cell(value=0.9, n=93, of=1196)}, part=(93, 1196)
            ),
            ROWS[2],
        ],
        variant="corrected",
    )

    @pytest.mark.parametrize("form", ["terminal", "markdown", "latex"])
    def test_a_part_and_a_paper_are_marked_on_the_line(self, form: str) -> None:
        text = draw(self.PART, form)  # type: ignore[arg-type]
        assert "mine ‡" in text or r"mine $\ddagger$" in text
        assert "as released" in text.partition("published")[0]
        assert "made from a part of the release" in text

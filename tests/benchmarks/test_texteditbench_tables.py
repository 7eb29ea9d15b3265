"""TextEditBench's tables from made-up rows to the printed cell."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from editgauge.tables import layouts
from editgauge.tables.draw import draw
from editgauge.tables.table import Table, TableRow
from editgauge.types import Row
from tests.made_rows import frame, record, row

B = "texteditbench"
DIMENSIONS = ("IF", "TA", "VC", "LP", "SE")
RECORDS = [
    record("r1", split="real", knowledge="k"),
    record("r2", split="real"),
    record("s1", split="synthetic", knowledge="k"),
]


def made(rows: list[Row], **options: Any) -> dict[str, Table]:
    found = layouts.tables(frame(rows, RECORDS, B), "faithful", layouts.Shown(**options))
    return {table.name: table for table in found}


def line(table: Table, name: str, kind: str | None = None) -> TableRow:
    return next(r for r in table.rows if r.name == name and (kind is None or r.kind == kind))


def printed(table: Table, name: str) -> dict[str, str]:
    lines = csv.DictReader(io.StringIO(draw(table, "csv")))
    return next(dict(found) for found in lines if found["model"] == name)


def judged(sample: str, editor: str, *scores: int, repeat: int = 0, source: str = "") -> list[Row]:
    return [
        row(sample, editor, name, float(score), benchmark=B, repeat=repeat, source=source)
        for name, score in zip(DIMENSIONS, scores, strict=False)
    ]


class TestTables3And4:
    def test_every_printed_cell_of_a_model(self) -> None:
        """Real: SSIM (0.8 + 0.9) / 2, LPIPS 0.15, PSNR 30 and 31, MSE 50 and 70; the synthetic sample
        has its own. Judge: IF (4 + 3) / 2, TA 2.5, VC 4, LP 5, SE 2 of the one with a knowledge
        prompt: 17 in all.
        """
        rows = [
            row(sample, "a", metric, value, benchmark=B)
            for metric, values in {
                "ssim": (0.8, 0.9, 0.5), "lpips": (0.1, 0.2, 0.4), "psnr": (30.0, 31.0, 20.0),
                "mse": (50.0, 70.0, 650.0),
            }.items()
            for sample, value in zip(("r1", "r2", "s1"), values, strict=True)
        ]  # fmt: skip
        rows += [*judged("r1", "a", 4, 2, 4, 5, 2), *judged("r2", "a", 3, 3, 4, 5)]
        rows += judged("s1", "a", 1, 0, 2, 3, 4)
        found = made(rows)
        cells = printed(found["texteditbench.pixel"], "a")
        names = [f"{split}_{name}" for split in ("real", "synthetic")
                 for name in ("ssim", "lpips", "psnr", "mse")]  # fmt: skip
        assert [cells[name] for name in names] == [
            "0.850", "0.150", "30.500", "60.000", "0.500", "0.400", "20.000", "650.000",
        ]  # fmt: skip
        cells = printed(found["texteditbench.judge"], "a")
        assert [cells[f"real_{name}"] for name in (*DIMENSIONS, "overall")] == [
            "3.50", "2.50", "4.00", "5.00", "2.00", "17.00",
        ]  # fmt: skip
        assert (cells["synthetic_overall"], cells["real_SE_n"]) == ("10.00", "1")

    def test_two_judges_have_both_tracks_each(self) -> None:
        """Kept 80 for both; judged 60 of the first and 40 of the second: 70 and 60 together."""
        rows = [
            *judged("r1", "a", 5, 4, 3, 2, 1, source="gpt-4o-2024-11-20#1"),
            *judged("r1", "a", 2, 2, 2, 2, 2, source="other#2"),
            row("r1", "a", "ssim", 0.9, benchmark=B),
            row("r1", "a", "lpips", 0.3, benchmark=B),
        ]
        found = [
            table
            for side in frame(rows, RECORDS, B).sides()
            for table in layouts.tables(side, "faithful", layouts.Shown(published=True))
        ]
        names = [table.name for table in found]
        assert names.count("texteditbench.pixel") == 1
        assert next(t for t in found if t.name == "texteditbench.pixel").source == ""
        both = {t.source: printed(t, "a") for t in found if t.name == "texteditbench.both"}
        assert {source: cells["real_both"] for source, cells in both.items()} == {
            "gpt-4o-2024-11-20#1": "70.00",
            "other#2": "60.00",
        }
        judge = {t.source: t for t in found if t.name == "texteditbench.judge"}
        assert any("made with GPT-4o" in note for note in judge["other#2"].notes)
        assert not any("made with" in note for note in judge["gpt-4o-2024-11-20#1"].notes)


class TestMean:
    def test_the_line_of_the_models_means(self) -> None:
        """SSIM of a: (0.5 + 0.7) / 2 = 0.6, of b: (0.8 + 0.9) / 2 = 0.85; their mean is 0.725."""
        rows = [
            row(sample, editor, "ssim", value, benchmark=B)
            for editor, values in (("a", (0.5, 0.7)), ("b", (0.8, 0.9)))
            for sample, value in zip(("r1", "r2"), values, strict=True)
        ]
        table = made(rows, published=True, mean=True)["texteditbench.pixel"]
        assert printed(table, "Mean of 2")["real_ssim"] == "0.725"
        kinds = [r.kind for r in table.rows]
        assert kinds[:3] == ["run", "run", "average"]
        assert kinds[-1] == "mean"

    def test_none_of_one_model_nor_where_a_model_lacks_the_number(self) -> None:
        rows = [row("r1", "a", "ssim", 0.5, benchmark=B)]
        assert {r.kind for r in made(rows)["texteditbench.pixel"].rows} == {"run"}
        rows += [
            row("r1", "b", "ssim", 0.7, benchmark=B),
            row("r1", "b", "lpips", 0.1, benchmark=B),
        ]
        cells = line(made(rows, mean=True)["texteditbench.pixel"], "Mean of 2").cells
        assert cells["real_ssim"].value == pytest.approx(0.6)
        assert "real_lpips" not in cells

    @pytest.mark.parametrize("table", ["pixel", "judge"])
    def test_the_papers_mean_row_is_made_so(self, table: str) -> None:
        """The mean of the printed lines is the printed Mean, to what rounding leaves."""
        rows = [
            row("r1", "a", "ssim", 0.5, benchmark=B),
            *judged("r1", "a", 1, 1, 1, 1, 1),
        ]
        found = made(rows, published=True)[f"texteditbench.{table}"]
        lines = [r for r in found.rows if r.kind == "published"]
        mean = next(r for r in found.rows if r.kind == "mean")
        assert len(lines) == 12
        for column, cell in mean.cells.items():
            own = np.mean([r.cells[column].value for r in lines])
            assert own == pytest.approx(cell.value, abs=0.011), column


class TestRepeats:
    def rows(self) -> list[Row]:
        """Overall of the real samples: run 1: r1 5+4+3+2+1 and r2 5+4+3+2: means 5, 4, 3, 2, 1 =
        15; in run 2 the IF of r2 is 3: 4+4+3+2+1 = 14; in run 3 that of both: 3+4+3+2+1 = 13.
        """
        first = (5, 5, 3)
        second = (5, 3, 3)
        return [
            line
            for repeat in range(3)
            for line in (
                *judged("r1", "a", first[repeat], 4, 3, 2, 1, repeat=repeat),
                *judged("r2", "a", second[repeat], 4, 3, 2, repeat=repeat),
                *judged("s1", "a", 1, 1, 1, 1, 1, repeat=repeat),
            )
        ]

    def test_three_runs_beside_each_other(self) -> None:
        table = made(self.rows(), published=True)["texteditbench.judge.beside"]
        cells = printed(table, "a")
        assert [cells[f"real_overall_run{n}"] for n in (1, 2, 3)] == ["15.00", "14.00", "13.00"]
        assert [cells[f"synthetic_overall_run{n}"] for n in (1, 2, 3)] == ["5.00"] * 3
        # of 15, 14, 13: sqrt((1 + 0 + 1) / 2) = 1, and 1 from the mean of 14
        assert (cells["real_overall_sd"], cells["real_overall_most"]) == ("1.00", "1.00")
        assert cells["synthetic_overall_sd"] == "0.00"

    def test_the_papers_table_5_stands_beside(self) -> None:
        table = made(self.rows(), published=True)["texteditbench.judge.beside"]
        cells = printed(table, "NanoBanana")
        assert [cells[f"synthetic_overall_run{n}"] for n in (1, 2, 3)] == [
            "16.56",
            "16.46",
            "16.54",
        ]
        # mean 16.52; deviations .04 -.06 .02: sqrt(.0056 / 2) = .0529
        assert (cells["synthetic_overall_sd"], cells["synthetic_overall_most"]) == ("0.05", "0.06")
        assert not [
            r for r in made(self.rows())["texteditbench.judge.beside"].rows if r.kind != "run"
        ]

    def test_without_repeats_there_is_none(self) -> None:
        rows = [line for line in self.rows() if line.repeat == 0]
        assert "texteditbench.judge.beside" not in made(rows, published=True)


class TestBothTracks:
    def test_the_stated_formula(self) -> None:
        """Judged: 5 + 4 + 3 + 2 + 1 = 15 of 25: 60. Kept: (0.9 + 1 - 0.3) / 2 = 0.8: 80. Both: 70."""
        rows = [
            *judged("r1", "a", 5, 4, 3, 2, 1),
            row("r1", "a", "ssim", 0.9, benchmark=B),
            row("r1", "a", "lpips", 0.3, benchmark=B),
        ]
        table = made(rows, published=True)["texteditbench.both"]
        cells = printed(table, "a")
        assert (cells["real_judged"], cells["real_kept"]) == ("60.00", "80.00")
        assert cells["real_both"] == "70.00"
        assert "SSIM + 1 − LPIPS" in table.title
        assert any("no formula" in note for note in table.notes)
        # Qwen-Image-Edit: 18.70 / 25 = 74.8; (0.887 + 1 - 0.045) / 2 = 92.1; together 83.45
        qwen = printed(table, "Qwen-Image-Edit")
        assert (qwen["real_judged"], qwen["real_kept"]) == ("74.80", "92.10")
        assert qwen["real_both"] == "83.45"

    def test_one_track_alone_has_no_such_table(self) -> None:
        assert "texteditbench.both" not in made(judged("r1", "a", 5, 4, 3, 2, 1))

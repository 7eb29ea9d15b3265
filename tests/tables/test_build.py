"""Tables from rows: counts, failures, infinities, coverage, slices, intervals."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from editgauge.scoring.metrics import FID
from editgauge.statistics.resampling import mean_interval
from editgauge.tables import table as drawn
from editgauge.tables.build import Shown, build
from editgauge.tables.layouts import every_table
from editgauge.tables.results import Results
from editgauge.tables.spec import Column, Mean, PaperTable, Published
from editgauge.tables.table import Cell, Table, TableRow, printed, standing
from editgauge.types import Metric, Row, Status
from tests import made_rows
from tests.made_rows import record

row = partial(made_rows.row, benchmark="unheard")
SSIM = Metric("ssim", heading="SSIM", direction="higher", low=-1.0, high=1.0, failure=0.0)
RECORDS = [
    record(str(n), split="real" if n % 2 else "synthetic", topic="ab"[n // 4]) for n in range(8)
]


def paper(**changes: object) -> PaperTable:
    made = PaperTable(
        name="t",
        title="T",
        columns=[
            Column("ssim", (Mean("ssim"),)),
            Column("real_ssim", (Mean("ssim", {"split": "real"}),), ("Real",)),
            Column("fid", (Mean("fid"),)),
        ],
        strata="split",
        headline="ssim",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def frame(rows: list[Row], records: list[dict[str, Any]]) -> Results:
    known = {"ssim": SSIM, "fid": FID}
    return replace(made_rows.frame(rows, records, "unheard"), described=known)


scores = partial(made_rows.scores, metric="ssim", name="{}", benchmark="unheard")


def table(rows: list[Row], **options: object) -> Table:
    shown = Shown(**options)  # type: ignore[arg-type]
    made = build(frame(rows, RECORDS), paper(), "faithful", shown)
    assert made is not None
    return made


class TestCells:
    def test_a_mean_with_its_count_and_its_mean_with_failures(self) -> None:
        made = table(scores("one", values=[0.5, 0.7, None, None, 0.9, 0.9, 0.9, 0.9]))
        # six scores: (0.5 + 0.7 + 4 * 0.9) / 6 = 0.8; with two failures at 0: 4.8 / 8 = 0.6
        cell = made.rows[0].cells["ssim"]
        assert cell.value == pytest.approx(0.8)
        assert (cell.n, cell.of) == (6, 8)
        assert cell.floor == pytest.approx(0.6)
        real = made.rows[0].cells["real_ssim"]  # samples 1, 3, 5, 7, of which 3 is missing
        assert (real.n, real.of) == (3, 4)

    def test_nor_is_it_compared_where_it_was_made_from_other_numbers_of_samples(self) -> None:
        def distance(editor: str, value: float, samples: int) -> Row:
            return replace(row("*", editor, "fid", value), detail={"samples": samples})

        rows = [*scores("one", values=[0.5] * 8), *scores("two", values=[0.5] * 8)]
        made = table([*rows, distance("one", 40.0, 8), distance("two", 30.0, 7)])
        assert made.rows[1].cells["fid"] == Cell(value=30.0, n=7, of=8)
        assert not any(name == "fid" for _, name in standing(made).best)
        assert any(
            "FID: the editors were scored on different samples" in note for note in made.notes
        )
        made = table([*rows, distance("one", 40.0, 8), distance("two", 30.0, 8)])
        assert (1, "fid") in standing(made).best


class TestRepeats:
    """Of several replies about one output each is scaled, cut off and filled by itself."""

    def of(self, values: list[float | None], column: Column) -> Cell:
        rows = []
        for repeat, value in enumerate(values):
            status = Status.FAILED if value is None else Status.SCORED
            rows.append(row("0", "one", "ssim", value, status=status, repeat=repeat))
        made = build(frame(rows, RECORDS[:1]), paper(columns=[column]), "faithful")
        assert made is not None
        return made.rows[0].cells[column.name]

    def test_a_scale_that_is_no_line(self) -> None:
        squares = Column("ssim", (Mean("ssim", shown=np.square),))
        assert self.of([0.0, 1.0], squares).value == pytest.approx(0.5)

    def test_an_infinite_value(self) -> None:
        inverse = Column("ssim", (Mean("ssim", shown=lambda v: np.where(v == 0, np.inf, v)),))
        assert self.of([0.0, 1.0], inverse).value == math.inf

    def test_a_failed_reply_counts_as_the_minimum_by_itself(self) -> None:
        cell = self.of([0.8, None], Column("ssim", (Mean("ssim"),)))
        assert cell.value == pytest.approx(0.8)
        assert cell.floor == pytest.approx(0.4)

    def test_what_was_scored_once_goes_with_every_reply(self) -> None:
        rows = [row("0", "one", "ssim", value, repeat=n) for n, value in enumerate((0.2, 0.8))]
        rows.append(row("0", "one", "psnr", 0.5))
        both = Mean("ssim", shown=np.minimum, others=("psnr",))
        made = build(frame(rows, RECORDS[:1]), paper(columns=[Column("both", (both,))]), "faithful")
        assert made is not None
        assert made.rows[0].cells["both"].value == pytest.approx((0.2 + 0.5) / 2)


class TestPrinted:
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (49.625, 2, "49.63"),
            (54.125, 2, "54.13"),
            (0.5, 0, "1"),
            (-0.001, 2, "0.00"),
            (-2.5, 0, "-3"),
            (1e20, 1, f"{1e20:.1f}"),
            (0.745, 2, "0.74"),
            (math.inf, 2, "inf"),
        ],
    )
    def test_an_exact_half_goes_up(self, value: float, digits: int, text: str) -> None:
        assert printed(value, digits) == text  # 0.745 is a little less than that in binary


class TestStanding:
    COLUMNS = (
        drawn.Column(name="a", heading=("A",), digits=2, direction="higher"),
        drawn.Column(name="b", heading=("B",), digits=2, direction="lower"),
    )

    def made(self, *rows: TableRow, complete: str = "") -> Table:
        columns = [replace(column, complete=column.name in complete) for column in self.COLUMNS]
        return Table(name="t", title="T", columns=columns, rows=rows)

    def line(self, a: float, b: float, kind: str = "run", n: int | None = 5) -> TableRow:
        return TableRow(
            name="x",
            cells={"a": Cell(value=a, n=n, of=n), "b": Cell(value=b, n=n, of=n)},
            kind=kind,
        )  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("values", "best", "second"),
        [
            ((0.9, 0.7, 0.5), {0}, {1}),
            ((0.901, 0.904, 0.5), set(), set()),  # two best as printed; the one behind is third
            ((0.9, 0.7, 0.7, 0.5), {0}, set()),
            ((0.9, 0.7, 0.7), {0}, set()),
            ((0.9, 0.7), {0}, set()),  # the worst is never second
            ((0.7, 0.7), set(), set()),
        ],
    )
    def test_a_place_that_several_share_is_nobodys(
        self, values: tuple[float, ...], best: set[int], second: set[int]
    ) -> None:
        place = standing(self.made(*(self.line(value, -value) for value in values)))
        assert place.best == {(line, name) for line in best for name in "ab"}
        assert place.second == {(line, name) for line in second for name in "ab"}

    def test_published_lines_join_in_columns_that_are_complete(self) -> None:
        rows = (self.line(0.5, 3.0), self.line(0.6, 2.0), self.line(0.9, 1.0, "published", None))
        assert standing(self.made(*rows)).best == {(1, "a"), (1, "b")}
        assert standing(self.made(*rows, complete="a")).best == {(2, "a"), (1, "b")}
        assert standing(self.made(*rows, complete="ab")).best == {(2, "a"), (2, "b")}


class TestPartOfARelease:
    """A line of a part of the release says so, and is compared with no published one."""

    PAPER = TableRow(name="Paper", cells={"ssim": Cell(value=0.5)}, kind="published")

    def paper(self, size: int) -> PaperTable:
        return paper(size=size, published=[Published(rows=lambda: [self.PAPER], note="")])

    def made(self, scored: int, *, size: int = 8, published: bool = True) -> Table:
        rows = scores("mine", values=[0.9] * scored)
        found = build(
            frame(rows, RECORDS), self.paper(size), "faithful", Shown(published=published)
        )
        assert found is not None
        return found

    def test_what_was_scored_is_compared_with_the_release(self) -> None:
        found = self.made(3)
        assert found.rows[0].part == (3, 8)
        assert "mine: 3 of 8: not comparable with the published lines." in found.notes
        assert not standing(found).best


class TestCompleteColumns:
    """Each column is compared with the published lines by itself."""

    PAPER = TableRow(
        name="Paper", cells={"ssim": Cell(value=0.5), "real_ssim": Cell(value=0.5)},
        kind="published",
    )  # fmt: skip

    def of(self, rows: list[Row], **changes: Any) -> dict[str, bool]:
        lines = Published(rows=lambda: [self.PAPER], note="", **changes)
        found = build(
            frame(rows, RECORDS),
            paper(size=8, published=[lines]),
            "faithful",
            Shown(published=True),
        )
        assert found is not None
        return {column.name: column.complete for column in found.columns}

    def test_a_column_without_any_number_concerns_no_other(self) -> None:
        lost = [row(str(n), "mine", "fid", None, status=Status.NOT_MEASURED) for n in range(8)]
        found = self.of([*scores("mine", values=[0.9] * 8), *lost])
        assert found == {"ssim": True, "real_ssim": True}

    def test_a_column_of_a_part_is_not_compared(self) -> None:
        found = self.of(scores("mine", values=[None, *[0.9] * 7]))  # 0 is a synthetic sample
        assert found == {"ssim": False, "real_ssim": True}

    def test_another_maker_concerns_what_it_made(self) -> None:
        rows = scores("mine", values=[0.9] * 8)
        judged = [replace(one, source="judge-b") for one in rows]
        assert not any(self.of(judged, made_with="judge-a", metric="ssim").values())
        other = [row(str(n), "mine", "fid", 1.0, source="judge-b") for n in range(8)]
        found = self.of([*rows, *other], made_with="judge-a", metric="fid")
        assert found["ssim"]


class TestMean:
    """A mean over the run's models: only where it is asked for, and only on equal coverage."""

    def test_of_models_that_were_scored_on_the_same_samples(self) -> None:
        rows = [*scores("one", values=[0.2] * 8), *scores("two", values=[0.6] * 8)]
        mean = table(rows, mean=True).rows[-1]
        assert (mean.name, mean.kind) == ("Mean of 2", "average")
        assert mean.cells["ssim"] == Cell(value=pytest.approx(0.4), n=8, of=8)
        assert [row.name for row in table(rows).rows] == ["one", "two"]

    def test_none_of_other_samples_and_none_of_one_model(self) -> None:
        uneven = [*scores("one", values=[0.2] * 8), *scores("two", values=[None, *[0.6] * 7])]
        mean = table(uneven, mean=True).rows[-1]
        assert [*mean.cells] == ["real_ssim"], "sample 0 is a synthetic one"
        assert [row.name for row in table(scores("one", values=[0.2] * 8), mean=True).rows] == [
            "one"
        ]


def test_rounding_in_a_formula_is_no_part_of_its_interval() -> None:
    """KRIS-Bench rounds means: one sample more or less moved them by 0 or by a whole step, and
    intervals were up to 45 % too wide.
    """
    values = np.random.default_rng(0).integers(1, 6, 275).astype(float)
    records = [record(str(n), category=("Factual", "Attribute Perception", "x"))
               for n in range(275)]  # fmt: skip
    rows = [row(str(n), "m", "VC", one, benchmark="krisbench") for n, one in enumerate(values)]
    of = made_rows.frame(rows, records, "krisbench")
    found = build(of, every_table(of)[0], "faithful", Shown(intervals=True))
    assert found is not None
    cell, wanted = found.rows[0].cell("Attribute Perception/VC"), mean_interval(25 * (values - 1))
    assert (cell.low, cell.high) == pytest.approx((wanted.low, wanted.high))


def test_where_nothing_was_measured_failures_are_no_number() -> None:
    """The weights are not here and one output is missing: that is no score of the minimum."""
    rows = [
        row("0", "a", "ssim", None, status=Status.MISSING),
        row("1", "a", "ssim", None, status=Status.NOT_MEASURED),
        *(row(str(n), "b", "ssim", 0.5 if n else None, status=Status.SCORED if n else Status.FAILED)
          for n in range(2)),
    ]  # fmt: skip
    table = build(frame(rows, RECORDS[:2]), paper(), "faithful")
    assert table is not None
    floors = {line.name: line.cell("ssim").floor for line in table.rows}
    assert floors == {"a": None, "b": 0.25}

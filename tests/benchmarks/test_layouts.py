"""The papers' tables from rows: against the protocols' formulas, published numbers, and the judge's
pure functions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge import benchmarks
from editgauge.benchmarks.krisbench import facts as kris_facts
from editgauge.benchmarks.textedit import facts as textedit_facts
from editgauge.tables import layouts
from editgauge.tables.results import Results
from editgauge.tables.spec import read_published
from editgauge.tables.table import Table
from editgauge.types import Row, Status, Variant
from tests.made_rows import frame, record, row
from tests.oracles.krisbench import kris_table, metrics_of
from tests.oracles.textedit import report

PACKAGE = Path(benchmarks.__file__).parent


def made(found: Results, variant: Variant = "faithful", **options: Any) -> dict[str, Table]:
    tables = layouts.tables(found, variant, layouts.Shown(**options))
    return {table.name: table for table in tables}


class TestTextEditBench:
    RECORDS = (
        record("r1", split="real"),
        record("r2", split="real"),
        record("s1", split="synthetic", knowledge="k"),
    )

    def rows(self, psnr: float | None = 30.00006) -> list[Row]:
        b = "texteditbench"
        return [
            row("r1", "m", "mse", 1.00004, benchmark=b),
            row("r2", "m", "mse", 3.00006, benchmark=b),
            row("r1", "m", "psnr", psnr, benchmark=b, infinite=psnr is None),
            row("r2", "m", "psnr", 40.0, benchmark=b),
            row("r1", "m", "mse", 0.0, benchmark=b, variant="corrected"),
            row("r2", "m", "mse", 6.5025, benchmark=b, variant="corrected"),
            row("r1", "m", "ssim", 0.5, benchmark=b),
            row("r2", "m", "ssim", None, status=Status.UNREADABLE, benchmark=b),
        ]

    def test_the_comparison_with_the_reference_stands_beside(self) -> None:
        """Means over the synthetic samples: all three, the two within their masks, the one outside;
        the real sample has none, and none of it is in Table 3.
        """
        b = "texteditbench"
        records = [
            record("s1", split="synthetic", reference_outside=False),
            record("s2", split="synthetic", reference_outside=False),
            record("s3", split="synthetic", reference_outside=True),
            record("r1", split="real"),
        ]
        rows = [
            row(f"s{n}", "m", f"reference_{metric}", value * n, benchmark=b)
            for n in (1, 2, 3)
            for metric, value in (("ssim", 0.1), ("mse", 10.00004), ("psnr", 10.0))
        ]
        rows += [
            row(
                "r1", "m", "reference_ssim", None, benchmark=b, status=Status.NOT_APPLICABLE
            ),
            row("r1", "m", "ssim", 0.5, benchmark=b),
        ]  # fmt: skip
        found = made(frame(rows, records, b))
        cells = found["texteditbench.reference"].rows[0].cells
        assert cells["all_reference_ssim"].value == pytest.approx(0.2)
        assert (cells["all_reference_ssim"].n, cells["all_reference_ssim"].of) == (3, 3)
        assert cells["within_reference_ssim"].value == pytest.approx(0.15)
        assert cells["outside_reference_ssim"].value == pytest.approx(0.3)
        # 10.0000, 20.0001, 30.0001: rounded before they are averaged
        assert cells["all_reference_mse"].value == pytest.approx((10.0 + 20.0001 + 30.0001) / 3)
        assert found["texteditbench.pixel"].rows[0].cells["synthetic_ssim"].value is None
        assert "texteditbench.further" not in found


class TestTextEdit:
    def answers(
        self,
    ) -> tuple[list[Row], list[dict[str, object]], dict[str, list[dict[str, int | None]]]]:
        generator = np.random.default_rng(1)
        rows, records = [], []
        groups: dict[str, list[dict[str, int | None]]] = {"Real": [], "Virtual": []}
        for number in range(200):
            split = "Real" if number % 3 else "Virtual"
            records.append(record(str(number), split=split, category=("1.1.1",)))
            answer: dict[str, int | None] = {}
            for question in ("Q1", "Q2", "Q3", "Q4", "Q5"):
                value = int(generator.integers(1, 6)) if generator.random() > 0.06 else None
                answer[question] = value
                status = Status.SCORED if value is not None else Status.UNPARSABLE
                score = None if value is None else float(value)
                rows.append(
                    row(str(number), "m", question, score, status=status, benchmark="textedit")
                )
            groups[split].append(answer)
        return rows, records, groups

    @pytest.mark.parametrize("cut_off", [True, False])
    def test_columns_equal_the_judges_pure_functions(self, cut_off: bool) -> None:
        rows, records, groups = self.answers()
        name = "textedit.judge" if cut_off else "textedit.judge_no_cutoff"
        cells = made(frame(rows, records, "textedit"))[name].rows[0].cells
        for split, answers in groups.items():
            expected = report(answers, cut_off=cut_off)
            floor = report(answers, cut_off=cut_off, minimum=True)
            for question, heading in textedit_facts.QUESTIONS.items():
                cell = cells[f"{split.lower()}_{heading}"]
                assert cell.value == pytest.approx(expected.questions[question].value)
                assert (cell.n, cell.of) == (
                    expected.questions[question].n,
                    expected.questions[question].of,
                )
                assert cell.floor == pytest.approx(floor.questions[question].value)
            assert cells[f"{split.lower()}_avg"].value == pytest.approx(expected.weighted.value)

    @pytest.mark.parametrize(
        ("count", "known", "title"), [(500, "full", "fullset"), (501, "mini", "miniset")]
    )
    def test_the_set_is_what_the_samples_say_whatever_their_number(
        self, count: int, known: str, title: str
    ) -> None:
        """500 samples of the full set are no miniset: its published lines do not stand beside them."""
        records = [record(str(n), split="Real", set=f"{known}set") for n in range(count)]
        rows = [row("0", "m", "OA", 0.5, benchmark="textedit")]
        found = made(frame(rows, records, "textedit"), published=True)["textedit.classic"]
        assert title in found.title
        printed = read_published(
            PACKAGE / "textedit" / f"published_{known}_classic.csv", ["real_OA"]
        )
        lines = {line.name: line.cells["real_OA"].value for line in found.rows[1:]}
        assert lines == {line.name: line.cells["real_OA"].value for line in printed}

    @pytest.mark.parametrize("sets", [(None, None), ("fullset", "miniset"), ("fullset", None)])
    def test_an_unknown_set_has_no_published_lines_and_says_so(
        self, sets: tuple[str | None, ...]
    ) -> None:
        records = [
            record(str(n), split="Real", **({"set": name} if name else {}))
            for n, name in enumerate(sets)
        ]
        rows = [row("0", "m", "OA", 0.5, benchmark="textedit")]
        for name, found in made(frame(rows, records, "textedit"), published=True).items():
            assert name == "textedit.classic"
            assert [line.name for line in found.rows] == ["m"]
            assert "set" not in found.title
            assert any("not those of one set" in note for note in found.notes)

    @pytest.mark.parametrize("odd", [7.0, 10.0, -1.0, 0.0, 3.5, 6.0])
    @pytest.mark.parametrize("question", ["Q1", "Q3"])
    def test_a_score_out_of_range_drops_its_answer(self, odd: float, question: str) -> None:
        """As the released step 2: five answers, one with a score that is none of 1 to 5. It counts
        nowhere, not as an error of the table and not as an index from the end.
        """
        records = [record(str(n), split="Real", set="miniset") for n in range(5)]
        rows = [
            row(str(n), "m", q, odd if n == 0 and q == question else 4.0, benchmark="textedit")
            for n in range(5)
            for q in textedit_facts.QUESTIONS
        ]
        found = made(frame(rows, records, "textedit"))
        for name in ("textedit.judge", "textedit.judge_no_cutoff"):
            cells = found[name].rows[0].cells
            for heading in ("TA", "TP", "SI", "avg"):
                assert cells[f"real_{heading}"].value == pytest.approx(0.8)
                assert (cells[f"real_{heading}"].n, cells[f"real_{heading}"].of) == (4, 5)

    def test_repeats_lie_between_the_steps(self) -> None:
        """3 and 4 in two repeats are 0.6 and 0.8: their mean is 0.7, not the 0.6 of a cut 3.5."""
        records = [record("0", split="Real", set="miniset")]
        rows = [
            row("0", "m", q, value, benchmark="textedit", repeat=number)
            for q in textedit_facts.QUESTIONS
            for number, value in enumerate((4.0, 5.0) if q == "Q1" else (3.0, 4.0))
        ]
        cells = made(frame(rows, records, "textedit"))["textedit.judge"].rows[0].cells
        assert cells["real_TA"].value == pytest.approx(0.9)
        assert cells["real_SI"].value == pytest.approx(0.7)


class TestMedEBench:
    def test_organs_overall_and_fid(self) -> None:
        b = "medebench"
        records = [record("1", organ="Eyes"), record("2", organ="Eyes"), record("3", organ="Lungs")]
        rows = [
            row("1", "m", "EA", 4.0, benchmark=b), row("2", "m", "EA", 6.0, benchmark=b),
            row("3", "m", "EA", 8.0, benchmark=b), row("1", "m", "masked_ssim", 0.9, benchmark=b),
            row("*", "m", "fid", 50.0, benchmark=b),
        ]  # fmt: skip
        found = made(frame(rows, records, b), published=True)["medebench.organs"]
        cells = found.rows[0].cells
        assert cells["Eyes_EA"].value == pytest.approx(0.5)
        assert cells["Overall_EA"].value == pytest.approx(
            0.6
        )  # over samples, not over organs (that would be 0.65)
        assert (cells["Eyes_CP"].value, cells["Eyes_CP"].n, cells["Eyes_CP"].of) == (0.9, 1, 2)
        assert cells["overall_FID"].value == 50.0
        assert [c.heading[0] for c in found.columns[::3]][:3] == [
            "Eyes",
            "Lungs",
            "Overall",
        ]  # no paper organ: after
        gemini = next(line for line in found.rows if line.name == "gemini_2_flash")
        assert (gemini.cells["Overall_VQ"].value, gemini.cells["overall_FID"].value) == (
            0.72,
            43.74,
        )


class TestKris:
    def scores(self) -> tuple[Results, dict[tuple[str, str], list[float | None]]]:
        generator = np.random.default_rng(3)
        rows, records = [], []
        scores: dict[tuple[str, str], list[float | None]] = {}
        number = 0
        for kind, dimensions in kris_facts.TAXONOMY.items():
            for dimension in dimensions:
                for _ in range(int(generator.integers(5, 30))):
                    number += 1
                    records.append(record(str(number), category=(kind, dimension, "task")))
                    for metric in metrics_of(dimension):
                        value = (
                            float(generator.integers(1, 6)) if generator.random() > 0.1 else None
                        )
                        scores.setdefault((dimension, metric), []).append(value)
                        status = Status.SCORED if value is not None else Status.FAILED
                        rows.append(
                            row(
                                str(number),
                                "m",
                                metric,
                                value,
                                status=status,
                                benchmark="krisbench",
                            )
                        )
        return frame(rows, records, "krisbench"), scores

    def test_it_equals_the_judges_pure_functions(self) -> None:
        found, scores = self.scores()
        sizes = {
            dimension: len(values)
            for (dimension, metric), values in scores.items()
            if metric == "VC"
        }
        cells = made(found)["krisbench.judge"].rows[0].cells
        for minimum, attribute in ((False, "value"), (True, "floor")):
            expected = kris_table(scores, minimum=minimum, samples=sizes)
            for (dimension, metric), mean in expected.cells.items():
                assert getattr(cells[f"{dimension}/{metric}"], attribute) == pytest.approx(
                    mean.value
                )
            for name, value in expected.averages.items():
                assert getattr(cells[f"{name}/avg"], attribute) == pytest.approx(value)


def test_published_files_are_the_papers(shared: Path) -> None:
    """The package's copies of the published numbers say the same as the shared ones."""
    prefix = {
        "texteditbench": "texteditbench",
        "textedit": "textedit",
        "medebench": "medebench",
        "krisbench": "kris_bench",
    }
    seen = set()
    for name, start in prefix.items():
        for path in (PACKAGE / name).glob("published_*.csv"):
            source = shared / "published" / f"{start}_{path.name.removeprefix('published_')}"
            assert path.read_text() == source.read_text()
            seen.add(source.name)
    assert seen == {path.name for path in (shared / "published").glob("*.csv")}

"""`editgauge audit` finds what is wrong in published tables and in a user's, and nothing that
rounding explains.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import Result, invoke

from editgauge import benchmarks
from editgauge.errors import DataError, EditgaugeError, UsageError

PACKAGE = Path(benchmarks.__file__).parent


def call(*words: object) -> Result:
    return invoke(["audit", *(str(word) for word in words)])


def reports(*words: object) -> dict[str, dict[str, object]]:
    return {table["name"]: table for table in json.loads(call(*words, "--json").stdout)["tables"]}


def cells_of(report: dict[str, object]) -> set[tuple[str, str]]:
    return {(finding["line"], finding["cell"]) for finding in report["findings"]}  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, object]]:
    return reports()


class TestPublished:
    def test_the_exit_code_says_that_something_is_inconsistent(self) -> None:
        assert call().exit_code == 1

    def test_every_published_file_is_looked_at(self, found: dict[str, dict[str, object]]) -> None:
        assert set(found) == {path.name for path in PACKAGE.glob("*/published_*.csv")}
        assert all(report["checked"] for report in found.values())

    def test_the_kris_cell(self, found: dict[str, dict[str, object]]) -> None:
        assert cells_of(found["published_gpt4o.csv"]) == {("Emu2", "Spatial Perception average")}
        (finding,) = found["published_gpt4o.csv"]["findings"]  # type: ignore[misc]
        assert finding["printed"] == 48.83
        # (41.50 + 77.75 + 18.25) / 3
        assert finding["expected"] == pytest.approx(45.8333, abs=1e-3)

    @pytest.mark.parametrize("part", ["full", "mini"])
    def test_the_permuted_columns(self, found: dict[str, dict[str, object]], part: str) -> None:
        report = found[f"published_{part}_judge_as_printed.csv"]
        assert not report["consistent"]
        (said, _) = report["remarks"]  # type: ignore[misc]
        assert "permuted" in said
        assert "real_TP is printed under virtual_TA" in said
        assert "virtual_TA is printed under virtual_SI" in said

    def test_the_rest_is_consistent(self, found: dict[str, dict[str, object]]) -> None:
        wrong = {name for name, report in found.items() if not report["consistent"]}
        assert wrong == {
            "published_gpt4o.csv", "published_qwen2.5-vl-72b.csv",
            "published_full_judge_as_printed.csv",
            "published_mini_judge_as_printed.csv",
        }  # fmt: skip


class TestUsersTable:
    HEAD = "model," + ",".join(
        f"{s}_{d}" for s in ("synthetic", "real") for d in ("IF", "TA", "VC", "LP", "SE", "overall")
    )

    def table(self, folder: Path, *lines: str, head: str = HEAD) -> Path:
        path = folder / "mine.csv"
        path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
        return path

    def test_a_right_sum_passes_and_a_wrong_one_is_named(self, tmp_path: Path) -> None:
        # 0.02 is within rounding of five means
        good = "a,1.00,2.00,3.00,4.00,5.00,15.00,1.00,1.00,1.00,1.00,1.00,5.02"
        assert call(self.table(tmp_path, good)).exit_code == 0
        bad = self.table(
            tmp_path, good, "b,1.00,2.00,3.00,4.00,5.00,15.00,1.00,1.00,1.00,1.00,1.00,5.04"
        )
        assert cells_of(reports(bad)["mine.csv"]) == {("b", "real_overall")}
        assert call(bad).exit_code == 1

    def test_a_wrong_mean_line(self, tmp_path: Path) -> None:
        lines = [f"{n},1,1,1,1,1,5,1,1,1,1,1,5" for n in "ab"]
        path = self.table(tmp_path, *lines, "Mean,1,1,1,1,1,5,1,1,1,4,1,5")
        assert cells_of(reports(path)["mine.csv"]) == {("Mean", "real_LP")}

    def test_a_number_off_the_scale(self, tmp_path: Path) -> None:
        path = self.table(tmp_path, "a,6,0,0,0,0,6,1,1,1,1,1,5")
        assert ("a", "synthetic_IF") in cells_of(reports(path)["mine.csv"])

    def test_a_psnr_below_that_of_the_mean_error(self, tmp_path: Path) -> None:
        head = "model," + ",".join(
            f"{s}_{m}" for s in ("synthetic", "real") for m in ("ssim", "lpips", "psnr", "mse")
        )
        # 10 log10(65025 / 100) = 28.13 dB
        path = self.table(tmp_path, "a,0.9,0.1,28.20,100,0.9,0.1,28.00,100", head=head)
        assert cells_of(reports(path)["mine.csv"]) == {("a", "real_psnr")}

    @pytest.mark.parametrize(
        ("content", "kind", "said"),
        [
            ("a,b\n1,2\n", UsageError, "no known table"),
            ("model\n", DataError, "found 1 line"),
            ("organ,iou\nEyes,high\n", DataError, "wanted a number, found 'high'"),
            ("organ,iou\nEyes,inf\n", DataError, "wanted a number, found 'inf'"),
            ("organ,organ,iou\na,b,1\n", DataError, "there twice"),
            ("organ,iou\nEyes,1,2\n", DataError, "3 cells under 2 headings"),
        ],
    )
    def test_bad_files_are_refused_with_a_reason(
        self, tmp_path: Path, content: str, kind: type[EditgaugeError], said: str
    ) -> None:
        path = tmp_path / "mine.csv"
        path.write_text(content)
        result = call(path)
        assert isinstance(result.exception, kind)
        assert said in str(result.exception)

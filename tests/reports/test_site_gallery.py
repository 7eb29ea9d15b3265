"""The second edition of the report in a real Chromium: gallery, one scale, reviewers' page,
what is taken away, print.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editgauge.reports import site
from editgauge.reports.benchmark import Part
from editgauge.store import selection
from editgauge.store.run import Run
from editgauge.tables import reading
from editgauge.types import VARIANTS, Metric, Row, Status
from tests.reports.test_site import METRIC, NUMBER, Visit, browser, make_run, value_of

__all__ = ["browser"]
pytestmark = pytest.mark.browser
METRICS = {
    "ssim": Metric("ssim", direction="higher", low=0, high=1, heading="CP", keeps=True,
                   plain="how much stayed as it was"),
    "IF": METRIC["IF"],
    "EA": Metric("EA", direction="higher", low=0, high=10, digits=2, printed=((0, 0), (10, 1))),
}  # fmt: skip
ANY = "#/browse/bench?chip=ssim%7C&chip=IF%7Cjudge-1&chip=EA%7C"


def more_rows(run: Run) -> Iterator[Row]:
    """EA of `box`: 7 as released and 3 corrected, and no output of the last sample."""
    for number, record in enumerate(run.samples("bench")):
        for variant, value in zip(VARIANTS, (7.0, 3.0), strict=True):
            gone = number == NUMBER - 1
            yield Row(
                benchmark="bench", sample=record["id"], editor="box", scorer="x", metric="EA",
                variant=variant, value=None if gone else value, fingerprint="f",
                status=Status.MISSING if gone else Status.SCORED, reason="none" if gone else "",
            )  # fmt: skip


def no_text(run: Run) -> Iterator[Row]:
    """NED, which the sample part/07 cannot have, read by an OCR engine."""
    for editor in ("box", "same"):
        yield Row(
            benchmark="bench", sample="part/07", editor=editor, scorer="ocr", metric="NED",
            variant="faithful", value=None, fingerprint="f", status=Status.NOT_APPLICABLE,
            reason="there is no text in it", source="ocr-1",
        )  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = make_run(tmp_path_factory.mktemp("gallery"))
    run.put(more_rows(run))
    run.put(no_text(run))
    run = Run.open(run.path)
    part = Part(reading.of_runs([run], "bench"), [], METRICS, title="Bench")
    site.build([run], [part], run.path / "report")
    return run


@pytest.fixture
def visit(browser: Any, run: Run) -> Iterator[Visit]:
    visit = Visit(browser, run.path / "report", offline=True, accept_downloads=True)
    yield visit
    visit.close()


def row_of(page: Any, name: str) -> Any:
    return page.locator(".row", has=page.get_by_role("link", name=name, exact=True))


class TestGallery:
    def test_all_models_stand_beside_each_other_with_ranked_scores(self, visit: Visit) -> None:
        page = visit.go(ANY, ".row .chip")
        row = row_of(page, "part/07")
        assert row.locator(".tile").evaluate_all("(all) => all.map((a) => a.title)") == [
            "Input", "box", "same",
        ]  # fmt: skip
        box, same = row.locator(".tile").nth(1), row.locator(".tile").nth(2)
        assert box.locator(".chip").first.inner_text().split() == ["CP", f"{value_of(7):.3f}"]
        assert "r4" in box.locator(".chip").first.get_attribute("class")
        assert "r0" in same.locator(".chip").first.get_attribute("class")
        assert "place 2 of 2" in box.locator(".chip").first.get_attribute("title")
        assert same.locator(".chip").nth(2).inner_text().split("\n")[-1] == "not scored"

    def test_a_range_is_a_chip_that_goes(self, visit: Visit) -> None:
        page = visit.go("#/browse/bench?m=ssim%7C&e=box&range=score:0.6:0.7", ".row")
        wanted = sum(0.6 <= value_of(number) <= 0.7 for number in range(NUMBER))
        assert page.locator("#found").inner_text().startswith(f"{wanted} of {NUMBER} ")
        page.get_by_role("button", name="Remove filter 0.6 ≤ CP of box ≤ 0.7").click()
        page.locator("#found", has_text=f"{NUMBER} of {NUMBER}").wait_for()

    def test_a_count_opens_as_many_samples(self, visit: Visit) -> None:
        for status, wanted in (("missing", 1), ("refused", 1), ("scored", NUMBER)):
            page = visit.go("#/tables/bench", "table.coverage")
            line = page.locator("table.coverage tr", has_text="box")
            link = line.locator(f"a[data-status='{status}']")
            assert link.inner_text() == str(wanted)
            link.click()
            page.locator(".row").first.wait_for()
            assert page.locator("#found").inner_text().startswith(f"{wanted} of {NUMBER} ")


class TestOneScale:
    def test_in_gallery_and_sample(self, visit: Visit) -> None:
        page = visit.go(ANY, ".row .chip")
        chip = row_of(page, "part/07").locator(".tile").nth(1).locator(".chip").nth(2)
        assert chip.inner_text().split() == ["EA", "0.70"]
        page = visit.go("#/sample/bench/part%2F07", "#scores")
        cell = page.locator("td[data-editor='box'][data-metric='EA|']")
        assert cell.locator("summary").inner_text() == "0.70"
        cell.locator("summary").click()
        assert "as it was given: 7" in cell.inner_text()
        assert "CP" in page.locator("#scores tbody th").first.inner_text()

    def test_one_switch_for_the_whole_report(self, visit: Visit) -> None:
        page = visit.go("#/sample/bench/part%2F07", "#scores")
        page.locator("#variant-corrected").click()
        page.locator("#scores caption", has_text="corrected").wait_for()
        cell = page.locator("td[data-editor='box'][data-metric='EA|'] summary")
        assert cell.inner_text() == "0.30"
        page.locator("#back").click()
        page.locator(".row").first.wait_for()
        assert "v=corrected" in page.url
        assert page.locator("#variant-corrected").get_attribute("aria-pressed") == "true"


class TestOneSample:
    def test_pictures_are_enlarged_in_step(self, visit: Visit) -> None:
        page = visit.go("#/sample/bench/part%2F07?third=edit:same", ".pane")
        page.keyboard.press("+")
        moved = page.locator(".pane .inner").evaluate_all(
            "(all) => all.map((e) => e.style.transform)"
        )
        assert len(moved) == 3
        assert len(set(moved)) == 1
        assert "scale(1.5)" in moved[0]
        page.keyboard.press("0")
        assert page.locator(".pane .inner").first.evaluate("(e) => e.style.transform") == ""

    def test_a_difference_outside_the_mask_alone(self, visit: Visit) -> None:
        """`box` changes the inside of the mask and nothing else."""
        address = "#/sample/bench/part%2F07?view=diff&right=edit:box"
        page = visit.go(address, ".stack.diff")
        page.locator("#outside").check()
        page.locator(".shut").wait_for(state="attached")
        page.locator(".stack img").evaluate_all("(all) => Promise.all(all.map((i) => i.decode()))")
        page.wait_for_timeout(100)
        shot = page.locator(".stack").screenshot()
        import numpy as np
        from PIL import Image

        pixels = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int).max(axis=2)
        assert (pixels > 60).mean() < 0.01


class TestPages:
    def test_what_no_model_can_have_is_one_line_below_the_scores(self, visit: Visit) -> None:
        page = visit.go("#/sample/bench/part%2F07", "#scores")
        lines = page.locator(".unasked").all_inner_texts()
        assert lines == ["Not applicable to this sample: NED (there is no text in it)"]
        assert "NED" not in page.locator("#scores").inner_text()
        words = page.locator("section", has=page.locator("#words"))
        assert "there is no text in it" not in " ".join(words.all_inner_texts())

    def test_for_reviewers_the_worst_comes_first(self, visit: Visit, run: Run) -> None:
        page = visit.go("#/reviewers/bench", ".model")
        models = page.locator(".model").evaluate_all("(all) => all.map((e) => e.dataset.editor)")
        assert models == ["box", "same"]
        assert "how much stayed as it was" in page.locator("main").inner_text()
        told = page.locator(".model").first.locator(".card > small").all_inner_texts()
        assert [one.split(" · ")[1] for one in told[:3]] == ["part/00 & <b>", "part/01", "part/02"]
        asked = page.locator(".model").first.locator(".card-ask").all_inner_texts()
        assert asked[2] == [record["instruction"] for record in run.samples("bench")][2]

    def test_print_shows_a_contact_sheet(self, visit: Visit) -> None:
        page = visit.go(ANY, ".row .chip")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        sheet = page.locator("#sheet")
        assert sheet.is_visible()
        assert page.locator(".window").is_hidden()
        assert sheet.locator(".row").count() == 24
        assert "the first 24 of them are shown" in sheet.inner_text()
        assert sheet.locator(".row").nth(7).locator(".tile").count() == 3


class TestTakenAway:
    def test_ids_go_to_the_command_line(self, visit: Visit, run: Run, tmp_path: Path) -> None:
        page = visit.go("#/browse/bench?where=difficulty%3Dhard", ".row")
        page.locator("#panel-take > summary").click()
        with page.expect_download() as download:
            page.locator("#take-ids").click()
        download.value.save_as(tmp_path / "ids.txt")
        wanted = [r["id"] for number, r in enumerate(run.samples("bench")) if number % 2]
        assert selection.listed([f"@{tmp_path / 'ids.txt'}"]) == wanted

    def test_scores_as_csv(self, visit: Visit, tmp_path: Path) -> None:
        page = visit.go(ANY + "&q=thing+7", ".row")
        page.locator("#panel-take > summary").click()
        with page.expect_download() as download:
            page.locator("#take-csv").click()
        download.value.save_as(tmp_path / "scores.csv")
        with (tmp_path / "scores.csv").open(encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        assert [line["sample"] for line in lines] == ["part/07"]
        assert float(lines[0]["box: CP (faithful)"]) == pytest.approx(value_of(7), abs=1e-7)
        assert lines[0]["box: EA (faithful)"] == "0.7"
        assert lines[0]["same: EA (faithful)"] == "not scored"

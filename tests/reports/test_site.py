"""The report in a real headless Chromium, opened from disk: what it shows is what the rows say."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editgauge.reports import site
from editgauge.reports.part import Part
from editgauge.store.run import Run
from editgauge.tables import reading
from tests.chromium import Visit
from tests.reports.pages import METRICS, NUMBER, browser, made_run, value_of

__all__ = ["browser"]
pytestmark = pytest.mark.browser
ANY = "#/browse/bench?chip=ssim%7C&chip=IF%7Cjudge-1&chip=EA%7C"
SEVEN = "#/sample/bench/part%2F07"


def build(run: Run, to: Path) -> None:
    site.build([run], [Part(reading.of_runs([run], "bench"), [], METRICS, title="Bench")], to)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = made_run(tmp_path_factory.mktemp("page"))
    build(run, run.path / "report")
    return run


@pytest.fixture
def visit(browser: Any, run: Run) -> Iterator[Visit]:
    visit = Visit(browser, run.path / "report")
    yield visit
    visit.close()


# -- samples ---------------------------------------------------------------------------------------


def test_filter_sort_and_search(visit: Visit) -> None:
    page = visit.go("#/browse/bench?e=box&m=ssim%7C&sort=score&desc=1", ".row")
    assert page.locator(".row .name").all_inner_texts()[:2] == ["part/29", "part/28"]
    page.locator("#panel-filter > summary").click()
    hard = page.locator("fieldset[data-attribute='difficulty'] label", has_text="hard")
    assert hard.inner_text().split() == ["hard", "15"]
    hard.locator("input").check()
    page.locator("#found", has_text="15 of 30").wait_for()
    page.locator("#c-search").fill("thing 2")
    page.locator("#c-search").press("Enter")
    page.locator("#found", has_text="5 of 30").wait_for()
    page = visit.go("#/browse/bench?m=ssim%7C&e=box&range=score:0.6:0.7", ".row")
    wanted = sum(0.6 <= value_of(number) <= 0.7 for number in range(NUMBER))
    assert page.locator("#found").inner_text().startswith(f"{wanted} of {NUMBER} ")


def test_every_status_is_told_and_opens_its_samples(visit: Visit) -> None:
    """The ninth status had no bit: what was not measured was told by no number of the report."""
    page = visit.go("", ".wrong")
    assert [line.split(" (")[0] for line in page.locator(".wrong li").all_inner_texts()] == [
        "missing", "refused", "not measured"
    ]  # fmt: skip
    page.locator(".wrong a[data-status='not_measured']").click()
    page.locator("#found", has_text="1 of 30").wait_for()


# -- one sample ------------------------------------------------------------------------------------


def test_a_planted_change_is_hot_where_it_lies_and_hidden_inside_the_mask(visit: Visit) -> None:
    page = visit.go(f"{SEVEN}?view=diff&p=input&p=edit:box", ".stack.diff")

    def hot() -> Any:
        page.locator(".stack img").evaluate_all("(all) => Promise.all(all.map((i) => i.decode()))")
        page.wait_for_timeout(100)
        shot = Image.open(io.BytesIO(page.locator(".stack").screenshot())).convert("RGB")
        return np.asarray(shot).max(axis=2) > 60

    height, width = (found := hot()).shape
    inside = np.zeros_like(found)
    rows = slice(int(height * 20 / 90), int(np.ceil(height * 50 / 90)))
    inside[rows, int(width * 30 / 120) : int(np.ceil(width * 70 / 120))] = True
    assert found.sum() > 0.5 * inside.sum()
    assert (found & inside).sum() >= 0.95 * found.sum()
    page.locator("#outside").check()
    page.locator(".shut").wait_for(state="attached")
    assert hot().mean() < 0.01


def test_scores_of_a_sample_say_how_they_came_about(visit: Visit) -> None:
    page = visit.go(SEVEN, "#scores")
    cell = page.locator("td[data-editor='box'][data-metric='EA|']")
    assert cell.locator("summary").inner_text() == "0.70"
    cell.locator("summary").click()
    assert "as it was given: 7" in cell.inner_text()
    said = page.locator(".unasked").all_inner_texts()
    assert said == ["Not applicable to this sample: NED (made)"]
    box = page.locator(".gallery svg rect").first
    assert [float(box.get_attribute(n)) for n in ("x", "y", "width", "height")] == [1, 2, 29, 38]


# -- other pages -----------------------------------------------------------------------------------


def test_for_reviewers_the_worst_comes_first(visit: Visit) -> None:
    page = visit.go("#/reviewers/bench", ".model")
    models = page.locator(".model").evaluate_all("(all) => all.map((e) => e.dataset.editor)")
    assert models == ["box", "same"]
    assert "how much stayed as it was" in page.locator("main").inner_text()
    told = page.locator(".model").first.locator(".card > small").all_inner_texts()
    # the reference of part/01 is doubted: it is no damage
    assert [one.split(" · ")[1] for one in told[:3]] == ["part/00", "part/02", "part/03"]


@pytest.mark.parametrize("address", ["", ANY, "#/tables/bench", "#/reviewers/bench", SEVEN])
def test_a_phone_needs_no_sideways_scrolling(browser: Any, run: Run, address: str) -> None:
    visit = Visit(browser, run.path / "report", 380, 720)
    page = visit.go(address, "h1")
    page.wait_for_timeout(100)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 380
    visit.close()


def test_a_copied_report_shows_its_pictures_alone(browser: Any, run: Run, tmp_path: Path) -> None:
    build(run, tmp_path / "first")  # outside the run: pictures are copied, no path leads back
    visit = Visit(browser, (tmp_path / "first").rename(tmp_path / "else where ü#1"))
    for address, wanted in ((SEVEN, ".gallery img"), (ANY, ".tile img")):
        image = visit.go(address, wanted).locator(wanted).last
        image.evaluate("(i) => { i.loading = 'eager'; return i.decode(); }")
    visit.close()


def test_the_page_has_no_inline_code_and_forbids_it(run: Run) -> None:
    page = (run.path / "report" / "index.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert not re.search("unsafe|http", policy[1])
    assert not re.findall(r"<script(?![^>]*src=)|\son\w+=|style=", page)
    for path in (run.path / "report" / "data").rglob("*.js"):
        assert b"<" not in path.read_bytes()

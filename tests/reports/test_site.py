"""The report in a real headless Chromium, opened from disk: what it shows is what the rows say, and
it asks nobody.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

from editgauge.images import write_png
from editgauge.reports import drawing, plots, site
from editgauge.reports.benchmark import Part
from editgauge.reports.places import Places
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord
from editgauge.tables import reading
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.types import Metric, Plot, Row, Sample, Status

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
]
EVIL = (
    "<script>window.pwned = 1</script></script><img src=x onerror='window.pwned = 2'> \" ' ` "
    "\u202egnihtyna\u202c \u2028 ]]>"
)
LONG = "word " * 200_000
METRIC = {
    "ssim": Metric("ssim", direction="higher", low=0, high=1),
    "IF": Metric("IF", direction="higher", low=0, high=5),
}
NUMBER = 30


def make_run(place: Path) -> Run:
    """30 samples, two editors: `same` changes nothing, `box` paints a red square; hostile texts in
    the first three.
    """
    data = place / "data"
    samples = []
    random = np.random.default_rng(5)
    for index in range(NUMBER):
        pixels = random.integers(0, 255, (90, 120, 3), dtype=np.uint8)
        write_png(data / f"{index}.png", pixels)
        mask = np.zeros((90, 120), np.uint8)
        mask[20:50, 30:70] = 255
        write_png(data / f"{index}_mask.png", mask)
        instruction = {0: EVIL, 1: LONG, 2: "שלום עולם"}.get(index, f"do thing {index}")
        name = f"part/{index:02} & <b>" if index == 0 else f"part/{index:02}"
        topic = EVIL if index < 2 else f"topic {index % 3}"
        samples.append(
            Sample(
                benchmark="bench",
                id=name,
                split="real" if index % 2 else "made",
                category=("all",),
                instruction=instruction,
                images=(data / f"{index}.png",),
                output_stems=(f"{index}",),
                masks={"input": data / f"{index}_mask.png"},
                attributes={"topic": topic, "difficulty": ["easy", "hard"][index % 2]},
            )
        )
        boxed = pixels.copy()
        boxed[20:50, 30:70] = 255 - boxed[20:50, 30:70]
        write_png(place / "out" / "same" / f"{index}.png", pixels)
        write_png(place / "out" / "box" / f"{index}.png", boxed)
    run = Run.create(place / "run")
    keep_samples(run, "bench", data, samples, samples)
    for index, sample in enumerate(samples):
        for editor in ("same", "box"):
            run.keep(
                place / "out" / editor / f"{index}.png",
                Path(f"edits/bench/{editor}/{index}.png"),
            )
            record = EditRecord(
                benchmark="bench",
                sample=sample.id,
                editor=editor,
                status=Status.SCORED,
                path=f"edits/bench/{editor}/{index}.png",
                width=120,
                height=90,
            )
            run.write_edits([record])
        run.put([*scores(sample, index)])
    return Run.open(place / "run")


def value_of(index: int) -> float:
    return round(0.5 + 0.0123456789 * index, 10)


def scores(sample: Sample, index: int) -> Iterator[Row]:
    def row(editor: str, metric: str, value: float | None, **more: Any) -> Row:
        status = more.pop("status", Status.SCORED)
        reason = more.pop("reason", "")
        return Row(
            benchmark="bench",
            sample=sample.id,
            editor=editor,
            scorer="x",
            metric=metric,
            variant="faithful",
            value=value,
            status=status,
            reason=reason,
            fingerprint="f",
            **more,
        )

    yield row("same", "ssim", 1.0)
    yield row("box", "ssim", value_of(index))
    yield row(
        "same",
        "IF",
        0.0,
        source="judge-1",
        detail={"reason": EVIL, "boxes": {"input": [[1, 2, 30, 40, EVIL]]}},
    )
    if index == 4:
        yield row("box", "IF", None, status=Status.REFUSED, reason=EVIL, source="judge-1")
    else:
        yield row("box", "IF", float(index % 6), source="judge-1")


def make_table() -> Table:
    mean = sum(value_of(i) for i in range(NUMBER)) / NUMBER
    columns = [Column(name="ssim", heading=("All", "SSIM"), digits=3, direction="higher")]
    rows = [
        TableRow(name="same", cells={"ssim": Cell(value=1.0, n=NUMBER, of=NUMBER)}),
        TableRow(
            name="box",
            cells={"ssim": Cell(value=mean, n=NUMBER, of=NUMBER, low=0.6, high=0.7)},
            section="Open models",
        ),
        TableRow(name=EVIL, cells={"ssim": Cell(value=0.5)}, kind="published"),
        TableRow(name="Mean", cells={"ssim": Cell(value=0.4)}, kind="mean"),
    ]
    links = {"ssim": {"metric": "ssim", "variant": "faithful", "where": {"split": "real"}}}
    return Table(
        name="bench.t",
        title=f"Table {EVIL}",
        columns=columns,
        rows=rows,
        benchmark="bench",
        variant="faithful",
        notes=[EVIL],
        meta={"links": links},
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = make_run(tmp_path_factory.mktemp("report"))
    build(run, run.path / "report")
    return run


def build(run: Run, to: Path, **options: Any) -> site.Site:
    frame = reading.of_runs([run], "bench")
    return site.build(
        [run], [Part(frame, [make_table()], METRIC, title=f"Bench {EVIL}")], to, **options
    )


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sync_playwright = None
    if sync_playwright is None or not Path(CHROMIUM).exists():
        reason = "no headless browser: apt-get install chromium, pip install playwright"
        if os.environ.get("EDITGAUGE_NEED_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page of the report, and everything it complained about or asked for."""

    def __init__(self, browser: Any, folder: Path, **options: Any) -> None:
        self.context = browser.new_context(
            viewport=options.pop("viewport", {"width": 1300, "height": 900}), **options
        )
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on(
            "console",
            lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None,
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.base = (folder / "index.html").as_uri()

    def go(self, address: str, wanted: str) -> Any:
        self.page.goto("about:blank")
        self.page.goto(self.base + address)
        self.page.locator(wanted).first.wait_for()
        return self.page

    def close(self) -> None:
        self.context.close()
        outside = [url for url in self.asked if not url.startswith(("file://", "about:", "data:"))]
        assert outside == []
        assert self.complaints == []


@pytest.fixture
def visit(browser: Any, run: Run) -> Iterator[Visit]:
    visit = Visit(browser, run.path / "report", offline=True)
    yield visit
    visit.close()


pytestmark = pytest.mark.browser


def test_filter_sort_and_search(visit: Visit) -> None:
    page = visit.go("#/browse/bench?e=box&m=ssim%7C&sort=score&desc=1", ".row")
    names = page.locator(".row .name").all_inner_texts()
    assert names[:3] == ["part/29", "part/28", "part/27"]
    page.locator("#panel-filter > summary").click()
    hard = page.locator("fieldset[data-attribute='difficulty'] label", has_text="hard")
    assert hard.inner_text().split() == ["hard", "15"]
    hard.locator("input").check()
    page.locator(".chips button").wait_for()
    assert page.locator("#found").inner_text().startswith("15 of 30")
    page.locator("#c-search").fill("thing 2")
    page.locator("#c-search").press("Enter")
    page.wait_for_url("**q=thing*")
    page.locator("#found", has_text="5 of 30").wait_for()
    page.get_by_role("button", name="Remove filter difficulty=hard").click()
    page.locator("#found", has_text="10 of 30").wait_for()


def test_keys_walk_through_the_selection(visit: Visit) -> None:
    page = visit.go("#/sample/bench/part%2F07?e=box&where=split%3Dreal", "#scores")
    assert page.locator("#position").inner_text() == "4 of 15"
    page.keyboard.press("j")
    page.locator("#position", has_text="5 of 15").wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator("#position", has_text="4 of 15").wait_for()
    page.keyboard.press("2")
    page.locator("#slide").wait_for()
    page.keyboard.press("?")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    page.locator("#found", has_text="15 of 30").wait_for()


def test_the_slider_uncovers_the_second_picture(visit: Visit) -> None:
    page = visit.go("#/sample/bench/part%2F07?view=slider&right=edit:box", "#slide")
    over = page.locator(".stack .over")
    before = over.evaluate("(e) => e.style.clipPath")
    page.locator("#slide").focus()
    page.keyboard.press("Home")
    assert over.evaluate("(e) => e.style.clipPath") != before
    assert "0%" in over.evaluate("(e) => e.style.clipPath")
    assert (
        page.locator("#position").inner_text() == "8 of 30"
    )  # arrow keys belong to the slider now


def hot(page: Any, place: Path) -> np.ndarray:
    page.locator(".stack img").nth(1).evaluate("(i) => i.decode()")
    page.locator(".stack").screenshot(path=str(place))
    return np.asarray(Image.open(place).convert("RGB")).astype(int).max(axis=2) > 60


def test_the_heat_map_of_a_planted_change_lies_in_it(visit: Visit, tmp_path: Path) -> None:
    page = visit.go("#/sample/bench/part%2F07?view=diff&right=edit:box", ".stack.diff")
    found = hot(page, tmp_path / "a.png")
    height, width = found.shape
    inside = np.zeros_like(found)
    inside[
        int(height * 20 / 90) : int(np.ceil(height * 50 / 90)),
        int(width * 30 / 120) : int(np.ceil(width * 70 / 120)),
    ] = True
    assert found.sum() > 0.5 * inside.sum()
    assert (found & inside).sum() >= 0.95 * found.sum()


def test_recognised_text_is_boxed(visit: Visit) -> None:
    page = visit.go("#/sample/bench/part%2F07", ".gallery svg rect")
    box = page.locator(".gallery svg rect").first
    assert [float(box.get_attribute(n)) for n in ("x", "y", "width", "height")] == [1, 2, 29, 38]


def test_an_address_of_nothing_says_so(visit: Visit) -> None:
    page = visit.go("#/sample/bench/none", ".notice")
    assert "There is no sample none in bench" in page.locator(".notice").inner_text()
    visit.go("#/browse/unheard", ".notice")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "#/browse/bench?e=box",
        "#/tables/bench",
        "#/reviewers/bench",
        "#/sample/bench/part%2F07",
        "#/sample/bench/part%2F01",
    ],
)
def test_a_phone_needs_no_sideways_scrolling(browser: Any, run: Run, address: str) -> None:
    visit = Visit(
        browser, run.path / "report", offline=True, viewport={"width": 380, "height": 720}
    )
    page = visit.go(address, "h1")
    page.wait_for_timeout(100)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 380
    visit.close()


def test_a_copied_report_shows_its_pictures_alone(browser: Any, run: Run, tmp_path: Path) -> None:
    built = build(
        run, tmp_path / "first"
    )  # outside the run: pictures are copied, no path leads back
    assert built.page == tmp_path / "first" / "index.html"
    shutil.move(tmp_path / "first", tmp_path / "else where ü#1")
    visit = Visit(browser, tmp_path / "else where ü#1", offline=True)
    page = visit.go("#/sample/bench/part%2F07", "#scores")
    page.locator(".gallery img").last.evaluate("(i) => { i.loading = 'eager'; return i.decode(); }")
    assert page.locator(".gallery img").last.evaluate("(i) => i.naturalWidth") == 120
    page = visit.go("#/browse/bench?e=box", ".tile img")
    page.locator(".tile img").first.evaluate("(i) => { i.loading = 'eager'; return i.decode(); }")
    visit.close()


def test_the_page_has_no_inline_code_and_forbids_it(run: Run) -> None:
    page = (run.path / "report" / "index.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]
    assert "http" not in policy[1]
    assert not re.findall(r"<script(?![^>]*src=)", page)
    assert not re.findall(r"\son\w+=|style=", page)
    for path in (run.path / "report" / "data").rglob("*.js"):
        assert b"<" not in path.read_bytes()


def test_figures_are_drawn_for_pages_and_for_papers(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    frame = reading.of_runs([run], "bench")
    wanted = (
        Plot("radar", "topic", "by topic"),
        Plot("bars", "split", "by split"),
        Plot("curve", "difficulty", "by tier"),
    )
    found = plots.figures(frame, METRIC, wanted)
    assert {f.kind for f in found} == {"radar", "bars", "curve"}
    curve = next(f for f in found if f.kind == "curve" and "ssim" in f.name)
    easy = np.mean([value_of(i) for i in range(0, NUMBER, 2)])
    assert curve.labels == ("easy", "hard")
    assert curve.series["box"][0] == pytest.approx(easy, abs=1e-12)
    files = drawing.for_papers(found[:2], tmp_path)
    assert {path.suffix for path in files} == {".svg", ".png", ".pdf", ".csv"}
    assert all(path.stat().st_size > 1000 for path in files if path.suffix != ".csv")


def test_copied_pictures_have_names_that_every_system_takes(tmp_path: Path) -> None:
    """Also what Windows and macOS take for one: large and small letters, two spellings of é."""
    run = Run.create(tmp_path / "run")
    (tmp_path / "report").mkdir()
    places = Places([run], tmp_path / "report", copied=True)
    names = ("copy", "a:b", "a?b", "a_b", "CON", "a.", "COM¹", "Model", "model", "é", "e\u0301")
    originals = [f"edits/mini/{name}/a.png" for name in names]
    for place in originals:
        (run.path / place).parent.mkdir(parents=True)
        write_png(run.path / place, np.zeros((2, 3, 3), np.uint8))
    made = [unquote(str(places.url(place))) for place in originals]
    assert made == [unquote(str(places.url(place))) for place in originals]
    places.close()
    assert made[0] == "pictures/edits/mini/copy/a.png"
    assert all((tmp_path / "report" / place).is_file() for place in made)
    alike = {unicodedata.normalize("NFC", place).casefold() for place in made}
    assert len(alike) == len(names)
    assert not [place for place in made if set(':?"<>|*') & set(place) or "/CON/" in place]

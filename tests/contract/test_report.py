"""A report of three models, opened from disk in a real Chromium: it shows the table's numbers, asks
nobody, and no text of a data set or a judge does anything in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.chromium import Visit, chromium
from tests.contract.datasets import prompt_record, prompts
from tests.contract.server import ENV, KEY, Asked, Judge, chat, verdict
from tests.contract.support import cli, picture, save
from tests.contract.tables import numbers

EVIL = (
    "<script>window.pwned = 1</script></script><img src=x onerror='window.pwned = 2'>"
    '<svg onload="window.pwned = 3"> javascript:alert(1) \u202egnihtyna\u202c ]]> ${1} {{x}}'
)
SHOWN = "onerror='window.pwned = 2'"
"""A part of it that must be seen as a text."""
MODELS = ("plain", "other", "m&amp;o'd {{x}}")
SAMPLES = 6


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """TextEdit, three models with outputs (one is missing), judged; hostile texts in the instruction
    and the target of the first sample, in the name of a model and in the judge's reasons.
    """
    folder = tmp_path_factory.mktemp("reported")
    records = [prompt_record(number + 1) for number in range(SAMPLES)]
    records[0] |= {"prompt": f"Replace it. {EVIL}", "target_text": EVIL}
    prompts(folder / "data", records)
    for seed, model in enumerate(MODELS):
        for number, record in enumerate(records):
            if (seed, number) != (1, 3):
                name = Path(record["original_image"]).name
                pixels = picture(100 * seed + number, 48, 64)
                save(folder / "outputs" / model / "1.1.1" / name, pixels)

    def reply(asked: Asked) -> Any:
        return chat(verdict(asked, 2 + asked.number % 4, f"A reason. {EVIL}"))

    with Judge(reply) as server:
        cli(
            "judge", "textedit", folder / "data", "--outputs", folder / "outputs",
            "--run", folder / "run", *server.words, "--set", "concurrency=1", env=ENV, expect=1,
        )  # fmt: skip
    return folder / "run"


@pytest.fixture(scope="module")
def report(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report, with pictures of its own, in a folder whose name is awkward."""
    to = tmp_path_factory.mktemp("site") / "a report & more"
    done = cli("report", run, "--to", to, "--copy-images", "--json")
    assert Path(done.json["page"]) == to / "index.html"
    return to


@pytest.fixture(scope="module")
def anchors(mini_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run that has anchors alone."""
    to = tmp_path_factory.mktemp("anchors") / "report"
    cli("report", mini_run, "--to", to)
    return to


@pytest.fixture(scope="module")
def browser(report: Path, anchors: Path) -> Iterator[Any]:
    """After the reports were made: Playwright keeps an event loop on this thread."""
    with chromium() as browser:
        yield browser


@dataclass
class Tour:
    """What was seen on one page of each kind."""

    texts: dict[str, str] = field(default_factory=dict)
    """Address -> all words."""
    alive: list[str] = field(default_factory=list)
    """Addresses where a hostile text became more than a text."""
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


HOSTILE = "body :is(script:not([src]), img[onerror], svg[onload])"


@pytest.fixture(scope="module")
def tour(browser: Any, report: Path) -> Tour:
    """Every kind of page, found by its links from the first one, and the sample of hostile texts."""
    visit, tour = Visit(browser, report), Tour()
    waiting, kinds = ["", "#/sample/textedit/1.1.1%2F1"], {("#",)}
    while waiting:
        address = waiting.pop(0)
        page = visit.go(address)
        tour.texts[address] = page.locator("body").inner_text()
        if page.evaluate("window.pwned") is not None or page.locator(HOSTILE).count():
            tour.alive.append(address)
        links = page.locator("a[href^='#/']").evaluate_all(
            "all => all.map(a => a.getAttribute('href'))"
        )
        for link in links:
            kind = tuple(link.split("?")[0].split("/")[:2])
            if kind not in kinds:
                kinds.add(kind)
                waiting.append(link)
    visit.context.close()
    tour.complaints, tour.asked = visit.complaints, visit.asked
    assert len(tour.texts) >= 5
    return tour


@pytest.fixture
def visit(browser: Any, report: Path) -> Iterator[Visit]:
    visit = Visit(browser, report)
    yield visit
    visit.context.close()


pytestmark = pytest.mark.browser


def test_no_page_complains_and_none_asks_beyond_the_disk(tour: Tour, report: Path) -> None:
    assert tour.complaints == []
    own = (report.as_uri(), "about:", "data:")
    assert [url for url in tour.asked if not url.startswith(own)] == []


def test_the_report_shows_the_numbers_of_the_table(tour: Tour, run: Path) -> None:
    cells = numbers(run, "textedit.judge", "faithful")
    assert set(cells) >= set(MODELS)
    text = " ".join(tour.texts.values())
    for line in cells.values():
        for cell in line.values():
            if cell["value"] is not None:
                assert f"{cell['value']:.2f}" in text


def test_hostile_texts_stay_texts(tour: Tour, report: Path) -> None:
    assert tour.alive == []
    text = " ".join(tour.texts.values())
    assert SHOWN in text
    assert MODELS[2] in text, "the name of a model is shown as it is"
    assert "<script>window.pwned" not in (report / "index.html").read_text(encoding="utf-8")


def test_a_judges_reason_is_shown_as_a_text(visit: Visit) -> None:
    page = visit.go("#/sample/textedit/1.1.1%2F2")
    page.get_by_text("A reason.").first.wait_for(state="attached")
    assert page.evaluate("window.pwned") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Any, report: Path, tour: Tour, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    visit = Visit(browser, report, color_scheme=scheme)
    amiss = []
    for address in tour.texts:
        found = axe.Axe().run(visit.go(address)).response["violations"]
        amiss += [
            (address, one["id"], one["nodes"][0]["html"][:100])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
    visit.context.close()
    assert amiss == []


def test_a_number_leads_to_its_pictures(visit: Visit, tour: Tour) -> None:
    tables = next(address for address in tour.texts if address.startswith("#/tables"))
    page = visit.go(tables)
    page.locator("td a[href^='#/']").first.click()
    page.locator("a[href*='#/sample/'], a[href^='#/sample']").first.click()
    page.locator("h1").first.wait_for()
    pictures = page.locator("img")
    pictures.first.wait_for()
    sizes = pictures.evaluate_all(
        "all => Promise.all(all.map(i => i.decode().then(() => i.naturalWidth)))"
    )
    assert sizes
    assert all(sizes)
    assert visit.complaints == []


def test_the_report_holds_nothing_of_this_machine_and_no_key(report: Path, run: Path) -> None:
    told = (KEY.encode(), str(run).encode(), str(Path.home()).encode() + b"/")
    texts = [p for p in report.rglob("*") if p.suffix in (".html", ".js", ".css", ".json", ".txt")]
    assert texts
    for path in texts:
        data = path.read_bytes()
        assert not [one for one in told if one in data], path.name


def test_the_same_report_is_made_again_in_its_place(run: Path, report: Path) -> None:
    before = sorted(path.relative_to(report) for path in report.rglob("*") if path.is_file())
    cli("report", run, "--to", report, "--copy-images")
    after = sorted(path.relative_to(report) for path in report.rglob("*") if path.is_file())
    assert before == after


def test_a_folder_with_other_things_is_never_written_over(run: Path, tmp_path: Path) -> None:
    letter = tmp_path / "mine" / "letter.txt"
    letter.parent.mkdir()
    letter.write_text("dear")
    done = cli("report", run, "--to", letter.parent, expect=2)
    assert "mine" in done.err
    assert json.dumps([path.name for path in letter.parent.iterdir()]) == '["letter.txt"]'


def test_an_anchor_that_stands_first_has_beaten_nobody(browser: Any, anchors: Path) -> None:
    visit = Visit(browser, anchors)
    words = visit.go().locator("main").inner_text()
    assert "there is no model to rank" in words
    assert "is ahead" not in words
    visit.context.close()

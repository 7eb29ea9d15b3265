"""Twelve samples from nothing in a real headless Chromium, out in four layouts: every step that the
three samples of `test_server_browser` take is taken twelve times here, so it is slow.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("pydicom")
pytest.importorskip("skimage")
pytest.importorskip("imagehash")
playwright = pytest.importorskip("playwright.async_api")

from editgauge import catalog  # noqa: E402
from editgauge.curation import masks, privacy  # noqa: E402
from editgauge.curation.dataset import DataSet  # noqa: E402
from editgauge.curation.faces import faces_in  # noqa: E402
from editgauge.curation.records import PROTOCOLS  # noqa: E402
from editgauge.errors import EditgaugeError  # noqa: E402
from editgauge.images import read_image, read_mask, write_png  # noqa: E402
from editgauge.run.check import check_data  # noqa: E402
from tests.curation.made_set import BOX, drawn_face, edited, scene  # noqa: E402
from tests.curation.test_exports import scores  # noqa: E402
from tests.curation.test_intake import furthest, misaligned, scan  # noqa: E402
from tests.curation.test_server_browser import (  # noqa: E402
    CHROMIUM,
    FLAGS,
    TEXTS,
    Person,
    rate_and_accept,
    run,
)
from tests.study.served import Server  # noqa: E402

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium on this machine"),
]
SIZE = (256, 200)
NAMES = (b"mustermann", b"erika", b"pat12345", b"musterstadt")
SCAN_BOX = (200, 200, 300, 280)
"""Left, top, right, bottom of what the scan's reference changes."""
ATTRIBUTES = {
    "topic": "Data & Analytics", "operation": "text_change", "organ": "Lung", "task": "remove",
    "kris_task": "color_change", "textedit_category": "2.1",
}  # fmt: skip


def after_scan(path: Path) -> Path:
    """The scan with a part of it brighter."""
    import pydicom

    data = pydicom.dcmread(scan(path))
    values = data.pixel_array.copy()
    left, top, right, bottom = SCAN_BOX
    values[top:bottom, left:right] = 4000
    data.PixelData = values.tobytes()
    data.save_as(path, enforce_file_format=True)
    return path


class Twelve:
    """Ten pairs (the second misaligned), a face and a scan, taken in at the command line."""

    def __init__(self, place: Path, ocr: str) -> None:
        self.root = place / "ours"
        run("new", "dataset", self.root, "--require", "licence", "--reviews", "2")
        for number in range(10):
            pixels = scene(number, SIZE)
            write_png(place / "in" / f"p{number}.png", pixels)
            after = edited(pixels)
            if number == 1:
                after, self.moved_by = misaligned(after)
            write_png(place / "ref" / f"p{number}.png", after)
        face = drawn_face((400, 320), 60)
        write_png(place / "in" / "face.png", face)
        write_png(place / "ref" / "face.png", edited(face))
        facts = [w for name, text in ATTRIBUTES.items() for w in ("--attribute", f"{name}={text}")]
        words = ("--licence", "CC0", "--category", "Lung/remove", "--keep-names", *facts)
        run("curate", "pair", self.root, place / "in", place / "ref", *words)
        one, two = scan(place / "a" / "MUSTERMANN.dcm"), after_scan(place / "b" / "MUSTERMANN.dcm")
        run("curate", "pair", self.root, one, two, "--align", "none", "--ocr", ocr, *words)
        run("curate", "propose", self.root, "--ocr", "none")
        self.server = Server(self.root, ("curate", "serve", "--ocr", "none"))
        told = [json.loads(run("curate", "invite", self.root, name, "--base", self.server.url,
                               "--json")) for name in ("ann", "ben")]  # fmt: skip
        self.links = [one["link"] for one in told]
        self.ids = [record["id"] for record in self.data.records()]

    @property
    def data(self) -> DataSet:
        return DataSet(self.root)


@pytest.fixture(scope="module")
def ocr() -> str:
    for name in ("rapidocr", "tesseract"):
        try:
            privacy.engine_of(name)
        except EditgaugeError:
            continue
        return name
    pytest.skip("no OCR engine here")


@pytest.fixture
def made(tmp_path: Path, ocr: str) -> Iterator[Twelve]:
    twelve = Twelve(tmp_path, ocr)
    twelve.server.begin()
    yield twelve
    twelve.server.kill()


async def write(person: Person, sample: str) -> None:
    await person.open(sample)
    await person.fill(**TEXTS)
    await person.press("#save", "Saved: texts.")


async def look(person: Person, made: Twelve, sample: str) -> None:
    """Hide what is proposed, picture after picture, until nothing is left to look at."""
    title = person.page.locator("#title")
    for _ in privacy.unseen(made.data.record(sample)):  # the page goes on to the next by itself
        before = await title.inner_text()
        await person.page.locator("#hide").click()
        await person.page.wait_for_function(
            "before => document.getElementById('title').innerText !== before", arg=before
        )
    assert not privacy.unseen(made.data.record(sample))


async def draw(person: Person, made: Twelve, sample: str) -> None:
    """A polygon by mouse around what the reference changes, a stroke of the brush in it."""
    await person.open(sample)
    page = person.page
    height, width = read_image(made.data.path(made.data.record(sample)["images"][0])).shape[:2]
    left, top, right, bottom = SCAN_BOX if sample == "scan" else BOX
    left, top, right, bottom = left - 5, top - 5, right + 5, bottom + 5
    await page.locator("[data-tool='polygon']").click()
    for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)):
        await person.drag((x / width, y / height))
    await page.locator("#canvas").press("Enter")
    await page.locator("[data-tool='brush']").click()
    middle = (top + bottom) / 2 / height
    await person.drag(((left + 15) / width, middle), ((right - 15) / width, middle))
    await person.press("#save", "Saved: mask input.")


def test_twelve_samples_from_nothing(made: Twelve, tmp_path: Path, ocr: str) -> None:
    assert len(made.ids) == 12
    assert {"face", "scan", "p1"} <= set(made.ids)
    before = made.data
    found = before.record("p1")["pictures"][before.record("p1")["reference"]]["alignment"]
    assert furthest(np.array(found["matrix"]), made.moved_by, SIZE) < 0.5
    engine = privacy.engine_of(ocr)
    assert "MUSTERMANN" in read_by(engine, before, "scan"), "the check below can fail"
    assert faces_in(read_image(before.path(before.record("face")["images"][0])))

    async def main() -> None:
        async with playwright.async_playwright() as tool:
            browser = await tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            ann, ben = [await Person.come(browser, link) for link in made.links]

            async def half(person: Person, ids: list[str]) -> None:
                for sample in ids:
                    await write(person, sample)
                    await look(person, made, sample)
                    await draw(person, made, sample)

            await asyncio.gather(half(ann, made.ids[::2]), half(ben, made.ids[1::2]))
            for sample in made.ids:  # ratings are content: both are there before the verdicts
                await asyncio.gather(*(rate_and_accept(who, sample) for who in (ann, ben)))
            for sample in made.ids:
                for person in (ann, ben):
                    await person.open(sample)
                    await person.press("[data-verdict='accept']", "kept: accept")
            assert [*ann.errors, *ben.errors] == []
            await browser.close()

    asyncio.run(asyncio.wait_for(main(), 900))
    data = made.data
    assert {record["state"] for record in data.records()} == {"verified"}
    for record in data.records():
        mask = read_mask(data.path(record["masks"]["input"]))
        changed = masks.from_difference(
            *(read_image(data.path(record[name][0] if name == "images" else record[name]))
              for name in ("images", "reference")), threshold=40)  # fmt: skip
        inside = np.zeros_like(mask)
        left, top, right, bottom = SCAN_BOX if record["id"] == "scan" else BOX
        inside[top:bottom, left:right] = True
        assert mask[inside].all()
        assert (changed & mask).sum() > 0.5 * changed.sum()
    assert "MUSTERMANN" not in read_by(engine, data, "scan")
    for layout in PROTOCOLS:
        to = tmp_path / "out" / layout
        run("curate", "export", made.root, "--layout", layout, "--to", to, "--ocr", ocr)
        clean_and_equal(data, to, layout, tmp_path)
    for path in (tmp_path / "out").rglob("*"):
        if not path.is_file():
            continue
        assert not [word for word in NAMES if word in path.read_bytes().lower()], path
        if path.suffix == ".png" and read_image(path).shape[:2] == (320, 400):
            assert not faces_in(read_image(path)), path
        if path.suffix == ".png" and read_image(path).shape[:2] == (384, 512):
            texts = " ".join(text.text for text in engine(read_image(path), "en")).lower()
            assert not [word for word in NAMES if word.decode() in texts], path


def read_by(engine: Any, data: DataSet, sample: str) -> str:
    record = data.record(sample)
    pictures = [read_image(data.path(path)) for path in (*record["images"], record["reference"])]
    return " ".join(text.text for pixels in pictures for text in engine(pixels, "en")).upper()


def clean_and_equal(data: DataSet, to: Path, layout: str, place: Path) -> None:
    """`check` finds nothing to look at, and the export's scores are those of the set."""
    theirs = catalog.find("benchmarks", layout)
    run("check", layout, to, "--workers", "1")
    report = check_data(theirs, theirs.load(to), workers=1)
    assert [issue for issue in report.issues if issue.level == "attention"] == []
    ours = catalog.find("benchmarks", f"dir.{data.about.name}.{layout}")
    mine = {sample.id: sample for sample in ours.load(data.root)}
    official = {sample.id: sample for sample in report.samples}
    assert len(official) == 12
    mark = json.loads((to / ".editgauge-set.json").read_bytes())
    for identity, name in mark["samples"].items():
        pixels = read_image(mine[identity].image)
        write_png(place / "edit.png", edited(pixels))
        found = scores(ours, mine[identity], place / "edit.png")
        assert found
        assert found == scores(theirs, official[name], place / "edit.png")

"""A data set made in a real headless Chromium: masks by mouse, a name hidden, two people at once,
the server killed, two reviews, and a release without a name.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from editgauge.curation.dataset import DataSet
from editgauge.curation.records import Box, Picture
from editgauge.images import read_image, read_mask, write_png
from editgauge.web.log import Act
from tests.command_line import did
from tests.curation.made_set import BOX, edited, scan, scene
from tests.curation.test_intake import misaligned
from tests.study.served import IN_CHROMIUM, Server, chromium, come, complaints

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("pydicom")
pytest.importorskip("playwright")
pytestmark = IN_CHROMIUM
SIZE = (256, 200)
NAME_BOX = (16, 12, 200, 44)
"""What a machine proposes to hide of the scan: less than the name."""
EVIL = "<img src=x onerror='window.pwned=1'>"


def run(*words: object, code: int = 0) -> str:
    done = did([str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


class Made:
    """A set of two pairs, one of them misaligned, and a scan with a name; two people's links."""

    def __init__(self, place: Path) -> None:
        self.root = place / "our set"
        run("new", "dataset", self.root, "name=ours", "required=licence", "reviews=2")
        for number in range(2):
            pixels = scene(number, SIZE)
            write_png(place / "in" / f"p{number}.png", pixels)
            after = edited(pixels)
            after = misaligned(after)[0] if number else after
            write_png(place / "ref" / f"p{number}.png", after)
        run("curate", "add", self.root, place / "in", "--references", place / "ref", "--ocr",
            "none", "--keep-names", "--set", "licence=CC0", "--set", "textedit_category=2.1")  # fmt: skip
        run("curate", "add", self.root, scan(place / "MUSTERMANN.dcm"), "--ocr", "none",
            "--set", "licence=CC0", "--set", "consent=written")  # fmt: skip
        for sample in ("p0", "p1"):
            self.data.update(sample, lambda record: {"pictures": {
                path: structs.replace(record.facts(path), looked="ann") for path in record.shown
            }}, Act("ann"))  # fmt: skip
        self.data.update("s0001", lambda record: {"pictures": {record.images[0]: Picture(
            proposals=[Box("text", NAME_BOX)], needs_look=True)}}, Act("ocr"))  # fmt: skip
        self.server = Server(self.root, ("curate",))
        self.links = {
            name: json.loads(
                run("curate", "invite", self.root, name, "--base", self.server.url, "--json")
            )["link"]
            for name in ("ann", "ben")
        }

    @property
    def data(self) -> DataSet:
        return DataSet(self.root)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    found = Made(tmp_path)
    found.server.begin()
    yield found
    found.server.kill()


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, page: Any, errors: list[str]) -> None:
        self.page, self.errors = page, errors

    @classmethod
    async def come(cls, browser: Any, link: str) -> Person:
        errors: list[str] = []
        person = cls(await come(browser, link, errors, bypass_csp=True), errors)
        await person.page.locator("#samples button").first.wait_for()
        return person

    async def open(self, sample: str) -> None:
        await self.page.locator(f"[data-sample='{sample}']").click()
        await self.page.locator(f"body[data-ready='{sample}']").wait_for()

    async def fill(self, **texts: str) -> None:
        await self.page.locator("#more").evaluate("more => { more.open = true; }")
        for name, text in texts.items():
            await self.page.locator(f"#texts [name='{name}']").fill(text)

    async def press(self, what: str, said: str) -> None:
        await self.page.locator(what).click()
        await self.page.locator("#message").filter(has_text=said).wait_for()

    async def drag(self, *points: tuple[float, float]) -> None:
        """With the mouse over the picture, in shares of its size."""
        canvas = self.page.locator("#canvas")
        await canvas.scroll_into_view_if_needed()
        box = await canvas.bounding_box()
        places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in points]
        await self.page.mouse.move(*places[0])
        await self.page.mouse.down()
        for place in places[1:]:
            await self.page.mouse.move(*place, steps=4)
        await self.page.mouse.up()


TEXTS = {
    "instruction": 'Replace "OLD" with "NEW".', "source_text": "OLD", "target_text": "NEW",
    "caption": "a NEW sign", "change": "The word is another one.", "knowledge": "",
}  # fmt: skip


async def write_and_mask(person: Person, sample: str) -> None:
    """Who goes on without saving is asked."""
    await person.open(sample)
    await person.fill(**TEXTS)
    await person.press("#from-difference", "Proposed")
    person.page.once("dialog", lambda dialog: dialog.accept())
    await person.open("s0001")
    await person.open(sample)
    assert await person.page.locator("[name='caption']").input_value() == TEXTS["caption"]


async def hide_the_name(person: Person) -> None:
    page = person.page
    await person.open("s0001")
    await person.fill(instruction="Remove the device.")
    await person.press("#save", "Saved: texts.")
    assert "nobody has looked" in await page.locator("#faults").inner_text()
    await proposal_in_its_place(person)
    await page.locator("[data-tool='box']").click()
    await person.drag((0.01, 0.01), (0.75, 0.17))
    await page.locator("#add-box").click()
    await person.press("#hide", "Hidden: 2")


async def proposal_in_its_place(person: Person) -> None:
    """By the size of the scan, not that of the smaller picture that was shown before."""
    box = await person.page.locator("#stage .box").bounding_box()
    stage = await person.page.locator("#canvas").bounding_box()
    found = [(box["x"] - stage["x"]) / stage["width"], (box["y"] - stage["y"]) / stage["height"],
             box["width"] / stage["width"], box["height"] / stage["height"]]  # fmt: skip
    left, top, width, height = NAME_BOX
    assert found == pytest.approx([left / 512, top / 384, width / 512, height / 384], abs=0.01)


async def late(ann: Person, ben: Person) -> None:
    """Both work on one sample; who is late sees both texts, and puts theirs on top."""
    await ben.open("p0")
    await ann.open("p0")
    await ann.fill(caption="by ann")
    await ann.press("#save", "Saved: texts.")
    await ben.fill(caption=EVIL)
    await ben.page.locator("#save").click()
    await ben.page.locator("#conflict:not([hidden])").wait_for()
    assert "by ann" in await ben.page.locator("#both").inner_text()
    assert "<img" in await ben.page.locator("#both").inner_text()
    await ben.press("#mine", "Saved: texts.")
    assert await ben.page.evaluate("window.pwned") is None


async def accept(person: Person, sample: str) -> None:
    await person.open(sample)
    await person.press("[data-verdict='accept']", "kept: accept")


def test_from_pictures_to_a_release(made: Made, tmp_path: Path) -> None:
    async def main() -> None:
        async with chromium() as browser:
            ann = await Person.come(browser, made.links["ann"])
            ben = await Person.come(browser, made.links["ben"])
            await write_and_mask(ann, "p0")
            await write_and_mask(ben, "p1")
            await hide_the_name(ann)
            await late(ann, ben)
            for person in (ann, ben):
                for sample in ("p0", "p1", "s0001"):
                    await accept(person, sample)
            await ann.open("p0")
            assert await complaints(ann.page) == []
            assert [*ann.errors, *ben.errors] == []

    asyncio.run(asyncio.wait_for(main(), 300))
    data = made.data
    assert data.record("p0").caption == EVIL
    assert {record.state for record in data.records()} == {"verified"}
    mask = read_mask(data.path(data.record("p1").masks["input"]))
    left, top, right, bottom = BOX
    wanted = np.zeros_like(mask)
    wanted[top:bottom, left:right] = True
    assert (mask & wanted).sum() / wanted.sum() > 0.97
    assert mask.sum() < 1.5 * wanted.sum()
    no_name(made, tmp_path)


async def labels(person: Person, where: str) -> list[str]:
    names = person.page.locator(f"{where} [name]")
    return [await names.nth(k).get_attribute("name") for k in range(await names.count())]


async def drawn(person: Person) -> int:
    """How many pixels of the mask are painted."""
    return int(
        await person.page.evaluate(
            "() => { const c = document.getElementById('canvas'), d = c.getContext('2d')"
            ".getImageData(0, 0, c.width, c.height).data; return d.filter("
            "(v, n) => n % 4 === 3 && v > 0).length; }"
        )
    )


async def form_of_a_protocol(person: Person) -> None:
    page = person.page
    await person.open("s0001")
    assert "textedit_category" in await labels(person, "#others")
    await page.locator("#fields [name='protocol']").select_option("medebench")
    read = ["change", "concept", "rephrased", "organ", "task"]
    assert [name for name in await labels(person, "#fields") if name in read] == read
    assert "occlusion" in await labels(person, "#others"), "lettering is not asked of an X-ray"
    assert "in a word or two" in await page.locator("label:has([name='concept'])").inner_text()
    assert await page.locator("#unsaved").inner_text() == "not saved: texts"


async def saved_twice_in_one_moment(person: Person) -> None:
    """A second press while the first is on its way is no conflict with oneself."""
    await person.open("p1")
    await person.fill(caption="twice")
    await person.page.evaluate(
        "() => { const b = document.getElementById('save'); b.click(); b.click(); }"
    )
    await person.page.locator("#message").filter(has_text="Saved: texts.").wait_for()
    assert await person.page.locator("#conflict").is_hidden()


async def strokes_are_undone(person: Person) -> None:
    await person.open("p0")
    await person.drag((0.3, 0.5), (0.5, 0.5))
    first = await drawn(person)
    await person.drag((0.3, 0.7), (0.5, 0.7))
    assert await drawn(person) > first > 0
    await person.page.locator("#undo").click()
    assert await drawn(person) == first
    await person.page.keyboard.press("Control+z")
    assert await drawn(person) == 0
    await person.page.locator("[data-tool='box']").click()
    await person.drag((0.2, 0.2), (0.4, 0.4))
    await person.page.locator("#fill-box").click()
    assert await drawn(person) == 51 * 40, "a fifth of each side"


def test_form_follows_the_protocol_and_strokes_are_undone(made: Made) -> None:
    async def main() -> None:
        async with chromium() as browser:
            ann = await Person.come(browser, made.links["ann"])
            await form_of_a_protocol(ann)
            await strokes_are_undone(ann)
            await ann.press("#save", "Saved")
            await saved_twice_in_one_moment(ann)
            assert ann.errors == []

    asyncio.run(asyncio.wait_for(main(), 120))


def no_name(made: Made, tmp_path: Path) -> None:
    """Neither in a byte nor in a pixel of what leaves."""
    to = tmp_path / "release"
    run("curate", "export", made.root, "--version", "1.0.0", "--to", f"{to}.zip", "--ocr", "none")
    shutil.unpack_archive(f"{to}.zip", to)
    files = [path for path in to.rglob("*") if path.is_file()]
    for word in (b"mustermann", b"erika", b"pat12345", b"musterstadt"):
        assert not [path for path in files if word in path.read_bytes().lower()]
    pixels = read_image(to / made.data.record("s0001").images[0])
    assert int(pixels[12:56, 16:330].max()) < 200, "the burnt-in letters were white"

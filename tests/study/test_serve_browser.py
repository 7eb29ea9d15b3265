"""A study in a real headless Chromium: several annotators at once, one killed with the server."""

from __future__ import annotations

import asyncio
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editgauge.store.run import Run
from editgauge.study.assign import TASK
from editgauge.study.ratings import ratings_of
from editgauge.study.studies import begin, collect, designed
from editgauge.web.log import Log
from tests.study.made_study import make_run
from tests.study.served import Server

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
playwright = pytest.importorskip("playwright.async_api")
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium on this machine"),
]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
EDITORS = ("alpha", "beta", "gamma", "omega", "epsilon")
EVIL = "<img src=x onerror='window.pwned=1'><script>window.pwned=2</script>"
DESIGN = """
name = "first"
mode = "{mode}"
[[questions]]
id = "IF"
text = "{question}"
[samples]
count = {samples}
{more}
"""


class Made:
    """A run with a started study: the server, and each annotator's link."""

    def __init__(self, place: Path, names: list[str], *, samples: int, **facts: str) -> None:
        self.run = make_run(place, samples=samples + 1, editors=EDITORS)
        path = place / "design.toml"
        words = {"mode": "rate", "question": "Good?", "more": "", "samples": str(samples)}
        path.write_text(DESIGN.format(**{**words, **facts}), encoding="utf-8")
        design, outputs = designed(self.run, path)
        tokens = begin(self.run, design, outputs, names)
        self.server = Server(self.run.path)
        self.links = {name: f"{self.server.url}/a/{token}" for name, token in tokens.items()}

    def tasks(self) -> dict[int, tuple[str, list[str], str]]:
        """What only the study knows: task -> sample, editors in their order, annotator."""
        with Log(self.run.path / "study" / "first.sqlite") as log:
            return {
                int(item.id): (item.data["sample"], item.data["editors"], item.owner)
                for item in log.all(TASK)
            }


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Made]:
    study = Made(tmp_path, ["ann", "ben", "cy"], samples=9)
    study.server.begin()
    yield study
    study.server.kill()


async def shown(page: Any, before: int) -> int | None:
    """The number of the task that is shown once it is another one than `before`; None when all is
    done.
    """
    image, done = page.locator("#outputs img").first, page.locator("#done:not([hidden])")
    for _ in range(3000):
        if await done.count():
            return None
        url = await image.get_attribute("src", timeout=60_000) if await image.count() else None
        number = int(re.split("/", url)[2]) if url else before
        if number != before:
            return number
        await page.wait_for_timeout(10)
    raise AssertionError("nothing new came")


async def by_click(page: Any, values: list[int]) -> None:
    for slot, value in enumerate(values):
        await page.locator(f".choice[data-slot='{slot}'] button[data-value='{value}']").click()
    await page.locator("#send").click()


async def by_key(page: Any, values: list[int]) -> None:
    for value in values:
        await page.keyboard.press(str(value))
    await page.keyboard.press("Enter")


class Annotator:
    """Somebody who answers until all is done, and remembers every answer by task."""

    def __init__(self, name: str, link: str, how: Any, stop_after: int = 10**6) -> None:
        self.name, self.link, self.how, self.stop_after = name, link, how, stop_after
        self.said: dict[int, list[int]] = {}
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        self.errors: list[str] = []

    async def work(self, browser: Any, stopped: asyncio.Event) -> None:
        context = await browser.new_context(viewport={"width": 1024, "height": 768})
        context.set_default_timeout(20_000)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        kept: list[Any] = []

        def keep(response: Any) -> None:  # playwright takes no builtin method
            kept.append(response)

        page.on("response", keep)
        await page.goto(self.link)
        number = await shown(page, 0)
        while number is not None:
            if len(self.said) >= self.stop_after:
                stopped.set()
                break
            values = [random.Random(f"{self.name}{number}{k}").randint(1, 5) for k in range(5)]
            self.said[number] = values
            await self.how(page, values)
            number = await shown(page, number)
        for response in kept[:60]:
            if response.status == 200:
                headers = await response.all_headers()
                self.seen.append((response.url, headers, await response.body()))
        await context.close()


def test_annotators_at_once_one_killed_with_the_server(made: Made) -> None:
    ann = Annotator("ann", made.links["ann"], by_click)
    ben = Annotator("ben", made.links["ben"], by_key)
    cy = Annotator("cy", made.links["cy"], by_key, stop_after=3)

    async def main() -> None:
        async with playwright.async_playwright() as tool:
            browser = await tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            half_way = asyncio.Event()
            working = [asyncio.create_task(a.work(browser, half_way)) for a in (ann, ben, cy)]
            waiting = asyncio.create_task(half_way.wait())
            done, _ = await asyncio.wait([waiting, *working], return_when=asyncio.FIRST_COMPLETED)
            assert waiting in done, [task.exception() for task in done]
            made.server.kill()  # the others go on clicking into nothing
            await asyncio.sleep(0.5)
            made.server.begin()
            await working[2]
            cy.stop_after = 10**6
            await asyncio.gather(*working[:2], cy.work(browser, half_way))
            await browser.close()

    asyncio.run(asyncio.wait_for(main(), 400))
    assert not [*ann.errors, *ben.errors, *cy.errors]
    tasks = made.tasks()
    said = {**ann.said, **ben.said, **cy.said}
    wanted = {
        (tasks[number][0], who.name, editor): float(value)
        for who in (ann, ben, cy)
        for number, values in who.said.items()
        for editor, value in zip(tasks[number][1], values, strict=True)
    }
    run = Run.open(made.run.path)
    collect(run)
    exported = {(r.sample, r.annotator, r.editor): r.value for r in ratings_of(run)}
    assert exported == wanted
    assert len(said) == 18
    assert set(Counter(sample for sample, _, _ in exported).values()) == {2 * len(EDITORS)}
    loads = [len(who.said) for who in (ann, ben, cy)]
    assert max(loads) - min(loads) <= 1
    blind(ann, made)


def blind(who: Annotator, made: Made) -> None:
    """Nothing that the browser received tells two editors apart, but the pixels."""
    words = [name.encode() for name in (*EDITORS, "edits/", "inputs/", "bench", ".jpg")]
    pictures: dict[str, list[tuple[dict[str, str], bytes]]] = {}
    for url, headers, body in who.seen:
        text = url.encode() + str(headers).encode() + (b"" if "/picture/" in url else body)
        assert not [word for word in words if word in text], url
        assert not {"etag", "last-modified", "server", "date"} & set(headers)
        if "/picture/" in url:
            pictures.setdefault(url.split("/")[4], []).append((headers, body))
            assert not [word for word in words[:5] if word in body]
    by_task: dict[str, set[tuple[str, bytes]]] = {}
    for url, headers, body in who.seen:
        if "/picture/" in url and url.split("/")[5].isdigit():
            facts = (str(sorted({**headers, "content-length": ""}.items())), body[:33])
            by_task.setdefault(url.split("/")[4], set()).add(facts)
    assert by_task
    assert all(len(facts) == 1 for facts in by_task.values())


async def with_page(made: Made, action: Any, name: str = "ann", **context: Any) -> None:
    made.server.begin()
    try:
        async with playwright.async_playwright() as tool:
            browser = await tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            place = await browser.new_context(**context)
            place.set_default_timeout(20_000)
            page = await place.new_page()
            errors: list[str] = []
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text) if said.type == "error" else 0)
            await page.goto(made.links[name])
            await page.locator("#outputs img").first.wait_for()
            await action(page)
            assert not errors
            await browser.close()
    finally:
        made.server.kill()


def answers(made: Made) -> list[Any]:
    """What was answered, in the order in which it came."""
    with Log(made.run.path / "study" / "first.sqlite") as log:
        done = sorted(log.all(TASK, state="done"), key=lambda item: float(item.data["at"]))
        return [item.data["answer"] for item in done]


def test_the_view_undo_and_skip(tmp_path: Path) -> None:
    made = Made(tmp_path, ["ann", "ben"], samples=2)

    async def act(page: Any) -> None:
        body, first = page.locator("body"), await shown(page, 0)
        for key, name in (("m", "showing-mask"), ("f", "showing-input")):
            await page.keyboard.press(key)
            assert name in (await body.get_attribute("class") or "")
            await page.keyboard.press(key)
        views = page.locator(".view")
        box = await views.nth(3).bounding_box()
        await page.mouse.move(box["x"] + 20, box["y"] + 20)
        await page.mouse.wheel(0, -100)
        layers = page.locator(".layer")
        moves = {await layers.nth(k).evaluate("e => getComputedStyle(e).transform") for k in (0, 3)}
        scales = {move.split("(")[1].split(",")[0] for move in moves}
        assert scales == {"1.25"}, "all pictures are zoomed in step"
        await page.keyboard.press("0")
        await by_click(page, [1, 2, 3, 4, 5])
        second = await shown(page, first or 0)
        assert second is not None
        await page.keyboard.press("u")
        assert await shown(page, second) == first
        pressed = page.locator(".choice button[aria-pressed=true]")
        assert await pressed.all_inner_texts() == ["1", "2", "3", "4", "5"]
        await page.locator("#comment").fill("two words")
        await page.locator("#send").click()
        await shown(page, first or 0)
        await page.locator("#reason").select_option("cannot tell")
        await page.locator("#skip").click()
        await page.locator("#done:not([hidden])").wait_for()

    asyncio.run(with_page(made, act))
    first, second = answers(made)
    assert first["comment"] == "two words"
    assert second["skip"] == "cannot tell"


def test_pairs_by_keyboard_and_hostile_texts(tmp_path: Path) -> None:
    question = EVIL.replace('"', "")
    more = f'[training]\nsamples = ["s00"]\n[training.feedback]\ns00 = "{question}"'
    made = Made(tmp_path, ["ann", "ben"], samples=2, mode="pairwise", question=question, more=more)

    async def act(page: Any) -> None:
        first = await shown(page, 0)
        assert "<img" in await page.locator(".question h2").inner_text()
        await page.keyboard.press("n")
        await page.keyboard.press("Enter")
        await page.locator("#feedback:not([hidden])").wait_for()
        assert "<script>" in await page.locator("#feedback p").inner_text()
        await page.keyboard.press("Enter")
        await shown(page, first or 0)
        await page.keyboard.press("b")
        await page.keyboard.press("Enter")
        await page.locator("#count").filter(has_text="2 of").wait_for()
        assert await page.evaluate("window.pwned") is None

    made.server.run = made.run.path
    asyncio.run(with_page(made, act, bypass_csp=False))
    training, counted = answers(made)
    assert training["answers"] == {"IF": "both_bad"}
    assert counted["answers"] == {"IF": "b"}


def test_the_page_is_accessible(tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.async_playwright")
    made = Made(tmp_path, ["ann", "ben"], samples=2, mode="rank")

    async def act(page: Any) -> None:
        found = await axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()

    asyncio.run(with_page(made, act, bypass_csp=True))

"""A study in a real headless Chromium: four annotators at once, and a server that is killed."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from editgauge.store.run import Run
from editgauge.study.assign import TASK
from editgauge.study.ratings import ratings_of
from editgauge.study.studies import collect
from editgauge.web.log import Log
from tests.study.made_study import started
from tests.study.served import IN_CHROMIUM, Server, chromium, come, complaints

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("playwright")
pytestmark = IN_CHROMIUM
EDITORS = ("alpha", "beta", "gamma", "omega", "epsilon")
EVIL = "<img src=x onerror='window.pwned=1'><script>window.pwned=2</script>"
WIDE, PHONE = {"width": 1024, "height": 768}, {"width": 390, "height": 844}


class Made:
    """A run with a started study: the server, and each annotator's link."""

    def __init__(self, place: Path, names: str, *, samples: int, **facts: Any) -> None:
        facts["samples"] = {"count": samples}
        self.run, tokens = started(place, names.split(), editors=EDITORS, **facts)
        self.server = Server(self.run.path)
        self.links = {name: f"{self.server.url}/a/{token}" for name, token in tokens.items()}

    def tasks(self, state: str | None = None) -> list[Any]:
        """What only the study knows."""
        with Log(self.run.path / "study" / "first.sqlite") as log:
            return log.all(TASK, state=state)

    def look(self, act: Any, name: str = "ann", **context: Any) -> None:
        """Do something on one annotator's page; nothing may go wrong in it."""

        async def main() -> None:
            errors: list[str] = []
            async with chromium() as browser:
                page = await come(browser, self.links[name], errors, **context)
                await page.locator("#outputs img").first.wait_for()
                await act(page)
            assert not errors

        self.server.begin()
        try:
            asyncio.run(asyncio.wait_for(main(), 120))
        finally:
            self.server.kill()


async def shown(page: Any, before: str = "") -> str:
    """The task that is shown once it is another one than `before`; "" when all is done."""
    image, done = page.locator("#outputs img").first, page.locator("#done:not([hidden])")
    for _ in range(3000):
        if await done.count():
            return ""
        url = await image.get_attribute("src", timeout=60_000) if await image.count() else ""
        if url and url.split("/")[2] != before:
            return str(url.split("/")[2])
        await page.wait_for_timeout(10)
    raise AssertionError("nothing new came")


async def by_click(page: Any, values: list[int]) -> None:
    for slot, value in enumerate(values):
        await page.locator(f".choice[data-slot='{slot}'] button[data-value='{value}']").click()
    await page.locator("#send").click()


async def by_key(page: Any, values: list[int]) -> None:
    await page.locator(".choice button:not([disabled])").first.wait_for()
    for key in [*map(str, values), "Enter"]:
        await page.keyboard.press(key)


class Annotator:
    """Somebody who answers until all is done, and remembers every answer by task."""

    def __init__(self, made: Made, name: str, how: Any, viewport: Any) -> None:
        self.made, self.name, self.how, self.viewport = made, name, how, viewport
        self.said: dict[str, list[int]] = {}
        self.errors: list[str] = []

    async def work(self, browser: Any, most: int = 1000) -> None:
        page = await come(browser, self.made.links[self.name], self.errors, viewport=self.viewport)
        task = await shown(page)
        while task and len(self.said) < most:
            self.said[task] = [
                random.Random(f"{self.name}{task}{k}").randint(1, 5) for k in range(5)
            ]
            await self.how(page, self.said[task])
            task = await shown(page, task)
        await page.context.close()


def test_four_annotators_at_once_lose_nothing_when_the_server_is_killed(tmp_path: Path) -> None:
    made = Made(tmp_path, "ann ben cy dan", samples=8)
    ways = {"ann": (by_click, WIDE), "ben": (by_key, WIDE), "cy": (by_key, WIDE),
            "dan": (by_click, PHONE)}  # fmt: skip
    people = [Annotator(made, name, *way) for name, way in ways.items()]

    async def main() -> None:
        async with chromium() as browser:
            working = [asyncio.create_task(who.work(browser)) for who in people[:2] + people[3:]]
            await people[2].work(browser, most=2)
            made.server.kill()  # the others go on clicking into nothing
            await asyncio.sleep(0.5)
            made.server.begin()
            await asyncio.gather(*working, people[2].work(browser))

    made.server.begin()
    try:
        asyncio.run(asyncio.wait_for(main(), 400))
    finally:
        made.server.kill()
    assert not [error for who in people for error in who.errors]
    tasks = {item.id: item.data for item in made.tasks()}
    wanted = {
        (tasks[task]["sample"], who.name, editor): float(value)
        for who in people
        for task, values in who.said.items()
        for editor, value in zip(tasks[task]["editors"], values, strict=True)
    }
    run = Run.open(made.run.path)
    collect(run)
    ratings = ratings_of(run)
    assert {
        (r.sample, r.source.removeprefix("human:"), r.editor): r.value for r in ratings
    } == wanted
    assert len(ratings) == len(wanted) == 8 * 2 * len(EDITORS), "each once"


def test_pairs_by_keyboard_and_hostile_texts(tmp_path: Path) -> None:
    facts = {"questions": [{"id": "IF", "text": EVIL}],
             "training": {"samples": ["s00"], "feedback": {"s00": EVIL}}}  # fmt: skip
    made = Made(tmp_path, "ann ben", samples=2, mode="pairwise", **facts)

    async def act(page: Any) -> None:
        first = await shown(page)
        assert "<img" in await page.locator(".question h2").inner_text()
        await by_key(page, ["n"])  # type: ignore[list-item]
        await page.locator("#feedback:not([hidden])").wait_for()
        assert "<script>" in await page.locator("#feedback p").inner_text()
        await page.keyboard.press("Enter")
        await shown(page, first)
        await by_key(page, ["b"])  # type: ignore[list-item]
        await page.locator("#count").filter(has_text="2 of").wait_for()
        assert await page.evaluate("window.pwned") is None

    made.look(act)
    assert [item.data["answer"]["answers"]["IF"] for item in made.tasks("done")] == [
        "both_bad",
        "b",
    ]


def test_on_a_phone_buttons_are_seen_with_their_picture(tmp_path: Path) -> None:
    made = Made(tmp_path, "ann ben", samples=2, mode="rank", questions=[{"id": "IF"}, {"id": "TA"}])

    async def act(page: Any) -> None:
        assert await complaints(page) == []
        figure = page.locator("#outputs figure").first
        below = figure.locator(".choice").last
        places = (figure.locator("img").first, below, page.locator("#send"))
        picture, buttons, send = [await place.bounding_box() for place in places]
        assert 0 <= picture["y"] < buttons["y"]
        assert buttons["y"] + buttons["height"] <= send["y"] < 664
        assert "1 = best" in await page.locator(".question").first.inner_text()
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

    made.look(act, viewport={**PHONE, "height": 664}, bypass_csp=True)


def test_a_picture_that_did_not_load_is_not_rated(tmp_path: Path) -> None:
    made = Made(tmp_path, "ann ben", samples=2)

    async def act(page: Any) -> None:
        task = await shown(page)
        broken = f"**/picture/{task}/1/**"
        await page.route(broken, lambda route: route.abort())
        await page.reload()
        await page.locator("#missing:not([hidden])").wait_for()
        first = page.locator(".choice button").first
        assert await first.is_disabled()
        for key in ["3"] * len(EDITORS) + ["Enter"]:
            await page.keyboard.press(key)
        assert not made.tasks("done"), "a rating was sent although a picture is missing"
        await page.unroute(broken)
        await page.locator("#again").click()
        await page.locator("#missing").wait_for(state="hidden")
        await by_key(page, [3] * len(EDITORS))
        assert await shown(page, task)
        assert len(made.tasks("done")) == 1

    errors: list[str] = []

    async def main() -> None:
        async with chromium() as browser:
            page = await come(browser, made.links["ann"], errors)
            await page.locator("#outputs img").first.wait_for()
            await act(page)

    made.server.begin()
    try:
        asyncio.run(asyncio.wait_for(main(), 120))
    finally:
        made.server.kill()
    assert all("Failed to load resource" in error for error in errors)

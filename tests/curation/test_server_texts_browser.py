"""Texts that want to be more, in every field that curate's page shows, in a real headless Chromium:
each is shown to the letter, and none runs, loads or becomes markup.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
playwright = pytest.importorskip("playwright.async_api")

from editgauge.curation import records  # noqa: E402
from editgauge.curation.dataset import DataSet  # noqa: E402
from editgauge.web.log import Act  # noqa: E402
from tests.curation.made_set import add, make_set  # noqa: E402
from tests.curation.test_server_browser import CHROMIUM, FLAGS, Person, run  # noqa: E402
from tests.study.served import Server  # noqa: E402

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium on this machine"),
]
PAYLOADS = (
    "<script>window.pwned=1</script>",
    "</textarea></title></style></script><script>window.pwned=2</script>",
    "\"><img src=x onerror='window.pwned=3'>",
    "' autofocus onfocus='window.pwned=4' x='",
    "<svg/onload=window.pwned=5><animate onbegin=window.pwned=6 attributeName=x>",
    "<iframe srcdoc='<script>parent.pwned=7</script>'></iframe>",
    "javascript:window.pwned=8",
    "<base href='https://evil.example/'><link rel=stylesheet href=https://evil.example/x.css>",
    "<style>@import 'https://evil.example/y.css'</style><meta http-equiv=refresh content=0>",
    "{{constructor.constructor('window.pwned=9')()}}${window.pwned=10}`;window.pwned=11//",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.pwned=12>",
    "\u202e<b>turned</b>\u2028window.pwned=13\u2029]]><!--",
    "<form id=texts><input name=getElementById><a id=main href=javascript:pwned=14>x</a></form>",
)
NAMES = ("constructor", "toString")
"""Ids that every object of JavaScript has already."""
TEXTS = tuple("".join(PAYLOADS[n::4]) for n in range(4))
"""A sample each: who breaks out of an element with one of them lets the next ones run."""
ADDED = """() => [...document.querySelectorAll("*")].filter((one) =>
    ["SCRIPT", "IFRAME", "SVG", "MATH", "A", "BASE", "STYLE", "META", "OBJECT", "EMBED"]
      .includes(one.tagName.toUpperCase()) && !one.closest("head")
    || [...one.attributes].some(({name, value}) => name.startsWith("on")
      || ["src", "href", "action", "formaction"].includes(name) && /^\\s*javascript:/i.test(value))
  ).map((one) => one.outerHTML.slice(0, 200))"""


def hostile(root: Path) -> DataSet:
    """A sample for each text, with it in every field that takes one."""
    data = make_set(root, count=0)
    for number, text in enumerate(TEXTS):
        made = add(
            data, number, **dict.fromkeys(records.TEXTS, text),
            category=[text, text], source=dict.fromkeys(records.SOURCE, text),
            attributes={"operation": text, text: text, "__proto__": text},
        )  # fmt: skip
        fields = {
            "comments": [{"who": text, "text": text}],
            "proposed": {"by": text, "instruction": f"{text} and more", "caption": text[::-1]},
            "pictures": {made["images"][0]: {"proposals": [{"kind": text, "box": [1, 2, 3, 4]}]}},
        }
        data.change(made["id"], 1, fields, Act(text))
    for number, name in enumerate(NAMES, start=len(TEXTS)):
        add(data, number, id=name)
    data.describe("ann", title="".join(PAYLOADS))
    return data


async def look(person: Person, sample: str, text: str) -> None:
    page = person.page
    await person.open(sample)
    assert await page.locator("#texts [name='instruction']").input_value() == text
    shown = await page.evaluate("document.body.textContent")
    assert shown.count(text) >= 7, "list, proposals, kinds of boxes, comments"
    await page.locator("#comment").fill(text)
    await person.press("[data-verdict='flag']", "kept: flag")
    assert text in await page.locator("#reviews").text_content()


async def inert(person: Person) -> None:
    assert await person.page.evaluate("window.pwned") is None
    assert await person.page.evaluate(ADDED) == []


def test_no_text_of_a_set_is_more_than_a_text(tmp_path: Path) -> None:
    data = hostile(tmp_path / "set")
    server = Server(data.root, ("curate", "serve", "--ocr", "none"))
    told = run("curate", "invite", data.root, "ann", "--base", server.url, "--json")
    asked: list[str] = []
    server.begin()

    async def main() -> None:
        async with playwright.async_playwright() as tool:
            browser = await tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            ann = await Person.come(browser, json.loads(told)["link"])
            ann.page.on("request", lambda request: asked.append(request.url))
            ann.page.on("dialog", lambda dialog: ann.errors.append(dialog.message))
            assert await ann.page.title() == "".join(PAYLOADS)
            for number, text in enumerate(TEXTS):
                await look(ann, f"s{number:02d}", text)
                await inert(ann)
            for name in NAMES:
                await ann.open(name)
                assert await ann.page.locator("#message").is_hidden(), "nothing was written here"
            await refusals(ann)
            await ann.page.locator("#show-stats").click()
            await ann.page.locator("#stats:not([hidden])").wait_for()
            assert TEXTS[0] in await ann.page.locator("#stats").text_content()
            await inert(ann)
            figures = await ann.page.locator("#figures img").evaluate_all(
                "all => all.map(x => x.src)"
            )
            other = await ann.page.context.new_page()
            for figure in figures:  # opened by itself it is a document
                await other.goto(figure)
                assert await other.evaluate("window.pwned") is None
            assert ann.errors == []
            await browser.close()

    try:
        asyncio.run(asyncio.wait_for(main(), 120))
    finally:
        server.kill()
    assert asked
    assert {url for url in asked if not url.startswith((server.url, "blob:", "data:"))} == set()


async def refusals(person: Person) -> None:
    """What the server says of a value that it refuses is shown as a text."""
    await person.open("s00")
    await person.fill(split=PAYLOADS[0])
    await person.press("#save", PAYLOADS[0][:20])
    await inert(person)

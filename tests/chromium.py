"""A headless Chromium for the tests of pages; without one they are skipped, or fail where one is needed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def chromium() -> Iterator[Any]:
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
    """A page of a report, opened without a network: all it complained about and asked for."""

    def __init__(
        self, browser: Any, folder: Path, width: int = 1300, height: int = 900, **options: Any
    ) -> None:
        view = {"width": width, "height": height}
        self.context = browser.new_context(viewport=view, offline=True, **options)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("requestfailed", lambda request: self.complaints.append(request.url))
        self.base = (folder / "index.html").as_uri()

    def heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def go(self, address: str = "", wanted: str = "h1") -> Any:
        """The page, when it has what is wanted."""
        self.page.goto("about:blank")
        self.page.goto(self.base + address)
        self.page.locator(wanted).first.wait_for()
        return self.page

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []

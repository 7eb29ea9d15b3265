"""`editgauge study serve`, or another server, in a process of its own, which may be killed and
started again; and a Chromium to look at it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chromium import CHROMIUM, FLAGS

IN_CHROMIUM = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no Chromium on this machine"),
]


@asynccontextmanager
async def chromium() -> AsyncIterator[Any]:
    """A browser without a window."""
    from playwright.async_api import async_playwright

    async with async_playwright() as tool:
        browser = await tool.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


async def come(browser: Any, link: str, errors: list[str], **context: Any) -> Any:
    """Somebody's page, in a browser of their own; what goes wrong in it is added to `errors`."""
    place = await browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
    place.set_default_timeout(20_000)
    page = await place.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(link)
    return page


async def complaints(page: Any) -> list[str]:
    """What axe finds wrong with a page for people who do not see or use a mouse."""
    axe = pytest.importorskip("axe_playwright_python.async_playwright")
    found = await axe.Axe().run(page)
    return [rule["id"] for rule in found.response["violations"]]


class Server:
    """A server of a run's only study, or what other `words` serve, at one port for its whole
    life.
    """

    def __init__(
        self, run: Path, words: Sequence[str] = ("study", "serve"), more: Sequence[str] = ()
    ) -> None:
        self.run, self.words, self.more = run, words, more
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self) -> None:
        """Start it; returns once it answers."""
        words = [*self.words, str(self.run), "--port", str(self.port), *self.more]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "editgauge", *words], stdout=subprocess.PIPE, text=True
        )
        for _ in range(1200):
            try:
                urllib.request.urlopen(self.url, timeout=5).close()
            except OSError:
                assert self.process.poll() is None, "the server ended"
                time.sleep(0.05)
            else:
                return
        pytest.fail("the server did not start")

    def kill(self, how: int = signal.SIGKILL) -> None:
        assert self.process is not None
        os.kill(self.process.pid, how)
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()

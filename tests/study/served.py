"""`editgauge study serve`, or another server, in a process of its own, which may be killed and
started again.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import pytest


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

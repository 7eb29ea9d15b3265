"""A program for models with an environment of their own, talked to in lines of JSON: never waited
for longer than is said, and when it is ended, so is all that it started.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from editgauge.services.secrets import words
from editgauge.types import JsonMapping, JsonObject

LONGEST_LINE = 1 << 16
"""Bytes of a line that are read; a longer one is cut into several."""
_LINES_WAITING = 256
"""Lines that are kept until somebody reads them: a program that says more has to wait."""


class Ended(Exception):
    """The program is not there any more, and why."""


class Child:
    """One running program. Raises `OSError` when it cannot be started."""

    def __init__(self, line: Sequence[str]) -> None:
        self._log: deque[str] = deque(maxlen=12)
        self._lines: queue.Queue[str] = queue.Queue(_LINES_WAITING)
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            list(line), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        self._readers = [
            threading.Thread(target=_read, args=stream, daemon=True)
            for stream in (
                (self.process.stdout, self._lines.put),
                (self.process.stderr, self._log.append),
            )
        ]
        for reader in self._readers:
            reader.start()
        self.kill = weakref.finalize(self, _kill, self.process)
        """End it and all it started."""

    def write(self, question: JsonMapping) -> None:
        """Send a line. Raises `Ended`."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Ended(self.why()) from error

    def read(self, deadline: float, *keys: str) -> JsonObject:
        """The next line that is a JSON object (with one of the `keys`, where some are named), by a
        time of `time.monotonic`; other lines are its log. Raises `Ended` and `TimeoutError`. A
        program may be dead while something that it started keeps its output open.
        """
        while (left := deadline - time.monotonic()) > 0:
            dead = self.process.poll() is not None
            try:
                line = self._lines.get(timeout=min(0.2, left))
            except queue.Empty:
                if dead:
                    raise Ended(self.why()) from None
                continue
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(line)
                if isinstance(value, dict) and (not keys or value.keys() & set(keys)):
                    return value
            self._log.append(line)
        raise TimeoutError

    def why(self) -> str:
        """How it ended, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        for reader in self._readers:
            reader.join(1)
        last = words(" | ".join(line.rstrip()[:300] for line in list(self._log)[-4:]))
        return f"the program ended with code {self.process.poll()}" + (f": {last}" if last else "")


def _read(stream: Any, take: Callable[[str], Any]) -> None:
    """Give the lines of a pipe to `take` until it ends; closed here, where nobody else reads."""
    with contextlib.suppress(ValueError, OSError), stream:
        while line := stream.readline(LONGEST_LINE):
            take(line.decode("utf-8", "replace").removesuffix("\n"))


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with contextlib.suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()

"""A program that is started once and talked to: a line in, a line out. For models that live in an
environment of their own, as editors and as metrics. It is never waited for longer than is said,
whatever it does, and when it is ended, so is all that it started.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from editgauge.services.secrets import words

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
        self._over = threading.Event()
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            list(line), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        assert self.process.stdin is not None
        if hasattr(os, "set_blocking"):
            os.set_blocking(self.process.stdin.fileno(), False)
        self._readers = [
            threading.Thread(target=_read, args=stream, daemon=True)
            for stream in ((self.process.stdout, self._keep), (self.process.stderr, self.note))
        ]
        for reader in self._readers:
            reader.start()
        self._end = weakref.finalize(self, _kill, self.process, self._over)

    def _keep(self, line: str) -> bool:
        """Put a line before whoever asks; False when the program has been ended."""
        while not self._over.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=0.5)
                return True
        return False

    def note(self, line: str) -> bool:
        """Keep a line for the reason of an error; False when the program has been ended."""
        self._log.append(line.rstrip()[:300])
        return not self._over.is_set()

    def write(self, line: bytes, deadline: float) -> None:
        """Send a line, by a time of `time.monotonic`. Raises `Ended`, and `TimeoutError` when it is
        not read.
        """
        assert self.process.stdin is not None
        handle, data = self.process.stdin.fileno(), line + b"\n"
        with selectors.DefaultSelector() as free:
            free.register(handle, selectors.EVENT_WRITE)
            while data:
                if not free.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError
                try:
                    data = data[os.write(handle, data) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Ended(self.why()) from error

    def read(self, deadline: float) -> str:
        """The next line. Raises `Ended` and `TimeoutError`. A program may be dead while something
        that it started keeps its output open.
        """
        while (left := deadline - time.monotonic()) > 0:
            dead = self.process.poll() is not None
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=min(0.2, left))
            if dead:
                raise Ended(self.why())
        raise TimeoutError

    def why(self) -> str:
        """How it ended, with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        for reader in self._readers:
            reader.join(1)
        last = words(" | ".join(list(self._log)[-4:]))
        return f"the program ended with code {self.process.poll()}" + (f": {last}" if last else "")

    def close(self) -> None:
        """Close its input and give it a moment to go; then as `kill`."""
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.kill()

    def kill(self) -> None:
        """End it and all it started."""
        self._end()


def _read(stream: Any, take: Callable[[str], bool]) -> None:
    """Give the lines of a pipe to `take`, until the pipe ends or it says no. The pipe is closed
    here, where nobody else can be reading it.
    """
    with contextlib.suppress(ValueError, OSError), stream:
        while line := stream.readline(LONGEST_LINE):
            if not take(line.decode("utf-8", "replace").removesuffix("\n")):
                return


def _kill(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    """End a program with its group."""
    over.set()
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5)
    with contextlib.suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()

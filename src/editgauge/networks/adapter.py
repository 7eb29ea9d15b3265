"""Models whose packages cannot be installed beside ours, run as a program of their own: one line
in, one line out.

ImageReward and MedCLIP need versions of transformers and torch of their own. Such a model lives in
another environment and is started as a command; both sides talk JSON, one object a line:

====================  ==========================================================================================
we read first         ``{"adapter": 1, "model": "ImageReward-v1.0", "identity": "sha256 or version"}``
we write              ``{"id": 7, "image": "/path/output.png", "text": "remove the tube"}``
it answers            ``{"id": 7, "value": 0.42}`` or ``{"id": 7, "error": "why there is none"}``
====================  ==========================================================================================

Answers come in the order of the questions. What it prints on standard error is kept for the error
message. It ends when its input is closed. ``examples/imagereward_adapter.py`` and
``examples/medclip_adapter.py`` are such programs.
"""

from __future__ import annotations

import contextlib
import math
import queue
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from editgauge import confinement
from editgauge.errors import UsageError, WeightsError

START_SECONDS = 600.0
"""A model of 2 GB on a slow disk takes minutes to load."""
ANSWER_SECONDS = 300.0
MAX_LINE = 1 << 16
_AHEAD = 256
"""Lines that a program may have written beyond those that were read: it answers one at a time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A value, or why there is none."""

    value: float | None
    error: str = ""


class Adapter:
    """A running adapter program. Use it as a context manager: leaving ends the program.

    `command` is a command line or its words. Raises `UsageError` when it cannot be started and
    `WeightsError` when it does not answer with the line of introduction; both name the command and
    the last thing it said.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        start_seconds: float = START_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._words = shlex.split(command) if isinstance(command, str) else list(command)
        self._answer_seconds = answer_seconds
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 (closed in close)
        try:
            with confinement.starting():
                self._process = subprocess.Popen(
                    self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr
                )
        except (OSError, IndexError, ValueError) as error:
            self._stderr.close()
            raise UsageError(
                f"adapter {' '.join(self._words)!r} cannot be started ({error})"
            ) from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._last = "it ended"
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._next = 0
        try:
            self.model, self.identity = self._introduction(start_seconds)
        except BaseException:
            self._process.kill()  # it has shown that it does not keep to the conversation
            self.close()
            raise

    def _introduction(self, seconds: float) -> tuple[str, str]:
        hello = self._line(seconds)
        if hello.get("adapter") != 1 or not isinstance(hello.get("model"), str):
            raise self._broken('it did not introduce itself with a line {"adapter": 1, "model": …}')
        return hello["model"], str(hello.get("identity", ""))

    def ask(self, image: Path, text: str) -> Answer:
        """The model's value for a picture and a text. Raises `WeightsError` when the program has
        ended or is silent.
        """
        number = self._next
        self._next += 1
        line = orjson.dumps({"id": number, "image": str(image.absolute()), "text": text})
        try:
            assert self._process.stdin is not None
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._broken(self._last) from error
        reply = self._line(self._answer_seconds)
        if reply.get("id") != number:
            raise self._broken(f"it answered question {reply.get('id')!r}, asked was {number}")
        value = reply.get("value")
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return Answer(float(value))
        return Answer(None, str(reply.get("error") or "the adapter gave no finite value")[:500])

    def _read(self) -> None:
        assert self._process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            while line := self._process.stdout.readline(MAX_LINE):
                if self._lines.qsize() >= _AHEAD:
                    self._last = "it says more than it is asked"
                    self._process.kill()
                    break
                self._lines.put(line)
        self._lines.put(None)

    def _line(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise self._broken(f"no answer in {seconds:g} s") from None
        if line is None:
            raise self._broken(self._last)
        try:
            found = orjson.loads(line)
        except orjson.JSONDecodeError:
            found = None
        if not isinstance(found, dict):
            raise self._broken(f"its answer is not a JSON object: {line[:80]!r}")
        return found

    def _broken(self, what: str) -> WeightsError:
        with contextlib.suppress(OSError, ValueError):
            self._stderr.seek(0, 2)
            self._stderr.seek(max(0, self._stderr.tell() - 2000))
            said = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
            if said:
                what = f"{what}; its last words: {said[-1][:300]}"
        return WeightsError(f"adapter {' '.join(self._words)!r}: {what}")

    def close(self) -> None:
        """End the program: close its input, then, if it does not go, kill it."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=5)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._stderr.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

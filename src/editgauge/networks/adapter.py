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

import math
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import orjson

from editgauge.errors import EditgaugeError, WeightsError
from editgauge.services.child import Child, Ended

START_SECONDS = 600.0
"""A model of 2 GB on a slow disk takes minutes to load."""
ANSWER_SECONDS = 300.0


class Answer(NamedTuple):
    """A value, or why there is none."""

    value: float | None
    error: str = ""


class AdapterError(EditgaugeError):
    """A program ended, is silent, or does not keep to the conversation."""


class Adapter:
    """A running adapter program. Use it as a context manager: leaving ends the program.

    `command` is a command line or its words. Raises `WeightsError` when it cannot be started and
    `AdapterError` when it does not answer with the line of introduction; both name the command and
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
        self._next = 0
        try:
            self._child = Child(self._words)
        except (OSError, IndexError, ValueError) as error:
            raise WeightsError(
                f"adapter {' '.join(self._words)!r} cannot be started ({error})"
            ) from error
        try:
            hello = self._line(start_seconds)
            if hello.get("adapter") != 1 or not isinstance(hello.get("model"), str):
                wanted = '{"adapter": 1, "model": …}'
                raise self._broken(f"it did not introduce itself with a line {wanted}")
        except BaseException:
            self._child.kill()  # it has shown that it does not keep to the conversation
            raise
        self.model, self.identity = hello["model"], str(hello.get("identity", ""))

    def ask(self, image: Path, text: str) -> Answer:
        """The model's value for a picture and a text. Raises `AdapterError` when the program
        has ended or is silent.
        """
        number = self._next
        self._next += 1
        line = orjson.dumps({"id": number, "image": str(image.absolute()), "text": text})
        reply = self._line(self._answer_seconds, line)
        if reply.get("id") != number:
            raise self._broken(f"it answered question {reply.get('id')!r}, asked was {number}")
        value = reply.get("value")
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return Answer(float(value))
        return Answer(None, str(reply.get("error") or "the adapter gave no finite value")[:500])

    def _line(self, seconds: float, question: bytes = b"") -> dict[str, Any]:
        """The next line as an object, after a question where there is one."""
        deadline = time.monotonic() + seconds
        try:
            if question:
                self._child.write(question, deadline)
            line = self._child.read(deadline)
        except TimeoutError:
            raise self._broken(f"no answer in {seconds:g} s") from None
        except Ended as error:
            raise self._broken(str(error)) from error
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError:
            value = None
        if not isinstance(value, dict):
            raise self._broken(f"its answer is not a JSON object: {line[:80]!r}")
        return value

    def _broken(self, what: str) -> AdapterError:
        return AdapterError(f"adapter {' '.join(self._words)!r}: {what}")

    def close(self) -> None:
        """End the program: close its input, then, if it does not go, kill it."""
        self._child.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

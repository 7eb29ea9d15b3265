"""Metrics of models whose packages cannot be installed beside ours, run as a program of their own:
one line of JSON in, one line out.

Such a model lives in another environment and is started as a command
(``examples/imagereward_adapter.py`` is one):

- it says first ``{"adapter": 1, "model": "ImageReward-v1.0", "identity": "sha256 or version"}``
- we write ``{"id": 7, "image": "/path/output.png", "text": "remove the tube"}``
- it answers ``{"id": 7, "value": 0.42}`` or ``{"id": 7, "error": "why there is none"}``
"""

from __future__ import annotations

import hashlib
import math
import os
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge import images
from editgauge.errors import EditgaugeError, ImageError, WeightsError
from editgauge.scoring import NoScore, failure, text_of
from editgauge.scoring.scorer import Scorer
from editgauge.services.child import Child, Ended
from editgauge.types import Edit, JsonMapping, JsonObject, Metric, Sample, Score, Status, Track

START_SECONDS, ANSWER_SECONDS = 600.0, 300.0
"""A model of 2 GB on a slow disk takes minutes to load."""


class AdapterError(EditgaugeError):
    """A program ended, is silent, or does not keep to the conversation."""


class Adapter:
    """A running adapter program; `command` is a command line. Raises `WeightsError` when it cannot
    be started and `AdapterError` when it does not introduce itself.
    """

    def __init__(self, command: str, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self._command, self._seconds, self._next = command, answer_seconds, 0
        try:
            self._child = Child(shlex.split(command))
        except (OSError, IndexError, ValueError) as error:
            raise WeightsError(f"adapter {command!r} cannot be started ({error})") from error
        hello = self._said(START_SECONDS)
        if hello.get("adapter") != 1 or not hello.get("model"):
            wanted = '{"adapter": 1, "model": …}'
            raise self._broken(f"it did not introduce itself with a line {wanted}")
        self.about = {n: str(hello[n]) for n in ("model", "identity") if hello.get(n)}

    def ask(self, image: Path, text: str) -> float:
        """The model's value for a picture and a text. Raises `NoScore` where it has none, and
        `AdapterError` when the program has ended, is silent or answers something else.
        """
        number, self._next = self._next, self._next + 1
        question = {"id": number, "image": str(image.absolute()), "text": text}
        reply = self._said(self._seconds, question)
        if reply.get("id") != number:
            raise self._broken(f"it answered question {reply.get('id')!r}, asked was {number}")
        value = reply.get("value")
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        why = str(reply.get("error") or "the adapter gave no finite value")[:500]
        raise NoScore(Status.FAILED, f"{self.about['model']}: {why}")

    def _said(self, seconds: float, question: JsonMapping | None = None) -> JsonObject:
        try:
            if question:
                self._child.write(question)
            return self._child.read(time.monotonic() + seconds)
        except TimeoutError:
            raise self._broken(f"no answer in {seconds:g} s") from None
        except Ended as error:
            raise self._broken(str(error)) from error

    def _broken(self, what: str) -> AdapterError:
        self._child.kill()
        _running.pop(self._command, None)  # the next question starts it anew
        return AdapterError(f"adapter {self._command!r}: {what}")


_running: dict[str, Adapter] = {}
"""Command -> its program, started once; it ends with this process."""


@dataclass(frozen=True, kw_only=True)
class AdapterScorer(Scorer):
    """Values of a model that runs as a program of its own, asked with a picture and a text.

    `inputs` are the fields of a sample that hold the texts of `metrics`, one each. The environment
    variable ``EDITGAUGE_<NAME>`` has the command; without it nothing is measured.
    """

    name: str
    title: str
    metrics: tuple[Metric, ...]
    inputs: tuple[str, ...]
    track: Track = "embedding"
    batch: int = 64

    @property
    def _variable(self) -> str:
        return f"EDITGAUGE_{self.name.upper()}"

    def origin(self) -> JsonMapping:
        """The command as a hash (it holds this machine's paths), and whether there is one."""
        command = os.environ.get(self._variable, "").encode()
        digest = hashlib.blake2b(command, digest_size=16).hexdigest() if command else None
        return {"adapter": self.title, "command": digest}

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        if edit.path is None:
            raise ImageError("there is no output")
        if not (command := os.environ.get(self._variable)):
            raise WeightsError(
                f"{self.title} runs in an environment of its own: set {self._variable} to the "
                f"command that starts examples/{self.name}_adapter.py there"
            )
        images.read_header(edit.path)  # a file that is no picture is not the model's failure
        scores = []
        for metric, name in zip(self.metrics, self.inputs, strict=True):
            try:
                text = text_of(sample, name)
                adapter = _running.get(command) or _running.setdefault(command, Adapter(command))
                value = adapter.ask(edit.path, text)
                scores.append(Score(metric=metric.name, value=value, detail=adapter.about))
            except Exception as error:  # one text's fault, or the program's
                scores.append(NoScore(*failure(error, edit)).score(metric.name))
        return scores

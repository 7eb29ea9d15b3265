"""Scores by a program of its own (ImageReward, MedCLIP): see `networks.adapter`."""

from __future__ import annotations

import atexit
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from editgauge import images
from editgauge.errors import EditgaugeError, ImageError, WeightsError
from editgauge.networks.adapter import Adapter, AdapterError
from editgauge.scoring.failures import all_without, detail_of, failure, field_of
from editgauge.scoring.scorer import Pair, Scorer
from editgauge.types import Edit, Metric, Sample, Score, Status, Track


@dataclass(frozen=True, kw_only=True)
class AdapterScorer(Scorer):
    """Values of a model that runs as a program in an environment of its own, asked with a picture
    and a text.

    `measures` pairs a metric with the sample's field that holds its text.
    The command comes from `command`, else from the environment variable `variable`; without either
    every pair fails with what to set. The program runs as long as this process and answers one
    question at a time.
    """

    name: str
    title: str
    variable: str
    example: str
    measures: tuple[tuple[Metric, str], ...]
    command: str | None = None
    track: Track = "embedding"
    batch: int = 64
    metrics: tuple[Metric, ...] = field(init=False)
    inputs: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        put("metrics", tuple(metric for metric, _ in self.measures))
        put("inputs", tuple(dict.fromkeys(name for _, name in self.measures)))

    def origin(self) -> Mapping[str, Any]:
        """The command as a hash (it holds this machine's paths), and whether there is one."""
        command = self._command()
        digest = (
            None
            if command is None
            else hashlib.blake2b(command.encode(), digest_size=16).hexdigest()
        )
        return {"adapter": self.title, "command": digest}

    def _command(self) -> str | None:
        return self.command or os.environ.get(self.variable) or None

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        command = self._command()
        try:
            if command is None:
                raise WeightsError(
                    f"{self.title} runs in an environment of its own: set {self.variable} to the "
                    f"command that starts "
                    f"{self.example} there"
                )
            adapter = _running(command)
        except EditgaugeError as error:
            yield from enumerate(all_without(self.metrics, len(pairs), error))
            return
        for number, (sample, edit) in enumerate(pairs):
            yield number, self._scores(adapter, command, sample, edit)

    def _scores(self, adapter: Adapter, command: str, sample: Sample, edit: Edit) -> list[Score]:
        scores = []
        for metric, text in self.measures:
            try:
                scores.append(self._score(adapter, metric, sample, edit, field_of(sample, text)))
            except Exception as error:  # one pair's fault, or the program's: its status and reason
                if isinstance(error, AdapterError):
                    _forget(command)  # it is broken or gone: the next batch starts it anew
                status, reason = failure(error, sample, edit)
                scores.append(Score(metric=metric.name, value=None, status=status, reason=reason))
        return scores

    def _score(
        self, adapter: Adapter, metric: Metric, sample: Sample, edit: Edit, text: str
    ) -> Score:
        del sample
        if edit.path is None:
            raise ImageError("there is no output", path=None)
        images.read_header(edit.path)  # a file that is no picture is not the model's failure
        answer = adapter.ask(edit.path, text)
        if answer.value is None:
            return Score(
                metric=metric.name,
                value=None,
                status=Status.FAILED,
                reason=f"{self.title}: {answer.error}",
            )
        return Score(
            metric=metric.name,
            value=answer.value,
            detail=detail_of(model=adapter.model, identity=adapter.identity),
        )


_RUNNING: dict[str, Adapter] = {}


def _running(command: str) -> Adapter:
    if command not in _RUNNING:
        _RUNNING[command] = Adapter(command)
    return _RUNNING[command]


def _forget(command: str) -> None:
    adapter = _RUNNING.pop(command, None)
    if adapter is not None:
        adapter.close()


def close_all() -> None:
    """End every adapter program of this process."""
    for command in list(_RUNNING):
        _forget(command)


atexit.register(close_all)

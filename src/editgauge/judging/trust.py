"""Can this judge be trusted today? Two questions, asked before a long run: does it see (digits that
it must read), and does it tell a finished edit from an untouched picture? Scores of different
scales are compared as shares of their scale.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import cv2
import numpy as np

from editgauge import catalog
from editgauge.images import Array, write_png
from editgauge.judging.asking import Job
from editgauge.judging.engine import Engine
from editgauge.judging.prompts import choose
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range
from editgauge.judging.reading import read
from editgauge.judging.scores import ExchangeResult
from editgauge.types import Edit

SAMPLES = ("replace-01", "replace-02", "replace-03", "replace-06", "delete-04")
"""One sample or two of each protocol, each with an untouched and a perfect result."""
DIGITS = (7, 2, 4)
"""What the three pictures of the sight test show; a judge that guesses is right once in 1,000."""
FEWEST = 5
"""Differing pairs below which no sign test can reach 0.05."""
_WORDS = {True: "passed", False: "FAILED", None: "too few scores for a verdict"}
Shares = Mapping[str, float]
"""``sample/editor/metric`` -> a score as its share of the scale, where there is one."""


class Finished(NamedTuple):
    """Perfect results against untouched ones: so many scores of both, how many are better, equal,
    worse, the one-sided sign test's p (None: too few), and the mean gain, a share of the scale.
    """

    n: int
    better: int
    equal: int
    worse: int
    p: float | None
    gain: float

    @property
    def passed(self) -> bool | None:
        return None if self.p is None else self.p <= 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a judge said: the digits that it read (None where it gave none), and perfect against
    untouched results.
    """

    read: tuple[int | None, ...]
    finished: Finished
    scores: Shares

    @property
    def sees(self) -> bool:
        return self.read == DIGITS

    def lines(self) -> list[str]:
        """The answers in words."""
        wanted, said = (" ".join(map(str, digits)) for digits in (DIGITS, self.read))
        seen = f"sight: it reads the digits {wanted} of three pictures: passed"
        if not self.sees:
            seen = f"sight: FAILED: pictures show {wanted}, it read {said}: its scores mean nothing"
        it = self.finished
        edits = (
            f"finished edits: perfect above untouched in {it.better} of {it.n} scores ({it.equal} "
            f"equal, {it.worse} below), mean gain {it.gain:+.2f} of the scale: {_WORDS[it.passed]}"
        )
        return [seen, edits]

    def as_json(self) -> dict[str, Any]:
        told = {**self.finished._asdict(), "passed": self.finished.passed}
        return {"sees": self.sees, "read": self.read, "finished": told, "scores": self.scores}


def probe(engine: Engine, folder: Path) -> Probe:
    """Ask both questions. The pictures are written below `folder`; an answer of the same day is not
    paid for again. Raises `EditgaugeError` where no judge answers.
    """
    today = int(time.time() // 86_400)  # as a repeat: another day is asked anew
    prompts = choose(catalog.find("benchmarks", "mini"))
    jobs = [
        Job(call, today, {"sample": sample.id, "editor": editor, "for": "probe"})
        for sample in catalog.find("benchmarks", "mini").load(None)
        if sample.id in SAMPLES
        for editor, path in (("untouched", sample.image), ("perfect", sample.reference))
        for call in prompts.track.calls(
            sample, Edit(sample=sample.id, editor=editor, path=path), prompts.rubrics, {}
        )
    ]
    sight = _sight(folder)
    digits = _heard(engine, [Job(sight, today, {"sample": "", "editor": "", "for": "probe"})])
    read_digits = (digits.get(f"//{name}") for name in sight.metrics)
    scores = _heard(engine, jobs)
    return Probe(
        read=tuple(None if share is None else round(9 * share) for share in read_digits),
        finished=finished(scores),
        scores=scores,
    )


def _heard(engine: Engine, jobs: Sequence[Job]) -> dict[str, float]:
    """``sample/editor/metric`` -> each number that the judge gave, as its share of the scale."""
    shares: dict[str, float] = {}

    def done(job: Job, exchange: ExchangeResult) -> None:
        readings = read(job.call, exchange.last, cut_off=exchange.cut_off).readings
        for name, metric in job.call.metrics.items():
            value, scale = readings[name].value, job.call.fields[name]
            if value is not None:
                place = f"{job.about['sample']}/{job.about['editor']}/{metric}"
                shares[place] = (value - scale.low) / (scale.high - scale.low)

    engine.run(jobs, done)
    return dict(sorted(shares.items()))


def _sight(folder: Path) -> Call:
    """What three small pictures show."""
    parts: list[str | Picture] = ["Each picture shows one digit. Which one?"]
    names = []
    for number, digit in enumerate(DIGITS, start=1):
        path = folder / f"digit-{digit}.png"
        write_png(path, digit_picture(digit))
        parts += [f"Picture {number}:", Picture(path, f"digit {number}")]
        names.append(f"picture_{number}")
    return Call(
        name="sight",
        parts=tuple(parts),
        reply={**VISIBLE, **dict.fromkeys(names, Range(0, 9))},
        metrics={name: name for name in names},
        rubric="sight 3",
    )


def finished(scores: Shares) -> Finished:
    """Perfect results against untouched ones. Metrics of what was not to change are as high for an
    untouched picture: their pairs are equal, and equal pairs speak for nobody.
    """
    gains = [
        perfect - scores[untouched]
        for name, perfect in scores.items()
        if "/perfect/" in name and (untouched := name.replace("/perfect/", "/untouched/")) in scores
    ]
    better, worse = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    differing, p = better + worse, None
    if len(gains) >= FEWEST:
        p = sum(math.comb(differing, k) for k in range(better, differing + 1)) / 2**differing
    mean = math.fsum(gains) / len(gains) if gains else 0.0
    return Finished(len(gains), better, len(gains) - differing, worse, p, mean)


def digit_picture(digit: int) -> Array:
    """A digit on a plain ground: shape (160, 160, 3), uint8."""
    picture = np.full((160, 160, 3), 235, np.uint8)
    cv2.putText(picture, str(digit), (44, 116), cv2.FONT_HERSHEY_SIMPLEX, 3.6, (30, 30, 120), 12)
    return picture

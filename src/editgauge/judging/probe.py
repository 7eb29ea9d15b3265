"""Does this judge see? Three pictures of digits that it must read: one call, before a long run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from editgauge.images import Array, write_png
from editgauge.judging.asking import Job
from editgauge.judging.engine import Engine
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range
from editgauge.judging.reading import ExchangeResult, read

DIGITS = (7, 2, 4)
"""What the pictures show; a judge that guesses is right once in 1,000."""


def digits(engine: Engine, folder: Path) -> Sequence[int | None]:
    """The digits that the judge reads, None where it gives none; an answer of the same day is not
    paid for again. Raises `EditgaugeError` where no judge answers.
    """
    parts: list[str | Picture] = ["Each picture shows one digit. Which one?"]
    names = [f"picture_{number}" for number, _ in enumerate(DIGITS, start=1)]
    for name, digit in zip(names, DIGITS, strict=True):
        path = folder / f"digit-{digit}.png"
        write_png(path, digit_picture(digit))
        parts += [f"{name}:", Picture(path, name)]
    reply = {**VISIBLE, **dict.fromkeys(names, Range(0, 9))}
    call = Call(name="sight", parts=tuple(parts), reply=reply, metrics={}, rubric="sight 4")
    heard: list[ExchangeResult] = []
    today = int(time.time() // 86_400)  # as a repeat: another day is asked anew
    engine.run([Job(call, today, {"for": "probe"})], lambda job, result: heard.append(result))
    last = heard[0] if heard else ExchangeResult()
    readings = read(call, last.last, cut_off=last.cut_off).readings
    return [readings[name].value for name in names]


def digit_picture(digit: int) -> Array:
    """A digit on a plain ground: shape (160, 160, 3), uint8."""
    picture = np.full((160, 160, 3), 235, np.uint8)
    cv2.putText(picture, str(digit), (44, 116), cv2.FONT_HERSHEY_SIMPLEX, 3.6, (30, 30, 120), 12)
    return picture

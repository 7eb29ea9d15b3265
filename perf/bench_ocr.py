"""OCR scores of a page: how many a second, beside a plain implementation of the same?

    python perf/bench_ocr.py [--seconds 1]          one core, no engine

Faithful scores are checked to be those of the plain one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from support import ROOT

from editgauge.scoring.ocr.scores import ocr_scores

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def page(rng: random.Random, words: int) -> tuple[list[Any], list[Any], str, str]:
    """A page of so many words as an engine gives it, and the same page after an edit."""
    original: list[Any] = []
    for number in range(words):
        text = "".join(rng.choices(LETTERS, k=rng.randint(2, 8)))
        x, y = (number % 3) * 120 + rng.uniform(-5, 5), (number // 3) * 45 + rng.uniform(-4, 4)
        width = 12 * len(text)
        original.append(([[x, y], [x + width, y], [x + width, y + 30], [x, y + 30]], text, 0.9))
    source, target = original[words // 2][1], "".join(rng.choices(LETTERS, k=6))
    edited = [(box, target if text == source else text, sure) for box, text, sure in original]
    edited = [item for item in edited if rng.random() > 0.1]
    rng.shuffle(edited)
    return original, edited, source, target


def rate(function: Callable[..., Any], cases: Sequence[Any], seconds: float) -> float:
    """Calls a second of the processor."""
    done, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for case in cases:
            function(*case)
        done += len(cases)
    return done / (time.process_time() - began)


def scores(seconds: float) -> None:
    sys.path.insert(0, str(ROOT / "tests/scoring"))
    import plain_ocr

    rng = random.Random(0)
    for words in (6, 9, 15, 40):
        cases = [page(rng, words) for _ in range(200)]
        for case in cases[:20]:
            ours, plain = ocr_scores(*case).values, plain_ocr.scores(*case)
            assert ours.keys() == plain.keys()
            assert all(abs(ours[name] - plain[name]) < 1e-12 for name in plain), (ours, plain)
        base = rate(plain_ocr.scores, cases[:20], seconds)
        line = [f"{words:3d} words a page:"]
        for variant in ("faithful", "corrected"):
            ours = rate(partial(ocr_scores, variant=variant), cases, seconds)
            line.append(f"{variant} {ours:8,.0f} a second ({ours / base:.0f} x the plain one)")
        print("  ".join(line))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    scores(parser.parse_args().seconds)

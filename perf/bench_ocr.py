"""What does the OCR track cost: its scores beside a plain implementation, its engine beside all else?

    python perf/bench_ocr.py                        scores a second, one core
    python perf/bench_ocr.py engine DATA OUTPUTS    TextEdit's data: seconds a picture

`--limit N`: fewer samples; `--engine NAME`: another engine than rapidocr.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from support import ROOT, folder, timed

from editgauge import catalog
from editgauge.scoring.ocr.scorers import ocr_scorers
from editgauge.scoring.ocr.scores import ocr_scores
from editgauge.types import Edit, Sample

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
        base = rate(plain_ocr.scores, cases[:20], seconds)
        line = [f"{words:3d} words a page:"]
        for variant in ("faithful", "corrected"):
            ours = rate(partial(ocr_scores, variant=variant), cases, seconds)
            line.append(f"{variant} {ours:8,.0f} a second ({ours / base:.0f} x the plain one)")
        print("  ".join(line))


class Counted:
    """The time inside rapidocr's own library, and calls of it."""

    def __init__(self) -> None:
        from editgauge.ocr import rapid

        self.seconds, self.calls, self._call = 0.0, 0, rapid._call
        rapid._call = self

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        seconds, value = timed(lambda: self._call(*arguments, **options))
        self.seconds += seconds.wall
        return value


def pairs_of(data: Path, outputs: Path, limit: int) -> list[tuple[Sample, Edit]]:
    pairs = []
    for sample in list(catalog.find("benchmarks", "textedit").load(data))[:limit]:
        for model in sorted(path for path in outputs.iterdir() if path.is_dir()):
            path = next(model.glob(f"{sample.output_stems[0]}.*"), None)
            if path is not None:
                pairs.append((sample, Edit(sample=sample.id, editor=model.name, path=path)))
    return pairs


def score(pairs: Sequence[tuple[Sample, Edit]], engine: str, cache: Path) -> None:
    (scorer,) = ocr_scorers(cache=cache, ocr_engine=engine)
    for sample, edit in pairs:
        scorer.score(sample, edit)


def engine(data: Path, outputs: Path, name: str, limit: int) -> None:
    pairs = pairs_of(data, outputs, limit)
    pictures = len(pairs) + len({sample.id for sample, _ in pairs})
    counted = Counted()
    with folder() as place:
        score(pairs[:1], name, place / "warm")
        counted.seconds, counted.calls = 0.0, 0
        seconds, _ = timed(lambda: score(pairs, name, place / "cache"))
        again, _ = timed(lambda: score(pairs, name, place / "cache"))
    print(f"{pictures} pictures: {seconds}, {seconds.wall / pictures:.3f} s a picture")
    if counted.calls:
        outside = (seconds.wall - counted.seconds) / seconds.wall
        print(f"outside the engine: {outside:.1%} ({counted.calls} calls of it)")
    print(f"once more, from the store: {again}, {seconds.wall / again.wall:.0f} x faster")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("scores", "engine"), default="scores")
    parser.add_argument("paths", nargs="*", type=Path, metavar="DATA OUTPUTS")
    parser.add_argument("--engine", default="rapidocr")
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement of scores")
    given = parser.parse_args()
    if given.what == "scores":
        scores(given.seconds)
    elif len(given.paths) == 2:
        engine(*given.paths, given.engine, given.limit)
    else:
        parser.error("engine: wanted DATA and OUTPUTS")


if __name__ == "__main__":
    main()

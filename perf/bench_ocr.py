"""What the OCR track costs, as ratios: the scores against a plain implementation, the engine
against all the rest.

    python perf/bench_ocr.py                        cases a second of `ocr_scores`, one core
    python perf/bench_ocr.py engine DATA OUTPUTS    TextEdit's data: seconds a picture, share outside the engine
    python perf/bench_ocr.py quotes DATA            TextEditBench's data: how often quoted text is read

`--engine NAME` takes another engine than rapidocr, `--limit N` fewer samples.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from editgauge.ocr import Reader, open_reader
from editgauge.scoring.ocr.scores import ocr_scores

ROOT = Path(__file__).resolve().parents[1]


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ----------------------------------------------------------------------------------------- scores
def page(rng: random.Random, words: int) -> tuple[list[Any], list[Any], str, str]:
    """A page of so many words as an engine gives it, and the same page after an edit."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    original: list[Any] = []
    for number in range(words):
        text = "".join(rng.choices(letters, k=rng.randint(2, 8)))
        x, y = (number % 3) * 120 + rng.uniform(-5, 5), (number // 3) * 45 + rng.uniform(-4, 4)
        width = 12 * len(text)
        original.append(([[x, y], [x + width, y], [x + width, y + 30], [x, y + 30]], text, 0.9))
    source, target = original[words // 2][1], "".join(rng.choices(letters, k=6))
    edited = [
        (polygon, target if text == source else text, sure) for polygon, text, sure in original
    ]
    edited = [item for item in edited if rng.random() > 0.1]
    rng.shuffle(edited)
    return original, edited, source, target


def _rate(function: Any, cases: list[Any], seconds: float) -> float:
    done, began = 0, time.process_time()
    while time.process_time() - began < seconds:
        for case in cases:
            function(*case)
        done += len(cases)
    return done / (time.process_time() - began)


def scores(seconds: float) -> None:
    plain = _load(ROOT / "tests" / "scoring" / "plain_ocr.py")
    rng = random.Random(0)
    for words in (6, 9, 15, 40):
        cases = [page(rng, words) for _ in range(200)]
        base = _rate(plain.scores, cases[:20], seconds)
        line = [f"{words:3d} words a page:"]
        for variant in ("faithful", "corrected"):
            rate = _rate(partial(ocr_scores, variant=variant), cases, seconds)
            line.append(f"{variant} {rate:8,.0f} a second ({rate / base:.0f} x the plain one)")
        print("  ".join(line))


# ----------------------------------------------------------------------------------------- engine
class Timed:
    """Counts the time inside the engine's own library."""

    def __init__(self) -> None:
        from editgauge.ocr import rapid

        self.seconds, self.calls, self._call = 0.0, 0, rapid._call
        rapid._call = self

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        began = time.perf_counter()
        try:
            return self._call(*arguments, **options)
        finally:
            self.seconds += time.perf_counter() - began
            self.calls += 1


def _pairs(data: Path, outputs: Path, limit: int) -> list[tuple[Any, Any]]:
    from editgauge import catalog
    from editgauge.types import Edit

    found = []
    for sample in list(catalog.find("benchmarks", "textedit").load(data))[:limit]:
        for folder in sorted(path for path in outputs.iterdir() if path.is_dir()):
            path = next(folder.glob(f"{sample.output_stems[0]}.*"), None)
            if path is not None:
                found.append((sample, Edit(sample=sample.id, editor=folder.name, path=path)))
    return found


def _score_all(pairs: list[tuple[Any, Any]], engine: str, cache: Path) -> None:
    from editgauge.scoring.ocr.scorers import ocr_scorers

    (scorer,) = ocr_scorers(cache=cache, ocr_engine=engine)
    for sample, edit in pairs:
        scorer(sample, edit)


def engine(data: Path, outputs: Path, name: str, limit: int) -> None:
    pairs = _pairs(data, outputs, limit)
    samples = len({sample.id for sample, _ in pairs})
    pictures = len(pairs) + samples
    print(f"{len(pairs)} outputs of {samples} samples: {pictures} pictures")
    timed = Timed() if name == "rapidocr" else None
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "one"
        _score_all(pairs[:1], name, Path(folder) / "warm")
        if timed:
            timed.seconds, timed.calls = 0.0, 0
        began, used = time.perf_counter(), time.process_time()
        _score_all(pairs, name, cache)
        wall, used = time.perf_counter() - began, time.process_time() - used
        print(
            f"one process: {wall:.1f} s, {wall / pictures:.3f} s a picture, {used / wall:.2f} "
            f"cores busy"
        )
        if timed:
            print(
                f"outside the engine: {100 * (wall - timed.seconds) / wall:.1f} % ({timed.calls} "
                f"calls of it)"
            )
        began = time.perf_counter()
        _score_all(pairs, name, cache)
        again = time.perf_counter() - began
        print(f"once more, from the store: {again:.2f} s, {wall / again:.0f} x faster")
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
            list(pool.map(_score_all, [pairs[:1]] * 2, [name] * 2, [Path(folder) / "warm2"] * 2))
            began = time.perf_counter()
            halves = [pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]]
            list(pool.map(_score_all, halves, [name] * 2, [Path(folder) / "two"] * 2))
            two = time.perf_counter() - began
        print(
            f"two processes: {two:.1f} s, {two / pictures:.3f} s a picture, {wall / two:.2f} x one"
        )


# ----------------------------------------------------------------------------------------- quotes
def _reads(reader: Reader, path: Path, words: str) -> float:
    """1 when the words are read as a whole somewhere, else the best similarity to a line."""
    from editgauge.metrics.text import language_of, normalise, occurrences, similarity
    from editgauge.scoring.ocr.lines import boxes_of, line_text, lines_of

    if reader.engine.own_language(language_of(words)) is None:
        return 0.0  # a script that the engine does not know is text that it does not read
    found = lines_of(boxes_of(reader(path, language_of(words)), True), True)
    lines = [line_text(line, True, " ") for line in found]
    if any(occurrences(text, words) for text in [*lines, " ".join(lines)]):
        return 1.0
    return max((similarity(normalise(line), normalise(words)) for line in lines), default=0.0)


def quotes(data: Path, name: str, limit: int) -> None:
    """Source texts (and those to be moved, scaled…) on the input, targets on the reference,
    where there is one.
    """
    from editgauge import catalog
    from editgauge.instructions import read_instruction

    reader = open_reader(name)
    tally: Counter[str] = Counter()
    instances = list(catalog.find("benchmarks", "texteditbench").load(data))[:limit]
    for sample in instances:
        parsed = read_instruction(sample.instruction, str(sample.attributes.get("operation", "")))
        wanted = [
            (sample.image, "input", text) for text in parsed.sources or (parsed.source,) if text
        ]
        wanted += [(sample.image, "input", parsed.anchor)] if parsed.anchor else []
        wanted += (
            [(sample.reference, "reference", parsed.target)]
            if parsed.target and sample.reference
            else []
        )
        for path, where, text in wanted:
            if not path.is_file():
                continue
            value = _reads(reader, path, text)
            tally[where] += 1
            tally[f"{where} read"] += value == 1.0
            if value < 1.0:
                print(
                    f"  not read on the {where} of {sample.id}: {text!r} (most similar line: "
                    f"{value:.2f})"
                )
    for where in ("input", "reference"):
        print(
            f"{where}: {tally[f'{where} read']} of {tally[where]} quoted texts read in full, "
            f"{reader.label}"
        )
    print(f"{len(instances)} instances")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", choices=("scores", "engine", "quotes"), default="scores")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--engine", default="rapidocr")
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=1.0)
    given = parser.parse_args(arguments)
    if given.what == "scores":
        scores(given.seconds)
    elif given.what == "engine":
        engine(given.paths[0], given.paths[1], given.engine, given.limit)
    else:
        quotes(given.paths[0], given.engine, given.limit)


if __name__ == "__main__":
    main(sys.argv[1:])

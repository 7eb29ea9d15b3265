"""How the processor time of every reader of outside text grows: the slope of log time over log size
for texts of one awkward piece over and over. A reader that is linear has a slope of about 1.

    python perf/bench_readers.py [--bytes 1000000] [--aim 1.1] [--reader NAME] [--patterns]

Each text is read at sizes that grow by eight up to `--bytes`. Where the time of two neighbours
rises by more than the aim, it is read again with care at four sizes (least squares), from half of
the larger one to its fourfold; the steepest of these is what is told. A reader that refuses a text
from some size on ("limit") has no growth beyond: there it is enough that the longest reading below
the limit takes no more than `BOUND` seconds; the reader of answers, for one, reads in three ways,
one after the other, where the first says nothing, and refuses more than 5,000 braces. `--patterns`
gives the readers texts that are made from the package's own regular expressions
(`pattern_attacks`) instead, at sizes up to 64 kB.

What is not the reader's is kept out, since a slope of 1.1 is a rise of 7 % for the double size:

- The first reading of a size is not counted: it takes its memory from the system page by page,
  which costs more for each byte as soon as a text is larger than what the allocator had. The
  allocator is told to keep what it has got (`WARM`), and the least of several readings counts.
  Without that a large block comes from the system at each reading anew: a reader of JSON that takes
  0.033 µs a letter at each size from 0.25 to 8 million seemed to take half as much again from
  4 million on, a slope of 1.2.
- The collector of garbage is off while a text is read, and what was there before is frozen: it
  looks at every object of the process, which are not the reader's.
- Processor time is counted, not the clock's; making the files that hold a text is not part of it.
- A step where a text outgrows a cache of the processor is over beyond some size; growth is not.

The last line says the most memory that the process had.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import itertools
import math
import os
import resource
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from perf.pattern_attacks import Attack, attacks, patterns  # noqa: E402
from perf.readers import MAKING, READERS, REPLIES  # noqa: E402

from editgauge.errors import EditgaugeError  # noqa: E402

WARM = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 40),
    "MALLOC_TOP_PAD_": str(1 << 26),
}
SMALLEST = 1_000
"""Characters of the first reading at the least."""
STEP = 8
SHORTEST = 0.02
"""Seconds of a reading that has a slope."""
BOUND = 0.5
LONGEST = 5.0
"""Seconds after which larger texts of a kind are not tried."""
PIECES = (
    " ", "\t", "\n", "\r\n", "{", "}", "[", "]", "(", '"', "'", "“", "「", "\\", '\\"', "-", "|", "| --- ",
    "#", "*", "`", ":", ",", ";", ".", "/", "/a", "a/", "_", "=", "<", "<think>", "</think>", "&", "1", "1.",
    "9,", "a", "a b ", "é", "e\u0301", "\u0300", "\u202e", "\x1b]8;;", "\ud800", "😀", "accuracy", "accuracy: ",
    '"accuracy":', '{"a":', "score 4 ", "replace 'a' with 'b' ", "```json\n", "**", "[[a]]\n", "'a' + b + ", "a.", "a = 1\n",
    "sk-", "Bearer ", "http://a:", "C:\\", "x" * 50 + "\n",
    '{"a":[', '[{', "[[", "{{", "((", "${", "$(", "\\(", "\\begin{a}", "<a>", "<b><i>", "<td>", "<!--", "<![CDATA[", "&#", "&amp;",
    "> ", "- ", "* * ", "**a", "~~~\n", "![", "](", "://", "a:b@", "\0", "\x9b", "\u2028", "\u200d", "=1+1,", '""', '",', "\\u12", "1e9",
    "0.", "a=1 ", "a\\", "'''\n", "a.b.", "%s", "{}", "a = [", "a = {b = ", "'a' + b + ", "4/5 ", "score: ", "not 4 but 5. ", "f(a=",
)  # fmt: skip
CLASSES = tuple(
    next(letter for letter in map(chr, range(0x10FFFF, 0, -1)) if unicodedata.category(letter) == kind)
    for kind in ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
                 "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn")
)  # fmt: skip
"""The last letter of each class of Unicode."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The slope of one text (None: too short to have one), and the seconds of each size."""

    text: Attack
    slope: float | None
    seconds: dict[int, float]
    limit: bool = False

    def above(self, aim: float) -> bool:
        bounded = self.limit and max(self.seconds.values()) <= BOUND
        return (self.slope or 0.0) > aim and not bounded


def seconds(reader: Callable[[str], object], text: str, times: int = 1) -> float:
    """Processor seconds of a reading, the least of `times`."""
    taken = []
    for _ in range(times):
        began, made = time.process_time(), MAKING.seconds
        with contextlib.suppress(EditgaugeError, ValueError):
            reader(text)
        taken.append(time.process_time() - began - (MAKING.seconds - made))
        if taken[-1] > LONGEST:
            break
    return min(taken)


def growth(reader: Callable[[str], object], text: Attack, longest: int, aim: float) -> Growth:
    """How the time of a text grows up to `longest` characters; with care where it seems to grow by
    more than `aim`.
    """
    found: dict[int, float] = {}
    for size in sizes(longest):
        found[size] = seconds(reader, text.text(size))
        if found[size] > LONGEST:
            break
    if max(_steps(found).values(), default=0.0) > aim:  # the first reading may be the dearer one
        for size, taken in found.items():
            found[size] = min(taken, seconds(reader, text.text(size)))
    steps = _steps(found)
    if not steps:
        return Growth(text, None, found)
    steepest = max(steps, key=lambda size: steps[size])
    slope = steps[steepest]
    if slope <= aim:
        return Growth(text, slope, found)
    limit = any(0.5 * found[steepest] > one for size, one in found.items() if size > steepest)
    if limit:
        for times in (1.3, 1.7, 2.2, 3, 4, 5.5):
            size = int(steepest * times)
            found[size] = seconds(reader, text.text(size), 2)
    elif found[steepest] < LONGEST:
        slope = _with_care(reader, text, steepest)
    return Growth(text, slope, dict(sorted(found.items())), limit)


def sizes(longest: int) -> list[int]:
    """The sizes that are tried first, each eight times as long as the one before."""
    found = [longest]
    while found[0] // STEP >= SMALLEST:
        found.insert(0, found[0] // STEP)
    return found


def _steps(found: dict[int, float]) -> dict[int, float]:
    """The slope to each size that took long enough from the one before."""
    return {
        b: math.log(found[b] / max(found[a], 1e-6)) / math.log(b / a)
        for a, b in itertools.pairwise(found)
        if found[b] >= SHORTEST
    }


def _with_care(reader: Callable[[str], object], text: Attack, size: int) -> float:
    """The slope by least squares over four sizes, each twice the one before, from half of `size` to
    its fourfold; up to its half where that takes too long. They are read in turns, so that what
    disturbs the machine for a while disturbs all of them.
    """
    begin = size // 2 if seconds(reader, text.text(size)) < LONGEST / 4 else size // 16
    sizes = [begin, begin * 2, begin * 4, begin * 8]
    taken = [
        [seconds(reader, made) for made in (text.text(length) for length in sizes)]
        for _ in range(5)
    ]
    return least_squares(sizes, [min(times) for times in zip(*taken, strict=True)])


def least_squares(sizes: Sequence[int], taken: Sequence[float]) -> float:
    """The slope of log time over log size."""
    across = [math.log(size) for size in sizes]
    along = [math.log(max(one, 1e-6)) for one in taken]
    x, y = sum(across) / len(across), sum(along) / len(along)
    over = sum((a - x) * (b - y) for a, b in zip(across, along, strict=True))
    return over / sum((a - x) ** 2 for a in across)


def texts_for(name: str) -> Iterator[Attack]:
    for piece in (*PIECES, *CLASSES):
        yield Attack("", piece)
        if name in REPLIES:
            yield Attack("", piece, '"accuracy": 3}')
            yield Attack("accuracy: 4\n", piece, "\nquality: 3")


def main() -> None:
    if not WARM.items() <= os.environ.items():  # read once, as a process begins
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **WARM})
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=1_000_000, help="The largest size.")
    parser.add_argument("--aim", type=float, default=1.1)
    parser.add_argument("--reader", help="Only readers whose name has this in it.", default="")
    parser.add_argument("--patterns", action="store_true", help="Texts made from our patterns.")
    chosen = parser.parse_args()
    readers = {name: read for name, read in READERS.items() if chosen.reader in name}
    made = [one for pattern in patterns() for one in attacks(pattern, 4)] if chosen.patterns else []
    gc.freeze()
    gc.disable()
    steep = 0
    print(f"{'reader':28}{'slope':>7}{'longest':>10}   its text: seconds at each size")
    for name, reader in readers.items():
        most = min(chosen.bytes, 64_000) if made else chosen.bytes
        found = [growth(reader, text, most, chosen.aim) for text in made or texts_for(name)]
        best = max(found, key=lambda one: (one.above(chosen.aim), one.slope or 0.0))
        longest = max(max(one.seconds.values()) for one in found)
        steep += best.above(chosen.aim)
        told = ", ".join(f"{size // 1000}k {one:.3f}" for size, one in best.seconds.items())
        shown = "  short" if best.slope is None else f"{best.slope:7.2f}"
        print(
            f"{name:28}{shown}{longest:9.2f}s   {best.text}: {told}{'  limit' * best.limit}"
            f"{'  ABOVE' * best.above(chosen.aim)}",
            flush=True,
        )
        gc.collect()
    gc.unfreeze()
    print(
        f"{len(readers)} readers, {steep} above {chosen.aim}; "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB at the most"
    )
    sys.exit(1 if steep else 0)


if __name__ == "__main__":
    main()

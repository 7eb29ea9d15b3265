"""How the processor time of every reader of outside text grows: the slope of log time over log size
for texts of one awkward piece over and over. A reader that is linear has a slope of about 1.

    python perf/bench_readers.py [--bytes 20000] [--aim 1.1]

What takes less than a few milliseconds at the largest size is too short to have a slope.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import orjson

from editgauge import escape, toml
from editgauge.benchmarks.krisbench.replies import released_pair
from editgauge.benchmarks.krisbench.replies import released_score as kris
from editgauge.benchmarks.medebench.replies import released_scores as mede
from editgauge.benchmarks.texteditbench.replies import released_score as text
from editgauge.errors import EditgaugeError
from editgauge.instructions import read_instruction
from editgauge.judging.answers import read_answer, read_reason
from editgauge.metrics.text import normalise, normalise_strictly
from editgauge.services import secrets
from editgauge.store import paths, segments
from editgauge.store.run_folder import RunFolder
from editgauge.tables.gate import read_policy

SIZES = (1, 4, 16)
SHORTEST = 0.02
FIELDS = {"accuracy": (0, 5), "quality": (1, 5)}
PIECES = (
    " ", "\t", "\n", "\r\n", "{", "}", "[", "]", "(", '"', "'", "“", "「", "\\", '\\"', "-", "|", "| --- ",
    "#", "*", "`", ":", ",", ";", ".", "/", "/a", "a/", "_", "=", "<", "<think>", "</think>", "&", "1", "1.",
    "9,", "a", "a b ", "é", "e\u0301", "\u0300", "\u202e", "\x1b]8;;", "\ud800", "😀", "accuracy", "accuracy: ",
    '"accuracy":', '{"a":', "score 4 ", "replace 'a' with 'b' ", "```json\n", "**", "[[a]]\n", "a.", "a = 1\n",
    "sk-", "Bearer ", "http://a:", "C:\\", "x" * 50 + "\n",
)  # fmt: skip


def _segment(data: bytes) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{segments.SUFFIX}"
        path.write_bytes(data)
        return list(segments.read(path, []))


def _edits(text: str) -> object:
    """Records of outputs, none of which can be used, as many as the text has letters in fifties."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder) / "run")
        with run.edit_writer() as writer:
            writer.write(
                {"benchmark": "b", "sample": text[n : n + 50]} for n in range(len(text) // 50)
            )
        return run.edits()


READERS: dict[str, Callable[[str], object]] = {
    "instruction": read_instruction,
    "answer": lambda reply: read_answer(reply, FIELDS),
    "reason": read_reason,
    "texteditbench reply": lambda reply: text(reply, "accuracy"),
    "krisbench reply": lambda reply: (kris(reply, "accuracy"), released_pair(reply)),
    "medebench reply": mede,
    "plain": lambda found: escape.plain(found, None),
    "terminal": escape.terminal,
    "markdown": lambda found: escape.markdown(found, None),
    "latex": lambda found: escape.latex(found, None),
    "csv cell": escape.csv_text,
    "file name": escape.file_name,
    "portable": lambda found: paths.portable(found, ["/a/b"]),
    "words of a service": secrets.words,
    "toml": toml.parsed,
    "policy": lambda found: read_policy(found, "p.toml"),
    "text of OCR": lambda found: (normalise(found), normalise_strictly(found)),
    "segment": lambda found: _segment(found.encode("utf-8", "replace")),
    "segment of one record": lambda found: _segment(
        orjson.dumps({"a": found.encode("utf-8", "replace").decode()}) + b"\n"
    ),
    "damaged records of outputs": lambda found: _edits(found.encode("utf-8", "replace").decode()),
}


def seconds(reader: Callable[[str], object], text: str) -> float:
    """Processor seconds, the less of two readings."""
    taken = []
    for _ in range(2):
        began = time.process_time()
        with contextlib.suppress(EditgaugeError, ValueError):
            reader(text)
        taken.append(time.process_time() - began)
        if taken[0] > 5:
            break
    return min(taken)


def measured(length: int) -> Iterator[tuple[str, str, list[float], float | None]]:
    """Reader, piece, seconds at each size, and the slope between the last two (None: too short)."""
    for name, reader in READERS.items():
        for piece in PIECES:
            for tail in ("", '"accuracy": 3}'):
                taken = [
                    seconds(reader, piece * (length * size // len(piece)) + tail) for size in SIZES
                ]
                slope = None
                if taken[-1] >= SHORTEST:
                    slope = math.log(taken[-1] / max(taken[-2], 1e-6)) / math.log(
                        SIZES[-1] / SIZES[-2]
                    )
                yield name, piece + "…" + tail, taken, slope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=20_000, help="The smallest size.")
    parser.add_argument("--aim", type=float, default=1.1)
    parser.add_argument("--reader", help="Only readers whose name has this in it.", default="")
    chosen = parser.parse_args()
    for name in list(READERS):
        if chosen.reader not in name:
            del READERS[name]
    worst: dict[str, tuple[float, str, list[float]]] = {}
    longest: dict[str, float] = dict.fromkeys(READERS, 0.0)
    for name, piece, taken, slope in measured(chosen.bytes):
        longest[name] = max(longest[name], taken[-1])
        if slope is not None and slope > worst.get(name, (0.0, "", []))[0]:
            worst[name] = slope, piece, taken
    print(f"{'reader':28}{'steepest':>9}{'longest':>10}   its text: seconds at x1, x4, x16")
    for name in READERS:
        slope, piece, taken = worst.get(name, (0.0, "all too short to have a slope", []))
        told = ", ".join(f"{one:.3f}" for one in taken)
        over = "  ABOVE" if slope > chosen.aim else ""
        print(f"{name:28}{slope:9.2f}{longest[name]:9.2f}s   {piece[:24]!r}: {told}{over}")


if __name__ == "__main__":
    main()

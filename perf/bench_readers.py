"""How the processor time of every reader of outside text grows: the slope of log time over log size
for texts of one awkward piece over and over. A reader that is linear has a slope of about 1.

    python perf/bench_readers.py [--bytes 20000] [--aim 1.1]

A reader of which no text takes long enough at the largest size to have a slope is given texts of
sixteen times the length, and again. The last line says the most memory that the process had.
Making the files that hold a text is not part of the time.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import math
import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from tests.curation.test_intake import scan  # noqa: E402
from tests.fuzz.corpus import annotation_files  # noqa: E402
from tests.fuzz.test_annotations import SETS  # noqa: E402
from tests.study.test_store import SMALL  # noqa: E402

from editgauge import catalog, escape, toml  # noqa: E402
from editgauge.benchmarks.krisbench.replies import released_pair  # noqa: E402
from editgauge.benchmarks.krisbench.replies import released_score as kris  # noqa: E402
from editgauge.benchmarks.medebench.replies import released_scores as mede  # noqa: E402
from editgauge.benchmarks.texteditbench.replies import released_score as text  # noqa: E402
from editgauge.curation.dicom import ScanFile  # noqa: E402
from editgauge.editors.command import _answer  # noqa: E402
from editgauge.errors import EditgaugeError  # noqa: E402
from editgauge.instructions import read_instruction  # noqa: E402
from editgauge.judging.answers import read_answer, read_reason  # noqa: E402
from editgauge.metrics.text import normalise, normalise_strictly  # noqa: E402
from editgauge.reports.scripts import write_script  # noqa: E402
from editgauge.services import secrets  # noqa: E402
from editgauge.store import csv_files, paths, segments, shards  # noqa: E402
from editgauge.store.run_folder import RunFolder  # noqa: E402
from editgauge.study.forms import checked  # noqa: E402
from editgauge.study.reading import Known, read_sheet  # noqa: E402
from editgauge.tables.gate import read_policy  # noqa: E402

SIZES = (1, 4, 16)
SHORTEST = 0.02
LONGER = 16
LONGEST = 2_000_000
"""Bytes of the longest text that a reader is given."""
FIELDS = {"accuracy": (0, 5), "quality": (1, 5)}
PIECES = (
    " ", "\t", "\n", "\r\n", "{", "}", "[", "]", "(", '"', "'", "“", "「", "\\", '\\"', "-", "|", "| --- ",
    "#", "*", "`", ":", ",", ";", ".", "/", "/a", "a/", "_", "=", "<", "<think>", "</think>", "&", "1", "1.",
    "9,", "a", "a b ", "é", "e\u0301", "\u0300", "\u202e", "\x1b]8;;", "\ud800", "😀", "accuracy", "accuracy: ",
    '"accuracy":', '{"a":', "score 4 ", "replace 'a' with 'b' ", "```json\n", "**", "[[a]]\n", "a.", "a = 1\n",
    "sk-", "Bearer ", "http://a:", "C:\\", "x" * 50 + "\n",
)  # fmt: skip


class _Making:
    """Within a `with` block something is made for a reader to read; `seconds` of processor time."""

    seconds = 0.0

    def __enter__(self) -> None:
        self.began = time.process_time()

    def __exit__(self, *told: object) -> None:
        self.seconds += time.process_time() - self.began


MAKING = _Making()


def _segment(data: bytes) -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{segments.SUFFIX}"
        with MAKING:
            path.write_bytes(data)
        return list(segments.read(path, []))


def _edits(text: str) -> object:
    """Records of outputs, none of which can be used, as many as the text has letters in fifties."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder) / "run")
        with MAKING, run.edit_writer() as writer:
            writer.write(
                {"benchmark": "b", "sample": text[n : n + 50]} for n in range(len(text) // 50)
            )
        return run.edits()


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _file(name: str, read: Callable[[Path], object]) -> Callable[[str], object]:
    """A reader of files as one of texts."""

    def reader(text: str) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            with MAKING:
                path.write_bytes(text.encode("utf-8", "replace"))
            return read(path)

    return reader


@functools.cache
def _data_set(name: str) -> tuple[Path, Path, bytes]:
    """The folder of a small data set, its first annotation file, and what that held."""
    root = Path(tempfile.mkdtemp())
    SETS[name](root)
    first = annotation_files(root)[0]
    return root, first, first.read_bytes()


def _annotations(name: str, text: str, whole: bool) -> object:
    """Load a data set whose first annotation file is the text, or has it in place of its longest
    text.
    """
    with MAKING:
        root, first, before = _data_set(name)
        longest = max((part for part in before.split(b'"')[1::2]), key=len)
        said = json.dumps(_plain(text))[1:-1].encode()
        whole_text = text.encode("utf-8", "replace")
        first.write_bytes(whole_text if whole else before.replace(longest, said, 1))
    return list(catalog.find("benchmarks", name).load(root))


def _manifest(text: str, whole: bool) -> object:
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder) / "run")
        place = run.path / "manifest.json"
        with MAKING:
            told = json.loads(place.read_bytes())
            said = text if whole else json.dumps({**told, "data": {"a": _plain(text)}})
            place.write_bytes(said.encode("utf-8", "replace"))
        return RunFolder.open(run.path).manifest()


def _tar(member: Callable[[str], tuple[str, bytes]], text: str) -> object:
    """Unpack a tar shard of one member."""
    name, data = member(text)
    with tempfile.TemporaryDirectory() as folder:
        with MAKING, tarfile.open(f"{folder}/a.tar", "w", format=tarfile.PAX_FORMAT) as archive:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        return shards.unpack([Path(folder, "a.tar")], Path(folder, "out"), limit=1 << 30)


def _dicom(text: str) -> object:
    with tempfile.TemporaryDirectory() as folder:
        with MAKING:
            path = scan(Path(folder) / "a.dcm", burnt=_plain(text)[:100])
            data = path.read_bytes()
            path.write_bytes(data[:-512] + text.encode("utf-8", "replace"))
        return ScanFile(path).scan(1, "file")


def _study_answer(text: str) -> object:
    answers: dict[str, Any] = {question.id: [text] for question in SMALL.questions}
    with contextlib.suppress(EditgaugeError, ValueError):
        checked(SMALL, "task", 2, {"comment": text})
    return checked(SMALL, "task", 2, {"answers": answers, "regions": [text] * (len(text) // 50)})


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
    "manifest": lambda found: _manifest(found, whole=True),
    "text in a manifest": lambda found: _manifest(found, whole=False),
    "answer of a program": _answer,
    "answer of a plug-in": lambda found: paths.without_roots({"a": found, "b": [found]}, ["/a/b"]),
    "answer in a study": _study_answer,
    "data of the report": lambda found: _file(
        "a.js", lambda path: write_script(path, "key", _plain(found))
    )(""),
    "csv": _file("a.csv", lambda path: sum(1 for _ in csv_files.records(path))),
    "sheet of a study": _file(
        "a.csv", lambda path: read_sheet(path, Known("b", frozenset("a"), frozenset("b")), {})
    ),
    "DICOM": _dicom,
    "tar": _file("a.tar", lambda path: shards.unpack([path], path.parent / "out", limit=1 << 30)),
    "file in a tar": lambda found: _tar(lambda text: ("a", text.encode("utf-8", "replace")), found),
    "name in a tar": lambda found: _tar(lambda text: (_plain(text), b""), found),
    **{
        f"{what} {name}": functools.partial(_annotations, name, whole=whole)
        for name in SETS
        for what, whole in (("file of", True), ("text in", False))
    },
}


def seconds(reader: Callable[[str], object], text: str) -> float:
    """Processor seconds, the less of two readings."""
    taken = []
    for _ in range(2):
        began, made = time.process_time(), MAKING.seconds
        with contextlib.suppress(EditgaugeError, ValueError):
            reader(text)
        taken.append(time.process_time() - began - (MAKING.seconds - made))
        if taken[0] > 5:
            break
    return min(taken)


Measured = tuple[str, list[float], float | None]
"""A text, its seconds at each size, and the slope between the last two (None: too short)."""


def measured(reader: Callable[[str], object], length: int) -> Iterator[Measured]:
    for piece in PIECES:
        for tail in ("", '"accuracy": 3}'):
            texts = (piece * (length * size // len(piece)) + tail for size in SIZES)
            taken = [seconds(reader, text) for text in texts]
            slope = None
            if taken[-1] >= SHORTEST:
                rise = taken[-1] / max(taken[-2], 1e-6)
                slope = math.log(rise) / math.log(SIZES[-1] / SIZES[-2])
            yield piece + "…" + tail, taken, slope


def steepest(reader: Callable[[str], object], length: int) -> tuple[Measured, float]:
    """The text with the steepest slope, and the seconds of the longest reading."""
    while True:
        found = list(measured(reader, length))
        best = max(found, key=lambda one: one[2] or 0.0)
        if best[2] is not None or length * LONGER * SIZES[-1] > LONGEST:
            return best, max(taken[-1] for _, taken, _ in found)
        length *= LONGER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=20_000, help="The smallest size.")
    parser.add_argument("--aim", type=float, default=1.1)
    parser.add_argument("--reader", help="Only readers whose name has this in it.", default="")
    chosen = parser.parse_args()
    for name in list(READERS):
        if chosen.reader not in name:
            del READERS[name]
    print(f"{'reader':28}{'steepest':>9}{'longest':>10}   its text: seconds at x1, x4, x16")
    for name, reader in READERS.items():
        (piece, taken, slope), longest = steepest(reader, chosen.bytes)
        told = ", ".join(f"{one:.3f}" for one in taken)
        over = "  ABOVE" if (slope or 0) > chosen.aim else ""
        shown = "   short" if slope is None else f"{slope:8.2f}"
        print(f"{name:28} {shown}{longest:9.2f}s   {piece[:24]!r}: {told}{over}", flush=True)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB at the most")


if __name__ == "__main__":
    main()

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
import functools
import gc
import io
import itertools
import json
import math
import os
import resource
import sys
import tarfile
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import orjson

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from perf.pattern_attacks import Attack, attacks, patterns  # noqa: E402
from tests.curation.test_intake import scan  # noqa: E402
from tests.fuzz.corpus import annotation_files  # noqa: E402
from tests.fuzz.test_annotations import SETS  # noqa: E402
from tests.study.test_store import SMALL  # noqa: E402

from editgauge import catalog, escape, toml  # noqa: E402
from editgauge.benchmarks.krisbench.replies import released_pair  # noqa: E402
from editgauge.benchmarks.krisbench.replies import released_score as kris  # noqa: E402
from editgauge.benchmarks.medebench.replies import released_scores as mede  # noqa: E402
from editgauge.benchmarks.texteditbench.replies import released_score as text  # noqa: E402
from editgauge.cli import project  # noqa: E402
from editgauge.curation import records as curated  # noqa: E402
from editgauge.curation.dicom import ScanFile  # noqa: E402
from editgauge.editors.command import _answer  # noqa: E402
from editgauge.editors.typeset.grammar import read_request  # noqa: E402
from editgauge.errors import EditgaugeError  # noqa: E402
from editgauge.instructions import read_instruction  # noqa: E402
from editgauge.judging import prompts, released  # noqa: E402
from editgauge.judging.answers import read_answer, read_reason  # noqa: E402
from editgauge.judging.rubrics import RubricFolder  # noqa: E402
from editgauge.metrics.text import normalise, normalise_strictly  # noqa: E402
from editgauge.reports.scripts import write_script  # noqa: E402
from editgauge.services import batches, secrets, transport  # noqa: E402
from editgauge.store import csv_files, maps, paths, segments, shards  # noqa: E402
from editgauge.store.run_folder import RunFolder, sample_record  # noqa: E402
from editgauge.study.forms import checked  # noqa: E402
from editgauge.study.reading import Known, read_sheet  # noqa: E402
from editgauge.tables.draw import draw  # noqa: E402
from editgauge.tables.gate import read_policy  # noqa: E402
from editgauge.tables.table import Cell, Column, Table, TableRow  # noqa: E402
from editgauge.types import Sample  # noqa: E402

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
FIELDS = {"accuracy": (0, 5), "quality": (1, 5)}
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
REPLIES = ("answer", "reason", "texteditbench reply", "krisbench reply", "medebench reply")
"""Readers that look for a verdict: a text with one at its end is another one for them."""


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


def _json(value: object) -> str:
    with MAKING:
        return json.dumps(value)


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


def _prompt_set(text: str) -> object:
    part = {"text": text}
    call = {"messages": [{"role": "user", "parts": [part]}], "text": text}
    told = {"format": prompts.FORMAT, "benchmark": "b", "name": text, "calls": {"a": call}}
    return _file(prompts.FILE, lambda path: prompts.load(path.parent, "b"))(_json(told))


def _rubric(text: str) -> object:
    def rendered(path: Path) -> object:
        return RubricFolder(path.parent).render("a", instruction=_plain(text))

    return _file("a.md", rendered)(text), _file("a.md", rendered)("$instruction " * 50)


def _script(text: str) -> None:
    for source in (f"PROMPT = [{text}]", f"PROMPT = {text}''", f"PROMPT = {_plain(text)!r}"):
        with contextlib.suppress(EditgaugeError):
            released.constant(released.parse(source, "a.py"), "a.py", "PROMPT")


def _released(name: str, file: str, made: Callable[[str], Any]) -> Callable[[str], object]:
    """The importers of a benchmark's released scores, of a file that holds the text as its own
    format has it, and of the text itself.
    """
    importers = catalog.find("benchmarks", name).importers()

    def read(path: Path) -> object:
        found = []
        for importer in importers:
            with contextlib.suppress(EditgaugeError):
                found += list(importer(path, {}, None))
        return found

    reader = _file(file, read)
    return lambda text: (reader(_json(made(_plain(text)))), reader(text))


def _samples(text: str) -> object:
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder) / "run")
        with MAKING:
            sample = Sample(
                benchmark="b", id="a", split="x", category=("x",), instruction=_plain(text), images=(Path("a.png"),),
                output_stems=("a",), attributes={"said": _plain(text)},
            )  # fmt: skip
            run.write_samples("b", [sample_record(sample, {Path("a.png"): "inputs/b/a.png"})])
        fresh = RunFolder.open(run.path)
        return fresh.samples("b"), fresh.problems


def _parquet(text: str) -> object:
    """Unpack a Parquet shard with one row, whose picture's name is the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.parquet")
        with MAKING, duckdb.connect() as made:
            made.execute("create table t (path text, bytes blob)")
            made.execute("insert into t values (?, ?)", [_plain(text), _plain(text).encode()])
            made.execute(f"copy t to '{path}' (format parquet)")
        return shards.unpack([path], Path(folder, "out"), limit=1 << 30)


def _drawn(text: str) -> object:
    columns = (Column(name="one", heading=(text, "score"), digits=3, direction="higher"),)
    rows = (TableRow(name=text, cells={"one": Cell(value=0.5)}),)
    table = Table(name="t", title=text, columns=columns, rows=rows, notes=(text,))
    return table._repr_html_(), [draw(table, kind) for kind in ("csv", "latex", "markdown")]


def _batch(text: str) -> object:
    line = {
        "custom_id": _plain(text),
        "response": {"status_code": 200, "body": {"a": _plain(text)}},
    }
    lines = (_json(line).encode(), text.encode("utf-8", "replace"))
    return list(batches.results(lines, secrets.Secrets(["sk-" + "a" * 40])))


READERS: dict[str, Callable[[str], object]] = {
    "instruction": read_instruction,
    "instruction for typeset": read_request,
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
    "prompt set": _prompt_set,
    "rubric": _rubric,
    "released script": _script,
    "project settings": _file(project.NAME, project.read),
    "samples of a run": _samples,
    "records of a data set": _file(curated.SAMPLES, lambda path: curated.read_samples(path.parent)),
    "map of outputs": lambda found: (
        _file("a.csv", lambda path: list(maps.lines_of(path)))(f"sample,file\na,{found}\n"),
        maps.end_of(found, {"b"}),
    ),
    "cell of a Parquet shard": _parquet,
    "reply of a service": lambda found: transport.decode(
        found.encode("utf-8", "replace"), secrets.Secrets(["sk-" + "a" * 40])
    ),
    "text in a service's reply": lambda found: transport.decode(
        _json({"a": _plain(found)}).encode(), secrets.Secrets(["sk-" + "a" * 40])
    ),
    "results of a batch": _batch,
    "table": _drawn,
    "scores of texteditbench": _released(
        "texteditbench",
        "m.json",
        lambda said: [
            {
                "task_id": said,
                "category": said,
                "evaluation_results": {"IF": {"IF": said, "rationale": said}},
            }
        ],
    ),
    "scores of textedit": _released(
        "textedit", "m.json", lambda said: [{"image": said, "scores": said, "response": said}]
    ),
    "scores of medebench": _released(
        "medebench", "m.json", lambda said: {said: {"response": said}}
    ),
    "scores of krisbench": _released(
        "krisbench",
        "metrics.json",
        lambda said: {said: {"consistency_score": said, "consistency_reasoning": said}},
    ),
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

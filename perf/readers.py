"""Every reader of text from outside, by a name: it takes a text, and puts it into whatever it
reads. For `bench_readers`, which tells how their time grows, and for the test that none is missing.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import gzip
import io
import json
import struct
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import orjson
from PIL import Image, TiffImagePlugin
from tests.curation.test_intake import scan
from tests.fuzz.corpus import annotation_files
from tests.fuzz.corpus import pictures as good_pictures
from tests.fuzz.test_annotations import SETS
from tests.made_rows import row
from tests.study.test_store import SMALL

from editgauge import catalog, escape, images, toml
from editgauge.benchmarks.krisbench.replies import released_pair
from editgauge.benchmarks.krisbench.replies import released_score as kris
from editgauge.benchmarks.medebench.replies import released_scores as mede
from editgauge.benchmarks.textedit.replies import released_scores as textedit
from editgauge.benchmarks.texteditbench.replies import released_score as text
from editgauge.cli import project
from editgauge.cli.output import Inert
from editgauge.curation import records as curated
from editgauge.curation import server as curation_server
from editgauge.curation import trail
from editgauge.curation.dicom import ScanFile
from editgauge.diagnosis import concepts
from editgauge.editors import chat, delivery, jobs, pipelines
from editgauge.editors.command import _answer
from editgauge.editors.typeset.grammar import read_request
from editgauge.errors import EditgaugeError
from editgauge.instructions import read_instruction
from editgauge.judging import metadata, profiles, prompts, released
from editgauge.judging.answers import read_answer, read_reason
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.judging.rubrics import RubricFolder
from editgauge.metrics.text import normalise, normalise_strictly
from editgauge.ocr import tesseract
from editgauge.reports import diagnosis, figures
from editgauge.reports.scripts import write_script
from editgauge.run import batch as edit_batches
from editgauge.services import batches, hub, policy, prices, secrets, transport, waiting
from editgauge.store import (
    addresses,
    csv_files,
    examine,
    labels,
    local_copies,
    maps,
    matching,
    paths,
    published,
    remote_run,
    segments,
    selection,
    shards,
)
from editgauge.store.run_folder import RunFolder, sample_record
from editgauge.study import design
from editgauge.study.forms import checked
from editgauge.study.reading import Known, read_sheet
from editgauge.tables import audit, gate, slices, spec
from editgauge.tables.draw import draw
from editgauge.tables.frame import WHOLE_SET, Frame
from editgauge.tables.table import Cell, Column, Table, TableRow
from editgauge.tuning import command as tuning
from editgauge.tuning import split
from editgauge.types import Sample

FIELDS = {"accuracy": (0, 5), "quality": (1, 5)}
REPLIES = ("answer", "reason", "texteditbench reply", "krisbench reply", "medebench reply",
           "textedit reply")  # fmt: skip
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
                path.parent.mkdir(exist_ok=True)
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

    def checked(path: Path) -> None:
        home = Path(tempfile.mkdtemp(dir=path.parent))
        with MAKING:
            (home / "a.md").write_text("{{instruction}}")
        RubricFolder(home, path.parent).check(["a"])

    with contextlib.suppress(EditgaugeError):
        _file("a.md", checked)(text)
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


def _records(name: str, text: str) -> object:
    """Load a data set whose first annotation file has its first record over and over, once for each
    100 letters of the text.
    """
    with MAKING:
        root, first, before = _data_set(name)
        first.write_bytes(_repeated(before, max(1, len(text) // 100), _plain(text[:50])))
    return list(catalog.find("benchmarks", name).load(root))


def _repeated(data: bytes, many: int, said: str) -> bytes:
    """A JSON list or object, or JSON lines, with its first record so often; the keys of an object
    have `said` in them.
    """
    try:
        value = json.loads(data)
    except ValueError:
        return (data.splitlines()[0] + b"\n") * many
    if isinstance(value, dict):
        record = next(iter(value.values()))
        return json.dumps({f"{said}{number}": record for number in range(many)}).encode()
    return json.dumps(value[:1] * many).encode()


def _measured(name: str, file: str, made: Callable[[str], Any]) -> Callable[[str], object]:
    """The readers of a benchmark's released scores of pixels and OCR, of a file that holds the text
    as their format has it, and of the text itself.
    """

    def read(path: Path) -> object:
        found: list[object] = []
        for reader in catalog.find("benchmarks", name).measurements():
            with contextlib.suppress(EditgaugeError):
                found += list(reader(path, {}, "e"))
        return found

    reader = _file(file, read)
    return lambda text: (reader(_json(made(_plain(text)))), reader(text))


# -- pictures --------------------------------------------------------------------------------------


@functools.cache
def _good(form: str) -> bytes:
    return good_pictures()[form.lower()]


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _parts(data: bytes, most: int) -> list[bytes]:
    return [data[at : at + most] for at in range(0, len(data), most)]


def _png(said: bytes, most: int) -> bytes:
    whole = _good("PNG")
    parts = [_chunk(b"tEXt", b"a\0" + part) for part in _parts(said, most)]
    return whole[:33] + b"".join(parts) + whole[33:]


def _jpeg(said: bytes, most: int) -> bytes:
    whole = _good("JPEG")
    parts = [
        marker + struct.pack(">H", len(part) + 2) + part
        for number, part in enumerate(_parts(said, min(most, 60_000)))
        for marker in ((b"\xff\xfe", b"\xff\xe1", b"\xff\xe2")[number % 3],)
    ]
    return whole[:2] + b"".join(parts) + whole[2:]


def _gif(said: bytes, most: int) -> bytes:
    whole = _good("GIF")
    at = 13 + (3 << ((whole[10] & 7) + 1) if whole[10] & 0x80 else 0)
    parts = [
        b"!\xfe" + b"".join(bytes([len(one)]) + one for one in _parts(part, 255)) + b"\0"
        for part in _parts(said, most)
    ]
    return whole[:at] + b"".join(parts) + whole[at:]


def _webp(said: bytes, most: int) -> bytes:
    whole = _good("WEBP")
    first = b"VP8X" + struct.pack("<I", 10) + b"\x0c\0\0\0" + bytes([51, 0, 0, 39, 0, 0])
    parts = [
        name + struct.pack("<I", len(part)) + part + b"\0" * (len(part) % 2)
        for number, part in enumerate(_parts(said, most))
        for name in ((b"XMP ", b"EXIF", b"ALPH", b"none")[number % 4],)
    ]
    body = b"WEBP" + first + b"".join(parts) + whole[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _tiff(said: bytes, most: int) -> bytes:
    del most
    tags = TiffImagePlugin.ImageFileDirectory_v2()
    tags[270] = said.decode("latin-1").replace("\0", " ")
    buffer = io.BytesIO()
    Image.open(io.BytesIO(_good("TIFF"))).save(buffer, "TIFF", tiffinfo=tags)
    return buffer.getvalue()


_FORMATS = {"PNG": _png, "JPEG": _jpeg, "GIF": _gif, "WEBP": _webp, "TIFF": _tiff}


def _pictures(text: str) -> Iterator[tuple[str, bytes]]:
    """Pictures of every format that hold the text: in one piece, in pieces of 40 bytes, and in
    place of all that comes behind their first bytes.
    """
    said = text.encode("utf-8", "replace")
    for form, made in _FORMATS.items():
        for most in (1 << 30, 40):
            with MAKING:
                data = made(said, most)
            yield form, data
        yield form, _good(form)[:30] + said


def _picture(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a")
        for _, data in _pictures(text):
            with MAKING:
                path.write_bytes(data)
            for read in (images.read_header, images.read_image, images.read_luma):
                with contextlib.suppress(EditgaugeError):
                    read(path)


def _bare(text: str) -> None:
    for form, data in _pictures(text):
        with contextlib.suppress(ValueError):
            metadata.bare(data, form)


def _profile(text: str) -> None:
    """Colour profiles: the text as a tag's, and as many tags as it has letters in dozens."""
    said = text.encode("utf-8", "replace")
    for kind in (b"mluc", b"desc", b"text"):
        place = 128 + 4 + 12
        tag = kind + bytes(4) + struct.pack(">II", 1, 12) + said
        head = bytes(36) + b"acsp" + bytes(88) + struct.pack(">I", 1)
        profiles.nameless(head + struct.pack(">4sII", b"cprt", place, len(tag)) + tag)
    many = len(said) // 12
    head = bytes(36) + b"acsp" + bytes(88) + struct.pack(">I", many)
    with MAKING:
        tags = b"".join(struct.pack(">4sII", b"cprt", 132, 8 + n % 2) for n in range(many))
    profiles.nameless(head + tags + said)
    with MAKING:
        packed = zlib.compress(head + tags + said)
        data = _good("PNG")
        data = data[:33] + _chunk(b"iCCP", b"icc\0\0" + packed) + data[33:]
    metadata.bare(data, "PNG")


# -- runs ------------------------------------------------------------------------------------------


def _rows(text: str) -> object:
    """Rows of a run with the text in them, and one of a whole set; read as tables read them."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder) / "run")
        with MAKING, run.writer("made") as writer:
            made = (row(name, "e", "m", 0.5) for name in (_plain(text[:200]) or "a", WHOLE_SET))
            writer.write(replace(one, detail={"said": _plain(text)}) for one in made)
        fresh = RunFolder.open(run.path)
        return Frame.of_runs([fresh], "mini"), fresh.rows()


def _damaged_run(text: str) -> object:
    """A run whose segment has the text for a line: what is damaged, and its repair."""
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder.create(Path(folder) / "run")
        with MAKING:
            with run.writer("made") as writer:
                writer.write([row("a", "e", "m", 0.5)])
            said = text.encode("utf-8", "replace")
            for path in sorted((run.path / "rows" / "segments").glob("*" + segments.SUFFIX)):
                path.write_bytes(path.read_bytes() + said + b"\n" + path.read_bytes())
        fresh = RunFolder.open(run.path)
        with contextlib.suppress(EditgaugeError):
            fresh.parquet()
        return examine.examine(fresh), examine.repair(fresh)


def _in_run(place: str, read: Callable[[RunFolder], object]) -> Callable[[str], object]:
    """A reader of a file of a run."""

    def reader(text: str) -> object:
        with tempfile.TemporaryDirectory() as folder:
            run = RunFolder.create(Path(folder) / "run")
            with MAKING:
                (run.path / place).parent.mkdir(parents=True, exist_ok=True)
                (run.path / place).write_bytes(text.encode("utf-8", "replace"))
            return read(RunFolder.open(run.path))

    return reader


def _of_store(file: str, read: Callable[[addresses.Store], object]) -> Callable[[str], object]:
    """A reader of a file of a store, which is a folder here."""

    def reader(text: str) -> object:
        import fsspec

        with tempfile.TemporaryDirectory() as folder:
            with MAKING:
                (Path(folder) / file).write_bytes(text.encode("utf-8", "replace"))
            system, base = fsspec.core.url_to_fs(f"file://{folder}")
            return read(addresses.Store("s3://a", system, base))

    return reader


def _state(store: addresses.Store) -> object:
    entry = store.files()[0]
    return remote_run._parsed(store, entry)


def _ids(text: str) -> object:
    """Choose samples by a file of ids, and by an attribute that holds the text."""
    with MAKING:
        whole, many = _plain(text), len(text) // 50
        names = sorted({line.strip() for line in whole.splitlines()} - {""}) or ["a"]
        samples = [_sample(name) for name in (*names, *(f"-{n}" for n in range(many)))]
        facts = {"said": whole[:99], whole[:20]: 1}
        records = [{"id": str(n), "attributes": facts} for n in range(many)]

    def chosen(path: Path) -> object:
        return selection.choose(samples, ids=[f"@{path}"])

    found = _file("ids.txt", chosen)("\n".join(names))
    known = labels.Samples([*records, {"id": "long", "attributes": {"said": whole}}])
    order = slices.in_order([*known.labels("said").tolist(), "1.2.3", text])
    return found, order, known.matching([f"said={whole}"])


def _sample(name: str) -> Sample:
    return Sample(
        benchmark="b", id=name, split="x", category=("x",), instruction="a", images=(Path("a.png"),),
        output_stems=(name,), attributes={},
    )  # fmt: skip


def _outputs(text: str) -> object:
    """Find the outputs of samples among files with such names: as many as letters in fifties."""
    with MAKING:
        name = escape.file_name(text[:20])
        names = [f"{name}{n}" for n in range(max(1, len(text) // 50))]
        samples = [_sample(one) for one in names]
    there = tuple(sorted(f"{one}_x.png" for one in names))
    found = matching._matches(Path("a"), samples, "{id}_*", there)
    return found.named, found.unexpected


def _audited(text: str) -> object:
    """Check a table: the text is its lines; its headings; the names of its models."""
    read = _file("a.csv", lambda path: audit.audited(audit.all_audits(), path))
    kinds = {kind.kind: kind for kind in audit.all_audits()}
    headings = ",".join(sorted(kinds["krisbench, judge"].headings))
    with MAKING:
        many = "\n".join(f"{text[:20]}{n},{','.join('1' * 9)}" for n in range(len(text) // 50))
    for data in (text, f"{text}\n{text}", f"{headings}\n{text}", f"{headings}\n{many}\n"):
        with contextlib.suppress(EditgaugeError):
            read(data)
    return None


def _gated(text: str) -> object:
    """What a release gate writes, of checks with such names."""
    check = gate.Check(
        name=_plain(text), kind="floor", verdict=gate.Verdict.FAIL, found=_plain(text), wanted=_plain(text),
    )  # fmt: skip
    made = gate.Gate(benchmark="b", a=_plain(text), b="b", checks=(check,), notes=(_plain(text),))
    return gate.as_junit([made]), gate.as_summary([made])


def _figure(text: str) -> object:
    return [
        figures.svg(
            figures.Figure(
                kind=kind, name="f", title=text, axis=text, labels=(text, "x", "y"),
                counts=(1, 1, 1), series={text: (0.5, 0.2, 0.1), "b": (0.1, 0.2, 0.3)},
            )
        )
        for kind in ("bars", "radar", "curve")
    ]  # fmt: skip


def _message(text: str) -> object:
    """What a chat model said: a text, one with a picture in it, parts of a text, an address."""
    found = chat._contents({"content": text})
    in_it = chat._contents({"content": f"data:image/png;base64,{text}"})
    parts = chat._contents({"content": [{"type": "text", "text": text[:9]}] * (len(text) // 50)})
    delivery.decoded(f"data:image/png;base64,{text}")
    return found, in_it, parts, delivery.decoded(text)


def _address(text: str) -> object:
    for said in (text, f"http://{text}", f"http://a/?{text}", f"http://a/?a={text}"):
        with contextlib.suppress(EditgaugeError):
            secrets.address(said, "--base-url")
    with contextlib.suppress(EditgaugeError):
        hub._check_path("a/b", text)
    return secrets.shown(text), jobs._plain_id(text), jobs.at({"a": [text]}, f"a.0.{text}")


def _packed(text: str) -> int:
    """A body that is packed with gzip, and one that only says so."""
    said = text.encode("utf-8", "replace")
    with MAKING:
        packed = gzip.compress(said)
    with contextlib.suppress(ValueError):
        sum(map(len, transport.unpacked([said], "gzip")))
    return sum(map(len, transport.unpacked([packed], "gzip")))


def _wait(text: str) -> object:
    details = {"details": [{"retryDelay": text}] * 3}
    told = policy.error_of({"error": {"message": text, "code": text, **details}})
    return policy.meaning(429, {"retry-after": text}, told), [
        waiting.retry_after({name: said}, details)
        for name in ("retry-after", "retry-after-ms")
        for said in (text, f"Wed, 21 Oct 2015 07:28:00 {text}")
    ]


def _concept(text: str) -> object:
    found = []
    for prompt, concept in (
        (text, text[:9]),
        (text, text[:200]),
        ("a cat", text),
        (text, "a " * 90),
    ):
        with contextlib.suppress(EditgaugeError, ValueError):
            found.append(concepts.mention(prompt, concept))
    return found


def _tesseract(text: str) -> object:
    """What the program prints of a picture: many words, and some that are longer than any picture
    is wide.
    """
    head = "level\tblock_num\tpar_num\tline_num\tleft\ttop\twidth\theight\tconf\ttext\n"
    line = f"5\t1\t1\t1\t1\t1\t9\t9\t96\t{text[:20]}\n"
    return [
        list(tesseract._pieces(head + said, "eng"))
        for said in (
            text[:100_000],
            line * (len(text) // 50),
            f"5\t1\t1\t1\t1\t1\t9\t9\t96\t{text[:100_000]}\n",
        )
    ]


def _map(text: str) -> object:
    """The map that a row's detail keeps."""
    with MAKING:
        levels = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return [
        diagnosis.map_of({"cut": 0.5, "map": {"height": 9, "width": 9, "levels": said}})
        for said in (text, levels)
    ]


def _terminal(text: str) -> None:
    stream = Inert(io.StringIO())
    stream.writelines([text])


def _events(text: str) -> object:
    """The trail of a data set, of one event that holds the text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trail.jsonl"
        event = trail.Event(1, "2026-01-01", "ann", "edit", "a", {}, {"said": _plain(text)}, "")
        with MAKING:
            trail.Trail(path=path).append(event)
        return list(trail.Trail(path=path).read())


def _drawn_mask(text: str) -> object:
    with MAKING:
        sent = base64.b64encode(_png(text.encode("utf-8", "replace"), 1 << 30)).decode()
    with contextlib.suppress(ValueError, EditgaugeError):
        curation_server._mask_of(_plain(text))
    return curation_server._mask_of(sent)


def _stored_reply(text: str) -> object:
    """A reply in a run's store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replies.sqlite"
        said = _plain(text)
        reply = Reply("key", "ok", content=said, reason=said, usage={"a": said}, request={said: 1})
        with MAKING, ReplyStore(path) as store:
            store.put(reply)
            store.note("batch a", said)
        with ReplyStore(path) as store:
            return list(store), store.records("batch ")


READERS: dict[str, Callable[[str], object]] = {
    "instruction": read_instruction,
    "instruction for typeset": read_request,
    "answer": lambda reply: read_answer(reply, FIELDS),
    "reason": read_reason,
    "texteditbench reply": lambda reply: text(reply, "accuracy"),
    "krisbench reply": lambda reply: (kris(reply, "accuracy"), released_pair(reply)),
    "medebench reply": mede,
    "textedit reply": textedit,
    "plain": lambda found: escape.plain(found, None),
    "terminal": escape.terminal,
    "markdown": lambda found: escape.markdown(found, None),
    "latex": lambda found: escape.latex(found, None),
    "csv cell": escape.csv_text,
    "file name": escape.file_name,
    "portable": lambda found: paths.portable(found, ["/a/b"]),
    "words of a service": secrets.words,
    "toml": toml.parsed,
    "policy": lambda found: gate.read_policy(found, "p.toml"),
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
    "predictions of outputs": lambda found: _file("a.tsv", lambda path: list(maps.lines_of(path)))(
        f"index\tprediction\na\t['{found}']\n"
    ),
    "log of outputs": lambda found: (
        _file("a.jsonl", lambda path: list(maps.lines_of(path)))(
            _json({"edited_image_path": _plain(found), "id": _plain(found)})
        ),
        _file("a.jsonl", lambda path: list(maps.lines_of(path)))(found),
    ),
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
    "picture": _picture,
    "metadata of a picture": _bare,
    "colour profile": _profile,
    "mask that somebody drew": _drawn_mask,
    "message of a chat model": _message,
    "address": _address,
    "packed body": _packed,
    "time to wait": _wait,
    "concept in a prompt": _concept,
    "prices": _file("p.json", prices.load_prices),
    "table of Tesseract": _tesseract,
    "map in a row": _map,
    "letters of a terminal": _terminal,
    "figure": _figure,
    "version of a model": lambda found: spec.is_model(f"gpt-4o{found}!", "gpt-4o"),
    "verdict of the gate": _gated,
    "audited table": _audited,
    "ids and labels": _ids,
    "names of outputs": _outputs,
    "rows of a run": _rows,
    "damaged run": _damaged_run,
    "metrics of a run": _in_run("metrics.json", lambda run: run.described_benchmarks()),
    "splits of a run": _in_run(f"tuning/b/{split.FILE}", lambda run: split.stored(run, "b")),
    "training of a run": _in_run("tuning/a.json", lambda run: tuning._json(run, "tuning/a.json")),
    "job of a run": _file("a.json", lambda path: jobs._Memory(path).read()),
    "batch of a run": _file(
        f"{edit_batches.FOLDER}/a.json",
        lambda path: edit_batches.pending(path.parents[1], "b", "e"),
    ),
    "reply of a run": _stored_reply,
    "state of a run in a store": _of_store("a.json", _state),
    "list of a report in a store": _of_store(published.LIST, published._listed),
    "index of a copy": _file(local_copies._INDEX, lambda path: local_copies._index(path.parent)),
    "lock of a data set": _file(hub.LOCK_FILE, lambda path: hub._read_lock(path.parent)),
    "design of a study": design.of_text,
    "trail of a data set": _events,
    "index of a pipeline": _file(
        "model_index.json", lambda path: pipelines.class_named_by("e", str(path.parent), None)
    ),
    "logged samples of krisbench": _released(
        "krisbench",
        "a.jsonl",
        lambda said: {
            "kris_bench_instruction_score": {
                "category": said,
                "image_id": said,
                "score": 1,
                "reasoning": said,
            },
        },
    ),
    "pixels of textedit": _measured(
        "textedit",
        "m.json",
        lambda said: {
            "summary_by_model": {
                said: {
                    said: {
                        "detailed_results": [
                            {
                                "id": said,
                                "path": {"original_image": said},
                                "score": {"clip_score": 1},
                            }
                        ]
                    }
                }
            }
        },
    ),
    "pixels of texteditbench": _measured("texteditbench", "m.json", lambda said: [{"image": said}]),
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
    **{f"records of {name}": functools.partial(_records, name) for name in SETS},
}

_OURS = "what this tool writes for itself: into the user's cache, or between its own processes"
_PACKAGE = "comes with the package"
_USER = "words of the user's own command line"
_WEIGHTS = "weights and their settings, which are fetched by their checksums"
ELSEWHERE: dict[str, str] = {
    "benchmarks.medebench.tables.attention": _PACKAGE,
    "benchmarks.medebench.tables.correlations": _PACKAGE,
    "benchmarks.medebench.tables.paradigms": _PACKAGE,
    "benchmarks.mini.samples._damaged": _OURS,
    "benchmarks.texteditbench.tables._published_repeats": _PACKAGE,
    "curation.dataset.DataSet.untouched": _OURS,
    "curation.releases": _USER,
    "curation.releases._zipped": "writes an archive, and reads none",
    "editors.command.command": _USER,
    "editors.command.recorded": _USER,
    "editors.http.http": _USER,
    "editors.jobs.JobEditor._own": "the host of an address, which `secrets.address` reads as well",
    "editors.recipes.__init__.load": _PACKAGE,
    "editors.recipes.driver.main": "a recipe's own process: what the parent writes to it",
    "editors.service.Service._attempt": "the host of an address, as `secrets.address`",
    "editors.service.Service._followed": "the host of an address, as `secrets.address`",
    "editors.sweeps": _USER,
    "editors.typeset.choose": "a line that OCR has read: no longer than a picture is wide",
    "editors.typeset.find": "a line that OCR has read: no longer than a picture is wide",
    "editors.typeset.ink_operations": "a line that OCR has read: no longer than a picture is wide",
    "evaluation.plan": _USER,
    "installation": "the package's own list of what it needs",
    "judging.asked.FunctionClient.post": _OURS,
    "judging.asker": "one word of an outcome's reason, which is cut to a line before",
    "judging.engine.Engine.keep": _OURS,
    "judging.fakes._Connection.batch": "a server for tests",
    "judging.fakes._Connection.batch_lines": "a server for tests",
    "judging.fakes._Connection.respond": "a server for tests",
    "judging.fakes.request_pictures": "a server for tests",
    "judging.keys.read_dialect": _OURS,
    "judging.likeness.weights": _PACKAGE,
    "judging.models": _USER,
    "judging.models.known": _PACKAGE,
    "judging.models.thinking": _PACKAGE,
    "networks.adapter.Adapter.__init__": _USER,
    "networks.adapter.Adapter._line": "a line of 64 kB at the most",
    "networks.clip._load_tokenizer": _WEIGHTS,
    "networks.clip._read_config": _WEIGHTS,
    "networks.loading.state_dict": _WEIGHTS,
    "networks.store.FeatureStore.get": _OURS,
    "networks.weights._read_lock": _OURS,
    "ocr.store._unpacked": _OURS,
    "reports.trackers": "names of metrics and samples, letter by letter",
    "run.check.outputs": "names of files, of which a system takes 255 letters",
    "services.download.download": "the package's own addresses",
    "services.secrets.Address.host": "what `secrets.address` has read",
    "services.prices._table": _PACKAGE,
    "store.measured._Memory.get": _OURS,
    "store.remote_run._stored": _OURS,
    "study.site": "headers, of which the server takes 64 kB",
    "study.site.Site._poster": "a body of so many bytes at the most, and then `forms.checked`",
    "study.store.StudyStore.previous": "an answer that `forms.checked` has let in",
    "study.store._answer": "an answer that `forms.checked` has let in",
    "study.store._open": _OURS,
    "tables.spec.read_published": _PACKAGE,
    "tables.spec.read_published_turned": _PACKAGE,
    "tuning.checkpoint.read": "tensors, which safetensors reads by their header",
    "tuning.command._keep_plan": _OURS,
    "tuning.editor._put_in": _WEIGHTS,
}
"""Functions that parse something, and modules with patterns, that no reader here enters, and why."""

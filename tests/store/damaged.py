"""A small run, and a thousand ways to damage it: for tests of whatever reads runs."""

from __future__ import annotations

import math
import os
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from tests.made_rows import row

from editgauge.images import fingerprint, write_png
from editgauge.judging.cache import Reply, ReplyStore
from editgauge.store import run_folder
from editgauge.store.run_folder import EditRecord, RunFolder, sample_record
from editgauge.store.segments import marked
from editgauge.types import Metric, Sample, Status

EDITORS = ("one", "two")
SAMPLES = tuple(f"s{n}" for n in range(6))


def make_run(path: Path, first: float = 0.1) -> RunFolder:
    """Six samples of `mini` by two editors: pictures, edit records, rows of two metrics in three
    segments, replies, a manifest with an entry, and the Parquet file. The scores begin with
    `first`.
    """
    run = RunFolder.create(path)
    records, edits = [], []
    for number, name in enumerate(SAMPLES):
        place = f"inputs/mini/{name}.png"
        write_png(path / place, np.full((6, 8, 3), number * 30, np.uint8))
        image = path / place
        sample = Sample(
            benchmark="mini", id=name, split="all", category=("a", f"c{number % 2}"), instruction=f"do {number}", images=(image,), output_stems=(name,),
            attributes={"tier": number % 3, "size": number / 7},
        )  # fmt: skip
        records.append(sample_record(sample, {image: place}))
        for editor in EDITORS:
            out = f"edits/mini/{editor}/{name}.png"
            write_png(path / out, np.full((6, 8, 3), number * 20 + 3, np.uint8))
            edits.append(
                EditRecord(
                    benchmark="mini", sample=name, editor=editor, status=Status.SCORED, path=out, fingerprint=fingerprint(path / out),
                    width=8, height=6, seed=number, seconds=number / 3, cost=0.25,
                    detail={"source": "folder"},
                )
            )  # fmt: skip
    run.write_samples("mini", records)
    with run.edit_writer() as writer:
        run.write_edits(edits, writer)
    for number, (metric, editor) in enumerate(
        [("ssim", "one"), ("ssim", "two"), ("psnr", "one"), ("psnr", "two")]
    ):
        with run.writer("score") as rows:
            rows.write(
                row(name, editor, metric, first + place / 9 + number, variant="corrected")
                for place, name in enumerate(SAMPLES[:-1])
            )
            rows.write(
                [row(SAMPLES[-1], editor, metric, None, status=Status.FAILED, variant="corrected")]
            )
    with ReplyStore(run.replies_path) as store:
        for name in SAMPLES:
            store.put(Reply(f"key-{name}", "ok", f"Score: {len(name)}", usage={"in": 3}))
    run.keep_metrics(
        "mini",
        [
            Metric("ssim", direction="higher", low=0, high=1, failure=0.0),
            Metric("psnr", direction="higher", low=0, high=math.inf, unit="dB"),
        ],
    )
    run.record("score", benchmark="mini", computed=24)
    run.parquet()
    return RunFolder.open(path)


def make_other(run: RunFolder, path: Path) -> RunFolder:
    """Another run of what a run is of: its samples and outputs, and other scores of the same."""
    other = RunFolder.create(path)
    for benchmark in run.benchmarks():
        samples = run.samples(benchmark)
        samples = [{**one, "category": [*reversed(one["category"])]} for one in samples]
        other.write_samples(benchmark, samples)
        higher = [replace(one, high=math.inf) for one in run.metrics(benchmark).values()]
        other.keep_metrics(benchmark, higher)
    with other.edit_writer() as writer:
        other.write_edits((replace(one, cost=9.0, seed=9) for one in run.edits()), writer)
    with other.writer("score") as rows:
        rows.write(
            one if one.value is None else replace(one, value=one.value + 0.125)
            for one in run.rows()
        )
    shutil.copytree(run.path / "edits", path / "edits", dirs_exist_ok=True)
    other.record("score")
    other.parquet()
    return other


def without_ids(run: Path, *, checked: bool = True) -> None:
    """Make a run what an earlier version would have made of it: no id anywhere; the earliest had no
    checksums of lines (`checked` False) either.
    """
    for path in (*run.glob("rows/*/*.jsonl"), *run.glob("samples/*.jsonl")):
        records = [orjson.loads(line) for line in path.read_bytes().splitlines()]
        path.write_bytes(
            b"".join(
                marked(_bare(one), one["seq"]) if checked else orjson.dumps(_bare(one)) + b"\n"
                for one in records
            )
        )
    for name in ("metrics.json", "manifest.json"):
        content = _bare(orjson.loads((run / name).read_bytes()))
        content["check"] = run_folder._check(content)
        (run / name).write_bytes(orjson.dumps(content))
    shutil.rmtree(run / "rows/parquet")


def _bare(record: dict[str, Any]) -> dict[str, Any]:
    left = ("run", "check", "ids", "older", "seq", "segments")
    return {name: value for name, value in record.items() if name not in left}


def state(run: RunFolder) -> dict[str, dict[Any, Any]]:
    """All that numbers are made of: rows by key, edits by key, samples by id."""
    return {
        "rows": {row.key: row for row in run.rows()},
        "edits": {(e.benchmark, e.sample, e.editor): e for e in run.edits()},
        "metrics": run.metrics("mini"),
        "samples": {record["id"]: record for record in run.samples("mini")},
    }


def files(run: Path) -> list[Path]:
    """The files of a run that a fault may strike, in order of name."""
    return sorted(p for p in run.rglob("*") if p.is_file() and ".locks" not in p.parts)


def _flip(data: bytearray, choose: random.Random) -> None:
    for _ in range(choose.choice([1, 1, 1, 2, 8])):
        data[choose.randrange(len(data))] ^= 1 << choose.randrange(8)


def _cut(data: bytearray, choose: random.Random) -> None:
    del data[choose.randrange(len(data)) :]


def _zero(data: bytearray, choose: random.Random) -> None:
    start = choose.randrange(len(data))
    length = min(choose.choice([1, 16, 512, 4096]), len(data) - start)
    data[start : start + length] = bytes(length)


def _drop(data: bytearray, choose: random.Random) -> None:
    start = choose.randrange(len(data))
    del data[start : start + choose.choice([1, 5, 50, 500])]


def _insert(data: bytearray, choose: random.Random) -> None:
    start = choose.randrange(len(data))
    data[start:start] = bytes(choose.randrange(256) for _ in range(choose.choice([1, 5, 60])))


def _line_gone(data: bytearray, choose: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    del lines[choose.randrange(len(lines))]
    data[:] = b"\n".join(lines)


def _line_twice(data: bytearray, choose: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    lines.insert(choose.randrange(len(lines)), choose.choice(lines))
    data[:] = b"\n".join(lines)


def _digit(data: bytearray, choose: random.Random) -> None:
    places = [n for n, byte in enumerate(data) if 48 <= byte <= 57]
    if places:
        data[choose.choice(places)] = 48 + choose.randrange(10)


def _word(data: bytearray, choose: random.Random) -> None:
    old, new = choose.choice(
        [
            (b'"scored"', b'"strange"'), (b'"status":', b'"state":'), (b'"detail":{', b'"detail":[{'),
            (b'"value":0', b'"value":"0'), (b'"value":1', b'"value":NaN'), (b'"path":"', b'"path":["'),
            (b"edits/mini", b"/etc/mini"), (b'"sample":"s1"', b'"sample":null'), (b"mini", b"\\ud800"),
            (b'"at":', b'"at":-'), (b'"seq":', b'"seq":9'), (b"corrected", b"faithful"),
            (b'"width":8', b'"width":1e999'), (b"{", b"{" * 3000), (b'"images":[', b'"images":['  * 2000),
            (b'"s1"', b'"s2"'), (b'"one"', b'"two"'), (b'"format": 1', b'"format": 2'),
        ]
    )  # fmt: skip
    data[:] = bytes(data).replace(old, new, choose.choice([1, -1]))


def _lines_swapped(data: bytearray, choose: random.Random) -> None:
    lines = bytes(data).split(b"\n")
    one, two = (choose.randrange(len(lines)) for _ in range(2))
    lines[one], lines[two] = lines[two], lines[one]
    data[:] = b"\n".join(lines)


def _status(data: bytearray, choose: random.Random) -> None:
    """A status that there is not, with a right checksum: as another version may write it."""

    def change(record: dict[str, Any]) -> None:
        if "status" in record:
            record["status"] = choose.choice(_NO_STATUS)

    _in_line(data, choose, change)


def _type(data: bytearray, choose: random.Random) -> None:
    """A field of a record with a value of another type, with a right checksum."""

    def change(record: dict[str, Any]) -> None:
        name = choose.choice(sorted(set(record) - {"seq", "at", "check"}))
        kind = _kind(record[name])
        record[name] = choose.choice([value for value in _VALUES if _kind(value) != kind])

    _in_line(data, choose, change)


_NO_STATUS = ("strange", "", "SCORED", "scored ", None, 3, ["scored"])
_VALUES: tuple[Any, ...] = ("text", 7, 0.125, True, ["list"], {"an": "object"})


def _kind(value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return "number" if number else type(value).__name__


def _in_line(
    data: bytearray, choose: random.Random, change: Callable[[dict[str, Any]], None]
) -> None:
    """Change the record of one line of a segment; other files are left as they are."""
    lines = bytes(data).split(b"\n")
    places = [number for number, line in enumerate(lines) if b'"seq":' in line]
    if not places:
        return
    place = choose.choice(places)
    record = orjson.loads(lines[place])
    change(record)
    rest = {name: value for name, value in record.items() if name not in ("seq", "check")}
    lines[place] = marked(rest, record["seq"]).rstrip(b"\n")
    data[:] = b"\n".join(lines)


KINDS: dict[str, Callable[[bytearray, random.Random], None]] = {
    "a bit flipped": _flip,
    "truncated": _cut,
    "a line twice": _line_twice,
    "two lines swapped": _lines_swapped,
    "an unknown status": _status,
    "another type": _type,
}
"""What `walk` does to each file of a run."""


def walk(run: Path, kind: str, seeds: int) -> Iterator[tuple[str, Path, bytes]]:
    """For each file of a run but pictures, and each seed: what was done, the file, and what it held
    before. The file is damaged while the caller looks, and sound again after that.
    """
    for path in (path for path in files(run) if path.suffix != ".png"):
        before, found = path.read_bytes(), path.stat()
        for seed in range(seeds if before else 0):
            data = bytearray(before)
            KINDS[kind](data, random.Random(f"{kind} {path.name[:6]} {seed}"))
            if bytes(data) == before:
                continue
            path.write_bytes(data)
            yield f"{path.relative_to(run)}: {kind}, {seed}", path, before
            path.write_bytes(before)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def _of_another(run: Path, path: Path, other: Path, choose: random.Random) -> str:
    """A file of another run in the place of one, or beside it."""
    theirs = [one for one in files(other) if one.suffix == path.suffix]
    same = [one for one in theirs if one.parent.relative_to(other) == path.parent.relative_to(run)]
    found = choose.choice(same or theirs or files(other))
    target = path if choose.random() < 0.6 else path.with_name(found.name)
    shutil.copy(found, target)
    if path.suffix == ".parquet":
        shutil.copy(found.with_suffix(".json"), target.with_suffix(".json"))
    return f"{target.name} is {found.relative_to(other)} of another run"


def _swapped(one: Path, two: Path) -> str:
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    return f"swapped with {two.name}"


_CHANGES: tuple[Callable[[bytearray, random.Random], None], ...] = (
    _flip, _flip, _flip, _cut, _cut, _zero, _drop, _insert, _line_gone, _line_twice, _digit, _digit,
    _word, _word,
)  # fmt: skip


def damage(run: Path, seed: int, among: Sequence[Path] = (), other: RunFolder | None = None) -> str:
    """Damage one file of a run, or of those `among` its files; returns what was done. The same seed
    does the same. With an `other` run, a third of the damages is a file of that one.
    """
    choose = random.Random(seed)
    path = choose.choice(among or files(run))
    kind = choose.randrange(40)
    said = f"{seed}: {path.relative_to(run)}: "
    if other is not None and seed % 3 == 0:
        return said + _of_another(run, path, other.path, choose)
    if kind == 7:
        alike = [one for one in files(run) if one.suffix == path.suffix]
        return said + _swapped(path, choose.choice(alike))
    if kind > 7:
        data = bytearray(path.read_bytes())
        change = choose.choice(_CHANGES)
        if data:
            change(data, choose)
        found = path.stat()
        path.write_bytes(data)
        if choose.random() < 0.5 and len(data) == found.st_size:  # bit rot changes no time
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
        return said + change.__name__
    if kind == 6:
        shutil.rmtree(path.parent)
        return said + "its folder is gone"
    path.unlink()
    if kind == 1:
        os.mkfifo(path)
    elif kind == 2:
        path.symlink_to("/dev/zero")
    elif kind == 3:
        path.symlink_to(choose.choice(files(run)))
    elif kind == 4:
        path.mkdir()
    elif kind == 5:
        path.write_bytes(b"")
    return said + ("gone", "a pipe", "a device", "a link", "a folder", "empty")[kind]

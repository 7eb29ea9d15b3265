"""How much memory every command takes at the most when the pictures it is given mean harm, against
`--memory`.

    python perf/attack_memory.py [COMMAND …] [--memory 1GB] [--keep DIR]

Makes pictures of every format that say they are huge, unpack to more than they are, hide gigabytes
behind their end or hold thousands of frames, profiles and texts; a data set, outputs and a folder
of them; archives, tables and annotations that unpack to more than they are. Then runs each command
with them. Prints the peak resident memory of the largest process of the command (its workers are
processes, each with the limit of its own), seconds of processor, exit code and its last line; the
exit code is 1 where a peak is above the limit, or a command ends in a traceback.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import functools
import gzip
import http.server
import io
import itertools
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from editgauge.images import memory_size  # noqa: E402

LONGEST = 900
"""Seconds of the clock for one command."""
WATCH = """
import os, resource, sys
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("\\n@", code, used.ru_maxrss, used.ru_utime + used.ru_stime)
"""


# -- pictures --------------------------------------------------------------------------------------


def _chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def _png(side: tuple[int, int], *, colour: int = 2, bits: int = 8, rows: int = -1,
         interlaced: int = 0, more: bytes = b"") -> bytes:  # fmt: skip
    """A black PNG; only so many of its `rows` are there (-1: all)."""
    width, height = side
    bytes_of_row = 1 + (width * {0: 1, 2: 3, 6: 4}[colour] * bits + 7) // 8
    pack, parts = zlib.compressobj(9), []
    for _ in range(height if rows < 0 else rows):
        parts.append(pack.compress(bytes(bytes_of_row)))
    data = b"".join(parts) + pack.flush()
    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlaced)
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + more + _chunk(b"IDAT", data)
        + _chunk(b"IEND", b"")
    )  # fmt: skip


def _saved(size: tuple[int, int], form: str, mode: str = "RGB", **options: object) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size).save(buffer, form, **options)
    return buffer.getvalue()


def _gif(screen: int, frames: int) -> bytes:
    """A GIF of many frames of one pixel on a large screen."""
    head = b"GIF89a" + struct.pack("<HHBBB", screen, screen, 0x80, 0, 0) + bytes(6)
    frame = b"\x2c" + struct.pack("<HHHHB", screen - 1, screen - 1, 1, 1, 0) + b"\x02\x02D\x01\0"
    return head + frame * frames + b";"


def _tiff(tags: dict[int, tuple[int, int]], data: bytes = b"") -> bytes:
    """A TIFF of these tags (each of one number, as (type, value)), `data` behind its header."""
    at = 8 + len(data)
    entries = b"".join(
        struct.pack("<HHII", tag, kind, 1, value) for tag, (kind, value) in sorted(tags.items())
    )
    return (
        b"II*\0" + struct.pack("<I", at) + data + struct.pack("<H", len(tags)) + entries + bytes(4)
    )


def pictures() -> Iterator[tuple[str, bytes, int]]:
    """Name, bytes, and how long the file is made by a hole at its end (0: as it is)."""
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)
    plain = io.BytesIO()
    Image.fromarray(noise).save(plain, "PNG")
    yield "good.png", plain.getvalue(), 0
    yield "png-header.png", _png((2**31 - 1, 2**31 - 1), rows=1), 0
    yield "png-100-million.png", _png((10_000, 10_000)), 0
    yield "png-largest.png", _png((6_900, 6_900)), 0
    yield "png-alpha-16.png", _png((6_900, 6_900), colour=6, bits=16), 0
    yield "png-interlaced.png", _png((6_000, 6_000), interlaced=1, rows=20_000), 0
    yield "png-more-rows.png", _png((64, 64), rows=4_000_000), 0
    packed = zlib.compress(bytes(64 << 20), 9)
    text = _chunk(b"zTXt", b"a\0\0" + packed)
    yield "png-texts.png", _png((64, 64), more=text * 300), 0
    profile = _chunk(b"iCCP", b"icc\0\0" + packed)
    yield "png-profile.png", _png((64, 64), more=profile), 0
    yield "png-profiles.png", _png((64, 64), more=profile * 50), 0
    yield "png-hole.png", plain.getvalue(), 6 << 30
    jpeg = _saved((6_900, 6_900), "JPEG")
    yield "jpeg-largest.jpg", jpeg, 0
    yield "jpeg-progressive.jpg", _saved((6_900, 6_900), "JPEG", progressive=True), 0
    yield "jpeg-header.jpg", jpeg.replace(struct.pack(">HH", 6_900, 6_900), b"\xff\xdc\xff\xdc"), 0
    yield "jpeg-cmyk.jpg", _saved((6_900, 6_900), "JPEG", "CMYK"), 0
    part = b"\xff\xe2" + struct.pack(">H", 65_000) + b"ICC_PROFILE\0\x01\xff" + bytes(64_984)
    yield "jpeg-profile.jpg", jpeg[:2] + part * 255 + jpeg[2:], 0
    yield "jpeg-hole.jpg", _saved((64, 64), "JPEG"), 6 << 30
    yield "webp-largest.webp", _saved((6_000, 6_000), "WEBP", lossless=True), 0
    yield "webp-limit.webp", _saved((16_383, 6_000), "WEBP", lossless=True, method=0), 0
    frames = [Image.new("RGB", (2_000, 2_000), (n % 256, 0, 0)) for n in range(40)]
    moving = io.BytesIO()
    frames[0].save(moving, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    yield "webp-frames.webp", moving.getvalue(), 0
    yield "gif-frames.gif", _gif(6_900, 20_000), 0
    yield "gif-screen.gif", _gif(65_535, 3), 0
    yield "bmp-header.bmp", _saved((64, 64), "BMP")[:18] + struct.pack("<ii", 2**30, 2**30), 4 << 30
    short, long = 3, 4
    shape = {258: (short, 8), 259: (short, 1), 262: (short, 1), 277: (short, 1)}
    yield "tiff-tile.tif", _tiff({**shape, 256: (long, 64), 257: (long, 64), 322: (long, 2**20),
        323: (long, 2**20), 324: (long, 8), 325: (long, 64)}, bytes(64)), 0  # fmt: skip
    body = zlib.compress(bytes(512 << 20), 9)
    yield "tiff-strip.tif", _tiff({**shape, 256: (long, 64), 257: (long, 64), 259: (short, 8),
        273: (long, 8), 278: (long, 64), 279: (long, len(body))}, body), 0  # fmt: skip
    yield "tiff-largest.tif", _saved((6_900, 6_900), "TIFF", compression="tiff_adobe_deflate"), 0


# -- what the commands are given -------------------------------------------------------------------


def make(place: Path) -> list[str]:
    """The data set ``set``, outputs of the editor ``model``, all pictures in ``loose`` and those
    that are no longer than they look in ``few``; their names.
    """
    for room in ("set/pictures", "outputs/model", "loose", "few"):
        (place / room).mkdir(parents=True)
    names, records = [], []
    for name, data, hole in pictures():
        identity = name.replace(".", "-")
        shapes = [place / "set/pictures" / name, place / "loose" / name]
        # outputs are looked for by the extensions of `images.EXTENSIONS`; content decides the rest
        shapes.append(place / "outputs/model" / f"{identity}.png")
        for path in shapes:
            path.write_bytes(data)
            if hole:
                os.truncate(path, hole)
        if not hole:
            (place / "few" / name).write_bytes(data)
        names.append(name)
        record = {
            "id": identity,
            "images": [f"pictures/{name}"],
            "instruction": "Replace 'A' with 'B'",
            "reference": f"pictures/{name}",
        }
        records.append(record)
    (place / "set/dataset.json").write_text(json.dumps({"format": 1, "name": "harm"}))
    (place / "set/samples.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    return names


JUDGED = ("png-hole.png", "png-largest.png", "png-alpha-16.png", "jpeg-profile.jpg", "webp-limit.webp",
          "tiff-strip.tif", "gif-frames.gif")  # fmt: skip


def judged(place: Path) -> None:
    """A small data set of a benchmark with a judge for each of `JUDGED`, which is its input and the
    editor's output.
    """
    from tests.fuzz.test_annotations import SETS

    from editgauge import catalog

    for name in JUDGED:
        data, outputs = place / name / "data", place / name / "outputs/model"
        data.mkdir(parents=True)
        SETS["texteditbench"](data)
        for sample in catalog.find("benchmarks", "texteditbench").load(data):
            targets = [*sample.images, outputs / f"{sample.output_stems[0]}.png"]
            for target in targets:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.unlink(missing_ok=True)
                os.link(place.parent / "loose" / name, target)


def bombs(place: Path) -> None:
    """Annotations, archives and tables that unpack to more than they are."""
    (place / "crowded").mkdir()
    (place / "crowded/dataset.json").write_text(json.dumps({"format": 1, "name": "harm"}))
    line = b'{"id": "a", "x": [' + b"[]," * (20 << 20) + b"[]]}\n"
    (place / "crowded/samples.jsonl").write_bytes(line)
    (place / "annotated/anomaly_correction").mkdir(parents=True)
    annotations = place / "annotated/anomaly_correction/annotation.json"
    annotations.write_bytes(b'{"1": [' + b"[]," * (20 << 20) + b"[]]}")
    (place / "scores.json").write_bytes(b"[" + b"{}," * (20 << 20) + b"{}]")
    (place / "table.csv").write_bytes(b"model,VC,VQ,IF,KP\n" + b"a,1,1,1,1\n" * (1 << 20))
    with zipfile.ZipFile(place / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.png", bytes(1 << 30))
    with tarfile.open(place / "bomb.tar.gz", "w:gz") as packed:
        info = tarfile.TarInfo("a.png")
        info.size = 4 << 30
        packed.addfile(info, _Zeros(info.size))  # type: ignore[arg-type]
    np.savez_compressed(place / "bomb.npz", a=np.zeros(1 << 28))


class _Zeros:
    """A file of so many zeros."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int) -> bytes:
        size = min(size, self.left)
        self.left -= size
        return bytes(size)


@contextmanager
def judge() -> Iterator[str]:
    """The address of a judge that always answers."""
    from editgauge.judging.fakes import FaultServer

    with FaultServer(keep=False) as server:
        yield server.url


@functools.cache
def _answers() -> tuple[bytes, ...]:
    good = json.dumps({"image": base64.b64encode(_png((64, 64))).decode()}).encode()
    brackets = b'{"image": [' + b"[]," * (20 << 20) + b"[]]}"
    return good, gzip.compress(bytes(1 << 30), 9), brackets, b"x" * (1 << 20)


class _Editing(http.server.BaseHTTPRequestHandler):
    """A service that edits: it answers in turns with a picture, a packed body that unpacks to
    1 GB, a body of brackets, and one that never ends.
    """

    turn = itertools.count()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        what = next(self.turn) % 4
        body = _answers()[what]
        self.send_response(200)
        if what == 1:
            self.send_header("Content-Encoding", "gzip")
        if what < 3:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            for _ in range(1 if what < 3 else 10_000):
                self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def editing() -> Iterator[str]:
    """The address of `_Editing`."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Editing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def commands(place: Path, url: str, edits: str) -> dict[str, list[str]]:
    """The commands by name; some need what an earlier one has made."""
    data, run = f"dir:{place}/set", str(place / "run")
    outputs = ["--outputs", f"{place}/outputs", "--editor", "model"]
    asked = ["--editor", "model", "--model", "m", "--allow-alias", "--base-url", url, "--run"]
    return {
        "check": ["check", data, *outputs],
        "score": ["score", data, *outputs, "--run", run, "--tracks", "pixel"],
        "edit": ["edit", data, "--editor", "copy", "--run", run],
        "edit typeset": ["edit", data, "--editor", "typeset", "--run", f"{place}/typeset"],
        "edit http": ["edit", data, "--editor", "http", "--base-url", edits, "--run",
                      f"{place}/asked", "--set", "attempts=1"],
        **{
            f"judge {name}": ["judge", "run", "texteditbench", f"{place}/judged/{name}/data", "--outputs",
                              f"{place}/judged/{name}/outputs", *asked, f"{place}/judged/{name}/run"]
            for name in JUDGED
        },
        "plan": ["plan", data, "--run", run],
        "table": ["table", run],
        "report": ["report", run, "--copy-images"],
        "grid": ["grid", run, "--to", f"{place}/grid.png", "--sample", "png-largest-png",
                 "--sample", "good-png"],
        "check-run": ["check-run", run],
        "import-outputs": ["import-outputs", data, "--from", f"{place}/few", "--to", f"{place}/to",
                           "--editor", "model"],
        "new dataset": ["new", "dataset", f"{place}/made"],
        "curate add": ["curate", "add", f"{place}/made", f"{place}/few"],
        "curate similar": ["curate", "similar", f"{place}/set"],
        "diagnose": ["diagnose", run],

        "merge": ["merge", run, f"{place}/asked", "--to", f"{place}/both"],
        "check annotations": ["check", "krisbench", f"{place}/annotated"],
        "check crowded": ["check", f"dir:{place}/crowded"],
        "import-scores": ["import-scores", "texteditbench", f"{place}/judged/png-largest.png/data", "--from", f"{place}/scores.json",
                           "--run", f"{place}/scored"],
        "audit": ["audit", f"{place}/table.csv"],
        "audit zip": ["audit", f"{place}/bomb.zip"],
        "audit npz": ["audit", f"{place}/bomb.npz"],
    }  # fmt: skip


def run(words: Sequence[str], memory: str) -> tuple[int, int, float, str]:
    """Exit code, bytes at the peak, processor seconds and what was said."""
    ours = [sys.executable, "-m", "editgauge", *words]
    process = subprocess.Popen(
        [sys.executable, "-c", WATCH, *ours], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", start_new_session=True,
        env={**os.environ, "EDITGAUGE_MEMORY": memory, "PYTHONPATH": str(ROOT / "src"),
             "EDITGAUGE_JUDGE_KEY": "k", "EDITGAUGE_EDITOR_KEY": "k"},
    )  # fmt: skip
    try:
        told, _ = process.communicate(timeout=LONGEST)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return -9, 0, 0.0, f"{process.communicate()[0]}\nnot done in {LONGEST} s"
    said, _, told = told.rpartition("\n@ ")
    code, kilobytes, seconds = told.split()
    return int(code), int(kilobytes) << 10, float(seconds), said


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("commands", nargs="*", help="Only those whose names have one of these.")
    parser.add_argument("--keep", type=Path, help="Make the data here, and leave them.")
    chosen = parser.parse_args()
    limit = memory_size(chosen.memory)
    place = (chosen.keep or Path(tempfile.mkdtemp())).absolute()
    above = 0
    try:
        if not (place / "set").exists():
            make(place)
            bombs(place)
        if not (place / "judged").exists():
            judged(place / "judged")
        with judge() as url, editing() as edits:
            for name, words in commands(place, url, edits).items():
                if chosen.commands and not any(word in name for word in chosen.commands):
                    continue
                code, peak, seconds, said = run(words, chosen.memory)
                lines = [line for line in said.splitlines() if line.strip()]
                crash = re.search(r"^Traceback", said, re.MULTILINE) is not None
                bad = peak > limit or crash or code < 0
                above += bad
                print(
                    f"{name:16}{peak / 2**20:7.0f} MB {seconds:7.1f} s, exit {code}"
                    f"{'  ABOVE' * (peak > limit)}{'  TRACEBACK' * crash}  "
                    f"{(lines or [''])[-1][:110]}",
                    flush=True,
                )
                if crash or code not in (0, 1):
                    print("\n".join(lines[-12:]))
    finally:
        if chosen.keep is None:
            shutil.rmtree(place, ignore_errors=True)
    print(f"{above} above {chosen.memory}, or ended in a traceback")
    sys.exit(1 if above else 0)


if __name__ == "__main__":
    main()

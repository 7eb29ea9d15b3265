"""How long `editgauge score` of many small samples takes before its first score, and when there is
nothing to do: seconds, and seconds of this process's processor (workers not counted).

    python perf/bench_endurance.py [--samples 20000] [--keep DIR] [--profile]
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import gc
import io
import pstats
import shutil
import struct
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

import orjson

AIMS = {"first score": 10.0, "nothing to do": 5.0}


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(number: int) -> bytes:
    """A picture of 8 x 8 pixels, another one for each number."""
    colour = bytes([number % 256, number // 256 % 256, 7])
    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    pixels = zlib.compress((b"\0" + colour * 8) * 8)
    end = _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixels) + end


def make(place: Path, count: int) -> None:
    """A data set of so many samples, and one editor's outputs."""
    for room in ("set/pictures", "outputs/model"):
        (place / room).mkdir(parents=True)
    about = {"format": 1, "name": "many"}
    (place / "set/dataset.json").write_bytes(orjson.dumps(about))
    records = []
    for number in range(count):
        name = f"s{number:06d}"
        (place / f"set/pictures/{name}.png").write_bytes(_png(number))
        (place / f"outputs/model/{name}.png").write_bytes(_png(number + 1))
        records.append(
            {"id": name, "images": [f"pictures/{name}.png"], "instruction": f"do {number}",
             "reference": f"pictures/{name}.png"}
        )  # fmt: skip
    lines = b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in records)
    (place / "set/samples.jsonl").write_bytes(lines)


def score(place: Path, profile: bool) -> tuple[str, float, float]:
    """Score in this process; until when seconds are counted, and those of clock and processor."""
    from editgauge.cli.main import _COLLECTION, app_for

    gc.set_threshold(*_COLLECTION)  # as the command does
    first: list[tuple[float, float]] = []
    began = time.perf_counter(), time.process_time()

    def since() -> tuple[float, float]:
        return time.perf_counter() - began[0], time.process_time() - began[1]

    words = ["score", f"dir:{place}/set", "--outputs", f"{place}/outputs", "--editor", "model"]
    words += ["--run", f"{place}/run", "--tracks", "pixel", "--json"]
    profiler = cProfile.Profile(time.process_time) if profile else contextlib.nullcontext()
    with (
        _watched(lambda: first.append(since())),
        contextlib.redirect_stdout(io.StringIO()),
        profiler,
        contextlib.suppress(SystemExit),
    ):
        app_for(words)(words, standalone_mode=False)
    if isinstance(profiler, cProfile.Profile):
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("cumtime").print_stats(45)
    return ("first score", *first[0]) if first else ("nothing to do", *since())


@contextlib.contextmanager
def _watched(tell: Any) -> Any:
    """Call `tell` when the first batch of scores has come back."""
    from editgauge.run import score as module

    real, told = module._add, []

    def add(*args: Any) -> None:
        if not told:
            told.append(True)
            tell()
        real(*args)

    module._add = add
    try:
        yield
    finally:
        module._add = real


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="Make the data here, and leave them.")
    parser.add_argument("--profile", action="store_true")
    chosen = parser.parse_args()
    place = chosen.keep or Path(tempfile.mkdtemp())
    try:
        if not (place / "set").exists():
            make(place, chosen.samples)
        for _ in range(2):
            what, seconds, processor = score(place, chosen.profile)
            aim = AIMS[what] * chosen.samples / 20_000
            print(f"{what:16}{seconds:7.1f} s, processor {processor:5.1f} s (aim {aim:.0f} s)")
    finally:
        if chosen.keep is None:
            shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()

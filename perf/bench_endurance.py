"""`editgauge score` of many small samples: how long until the first score, and with nothing to do?

    python perf/bench_endurance.py [--samples 20000] [--keep DIR]

Wall seconds, and those of this process's processor (workers not counted).
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from support import Run, folder

from editgauge.cli import main as command
from editgauge.images import write_png


def make(place: Path, count: int) -> None:
    """A data set of so many samples of 8 x 8 pixels, and one editor's outputs."""
    for room in ("set/pictures", "outputs/model"):
        (place / room).mkdir(parents=True)
    (place / "set/dataset.json").write_bytes(orjson.dumps({"name": "many"}))
    with (place / "set/samples.jsonl").open("wb") as lines:
        for number in range(count):
            name = f"s{number:06d}"
            for path, colour in (("set/pictures", number), ("outputs/model", number + 1)):
                pixels = np.full((8, 8, 3), (colour % 256, colour // 256 % 256, 7), np.uint8)
                write_png(place / path / f"{name}.png", pixels)
            file = f"pictures/{name}.png"
            sample = {"id": name, "images": [file], "instruction": f"do {number}"}
            record = sample | {"reference": file}
            lines.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))


def score(place: Path) -> tuple[str, float, float]:
    """Score in this process; until when seconds are counted, and those of clock and processor."""
    first: list[tuple[float, float]] = []
    put, began = Run.put, (time.perf_counter(), time.process_time())

    def since() -> tuple[float, float]:
        return time.perf_counter() - began[0], time.process_time() - began[1]

    def noted(run: Run, rows: Iterable[Any] = (), edits: Iterable[Any] = ()) -> int:
        rows = list(rows)
        if rows:
            first.append(since())
        return put(run, rows, edits)

    words = ["score", f"dir:{place}/set", "--outputs", f"{place}/outputs", "--editor", "model"]
    words += ["--run", f"{place}/run", "--tracks", "pixel", "--json"]
    Run.put = noted  # type: ignore[method-assign]
    gc.set_threshold(*command._COLLECTION)  # as the command does
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            code = command.run(words)
    finally:
        Run.put = put  # type: ignore[method-assign]
    assert code == 0, code
    return ("first score", *first[0]) if first else ("nothing to do", *since())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--keep", type=Path, help="make the data here, and leave them")
    given = parser.parse_args()
    with folder(given.keep) as place:
        if not (place / "set").exists():
            make(place, given.samples)
        for _ in range(3):
            what, wall, processor = score(place)
            print(f"{what:16} processor {processor:5.1f} s (wall {wall:.1f} s)", flush=True)


if __name__ == "__main__":
    main()

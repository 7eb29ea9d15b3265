"""What the contract tests share: commands in this process and in others, rows, pictures."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from PIL import Image

SOURCE = Path(__file__).resolve().parents[2] / "src"


@dataclass(frozen=True)
class Result:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)

    @property
    def text(self) -> str:
        return self.out + self.err


# -- commands --------------------------------------------------------------------------------------


def cli(*words: Any, expect: int | None = 0, env: Mapping[str, str] | None = None) -> Result:
    """Run a command by its entry function, in this process. `expect`: its exit code; None: any."""
    from editgauge.__main__ import main

    out, err = _Stream(), _Stream()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["editgauge", *map(str, words)])
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        for name, value in {"COLUMNS": "200", "NO_COLOR": "1", **(env or {})}.items():
            patch.setenv(name, value)
        code = _exit_code(main)
    result = Result(code, out.text(), err.text())
    assert expect in (None, code), f"exit code {code} of {words}\n{result.out}\n{result.err}"
    return result


def process(*words: Any, env: Mapping[str, str] | None = None, **more: Any) -> Any:
    """Start ``python -m editgauge …``: a `Popen` at the head of a process group of its own."""
    around = {**os.environ, "PYTHONPATH": str(SOURCE), **(env or {})}
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | more
    argv = [sys.executable, "-m", "editgauge", *map(str, words)]
    return subprocess.Popen(argv, env=around, start_new_session=True, **more)


def finished(child: Any, expect: int | None = 0, timeout: float = 120) -> Result:
    """Wait for a `process`."""
    out, err = child.communicate(timeout=timeout)
    assert expect in (None, child.returncode), f"exit code {child.returncode}\n{out}\n{err}"
    return Result(child.returncode, out, err)


def killed(words: Sequence[Any], at: float, env: Mapping[str, str] | None = None) -> bool:
    """Start a command and kill it and all its children `at` seconds later, as ``kill -9`` does.
    Returns whether it was still at work.
    """
    child = process(*words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + at
    while child.poll() is None and time.monotonic() < end:
        time.sleep(0.005)
    at_work = child.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return at_work


class _Stream(io.TextIOWrapper):
    """Standard output as a file in memory, with a `buffer` as the real one has."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", newline="", write_through=True)

    def text(self) -> str:
        self.flush()
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode()


def _exit_code(main: Any) -> int:
    import gc

    before = gc.get_threshold()
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    finally:
        gc.set_threshold(*before)
    return 0


# -- rows ------------------------------------------------------------------------------------------

KEY = ("benchmark", "sample", "editor", "scorer", "metric", "variant", "source", "repeat")


ROWS = """
    SELECT s.benchmark, n.sample, s.editor, s.scorer, s.metric, s.variant, s.source, r.repeat,
        r.value, r.status, r.reason, r.detail, r.fingerprint
    FROM rows r JOIN series s ON s.id = r.series JOIN samples n ON n.id = r.sample
"""


def rows_of(run: Path) -> list[dict[str, Any]]:
    """Every row of a run, read as the documentation says (docs/how-to/read-a-run.md). The one place
    that follows when runs are stored in another way.
    """
    if not (run / "run.sqlite").exists():
        return []
    with contextlib.closing(sqlite3.connect(run / "run.sqlite")) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute(ROWS)]
    if (run / "rows.parquet").exists():  # it alone has the metrics that follow from others
        query = f"SELECT {', '.join(rows[0] if rows else KEY)} FROM read_parquet(?) WHERE scorer = 'derived'"
        with duckdb.connect() as flat:
            found = flat.execute(query, [str(run / "rows.parquet")]).fetchall()
        rows += [dict(zip(rows[0], row, strict=True)) for row in found]
    return sorted(rows, key=lambda row: tuple(str(row[name]) for name in KEY))


def same_rows(run: Path, other: Path) -> None:
    """Assert that two runs hold the same scores to the last bit."""
    told = (*KEY, "value", "status", "reason", "detail", "fingerprint")
    one, two = ([tuple(row[name] for name in told) for row in rows_of(r)] for r in (run, other))
    assert one, f"{run} has no rows"
    assert one == two


def values(run: Path, metric: str, variant: str = "faithful", **where: Any) -> dict[str, Any]:
    """Sample -> value of one metric of one editor."""
    wanted = {"metric": metric, "variant": variant, **where}
    return {
        row["sample"]: row["value"]
        for row in rows_of(run)
        if all(row[name] == value for name, value in wanted.items())
    }


# -- pictures --------------------------------------------------------------------------------------


def picture(seed: int, height: int = 96, width: int = 128) -> np.ndarray[Any, Any]:
    """A picture with flat areas, edges and texture: uint8, (height, width, 3), RGB."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    base = np.stack([x * 255 / width, y * 255 / height, (x + y) * 255 / (height + width)], axis=-1)
    for _ in range(14):
        top, left = rng.integers(0, height - 12), rng.integers(0, width - 12)
        box = base[top : top + rng.integers(8, 30), left : left + rng.integers(8, 40)]
        box[:] = rng.integers(0, 256, 3)
    return np.clip(base + rng.normal(0, 4, base.shape), 0, 255).astype(np.uint8)


def rectangle(height: int, width: int, box: tuple[int, int, int, int]) -> np.ndarray[Any, Any]:
    """A mask: 255 within (top, left, bottom, right), else 0; uint8, (height, width)."""
    mask = np.zeros((height, width), np.uint8)
    top, left, bottom, right = box
    mask[top:bottom, left:right] = 255
    return mask


def save(path: Path, pixels: np.ndarray[Any, Any], **options: Any) -> Path:
    """Write a picture, and the folders above it; JPEG as plainly as it can be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix.lower() in (".jpg", ".jpeg"):
        options = {"format": "JPEG", "quality": 95, "subsampling": 0} | options
    wanted = {name: value for name, value in options.items() if value is not None}
    Image.fromarray(pixels).save(path, **wanted)
    return path

"""Reads the built-in benchmark, drawn by this project. A reference differs from its input inside
the masks only: PNGs of a sample share a palette, masks of photographs end at JPEG's blocks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from editgauge.benchmarks.base import Note, Samples
from editgauge.benchmarks.mini.facts import SPLITS
from editgauge.errors import DataError
from editgauge.types import Sample

DATA = Path(__file__).parent / "data"
RECORDS = "samples.jsonl"


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples of this package. `split` is ``plain`` or ``textured``. Raises `DataError` for
    another split and for a folder: there is none.
    """
    if split is not None and split not in SPLITS:
        raise DataError(f"mini: wanted split {' or '.join(SPLITS)}, found {split!r}")
    if root is not None:
        raise DataError(f"{root}: mini comes with the package; leave the folder out")

    def read(note: Note) -> Iterator[Sample]:
        lines = (DATA / RECORDS).read_bytes().splitlines()
        samples = (_sample(**json.loads(line)) for line in lines)
        return (sample for sample in samples if split in (None, sample.split))

    return Samples("mini", DATA, read)


def _sample(
    id: str, category: list[str], images: list[str], reference: str, masks: dict[str, str],
    **fields: Any,
) -> Sample:  # fmt: skip
    """A line of the records, whose paths are below their folder."""
    return Sample(
        benchmark="mini",
        id=id,
        category=tuple(category),
        images=tuple(DATA / name for name in images),
        output_stems=(id,),
        reference=DATA / reference,
        masks={name: DATA / path for name, path in masks.items()},
        **fields,
    )

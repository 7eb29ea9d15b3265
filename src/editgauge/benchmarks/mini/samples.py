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
    """The samples of this package, or of a copy of its data folder. `split` is ``plain`` or
    ``textured``.

    Raises `DataError` for a split that does not exist and for a folder without its records.
    """
    if split is not None and split not in SPLITS:
        raise DataError(f"mini: wanted split {' or '.join(SPLITS)}, found {split!r}")
    folder = DATA if root is None else root.absolute()
    try:
        lines = (folder / RECORDS).read_text(encoding="utf-8").splitlines()
        samples = [_sample(folder, **json.loads(line)) for line in lines]
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(
            f"{folder / RECORDS}: wanted the records of mini, found {reason}; leave the folder "
            "out: mini comes with the package"
        ) from error

    def read(note: Note) -> Iterator[Sample]:
        return (sample for sample in samples if split in (None, sample.split))

    return Samples("mini", folder, read)


def _sample(
    folder: Path, id: str, category: list[str], images: list[str], reference: str,
    masks: dict[str, str], **fields: Any,
) -> Sample:  # fmt: skip
    """A line of the records, whose paths are below their folder."""
    return Sample(
        benchmark="mini",
        id=id,
        category=tuple(category),
        images=tuple(folder / name for name in images),
        output_stems=(id,),
        reference=folder / reference,
        masks={name: folder / path for name, path in masks.items()},
        **fields,
    )

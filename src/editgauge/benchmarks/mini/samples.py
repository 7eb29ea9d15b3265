"""Reads the built-in benchmark: ``data/samples.jsonl``, a sample a line, and the pictures beside it.

The pictures were drawn by this project. A reference differs from its input inside the masks only:
the two PNGs of a sample share a palette; of the two photographs the masks end at JPEG's blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from editgauge.benchmarks.base import Note, Samples
from editgauge.benchmarks.mini.facts import SPLITS
from editgauge.errors import DataError
from editgauge.types import Sample

DATA = Path(__file__).parent / "data"
RECORDS = "samples.jsonl"


class Record(msgspec.Struct, kw_only=True):
    """A line of the records; paths are below their folder."""

    id: str
    split: str
    category: tuple[str, ...]
    instruction: str
    images: tuple[str, ...]
    reference: str
    masks: dict[str, str]
    attributes: dict[str, str | int | bool]
    source_text: str | None = None
    target_text: str | None = None
    caption: str | None = None
    knowledge: str | None = None
    change: str | None = None
    concept: str | None = None
    rephrased: str | None = None

    def sample(self, folder: Path) -> Sample:
        """The sample, with its pictures below `folder`."""
        fields = msgspec.structs.asdict(self) | {
            "images": tuple(folder / name for name in self.images),
            "reference": folder / self.reference,
            "masks": {name: folder / path for name, path in self.masks.items()},
        }
        return Sample(benchmark="mini", output_stems=(self.id,), **fields)


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples of this package, or of a copy of its data folder. `split` is ``plain`` or
    ``textured``.

    Raises `DataError` for a split that does not exist and for a folder without its records.
    """
    if split is not None and split not in SPLITS:
        raise DataError(f"mini: wanted split {' or '.join(SPLITS)}, found {split!r}")
    folder = DATA if root is None else root.absolute()
    records = _records(folder)

    def read(note: Note) -> Iterator[Sample]:
        del note
        for record in records:
            if split in (None, record.split):
                yield record.sample(folder)

    return Samples("mini", folder, read)


def _records(folder: Path) -> list[Record]:
    path = folder / RECORDS
    try:
        return msgspec.json.Decoder(Record).decode_lines(path.read_bytes())
    except (OSError, msgspec.MsgspecError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(
            f"{path}: wanted the records of mini, found {reason}; leave the folder out: mini comes "
            "with the package"
        ) from error

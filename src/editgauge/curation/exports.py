"""A data set in the layouts of others: the four benchmarks' official ones, and Hugging Face's
``imagefolder``.

Files are written anew into an empty folder: nothing of the set's process (reviews, comments, links,
events) is in them, and pictures carry no metadata. The hidden file `OWN_SET` says that the folder
is a set of one's own in that layout, and how its samples are called there.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from PIL import Image

from editgauge import catalog, temporary
from editgauge.benchmarks.base import write_json
from editgauge.benchmarks.tree import OWN_SET, Tree
from editgauge.curation import card, conventions
from editgauge.curation.dataset import DataSet
from editgauge.curation.readiness import Fault, leaving
from editgauge.curation.records import PROTOCOLS, TEXTS, Record
from editgauge.errors import ImageError, UsageError
from editgauge.escape import file_name
from editgauge.images import read_file, read_header, read_image, write_bytes
from editgauge.judging.metadata import bare
from editgauge.store import paths

IMAGEFOLDER = "imagefolder"
LAYOUTS: tuple[str, ...] = (*PROTOCOLS, IMAGEFOLDER)
Numbered = Sequence[tuple[int, Record]]
"""Samples, each with its number: the same in every version, by the order in which they were made.
"""


class Exported(NamedTuple):
    """What an export wrote, and which samples it left out."""

    folder: Path
    samples: int
    left_out: list[Fault]


def export(
    data: DataSet, to: Path, layout: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> Exported:  # fmt: skip
    """Write the set to the folder `to` in one of `LAYOUTS`; all or nothing.

    Raises `DataError` when a sample may not leave (with `ready_only` those are left out), and
    `UsageError` for another layout or a folder in use.
    """
    need_layout(layout)
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"{to}: there is something already; name a new or an empty folder")
    numbers = {record.id: n for n, record in enumerate(data.records(withdrawn=True), start=1)}
    records, found = leaving(data, layout, ready_only=ready_only, engine=engine)
    about = data.about
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        temporary.sweep(to.parent)
        with temporary.folder(to.parent) as made:
            numbered = [(numbers[record.id], record) for record in records]
            if layout == IMAGEFOLDER:
                names = _imagefolder(data, made, numbered)
            else:
                names = _official(data, made, layout, numbered)
            mark = {"layout": layout, "name": about.name, "version": about.version}
            write_bytes(made / "README.md", card.card(data, records).encode())
            write_json(made / OWN_SET, {**mark, "samples": names})
            made.chmod(0o755)
            if to.exists():
                to.rmdir()
            made.rename(to)
    except OSError as error:
        raise paths.unwritable(to, error) from error
    data.note(who, "exported", layout=layout, samples=len(records))
    return Exported(to, len(records), found)


def need_layout(layout: str) -> None:
    """Raise `UsageError` for a layout that there is not; "" is none."""
    if layout not in ("", *LAYOUTS):
        raise UsageError(f"layout {layout!r}: wanted one of {', '.join(LAYOUTS)}")


def bare_file(data: DataSet, relative: str) -> bytes:
    """A picture in its own format, its coded pixels untouched, without what its metadata tell.
    Raises `ImageError` for a format whose metadata cannot be taken out.
    """
    path = data.path(relative)
    try:
        return bare(read_file(path), read_header(path).format)
    except ValueError as error:
        raise ImageError(
            f"{relative}: its metadata cannot be taken out ({error}); take the picture in with: "
            f"editgauge curate add",
            path=path,
        ) from error


def _png(data: DataSet, relative: str) -> bytes:
    """A picture as PNG: its own bytes where it is one, else its pixels as stored."""
    path = data.path(relative)
    if read_header(path).format == "PNG":
        return bare_file(data, relative)
    buffer = io.BytesIO()
    Image.fromarray(read_image(path)).save(buffer, "PNG")
    return buffer.getvalue()


def _official(data: DataSet, root: Path, layout: str, samples: Numbered) -> dict[str, str]:
    """By the benchmark's own writer, which takes samples as its loader gives them."""
    write = catalog.find("benchmarks", layout).write
    tree = Tree(data.root)
    name = f"dir.{data.about.name}.{layout}"
    shaped = [(n, conventions.sample_of(r, data.root, name, layout, tree)) for n, r in samples]

    def copy(path: Path, to: Path) -> None:
        write_bytes(to, _png(data, path.relative_to(data.root).as_posix()))

    names: dict[str, str] = write(root, shaped, copy)
    return names


def _facts(record: Record) -> dict[str, Any]:
    """A record as one flat line of a table."""
    texts = {name: getattr(record, name) or None for name in TEXTS}
    source = {f"source_{name}": text for name, text in record.source.items()}
    return {
        "id": record.id,
        "category": "/".join(record.category),
        **texts,
        **{f"attribute_{name}": v for name, v in record.attributes.items()},
        **source,
    }


def _named(record: Record) -> dict[str, str]:
    """Column -> picture."""
    images = record.images
    made = {"input": images[0]}
    made |= {f"input_{n}": path for n, path in enumerate(images[1:], start=2)}
    made |= {f"mask_{name}": path for name, path in record.masks.items()}
    return made | ({"reference": record.reference} if record.reference else {})


def _imagefolder(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``<split>/metadata.jsonl`` beside the pictures that its ``…file_name`` columns name."""
    names: dict[str, str] = {}
    lines: dict[str, list[bytes]] = {}
    for _, record in samples:
        split = _split(record)
        line = _facts(record)
        for column, path in _named(record).items():
            place = f"{column}/{record.id}.png"
            write_bytes(root / split / place, _png(data, path))
            line["file_name" if column == "input" else f"{column}_file_name"] = place
        lines.setdefault(split, []).append(orjson.dumps(line) + b"\n")
        names[record.id] = record.id
    for split, every in lines.items():
        write_bytes(root / split / "metadata.jsonl", b"".join(every))
    return names


def _split(record: Record) -> str:
    """The split as a name of a folder."""
    return file_name(record.split or "test")

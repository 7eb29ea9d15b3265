"""Makes the files of the built-in benchmark where they are not there yet, and reads them as
samples.

The folder is called ``mini-<hash>``, the hash being of the code that draws and of the libraries it
draws with: the same name means the same bytes, and another version of either never meets half of
another's files. It is drawn under a temporary name and renamed when it is complete; on every load
each file is compared with the hash in ``index.json``, and what is damaged or gone is drawn again.
Any number of processes may do this at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from editgauge import temporary
from editgauge.benchmarks.base import Note, Samples
from editgauge.benchmarks.mini.drawing import Canvas
from editgauge.benchmarks.mini.records import RECORDS, SPLITS, Record
from editgauge.errors import DataError, ImageError
from editgauge.images import Array, fingerprint, read_image, write_bytes, write_png
from editgauge.store.addresses import user_cache
from editgauge.types import Sample

INDEX = "index.json"
PACKAGES = (
    "numpy",
    "opencv-python-headless",
    "pillow",
    "font-caladea",
    "font-fredoka-one",
    "font-amatic-sc",
)


def load(root: Path | None, *, split: str | None = None) -> Samples:
    """The samples; made below `root`, or below the cache folder of this user when `root` is None.

    Raises `DataError` for a split that does not exist and when the folder can be neither read nor
    written.
    """
    if split is not None and split not in SPLITS:
        raise DataError(f"mini: wanted split {' or '.join(SPLITS)}, found {split!r}")
    folder = make(root)

    def read(note: Note) -> Iterator[Sample]:
        del note
        for record in RECORDS:
            if split in (None, record.split):
                yield sample_of(record, folder)

    return Samples("mini", folder, read)


def make(root: Path | None) -> Path:
    """The complete folder of the benchmark below `root`; drawn, or repaired, where needed."""
    base = user_cache() if root is None else root.absolute()
    if base.name.startswith("mini-") and (base / INDEX).is_file():
        base = base.parent  # the folder that an earlier call made was given
    folder = base / f"mini-{recipe()}"
    if _damaged(folder) == []:
        return folder
    try:
        base.mkdir(parents=True, exist_ok=True)
        # Drawn beside its place: a rename within one file system is all or nothing.
        temporary.sweep(base)
        with temporary.folder(base) as drawn:
            _draw(drawn)
            _move_into_place(drawn, folder)
    except OSError as error:
        raise DataError(
            f"{base}: the built-in benchmark cannot be made here ({error.strerror or error}); name "
            f"a folder that can "
            "be written to, or set EDITGAUGE_CACHE to one"
        ) from error
    left = _damaged(folder)
    if left is None or left:
        raise DataError(f"{folder}: damaged, and could not be repaired; delete it and try again")
    return folder


@lru_cache(maxsize=1)
def recipe() -> str:
    """Hash of all that decides what the files look like: 12 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=6)
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(repr([(package, _version(package)) for package in PACKAGES]).encode())
    digest.update(sys.platform.encode())
    return digest.hexdigest()


def sample_of(record: Record, folder: Path) -> Sample:
    """The sample of one record whose files are below `folder`."""
    place = folder / "images" / record.id
    names = files_of(record)
    masks = {"input": place / "mask.png", "second": place / "mask_edited.png"}
    if record.protocol == "medebench":
        masks["roi"] = place / "mask_roi.png"
    attributes: dict[str, str | int | float | bool] = {
        "protocol": record.protocol, "topic": record.topic, "operation": record.operation,
        "has_knowledge": record.knowledge is not None, "image_count": 1 + len(record.more),
        "multi_image": bool(record.more),
    }  # fmt: skip
    return Sample(
        benchmark="mini",
        id=record.id,
        split=record.split,
        category=(record.topic, record.operation),
        instruction=record.instruction,
        images=tuple(place / name for name in names if name.startswith("input")),
        output_stems=(record.id,),
        reference=place / "reference.png",
        masks=masks,
        source_text=record.source,
        target_text=record.target,
        caption=record.caption,
        knowledge=record.knowledge,
        change=record.change,
        concept=record.concept,
        rephrased=record.rephrased,
        attributes={**attributes, **record.difficulty(), **record.attributes},
    )


def files_of(record: Record) -> list[str]:
    """The names of one record's files, the input images first and in order."""
    names = ["input.jpg" if record.jpeg else "input.png"]
    names += [f"input_{number}.png" for number in range(2, 2 + len(record.more))]
    names += ["reference.png", "mask.png", "mask_edited.png"]
    return [*names, "mask_roi.png"] if record.protocol == "medebench" else names


def _draw(folder: Path) -> None:
    hashes: dict[str, str] = {}
    for record in RECORDS:
        place = folder / "images" / record.id
        place.mkdir(parents=True)
        _draw_record(record, place)
        for name in files_of(record):
            hashes[f"images/{record.id}/{name}"] = fingerprint(place / name)
    lines = [
        json.dumps(_described(record), ensure_ascii=False, sort_keys=True) for record in RECORDS
    ]
    write_bytes(folder / "samples.jsonl", ("\n".join(lines) + "\n").encode())
    hashes["samples.jsonl"] = fingerprint(folder / "samples.jsonl")
    write_bytes(folder / INDEX, json.dumps(hashes, indent=1, sort_keys=True).encode())


def _draw_record(record: Record, place: Path) -> None:
    before, after = _canvas(record.draw, False), _canvas(record.draw, True)
    pixels, edited = before.pixels(), after.pixels()
    old, new = before.mask(), after.mask()
    if not old.any() or not new.any():  # an insertion has no old text and a deletion no new one
        old = new = old | new
    either = old | new
    names = files_of(record)
    if record.jpeg:
        write_bytes(place / names[0], _jpeg(pixels))
        pixels = read_image(place / names[0])
        edited = np.where(either[:, :, None], edited, pixels)
    else:
        write_png(place / names[0], pixels)
    if np.any((pixels != edited).any(axis=2) & ~either):
        raise AssertionError(
            f"mini sample {record.id}: the reference differs from the input outside its masks"
        )
    for name, what in zip(names[1:], record.more, strict=False):
        write_png(place / name, _canvas(what).pixels())
    write_png(place / "reference.png", edited)
    write_png(place / "mask.png", old)
    write_png(place / "mask_edited.png", new)
    if record.protocol == "medebench":
        write_png(place / "mask_roi.png", either)


def _canvas(what: str, *arguments: Any) -> Canvas:
    """Call ``module:function`` or ``module:function:argument`` of this folder."""
    module, function, *more = what.split(":")
    canvas = getattr(importlib.import_module(f"editgauge.benchmarks.mini.{module}"), function)(
        *arguments, *more
    )
    if not isinstance(canvas, Canvas):
        raise TypeError(f"{what}: wanted a Canvas, found {type(canvas).__name__}")
    return canvas


def _jpeg(pixels: Array) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=92, subsampling=0)
    return buffer.getvalue()


def _described(record: Record) -> Mapping[str, object]:
    """One line of ``samples.jsonl``, for people and for other programs; the tool itself does not
    read it.
    """
    sample = sample_of(record, Path())
    return {
        "id": sample.id, "split": sample.split, "category": list(sample.category),
        "instruction": sample.instruction,
        "images": [path.as_posix() for path in sample.images],
        "reference": Path(sample.reference or "").as_posix(),
        "masks": {name: path.as_posix() for name, path in sample.masks.items()},
        "source_text": sample.source_text, "target_text": sample.target_text,
        "caption": sample.caption,
        "knowledge": sample.knowledge, "change": sample.change, "concept": sample.concept,
        "rephrased": sample.rephrased, "attributes": dict(sample.attributes),
    }  # fmt: skip


def _damaged(folder: Path) -> list[str] | None:
    """The files that are not what the index says; None when there is no index that could say so."""
    try:
        index = json.loads((folder / INDEX).read_bytes())
    except (OSError, ValueError):
        return None
    wanted = {f"images/{record.id}/{name}" for record in RECORDS for name in files_of(record)} | {
        "samples.jsonl"
    }
    if not isinstance(index, dict) or set(index) != wanted:
        return None
    bad = []
    for name, digest in index.items():
        try:
            if fingerprint(folder / name) != digest:
                bad.append(name)
        except ImageError:
            bad.append(name)
    return bad


def _move_into_place(drawn: Path, folder: Path) -> None:
    with contextlib.suppress(OSError):
        drawn.rename(folder)  # fails when there is a folder with anything in it
        return
    # Another process was faster, or files of this one are damaged. Each file is put in place whole,
    # the index last; whoever else does the same puts the same bytes there.
    for path in sorted(drawn.rglob("*"), key=lambda path: (path.name == INDEX, path)):
        if path.is_file():
            target = folder / path.relative_to(drawn)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)


def _version(package: str) -> str:
    try:
        return version(package)
    except (
        PackageNotFoundError
    ):  # the same library under another distribution's name, such as opencv-python
        name = {"opencv-python-headless": "cv2", "pillow": "PIL"}.get(
            package, package.replace("-", "_")
        )
        return str(getattr(importlib.import_module(name), "__version__", ""))

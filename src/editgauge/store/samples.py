"""What a run keeps of a data set: the index of all its samples, and the pictures of those that were
looked at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from editgauge.images import MAX_FILE_BYTES
from editgauge.store.hashes import HashStore
from editgauge.store.labels import mapping
from editgauge.store.measured import measured
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest, sample_record
from editgauge.types import Finding, Sample


def keep_samples(
    run: Run,
    benchmark: str,
    root: Path,
    samples: Iterable[Sample],
    chosen: Iterable[Sample],
    hashes: HashStore | None = None,
) -> str:
    """Index all `samples` in the run, keep the pictures of the `chosen` ones, and return the data's
    content hash.

    The hash is over every sample's text, names and the sizes of its files: it tells whether two
    runs read the same release. That the pictures are the same to the byte is told by the
    fingerprint of each row. Attributes that only pictures tell (`measured`) are in the index for
    every sample that was ever chosen, and never in the hash. A file that is too large for a picture
    is not kept: whoever reads it says so. `hashes` learns what is copied;
    with it the index tells the hash of each picture that is kept (``marks``: place -> hash), by
    which a reader sees that it is still the one that was looked at.
    """
    wanted = {sample.id for sample in chosen}
    root = Path(os.path.realpath(root))
    records, identity = [], []
    every = list(samples)
    looked_at = measured(every, chosen=wanted, memory=run.cache_folder / "measured.sqlite")
    places = _Places(benchmark, root)
    top = f"{run.path}{os.sep}"
    for sample, full in zip(every, looked_at, strict=True):
        found = places.of(sample)
        sizes = {place: _size(path) for path, place in found.items()}
        kept = {
            path: place
            for path, place in found.items()
            if sample.id in wanted and (size := sizes[place]) is not None and size <= MAX_FILE_BYTES
        }
        for path, place in kept.items():
            run.keep(path, place, hashes)
        there = {p: place for p, place in found.items() if p in kept or os.path.isfile(top + place)}
        records.append(sample_record(full, there))
        if hashes is not None and sample.id in wanted:
            records[-1]["marks"] = {p: hashes(top + p) for p in there.values()}
        identity.append((sample.id, sample.instruction, sizes, _timeless(records[-1], sample)))
    run.write_samples(benchmark, records)
    return digest(identity)


def _timeless(record: Mapping[str, Any], sample: Sample) -> dict[str, Any]:
    """A sample's record without what depends on the run: where its pictures are, and what was
    measured in them.
    """
    return {
        **{name: value for name, value in record.items() if name != "marks"},
        "images": [None] * len(sample.images),
        "reference": None,
        "masks": dict.fromkeys(sample.masks),
        "attributes": dict(sample.attributes),
    }


def _size(path: Path) -> int | None:
    """The bytes of a file; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


class _Places:
    """Where the pictures of a data folder lie in a run. Links are resolved: folders once, files
    only where they are links.
    """

    def __init__(self, benchmark: str, root: Path) -> None:
        self._below = f"inputs/{plain_name(benchmark)}"
        self._root = f"{os.fspath(root).rstrip(os.sep)}{os.sep}"
        self._folders: dict[str, str] = {}

    def of(self, sample: Sample) -> dict[Path, str]:
        """Picture -> place in the run. A picture outside the data folder is no part of the release:
        it is not taken along.
        """
        reference = [sample.reference] if sample.reference else []
        found = {}
        for path in (*sample.images, *reference, *sample.masks.values()):
            name = os.fspath(path)
            below = self._below_root(self._real(name)) or self._below_root(name)
            if below:
                found[path] = f"{self._below}/{below}"
        return found

    def _below_root(self, name: str) -> str:
        """A path relative to the data folder, with ``/``; "" for one outside."""
        if not name.startswith(self._root):
            return ""
        return name[len(self._root) :].replace(os.sep, "/")

    def _real(self, name: str) -> str:
        if os.path.islink(name):
            return os.path.realpath(name)
        folder, last = os.path.split(name)
        if last in ("", ".", ".."):
            return os.path.realpath(name)
        if folder not in self._folders:
            try:
                self._folders[folder] = os.path.realpath(folder)
            except (OSError, ValueError):  # no path at all: it is not there either
                self._folders[folder] = folder
        return os.path.join(self._folders[folder], last)


def stored_samples(run: Run, benchmark: str) -> list[Sample]:
    """The samples of a run as its index has them, in the benchmark's order, with the pictures that
    the run keeps. A picture that it does not keep has a path that leads nowhere, so that whoever
    reads it says so.
    """
    return [_stored(run, benchmark, record) for record in run.samples(benchmark)]


def _stored(run: Run, benchmark: str, record: Mapping[str, Any]) -> Sample:
    room = f"inputs/{plain_name(benchmark)}"

    def place(relative: object) -> Path:
        found = run.picture(relative, room)
        return run.path / room / "not kept in the run" if found is None else found

    def text(name: str) -> str | None:
        value = record.get(name)
        return value if isinstance(value, str) else None

    attributes = mapping(record.get("attributes"))
    return Sample(
        benchmark=benchmark,
        id=record["id"],
        split=text("split") or "",
        category=tuple(str(part) for part in record.get("category") or ()),
        instruction=text("instruction") or "",
        images=tuple(place(path) for path in record.get("images") or ()),
        output_stems=(record["id"],),
        reference=place(record.get("reference")) if record.get("has_reference") else None,
        masks={str(name): place(path) for name, path in mapping(record.get("masks")).items()},
        **_texts(record),
        attributes={
            str(name): value
            for name, value in attributes.items()
            if isinstance(value, str | int | float | bool)
        },
        findings=tuple(_findings(record)),
    )


def _texts(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: v for name in _TEXTS if isinstance(v := record.get(name), str)}


_TEXTS = ("source_text", "target_text", "caption", "knowledge", "change", "concept", "rephrased")


def _findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    for found in record.get("findings") or ():
        told = mapping(found)
        words = {name: str(told.get(name) or "") for name in ("kind", "file", "found", "assumed")}
        yield Finding(
            **words,
            repaired=told.get("repaired") is not False,
            part=str(told.get("part") or ""),
        )

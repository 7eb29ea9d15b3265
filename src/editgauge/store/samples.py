"""What a run keeps of a data set: the index of all its samples, and the pictures of those that were
looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from editgauge.store.hashes import HashStore
from editgauge.store.measured import measured
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import TEXTS, digest, sample_record
from editgauge.types import MAX_FILE_BYTES, Finding, Sample


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
    runs read the same release. Attributes that only pictures tell (`measured`) are in the index for
    every sample that was ever chosen, and never in the hash. A file that is too large for a picture
    is not kept: whoever reads it says so. `hashes` learns what is copied; with it the index tells
    the hash of each picture that is kept (``marks``: place -> hash), by which a reader sees that it
    is still the one that was looked at.
    """
    wanted, every = {sample.id for sample in chosen}, list(samples)
    records, identity = [], []
    looked_at = measured(every, chosen=wanted, memory=run.cache_folder / "measured.sqlite")
    roots = {f"{os.fspath(root).rstrip(os.sep)}{os.sep}", f"{os.path.realpath(root)}{os.sep}"}
    room, top = f"inputs/{plain_name(benchmark)}", f"{run.path}{os.sep}"
    for sample, full in zip(every, looked_at, strict=True):
        places = _places(sample, roots, room)
        sizes = {place: _size(path) for path, place in places.items()}
        there = {}
        for path, place in places.items():
            if sample.id in wanted and -1 < sizes[place] <= MAX_FILE_BYTES:
                run.keep(path, place, hashes)
                there[path] = place
            elif os.path.isfile(top + place):
                there[path] = place
        record = sample_record(full, there)
        unmeasured = {**sample_record(sample, {}), "masks": dict.fromkeys(sample.masks)}
        if hashes is not None and sample.id in wanted:
            record["marks"] = {place: hashes(top + place) for place in there.values()}
        records.append(record)
        known = {place: None if size < 0 else size for place, size in sizes.items()}
        identity.append((sample.id, sample.instruction, known, unmeasured))
    run.write_samples(benchmark, records)
    return digest(identity)


def _places(sample: Sample, roots: Iterable[str], room: str) -> dict[Path, str]:
    """Picture -> place in the run. A picture outside the data folder is no part of the release: it
    is not taken along.
    """
    reference = [sample.reference] if sample.reference else []
    places = {}
    for path in (*sample.images, *reference, *sample.masks.values()):
        name = os.path.normpath(path)
        for root in roots:
            if name.startswith(root):
                places[path] = f"{room}/{name[len(root) :].replace(os.sep, '/')}"
    return places


def _size(path: Path) -> int:
    """The bytes of a file; -1 where there is none."""
    try:
        return path.stat().st_size if path.is_file() else -1
    except (OSError, ValueError):
        return -1


def stored_samples(run: Run, benchmark: str) -> list[Sample]:
    """The samples of a run as its index has them, in the benchmark's order, with the pictures that
    the run keeps. A picture that it does not keep has a path that leads nowhere, so that whoever
    reads it says so.
    """
    return [_stored(run, benchmark, record) for record in run.samples(benchmark)]


def _stored(run: Run, benchmark: str, record: Mapping[str, Any]) -> Sample:
    room = f"inputs/{plain_name(benchmark)}"

    def place(relative: str | None) -> Path:
        return run.picture(relative, room) or run.path / room / "not kept in the run"

    texts: dict[str, Any] = {name: record.get(name) for name in TEXTS}
    return Sample(
        benchmark=benchmark,
        id=record["id"],
        split=record.get("split") or "",
        category=tuple(record.get("category", ())),
        instruction=record.get("instruction") or "",
        images=tuple(place(path) for path in record["images"]),
        output_stems=(record["id"],),
        reference=place(record["reference"]) if record.get("has_reference") else None,
        masks={name: place(path) for name, path in record["masks"].items()},
        **texts,
        attributes={n: v for n, v in record.get("attributes", {}).items() if v is not None},
        findings=tuple(Finding(**finding) for finding in record.get("findings", ())),
    )

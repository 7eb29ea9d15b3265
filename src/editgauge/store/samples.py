"""What a run keeps of a data set: the index of all its samples, and the pictures of those that were
looked at.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from editgauge.store.hashes import HashStore
from editgauge.store.measured import measured
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest, sample_record
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
    runs read the same release. That the pictures are the same to the byte is told by the
    fingerprint of each row. Attributes that only pictures tell (`measured`) are in the index for
    every sample that was ever chosen, and never in the hash. A file that is too large for a picture
    is not kept: whoever reads it says so. `hashes` learns what is copied;
    with it the index tells the hash of each picture that is kept (``marks``: place -> hash), by
    which a reader sees that it is still the one that was looked at.
    """
    wanted = {sample.id for sample in chosen}
    records, identity = [], []
    every = list(samples)
    looked_at = measured(every, chosen=wanted, memory=run.cache_folder / "measured.sqlite")
    roots = {f"{os.fspath(root).rstrip(os.sep)}{os.sep}", f"{os.path.realpath(root)}{os.sep}"}
    room = f"inputs/{plain_name(benchmark)}"
    top = f"{run.path}{os.sep}"
    for sample, full in zip(every, looked_at, strict=True):
        found = _places(sample, roots, room)
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


def _places(sample: Sample, roots: Collection[str], room: str) -> dict[Path, str]:
    """Picture -> place in the run. A picture outside the data folder is no part of the release: it
    is not taken along.
    """
    reference = [sample.reference] if sample.reference else []
    found = {}
    for path in (*sample.images, *reference, *sample.masks.values()):
        name = os.path.normpath(path)
        for root in roots:
            if name.startswith(root):
                found[path] = f"{room}/{name[len(root) :].replace(os.sep, '/')}"
    return found


def _size(path: Path) -> int | None:
    """The bytes of a file; None where there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def stored_samples(run: Run, benchmark: str) -> list[Sample]:
    """The samples of a run as its index has them, in the benchmark's order, with the pictures that
    the run keeps. A picture that it does not keep has a path that leads nowhere, so that whoever
    reads it says so.
    """
    return [_stored(run, benchmark, record) for record in run.samples(benchmark)]


def _stored(run: Run, benchmark: str, record: Mapping[str, Any]) -> Sample:
    room = f"inputs/{plain_name(benchmark)}"

    def place(relative: str | None) -> Path:
        found = run.picture(relative, room)
        return run.path / room / "not kept in the run" if found is None else found

    texts: dict[str, Any] = {name: record.get(name) for name in _TEXTS}
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
        findings=tuple(Finding(**found) for found in record.get("findings", ())),
    )


_TEXTS = ("source_text", "target_text", "caption", "knowledge", "change", "concept", "rephrased")

"""What a run keeps of a data set: the index of all its samples, and the pictures of those that were
looked at.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from editgauge.store.measured import measured
from editgauge.store.run_folder import RunFolder, digest, plain_name, sample_record
from editgauge.types import Sample


def keep_samples(
    run: RunFolder, benchmark: str, root: Path, samples: Iterable[Sample], chosen: Iterable[Sample]
) -> str:
    """Index all `samples` in the run, keep the pictures of the `chosen` ones, and return the data's
    content hash.

    The hash is over every sample's text, names and the sizes of its files: it tells whether two
    runs read the same release. That the pictures are the same to the byte is told by the
    fingerprint of each row. Attributes that only pictures tell (`measured`) are in the index for
    every sample that was ever chosen, and never in the hash.
    """
    wanted = {sample.id for sample in chosen}
    root = Path(os.path.realpath(root))
    records, identity = [], []
    every = list(samples)
    looked_at = measured(every, chosen=wanted, memory=run.cache_folder / "measured.sqlite")
    for sample, full in zip(every, looked_at, strict=True):
        places = _places(benchmark, root, sample)
        if sample.id in wanted:
            for path, place in places.items():
                if os.path.isfile(path):
                    run.keep(path, Path(place))
        record = sample_record(
            full, {p: place for p, place in places.items() if os.path.isfile(run.path / place)}
        )
        records.append(record)
        sizes = {
            place: path.stat().st_size if os.path.isfile(path) else None
            for path, place in places.items()
        }
        identity.append((sample.id, sample.instruction, sizes, sample_record(sample, {})))
    run.write_samples(benchmark, records)
    return digest(identity)


def _places(benchmark: str, root: Path, sample: Sample) -> dict[Path, str]:
    places = {}
    for path in (
        *sample.images,
        *([sample.reference] if sample.reference else []),
        *sample.masks.values(),
    ):
        try:
            below = Path(os.path.realpath(path)).relative_to(root)
        except ValueError:
            try:
                below = path.relative_to(root)
            except ValueError:
                # a picture outside the data folder is no part of the release: it is not taken along
                continue
        places[path] = str(PurePosixPath("inputs", plain_name(benchmark), *below.parts))
    return places

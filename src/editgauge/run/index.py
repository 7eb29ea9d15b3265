"""What a run keeps of a data set: the index of all its samples, and the pictures of those that were looked at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from editgauge.errors import UsageError
from editgauge.results import RunFolder, digest, plain_name, sample_record
from editgauge.types import Sample


def choose(
    samples: Sequence[Sample], *, limit: int | None = None, ids: Sequence[str] = (), where: Sequence[str] = ()
) -> list[Sample]:
    """The samples that a command is narrowed to, in order: by id, by ``attribute=value``, then the first `limit`.

    ``split`` and ``category`` (joined by ``/``) may be named like attributes. Raises `UsageError` for an id, an
    attribute or a value that no sample has, naming some that there are, and when no sample is left.
    """
    chosen = list(samples)
    if ids:
        known = {sample.id for sample in samples}
        unknown = [name for name in ids if name not in known]
        if unknown:
            some = ", ".join(sorted(known)[:5])
            raise UsageError(f"--sample {unknown[0]!r}: there is no such sample; ids look like: {some}")
        chosen = [sample for sample in chosen if sample.id in set(ids)]
    for clause in where:
        name, sign, value = clause.partition("=")
        if not sign:
            raise UsageError(f"--where {clause!r}: wanted attribute=value, for example --where split=real")
        names = sorted({key for sample in samples for key in sample.attributes} | {"split", "category"})
        if name not in names:
            raise UsageError(f"--where {clause!r}: no sample has {name!r}; there are: {', '.join(names)}")
        values = sorted({str(_text(sample, name)) for sample in samples} - {"None", ""})
        if value not in values:
            raise UsageError(
                f"--where {clause!r}: no sample has this value; {name} is one of: {', '.join(values[:12])}"
            )
        chosen = [sample for sample in chosen if _text(sample, name) == value]
    if not chosen:
        raise UsageError(f"no sample is left: {' and '.join(map(repr, (*ids, *where)))} have none in common")
    return chosen if limit is None else chosen[:limit]


def keep_samples(
    run: RunFolder, benchmark: str, root: Path, samples: Iterable[Sample], chosen: Iterable[Sample]
) -> str:
    """Index all `samples` in the run, keep the pictures of the `chosen` ones, and return the data's content hash.

    The hash is over every sample's text, names and the sizes of its files: it tells whether two runs read the same
    release. That the pictures are the same to the byte is told by the fingerprint of each row.
    """
    wanted = {sample.id for sample in chosen}
    root = Path(os.path.realpath(root))
    records, identity = [], []
    for sample in samples:
        places = _places(benchmark, root, sample)
        if sample.id in wanted:
            for path, place in places.items():
                if path.is_file():
                    run.keep(path, Path(place))
        record = sample_record(sample, {p: place for p, place in places.items() if (run.path / place).is_file()})
        records.append(record)
        sizes = {place: path.stat().st_size if path.is_file() else None for path, place in places.items()}
        identity.append((sample.id, sample.instruction, sizes, sample_record(sample, {})))
    run.write_samples(benchmark, records)
    return digest(identity)


def _places(benchmark: str, root: Path, sample: Sample) -> dict[Path, str]:
    places = {}
    for path in (*sample.images, *([sample.reference] if sample.reference else []), *sample.masks.values()):
        try:
            below = Path(os.path.realpath(path)).relative_to(root)
        except ValueError:
            try:
                below = path.relative_to(root)
            except ValueError:
                continue  # a picture outside the data folder is no part of the release: it is not taken along
        places[path] = str(PurePosixPath("inputs", plain_name(benchmark), *below.parts))
    return places


def _text(sample: Sample, name: str) -> Any:
    if name == "split":
        return sample.split
    if name == "category":
        return "/".join(sample.category)
    value = sample.attributes.get(name)
    return str(value).lower() if isinstance(value, bool) else (None if value is None else str(value))

"""What a run keeps of a data set: the index of all its samples, the pictures of those that were
looked at, and the attributes that only these tell (a benchmark's ``measured``).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from editgauge.store.cache import Cache
from editgauge.store.derived import benchmark_of
from editgauge.store.hashes import HashStore, file_state, looked_at
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import TEXTS, digest, json, known, places, sample_record
from editgauge.types import MAX_FILE_BYTES, Finding, JsonMapping, JsonObject, Sample

_VERSION = 1
"""Raised when a benchmark's ``measure`` changes what it gives: what was remembered is not used."""


def measured(
    samples: Sequence[Sample], *, chosen: Iterable[str] | None = None, memory: Path | None = None
) -> list[Sample]:
    """The samples with the attributes that their benchmark measures by ``measure(sample)``.

    `chosen`: ids of those to be measured now, None for all; the others get what `memory` (a file of
    `cache.Cache`, made where it is not there) holds of them. What was remembered counts while every
    file of the sample has the same size and time.
    """
    benchmark = benchmark_of(samples[0].benchmark) if samples else None
    if benchmark is None or benchmark.measure is None:
        return list(samples)
    cache = Cache(memory and memory.parent, memory.name if memory else "")
    stamps = [_stamp(sample) for sample in samples]
    values = {stamp: known(text.decode()) for stamp, text in cache.get(stamps).items()}
    wanted = {sample.id for sample in samples} if chosen is None else set(chosen)
    pairs = zip(stamps, samples, strict=True)
    todo = {stamp: one for stamp, one in pairs if stamp not in values and one.id in wanted}
    with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
        new = {s: dict(v) for s, v in zip(todo, pool.map(benchmark.measure, todo.values()))}  # noqa: B905
    cache.put({stamp: json(value).encode() for stamp, value in new.items()})
    values |= new
    return [
        replace(one, attributes={**one.attributes, **values[stamp]}) if stamp in values else one
        for stamp, one in zip(stamps, samples, strict=True)
    ]


def _stamp(sample: Sample) -> str:
    """A sample with the size and time of each of its files, as a hash."""
    files = (*sample.images, sample.reference, *sample.masks.values())
    facts = [looked_at(file) if file else None for file in files]
    state = [file_state(one).decode() if one else "" for one in facts]
    return digest(_VERSION, sample.benchmark, sample.id, state)


class Inputs:
    """The samples of a data set (`every` one of the part that was loaded) on their way into a run:
    the index first, then by `keep` the pictures of those that are `chosen`.

    A file that is too large for a picture is not kept: whoever reads it says so. `hashes` learns
    what is copied; with it the index tells the hash of each picture that is kept (``marks``:
    place -> hash), by which a reader sees that it is still the one that was looked at.
    """

    def __init__(
        self,
        run: Run,
        benchmark: str,
        root: Path,
        every: Sequence[Sample],
        chosen: Iterable[Sample],
        hashes: HashStore | None = None,
    ) -> None:
        self._run, self._benchmark, self._hashes = run, benchmark, hashes
        self._chosen = {sample.id for sample in chosen}
        self._roots = {f"{os.fspath(root).rstrip(os.sep)}{os.sep}", f"{os.path.realpath(root)}/"}
        self._room = f"inputs/{plain_name(benchmark)}"
        self._identity = hashlib.blake2b(digest_size=16)
        self._index = run.index(benchmark)
        records = [
            {"id": one.id} if one.id in self._index else sample_record(one, {}) for one in every
        ]
        run.write_samples(benchmark, records, self._index)

    def keep(self, samples: Sequence[Sample], used: Collection[str] | None = None) -> None:
        """Keep the pictures of these samples, where they are chosen, and what is known of them.
        `used`: the ids of those that any editor has an output for; no pictures of others are kept.
        Attributes that only pictures tell (`measured`) are in the index for every sample that was
        ever chosen.
        """
        memory, records = self._run.cache_folder / "measured.sqlite", []
        full = measured(samples, chosen=self._chosen, memory=memory)
        for sample, other in zip(samples, full, strict=True):
            record = sample_record(sample, {})
            wanted = sample.id in self._chosen and (used is None or sample.id in used)
            kept, marks = self._keep(sample, record, wanted=wanted)
            record["attributes"] = dict(other.attributes)
            if kept:
                record |= places(sample, kept)
            if marks:
                record["marks"] = marks
            records.append(record)
        self._run.write_samples(self._benchmark, records, self._index)

    def _keep(
        self, sample: Sample, record: JsonMapping, *, wanted: bool
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Keep a sample's pictures, where they are wanted; path -> place of those that the run has,
        place -> hash.
        """
        run, hashes = self._run, self._hashes
        kept, marks, sizes = dict[str, str](), dict[str, str](), dict[str, int | None]()
        for path, place in self._pictures(sample).items():
            facts = looked_at(path)
            sizes[place] = facts and facts.st_size
            if wanted and facts is not None and facts.st_size <= MAX_FILE_BYTES:
                run.keep(path, place, facts, hashes)
                if hashes is not None:
                    marks[place] = hashes(path, facts)
                kept[path] = place
            elif os.path.isfile(mine := f"{run.path}{os.sep}{place}"):
                kept[path] = place
                if hashes is not None and wanted:
                    marks[place] = hashes(mine)
        self._identity.update(json((record, sizes)).encode())
        return kept, marks

    def _pictures(self, sample: Sample) -> dict[str, str]:
        """Picture -> place in the run; pictures outside the data folder are not taken along."""
        found = {}
        for path in (*sample.images, sample.reference, *sample.masks.values()):
            name = os.fspath(path or "")
            whole = os.path.normpath(name) if ".." in name else name
            for root in self._roots:
                if whole.startswith(root):
                    found[name] = f"{self._room}/{whole[len(root) :].replace(os.sep, '/')}"
        return found

    def digest(self) -> str:
        """The content hash of what was kept: over every sample's text, names and the sizes of its
        files. It tells whether two runs read the same release.
        """
        return self._identity.hexdigest()


def keep_samples(
    run: Run,
    benchmark: str,
    root: Path,
    samples: Collection[Sample],
    chosen: Iterable[Sample],
    hashes: HashStore | None = None,
    used: Collection[str] | None = None,
) -> str:
    """Index all `samples` in the run, keep the pictures of the `chosen` ones that are `used` (None:
    of all), and return the data's content hash: see `Inputs`.
    """
    inputs = Inputs(run, benchmark, root, [*samples], chosen, hashes)
    inputs.keep([*samples], used)
    return inputs.digest()


def stored_samples(run: Run, benchmark: str) -> list[Sample]:
    """The samples of a run as its index has them, in the benchmark's order, with the pictures that
    the run keeps. A picture that it does not keep has a path that leads nowhere, so that whoever
    reads it says so.
    """
    return [_stored(run, benchmark, record) for record in run.samples(benchmark)]


def _stored(run: Run, benchmark: str, record: JsonMapping) -> Sample:
    room = f"inputs/{plain_name(benchmark)}"

    def place(relative: str | None) -> Path:
        return run.picture(relative, room) or run.path / room / "not kept in the run"

    texts: JsonObject = {name: record.get(name) for name in TEXTS}
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

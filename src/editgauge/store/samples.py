"""What a run keeps of a data set: the index of all its samples, and the pictures of those that were
looked at.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.store.hashes import HashStore, looked_at
from editgauge.store.measured import measured
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import TEXTS, json, known, places, sample_record, sample_text
from editgauge.types import MAX_FILE_BYTES, Finding, Sample


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
        self._top = f"{run.path}{os.sep}"
        self._room = f"inputs/{plain_name(benchmark)}"
        self._identity = hashlib.blake2b(digest_size=16)
        self._places = {sample.id: place for place, sample in enumerate(every)}
        self._there = run.index(benchmark)
        if not self._there.keys() <= self._places.keys():  # the run has another part as well
            first = max(place for place, _ in self._there.values()) + 1
            new = [name for name in self._places if name not in self._there]
            self._places = {name: place for name, (place, _) in self._there.items()}
            self._places |= {name: place for place, name in enumerate(new, first)}
        self._write([(one, sample_record(one, {})) for one in every if one.id not in self._there])

    def keep(self, samples: Sequence[Sample]) -> None:
        """Keep the pictures of these samples, where they are chosen, and what is known of them.
        Attributes that only pictures tell (`measured`) are in the index for every sample that was
        ever chosen.
        """
        memory, records = self._run.cache_folder / "measured.sqlite", []
        full = measured(samples, chosen=self._chosen, memory=memory)
        for sample, other in zip(samples, full, strict=True):
            base = sample_record(sample, {})
            kept, marks = self._keep(sample, base)
            if other is not sample:
                base["attributes"] = dict(other.attributes)
            if kept:
                base |= places(sample, kept)
            if marks:
                base["marks"] = marks
            records.append((sample, base))
        self._write(records)

    def _keep(
        self, sample: Sample, base: Mapping[str, Any]
    ) -> tuple[dict[str, str], dict[str, str]]:
        """Keep a sample's pictures; path -> place of those that the run has, place -> hash."""
        run, hashes, chosen = self._run, self._hashes, sample.id in self._chosen
        kept, marks, sizes = dict[str, str](), dict[str, str](), dict[str, int | None]()
        for path, place in self._pictures(sample).items():
            facts = looked_at(path)
            sizes[place] = None if facts is None else facts.st_size
            if chosen and facts is not None and facts.st_size <= MAX_FILE_BYTES:
                copied = run.keep(path, place, facts)
                if hashes is not None:
                    if copied is not None:
                        hashes.learn(path, copied[1], copied[0])
                    marks[place] = hashes(path, facts)
                kept[path] = place
            elif os.path.isfile(mine := f"{self._top}{place}"):
                kept[path] = place
                if hashes is not None and chosen:
                    marks[place] = hashes(mine)
        self._identity.update(json((base, sizes)).encode())
        return kept, marks

    def _pictures(self, sample: Sample) -> dict[str, str]:
        """Picture -> place in the run. A picture outside the data folder is no part of the release:
        it is not taken along.
        """
        reference = [sample.reference] if sample.reference else []
        places = {}
        for path in (*sample.images, *reference, *sample.masks.values()):
            given = name = os.fspath(path)
            if ".." in name:
                name = os.path.normpath(name)
            for root in self._roots:
                if name.startswith(root):
                    places[given] = f"{self._room}/{name[len(root) :].replace(os.sep, '/')}"
        return places

    def _write(self, records: Iterable[tuple[Sample, Mapping[str, Any]]]) -> None:
        new = []
        for sample, record in records:
            there = self._there.get(sample.id)
            text = sample_text(record)
            if there is not None and there[1] != text:
                text = sample_text({**known(there[1]), **record})
            entry = (self._places[sample.id], text)
            if entry != there:
                self._there[sample.id] = entry
                new.append((sample.id, *entry))
        self._run.put_samples(self._benchmark, new)

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
) -> str:
    """Index all `samples` in the run, keep the pictures of the `chosen` ones, and return the data's
    content hash: see `Inputs`.
    """
    inputs = Inputs(run, benchmark, root, [*samples], chosen, hashes)
    inputs.keep([*samples])
    return inputs.digest()


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

"""Whether all rows of a scoring stand as they did when a call before found nothing to do: told by
one digest over everything that decides, instead of by a look at each output and row.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge import __version__
from editgauge.store.cache import Cache
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest, json
from editgauge.types import JsonObject, Sample

_COUNTS = "SELECT * FROM counts WHERE name != 'entries' ORDER BY name, part"
_FILES_A_SAMPLE = 100
"""A folder with more files than this for each sample is not looked through."""


class Standing:
    """What is known of one kind of call, `asked` (JSON values): its samples, the pictures of these,
    and folders with outputs.

    The state is every sample; size, times and number of every picture, in the data, in `outputs`
    and in the run; what `applied` says; and all that the run counts of its rows, edits and samples,
    proven by their checksums. It is taken before a call looks at anything, and kept when the call
    has found nothing to do: what changes at the same time makes another state.
    """

    def __init__(
        self, run: Run, benchmark: str, samples: Sequence[Sample], outputs: Path | None, asked: Any
    ) -> None:
        self._run, self._benchmark, self._samples = run, benchmark, samples
        self._outputs = outputs
        self._key = digest(__version__, benchmark, str(outputs), asked)
        self._cache = Cache(run.cache_folder, "standing.sqlite")
        self._state, self._counts = "", list[Any]()

    def facts(self, applied: Iterable[Any], scorers: Sequence[str]) -> JsonObject | None:
        """What `keep` was given, if everything stands; None where a closer look is needed."""
        there = self._cache.get([self._key]).get(self._key)
        if there is None:  # the first call of its kind has work to do
            return None
        known, self._counts = orjson.loads(there), self._run.read(_COUNTS)
        self._prove(scorers)
        self._state = self._taken(applied)
        stands = self._state and known["state"] == self._state and self._run.damage is None
        return dict(known["facts"]) if stands else None

    def keep(self, facts: JsonObject, *, idle: bool) -> None:
        """Remember what a call found; `idle`: whether it had nothing to do."""
        same = idle and not self._run.problems and self._counts == self._run.read(_COUNTS)
        entry = {"state": self._state if same else "", "facts": facts if same else {}}
        self._cache.put({self._key: json(entry).encode()})

    def _prove(self, scorers: Sequence[str]) -> None:
        self._run.proven("edits")
        self._run.sample_names()
        for series, number in self._run.series(self._benchmark).items():
            if series.scorer in scorers:
                self._run.records(number)

    def _taken(self, applied: Iterable[Any]) -> str:
        """The state as it is now; "" where it cannot be told."""
        paths: list[Path] = []

        def plain(value: Any) -> Any:
            if not isinstance(value, Path):
                return dict(value)
            paths.append(value)
            return os.fspath(value)

        rooms = [
            self._run.path / room / plain_name(self._benchmark) for room in ("inputs", "edits")
        ]
        folders = [*rooms, *([self._outputs] if self._outputs else [])]
        try:
            mark = hashlib.blake2b(orjson.dumps(self._samples, default=plain), digest_size=16)
            found = [file for folder in folders for file in self._files(os.fspath(folder))]
        except (OSError, TypeError):  # a folder that is not there, a sample that JSON cannot hold
            return ""
        mark.update(repr((self._counts, [*applied], found)).encode())
        mark.update(repr([*map(_stamp, dict.fromkeys(paths))]).encode())
        return mark.hexdigest()

    def _files(self, folder: str) -> Iterator[tuple[object, ...]]:
        """The files below a folder. Raises `OSError` where one is a link or there are too many."""
        with os.scandir(folder) as entries:
            every = sorted(entries, key=lambda one: one.name)
        if os.path.islink(folder) or len(every) > 1000 + _FILES_A_SAMPLE * len(self._samples):
            raise OSError(folder)
        for entry in every:
            if entry.is_dir():
                yield from self._files(entry.path)
            else:
                yield entry.path, *_stamp(entry.path)


def _stamp(path: Path | str) -> tuple[object, ...]:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return ("nothing",)
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode

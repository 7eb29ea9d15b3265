"""Whether all rows of a scoring stand as a call before has left them: told by one digest over
everything that decides, instead of by a look at each output and row.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from editgauge import __version__
from editgauge.run.material import Material
from editgauge.scoring.scorer import Scorer
from editgauge.store.cache import Cache
from editgauge.store.paths import plain_name
from editgauge.store.run import Run
from editgauge.store.schema import digest, json
from editgauge.types import JsonObject

_COUNTS = "SELECT * FROM counts WHERE name NOT IN ('entries', 'facts') ORDER BY name, part"


_Files = dict[str, tuple[int, ...]]
"""Path -> size, times, number and mode; () where there is nothing."""


class Standing:
    """What is known of one kind of call, on this material by these scorers; `asked`: JSON values.

    The state is every sample; which the scorers apply to; size, times and number of every picture,
    in the data, in `outputs` and in the run; and all that the run counts of its rows, edits and
    samples, proven by their checksums. What lies outside the run is taken before a call looks at
    anything, the run itself behind the last write, and both are kept where nobody else wrote into
    the run meanwhile: what changes at the same time makes another state.
    """

    def __init__(
        self,
        run: Run,
        material: Material,
        scorers: Sequence[Scorer],
        outputs: Path | None,
        asked: Any,
    ) -> None:
        self._run, self._material, self._scorers = run, material, scorers
        self._outputs = [os.fspath(outputs)] if outputs else []
        metrics = [[one.name, one.source, repr(one.metrics)] for one in scorers]
        chosen = [sample.id for sample in material.samples]
        what = (material.benchmark.name, str(outputs), metrics, asked, chosen)
        self._key = digest(__version__, *what)
        self._cache = Cache(run.cache_folder, "standing.sqlite")
        self._outside, self._writes = "", list[Any]()
        self._copied, self._inside = set[tuple[int, ...]](), _Files()

    def facts(self) -> JsonObject | None:
        """What `keep` was given, if everything stands; None where a closer look is needed."""
        self._writes = self._run.read("PRAGMA data_version")
        with contextlib.suppress(OSError, TypeError):  # a link, a sample that JSON cannot hold
            self._inside = self._rooms()
            self._outside = self._taken()
        there = self._cache.get([self._key]).get(self._key)
        if there is None or not self._outside:
            return None
        known = orjson.loads(there)
        self._prove()
        stands = known["state"] == self._state(self._inside) and self._run.damage is None
        return dict(known["facts"]) if stands else None

    def keep(self, facts: JsonObject) -> None:
        """Remember what a call has done or found, if nobody else wrote into the run meanwhile."""
        inside = _Files()
        with contextlib.suppress(OSError):
            inside = self._rooms()
        new = {stamp[:2] for path, stamp in inside.items() if self._inside.get(path) != stamp}
        own = new <= self._copied and self._inside.keys() <= inside.keys()
        state = self._state(inside)
        if own and self._outside and self._run.read("PRAGMA data_version") == self._writes:
            self._cache.put({self._key: json({"state": state, "facts": facts}).encode()})

    def _prove(self) -> None:
        self._run.proven("edits")
        self._run.sample_names()
        for number in self._run.series(self._material.benchmark.name).values():
            self._run.records(number)

    def _state(self, inside: _Files) -> str:
        return digest(self._outside, inside, self._run.read(_COUNTS))

    def _taken(self) -> str:
        """What is outside the run; of each picture there `_copied` has the size and time."""
        paths: list[str] = []

        def plain(value: Any) -> Any:
            if not isinstance(value, Path):
                return dict(value)
            paths.append(os.fspath(value))
            return paths[-1]

        mark = hashlib.blake2b(orjson.dumps(self._material.every, default=plain), digest_size=16)
        files = {path: _stamp(path) for path in dict.fromkeys(paths)}
        for folder in self._outputs:
            self._list(folder, files)
        self._copied = {stamp[:2] for stamp in files.values()}
        samples = self._material.samples
        applied = [one.applies(sample) for one in self._scorers for sample in samples]
        mark.update(digest(applied, files).encode())
        return mark.hexdigest()

    def _rooms(self) -> _Files:
        files = _Files()
        for room in ("inputs", "edits"):
            folder = self._run.path / room / plain_name(self._material.benchmark.name)
            if folder.exists():
                self._list(os.fspath(folder), files)
        return files

    def _list(self, folder: str, files: _Files) -> None:
        """Add the files below a folder. Raises `OSError` where it is a link or is not there."""
        with os.scandir(folder) as entries:
            every = [*entries]
        if os.path.islink(folder):
            raise OSError(folder)
        for entry in every:
            if entry.is_dir():
                self._list(entry.path, files)
            else:
                files[entry.path] = _stamp(entry.path)


def _stamp(path: str) -> tuple[int, ...]:
    try:
        facts = os.stat(path)
    except (OSError, ValueError):
        return ()
    return facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino, facts.st_mode

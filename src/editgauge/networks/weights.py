"""Weights as data (``weights.toml``): fetched, from ``EDITGAUGE_WEIGHTS``, or of an installed
package. A file's SHA-256 is checked before it is loaded, and stands in every row made with it.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from editgauge import schema
from editgauge.errors import DownloadError, UnknownName, WeightsError
from editgauge.services import hub
from editgauge.services.download import Progress, Remote, download, sha256

ENVIRONMENT = "EDITGAUGE_WEIGHTS"
State = Literal["here", "not here", "wrong"]


class WeightFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of a network. `url` is empty for a file of the hub's repository that the network
    names as its source; `sha256` None where nobody has published it (see `_first_seen`);
    `package`: (package, path in it) of an installed package that carries the same bytes.
    """

    name: str
    url: str = ""
    sha256: str | None = None
    size: int | None = None
    package: tuple[str, str] | None = None

    def path(self, weights: str, root: Path) -> Path | None:
        """``FOLDER/NAME/FILE``, ``FOLDER/FILE``, or in the package that carries it; else None."""
        places = [root / weights / self.name, root / self.name]
        if self.package is not None:
            spec = importlib.util.find_spec(self.package[0])
            if spec is not None and spec.origin is not None:
                places.append(Path(spec.origin).parent / self.package[1])
        return next((path for path in places if path.is_file()), None)


class Weights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one network needs. `source` is a hub id or a page, `revision` the pinned commit, tag or
    file version; `activation`: what it was trained with, where a wrong one would not be noticed.
    """

    name: str = ""
    title: str
    source: str
    revision: str
    licence: str
    files: tuple[WeightFile, ...]
    used_for: str
    activation: str | None = None

    @property
    def size(self) -> int | None:
        """Bytes of all files, None when one is not known."""
        sizes = [file.size for file in self.files]
        return None if None in sizes else sum(filter(None, sizes))

    @property
    def command(self) -> str:
        """What to type to get them."""
        return f"editgauge fetch weights {self.name}"

    def address(self, file: WeightFile) -> str:
        """Where a file comes from; the hub may be a mirror (``HF_ENDPOINT``)."""
        hosted = f"{hub.endpoint()}/{self.source}/resolve/{self.revision}/{file.name}"
        return file.url or hosted


class AbsentWeights(WeightsError):
    """A file of a network is not on this machine."""


_TABLES = schema.toml_tables(Path(__file__).with_name("weights.toml"))
WEIGHTS = schema.convert(
    {name: {**table, "name": name} for name, table in _TABLES.items()},
    dict[str, Weights],
    "weights.toml",
)


def find(name: str) -> Weights:
    """The table's entry. Raises `UnknownName` with the names there are."""
    if name not in WEIGHTS:
        raise UnknownName(f"weights {name!r} are not known; there are: {', '.join(WEIGHTS)}")
    return WEIGHTS[name]


def folder(chosen: Path | str | None = None) -> Path:
    """The weights folder: the chosen one, else ``EDITGAUGE_WEIGHTS``, else the user's cache."""
    if named := chosen or os.environ.get(ENVIRONMENT):
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "editgauge" / "weights"


@dataclass(frozen=True, slots=True)
class Local:
    """Files of a network that are here and were checked: name -> path, and the SHA-256 of each."""

    weights: Weights
    paths: Mapping[str, Path]
    checksums: Mapping[str, str]

    @property
    def identity(self) -> dict[str, str]:
        """What a row's origin says of them: no paths."""
        return {"weights": self.weights.name, "revision": self.weights.revision, **self.checksums}

    @property
    def folder(self) -> Path:
        """Where all files lie, for a library that reads a folder."""
        return next(iter(self.paths.values())).parent


@functools.cache
def _checksum(path: str, size: int, changed: int) -> str:
    """SHA-256 of a file, computed once in a process for one path, size and time."""
    del size, changed
    return sha256(Path(path))


SEEN = ".sha256"
"""What is added to a file's name where its SHA-256 of the first use is written down."""


def _first_seen(path: Path, checksum: str) -> str:
    """The SHA-256 that a file had when it was first used, for one without a published checksum;
    written down now where this is the first use. A folder that cannot be written keeps none.
    """
    note = path.with_name(path.name + SEEN)
    with contextlib.suppress(OSError):
        if note.exists():
            return note.read_text(encoding="ascii", errors="replace").strip()
        note.write_text(f"{checksum}\n", encoding="ascii")
    return checksum


def locate(name: str, chosen: Path | str | None = None) -> Local:
    """All files of a network, checked. Raises `AbsentWeights` with the exact command when one is
    not there, and `WeightsError` when it is another one.
    """
    weights, root = find(name), folder(chosen)
    paths, checksums = {}, {}
    for file in weights.files:
        path = file.path(name, root)
        if path is None:
            raise AbsentWeights(f"weights {name!r} are not here ({file.name}): {weights.command}")
        try:
            facts = path.stat()
            checksum = _checksum(os.path.abspath(path), facts.st_size, facts.st_mtime_ns)
        except OSError as error:
            raise WeightsError(f"{path}: cannot be read ({error.strerror or error})") from error
        wanted = file.sha256 or _first_seen(path, checksum)
        if checksum != wanted:
            why = f"SHA-256 wanted {wanted[:16]}…, found {checksum[:16]}…"
            noted = "" if file.sha256 else f" and {path.name}{SEEN}"
            raise WeightsError(
                f"weights {name!r}: {path.name} is another file ({why}); remove it{noted}, then: "
                f"{weights.command}"
            )
        paths[file.name], checksums[file.name] = path, checksum
    return Local(weights, paths, checksums)


def state(name: str, chosen: Path | str | None = None) -> State:
    """Whether a network's files are in the folder; ``wrong``: not what their checksums say."""
    try:
        locate(name, chosen)
    except WeightsError as error:
        return "not here" if isinstance(error, AbsentWeights) else "wrong"
    return "here"


def described(entry: Weights, chosen: Path | str | None = None) -> dict[str, Any]:
    """An entry as JSON values, with its `state` in the folder."""
    shown = ("name", "title", "size", "licence", "source", "revision", "used_for", "command")
    return {
        **{name: getattr(entry, name) for name in shown},
        "state": state(entry.name, chosen),
        "files": {file.name: file.sha256 for file in entry.files},
        "addresses": {file.name: entry.address(file) for file in entry.files},
    }


def fetch(
    name: str, chosen: Path | str | None = None, *, progress: Progress | None = None
) -> Local:
    """Get what is missing, check everything, and say where it is. Raises `WeightsError` or
    `DownloadError`, which says how to bring a file from another machine.
    """
    weights, root = find(name), folder(chosen)
    place = root / name
    missing = [file for file in weights.files if file.path(name, root) is None]
    for number, file in enumerate(missing):
        remote = Remote(url=weights.address(file), sha256=file.sha256, size=file.size)
        try:
            download(remote, place / file.name, progress=progress)
        except DownloadError as error:
            left = missing[number:]
            raise DownloadError(
                f"{error}. To bring what is missing from another machine: fetch "
                f"{', '.join(map(weights.address, left))} there, or run `{weights.command}` there, "
                f"and put {', '.join(one.name for one in left)} into {place}; then run this "
                f"command again, which checks it"
            ) from error
    return locate(name, chosen)

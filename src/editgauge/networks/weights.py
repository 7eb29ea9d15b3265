"""Weights as data: what each network needs, from where, how it is recognised (``weights.toml``).

Nothing here is shipped: a file comes from `editgauge fetch weights NAME`, from a folder that
somebody filled (``EDITGAUGE_WEIGHTS``), or out of an installed package
(torchmetrics' wheel has the LPIPS heads). Wherever it comes from, its SHA-256 is checked before it
is loaded: another model is never used silently.
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
import orjson

from editgauge import schema
from editgauge.errors import DownloadError, UnknownName, WeightsError
from editgauge.images import write_bytes
from editgauge.services import hub
from editgauge.services.download import Progress, Remote, download, sha256

ENVIRONMENT = "EDITGAUGE_WEIGHTS"
LOCK_FILE = "editgauge-weights.lock.json"
State = Literal["here", "not here", "wrong"]


class WeightFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of a network. `package` is where an installed package carries the same bytes:
    (package, path in it).
    """

    name: str
    url: str = ""
    """Empty for a file of the hub's repository that the network names as its source."""
    sha256: str | None = None
    size: int | None = None
    package: tuple[str, str] | None = None


class Weights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one network needs. `source` is a hub id or a page, `revision` the pinned commit, tag or
    file version.
    """

    name: str = ""
    title: str
    source: str
    revision: str
    licence: str
    files: tuple[WeightFile, ...]
    used_for: str
    activation: str | None = None
    """The activation function that the network was trained with, where a wrong one would not be
    noticed.
    """

    @property
    def size(self) -> int | None:
        """Bytes of all files, None when one is not known."""
        sizes = [f.size for f in self.files]
        return None if None in sizes else sum(s for s in sizes if s is not None)

    @property
    def command(self) -> str:
        """What to type to get them."""
        trust = " --trust-first-use" if any(f.sha256 is None for f in self.files) else ""
        return f"editgauge fetch weights {self.name}{trust}"

    def address(self, file: WeightFile) -> str:
        """Where a file comes from; the hub may be a mirror (``HF_ENDPOINT``)."""
        if not file.url:
            return f"{hub.endpoint()}/{self.source}/resolve/{self.revision}/{file.name}"
        return file.url


class AbsentWeights(WeightsError):
    """A file of a network is not on this machine."""


def _table() -> dict[str, Weights]:
    tables = schema.toml_tables(Path(__file__).with_name("weights.toml"))
    read = schema.convert(tables, dict[str, Weights], "weights.toml")
    return {name: msgspec.structs.replace(entry, name=name) for name, entry in read.items()}


WEIGHTS: dict[str, Weights] = _table()


def find(name: str) -> Weights:
    """The table's entry. Raises `UnknownName` with the names there are."""
    if name not in WEIGHTS:
        raise UnknownName(f"weights {name!r} are not known; there are: {', '.join(WEIGHTS)}")
    return WEIGHTS[name]


def folder(chosen: Path | str | None = None) -> Path:
    """The weights folder: the chosen one, else ``EDITGAUGE_WEIGHTS``, else the user's cache."""
    if chosen:
        return Path(chosen)
    if named := os.environ.get(ENVIRONMENT):
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
        """Where all files lie, for a library that reads a folder. Raises `WeightsError` when they
        lie in several.
        """
        folders = {path.parent for path in self.paths.values()}
        if len(folders) != 1:
            raise WeightsError(
                f"weights {self.weights.name!r}: wanted all files in one folder, found them in "
                f"{len(folders)}"
            )
        return folders.pop()


def checksum(path: Path) -> str:
    """SHA-256 of a file, computed once in a process for one path, size and time."""
    stat = path.stat()
    return _checksum(os.path.abspath(path), stat.st_size, stat.st_mtime_ns)


@functools.cache
def _checksum(path: str, size: int, changed: int) -> str:
    del size, changed
    return sha256(Path(path))


def locate(name: str, chosen: Path | str | None = None) -> Local:
    """All files of a network, checked.

    A file is looked for at ``FOLDER/NAME/FILE``, then ``FOLDER/FILE``, then in the package that
    carries it. Raises `AbsentWeights` with the exact command when a file is not there, and
    `WeightsError` when it has no recorded checksum, or another one.
    """
    weights, root = find(name), folder(chosen)
    lock = _read_lock(root)
    paths, checksums = {}, {}
    for file in weights.files:
        path = _path(weights, file, root)
        if path is None:
            raise AbsentWeights(f"weights {name!r} are not here ({file.name}): {weights.command}")
        wanted = file.sha256 or lock.get(name, {}).get(file.name)
        if wanted is None:
            raise WeightsError(
                f"weights {name!r}: no checksum of {file.name} is published, and none was "
                f"recorded: {weights.command}"
            )
        try:
            found = checksum(path)
        except OSError as error:
            raise WeightsError(f"{path}: cannot be read ({error.strerror or error})") from error
        if found != wanted:
            raise WeightsError(
                f"weights {name!r}: {path.name} is another file (SHA-256 wanted {wanted[:16]}…, "
                f"found {found[:16]}…); remove it, then: {weights.command}"
            )
        paths[file.name], checksums[file.name] = path, found
    return Local(weights, paths, checksums)


def state(name: str, chosen: Path | str | None = None) -> State:
    """Whether a network's files are in the folder; ``wrong``: there, but not what their checksums
    say.
    """
    try:
        locate(name, chosen)
    except AbsentWeights:
        return "not here"
    except WeightsError:
        return "wrong"
    return "here"


def described(entry: Weights, chosen: Path | str | None = None) -> dict[str, Any]:
    """An entry as JSON values, with its `state` in the folder."""
    shown = ("name", "title", "size", "licence", "source", "revision", "used_for", "command")
    values = {name: getattr(entry, name) for name in shown}
    files = {file.name: file.sha256 for file in entry.files}
    addresses = {file.name: entry.address(file) for file in entry.files}
    state_ = state(entry.name, chosen)
    return {**values, "state": state_, "files": files, "addresses": addresses}


def fetch(
    name: str,
    chosen: Path | str | None = None,
    *,
    trust_first_use: bool = False,
    progress: Progress | None = None,
) -> Local:
    """Get what is missing, check everything, and say where it is.

    Files that are there are checked and kept. Without a published checksum a file is fetched (or,
    when already there, accepted) only with `trust_first_use`, and its SHA-256 recorded in the
    folder's lock file. Raises `WeightsError` or `DownloadError`.
    """
    weights, root = find(name), folder(chosen)
    lock = _read_lock(root)
    for file in weights.files:
        known = file.sha256 or lock.get(name, {}).get(file.name)
        if known is None and not trust_first_use:
            raise WeightsError(
                f"weights {name!r}: no checksum of {file.name} is published; to accept what the "
                f"address gives now and hold it to that from then on: {weights.command}"
            )
        path = _path(weights, file, root) or root / name / file.name
        if not path.is_file():
            _download(weights, file, known, path, progress)
        if known is None:
            lock.setdefault(name, {})[file.name] = checksum(path)
            data = orjson.dumps(lock, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
            write_bytes(root / LOCK_FILE, data + b"\n")
    return locate(name, chosen)


def _download(
    weights: Weights, file: WeightFile, known: str | None, path: Path, progress: Progress | None
) -> None:
    url = weights.address(file)
    token = None if file.url else os.environ.get("HF_TOKEN") or None
    try:
        download(
            Remote(url=url, sha256=known, size=file.size, token=token), path, progress=progress
        )
    except DownloadError as error:
        raise DownloadError(
            f"{error}. To bring it from another machine: fetch {url} there, or run `"
            f"{weights.command}` there, and put {file.name} into {path.parent}; then run this "
            f"command again, which checks it"
        ) from error


def _path(weights: Weights, file: WeightFile, root: Path) -> Path | None:
    places = [root / weights.name / file.name, root / file.name]
    if file.package is not None:
        with contextlib.suppress(ImportError, ValueError):
            spec = importlib.util.find_spec(file.package[0])
            if spec is not None and spec.origin is not None:
                places.append(Path(spec.origin).parent / file.package[1])
    return next((path for path in places if path.is_file()), None)


def _read_lock(root: Path) -> dict[str, dict[str, str]]:
    path = root / LOCK_FILE
    if not path.is_file():
        return {}
    try:
        data = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise WeightsError(
            f"{path}: cannot be read ({error}); remove it and fetch the weights again"
        ) from error
    if not isinstance(data, dict) or not all(isinstance(v, dict) for v in data.values()):
        raise WeightsError(
            f"{path}: wanted {{weights: {{file: SHA-256}}}}, found something else; remove it"
        )
    return data

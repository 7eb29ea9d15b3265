"""A released folder: its names in natural order, and where a name in metadata leads.

Nothing outside the data folder is ever opened: a name that leads out of it (``../..``, an absolute
path, a link) is a finding, and the path that a sample is given for it leads to no file.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PureWindowsPath
from typing import Any

from editgauge.escape import alike
from editgauge.types import Finding

PICTURES: tuple[str, ...] = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")
OWN_SET = ".editgauge-set.json"
"""A hidden file in a folder of an official layout that holds a set of somebody's own: there are no
published counts, and categories of the release may be missing.
"""
_IGNORED = {"thumbs.db", "desktop.ini", "__macosx"}


def natural(name: str) -> tuple[Any, ...]:
    """Sorts ``9`` before ``10`` and ``a2`` before ``a10``; total and the same on every platform."""
    parts = re.split(r"(\d+)", name)
    return tuple(
        (1, int(p), p) if p.isdecimal() and len(p) < 19 else (0, 0, p.casefold()) for p in parts
    ), name


def ignored(name: str) -> bool:
    """What file managers and version control leave behind: no data of anybody's."""
    return name.startswith(".") or name.casefold() in _IGNORED


def shown(value: object, limit: int = 80) -> str:
    """A value from a file as it goes into a finding: quoted, one line, not endless."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(text: str) -> str:
    """`text` as it can be written to a UTF-8 file: half a surrogate pair is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe_name(text: str) -> str:
    """`text` as one folder's or file's name: what could lead elsewhere is replaced by ``_``."""
    return re.sub(r"[^\w.\- ]+", "_", text).strip(" .")[:100] or "_"


def below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What a folder holds, in natural order, without what file managers leave behind."""
    try:
        with os.scandir(folder) as entries:
            known = [entry for entry in entries if not ignored(entry.name)]
    except (OSError, ValueError):
        return
    yield from sorted(known, key=lambda entry: natural(entry.name))


def own_set(root: Path) -> bool:
    """Whether the folder, or the one above it, holds a set of somebody's own."""
    return any((folder / OWN_SET).is_file() for folder in (root, root.parent))


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of `below` is a folder, links followed; one in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


@dataclass
class Tree:
    """A data folder, with its listings kept. `root` is as given, absolute."""

    root: Path
    _listings: dict[Path, dict[str, list[str]]] = field(default_factory=dict, repr=False)
    _folders: dict[str, str] = field(default_factory=dict, repr=False)
    _plain: dict[str, set[str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.root = self.root.absolute()

    @cached_property
    def _real(self) -> str:
        return os.path.realpath(self.root)

    def relative(self, path: Path) -> str:
        """The path below the root, with ``/``; a path outside is named by its last part only."""
        inside = path.is_relative_to(self.root)
        return plain(path.relative_to(self.root).as_posix() if inside else path.name)

    def inside(self, path: Path) -> bool:
        """Whether the path, with every link followed, stays below the root."""
        above, _, name = os.fspath(path).rpartition(os.sep)
        if name in self._plain_in(above):
            return True
        try:
            if name in ("", ".", "..") or os.path.islink(path):
                real = os.path.realpath(path)
            else:
                if above not in self._folders:
                    self._folders[above] = os.path.realpath(above)
                real = os.path.join(self._folders[above], name)
        except (OSError, ValueError):
            return False
        return real == self._real or real.startswith(self._real.rstrip(os.sep) + os.sep)

    def _plain_in(self, above: str) -> set[str]:
        """What a folder inside the root holds, but for links."""
        if above not in self._plain:
            real, names = os.path.realpath(above), set[str]()
            if real == self._real or real.startswith(self._real.rstrip(os.sep) + os.sep):
                with contextlib.suppress(OSError, ValueError), os.scandir(above) as entries:
                    names = {entry.name for entry in entries if not entry.is_symlink()}
            self._plain[above] = names
        return self._plain[above]

    def nowhere(self, name: str) -> Path:
        """A path below the root where there is no file, for a picture that must not be read."""
        path = self.root / ".not-read" / safe_name(name)
        while os.path.lexists(path.parent):
            path = path.parent.with_name(path.parent.name + "_") / path.name
        return path

    def locate(
        self, base: Path, name: object, *, file: str, what: str, part: str = ""
    ) -> tuple[Path, Finding | None]:
        """Where a name in metadata leads: a path, and what was wrong with the name.

        Tried in this order: the name as it is; without outer blanks and with ``\\`` as ``/``; the
        same stem in another case or with another extension of a picture. `file` is the metadata's
        place, `what` is what the name stands for, `part` makes its loss a partial one (see
        `types.Finding`). A path without a finding leads to a file.
        """

        def lost(kind: str, found: str, done: str = f"there is no {what}") -> Finding:
            return Finding(f"{what}-{kind}", file, found, done, False, part)

        if not isinstance(name, str) or not name.strip():
            none = name is None or name == ""
            found = "no name" if none else f"{shown(name)} for a name"
            return self.nowhere(what), lost("unnamed", found)
        clean = name.strip().replace("\\", "/")
        tried = (base / name, base / clean)
        absolute = "\0" in clean or clean.startswith("/") or PureWindowsPath(clean).drive
        if absolute or not all(map(self.inside, tried)):
            found = f"{shown(name)} leads out of the data folder"
            return self.nowhere(what), lost("outside", found, "not read")
        path = next(filter(os.path.isfile, tried), None) or self.similar(tried[1])
        found = f"{shown(name)}, which is not there"
        if path is None:
            return tried[1], lost("missing", found)
        if path == base / name:
            return path, None
        meant = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
        return path, Finding(f"{what}-name", file, found, f"{shown(meant)} is meant")

    def similar(self, wanted: Path) -> Path | None:
        """The file of the same stem in another case or with another extension, when it is a picture
        inside.
        """
        folder = wanted.parent
        if folder not in self._listings:
            stems: dict[str, list[str]] = defaultdict(list)
            for name in [entry.name for entry in below(folder)] if self.inside(folder) else []:
                stem, extension = os.path.splitext(name)
                if extension.casefold() in PICTURES:
                    stems[alike(stem)].append(name)
            self._listings[folder] = dict(stems)
        listing = self._listings[folder]
        names = listing.get(alike(wanted.stem), []) + listing.get(alike(wanted.name), [])
        paths = (folder / name for name in names)
        return next((path for path in paths if self.inside(path) and path.is_file()), None)

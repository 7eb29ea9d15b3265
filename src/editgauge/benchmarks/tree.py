"""A released folder: its names in natural order, and where a name in metadata leads. One that leads
out of it (``../..``, an absolute path, a link) is a finding, and its path leads to no file.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
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


def shown(value: object) -> str:
    """A value from a file as it goes into a finding: quoted, one line, not endless."""
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def plain(text: str) -> str:
    """`text` as it can be written to a UTF-8 file: half a surrogate pair is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe_name(text: str) -> str:
    """`text` as one folder's or file's name: what could lead elsewhere is replaced by ``_``."""
    return re.sub(r"[^\w.\- ]+", "_", text).strip(" .")[:100] or "_"


def below(folder: Path) -> list[Path]:
    """What a folder holds, in natural order, without what file managers leave behind."""
    with suppress(OSError, ValueError):
        names = [name for name in os.listdir(folder) if not ignored(name)]
        return [folder / name for name in sorted(names, key=natural)]
    return []


def own_set(root: Path) -> bool:
    """Whether the folder, or the one above it, holds a set of somebody's own."""
    return any((folder / OWN_SET).is_file() for folder in (root, root.parent))


@dataclass
class Tree:
    """A data folder, with its listings kept. `root` is as given, absolute."""

    root: Path
    _listings: dict[str, dict[str, bool]] = field(default_factory=dict, repr=False)

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
        folder, name = os.path.split(path)  # as text: a set has many pictures
        return self._listing(folder).get(name, False) or self._within(path)

    def _within(self, path: Path | str) -> bool:
        with suppress(OSError, ValueError):
            return Path(os.path.realpath(path)).is_relative_to(self._real)
        return False

    def _listing(self, folder: str) -> dict[str, bool]:
        """What a folder inside the root holds; whether it is a file and no link."""
        if folder not in self._listings:
            names: dict[str, bool] = {}
            if self._within(folder):
                with suppress(OSError), os.scandir(folder) as entries:
                    names = {entry.name: entry.is_file(follow_symlinks=False) for entry in entries}
            self._listings[folder] = names
        return self._listings[folder]

    def nowhere(self, name: str) -> Path:
        """A path below the root where there is no file, for a picture that must not be read."""
        return self.root / ".not-read" / safe_name(name)

    def locate(
        self, base: Path, name: object, *, file: str, what: str, part: str = ""
    ) -> tuple[Path, Finding | None]:
        """Where a name in metadata leads: a path, and what was wrong with the name.

        Tried in this order: the name as it is; without outer blanks and with ``\\`` as ``/``; the
        same stem in another case or with another extension of a picture. `file` is the metadata's
        place, `what` is what the name stands for, `part` makes its loss a partial one (see
        `types.Finding`). A path without a finding leads to a file.
        """

        def lost(kind: str, found: str) -> Finding:
            return Finding(f"{what}-{kind}", file, found, f"there is no {what}", False, part)

        if not isinstance(name, str) or not name.strip():
            return self.nowhere(what), lost("unnamed", f"{shown(name)} for a name")
        clean = name.strip().replace("\\", "/")
        tried = (base / name, base / clean)
        if self._listing(str(tried[0].parent)).get(tried[0].name):
            return tried[0], None
        absolute = clean.startswith("/") or PureWindowsPath(clean).drive
        if absolute or not all(map(self.inside, tried)):
            return self.nowhere(what), lost(
                "outside", f"{shown(name)} leads out of the data folder"
            )
        path = next(filter(os.path.isfile, tried), None) or self.similar(tried[1])
        if path == tried[0]:
            return path, None
        found = f"{shown(name)}, which is not there"
        if path is None:
            return tried[1], lost("missing", found)
        return path, Finding(f"{what}-name", file, found, f"{self.relative(path)!r} is meant")

    def similar(self, wanted: Path) -> Path | None:
        """A picture inside with the same stem, in another case or with another extension."""
        for name in sorted(self._listing(str(wanted.parent))):
            stem, extension = os.path.splitext(name)
            alikes = (alike(wanted.stem), alike(wanted.name))
            if extension.casefold() in PICTURES and alike(stem) in alikes:
                path = wanted.parent / name
                if self.inside(path) and path.is_file():
                    return path
        return None

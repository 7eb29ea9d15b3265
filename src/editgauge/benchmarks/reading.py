"""Reading released files that are not what they should be: JSON with repairs, names that lead to
files, safe paths.

Repaired is what the four releases are known to need; anything else that is wrong is one finding.
Nothing outside the data folder is ever opened: a name in metadata that leads out of it (``../..``,
an absolute path, a link) is a finding, and the path that a sample is given for it leads to no file.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any

from editgauge import json_text
from editgauge.escape import alike
from editgauge.store.paths import LONGEST_PATH
from editgauge.types import Finding

PICTURES: tuple[str, ...] = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff")
OWN_SET = ".editgauge-set.json"
"""A hidden file in a folder of an official layout that holds a set of somebody's own: there are no
published counts, and categories of the release may be missing.
"""
MAX_JSON_BYTES = 64 << 20
"""Above any released file by a factor of 20; a larger one is not read."""
MOST_BLANKS = 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_IGNORED = {"thumbs.db", "desktop.ini", "__macosx"}
_NOTHING_KNOWN = "nothing is known of what it holds"


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
    """`text` as it can be written to a UTF-8 file: half a surrogate pair (a name that is not UTF-8)
    is escaped.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe_name(text: str) -> str:
    """`text` as one folder's or file's name: what could lead elsewhere is replaced by ``_``."""
    return re.sub(r"[^\w.\- ]+", "_", text).strip(" .")[:100] or "_"


@dataclass(slots=True)
class Tree:
    """A data folder, with its listings kept. `root` is as given, absolute."""

    root: Path
    _real: str = ""
    _listings: dict[Path, dict[str, list[str]]] = field(default_factory=dict, repr=False)
    _folders: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.root = self.root.absolute()
        self._real = os.path.realpath(self.root)

    def relative(self, path: Path) -> str:
        """The path below the root, with ``/``; a path outside is named by its last part only."""
        inside = path.is_relative_to(self.root)
        return plain(path.relative_to(self.root).as_posix() if inside else path.name)

    def inside(self, path: Path) -> bool:
        """Whether the path, with every link followed, stays below the root."""
        try:
            real = self._followed(os.fspath(path))
        except (OSError, ValueError):
            return False
        return real == self._real or real.startswith(self._real.rstrip(os.sep) + os.sep)

    def _followed(self, name: str) -> str:
        """`os.path.realpath`; a folder's links are followed once, not for each of its files."""
        folder, last = os.path.split(name)
        if last in ("", ".", "..") or os.path.islink(name):
            return os.path.realpath(name)
        if folder not in self._folders:
            self._folders[folder] = os.path.realpath(folder)
        return os.path.join(self._folders[folder], last)

    def nowhere(self, name: str) -> Path:
        """A path below the root where there is no file, for a picture that must not be read."""
        path = self.root / ".not-read" / safe_name(name)
        while os.path.lexists(path.parent):
            path = path.parent.with_name(path.parent.name + "_") / path.name
        return path

    def entries(self, folder: Path) -> list[str]:
        """The names in a folder, in natural order, without what file managers leave behind; [] if
        unreadable.
        """
        return [entry.name for entry in below(folder)]

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
            return self.nowhere(what), lost(
                "unnamed", "no name" if none else f"{shown(name)} for a name"
            )
        if len(name) > LONGEST_PATH:
            length = f"{shown(name)}, {len(name):,} characters, which no path has"
            return self.nowhere(what), lost("missing", length)
        clean = name.strip().replace("\\", "/")
        tried = (base / name, base / clean)
        if any(self._leaves(clean, path) for path in tried):
            found = f"{shown(name)} leads out of the data folder"
            return self.nowhere(what), lost("outside", found, "not read")
        wanted = tried[1]
        path = next(filter(os.path.isfile, tried), None) or self.similar(wanted)
        if path is None:
            return wanted, lost("missing", f"{shown(name)}, which is not there")
        if path == base / name:
            return path, None
        meant = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
        found = f"{shown(name)}, which is not there"
        return path, Finding(f"{what}-name", file, found, f"{shown(meant)} is meant")

    def similar(self, wanted: Path) -> Path | None:
        """The file of the same stem in another case or with another extension, when it is a picture
        inside.
        """
        listing = self._listing(wanted.parent)
        names = listing.get(alike(wanted.stem), []) + listing.get(alike(wanted.name), [])
        paths = (wanted.parent / name for name in names)
        return next((path for path in paths if self.inside(path) and path.is_file()), None)

    def _listing(self, folder: Path) -> dict[str, list[str]]:
        if folder not in self._listings:
            stems: dict[str, list[str]] = {}
            for name in self.entries(folder) if self.inside(folder) else []:
                stem, extension = os.path.splitext(name)
                if extension.casefold() in PICTURES:
                    stems.setdefault(alike(stem), []).append(name)
            self._listings[folder] = stems
        return self._listings[folder]

    def _leaves(self, name: str, path: Path) -> bool:
        """Whether a name, which makes this path, is absolute or leads out of the data folder."""
        absolute = "\0" in name or name.startswith("/") or PureWindowsPath(name).drive
        return bool(absolute) or not self.inside(path)


def read_bytes(tree: Tree, path: Path) -> tuple[bytes | None, Finding | None]:
    """A metadata file's bytes, or the finding that says why there are none."""

    def lost(kind: str, found: str, done: str) -> tuple[None, Finding]:
        return None, Finding(f"json-{kind}", tree.relative(path), found, done, False)

    if not tree.inside(path):
        return lost("outside", "a link that leads out of the data folder", "not read")
    try:
        if not path.is_file() and path.exists():
            return lost("unreadable", "not a file", _NOTHING_KNOWN)
        size = path.stat().st_size
        if size > MAX_JSON_BYTES:
            return lost("size", f"{size:,} bytes", f"not read (limit {MAX_JSON_BYTES:,})")
        return path.read_bytes(), None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        return lost("unreadable", reason, _NOTHING_KNOWN)


def decode(data: bytes, file: str, *, start: bool = True) -> tuple[str | None, list[Finding]]:
    """Text from bytes that should be UTF-8; None with a finding when they are not. A byte-order
    mark is left out with a finding. `start`: the file's beginning.
    """
    findings = []
    if start and data.startswith(_BYTE_ORDER_MARK):
        data = data.removeprefix(_BYTE_ORDER_MARK)
        findings = [Finding("json-byte-order-mark", file, "a byte-order mark", "left out")]
    try:
        return data.decode("utf-8"), findings
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} at {error.start}: not UTF-8"
    lost = Finding("json-encoding", file, found, "not read: the encoding is not known", False)
    return None, [*findings, lost]


def parse_json(text: str, file: str) -> tuple[Any, list[Finding]]:
    """A JSON value from text. A no-break space between values becomes an ordinary one, with a
    finding; a key given twice is noted.

    Gives None and an unrepaired finding where it is beyond repair.
    """
    if json_text.crowded(text):
        found, limit = f"some {json_text.parts(text):,} values", json_text.MOST_PARTS
        return None, [Finding("json-size", file, found, f"not read (limit {limit:,})", False)]
    twice: list[str] = []
    blanks = 0
    try:
        while True:
            twice.clear()
            try:
                value = json.loads(text, object_pairs_hook=lambda items: _object(items, twice))
                break
            except json.JSONDecodeError as error:
                if text[error.pos : error.pos + 1] != "\u00a0" or blanks == MOST_BLANKS:
                    raise
                text, blanks = f"{text[: error.pos]} {text[error.pos + 1 :]}", blanks + 1
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # half a letter: no file can hold it
    except (ValueError, RecursionError) as error:
        found = f"no JSON: {str(error) or type(error).__name__}"
        return None, [Finding("json-unreadable", file, found, _NOTHING_KNOWN, False)]
    odd = Finding("json-odd-blank", file, "a blank that JSON does not allow", "an ordinary one")
    noted = [
        Finding("json-key-twice", file, f"{shown(key)} twice", "the last one counts")
        for key in twice
    ]
    return value, [*([odd] if blanks else []), *noted]


def _object(items: list[tuple[str, Any]], twice: list[str]) -> dict[str, Any]:
    values = dict(items)
    if len(values) < len(items):
        twice += [key for key, value in items if values[key] != value]
    return values


def read_json(tree: Tree, path: Path) -> tuple[Any, list[Finding]]:
    """A JSON file's value with what was repaired; None and an unrepaired finding where it cannot be
    read.
    """
    data, finding = read_bytes(tree, path)
    if data is None:
        return None, [finding] if finding else []
    file = tree.relative(path)
    text, findings = decode(data, file)
    if text is None:
        return None, findings
    value, more = parse_json(text, file)
    return value, [*findings, *more]


@dataclass(slots=True)
class Record:
    """One record of metadata, read by field. `fields` maps our name to the released keys, all of
    them right.

    A key that is none of them but nearly one is taken for it, when that field is not there
    otherwise.
    """

    data: Mapping[str, Any]
    fields: Mapping[str, Sequence[str]]
    file: str
    findings: list[Finding] = field(default_factory=list)
    _keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {key: name for name, keys in self.fields.items() for key in keys}
        for key in filter(known.__contains__, self.data):
            self._keys.setdefault(known[key], key)
        for key in self.data:
            if not isinstance(key, str) or key in known:
                continue
            written = key.strip().lower().replace(" ", "_")
            near = difflib.get_close_matches(written, known, n=1, cutoff=0.85)
            if near and known[near[0]] not in self._keys:
                self._keys[known[near[0]]] = key
                meant = f"{near[0]!r} is meant"
                self.findings.append(Finding("key-name", self.file, shown(key), meant))

    def key(self, name: str) -> str | None:
        """The key under which a field is written in the file, None where it is not there."""
        return self._keys.get(name)

    def raw(self, name: str) -> Any:
        """The value as it stands, None where there is none."""
        return self.data.get(self._keys.get(name, ""))

    def text(self, name: str, *, needed: bool = False) -> str | None:
        """The value as text: a number is written out, with a finding; None where there is nothing
        to read.

        `needed`: without it the sample cannot be used.
        """
        value = self.raw(name)
        if isinstance(value, str) and value.strip():
            return value
        finding = None
        if isinstance(value, int | float) and not isinstance(value, bool):
            found = f"{name}: the number {value}"
            self.findings.append(Finding("wrong-type", self.file, found, "its digits"))
            return str(value)
        if value is not None and not isinstance(value, str):
            found = f"{name}: {shown(value)}, wanted a text"
            finding = Finding("wrong-type", self.file, found, "left out", not needed)
        elif needed:
            found = f"no {name}" if value is None else f"{name} is empty"
            finding = Finding(f"{name}-missing", self.file, found, "nothing", False)
        self.findings += [finding] if finding else []
        return None

    def identity(self) -> str | None:
        """The field ``id`` as text, a number or a text in the file; None where there is none."""
        value = self.raw("id")
        if isinstance(value, bool) or not isinstance(value, str | int):
            return None
        return str(value).strip() or None


def unique(identity: str, taken: dict[str, int]) -> str:
    """`identity`, or with ``~2``, ``~3``… where it is taken already; the result is taken from now
    on. `taken`: each identity that is taken, and the last number that was given to it.
    """
    result, number = identity, taken.get(identity, 1)
    while result in taken:
        number += 1
        result = f"{identity}~{number}"
    taken[identity] = number
    taken.setdefault(result, 1)
    return result


def below(folder: Path) -> Iterator[os.DirEntry[str]]:
    """What a folder holds, in natural order, without what file managers leave behind."""
    try:
        with os.scandir(folder) as entries:
            yield from sorted(
                (e for e in entries if not ignored(e.name)), key=lambda e: natural(e.name)
            )
    except (OSError, ValueError):
        return


def own_set(root: Path) -> bool:
    """Whether the folder, or the one above it, holds a set of somebody's own in a released
    layout.
    """
    return any((folder / OWN_SET).is_file() for folder in (root, root.parent))


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of `below` is a folder, links followed; a link that leads in a circle is
    none.
    """
    try:
        return entry.is_dir()
    except OSError:
        return False

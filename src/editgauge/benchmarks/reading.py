"""Reading released files that are not what they should be: JSON with repairs, names that lead to
files, safe paths.

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
_IGNORED = {"thumbs.db", "desktop.ini", "__macosx"}
_DIGITS = re.compile(r"(\d+)")
_TOKEN = re.compile(
    r'(?P<text>"(?:[^"\\]|\\.|\\\Z)*(?:"|\Z))|(?P<comma>,(?=\s*[\]}]))'
    r"|(?P<blank>[\x0b\x0c\x85\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f\u2060\u3000\ufeff])|(?P<wide>[，：])",
    re.DOTALL,
)
"""A JSON text, which is left alone, or one of the slips outside of texts that `_mend` repairs."""
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
_MENDED = {
    "comma": ("json-trailing-comma", "a comma before a closing bracket", "left out"),
    "blank": ("json-odd-blank", "a blank that JSON does not allow", "an ordinary one"),
    "wide": (
        "json-wide-punctuation",
        "a full-width comma or colon between values",
        "the ordinary one",
    ),
}


def natural(name: str) -> tuple[Any, ...]:
    """Sorts ``9`` before ``10`` and ``a2`` before ``a10``; total and the same on every platform."""
    parts = _DIGITS.split(name)
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
    cleaned = re.sub(r"[^\w.\- ]+", "_", text).strip(" .")
    return cleaned[:100] or "_"


@dataclass(slots=True)
class Tree:
    """A data folder, with its listings kept. `root` is as given, absolute."""

    root: Path
    _real: str = ""
    _listings: dict[str, dict[str, list[str]]] = field(default_factory=dict, repr=False)
    _folders: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.root = self.root.absolute()
        self._real = os.path.realpath(self.root)

    def relative(self, path: Path) -> str:
        """The path below the root, with ``/``; a path outside is named by its last part only."""
        try:
            return plain(path.relative_to(self.root).as_posix())
        except ValueError:
            return plain(path.name)

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
        try:
            names = os.listdir(folder)
        except (OSError, ValueError):
            return []
        return sorted((name for name in names if not ignored(name)), key=natural)

    def locate(
        self, base: Path, name: object, *, file: str, what: str, part: str = ""
    ) -> tuple[Path, Finding | None]:
        """Where a name in metadata leads: a path, and what was wrong with the name.

        Tried in this order: the name as it is; without outer blanks; with ``\\`` as ``/``; the same
        stem in another case or with another extension of a picture. `file` is the metadata's place,
        `what` is what the name stands for, `part` makes its loss a partial one (see
        `types.Finding`). A path without a finding leads to a file.
        """
        if not isinstance(name, str) or not name.strip():
            found = "no name" if name is None or name == "" else f"{shown(name)} for a name"
            finding = Finding(f"{what}-unnamed", file, found, f"there is no {what}", False, part)
            return self.nowhere(what), finding
        if len(name) > LONGEST_PATH:
            found = f"{shown(name)}, {len(name):,} characters, which no path has"
            return self.nowhere(what), Finding(
                f"{what}-missing", file, found, f"there is no {what}", False, part
            )
        for tried in dict.fromkeys((name, name.strip(), name.strip().replace("\\", "/"))):
            path = base / tried
            if self._leaves(tried, path):
                found = f"{shown(name)} leads out of the data folder"
                return self.nowhere(what), Finding(
                    f"{what}-outside", file, found, "not read", False, part
                )
            if os.path.isfile(path):
                return path, None if tried == name else self._renamed(name, tried, file, what)
        wanted = base / name.strip().replace("\\", "/")
        near = self.similar(wanted)
        if near is not None:
            return near, self._renamed(name, self._tail(near, base), file, what)
        found = f"{shown(name)}, which is not there"
        return wanted, Finding(f"{what}-missing", file, found, f"there is no {what}", False, part)

    def similar(self, wanted: Path) -> Path | None:
        """The file of the same stem in another case or with another extension, when it is a picture
        inside.
        """
        listing = self._listing(wanted.parent)
        names = listing.get(alike(wanted.stem), []) + listing.get(alike(wanted.name), [])
        for name in names:
            path = wanted.parent / name
            if self.inside(path) and path.is_file():
                return path
        return None

    def _listing(self, folder: Path) -> dict[str, list[str]]:
        key = os.fspath(folder)
        if key not in self._listings:
            found: dict[str, list[str]] = {}
            for name in self.entries(folder) if self.inside(folder) else []:
                stem, extension = os.path.splitext(name)
                if extension.casefold() in PICTURES:
                    found.setdefault(alike(stem), []).append(name)
            self._listings[key] = found
        return self._listings[key]

    def _leaves(self, name: str, path: Path) -> bool:
        """Whether a name, which makes this path, is absolute or leads out of the data folder."""
        if "\0" in name or name.startswith("/"):
            return True
        if (":" in name or "\\" in name) and PureWindowsPath(name).drive:
            return True
        return not self.inside(path)

    @staticmethod
    def _tail(path: Path, base: Path) -> str:
        return path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name

    @staticmethod
    def _renamed(name: str, tried: str, file: str, what: str) -> Finding:
        return Finding(
            f"{what}-name", file, f"{shown(name)}, which is not there", f"{shown(tried)} is meant"
        )


def read_bytes(tree: Tree, path: Path) -> tuple[bytes | None, Finding | None]:
    """A metadata file's bytes, or the finding that says why there are none."""
    file = tree.relative(path)
    if not tree.inside(path):
        return None, Finding(
            "json-outside", file, "a link that leads out of the data folder", "not read", False
        )
    try:
        if not path.is_file() and path.exists():
            return None, Finding(
                "json-unreadable", file, "not a file", "nothing is known of what it holds", False
            )
        size = path.stat().st_size
        if size > MAX_JSON_BYTES:
            return None, Finding(
                "json-size", file, f"{size:,} bytes", f"not read (limit {MAX_JSON_BYTES:,})", False
            )
        return path.read_bytes(), None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a path"
        return None, Finding(
            "json-unreadable", file, reason, "nothing is known of what it holds", False
        )


def decode(data: bytes, file: str, *, start: bool = True) -> tuple[str | None, list[Finding]]:
    """Text from bytes that should be UTF-8, with a finding when they are not. `start`: the file's
    beginning.
    """
    if start and data.startswith(b"\xef\xbb\xbf"):
        text, findings = decode(data[3:], file, start=False)
        return text, [
            Finding("json-byte-order-mark", file, "a byte-order mark", "left out"),
            *findings,
        ]
    if start and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16"), [
                Finding("json-encoding", file, "UTF-16", "read as UTF-16")
            ]
        except UnicodeDecodeError:
            return None, [Finding("json-encoding", file, "a torn UTF-16 text", "not read", False)]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} at {error.start}: not UTF-8"
    # A lone byte between ASCII ones is a Western accent or quote; two or more in a row may be any
    # other encoding (GB18030, Shift-JIS…), and guessing one would put wrong words into an
    # instruction.
    if re.search(rb"[\x80-\xff]{2}", data) is None:
        try:
            return data.decode("cp1252"), [
                Finding("json-encoding", file, found, "Windows-1252 is meant")
            ]
        except UnicodeDecodeError:
            pass
    return None, [
        Finding("json-encoding", file, found, "not read: the encoding is not known", False)
    ]


def parse_json(text: str, file: str) -> tuple[Any, list[Finding]]:
    """A JSON value from text, with repairs: trailing commas, odd blanks and full-width punctuation
    between values, control characters in texts; a key given twice is noted.

    Gives None and an unrepaired finding where it is beyond repair.
    """
    twice: list[Finding] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, value in items:
            if key in result and result[key] != value:
                twice.append(
                    Finding("json-key-twice", file, f"{shown(key)} twice", "the last one counts")
                )
            result[key] = value
        return result

    if json_text.crowded(text):
        found, limit = f"some {json_text.parts(text):,} values", json_text.MOST_PARTS
        return None, [Finding("json-size", file, found, f"not read (limit {limit:,})", False)]
    reason = ""
    for candidate, strict, findings in _candidates(text, file):
        twice.clear()
        try:
            value = json.loads(candidate, strict=strict, object_pairs_hook=pairs)
            if _HALF_PAIR.search(candidate):
                value, halves = _whole_letters(value, file)
                findings = [*findings, *halves]
            return value, [*findings, *twice]
        except (ValueError, RecursionError) as error:
            reason = reason or str(error) or type(error).__name__
    return None, [
        Finding(
            "json-unreadable",
            file,
            f"no JSON: {reason}",
            "nothing is known of what it holds",
            False,
        )
    ]


def _candidates(text: str, file: str) -> Iterator[tuple[str, bool, list[Finding]]]:
    """What to parse in turn: text, strictly or not, and what was repaired in it. A clean text, as
    nearly all are, is never looked through for slips.
    """
    yield text, True, []
    mended, slips = _mend(text, file)
    yield mended, True, slips
    control = Finding("json-control-character", file, "a control character in a text", "kept")
    yield mended, False, [*slips, control]


def _whole_letters(value: Any, file: str) -> tuple[Any, list[Finding]]:
    """Half a surrogate pair, which JSON can spell and no file can hold, becomes the replacement
    character.
    """
    text = json.dumps(value, ensure_ascii=False)
    whole = re.sub("[\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
    if whole == text:
        return value, []
    finding = Finding(
        "json-half-letter", file, "half of a surrogate pair in a text", "the replacement character"
    )
    return json.loads(whole, strict=False), [finding]


def _mend(text: str, file: str) -> tuple[str, list[Finding]]:
    """The text with its slips repaired, and a finding for each kind of slip."""
    kinds: dict[str, int] = {}

    def replace(match: re.Match[str]) -> str:
        kind = str(match.lastgroup)
        if kind == "text":
            return match[0]
        kinds[kind] = kinds.get(kind, 0) + 1
        return {"comma": "", "blank": " "}.get(kind, ":" if match[0] == "：" else ",")

    mended = _TOKEN.sub(replace, text)
    return mended, [Finding(_MENDED[kind][0], file, *_MENDED[kind][1:]) for kind in kinds]


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
        for key in self.data:
            if key in known:
                self._keys.setdefault(known[key], key)
        for key in self.data:
            if isinstance(key, str) and key not in known:
                near = difflib.get_close_matches(
                    re.sub(r"[\s\-]+", "_", key.strip().lower()), known, n=1, cutoff=0.85
                )
                if near and known[near[0]] not in self._keys:
                    self._keys[known[near[0]]] = key
                    self.findings.append(
                        Finding("key-name", self.file, shown(key), f"{near[0]!r} is meant")
                    )

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
        if isinstance(value, str):
            if value.strip():
                return value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.findings.append(
                Finding("wrong-type", self.file, f"{name}: the number {value}", "its digits")
            )
            return str(value)
        elif value is not None:
            found = f"{name}: {shown(value)}, wanted a text"
            self.findings.append(Finding("wrong-type", self.file, found, "left out", not needed))
            return None
        if needed:
            found = f"no {name}" if value is None else f"{name} is empty"
            self.findings.append(Finding(f"{name}-missing", self.file, found, "nothing", False))
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
    except OSError:
        return


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of `below` is a folder, links followed; a link that leads in a circle is
    none.
    """
    try:
        return entry.is_dir()
    except OSError:
        return False

"""Reading released metadata that is not what it should be: JSON with repairs, records by field.

Repaired is what the four releases are known to need; anything else that is wrong is one finding.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from editgauge.benchmarks.tree import Tree, safe_name, shown
from editgauge.types import Finding

MAX_JSON_BYTES = 64 << 20
"""Above any released file by a factor of 20; a larger one is not read."""
MOST_BLANKS = 20
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NO_BREAK_SPACE = "\u00a0"


@dataclass(slots=True)
class Notes:
    """What was wrong in one file or folder, as findings; called with what a `types.Finding` says
    but for its file.
    """

    file: str
    findings: list[Finding] = field(default_factory=list)

    def __call__(
        self, kind: str, found: str, assumed: str, repaired: bool = True, part: str = ""
    ) -> None:
        self.findings.append(Finding(kind, self.file, found, assumed, repaired, part))

    @property
    def lost(self) -> bool:
        """Whether something could not be repaired."""
        return not all(finding.repaired for finding in self.findings)

    def wrong_type(self, value: object, wanted: str, assumed: str) -> None:
        """Note a JSON value that is not what was wanted, where nothing is said of it yet."""
        if not self.lost:
            found = f"{type(value).__name__} {shown(value)}, wanted {wanted}"
            self("json-wrong-type", found, assumed, False)


def read_bytes(tree: Tree, path: Path, note: Notes) -> bytes | None:
    """A metadata file's bytes; None, which is noted, where it cannot be read."""
    found, kind = "a link that leads out of the data folder", "json-outside"
    try:
        if tree.inside(path):
            if (size := path.stat().st_size) <= MAX_JSON_BYTES:
                return path.read_bytes()
            found, kind = f"{size:,} bytes (limit {MAX_JSON_BYTES:,})", "json-size"
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or "not a path"
        kind = "json-unreadable"
    note(kind, found, "not read: nothing is known of what it holds", False)
    return None


def decode(data: bytes, note: Notes) -> str | None:
    """Text from bytes that should be UTF-8; None, which is noted, when they are not. A byte-order
    mark is left out, which is noted.
    """
    if data.startswith(_BYTE_ORDER_MARK):
        data = data.removeprefix(_BYTE_ORDER_MARK)
        note("json-byte-order-mark", "a byte-order mark", "left out")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} at {error.start}: not UTF-8"
        note("json-encoding", found, "not read: the encoding is not known", False)
        return None


def parse_json(text: str, note: Notes) -> Any:
    """A JSON value from text. A no-break space between values becomes an ordinary one, which is
    noted. Gives None, with an unrepaired finding, where it is beyond repair.
    """
    blanks = 0
    while True:
        try:
            value = orjson.loads(text)
            break
        except orjson.JSONDecodeError as error:
            place = error.pos
            if text[place : place + 1] != _NO_BREAK_SPACE or blanks == MOST_BLANKS:
                found = f"no JSON: {error}"
                note("json-unreadable", found, "nothing is known of what it holds", False)
                return None
            text, blanks = f"{text[:place]} {text[place + 1 :]}", blanks + 1
    if blanks:
        note("json-odd-blank", "a blank that JSON does not allow", "an ordinary one")
    return value


def read_json(tree: Tree, path: Path, note: Notes) -> Any:
    """A JSON file's value; None where it cannot be read, which is noted."""
    data = read_bytes(tree, path, note)
    text = None if data is None else decode(data, note)
    return None if text is None else parse_json(text, note)


@dataclass(slots=True)
class Record:
    """One record of metadata, read by field. `fields` maps our name to the released keys, all of
    them right. What is wrong with it is told to `note`, which keeps it.

    A key that is none of them but nearly one is taken for it, when that field is not there
    otherwise.
    """

    data: Mapping[str, Any]
    fields: Mapping[str, Sequence[str]]
    note: Notes
    _keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {key: name for name, keys in self.fields.items() for key in keys}
        for key in filter(known.__contains__, self.data):
            self._keys.setdefault(known[key], key)
        for key in (key for key in self.data if key not in known):
            written = key.strip().lower().replace(" ", "_")
            near = difflib.get_close_matches(written, known, n=1, cutoff=0.85)
            if near and known[near[0]] not in self._keys:
                self._keys[known[near[0]]] = key
                self.note("key-name", shown(key), f"{near[0]!r} is meant")

    @classmethod
    def of(cls, value: object, fields: Mapping[str, Sequence[str]], note: Notes) -> Record:
        """The record of a JSON value; an empty one, which is noted, where it is no object."""
        if isinstance(value, dict):
            return cls(value, fields, note)
        note.wrong_type(value, "an object", "nothing is known of the sample")
        return cls({}, fields, note)

    @property
    def known(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.data)

    def key(self, name: str) -> str | None:
        """The key that the field has in the file; None where it is not there."""
        return self._keys.get(name)

    def raw(self, name: str) -> Any:
        """The value as it stands, None where there is none."""
        return self.data.get(self._keys.get(name, ""))

    def text(self, name: str, *, needed: str | None = None) -> str | None:
        """The value as text: a number is written out, which is noted; None where there is nothing
        to read.

        `needed`: what is lost without it (see `types.Finding.part`; "" is the sample), which is
        noted of a record that is known. None: nothing is.
        """
        value = self.raw(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.note("wrong-type", f"{name}: the number {value}", "its digits")
            return str(value)
        if value is not None and not isinstance(value, str):
            found = f"{name}: {shown(value)}, wanted a text"
            self.note("wrong-type", found, "left out", needed is None, needed or "")
        elif needed is not None and self.known:
            found = f"no {name}" if value is None else f"{name} is empty"
            self.note(f"{name}-missing", found, "what needs it has none", False, needed)
        return None

    def identity(self) -> str | None:
        """The field ``id`` as text, a number or a text in the file; None where there is none."""
        value = self.raw("id")
        if isinstance(value, bool) or not isinstance(value, str | int):
            return None
        return str(value).strip() or None

    def name(self, written: str) -> str:
        """An id as a file's name; another spelling is noted."""
        if (safe := safe_name(written)) != written:
            self.note("id-name", shown(written), f"called {safe!r}")
        return safe

    def picture(self, tree: Tree, base: Path, name: str, *, what: str, part: str = "") -> Path:
        """Where a field's picture lies; what is wrong with its name is noted. See `Tree.locate`."""
        path, finding = tree.locate(base, self.raw(name), file=self.note.file, what=what, part=part)
        if finding is not None and self.known:
            self.note.findings.append(finding)
        return path


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

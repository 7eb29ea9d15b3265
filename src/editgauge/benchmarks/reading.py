"""Released metadata as JSON with repairs, records by field. Repaired is what the four releases are
known to need; anything else that is wrong is one finding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from editgauge.benchmarks.tree import Tree, safe_name, shown
from editgauge.types import Finding, JsonMapping

MAX_JSON_BYTES = 64 << 20
"""Above any released file by a factor of 20; a larger one is not read."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TEXT_OR_BLANK = re.compile(r'("(?:[^"\\]++|\\.)*+")|\u00a0', re.DOTALL)


@dataclass(slots=True)
class Notes:
    """What was wrong in one file, as findings; called with a `types.Finding`'s fields but its file."""

    file: str
    findings: list[Finding] = field(default_factory=list)

    def __call__(
        self, kind: str, found: str, assumed: str, repaired: bool = True, part: str = ""
    ) -> None:
        self.findings.append(Finding(kind, self.file, found, assumed, repaired, part))

    def wrong_type(self, value: object, wanted: str, assumed: str) -> None:
        """Note a JSON value that is not what was wanted, where nothing is said of it yet."""
        if all(finding.repaired for finding in self.findings):
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
    except OSError as error:
        found, kind = error.strerror or "not a path", "json-unreadable"
    note(kind, found, "not read: nothing is known of what it holds", False)
    return None


def parse_json(data: bytes, note: Notes) -> Any:
    """A JSON value. A byte-order mark is left out and a no-break space between values becomes an
    ordinary one, which is noted. None, with an unrepaired finding, where it is beyond repair.
    """
    text = data.removeprefix(_BYTE_ORDER_MARK)
    if len(text) < len(data):
        note("json-byte-order-mark", "a byte-order mark", "left out")
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        found = f"no JSON: {error}"
    with suppress(ValueError):
        value = orjson.loads(_TEXT_OR_BLANK.sub(lambda match: match[1] or " ", text.decode()))
        note("json-odd-blank", "a blank that JSON does not allow", "an ordinary one")
        return value
    note("json-unreadable", found, "nothing is known of what it holds", False)
    return None


def read_json(tree: Tree, path: Path, note: Notes) -> Any:
    """A JSON file's value; None where it cannot be read, which is noted."""
    data = read_bytes(tree, path, note)
    return None if data is None else parse_json(data, note)


@dataclass(slots=True)
class Record:
    """One record of metadata, read by field; what is wrong with it is told to `note`. `fields`: our
    name -> the keys, in one text, that a record may have for it, in any case, with blanks for
    ``_``.
    """

    data: JsonMapping
    fields: Mapping[str, str]
    note: Notes
    _keys: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.data or not isinstance(self.data, dict):
            self.note.wrong_type(self.data, "an object", "nothing is known of the sample")
            self.data = {}
        known = {key.lower(): name for name, keys in self.fields.items() for key in keys.split()}
        for key in self.data:
            if name := known.get(key.lower().replace(" ", "_")):
                self._keys.setdefault(name, key)

    def key(self, name: str) -> str:
        """The key that the field has in the file; "" where it is not there."""
        return self._keys.get(name, "")

    def raw(self, name: str) -> Any:
        """The value as it stands, None where there is none."""
        return self.data.get(self.key(name))

    def text(self, name: str, *, needed: str | None = None) -> str | None:
        """The value as text; None where there is nothing to read. `needed`: what is lost without it
        (see `types.Finding.part`; "" is the sample), which is noted of a record that holds anything.
        """
        value = self.raw(name)
        if isinstance(value, str) and value.strip():
            return value
        if self.data and (needed is not None or not isinstance(value, str | None)):
            kind = f"{name}-missing" if isinstance(value, str | None) else "wrong-type"
            found = f"{name}: {shown(value)}, wanted a text"
            self.note(kind, found, "what needs it has none", needed is None, needed or "")
        return None

    def identity(self, number: int, taken: set[str], *, needed: bool) -> str:
        """The field ``id`` as a file's name that is not among `taken`, where it is put; by the
        record's `number` where there is none. `needed`: outputs are found by it.
        """
        value = self.raw("id")
        written = "" if isinstance(value, bool) or not isinstance(value, str | int) else str(value)
        ident = safe_name(written.strip()) if written.strip() else f"record-{number}"
        if not written.strip() and self.data:
            self.note("id-missing", f"id {shown(value)}", f"called {ident!r}", not needed)
        elif written and ident != written:
            self.note("id-name", shown(written), f"called {ident!r}")
        if ident in taken:
            found, ident = f"id {ident!r} again", f"{ident}~{number}"
            self.note("id-twice", found, f"called {ident!r}", not needed)
        taken.add(ident)
        return ident

    def picture(self, tree: Tree, base: Path, name: str, *, part: str = "") -> Path:
        """Where a field's picture lies; what is wrong with its name is noted. See `Tree.locate`."""
        path, finding = tree.locate(base, self.raw(name), file=self.note.file, what=name, part=part)
        self.note.findings += [finding] if finding and self.data else []
        return path

"""People, versioned items and events in one SQLite file for any number of processes. A change names
its base version, is one transaction with its event, and is on the disk on return.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import orjson

from editgauge.errors import EditgaugeError, RunError, UsageError
from editgauge.store import locks, sqlite
from editgauge.types import JsonMapping
from editgauge.web import private

_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE people (
  name TEXT PRIMARY KEY, role TEXT NOT NULL, token TEXT NOT NULL UNIQUE, revoked INTEGER NOT NULL,
  seen REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE items (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, owner TEXT NOT NULL, state TEXT NOT NULL,
  place INTEGER NOT NULL, version INTEGER NOT NULL, data TEXT NOT NULL, crc INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE INDEX items_by_owner ON items (kind, owner, state, place);
CREATE TABLE events (
  number INTEGER PRIMARY KEY, at REAL NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL,
  item TEXT NOT NULL, version INTEGER NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL,
  note TEXT NOT NULL, nonce TEXT NOT NULL, crc INTEGER NOT NULL);
CREATE INDEX events_by_item ON events (item, number);
CREATE UNIQUE INDEX events_by_nonce ON events (nonce) WHERE nonce <> '';
"""
_SECRET, _SECRET_NAME = "secret", "secret name"
_Fields = tuple[JsonMapping, JsonMapping]
_ITEM = "SELECT kind || ' ' || id, id, kind, owner, state, place, version, data, crc FROM items"
_EVENT = (
    "SELECT 'event ' || number, at, who, what, item, version, before, after, note, nonce, crc "
    "FROM events"
)
"""Each begins with what it is called when it is damaged."""


class Person(NamedTuple):
    """Somebody with a personal link. `seen`: when they last asked for something; 0 for never."""

    name: str
    role: str
    revoked: bool
    seen: float


class Item(NamedTuple):
    """JSON data with a version; `owner`, `state` and `place` are what lists are asked by."""

    id: str
    kind: str
    owner: str
    state: str
    place: int
    version: int
    data: JsonMapping


class Event(NamedTuple):
    """One thing that happened: `before` and `after` hold the fields that changed."""

    at: float
    who: str
    what: str
    item: str
    version: int
    before: JsonMapping
    after: JsonMapping
    note: str


class Act(NamedTuple):
    """What somebody does to an item, and why. The same `nonce` sent twice is one change."""

    who: str
    what: str = "changed"
    note: str = ""
    nonce: str = ""


class Refused(EditgaugeError):
    """What somebody sent is not what was wanted; the text says what that is."""


class Conflict(EditgaugeError):
    """A change was made from a version that is no longer the newest; `newest` is that one."""

    def __init__(self, newest: Item) -> None:
        super().__init__(
            f"{newest.id}: it was changed meanwhile, the newest version is {newest.version}; look "
            f"at both and save again",
        )
        self.newest = newest


class Log:
    """An open file; every method may be called from any thread. Raises `RunError` for one that
    cannot be read or written. What has another checksum is left out and named in `problems`.
    """

    def __init__(self, path: Path, *, secret_elsewhere: bool = False) -> None:
        """Open a file, or make it. `secret_elsewhere`: the secret of a new file is kept on this
        machine and not in the file, which may be handed on.
        """
        self.path = path
        self.problems: list[str] = []
        self._lock = threading.RLock()
        with self._named_errors():
            self._db = _connected(path)
            with self.transaction():
                if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'items'"):
                    for statement in _SCHEMA.split(";\n"):
                        self._db.execute(statement)
                    if secret_elsewhere:
                        self.set_meta(_SECRET_NAME, private.new_name())
                    else:
                        self.set_meta(_SECRET, private.new_secret())
        if secret_elsewhere and self.meta(_SECRET):
            self._move_secret()

    def invite(self, name: str, role: str = "") -> str:
        """Add somebody; returns the token of their link, which is kept nowhere. Raises `UsageError`
        for a name that is no pseudonym (see `check_pseudonym`) or is there.
        """
        check_pseudonym(name)
        token = secrets.token_urlsafe(24)
        with self.transaction():
            if self._rows("SELECT 1 FROM people WHERE name = ? AND revoked = 0", name):
                raise UsageError(f"{name!r} was invited already; revoke them first for a new link")
            self._db.execute(
                "INSERT OR REPLACE INTO people VALUES (?, ?, ?, 0, 0)", (name, role, _hash(token))
            )
            self.note(name, "invited", role=role)
        return token

    def new_link(self, name: str) -> str:
        """Return a new token of somebody who was invited; their older link ends. Raises
        `UsageError` for somebody who is not there.
        """
        token = secrets.token_urlsafe(24)
        update = "UPDATE people SET token = ? WHERE name = ? AND revoked = 0"
        with self.transaction():
            if self._db.execute(update, (_hash(token), name)).rowcount:
                self.note(name, "new link")
                return token
        raise UsageError(f"{name!r}: nobody of this name was invited")

    def revoke(self, name: str) -> None:
        """Make a link useless. Raises `UsageError` for somebody who is not there."""
        with self.transaction():
            if self._db.execute("UPDATE people SET revoked = 1 WHERE name = ?", (name,)).rowcount:
                self.note(name, "revoked")
                return
        raise UsageError(f"{name!r}: nobody of this name was invited")

    def find(self, token: str) -> Person | None:
        """Whose token it is; None for one that is unknown or revoked."""
        return next(iter(self._people("WHERE token = ? AND revoked = 0", _hash(token))), None)

    def people(self) -> list[Person]:
        """Everybody who was ever invited, by name."""
        return self._people("ORDER BY name")

    def sign_of_life(self, name: str) -> None:
        """Note that somebody is at work now, to the minute."""
        now = time.time()
        if self._people("WHERE name = ? AND seen < ?", name, now - 60):
            self._rows("UPDATE people SET seen = ? WHERE name = ?", now, name)

    def mac(self, *words: object) -> str:
        """An unguessable name that only this file can make: 32 hexadecimal digits."""
        text = "\n".join(str(word) for word in words).encode()
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:32]

    @cached_property
    def _secret(self) -> bytes:
        """The key of `mac`. On another machine than the one that made it, a new one is made: open
        pages must then be loaded again, and nothing else changes.
        """
        inside = self.meta(_SECRET)
        if inside:
            return bytes.fromhex(inside)
        name = self.meta(_SECRET_NAME)
        secret = private.secret_here(name)
        if secret is None:
            secret = private.keep_secret(name, private.new_secret())
        return bytes.fromhex(secret)

    def _move_secret(self) -> None:
        """Take the secret of an older file out of it, so that the file can be handed on."""
        name = private.new_name()
        private.keep_secret(name, self.meta(_SECRET))
        with self.transaction():
            self._db.execute("PRAGMA secure_delete=ON")
            self.set_meta(_SECRET_NAME, name)
            self._db.execute("DELETE FROM meta WHERE name = ?", (_SECRET,))
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def get(self, item: str) -> Item:
        """The newest version. Raises `UsageError` where there is no item of this id."""
        for record in self._items(f"{_ITEM} WHERE id = ?", item):
            return record
        raise UsageError(f"{item!r}: there is nothing of this id in {self.path.parent.name}")

    def all(self, kind: str, *, owner: str | None = None, state: str | None = None) -> list[Item]:
        """All items of a kind, of an owner or in a state where these are named, by place."""
        named = {"kind": kind, "owner": owner, "state": state}
        given = {column: value for column, value in named.items() if value is not None}
        where = " AND ".join(f"{column} = ?" for column in given)
        return list(self._items(f"{_ITEM} WHERE {where} ORDER BY place, id", *given.values()))

    def add(
        self, item: str, kind: str, data: JsonMapping, who: str, *,
        owner: str = "", state: str = "",
    ) -> Item:  # fmt: skip
        """Make an item, behind all others of its kind. Raises `UsageError` for an id in use."""
        with self.transaction():
            if self._rows("SELECT 1 FROM items WHERE id = ?", item):
                raise UsageError(f"{item!r}: there is something of this id; choose another one")
            last = "SELECT coalesce(max(place), -1) FROM items WHERE kind = ?"
            place = int(self._rows(last, kind)[0][0]) + 1
            self._write(Item(item, kind, owner, state, place, 1, data))
            self._log(Act(who, "added"), item, 1, ({}, data))
        return self.get(item)

    def change(
        self, item: str, version: int, data: JsonMapping, act: Act, *,
        owner: str | None = None, state: str | None = None,
    ) -> Item:  # fmt: skip
        """Replace an item's data (and its owner and state, where named). Raises `Conflict` where
        `version` is not the newest; the words of who came too late stay in the events. The same
        nonce again changes nothing; one of another item or person is a `UsageError`.
        """
        with self.transaction():
            known = self.get(item)
            sent = self._rows("SELECT item, who FROM events WHERE nonce = ?", act.nonce)
            if act.nonce and sent:
                if sent[0] != (item, act.who):
                    raise UsageError(f"{item!r}: this nonce is that of another change")
                return known
            fields = _difference(known.data, data)
            if version == known.version:
                changed = known._replace(
                    version=version + 1,
                    data=data,
                    owner=known.owner if owner is None else owner,
                    state=known.state if state is None else state,
                )
                self._write(changed)
                self._log(act, item, version + 1, fields)
                return changed
            refused = Act(act.who, "refused", f"{act.what}: {act.note}")
            self._log(refused, item, known.version, fields)
        raise Conflict(known)

    def was_sent(self, who: str, nonce: str) -> bool:
        """Return whether a change with this nonce of this person is in the file already."""
        rows = self._rows("SELECT 1 FROM events WHERE nonce = ? AND who = ?", nonce, who)
        return bool(nonce) and bool(rows)

    def rename(self, item: str, new: str, who: str) -> None:
        """Give an item another id, in its data (``id``) and its events, too: the old one is nowhere
        in the file any more. Raises `UsageError` for an id that is taken or not there.
        """
        with self.transaction():
            known = self.get(item)
            if self._rows("SELECT 1 FROM items WHERE id = ?", new):
                raise UsageError(f"{new!r}: there is something of this id; choose another one")
            self._db.execute("PRAGMA secure_delete=ON")
            self._db.execute("DELETE FROM items WHERE id = ?", (item,))
            self._write(known._replace(id=new, data={**known.data, "id": new}))
            named = f"{_EVENT} WHERE item = ?1 OR instr(after, ?2)"
            for label, *row, _ in self._rows(named, item, orjson.dumps(item).decode() + ":"):
                row[3] = new if row[3] == item else row[3]
                for place in (5, 6):
                    fields = orjson.loads(row[place])
                    for lists in fields.values():  # a release: it is no sample of ours any more
                        if isinstance(lists, dict):
                            lists.pop(item, None)
                    fields |= {"id": new} if fields.get("id") == item else {}
                    row[place] = orjson.dumps(fields).decode()
                self._db.execute(
                    "UPDATE events SET item = ?, before = ?, after = ?, crc = ? WHERE number = ?",
                    (row[3], row[5], row[6], _crc(row), label.partition(" ")[2]),
                )
            self.note(who, "renamed", new)
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def note(self, who: str, what: str, item: str = "", **facts: Any) -> None:
        """An event that changes no item: an export, a link that was made."""
        with self.transaction():
            self._log(Act(who, what), item, 0, ({}, facts))

    def events(self, item: str | None = None) -> Iterator[Event]:
        """What happened (to one item), oldest first."""
        where, values = ("", ()) if item is None else (" WHERE item = ?", (item,))
        for row in self._sound(f"{_EVENT}{where} ORDER BY number", *values):
            *head, before, after, note, _ = row
            yield Event._make((*head, orjson.loads(before), orjson.loads(after), note))

    def meta(self, name: str) -> str:
        """A text that belongs to the whole file; "" where there is none."""
        rows = self._rows("SELECT value FROM meta WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def set_meta(self, name: str, value: str) -> None:
        self._rows("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several changes at once, all or none; on the disk when the outermost block ends."""
        with self._lock, self._named_errors():
            inner = self._db.in_transaction
            with nullcontext() if inner else sqlite.transaction(self._db):
                yield

    def read_only(self, path: Path) -> None:
        """Refuse every further change; errors name `path`, of which this file is a copy."""
        with self._lock:
            self._db.execute("PRAGMA query_only=ON")
            self.path = path

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _write(self, item: Item) -> None:
        row = (*item[:6], orjson.dumps(item.data).decode())
        self._db.execute("INSERT OR REPLACE INTO items VALUES (?,?,?,?,?,?,?,?)", (*row, _crc(row)))

    def _log(self, act: Act, item: str, version: int, fields: _Fields) -> None:
        texts = [orjson.dumps(part).decode() for part in fields]
        row = (time.time(), act.who, act.what, item, version, *texts, act.note, act.nonce)
        self._db.execute(
            "INSERT INTO events (at, who, what, item, version, before, after, note, nonce, crc) "
            "VALUES (?,?,?,?,?,?,?,?,?,?)",
            (*row, _crc(row)),
        )

    def _people(self, where: str, *values: object) -> list[Person]:
        query = f"SELECT name, role, revoked <> 0, seen FROM people {where}"
        return [Person._make(row) for row in self._rows(query, *values)]

    def _items(self, query: str, *values: object) -> Iterator[Item]:
        for row in self._sound(query, *values):
            yield Item._make([*row[:6], orjson.loads(row[6])])

    def _sound(self, query: str, *values: object) -> Iterator[list[Any]]:
        """The rows of `_ITEM` or `_EVENT` whose checksum fits; others are named in `problems`."""
        for label, *row, crc in self._rows(query, *values):
            line = f"{self.path.name}: {label} is damaged; it is left out"
            if crc == _crc(row):
                yield row
            elif line not in self.problems:
                self.problems.append(line)

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._lock, self._named_errors():
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise RunError(
                f"{self.path}: cannot be read or written ({error}); make room or rights, or put a "
                f"copy of the file back"
            ) from error


def check_pseudonym(name: str) -> None:
    """Raise `UsageError` for a name that should not stand in a file that is handed on."""
    if not name.isprintable() or not 0 < len(name.strip()) <= 60 or set(name) & set("@:/"):
        raise UsageError(
            f"{name!r}: wanted a pseudonym of 1 to 60 letters, without @, colon and slash"
        )


def _connected(path: Path) -> sqlite3.Connection:
    """A connection to a file that may come from anybody."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise sqlite3.DatabaseError("not a regular file")
    locks.need(path.parent)
    db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    for setting in ("trusted_schema=OFF", "journal_mode=WAL", "synchronous=FULL"):
        db.execute(f"PRAGMA {setting}")
    return db


def _difference(before: JsonMapping, after: JsonMapping) -> _Fields:
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {n: before.get(n) for n in names}, {n: after.get(n) for n in names}


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _crc(row: Iterable[object]) -> int:
    return zlib.crc32(repr(tuple(row)).encode("utf-8", "backslashreplace"))

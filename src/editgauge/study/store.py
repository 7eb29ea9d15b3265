"""A study in progress: one SQLite file with its design, its annotators, tasks, answers and trail.

``synchronous=FULL``: an answer that was acknowledged is on the disk. Tokens of personal links are
kept as hashes only. Every task belongs to one annotator; an answer is written together with the
state of its task and a checksum of both in one transaction, and the same answer sent twice is
acknowledged twice and kept once. An answer that does not fit its checksum counts no longer.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import orjson

from editgauge.errors import RunError, UsageError
from editgauge.escape import plain
from editgauge.store.owner import ANYONE, Owner
from editgauge.store.sqlite import claim, need_files, strange
from editgauge.study.assignment import Task
from editgauge.study.design import Design, of_text, stored_text

FORMAT = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS annotators (
  id INTEGER PRIMARY KEY, pseudonym TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE,
  revoked INTEGER NOT NULL DEFAULT 0, seen REAL NOT NULL);
CREATE TABLE IF NOT EXISTS tasks (
  id INTEGER PRIMARY KEY, annotator INTEGER NOT NULL REFERENCES annotators(id),
  place INTEGER NOT NULL, kind TEXT NOT NULL, sample TEXT NOT NULL, editors TEXT NOT NULL,
  unit TEXT NOT NULL, repeat INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS tasks_of ON tasks (annotator, done, place);
CREATE TABLE IF NOT EXISTS answers (
  id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES tasks(id), nonce TEXT NOT NULL,
  payload TEXT NOT NULL, seconds REAL NOT NULL, at REAL NOT NULL,
  undone INTEGER NOT NULL DEFAULT 0, UNIQUE (task, nonce));
CREATE UNIQUE INDEX IF NOT EXISTS one_answer ON answers (task) WHERE undone = 0;
CREATE TABLE IF NOT EXISTS checks (answer INTEGER PRIMARY KEY, mark INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS trail (
  id INTEGER PRIMARY KEY, at REAL NOT NULL, annotator INTEGER, event TEXT NOT NULL,
  task INTEGER, detail TEXT NOT NULL DEFAULT '');
"""


class Annotator(NamedTuple):
    """Somebody who rates: number, pseudonym, and whether the link was revoked."""

    id: int
    pseudonym: str
    revoked: bool


class Open(NamedTuple):
    """A task as the page needs it."""

    id: int
    annotator: int
    kind: str
    sample: str
    editors: tuple[str, ...]
    repeat: int


class Answer(NamedTuple):
    """An answer that counts, with the task it is of."""

    task: Open
    pseudonym: str
    payload: Mapping[str, Any]
    seconds: float
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """An answer as it arrives: `nonce` is made by the page, once for each answer."""

    annotator: int
    task: int
    nonce: str
    payload: Mapping[str, Any]
    seconds: float


class Progress(NamedTuple):
    """How far one annotator is."""

    pseudonym: str
    revoked: bool
    done: int
    total: int
    checks_passed: int
    checks_failed: int
    seconds: float
    """The median time of an answer; 0 without any."""


def hash_of(token: str) -> str:
    """What is kept of a token: 256 random bits need no salt."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class StudyStore:
    """A context manager; every method may be called from any thread. Raises `RunError` when the
    file cannot be used, or is of another run than its `owner`.
    """

    def __init__(self, path: Path, owner: Owner = ANYONE) -> None:
        self.path = path
        self.damaged: list[str] = []
        """What `answers` had to leave out, a line each."""
        self._locks = {name: threading.Lock() for name in ("kept", "quick", "read")}
        self._inside = threading.local()
        """The connection of the transaction that this thread is in, if it is in one."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._kept, self._quick, self._read = (_connected(path) for _ in range(3))
            self._kept.execute("PRAGMA journal_mode=WAL")
            self._kept.execute("PRAGMA synchronous=FULL")
            # what is only shown needs no flush of the disk: no answer depends on it
            self._quick.execute("PRAGMA synchronous=NORMAL")
            self._kept.executescript(_TABLES)
            self._kept.execute("INSERT OR IGNORE INTO meta VALUES ('format', ?)", (str(FORMAT),))
            claim(self._kept, path, owner)
            secret = secrets.token_hex(32)
            self._kept.execute("INSERT OR IGNORE INTO meta VALUES ('secret', ?)", (secret,))
        except (sqlite3.Error, OSError) as error:
            raise RunError(
                f"{path}: the study cannot be used ({error}); make room or rights"
            ) from error
        if self.meta("format") != str(FORMAT):
            raise RunError(f"{path}: study format {self.meta('format')!r}, wanted {FORMAT}")
        try:
            self.secret = bytes.fromhex(str(self.meta("secret")))
        except ValueError as error:
            raise RunError(f"{path}: damaged (its secret is none); bring a copy of it") from error

    # -- making one --------------------------------------------------------------------------------

    def create(self, design: Design, pseudonyms: Sequence[str], tasks: Iterable[Task]) -> list[str]:
        """Write a new study; returns the annotators' tokens, which are not kept.

        Raises `UsageError` when a study is there already, or a pseudonym is none.
        """
        check_pseudonyms(pseudonyms)
        with self._writing():
            if self.meta("design") is not None:
                raise UsageError(
                    f"{self.path.stem}: this study was started already; give a new one another name"
                )
            self._set("design", stored_text(design))
            tokens = [self._add(name) for name in pseudonyms]
            ids = [row[0] for row in self._all("SELECT id FROM annotators ORDER BY id")]
            for task in tasks:
                self._insert(ids[task.annotator], task)
            self._note(None, "started", None, f"{len(ids)} annotators")
        return tokens

    def invite(self, pseudonym: str) -> str:
        """Add an annotator without tasks (who takes over what others leave); returns the token."""
        check_pseudonyms([pseudonym])
        if self._all("SELECT 1 FROM annotators WHERE pseudonym = ?", pseudonym):
            raise UsageError(f"annotator {plain(pseudonym)!r} is there already; see: study status")
        with self._writing():
            token = self._add(pseudonym)
            self._note(None, "invited", None, pseudonym)
        return token

    def revoke(self, pseudonym: str) -> int:
        """Make a link useless and give its open tasks to others; returns how many were moved.

        Answers stay. Raises `UsageError` for a pseudonym that is not there.
        """
        found = self._all("SELECT id FROM annotators WHERE pseudonym = ?", pseudonym)
        if not found:
            there = [item.pseudonym for item in self.annotators()]
            raise UsageError(
                f"annotator {plain(pseudonym)!r} is not in this study; there are: "
                f"{', '.join(there)}"
            )
        with self._writing():
            self._db.execute("UPDATE annotators SET revoked = 1 WHERE id = ?", (found[0][0],))
            self._note(found[0][0], "revoked", None)
            return self._hand_over(found[0][0])

    def _insert(self, annotator: int, task: Task) -> None:
        unit = "\n".join((task.sample, *sorted(task.editors)))
        editors = orjson.dumps(task.editors).decode()
        self._db.execute(
            "INSERT INTO tasks (annotator, place, kind, sample, editors, unit, repeat) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (annotator, task.place, task.kind, task.sample, editors, unit, task.repeat),
        )

    def _add(self, pseudonym: str) -> str:
        token = secrets.token_urlsafe(32)
        self._db.execute(
            "INSERT INTO annotators (pseudonym, token, seen) VALUES (?, ?, ?)",
            (pseudonym, hash_of(token), time.time()),
        )
        return token

    # -- reading -----------------------------------------------------------------------------------

    @property
    def design(self) -> Design:
        """The study's design. Raises `RunError` for a file in which no study was started, and for
        a design that is damaged.
        """
        text = self.meta("design")
        if text is None:
            raise RunError(f"{self.path}: no study was started here; see: editgauge study start")
        try:
            return of_text(text)
        except ValueError as error:
            raise RunError(f"{self.path}: its design is damaged ({error})") from error

    def annotators(self) -> list[Annotator]:
        rows = self._all("SELECT id, pseudonym, revoked FROM annotators ORDER BY id")
        return [Annotator(number, name, bool(revoked)) for number, name, revoked in rows]

    def annotator_of(self, token: str) -> Annotator | None:
        """Whose token it is; None for one that is unknown or revoked."""
        rows = self._all(
            "SELECT id, pseudonym, revoked FROM annotators WHERE token = ? AND revoked = 0",
            hash_of(token),
        )
        return Annotator(rows[0][0], rows[0][1], False) if rows else None

    def task(self, number: int, annotator: int) -> Open | None:
        """One of the annotator's own tasks, or None."""
        rows = self._all(f"{_OPEN} WHERE id = ? AND annotator = ?", number, annotator)
        return _open(rows[0]) if rows else None

    def counts(self, annotator: int) -> tuple[int, int]:
        """Tasks done, and all tasks of the annotator."""
        done, total = self._all(
            "SELECT coalesce(sum(done), 0), count(*) FROM tasks WHERE annotator = ?", annotator
        )[0]
        return int(done), int(total)

    def previous(self, task: int) -> Mapping[str, Any] | None:
        """The answer that was undone last, to start from; None where there is none."""
        rows = self._all(
            "SELECT payload FROM answers WHERE task = ? AND undone = 1 ORDER BY id DESC LIMIT 1",
            task,
        )
        return orjson.loads(rows[0][0]) if rows else None

    def answers(self) -> Iterator[Answer]:
        """Every answer that counts, in the order in which they were given. One that is damaged is
        left out and named in `damaged`.
        """
        rows = self._all(
            f"SELECT a.id, c.mark, {_ANSWERED} LEFT JOIN checks c ON c.answer = a.id "
            "WHERE a.undone = 0 ORDER BY a.id"
        )
        for number, mark, *row in rows:
            answer = _answer(row) if mark is None or mark == _mark(row) else None
            if answer is not None:
                yield answer
                continue
            said = f"{self.path.name}: answer {number} is damaged; left out"
            if said not in self.damaged:
                self.damaged.append(said)

    def progress(self) -> list[Progress]:
        """How far everybody is."""
        times: dict[str, list[float]] = {}
        passed: dict[str, list[int]] = {}
        for answer in self.answers():
            times.setdefault(answer.pseudonym, []).append(answer.seconds)
            if answer.task.kind == "check":
                both = passed.setdefault(answer.pseudonym, [0, 0])
                both[0 if answer.payload.get("passed") else 1] += 1
        found = []
        for item in self.annotators():
            done, total = self.counts(item.id)
            mine = sorted(times.get(item.pseudonym, [0.0]))
            checks = passed.get(item.pseudonym, [0, 0])
            found.append(
                Progress(
                    item.pseudonym,
                    item.revoked,
                    done,
                    total,
                    checks[0],
                    checks[1],
                    mine[len(mine) // 2],
                )
            )
        return found

    def missing(self) -> int:
        """How many ratings of samples are still to come."""
        return int(self._all("SELECT count(*) FROM tasks WHERE done = 0 AND kind = 'sample'")[0][0])

    def trail(self) -> list[tuple[float, int | None, str, int | None, str]]:
        """Who did what and when: time, annotator, event, task, detail."""
        rows = self._all("SELECT at, annotator, event, task, detail FROM trail ORDER BY id")
        return [(at, who, event, task, detail) for at, who, event, task, detail in rows]

    def meta(self, name: str) -> str | None:
        rows = self._all("SELECT value FROM meta WHERE name = ?", name)
        return None if not rows else str(rows[0][0])

    # -- working -----------------------------------------------------------------------------------

    def next(self, annotator: int, *, return_after: float = 0.0) -> Open | None:
        """The annotator's next open task, or None when there is nothing left for them.

        Who is finished takes over open samples of annotators that gave no sign of life for
        `return_after` seconds (0: never), unless they have rated the sample themselves.
        """
        with self._writing(flushed=False):
            self._db.execute(
                "UPDATE annotators SET seen = ? WHERE id = ?", (time.time(), annotator)
            )
            found = self._first(annotator)
            if found is None and return_after:
                self._take_over(annotator, return_after)
                found = self._first(annotator)
            if found is not None:
                self._note(annotator, "shown", found.id)
            return found

    def submit(self, sent: Sequence[Sent]) -> list[str]:
        """Write answers in one transaction; returns for each ``ok``, ``conflict`` (the task has
        another answer already) or ``unknown`` (no task of this annotator).

        An answer that was written before, by its nonce, is ``ok`` again. When this returns, the
        answers are on the disk.
        """
        with self._writing():
            return [self._write(item) for item in sent]

    def undo(self, annotator: int) -> int | None:
        """Take the annotator's last answer back; returns its task, or None where there is none.

        The answer stays in the file as undone.
        """
        with self._writing():
            rows = self._all(
                "SELECT a.id, a.task FROM answers a JOIN tasks t ON t.id = a.task "
                "WHERE t.annotator = ? AND a.undone = 0 ORDER BY a.id DESC LIMIT 1",
                annotator,
            )
            if not rows:
                return None
            answer, task = rows[0]
            self._db.execute("UPDATE answers SET undone = 1 WHERE id = ?", (answer,))
            self._db.execute("UPDATE tasks SET done = 0 WHERE id = ?", (task,))
            self._note(annotator, "undone", task)
            return int(task)

    def mac(self, *words: object) -> str:
        """An unguessable name for something, which only this study can make: 32 hexadecimal
        digits.
        """
        text = "\n".join(str(word) for word in words).encode()
        return hmac.new(self.secret, text, hashlib.sha256).hexdigest()[:32]

    def close(self) -> None:
        with self._locks["kept"], self._locks["quick"], self._locks["read"]:
            for db in (self._kept, self._quick, self._read):
                db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.close()

    def _first(self, annotator: int) -> Open | None:
        rows = self._all(
            f"{_OPEN} WHERE annotator = ? AND done = 0 ORDER BY place, id LIMIT 1", annotator
        )
        return _open(rows[0]) if rows else None

    def _write(self, item: Sent) -> str:
        rows = self._all(
            "SELECT done FROM tasks WHERE id = ? AND annotator = ?", item.task, item.annotator
        )
        if not rows:
            return "unknown"
        known = self._all(
            "SELECT undone FROM answers WHERE task = ? AND nonce = ?", item.task, item.nonce
        )
        if known:
            return "ok" if not known[0][0] else "conflict"
        if rows[0][0]:
            return "conflict"
        self._db.execute(
            "INSERT INTO answers (task, nonce, payload, seconds, at) VALUES (?, ?, ?, ?, ?)",
            (
                item.task,
                item.nonce,
                orjson.dumps(dict(item.payload)).decode(),
                item.seconds,
                time.time(),
            ),
        )
        written = self._all(f"SELECT {_ANSWERED} WHERE a.task = ? AND a.undone = 0", item.task)[0]
        self._db.execute(
            "INSERT OR REPLACE INTO checks SELECT id, ? FROM answers WHERE task = ? AND undone = 0",
            (_mark(written), item.task),
        )
        self._db.execute("UPDATE tasks SET done = 1 WHERE id = ?", (item.task,))
        self._note(item.annotator, "answered", item.task, f"{item.seconds:.1f} s")
        return "ok"

    def _take_over(self, annotator: int, return_after: float) -> None:
        gone = self._all(
            "SELECT t.id FROM tasks t JOIN annotators n ON n.id = t.annotator "
            "WHERE t.done = 0 AND t.kind = 'sample' AND n.id != ? AND n.seen < ? AND t.unit NOT IN "
            "(SELECT unit FROM tasks WHERE annotator = ? AND kind = 'sample') "
            "ORDER BY t.id LIMIT 1",
            annotator,
            time.time() - return_after,
            annotator,
        )
        for (task,) in gone:
            self._move(task, annotator)

    def _hand_over(self, annotator: int) -> int:
        """Open samples of one annotator to the others, each to whoever has the fewest open ones."""
        moved = 0
        tasks = self._all(
            "SELECT id, unit, kind FROM tasks WHERE annotator = ? AND done = 0", annotator
        )
        for task, unit, kind in tasks:
            if kind != "sample":
                self._db.execute("DELETE FROM tasks WHERE id = ?", (task,))
                continue
            rows = self._all(
                "SELECT n.id FROM annotators n LEFT JOIN tasks t ON t.annotator = n.id AND "
                "t.kind = 'sample' WHERE n.revoked = 0 AND n.id != ? AND NOT EXISTS (SELECT 1 FROM "
                "tasks u WHERE u.annotator = n.id AND u.unit = ? AND u.kind = 'sample') "
                "GROUP BY n.id ORDER BY count(t.id), n.id LIMIT 1",
                annotator,
                unit,
            )
            if rows:
                self._move(task, rows[0][0])
                moved += 1
        return moved

    def _move(self, task: int, annotator: int) -> None:
        last = self._all(
            "SELECT coalesce(max(place), -1) + 1 FROM tasks WHERE annotator = ?", annotator
        )[0][0]
        self._db.execute(
            "UPDATE tasks SET annotator = ?, place = ? WHERE id = ?", (annotator, last, task)
        )
        self._note(annotator, "taken over", task)

    def _note(self, annotator: int | None, event: str, task: int | None, detail: str = "") -> None:
        self._db.execute(
            "INSERT INTO trail (at, annotator, event, task, detail) VALUES (?, ?, ?, ?, ?)",
            (time.time(), annotator, event, task, detail),
        )

    def _set(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    @property
    def _db(self) -> sqlite3.Connection:
        """The connection of the transaction that this thread is in."""
        found: sqlite3.Connection = self._inside.db
        return found

    def _all(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a statement finds: inside a transaction, or else what was committed last."""
        with _told(self.path):
            if getattr(self._inside, "db", None) is not None:
                return self._db.execute(statement, values).fetchall()
            with self._locks["read"]:  # held for microseconds: nobody writes through it
                return self._read.execute(statement, values).fetchall()

    @contextmanager
    def _writing(self, *, flushed: bool = True) -> Iterator[None]:
        """A transaction; it is on the disk when the block ends, unless it needs not be `flushed`
        (then a crash of the machine, not of the program, may take it back).
        """
        name, db = ("kept", self._kept) if flushed else ("quick", self._quick)
        with self._locks[name], _told(self.path):
            self._inside.db = db
            try:
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield
                except BaseException:
                    db.execute("ROLLBACK")
                    raise
                db.execute("COMMIT")
            finally:
                self._inside.db = None


def _connected(path: Path) -> sqlite3.Connection:
    """A connection to the study's file, which may come from anybody: see `store.sqlite`."""
    need_files(path)
    db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA trusted_schema=OFF")
    db.execute("PRAGMA foreign_keys=ON")
    if odd := strange(db):
        db.close()
        raise sqlite3.DatabaseError(f"it holds a {odd}, which is none of ours")
    return db


_OPEN = "SELECT id, annotator, kind, sample, editors, repeat FROM tasks"
_ANSWERED = (
    "t.id, t.annotator, t.kind, t.sample, t.editors, t.repeat, n.pseudonym, "
    "a.payload, a.seconds, a.at FROM answers a JOIN tasks t ON t.id = a.task "
    "JOIN annotators n ON n.id = t.annotator"
)


def _open(row: Sequence[Any]) -> Open:
    """A task. Raises `RunError` where it is damaged."""
    try:
        editors = orjson.loads(row[4])
    except ValueError:
        editors = None
    texts = (*row[2:4], *editors) if isinstance(editors, list) else (None,)
    if not all(isinstance(text, str) for text in texts) or not isinstance(row[5], int):
        raise RunError(f"task {row[0]} of the study is damaged; bring a copy of its file")
    return Open(row[0], row[1], row[2], row[3], tuple(editors), row[5])


def _answer(row: Sequence[Any]) -> Answer | None:
    """An answer; None for one that is damaged."""
    try:
        task, payload = _open(row[:6]), orjson.loads(row[7])
    except (ValueError, RunError):
        return None
    times = all(isinstance(value, float) for value in row[8:10])
    if not isinstance(payload, dict) or not isinstance(row[6], str) or not times:
        return None
    return Answer(task, row[6], payload, row[8], row[9])


def _mark(row: Sequence[Any]) -> int:
    """The checksum of an answer and of what it answers."""
    return zlib.crc32(repr(tuple(row)).encode("utf-8", "backslashreplace"))


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise RunError(
            f"{path}: the study cannot be read or written ({error}); make room or rights"
        ) from error


def check_pseudonyms(names: Sequence[str]) -> None:
    """Raise `UsageError` for names that are no pseudonyms, or named twice."""
    for name in names:
        if not name or len(name) > 60 or "@" in name or ":" in name or plain(name) != name:
            raise UsageError(
                f"annotator {plain(name)!r}: wanted a pseudonym of 1 to 60 letters, no @ or colon"
            )
    if len(set(names)) != len(names):
        raise UsageError("an annotator is named twice")

"""What is proven of a file of paid replies that is damaged: read, merged, and written anew. It is
the file that cost money: one bad page costs the replies that lie on it, and no others.
"""

from __future__ import annotations

import contextlib
import math
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from editgauge.errors import RunError
from editgauge.store import journal, leaves, paths, schema, sqlite
from editgauge.store.paid import Call, Paid, State, Totals
from editgauge.types import JsonObject

_STATES = frozenset(get_args(State))
_LOST = "stood in a part of the ledger that is damaged; its amount is of the sums"
_CENT = 0.01
"""Dollars that the calls of a purpose may lack before a lost one is booked in their place."""


@dataclass(slots=True)
class _Proven:
    """What stands its checksum, by row id: the newest of a name counts. `totals`: what the file
    says of the sums, unproven.
    """

    replies: set[tuple[int, tuple[Any, ...]]] = field(default_factory=set)
    notes: set[tuple[int, tuple[Any, ...]]] = field(default_factory=set)
    calls: dict[int, Call] = field(default_factory=dict)
    wrong_calls: set[int] = field(default_factory=set)
    totals: dict[str, Totals] = field(default_factory=dict)


def reading(file: Path) -> tuple[Paid, list[str]]:
    """Return the replies of a file that only is read, and what of it is damaged, in words: where it
    is, all that is proven of it, in memory. Raises `RunError` where it is no file of replies.
    """
    try:
        paid = Paid(file)
        try:
            paid.need_sound_pages()
        except BaseException:
            paid.close()
            raise
    except sqlite.Damaged as error:
        proven, lost = salvaged(file)
        return proven, [sqlite.reason(error), *lost]
    return paid, []


def salvaged(file: Path) -> tuple[Paid, list[str]]:
    """Return all replies, notes and calls of a file that are proven, in memory; and what is lost,
    in words. Raises `RunError` where it cannot be read.
    """
    data = paths.read(file, limit=paths.LARGEST)
    images = journal.applied(data, file)
    proven = _Proven()
    for image in images:
        _take(image, proven)
    lost = _told_lost(images[0], proven)
    paid = Paid(None)
    with paid.transaction():
        tables: tuple[tuple[Literal["replies", "notes"], set[tuple[int, tuple[Any, ...]]]], ...]
        tables = ("replies", proven.replies), ("notes", proven.notes)
        for table, records in tables:
            for _, record in sorted(records):
                paid.restore(table, record)
        lost += _restore_calls(paid, proven)
    return paid, lost


def _take(image: bytes, proven: _Proven) -> None:
    for row, values in leaves.records(image):
        if len(values) == 3 and schema.stands("replies", values):
            proven.replies.add((row, values))
        elif len(values) == 3 and schema.stands("notes", values):
            proven.notes.add((row, values))
        elif len(values) in (9, 10) and values[0] is None:
            _take_call(row, values, proven)
        elif len(values) == 4 and isinstance(values[0], str):
            with contextlib.suppress(TypeError, ValueError, OverflowError):
                totals = Totals(float(values[1]), float(values[2]), int(values[3]))
                if all(map(math.isfinite, totals)):
                    proven.totals[values[0]] = totals


def _take_call(row: int, values: tuple[Any, ...], proven: _Proven) -> None:
    """Take a call that is what was written; one of an earlier version where it can be one."""
    _, purpose, key, model, state, most, billed, at, note, *marks = values
    texts = all(isinstance(text, str) for text in (purpose, key, model, note))
    numbers = all(isinstance(one, int | float) for one in (most, at))
    if not (texts and numbers and isinstance(billed, int | float | None)):
        return
    if state not in _STATES or most < 0 or (billed is not None) != (state == "billed"):
        proven.wrong_calls.add(row)
        return
    call = Call(
        id=row,
        purpose=purpose,
        key=key,
        model=model,
        state=state,
        most=float(most),
        billed=None if billed is None else float(billed),
        at=float(at),
        note=note,
        booked=0.0,
        mark=marks[0] if marks else None,
    )
    if call.is_sound:
        proven.calls[row] = call
    else:
        proven.wrong_calls.add(row)


def _told_lost(image: bytes, proven: _Proven) -> list[str]:
    """Say which replies are lost, by the index of their keys, where that can be read."""
    try:
        with contextlib.closing(sqlite3.connect(":memory:")) as broken:
            broken.deserialize(image[:18] + b"\1\1" + image[20:])
            query = "SELECT rowid, key FROM replies INDEXED BY sqlite_autoindex_replies_1"
            named = dict(broken.execute(query).fetchall())
    except (*sqlite.FAULTS, OverflowError):
        return ["how many replies are lost is not known: the list of their keys is damaged, too"]
    kept = {row for row, _ in proven.replies}
    lost = [str(key) for row, key in sorted(named.items()) if row not in kept]
    if not lost:
        return []
    more = "" if len(lost) <= 3 else ", …"
    return [f"{len(lost)} of {len(named)} replies are lost ({', '.join(lost[:3])}{more})"]


def _restore_calls(paid: Paid, proven: _Proven) -> list[str]:
    """Write the proven calls, and one call for each purpose whose sums have more: a budget counts
    what was spent, also where nobody can say on what.
    """
    for number in sorted(proven.calls):
        paid.restore_call(proven.calls[number])
    last = max((*proven.calls, *proven.wrong_calls), default=0)
    lost = last - len(proven.calls)
    known: defaultdict[str, int] = defaultdict(int)
    for call in proven.calls.values():
        known[call.purpose] += call.state != "released"
    words = []
    for purpose, totals in sorted(proven.totals.items()):
        missing = totals.booked - paid.totals(purpose).booked
        if missing > _CENT and (lost or totals.calls > known[purpose]):
            words.append(f"${missing:.2f} of {purpose!r} stay booked for calls that are lost")
            last += 1
            call = Call(
                id=last,
                purpose=purpose,
                key="",
                model="",
                state="kept",
                most=missing,
                billed=None,
                at=time.time(),
                note=_LOST,
                booked=missing,
            )
            paid.restore_call(call)
    return [f"{lost} calls of the ledger are lost", *words] if lost else words


def rewrite(file: Path) -> None:
    """Put a sound file with all that is proven into the place of a damaged one, which is kept
    beside it. Raises `RunError` where that cannot be written.
    """
    paid, _ = salvaged(file)
    with contextlib.closing(paid):
        sqlite.put_anew(file, paid.image())


def merge(sources: Sequence[Path], target: Path) -> tuple[int, list[str]]:
    """Copy the replies whose keys the target has not, and what was learned about services: how they
    want to be asked, who answered, which batches and jobs are under way (with what is booked for
    them). How many replies, and what could not be taken.
    """
    there = [path for path in sources if path.exists()]
    taken, problems = 0, list[str]()
    with Paid(target if there else None) as ours:
        for path in there:
            try:
                theirs, lost = reading(path)
                with theirs, ours.transaction():
                    if damaged := len(theirs.damaged()):
                        lost.append(f"{damaged} replies are damaged; not taken")
                    _take_notes(theirs, ours)
                    new = {k: one for k, one in _named(theirs, ours) if ours.get(k) is None}
                    for key, reply in new.items():
                        ours.put(key, reply)
            except RunError as error:
                problems.append(f"the reply store was not merged ({error})")
                continue
            taken += len(new)
            problems += [f"{path.parent.name}: {path.name}: {text}" for text in lost]
    return taken, problems


def _take_notes(theirs: Paid, ours: Paid) -> None:
    """Copy the notes whose names the target has not, and the calls that are still under way."""
    for name in theirs.note_names():
        value = theirs.note(name)
        if value is not None and ours.note(name) is None:
            ours.note(name, value)
    for call in theirs.calls("state = 'sent' AND key != ''"):
        if not ours.calls("key = ? AND purpose = ?", call.key, call.purpose):
            ours.book(call.purpose, call.most, key=call.key, model=call.model)


def _named(theirs: Paid, ours: Paid) -> Iterator[tuple[str, JsonObject]]:
    """Replies with their keys. Another model's than the target knows under that name is kept under
    a key that no question has: two judges are not mixed.
    """
    for key, reply in theirs.replies():
        answered = str(reply.get("answered") or "")
        first = ours.note(f"answered {reply.get('asked', '')}") or answered
        is_other = answered and answered != first and not key.endswith(f" {answered}")
        yield (f"{key} {answered}" if is_other else key), reply

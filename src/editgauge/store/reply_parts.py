"""Judges' replies of a run on a store: handed over in parts, each a small SQLite file that never
changes, so that no two machines write one file.

A part holds the replies that no earlier part has. Parts come from anybody: they are read row by row
(`store.replies.merge`), and never take a reply's place that is there.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import time
from pathlib import Path

from editgauge.errors import RunError
from editgauge.store import lease, paths, replies, segments

FOLDER = "reply-parts"
SUFFIX = ".sqlite"
_STORE = Path("replies") / "replies.sqlite"


def hand_over(run: Path, problems: list[str]) -> Path | None:
    """Write the replies that no part has into a new part; None where there are none. A store that
    cannot be read is named in `problems`.
    """
    try:
        known = {mark for part in _parts(run, problems) for mark in _marks(part, problems)}
        with replies.reading(run / _STORE) as store:
            names = ", ".join(replies.COLUMNS)
            every = store.execute(f"SELECT {names} FROM replies ORDER BY rowid")
            fresh = [one for one in every if (one[0], replies.mark(one)) not in known]
    except FileNotFoundError:
        return None
    except (sqlite3.Error, OSError, RunError) as error:
        segments.note(problems, f"the replies were not handed over ({error})")
        return None
    if not fresh:
        return None
    name = f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(6)}{SUFFIX}"
    sums = [(reply[0], replies.mark(reply)) for reply in fresh]
    holes = ", ".join("?" * len(replies.COLUMNS))
    with lease.scratch(run) as scratch:
        with contextlib.closing(sqlite3.connect(scratch / name)) as part, part:
            for statement in replies.SCHEMA:
                part.execute(statement)
            part.executemany(f"INSERT INTO replies VALUES ({holes})", fresh)
            part.executemany("INSERT INTO checks VALUES (?, ?)", sums)
        paths.put(scratch / name, run, f"{FOLDER}/{name}")
    return run / FOLDER / name


def take_over(run: Path, problems: list[str]) -> int:
    """Copy the replies of all parts that the run's store has not, the newest part first; returns
    how many. A part that is damaged is named in `problems`.
    """
    found = _parts(run, problems)
    return sum(replies.merge(part, run / _STORE, problems) for part in reversed(found))


def _parts(run: Path, problems: list[str]) -> list[Path]:
    found = []
    for name, why in paths.files(run / FOLDER, SUFFIX):
        if why is None:
            found.append(run / FOLDER / name)
        else:
            segments.note(problems, f"{FOLDER}/{name}: {why}; left out")
    return sorted(found)


def _marks(part: Path, problems: list[str]) -> list[tuple[str, int]]:
    try:
        with replies.reading(part) as store:
            return list(replies.marks(store).items())
    except (sqlite3.Error, OSError, RunError) as error:
        segments.note(problems, f"{FOLDER}/{part.name}: cannot be read ({error}); left out")
        return []

"""What is damaged in a run, and its repair: `editgauge check`. A repair writes the run's file anew
from every record that is proven, and keeps the damaged file beside it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import ImageError, RunError
from editgauge.images import fingerprint
from editgauge.store import lease, paths, rebuild, replies, salvage, schema, snapshot, sqlite
from editgauge.store.paid import Paid
from editgauge.store.rows import UNKNOWN
from editgauge.store.run import FILE, PAID, Run, make_file

_ANEW = f"{FILE} is written anew from what stands its checksum; the old file is kept beside it"
_NEWER = "not touched; use the editgauge that wrote them"
_GONE = "not there"
_NOTHING = "made anew, without rows: nothing was left that says any"
_STRANGE = "it has rows that the run has not, and they are not what was written"
_BROUGHT = f"the rows of {snapshot.FILE} are taken into it"
_PAID_ANEW = (
    f"{PAID} is written anew from what stands its checksum; the old file is kept beside it; "
    "editgauge judge asks for the lost replies again, and for no other"
)
_BRING = "not touched: bring a copy of it; without one, editgauge judge pays again for new rows"
_SHOWN = 5
_KEEP = "not touched; remove it, and editgauge score takes it from the data again"
_OUTPUT = (
    "not touched; once it is removed, editgauge edit, or score --outputs, makes it again; score "
    "takes what lies there for the output"
)


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it should be: `place` is a file of the run, `found` what is wrong,
    `repair` what a repair does about it, and what has to be done after that. `by_hand`: a repair
    leaves it alone.
    """

    place: str
    found: str
    repair: str
    by_hand: bool = False


def check(run: Run) -> list[Damage]:
    """Everything that is damaged in a run; changes nothing."""
    with contextlib.closing(Run(run.path)) as fresh:
        fresh.prove()
        for number in fresh.series().values():
            fresh.records(number)
        for name in fresh.described_benchmarks():
            fresh.metrics(name)
        damages = [*_in_pictures(fresh), *_in_paid(fresh)]
        found = (text.removeprefix(f"{FILE}: ").partition("; see:")[0] for text in fresh.problems)
        damages += [_of_file(text) for text in found]
        return damages + list(_elsewhere(fresh))


def _of_file(text: str) -> Damage:
    if UNKNOWN in text:
        return Damage(FILE, text, _NEWER, by_hand=True)
    return Damage(FILE, text, _ANEW)


def repair(run: Run) -> list[Damage]:
    """Repair what can be repaired; returns what was done. Raises `RunError` if it cannot write."""
    damages = [item for item in check(run) if not item.by_hand]
    run.close()
    places = {item.place for item in damages}
    if FILE in places:
        if any(item.repair == _ANEW for item in damages):
            _rewrite(run)
        with contextlib.closing(Run.open(run.path)) as fresh:
            brought = rebuild.complete(fresh)
        damages += [Damage(FILE, text, "done") for text in brought]
    if places & {FILE, snapshot.FILE}:  # it may have rows that are lost
        (run.path / snapshot.FILE).unlink(missing_ok=True)
    if PAID in places:
        replies.rewrite(run.path / PAID)
    lease.sweep(run.path)
    with contextlib.closing(Run.open(run.path)) as fresh:
        fresh.record(
            "check-run", repaired=[f"{item.place}: {item.found}" for item in damages[:100]]
        )
    run.problems.clear()
    return damages


def make_again(folder: Path) -> list[Damage]:
    """Make the file of a run that is gone from what is left of the run (`rebuild`); return what was
    done. Raises `RunError` where it cannot be written.
    """
    make_file(folder)
    with contextlib.closing(Run.open(folder)) as run:
        brought = rebuild.complete(run)
        run.record("check-run", repaired=[f"{FILE}: {_GONE}"])
    return [Damage(FILE, _GONE, "; ".join(brought) or _NOTHING)]


def _rewrite(run: Run) -> None:
    """Put a sound database with every record that is proven into a run's place."""
    file = run.path / FILE
    with contextlib.closing(salvage.salvaged(file)[0]) as memory:
        if not memory.execute("SELECT 1 FROM facts WHERE name = 'format'").fetchone():
            fact = schema.sealed("facts", "format", schema.FORMAT)
            memory.execute("INSERT INTO facts VALUES (?, ?, ?)", fact)
        sqlite.put_anew(file, sqlite.image(memory))


def _in_pictures(run: Run) -> Iterator[Damage]:
    for one in run.edits():
        message = "another one than its record and its scores are of"
        if one.path and (why := _fault(run, one.path, "edits", one.fingerprint, message)):
            found = f"the output of {one.editor} for {one.sample!r}: {why}"
            yield Damage(one.path, found, _OUTPUT, by_hand=True)
    for benchmark in run.benchmarks():
        for sample in run.samples(benchmark):
            for place, mark in (sample.get("marks") or {}).items():
                message = "not the one that was kept"
                if why := _fault(run, place, f"inputs/{benchmark}", mark, message):
                    found = f"a picture of the sample {sample['id']!r}: {why}"
                    yield Damage(place, found, _KEEP, by_hand=True)


def _fault(run: Run, place: str, room: str, mark: str, told: str) -> str:
    why = paths.fault(run.path, place, room)
    if why is not None or not mark:
        return why or ""
    try:
        return "" if fingerprint(run.path / place) == mark else told
    except ImageError as error:
        return str(error)


def _in_paid(run: Run) -> Iterator[Damage]:
    file, found = run.replies_path, list[str]()
    if not os.path.lexists(file):
        if named := len(_replies_of(run)):
            message = f"not there; the rows of this run name {named} replies"
            yield Damage(PAID, message, _BRING, by_hand=True)
        return
    try:
        with Paid(file) as paid:
            found = paid.faults()
    except sqlite.Damaged as error:
        found = [sqlite.reason(error)]
    except RunError as error:
        yield Damage(PAID, str(error), _BRING, by_hand=True)
        return
    if not found:
        return
    proven, lost = replies.salvaged(file)
    with proven:
        kept = {key for key, _ in proven.replies()}
    unknown = [place for key, place in _replies_of(run).items() if key not in kept]
    if unknown:
        more = "" if len(unknown) <= _SHOWN else ", …"
        lost.append(
            f"{len(unknown)} of the lost replies are of: {', '.join(unknown[:_SHOWN])}{more}"
        )
    for text in (*found, *lost):
        yield Damage(PAID, text, _PAID_ANEW)


def _replies_of(run: Run) -> dict[str, str]:
    """Return the keys of the replies that the rows of a run name, each with what it is about."""
    names, keys = run.sample_names(), dict[str, str]()
    for series, number in run.series().items():
        for record in run.records(number):
            key = schema.known(record[7]).get("reply")
            if isinstance(key, str) and record[1] in names:
                keys.setdefault(key, f"{series.editor} on {names[record[1]][1]!r}")
    return keys


def _elsewhere(run: Run) -> Iterator[Damage]:
    """The snapshot, and links or pipes anywhere in the run."""
    if more := snapshot.newer_rows(run):
        if snapshot.content(run) is None:
            yield Damage(snapshot.FILE, _STRANGE, "removed; made again by the next reader")
        else:
            yield Damage(FILE, f"{more} rows of {snapshot.FILE} are not in it", _BROUGHT)
    elif os.path.lexists(run.path / snapshot.FILE) and not snapshot.is_sound(run):
        message = "damaged (it is not what was made of the rows)"
        yield Damage(snapshot.FILE, message, "removed; made again by the next reader")
    try:
        paths.only_files(run.path, "")
    except RunError as error:
        yield Damage("run folder", str(error), "not touched: remove it", by_hand=True)

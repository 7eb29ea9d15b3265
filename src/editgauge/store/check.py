"""What is damaged in a run, and its repair: `editgauge check`. A repair writes the run's file anew
from every record that is proven, and keeps the damaged file beside it.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from editgauge.errors import ImageError, RunError
from editgauge.images import fingerprint
from editgauge.store import lease, paths, salvage, snapshot, sqlite
from editgauge.store.paid import Paid
from editgauge.store.run import FILE, PAID, Run

_ANEW = f"{FILE} is written anew from what stands its checksum; the old file is kept beside it"
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
        for name in fresh.described_benchmarks():
            fresh.metrics(name)
        damages = [*_in_pictures(fresh), *_in_paid(fresh)]
        found = (text.removeprefix(f"{FILE}: ").partition("; see:")[0] for text in fresh.problems)
        damages += [Damage(FILE, text, _ANEW) for text in found]
        return damages + list(_elsewhere(fresh))


def repair(run: Run) -> list[Damage]:
    """Repair what can be repaired; returns what was done. Raises `RunError` if it cannot write."""
    damages = [item for item in check(run) if not item.by_hand]
    run.close()
    places = {item.place for item in damages}
    if FILE in places:
        _rewrite(run)
    if places & {FILE, snapshot.FILE}:  # it may have rows that are lost
        (run.path / snapshot.FILE).unlink(missing_ok=True)
    if PAID in places:
        with Paid(run.path / PAID) as paid:
            paid.drop(*paid.damaged())
    lease.sweep(run.path)
    with contextlib.closing(Run.open(run.path)) as fresh:
        fresh.record(
            "check-run", repaired=[f"{item.place}: {item.found}" for item in damages[:100]]
        )
    run.problems.clear()
    return damages


def _rewrite(run: Run) -> None:
    """Put a sound database with every record that is proven into a run's place."""
    file = run.path / FILE
    with contextlib.closing(salvage.salvaged(file)[0]) as memory:
        anew = paths.write(run.path, f"{FILE}.anew", sqlite.image(memory), sync=True)
    try:
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{file}{suffix}", f"{file}.damaged{suffix}")
        os.replace(anew, file)
    except OSError as error:
        raise paths.unwritable(file, error) from error


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
    if not os.path.lexists(run.replies_path):
        return
    try:
        with Paid(run.replies_path) as paid:
            damaged = paid.damaged()
    except RunError as error:
        yield Damage(PAID, str(error), "not touched: bring a copy, or remove it", by_hand=True)
        return
    if damaged:
        message = f"{len(damaged)} replies are not what was written"
        yield Damage(PAID, message, "taken out; editgauge judge asks for them again")


def _elsewhere(run: Run) -> Iterator[Damage]:
    """The snapshot, and links or pipes anywhere in the run."""
    if os.path.lexists(run.path / snapshot.FILE) and not snapshot.is_sound(run):
        message = "damaged (it is not what was made of the rows)"
        yield Damage(snapshot.FILE, message, "removed; made again by the next reader")
    try:
        paths.only_files(run.path, "")
    except RunError as error:
        yield Damage("run folder", str(error), "not touched: remove it", by_hand=True)

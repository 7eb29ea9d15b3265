"""What is damaged in a run folder, and its repair: `editgauge check-run`.

Every record, every picture and the Parquet file are looked at. A repair takes damaged
lines out of their segments (they are kept beside them, in ``<segment>.damaged``) and deletes what
is made again by itself; it never makes up a record. Scores that are gone are made again by
``editgauge score``, outputs by ``editgauge edit``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import RunError
from editgauge.images import fingerprint
from editgauge.store import lease, parquet, paths, records, segments
from editgauge.store.run_folder import EDIT_SEGMENTS, ROW_SEGMENTS, EditRecord, RunFolder

_SCORE = "editgauge score makes it again"
_AGAIN = {
    "judge-import": "editgauge judge import takes it in again",
    "judge": "editgauge judge makes it again, of the replies that are kept",
    "human": "editgauge study import takes it in again",
    "score-import": "editgauge import-scores takes it in again",
}
"""For rows that `score` does not make, by what the names of their segments begin with."""
_KEEP = "remove it, and editgauge score takes it from the data again"
_EDIT = "editgauge edit, or score --outputs, makes it again"
_OUTPUT = f"once it is removed, {_EDIT}; score takes what lies there for the output"


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not as it should be.

    `place` is a file of the run (and a line of it), `found` what is wrong, `repair` what
    ``check-run --repair`` does about it and what has to be done after that. `by_hand`: a repair
    leaves it alone.
    """

    place: str
    found: str
    repair: str
    by_hand: bool = False


def examine(run: RunFolder) -> list[Damage]:
    """Everything that is damaged in a run; changes nothing."""
    done: list[Damage] = list(_in_manifest(run))
    for place, fault, again in [] if done else _KINDS:
        for path in _segments(run, place, done):
            done += _in_segment(run, path, place, fault, again)
    for name in run.benchmarks():
        done += _in_samples(run, name)
    done += _in_pictures(run)
    try:
        run.described_benchmarks()
    except RunError as error:
        done.append(Damage("metrics.json", str(error), f"set aside; {_SCORE}"))
    done += _elsewhere(run, {item.place.split(",")[0] for item in done})
    if parquet.Cache(run.path).is_damaged(run.owner()):
        done.append(
            Damage(
                parquet.FOLDER,
                "damaged (it is not what was made of the rows)",
                "removed; made again by the next reader",
            )
        )
    return done


def repair(run: RunFolder) -> list[Damage]:
    """Repair what can be repaired; returns what was done. Segments that are being written are left
    alone. Raises `RunError` when the run cannot be written.
    """
    run.own_id()
    found = [item for item in examine(run) if not item.by_hand]
    if any(_in_manifest(run)):
        return []
    for place, fault, _ in _KINDS:
        for path in _segments(run, place, []):
            _rewrite(run, path, place, fault)
    for name in run.benchmarks():
        _rewrite_samples(run, name)
    if any(item.place == "metrics.json" for item in found):
        os.replace(run.path / "metrics.json", run.path / "metrics.json.damaged")
    if parquet.Cache(run.path).is_damaged(run.owner()):
        _clear(run.path / parquet.FOLDER)
    lease.sweep(run.path)
    run.record("check-run", repaired=[f"{item.place}: {item.found}" for item in found[:100]])
    return found


def without_id(run: RunFolder) -> int:
    """How many files were written before the run had an id: whose they are cannot be told."""
    older = run.owner().older
    files = (
        path
        for place in (*(kind[0] for kind in _KINDS), "samples")
        for path in segments.segments(run.path / place)
    )
    return sum(
        not segments.ids(path) and (older is None or f"{path.parent.name}/{path.name}" in older)
        for path in files
    )


def _in_manifest(run: RunFolder) -> Iterator[Damage]:
    """A manifest that is another run's than every segment. Segments of an earlier version count as
    well: they carry no id, and a run's own manifest names them.
    """
    mine = run.owner()
    files = [path for place, _, _ in _KINDS for path in segments.segments(run.path / place)]
    firsts = [next(segments.lines(path, [], owner=mine), None) for path in files]
    if {line.foreign for line in firsts if line and (line.foreign or not line.fault)} == {True}:
        there = sorted({one for path in files for one in segments.ids(path)})
        said = ", ".join(there[:3]) or "written by an earlier version, without the run's id"
        found = f"of another run ({mine.ids[0]}) than every record ({said})"
        yield Damage("manifest.json", found, "not touched: put the run's own back", by_hand=True)


# -- segments --------------------------------------------------------------------------------------

_KINDS: tuple[tuple[str, Callable[[Any], str], str], ...] = (
    (ROW_SEGMENTS, records.row_fault, _SCORE),
    (EDIT_SEGMENTS, records.edit_fault, _EDIT),
)


def _segments(run: RunFolder, place: str, done: list[Damage]) -> list[Path]:
    odd: list[str] = []
    found = segments.segments(run.path / place, problems=odd)
    for text in odd:
        name, _, why = text.removesuffix("; left out").partition(": ")
        done.append(Damage(f"rows/{name}", why, "not touched: remove it", by_hand=True))
    return found


def _judged(
    run: RunFolder, path: Path, fault: Callable[[Any], str], problems: list[str]
) -> Iterator[tuple[segments.Line, str]]:
    """Each line of a segment with what is wrong with it."""
    for line in segments.lines(path, problems, owner=run.owner()):
        yield line, line.fault or fault(line.record)


def _in_segment(
    run: RunFolder, path: Path, place: str, fault: Callable[[Any], str], again: str
) -> Iterator[Damage]:
    said: list[str] = []
    where = f"{place}/{path.name}"
    again = next(
        (words for label, words in _AGAIN.items() if path.name.startswith(f"{label}-")), again
    )
    foreign: dict[str, int] = {}
    for line, why in _judged(run, path, fault, said):
        if line.foreign:
            foreign[why] = foreign.get(why, 0) + 1
        elif why:
            yield Damage(f"{where}, line {line.number}", why, f"set aside; {again}")
    for why, many in foreign.items():
        yield Damage(
            where, f"{many} {'lines' if many > 1 else 'line'} {why}", f"set aside; {again}"
        )
    gone = [text for text in said if " are gone" in text or "cannot be read" in text]
    for text in gone:
        yield Damage(where, text.partition(", ")[2] or text, f"noted; {again}")
    if path.stat().st_size > segments.whole(path) and not lease.held(path):
        yield Damage(where, "an unfinished last line", f"set aside; {again}")


def _rewrite(run: RunFolder, path: Path, place: str, fault: Callable[[Any], str]) -> None:
    """Write a segment again without its damaged lines, numbered anew, in their order."""
    said: list[str] = []
    good: list[dict[str, Any]] = []
    bad: list[bytes] = []
    for line, why in _judged(run, path, fault, said):
        if why:
            bad.append(line.data)
        else:
            good.append(orjson.loads(line.data))
    if (not bad and not said) or lease.held(path):
        return
    first = max((record.get("seq") or 0 for record in good), default=0) >> 32 << 32
    numbered = first > 0
    mine = run.own_id()
    lines = [_again(record, first + number, numbered, mine) for number, record in enumerate(good)]
    if bad:
        segments.aside(path.with_suffix(".damaged"), b"\n".join(bad) + b"\n")
    paths.write(run.path, f"{place}/{path.name}", b"".join(lines), sync=True)


def _again(record: dict[str, Any], seq: int, numbered: bool, run: str) -> bytes:
    rest = {name: value for name, value in record.items() if name not in ("run", "seq", "check")}
    return segments.marked(rest, seq, run) if numbered else orjson.dumps(rest) + b"\n"


# -- samples and pictures --------------------------------------------------------------------------


def _in_samples(run: RunFolder, benchmark: str) -> Iterator[Damage]:
    fresh = RunFolder(run.path)
    fresh.samples(benchmark)
    for text in fresh.problems:
        yield Damage(
            f"samples/{benchmark}.jsonl",
            text.removeprefix(f"samples/{benchmark}.jsonl")
            .lstrip(",: ")
            .removesuffix("; left out"),
            f"set aside; {_SCORE}",
        )


def _rewrite_samples(run: RunFolder, benchmark: str) -> None:
    mine = run.own_id()
    with run.locked():
        fresh = RunFolder(run.path)
        found = fresh.samples(benchmark)
        if fresh.problems:
            path = run.path / "samples" / f"{benchmark}.jsonl"
            segments.aside(path.with_suffix(".damaged"), paths.read(path))
            lines = [
                segments.marked({**record, "of": len(found)}, number, mine)
                for number, record in enumerate(found)
            ]
            paths.write(run.path, f"samples/{benchmark}.jsonl", b"".join(lines), sync=True)


def _in_pictures(run: RunFolder) -> Iterator[Damage]:
    for record in RunFolder(run.path).edits():
        if record.path is None:
            continue
        why = _picture_fault(run, record)
        if why:
            yield Damage(record.path, why, f"not touched; {_OUTPUT}", by_hand=True)
    for benchmark in run.benchmarks():
        for sample in RunFolder(run.path).samples(benchmark):
            for place, mark in (sample.get("marks") or {}).items():
                why = paths.fault(run.path, place, f"inputs/{benchmark}") or (
                    "" if fingerprint(run.path / place) == mark else "not the one that was kept"
                )
                if why:
                    found = f"a picture of the sample {sample['id']!r}: {why}"
                    yield Damage(place, found, f"not touched; {_KEEP}", by_hand=True)


def _picture_fault(run: RunFolder, record: EditRecord) -> str:
    why = paths.fault(run.path, record.path, "edits")
    if why is not None:
        return f"the output of {record.editor} for {record.sample!r}: {why}"
    if record.fingerprint and fingerprint(run.path / str(record.path)) != record.fingerprint:
        return (
            f"the output of {record.editor} for {record.sample!r} is another one than its record "
            f"and its scores are of"
        )
    return ""


# -- the rest --------------------------------------------------------------------------------------


def _elsewhere(run: RunFolder, known: set[str]) -> Iterator[Damage]:
    """What the manifest knows to be gone, and links or pipes anywhere in the run."""
    for text in RunFolder.open(run.path).problems:
        place, _, found = text.partition(": ")
        place = place if place == "manifest.json" else f"rows/{place}"
        if place not in known:
            yield Damage(place, found, "noted")
    try:
        paths.only_files(run.path, "")
    except RunError as error:
        yield Damage("run folder", str(error), "not touched: remove it", by_hand=True)


def _clear(folder: Path) -> None:
    for name, why in list(paths.files(folder)):
        if why is None and name.startswith("rows-") and not lease.held(folder / name):
            with contextlib.suppress(OSError):
                os.unlink(folder / name)

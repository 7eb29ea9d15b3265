"""Studies of a run: what can be shown, starting one, and its answers as rows of the run."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, UsageError
from editgauge.escape import plain
from editgauge.store import sqlite
from editgauge.store.labels import Samples
from editgauge.store.run_folder import RunFolder
from editgauge.study.assignment import assign
from editgauge.study.design import Design, read_design
from editgauge.study.forms import Refused, checked, rows_of
from editgauge.study.pictures import Pictures
from editgauge.study.ratings import (
    FOLDER,
    REGIONS,
    SCORERS,
    ImportedRatings,
    import_ratings,
    known_of,
)
from editgauge.study.store import Answer, Progress, StudyStore
from editgauge.types import Row, Status

SUFFIX = ".sqlite"
_START = "study start"
Outputs = dict[tuple[str, str], str]


def outputs_of(run: RunFolder, benchmark: str) -> Outputs:
    """(sample, editor) -> path in the run, of every output that is there and is a picture."""
    return {
        (record.sample, record.editor): record.path
        for record in run.edits(benchmark)
        if record.status is Status.SCORED
        and record.path
        and ".." not in Path(record.path).parts
        and (run.path / record.path).is_file()
    }


def editors_by_sample(outputs: Outputs) -> dict[str, list[str]]:
    """Sample -> its editors with an output, by name."""
    found: dict[str, list[str]] = {}
    for sample, editor in sorted(outputs):
        found.setdefault(sample, []).append(editor)
    return found


def designed(run: RunFolder, path: Path, benchmark: str = "") -> tuple[Design, Outputs]:
    """The design in a file for this run, and the run's outputs."""
    name = known_of(run, benchmark).benchmark
    outputs = outputs_of(run, name)
    samples = Samples(run.samples(name))
    return read_design(path, samples, editors_by_sample(outputs), name), outputs


def start(run: RunFolder, design: Design, outputs: Outputs, pseudonyms: Sequence[str]) -> list[str]:
    """Assign every sample and write the study into the run; returns the annotators' tokens."""
    tasks = assign(design, editors_by_sample(outputs), len(pseudonyms))
    path = run.path / FOLDER / f"{design.name}{SUFFIX}"
    with StudyStore(path, run.owner()) as store:
        return store.create(design, pseudonyms, tasks)


def begin(
    run: RunFolder, path: Path, annotators: str, benchmark: str = ""
) -> tuple[Design, dict[str, str]]:
    """Start the study that a file designs and record it in the run; the design, and pseudonym ->
    token. `annotators` is a number, or pseudonyms joined by commas. Tokens are kept nowhere.
    """
    design, outputs = designed(run, path, benchmark)
    if design.name in elsewhere(run):
        raise UsageError(
            f"{run.path.name}: a study {plain(design.name)!r} of this run was started on another "
            f"machine, and stays there; give this one another name"
        )
    names = pseudonyms_of(annotators)
    tokens = start(run, design, outputs, names)
    run.record(_START, study=design.name, annotators=len(names), samples=len(design.samples))
    return design, dict(zip(names, tokens, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far a study is: each annotator, ratings still to come, and rows of the run that are new
    or changed.
    """

    annotators: Sequence[Progress]
    missing: int
    new: int

    def lines(self) -> Iterator[str]:
        """The state in words."""
        for item in self.annotators:
            checks = f", checks {item.checks_passed} passed {item.checks_failed} failed"
            checks = checks if item.checks_passed or item.checks_failed else ""
            gone = " (link revoked)" if item.revoked else ""
            yield (
                f"{item.pseudonym}: {item.done} of {item.total}, {item.seconds:.0f} s each"
                f"{checks}{gone}"
            )
        yield f"{self.missing} ratings of samples to come; {self.new} new in the run"

    def as_dict(self) -> dict[str, Any]:
        """The state as JSON values."""
        return {
            "annotators": [item._asdict() for item in self.annotators],
            "missing": self.missing,
        }


def state_of(run: RunFolder, name: str = "") -> State:
    """How far a study is, by default the run's only one; answers become rows of the run. Raises
    `UsageError` for a study that is not there.
    """
    with _reading(run, study_path(run, name)) as store:
        lines, missing = store.progress(), store.missing()
    taken = collect(run)
    return State(annotators=lines, missing=missing, new=taken.new + taken.changed)


def studies(run: RunFolder) -> list[Path]:
    """The run's studies, by name."""
    return sorted((run.path / FOLDER).glob(f"*{SUFFIX}"))


def elsewhere(run: RunFolder) -> set[str]:
    """Studies that were started in this run, by its manifest, and whose answers are not here: of a
    run on a store they stay on the machine that serves them.
    """
    entries = run.manifest()["entries"]
    begun = {str(e.get("study")) for e in entries if e.get("command") == _START}
    return begun - {path.stem for path in studies(run)}


def study_path(run: RunFolder, name: str = "") -> Path:
    """The file of a study, by default of the only one. Raises `UsageError`."""
    there = {path.stem: path for path in studies(run)}
    if name in there:
        return there[name]
    if not name and len(there) == 1:
        return next(iter(there.values()))
    away = sorted(elsewhere(run))
    if name in away or (away and not there):
        raise UsageError(
            f"{run.path.name}: the study {plain(name or away[0])!r} was started on another "
            f"machine: its answers are there, serve it there; the ratings handed over so far: "
            f"editgauge study export"
        )
    told = ", ".join(there) or "none; start one: editgauge study start RUN DESIGN.toml"
    raise UsageError(f"{run.path.name}: name a study with --study; there are: {told}")


def pictures_of(run: RunFolder, design: Design) -> Pictures:
    """Blind copies of the pictures of a study."""
    records = {str(record["id"]): record for record in run.samples(design.benchmark)}
    return Pictures(run, records, outputs_of(run, design.benchmark))


def collect(run: RunFolder) -> ImportedRatings:
    """Write the answers of every study of the run as rows; answers that were taken back since the
    last time retire their rows. Where the run cannot be written, what it lacks is named in its
    problems.
    """
    total = ImportedRatings(0, 0, 0)
    for path in studies(run):
        with _reading(run, path) as store:
            design = store.design
            pictures = pictures_of(run, design)
            rows = [
                row for item in _fitting(store, design) for row in rows_of(design, item, pictures)
            ]
            damaged = store.damaged
        if not os.access(run.path, os.W_OK):
            _name_lacking(run, design, rows)
            continue
        done = import_ratings(run, rows)
        total = ImportedRatings(*(a + b for a, b in zip(total, done, strict=True)))
        if damaged:  # what was taken in while it was sound stays
            run.problems.extend(damaged)
        else:
            _retire_gone(run, design, rows)
    return total


@contextmanager
def _reading(run: RunFolder, path: Path) -> Iterator[StudyStore]:
    """A study of which nothing is changed: it may lie where nothing can be written."""
    with sqlite.readable(path) as place, StudyStore(place, run.owner()) as store:
        yield store


def _name_lacking(run: RunFolder, design: Design, rows: Sequence[Row]) -> None:
    there = run.done(design.benchmark, [*SCORERS, REGIONS])
    lacking = sum(row.fingerprint not in there.get(row.key, ()) for row in rows)
    if lacking:
        run.problems.append(
            f"study {plain(design.name)}: {lacking} of its ratings are not in the run, which "
            f"cannot be written here; they are not counted"
        )


def _fitting(store: StudyStore, design: Design) -> Iterator[Answer]:
    """The answers that fit their tasks, as they did when they were sent; the others are named in
    `store.damaged`.
    """
    for answer in store.answers():
        task = answer.task
        try:
            checked(design, task.kind, len(task.editors), answer.payload)
        except Refused as error:
            store.damaged.append(f"{store.path.name}: task {task.id}: {error}; left out")
        else:
            yield answer


def _retire_gone(run: RunFolder, design: Design, rows: Sequence[Row]) -> None:
    """Retire rows of this study that none of its answers stands behind any more."""
    keys = {row.key for row in rows}
    gone = [
        (row.key, row.fingerprint)
        for row in run.rows()
        if row.scorer in (*SCORERS, REGIONS)
        and row.origin.get("study") == design.name
        and row.key not in keys
    ]
    with run.writer("human") as writer:
        writer.retire(gone)


def pseudonyms_of(word: str) -> list[str]:
    """A number of annotators as ``rater-1``…, or pseudonyms joined by commas."""
    if word.strip().isdigit():
        return [f"rater-{number}" for number in range(1, min(int(word), 1000) + 1)]
    return [name.strip() for name in word.split(",") if name.strip()]


@contextmanager
def serving(
    run: RunFolder, name: str, hosts: Sequence[str]
) -> Iterator[tuple[Design, Callable[[str, int], None]]]:
    """The design of a study, and a function that serves it at a host and port until interrupted.

    Raises `MissingExtra` without the extra `study`, `UsageError` for a study that is not there.
    """
    path = study_path(run, name)
    try:
        importlib.import_module("uvicorn")
        from editgauge.study import server
        from editgauge.study.serving import serve
    except ImportError as error:
        package = str(error.name or "starlette")
        raise MissingExtra("editgauge study serve", package, "study") from error
    with StudyStore(path, run.owner()) as store:
        design = store.design
        study = server.Study(store, pictures_of(run, design), hosts=hosts)

        def begin(host: str, port: int) -> None:
            try:
                serve(study.app(), host=host, port=port)
            except OSError as error:
                raise UsageError(
                    f"{host}:{port}: cannot listen there ({error.strerror}); name another --port"
                ) from error

        yield design, begin

"""The studies of a run: what can be shown, starting one, serving it, and its answers as rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editgauge.errors import MissingExtra, UsageError
from editgauge.store import sqlite
from editgauge.store.labels import Samples
from editgauge.store.run import Run
from editgauge.study import assign
from editgauge.study.answers import rows_of
from editgauge.study.design import Design, read_design
from editgauge.study.pictures import Pictures
from editgauge.study.ratings import FOLDER, ImportedRatings, import_ratings, known_of
from editgauge.study.scales import SCORERS
from editgauge.types import Row, Status
from editgauge.web.log import Log

SUFFIX = ".sqlite"
_START = "study start"
Outputs = dict[tuple[str, str], str]


def outputs_of(run: Run, benchmark: str) -> Outputs:
    """(sample, editor) -> path in the run, of every output that is there and is a picture."""
    return {
        (record.sample, record.editor): record.path
        for record in run.edits(benchmark)
        if record.status is Status.SCORED and record.path and run.picture(record.path)
    }


def editors_by_sample(outputs: Outputs) -> dict[str, list[str]]:
    """Sample -> its editors with an output, by name."""
    editors: dict[str, list[str]] = {}
    for sample, editor in sorted(outputs):
        editors.setdefault(sample, []).append(editor)
    return editors


def designed(run: Run, path: Path, benchmark: str = "") -> tuple[Design, Outputs]:
    """The design in a file for this run, and the run's outputs."""
    name = known_of(run, benchmark).benchmark
    outputs = outputs_of(run, name)
    samples = Samples(run.samples(name))
    return read_design(path, samples, editors_by_sample(outputs), name), outputs


def begin(run: Run, design: Design, outputs: Outputs, annotators: Sequence[str]) -> dict[str, str]:
    """Assign every sample, write the study into the run and record it there; returns pseudonym ->
    token. Tokens are kept nowhere.
    """
    if design.name in elsewhere(run):
        raise UsageError(
            f"{run.path.name}: a study {design.name!r} of this run was started on another "
            f"machine, and stays there; give this one another name"
        )
    tasks = assign.assign(design, editors_by_sample(outputs), len(annotators))
    path = run.path / FOLDER / f"{design.name}{SUFFIX}"
    tokens = assign.start(path, design, annotators, tasks)
    run.record(_START, study=design.name, annotators=len(annotators), samples=len(design.drawn))
    return dict(zip(annotators, tokens, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How far a study is: each annotator, ratings still to come, and rows of the run that are new
    or changed.
    """

    annotators: Sequence[assign.Progress]
    missing: int
    new: int

    def lines(self) -> Iterator[str]:
        """The state in words."""
        for item in self.annotators:
            checks = f", checks {item.checks_passed} passed {item.checks_failed} failed"
            checks = checks if item.checks_passed or item.checks_failed else ""
            revoked = " (link revoked)" if item.revoked else ""
            done = f"{item.done} of {item.total}, {item.seconds:.0f} s each"
            yield f"{item.pseudonym}: {done}{checks}{revoked}"
        yield f"{self.missing} ratings of samples to come; {self.new} new in the run"

    def as_dict(self) -> dict[str, Any]:
        """The state as JSON values."""
        people = [item._asdict() for item in self.annotators]
        return {"annotators": people, "missing": self.missing}


def state_of(run: Run, name: str = "") -> State:
    """How far a study is, by default the run's only one; answers become rows of the run. Raises
    `UsageError` for a study that is not there.
    """
    with _reading(study_path(run, name)) as log:
        people, missing = assign.progress(log), assign.missing(log)
    counts = collect(run)
    return State(annotators=people, missing=missing, new=counts.new + counts.changed)


def studies(run: Run) -> list[Path]:
    """The files of the run's studies, by name."""
    return sorted((run.path / FOLDER).glob(f"*{SUFFIX}"))


def elsewhere(run: Run) -> set[str]:
    """Studies that were started in this run, by its manifest, and whose answers are not here: of a
    run on a store they stay on the machine that serves them.
    """
    entries = run.manifest()["entries"]
    begun = {str(e.get("study")) for e in entries if e.get("command") == _START}
    return begun - {path.stem for path in studies(run)}


def study_path(run: Run, name: str = "") -> Path:
    """The file of a study, by default of the only one. Raises `UsageError`."""
    there = {path.stem: path for path in studies(run)}
    chosen = name or (next(iter(there)) if len(there) == 1 else "")
    if chosen in there:
        return there[chosen]
    away = sorted(elsewhere(run))
    if name in away or (away and not there):
        raise UsageError(
            f"{run.path.name}: the study {name or away[0]!r} was started on another machine: its "
            f"answers are there, serve it there; the ratings handed over so far: editgauge study "
            f"export"
        )
    names = ", ".join(there) or "none; start one: editgauge study start RUN DESIGN.toml"
    raise UsageError(f"{run.path.name}: name a study with --study; there are: {names}")


def pictures_of(run: Run, design: Design) -> Pictures:
    """Blind copies of the pictures of a study."""
    records = {str(record["id"]): record for record in run.samples(design.benchmark)}
    return Pictures(run, records, outputs_of(run, design.benchmark))


def collect(run: Run) -> ImportedRatings:
    """Write the answers of every study of the run as rows; answers that were taken back since the
    last time retire their rows. What is damaged, and what a run that cannot be written lacks, is
    named in the run's problems.
    """
    total = ImportedRatings(0, 0, 0)
    for path in studies(run):
        with _reading(path) as log:
            design = assign.design_of(log)
            answered = log.all(assign.TASK, state=assign.DONE)
            rows = [row for task in answered for row in rows_of(design, task)]
            damaged = log.problems
        if not os.access(run.path, os.W_OK):
            _name_lacking(run, design, rows)
            continue
        counts = import_ratings(run, rows)
        total = ImportedRatings(*(a + b for a, b in zip(total, counts, strict=True)))
        run.problems.extend(damaged)
        if not damaged:  # what was taken in while it was sound stays
            _retire_taken_back(run, design, rows)
    return total


@contextmanager
def _reading(path: Path) -> Iterator[Log]:
    """A study of which nothing is changed: it may lie where nothing can be written."""
    with sqlite.readable(path) as place, Log(place) as log:
        yield log


def _name_lacking(run: Run, design: Design, rows: Sequence[Row]) -> None:
    there = run.done(design.benchmark, list(SCORERS))
    lacking = sum(row.fingerprint not in there.get(row.key, ()) for row in rows)
    if lacking:
        run.problems.append(
            f"study {design.name}: {lacking} of its ratings are not in the run, which cannot be "
            f"written here; they are not counted"
        )


def _retire_taken_back(run: Run, design: Design, rows: Sequence[Row]) -> None:
    """Retire rows of this study that none of its answers stands behind any more."""
    keys = {row.key for row in rows}
    stale = [
        (row.key, row.fingerprint)
        for row in run.rows()
        if row.scorer in SCORERS and row.origin.get("study") == design.name and row.key not in keys
    ]
    run.drop(stale)


def pseudonyms_of(word: str) -> list[str]:
    """A number of annotators as ``rater-1``…, or pseudonyms joined by commas."""
    if word.strip().isdigit():
        return [f"rater-{number}" for number in range(1, min(int(word), 1000) + 1)]
    return [name.strip() for name in word.split(",") if name.strip()]


@contextmanager
def application_of(run: Run, name: str, hosts: Sequence[str]) -> Iterator[tuple[Design, Any]]:
    """The design and the application of a study, open for answers.

    Raises `MissingExtra` without the extra `study`, `UsageError` for a study that is not there.
    """
    path = study_path(run, name)
    try:
        from editgauge.study.serve import study_application
    except ImportError as error:
        raise MissingExtra("editgauge study serve", str(error.name), "study") from error
    with Log(path) as log:
        design, pictures = assign.design_of(log), pictures_of(run, assign.design_of(log))
        ahead = (pictures, [*design.training.samples, *design.drawn], design.editors)
        threading.Thread(target=Pictures.make, args=ahead, daemon=True).start()
        yield design, study_application(log, pictures, hosts=hosts)

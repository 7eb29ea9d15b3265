"""What `table`, `compare`, `merge` and `report` share: opening runs, choosing rows from words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from editgauge import machine
from editgauge.errors import UnknownName, UsageError
from editgauge.store.labels import mapping
from editgauge.tables import reading
from editgauge.tables.results import Results
from editgauge.types import VARIANTS, Variant

if TYPE_CHECKING:
    from editgauge.store.run import Run


def variants(given: str) -> tuple[Variant, ...]:
    """Of ``faithful``, ``corrected`` or ``both``."""
    return VARIANTS if given == "both" else (cast(Variant, given),)


def open_runs(paths: Sequence[Path], *, pictures: bool = False) -> list[Run]:
    """The run folders, each once; a pattern (``runs/*``, also on a store) stands for every run that
    it matches, in the order of their names. Of a run on a store only what tables need is fetched
    (`store.remote`), with `pictures` all of it.

    Raises `RunError` for one that is none, `UsageError` for a pattern without any.
    """
    from editgauge.store.run import Run

    def folders(path: Path) -> Iterator[Path]:
        if path.exists():  # of this machine: what reads stores is not loaded for it
            return iter((path,))
        from editgauge.store.remote import fetched, matching

        return (fetched(one, pictures=pictures) for one in matching(path))

    machine.many_files()
    opened = (Run.open(folder) for path in dict.fromkeys(paths) for folder in folders(path))
    runs = list({run.path: run for run in opened}.values())
    for run in runs:
        if run.damage is None and (lost := run.lost_rows()):
            run.note(
                f"{lost} rows were lost when the run was repaired, and are not made again; "
                f"editgauge score and judge make them"
            )
    return runs


def benchmarks(runs: Sequence[Run], wanted: str = "") -> list[str]:
    """The runs' benchmarks, or the wanted one. Raises `UsageError` when it is not there."""
    there = sorted({name for run in runs for name in run.benchmarks()})
    if wanted and wanted not in there:
        message = f"not in this run; there are: {', '.join(there) or 'none'}"
        raise UsageError(f"{wanted}: {message}", argument="benchmark")
    return [wanted] if wanted else there


def read(runs: Sequence[Run], benchmark: str = "") -> list[Results]:
    """Every row of each benchmark, of all sources and annotators. Raises as `benchmarks`."""
    every = (reading.of_runs(runs, name) for name in benchmarks(runs, benchmark))
    return [without_training(results, runs) for results in every]


def without_training(results: Results, runs: Sequence[Run]) -> Results:
    """The results without the samples that `tune` trained on and that no editor was scored on: they
    are no part of a test, and of no table's count.
    """
    trained = {
        sample
        for run in runs
        for entry in run.manifest().get("entries", [])
        if entry.get("command") == "tune" and entry.get("benchmark") == results.benchmark
        for split in mapping(entry.get("splits")).values()
        for sample in mapping(split).get("training", ())
    }
    if not trained:
        return results
    keep = np.array([name not in trained for name in results.samples.ids], dtype=np.bool_)
    keep |= results.tried().any(axis=0)
    return replace(results.of_samples(keep), sets=results.sets)


def frames(runs: Sequence[Run], benchmark: str = "", **choice: Any) -> list[Results]:
    """The rows of each benchmark in the runs: see `chosen`, whose arguments it takes."""
    return chosen(read(runs, benchmark), **choice)


def chosen(
    every: Sequence[Results],
    *,
    where: Sequence[str] = (),
    editors: Sequence[str] = (),
    sources: Sequence[str] = (),
    people: Callable[[Results], Results] = Results.without_people,
    side_by_side: bool = False,
) -> list[Results]:
    """The rows that `read` gave: of these editors and samples, of one source for each metric.

    Annotators' rows are left out, or put together by `people`. With `side_by_side`, and no source
    named, metrics that several sources made come as results for each source, beside those that only
    one made (`Results.sides`).

    Of several benchmarks, those that lack an editor, an attribute or its value are left out. Raises
    `UnknownName` for what none of them has, `UsageError` where rows of two sources would be mixed
    or no sample is left.
    """
    every = [people(results) for results in every]
    for source in sources:
        if not any(results.sources_called(source) for results in every):
            there = sorted({name for results in every for name in results.sources if name})
            asked = ", ".join(results.benchmark for results in every)
            why = f"{source!r} made no row of {asked}; sources here: {', '.join(there) or 'none'}"
            raise UnknownName(why, argument="source")
    kept: list[Results] = []
    errors = []
    for results in every:
        named = any(results.sources_called(source) for source in sources)
        apart = side_by_side and not named
        try:
            parts = results.sides() if apart else [results.of_sources(sources)]
            kept += [narrowed(part, where, editors) for part in parts]
        except UnknownName as error:
            errors.append(error)
    if errors and not kept:
        raise errors[0]
    return kept


def narrowed(results: Results, where: Sequence[str], editors: Sequence[str] = ()) -> Results:
    """The rows of these editors ([]: all) and of samples with these labels. Raises as `chosen`."""
    if editors:
        results = results.of_editors(editors)
    return results.of_samples(results.samples.matching(where)) if where else results

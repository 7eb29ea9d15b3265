"""The papers' tables of runs, as `editgauge table` chooses them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editgauge.errors import UsageError
from editgauge.run.agreements import agreements
from editgauge.store.run import Run
from editgauge.study.people import averaged_for
from editgauge.tables import rows
from editgauge.tables.layouts import Shown, papers_first
from editgauge.tables.layouts import tables as tables_of_frame
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.table import Column, Table
from editgauge.types import VARIANTS, MakeTables, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which rows become tables, and what the tables show beside the means.

    `where` (``attribute=value``), `editors` and `sources` choose rows (`tables.rows.frames`).
    `weights` and `cutoff` are for benchmarks whose table is a weighted mean (`Benchmark.scheme`).
    `only`: the table of this name alone. `columns`: see `with_columns`.

    Agreement of judges, and of metrics with people, has tables of its own where all editors and
    sources are chosen and `by` is not.
    """

    benchmark: str = ""
    where: Sequence[str] = ()
    editors: Sequence[str] = ()
    sources: Sequence[str] = ()
    only: str = ""
    columns: Sequence[str] = ()
    by: str = ""
    published: bool = False
    intervals: bool = False
    mean: bool = False
    """Add the mean over the run's models."""
    weights: Sequence[float] | None = None
    cutoff: float | None = None
    seed: int = 0


def tables(
    runs: Sequence[Run],
    choice: Choice | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> list[Table]:
    """Every table of the runs, read as one, that the choice leaves; a table that has no variant of
    its own comes once, and one that no row feeds (nothing it shows was asked of a sample) not at
    all.

    Raises `UsageError` where no table has the name `only` or a column that is asked for, no
    benchmark takes weights, or rows of two sources would be mixed; `UnknownName` for a name that
    the runs lack.
    """
    asked = choice or Choice()
    layouts = scheme_of(rows.benchmarks(runs, asked.benchmark), asked.weights, asked.cutoff)
    read = rows.read(runs, asked.benchmark, asked.editors)
    frames = rows.chosen(
        read,
        where=asked.where,
        editors=asked.editors,
        sources=asked.sources,
        people=averaged_for(asked.sources),
        side_by_side=True,
    )
    made = [
        table
        for frame in frames
        for variant in variants
        for table in tables_of_frame(
            frame,
            variant,
            Shown(
                by=asked.by,
                published=asked.published,
                intervals=asked.intervals,
                mean=asked.mean,
                only=asked.only,
                seed=asked.seed,
            ),
            make=layouts.get(frame.benchmark),
            among=variants,
        )
    ]
    if any(frame.side for frame in frames):
        made = papers_first(made)
    if not (asked.by or asked.editors or asked.sources):
        shown = {table.benchmark for table in made}
        for frame in read:
            if frame.benchmark in shown:
                whole = rows.narrowed(frame, asked.where)
                made += agreements(whole, variants, published=asked.published, seed=asked.seed)
    if asked.only:
        names = ", ".join(sorted({item.name for item in made}))
        made = [item for item in made if item.name == asked.only]
        if not made:
            told = f"no such table here; there are: {names or 'none'}"
            raise UsageError(f"--only {asked.only}: {told}")
    return with_columns(made, asked.columns)


def with_columns(tables: Sequence[Table], words: Sequence[str]) -> list[Table]:
    """The tables with these columns only, in the tables' own order; a table that has none of them
    is left out.

    `words`: machine names or headings of any level (``Real`` is all columns below it, ``SSIM`` all
    of that metric), in any case; none: every column. Raises `UsageError` for a word that fits no
    column.
    """
    every = [column for table in tables for column in table.columns]
    for word in words:
        if not any(_called(column, word) for column in every):
            there = ", ".join(dict.fromkeys(column.name for column in every)) or "none"
            raise UsageError(f"--columns {word}: no such column; there are: {there}")
    if not words:
        return list(tables)
    kept = [
        replace(table, columns=[c for c in table.columns if any(_called(c, w) for w in words)])
        for table in tables
    ]
    return [table for table in kept if table.columns]


def _called(column: Column, word: str) -> bool:
    said = (column.name, *column.heading, " ".join(column.heading))
    return word.casefold() in (text.casefold() for text in said)


def scheme_of(
    benchmarks: Sequence[str], weights: Sequence[float] | None, cutoff: float | None
) -> dict[str, MakeTables]:
    """The tables of the benchmarks that take weights and a cut-off, made with the given ones; none
    where neither is given. Raises `UsageError` where no benchmark takes them.
    """
    if weights is None and cutoff is None:
        return {}
    known = {name: benchmark_of(name) for name in benchmarks}
    layouts = {
        name: benchmark.scheme(weights=weights, cutoff=cutoff)
        for name, benchmark in known.items()
        if benchmark is not None and benchmark.scheme is not None
    }
    if not layouts:
        raise UsageError(f"weights, cutoff: {', '.join(benchmarks)} has neither in its tables")
    return layouts

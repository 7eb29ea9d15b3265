"""The papers' tables of runs, as `editgauge table` chooses them, and how far judges agree with each
other, and metrics with people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from editgauge.errors import UsageError
from editgauge.store.run import Run
from editgauge.tables import rows
from editgauge.tables.build import Shown
from editgauge.tables.layouts import every_table, papers_first
from editgauge.tables.layouts import tables as tables_of_frame
from editgauge.tables.metrics import benchmark_of
from editgauge.tables.results import HUMAN, Results
from editgauge.tables.table import Column, Table, TableRow
from editgauge.types import JUDGE_SCORER, VARIANTS, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which rows become tables, and what the tables show beside the means.

    `where` (``attribute=value``), `editors` and `sources` choose rows (`tables.rows.frames`).
    `columns`: see `with_columns`. Agreement has tables of its own where all editors and sources are
    chosen, and no slices.
    """

    benchmark: str = ""
    where: Sequence[str] = ()
    editors: Sequence[str] = ()
    sources: Sequence[str] = ()
    columns: Sequence[str] = ()
    shown: Shown = field(default_factory=Shown)


def with_metrics(runs: Sequence[Run], benchmark: str, metrics: Iterable[str]) -> set[str]:
    """The names of the tables that show any of these metrics."""
    wanted = frozenset(metrics)
    every = (paper for read in rows.read(runs, benchmark) for paper in every_table(read))
    return {paper.name for paper in every if paper.metrics & wanted}


def tables(
    runs: Sequence[Run],
    choice: Choice | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> list[Table]:
    """Every table of the runs, read as one, that the choice leaves; a table that has no variant of
    its own comes once, and one that no row feeds (nothing it shows was asked of a sample) not at
    all.

    Raises `UsageError` where no table has the name `Shown.only` or a column that is asked for, or
    rows of two sources would be mixed; `UnknownName` for a name that
    the runs lack.
    """
    asked = choice or Choice()
    shown, read, people = asked.shown, rows.read(runs, asked.benchmark), people_for(asked.sources)
    frames = rows.chosen(
        read, where=asked.where, editors=asked.editors, sources=asked.sources, people=people,
        side_by_side=True,
    )  # fmt: skip
    listed = [
        table
        for frame in frames
        for variant in variants
        for table in tables_of_frame(frame, variant, shown, among=variants)
    ]
    if any(frame.side for frame in frames):
        listed = papers_first(listed)
    there = {table.benchmark for table in listed}
    for frame in [] if shown.by or asked.editors or asked.sources else read:
        if frame.benchmark in there:
            listed += _agreements(rows.narrowed(frame, asked.where), variants, shown)
    _check_sections(listed, shown)
    if shown.only:
        names = ", ".join(sorted({item.name for item in listed}))
        listed = [item for item in listed if item.name == shown.only]
        if not listed:
            message = f"no such table here; there are: {names or 'none'}"
            raise UsageError(f"{shown.only}: {message}", argument="only")
    return with_columns(listed, asked.columns)


def _check_sections(listed: Sequence[Table], shown: Shown) -> None:
    """Raise `UsageError` where sections are given that no table has a place for."""
    if not shown.sections:
        return
    own = {row.name for table in listed for row in table.rows if row.own}
    strangers = [editor for editor in shown.sections if editor and editor not in own]
    if strangers:
        there = ", ".join(sorted(own)) or "none"
        message = f"{strangers[0]}: no such editor; there are: {there}"
        raise UsageError(message, argument="section")
    if not any(row.section for table in listed for row in table.rows if row.own):
        word = next(iter(shown.sections.values()))
        message = f"{word}: the papers' tables of these benchmarks have no sections"
        if shown.by:
            message = f"{word}: a table by slices has no sections"
        raise UsageError(message, argument="section")


def people_for(sources: Sequence[str]) -> Callable[[Results], Results]:
    """What ``--source`` does with annotators' rows. For ``human`` their mean takes the place of
    each annotator's, and where no other source is named, nothing else is shown. Else they are left
    out.
    """
    if HUMAN not in sources:
        return Results.without_people
    from editgauge.study.people import averaged

    if set(sources) != {HUMAN}:
        return averaged
    return lambda results: averaged(results).of_source(HUMAN)


def _agreements(frame: Results, variants: Sequence[Variant], shown: Shown) -> Iterator[Table]:
    """Agreement of judges, variants, and metrics with people; `frame` has every source."""
    if any(key.scorer == JUDGE_SCORER for key in frame.cubes):
        from editgauge.judging import compared

        yield from filter(None, (compared.table(frame, variant) for variant in variants))
    lines = published_lines(frame.benchmark) if shown.published else []
    if any(key.of_people for key in frame.cubes):
        from editgauge.study.agreement import agreement

        yield from agreement(frame, lines).tables
    elif lines and shown.only:
        from editgauge.study.agreement import published_alone

        yield published_alone(frame.benchmark, lines)


def published_lines(benchmark: str) -> Sequence[TableRow]:
    """The paper's rank correlations of metrics with people; none where it prints none."""
    known = benchmark_of(benchmark)
    return [] if known is None else list(known.agreement())


def with_columns(tables: Sequence[Table], words: Sequence[str]) -> list[Table]:
    """The tables with these columns only, in the tables' own order; a table that has none of them
    is left out.

    `words`: machine names or headings of any level (``Real`` is all columns below it, ``SSIM`` all
    of that metric), in any case; none: every column. Raises `UsageError` for a word that fits no
    column.
    """

    def called(column: Column, word: str) -> bool:
        heading = [text.partition(" (")[0] for text in column.heading]  # without people's scale
        names = (column.name, *column.heading, *heading, " ".join(heading))
        return word.casefold() in (text.casefold() for text in names)

    every = [column for table in tables for column in table.columns]
    for word in words:
        if not any(called(column, word) for column in every):
            there = ", ".join(dict.fromkeys(column.name for column in every)) or "none"
            raise UsageError(f"{word}: no such column; there are: {there}", argument="columns")
    if not words:
        return list(tables)
    kept = [
        replace(table, columns=[c for c in table.columns if any(called(c, w) for w in words)])
        for table in tables
    ]
    return [table for table in kept if table.columns]

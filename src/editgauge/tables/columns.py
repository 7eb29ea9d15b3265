"""Some columns of a table: what `--columns` and `--metrics` choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from editgauge.errors import UsageError
from editgauge.tables.table import Column, Table


def with_columns(
    tables: Sequence[Table], *, columns: Sequence[str] = (), metrics: Sequence[str] = ()
) -> list[Table]:
    """The tables with these columns only, in the tables' own order; a table that has none of them
    is left out.

    `columns`: machine names or headings of any level (``Real`` is all columns below it).
    `metrics`: narrowest headings, or machine names' ends (``SSIM``, ``EA``). Case does not matter.
    A column must be among both where both are given. Raises `UsageError` for a word that fits no
    column.
    """
    for option, words, fits in (
        ("--columns", columns, _is_column),
        ("--metrics", metrics, _is_metric),
    ):
        tables = _narrowed(tables, words, fits, option) if words else tables
    return list(tables)


def _narrowed(
    tables: Sequence[Table], words: Sequence[str], fits: Callable[[str, Column], bool], option: str
) -> list[Table]:
    every = [column for table in tables for column in table.columns]
    for word in words:
        if not any(fits(word, column) for column in every):
            raise UsageError(f"{option} {word}: no such column; there are: {_offer(every, fits)}")
    found = []
    for table in tables:
        kept = [column for column in table.columns if any(map(partial(_fits, fits, column), words))]
        if kept:
            found.append(replace(table, columns=kept))
    return found


def _fits(fits: Callable[[str, Column], bool], column: Column, word: str) -> bool:
    return fits(word, column)


def _is_column(word: str, column: Column) -> bool:
    said = (column.name, *column.heading, " ".join(column.heading))
    return word.casefold() in (text.casefold() for text in said)


def _is_metric(word: str, column: Column) -> bool:
    name, wanted = column.name.casefold(), word.casefold()
    return (
        wanted in (name, column.heading[-1].casefold())
        or name.endswith((f"_{wanted}", f"/{wanted}"))
    )  # fmt: skip


def _offer(columns: Sequence[Column], fits: Callable[[str, Column], bool]) -> str:
    names = (column.heading[-1] if fits is _is_metric else column.name for column in columns)
    return ", ".join(dict.fromkeys(names)) or "none"

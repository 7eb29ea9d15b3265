"""Queries over ``rows.parquet`` of one run or of several, with DuckDB."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from editgauge.errors import RunError

_UNREADABLE = (
    "the run's rows.parquet cannot be read ({}); delete it: it is made again from the rows"
)


@contextlib.contextmanager
def database(*, message: str = _UNREADABLE) -> Iterator[Any]:
    """A DuckDB connection in memory; what it cannot do is raised as `RunError` with `message`."""
    import duckdb

    db = duckdb.connect(":memory:")
    with contextlib.suppress(duckdb.InvalidInputException):  # a notebook without ipywidgets
        db.execute("SET enable_progress_bar = false")  # it would stand among what a command prints
    try:
        yield db
    except duckdb.Error as error:
        raise RunError(message.format(str(error).strip().splitlines()[0][:200])) from error
    finally:
        db.close()


def fetch_tuples(
    files: Sequence[Path], sql: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """The result of a query over the table `rows` of Parquet files; empty without any."""
    if not files:
        return []
    with database() as db:
        db.execute(f"CREATE VIEW rows AS SELECT * FROM {relation(files)}")
        return list(db.execute(sql, list(parameters)).fetchall())


def relation(files: Sequence[Path]) -> str:
    """Parquet files as SQL has them after FROM."""
    return f"read_parquet([{', '.join(map(quoted, files))}])"


def quoted(path: Path) -> str:
    """A path as SQL has it."""
    return "'" + str(path).replace("'", "''") + "'"

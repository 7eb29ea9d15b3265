"""Queries over ``rows.parquet`` of one run or of several, with DuckDB."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from editgauge.errors import RunError
from editgauge.store import schema

_UNREADABLE = (
    "the run's rows.parquet cannot be read ({}); delete it: it is made again from the rows"
)


@contextlib.contextmanager
def database(files: Sequence[Path] = (), *, message: str = _UNREADABLE) -> Iterator[Any]:
    """A DuckDB connection in memory that can read these files; what DuckDB cannot do inside the
    block is raised as `RunError` with `message`, or says which file is gone.
    """
    import duckdb

    db = duckdb.connect(":memory:")
    with contextlib.suppress(duckdb.InvalidInputException):  # a notebook without ipywidgets
        db.execute("SET enable_progress_bar = false")  # it would stand among what a command prints
    try:
        yield db
    except duckdb.Error as error:
        if gone := [file for file in files if not os.path.lexists(file)]:
            raise RunError(
                f"{gone[0]}: gone while it was read; the run was deleted or moved. Bring it back, "
                f"or name the place where it is now"
            ) from error
        raise RunError(message.format(str(error).strip().splitlines()[0][:200])) from error
    finally:
        db.close()


def fetch_tuples(
    files: Sequence[Path], sql: str, parameters: Sequence[Any] = ()
) -> list[tuple[Any, ...]]:
    """The result of a query over the table `rows` made of Parquet files; empty when there are
    none.
    """
    if not files:
        return []
    with database(files) as db:
        db.execute(f"CREATE VIEW rows AS SELECT * FROM {relation(files)}")
        return list(db.execute(sql, list(parameters)).fetchall())


def relation(files: Sequence[Path]) -> str:
    """Parquet files as SQL has them after FROM."""
    return f"read_parquet([{', '.join(map(quoted, files))}])"


def quoted(path: Path) -> str:
    """A path as SQL has it."""
    return "'" + str(path).replace("'", "''") + "'"


def mapping(text: str | None) -> dict[str, Any]:
    """The object in a column of JSON. Raises `RunError` when it is none: the rows were not made by
    this tool.
    """
    try:
        return schema.parsed(text or "{}")
    except ValueError as error:
        raise RunError(
            f"a row's detail is no JSON object ({error}); see: editgauge check RUN"
        ) from error

"""Csv files of other people and programs, read record by record."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from editgauge.errors import DataError
from editgauge.store import paths

MOST_BYTES = 1 << 26
_LONGEST_CELL = 1 << 22


class Record(NamedTuple):
    """The number of a record's first line, from 1, and its cells; an empty line has none."""

    number: int
    cells: list[str]


def records(path: Path, *, delimiter: str = "", strict: bool = False) -> Iterator[Record]:
    """The records of a file in UTF-8. Without a `delimiter` it is the comma, the semicolon or the
    tab, whichever the first line has most of. `strict`: a quote in the wrong place is an error.
    Raises `DataError` for a file that cannot be read, is no UTF-8, no csv, or larger than
    `MOST_BYTES`.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
    before = 0
    try:
        if why := paths.unlike_file(path.stat(), MOST_BYTES):
            raise DataError(f"{path}: {why}")
        text = path.read_bytes().decode("utf-8-sig")
        chosen = delimiter or max(",;\t", key=text.partition("\n")[0].count)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=chosen, strict=strict)
        for cells in reader:
            yield Record(before + 1, cells)
            before = reader.line_num
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        message = f"{path}, line {before + 1}: no csv in UTF-8 ({error})"
        raise DataError(message) from error


def named(
    path: Path, *, strict: bool = False
) -> tuple[list[str], Iterator[tuple[int, Mapping[str, str]]]]:
    """The headings of a file with commas, and its other records by them, with their numbers: cells
    without a heading, and records that are empty, are left out; a record that ends early has ""
    for the rest. Raises as `records`, also later.
    """
    lines = records(path, delimiter=",", strict=strict)
    headings = next(lines, Record(1, [])).cells
    empty = dict.fromkeys(headings, "")
    rest = ((one.number, one.cells) for one in lines if one.cells)
    return headings, ((n, empty | dict(zip(headings, cells, strict=False))) for n, cells in rest)

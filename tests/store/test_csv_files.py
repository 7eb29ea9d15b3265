"""Csv files of other people: what they hold, and what they may cost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from editgauge.errors import DataError
from editgauge.store import csv_files


def read(path: Path, text: str, **how: Any) -> list[tuple[int, list[str]]]:
    path.write_bytes(text.encode())
    return [tuple(record) for record in csv_files.records(path, **how)]


def test_records_have_the_number_of_their_first_line(tmp_path: Path) -> None:
    text = '\ufeffa;b\r\n"x\r\ny";1,5\r\n\r\nz;2'
    found = [(1, ["a", "b"]), (2, ["x\r\ny", "1,5"]), (4, []), (5, ["z", "2"])]
    assert read(tmp_path / "a.csv", text) == found
    assert read(tmp_path / "a.csv", "a\tb;c", delimiter="\t") == [(1, ["a", "b;c"])]


def test_a_file_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", tmp_path, Path("/dev/zero")):
        with pytest.raises(DataError, match="no regular file"):
            list(csv_files.records(path))
    with pytest.raises(DataError, match="No such file"):
        list(csv_files.records(tmp_path / "gone.csv"))
    with monkeypatch.context() as small:
        small.setattr(csv_files, "MOST_BYTES", 2)
        with pytest.raises(DataError, match="3 bytes, wanted at most 2"):
            read(tmp_path / "a.csv", "a,b")
    (tmp_path / "a.csv").write_bytes(b"a,\xff")
    with pytest.raises(DataError, match="no csv in UTF-8"):
        list(csv_files.records(tmp_path / "a.csv"))
    with pytest.raises(DataError, match="line 1: no csv"):
        read(tmp_path / "a.csv", '"a"b,c', strict=True)

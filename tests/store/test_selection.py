"""What a command is narrowed to: ids from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.errors import UsageError
from editgauge.store.selection import listed


def test_a_file_stands_for_its_ids(tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_bytes("\ufeffa/1\r\n\r\n b 2 \nü\n".encode())
    assert listed(["x", f"@{tmp_path / 'ids.txt'}", "y"]) == ["x", "a/1", "b 2", "ü", "y"]


@pytest.mark.parametrize("content", [None, b"", b"\n \n", b"\xff\xfe\x00"])
def test_a_file_that_is_no_list_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ids.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"samples @.*ids\.txt"):
        listed([f"@{path}"])

"""What is computed once and kept by content: whatever happens to the file, nobody loses a score."""

from __future__ import annotations

from pathlib import Path

from editgauge.store.cache import Cache

NAME = "kept.sqlite"


def test_a_flipped_bit_is_computed_again(tmp_path: Path) -> None:
    Cache(tmp_path, NAME).put({"k": b"seventy-seven", "l": b"eighty"})
    for path in (tmp_path / NAME, tmp_path / f"{NAME}-wal"):
        if path.exists():
            path.write_bytes(path.read_bytes().replace(b"seventy-seven", b"seventy-eight"))
    assert Cache(tmp_path, NAME).get(["k", "l"]) == {"l": b"eighty"}


def test_a_file_or_folder_that_cannot_be_used_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no database" * 100)
    for folder, kept in ((tmp_path, {"k": b"v"}), (tmp_path / NAME / "folder", {})):
        cache = Cache(folder, NAME)
        cache.put({"k": b"v"})
        assert cache.get(["k"]) == kept
    assert (tmp_path / f"{NAME}.damaged").is_file()

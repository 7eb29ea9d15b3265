"""Temporary files and folders: nobody reads half a file, and what nobody will finish is swept."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

import pytest

from editgauge import temporary
from editgauge.store import lease

MAKER = """
import sys, time
from pathlib import Path
from editgauge import temporary
place = Path(sys.argv[1])
with temporary.file(place / "picture.png") as opened, temporary.folder(place) as made:
    opened.write(b"half")
    opened.flush()
    (made / "half").write_text("x")
    print("begun", flush=True)
    time.sleep(600)
"""


def names(place: Path) -> list[str]:
    return sorted(path.name for path in place.iterdir())


def test_what_a_killed_process_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "pictures"
    place.mkdir()
    (place / "picture.png").write_bytes(b"whole")
    others = [".editgauge-mine", ".tmp-0123456789abcdef", ".editgauge-0123456789abcdeF"]
    for name in others:
        (place / name).write_text("somebody's own")
    process = subprocess.Popen(
        [sys.executable, "-c", MAKER, str(place)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert lease.sweep(tmp_path) == 0, "its owner lives"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert len(names(place)) == 6
    assert lease.sweep(tmp_path) == 2
    assert names(place) == sorted([*others, "picture.png"])
    assert (place / "picture.png").read_bytes() == b"whole"


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "a"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    target.symlink_to(elsewhere)
    temporary.write(target, b"one", sync=True)
    assert not target.is_symlink()
    assert elsewhere.read_text() == "mine"
    with pytest.raises(OSError, match=r"No space.*/a'"), temporary.file(target) as opened:
        _write_half(opened)
    assert target.read_bytes() == b"one"
    assert names(tmp_path) == ["a", "elsewhere"]


def test_a_folder_goes_at_the_end_of_its_block_unless_it_was_renamed(tmp_path: Path) -> None:
    with temporary.folder(tmp_path) as made, temporary.folder(tmp_path) as kept:
        (made / "a").write_text("x")
        assert temporary.sweep(tmp_path) == 0
        kept.rename(tmp_path / "kept")
    assert names(tmp_path) == ["kept"]


def _write_half(opened: BinaryIO) -> None:
    opened.write(b"two")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_sweeper_holds_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A sweeper may be between taking the lock and removing what it found."""
    real, asked = temporary.take, []

    def late(handle: int) -> bool:
        asked.append(handle)
        return len(asked) > 1 and real(handle)

    monkeypatch.setattr(temporary, "take", late)
    if kind == "file":
        temporary.write(tmp_path / "a", b"kept")
        assert (tmp_path / "a").read_bytes() == b"kept"
    else:
        with temporary.folder(tmp_path) as made:
            (made / "file").write_text("kept")
    assert len(asked) == 2


def test_nothing_is_swept_where_locks_tell_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a file system without locks nobody knows whether an owner lives."""

    def without(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("editgauge.temporary.fcntl.flock", without)
    with temporary.folder(tmp_path) as made:
        (made / "a").write_text("x")
        assert temporary.sweep(tmp_path) == 0
        assert (made / "a").exists()

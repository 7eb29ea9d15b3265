"""Temporary files and folders: nobody reads half a file, and what nobody will finish is swept."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

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
    others = [".editgauge-mine", ".tmp-0123456789abcdef", ".editgauge-1-2-3"]
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
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match=r"No space.*/a'"), temporary.file(target):
        raise full
    assert target.read_bytes() == b"one"
    assert names(tmp_path) == ["a", "elsewhere"]

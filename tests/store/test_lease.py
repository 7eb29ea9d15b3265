"""Leases, locks and temporary folders: they end with their owner, however it ends."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from editgauge.errors import RunError
from editgauge.store import lease as lease_module
from editgauge.store.lease import held, lease, lock, scratch, share, sweep

HOLDER = """
import sys, time
from pathlib import Path
from editgauge.store.lease import lease, scratch
with lease(Path(sys.argv[1]), "edit", "mini", "copy"), scratch(Path(sys.argv[1])) as place:
    (place / "half").write_text("x")
    print(place, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(tmp_path: Path):  # type: ignore[no-untyped-def]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    place = Path(process.stdout.readline().strip())
    yield process, place
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_lease_is_held_once_and_ends_with_its_owner(tmp_path: Path, holder) -> None:  # type: ignore[no-untyped-def]
    process, _ = holder
    with (
        pytest.raises(RunError, match=rf"edit` of mini by copy .*process {process.pid}"),
        lease(tmp_path, "edit", "mini", "copy"),
    ):
        pass
    with lease(tmp_path, "edit", "mini", "other"), lease(tmp_path, "judge", "mini", "copy"):
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    with lease(tmp_path, "edit", "mini", "copy"):
        pass


def test_who_waits_for_a_suspended_process_says_for_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lease_module, "_PATIENCE", 0.05)
    path, got = tmp_path / ".lock", threading.Event()

    def second() -> None:
        with lock(path):
            got.set()

    thread = threading.Thread(target=second)
    with lock(path):
        thread.start()
        assert not got.wait(0.3)
    thread.join(10)
    assert got.is_set()
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"waiting for process {os.getpid()}, which holds {path}")
    os.link(path, tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("the user's own")
    with lock(path):
        pass
    assert path.read_text() == "the user's own"


def test_the_temporary_folder_of_a_dead_owner_is_swept(tmp_path: Path, holder) -> None:  # type: ignore[no-untyped-def]
    process, place = holder
    assert sweep(tmp_path) == 0
    assert (place / "half").exists()
    process.kill()
    process.wait()
    assert sweep(tmp_path) == 1
    assert not place.exists()


def test_folders_of_earlier_versions_are_swept_when_they_are_old(tmp_path: Path) -> None:
    for name in ("edits/.tmp/0123", "rows/parquet/.build-x", "rows/parquet/.build-new"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a").write_text("x")
        if not name.endswith("new"):
            os.utime(tmp_path / name, (1, 1))
    assert sweep(tmp_path) == 2
    assert (tmp_path / "rows/parquet/.build-new/a").exists()


def test_no_link_is_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "0123").mkdir(parents=True)
    run = tmp_path / "run"
    run.mkdir()
    (run / ".tmp").symlink_to(outside)
    (run / ".locks").symlink_to(outside)
    assert sweep(run) == 0
    with pytest.raises(RunError, match="cannot be trusted"), scratch(run):
        pass
    with pytest.raises(RunError, match="cannot be trusted"), lease(run, "edit"):
        pass
    (run / ".lock").symlink_to(outside / "made")
    with pytest.raises(RunError, match="cannot be written"), lock(run / ".lock"):
        pass
    assert [path.name for path in outside.iterdir()] == ["0123"]


def test_a_shared_file_is_held_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("x")
    assert not held(path)
    handle = share(path)
    assert handle is not None
    assert held(path)
    os.close(handle)
    assert not held(path)
    assert share(tmp_path / "none") is None


def test_a_full_disk_is_one_line_that_names_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("editgauge.store.lease.os.pwrite", full)
        with (
            pytest.raises(RunError, match=r"/\.locks/edit-.*: cannot be written \(No space"),
            lease(tmp_path, "edit"),
        ):
            raise AssertionError
    with lease(tmp_path, "edit"):  # and nobody holds it
        pass

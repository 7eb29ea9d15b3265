"""Leases, locks and temporary folders: they end with their owner, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from editgauge.errors import RunError
from editgauge.store.lease import lease, sweep

HOLDER = """
import sys, time
from pathlib import Path
from editgauge.temporary import folder
from editgauge.store.lease import lease
run = Path(sys.argv[1])
with lease(run, "edit", "mini", "copy"), folder(run) as place:
    (place / "half").write_text("x")
    print(place, flush=True)
    time.sleep(600)
"""
Holder = tuple[subprocess.Popen[str], Path]


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[Holder]:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    place = Path(process.stdout.readline().strip())
    yield process, place
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_lease_is_held_once_and_ends_with_its_owner(tmp_path: Path, holder: Holder) -> None:
    process, place = holder
    with (
        pytest.raises(RunError, match=r"edit` of mini by copy is at work"),
        lease(tmp_path, "edit", "mini", "copy"),
    ):
        pass
    with lease(tmp_path, "edit", "mini", "other"), lease(tmp_path, "judge", "mini", "copy"):
        pass
    assert sweep(tmp_path) == 0
    assert (place / "half").exists()
    process.send_signal(signal.SIGKILL)
    process.wait()
    with lease(tmp_path, "edit", "mini", "copy"):
        pass
    assert sweep(tmp_path) == 1
    assert not place.exists()

"""A piece of work has one owner at a time. That a kill ends it is shown by tests/contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge.errors import RunError
from editgauge.store.lease import lease


def test_a_lease_is_held_once(tmp_path: Path) -> None:
    with lease(tmp_path, "edit", "mini", "copy"):
        with (
            pytest.raises(RunError, match=r"edit` of mini by copy is at work"),
            lease(tmp_path, "edit", "mini", "copy"),
        ):
            pass
        with lease(tmp_path, "edit", "mini", "other"), lease(tmp_path, "judge", "mini", "copy"):
            pass
    with lease(tmp_path, "edit", "mini", "copy"):
        pass

"""A store in memory."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest


@pytest.fixture
def memory_store() -> Iterator[SimpleNamespace]:
    """`system`: fsspec's file system in memory, empty; skipped without fsspec."""
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]
    yield SimpleNamespace(system=system)
    system.store.clear()

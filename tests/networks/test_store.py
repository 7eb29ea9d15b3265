"""The feature store: what goes in comes out bit for bit, whoever else is writing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import editgauge
from editgauge.errors import RunError
from editgauge.networks.store import FILE_NAME, FeatureStore


def vector(seed: int, size: int = 768) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(size).astype(np.float32)


@pytest.mark.parametrize("kept", [True, False])
def test_vectors_come_back_bit_for_bit(tmp_path: Path, kept: bool) -> None:
    folder = tmp_path / "cache" if kept else None
    with FeatureStore(folder) as store:
        store.put("a", {str(n): vector(n) for n in range(1200)})
        store.put("b", {"1": vector(99)})
        found = store.get("a", [str(n) for n in range(0, 2400, 2)])
    assert len(found) == 600
    assert all(np.array_equal(found[key], vector(int(key))) for key in found)


def test_two_models_never_share_a_vector(tmp_path: Path) -> None:
    with FeatureStore(tmp_path) as store:
        store.put("a", {"x": vector(1)})
        assert store.get("b", ["x"]) == {}


def test_it_outlives_the_process(tmp_path: Path) -> None:
    with FeatureStore(tmp_path) as store:
        store.put("a", {"x": vector(1)})
    with FeatureStore(tmp_path) as store:
        assert np.array_equal(store.get("a", ["x"])["x"], vector(1))


def test_several_processes_write_at_once(tmp_path: Path) -> None:
    code = (
        "import sys, numpy as np; from pathlib import Path; from editgauge.networks.store import "
        "FeatureStore\n"
        "n = int(sys.argv[2])\n"
        "with FeatureStore(Path(sys.argv[1])) as store:\n"
        "    for i in range(60):\n"
        "        store.put('m', {f'{n}-{i}': np.full(16, n * 1000 + i, np.float32), 'same': "
        "np.ones(4, np.float32)})\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(editgauge.__file__).parents[1])}
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(n)], env=environment)
        for n in range(3)
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    with FeatureStore(tmp_path) as store:
        found = store.get("m", [f"{n}-{i}" for n in range(3) for i in range(60)])
        assert len(found) == 180
        assert found["2-59"][0] == 2059


def test_a_damaged_vector_is_computed_again_not_read(tmp_path: Path) -> None:
    with FeatureStore(tmp_path) as store:
        store.put("a", {"x": vector(1)})
        assert store._connection is not None
        store._connection.execute("UPDATE features SET vector = ?", (b"123",))
        assert store.get("a", ["x"]) == {}


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database" * 100)
    with pytest.raises(RunError, match=FILE_NAME):
        FeatureStore(tmp_path)

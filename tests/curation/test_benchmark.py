"""A data set is a benchmark without a line of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from editgauge import catalog
from editgauge.errors import UsageError
from editgauge.web.log import Act
from tests.curation.made_set import make_set


def test_a_split_and_a_withdrawn_sample(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 3)
    data.change("s00", 1, {"split": "test"}, Act("ann"))
    data.change("s01", 1, {"state": "withdrawn"}, Act("ann"))
    benchmark = catalog.find("benchmarks", f"dir:{tmp_path / 'set'}")
    assert [sample.id for sample in benchmark.load(None)] == ["s00", "s02"]
    assert [sample.id for sample in benchmark.load(None, split="test")] == ["s00"]
    with pytest.raises(UsageError, match="split 'dev'"):
        benchmark.load(None, split="dev")

"""Which tables are of what was scored."""

from __future__ import annotations

from pathlib import Path

from editgauge.run.tables import with_metrics
from editgauge.store.run import Run
from tests.made_rows import record, row


def test_the_tables_that_show_a_metric_are_found(tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run")
    run.write_samples("mini", [record("replace-01")])
    run.put([row("replace-01", "copy", name, 0.5) for name in ("psnr", "OA")])
    assert with_metrics([run], "mini", ["psnr"]) == {"mini.pixel"}
    assert with_metrics([run], "mini", ["OA", "F1"]) == {"mini.others"}
    assert with_metrics([run], "mini", ["EA"]) == set()

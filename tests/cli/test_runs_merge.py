"""`editgauge merge` of a run with a study: ratings come along, the study stays."""

from __future__ import annotations

from pathlib import Path

from tests.cli.test_study_command import type_
from tests.reports.test_site_study import rate
from tests.study.made_study import EDITORS, make_run

from editgauge.store.run import Run
from editgauge.study.ratings import ratings_of


def test_a_study_stays_with_its_run_and_its_ratings_come_along(tmp_path: Path) -> None:
    run = make_run(tmp_path, samples=2)
    rate(run)
    type_("merge", run.path, "--to", tmp_path / "all")
    merged = Run.open(tmp_path / "all")
    assert len(ratings_of(merged)) == 2 * len(EDITORS) * 2
    assert not (merged.path / "study").exists()

"""What a report shows of a study."""

from __future__ import annotations

from pathlib import Path

import orjson

from editgauge.study.reporting import study_facts, study_tables
from editgauge.study.scales import Rating
from editgauge.study.taking import take_in
from editgauge.tables.frame import Frame
from tests.cli.test_study_command import type_
from tests.study.made_study import EDITORS, judged, make_run


def test_a_study_is_in_the_report(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    assert study_facts(Frame.of_runs([run], "bench")) is None
    assert study_tables(Frame.of_runs([run], "bench")) == []
    ratings = [
        Rating(benchmark="bench", sample=f"s{k:02}", editor=editor, question="IF", annotator=who,
               scale="rate", value=judged(k, n) if who == "ann" else 3.0).row()
        for k in range(8)
        for n, editor in enumerate(EDITORS)
        for who in ("ann", "ben")
    ]  # fmt: skip
    take_in(run, ratings)
    frame = Frame.of_runs([run], "bench")
    facts = study_facts(frame)
    assert facts is not None
    (plot,) = facts["scatter"]
    assert len(plot["points"]) == 8 * 3
    assert ["alpha", "s00", (judged(0, 0) + 3) / 2, judged(0, 0)] in plot["points"]
    assert facts["contested"]["IF"][0]["difference"] > 1
    names = {table.name for table in study_tables(frame)}
    assert {"agree.people", "agree.spearman", "study.contested", "study.categories"} <= names
    orjson.dumps(facts)
    type_("report", run.path)
    meta = (run.path / "report" / "data" / "meta.js").read_text(encoding="utf-8")
    assert "Krippendorff" in meta
    assert '"scatter"' in meta

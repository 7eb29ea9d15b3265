"""What a report shows of a study."""

from __future__ import annotations

from pathlib import Path

import orjson

from editgauge.study.ratings import import_ratings
from editgauge.study.scales import Rating
from editgauge.study.sheets import reported
from editgauge.tables import reading
from tests.cli.test_study_command import type_
from tests.study.made_study import EDITORS, judged, make_run


def test_a_study_is_in_the_report(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    assert reported(reading.of_runs([run], "bench")) is None
    ratings = [
        Rating(benchmark="bench", sample=f"s{k:02}", editor=editor, question="IF", annotator=who,
               scale="rate", value=judged(k, n) if who == "ann" else 3.0).row()
        for k in range(8)
        for n, editor in enumerate(EDITORS)
        for who in ("ann", "ben")
    ]  # fmt: skip
    import_ratings(run, ratings)
    frame = reading.of_runs([run], "bench")
    found = reported(frame)
    assert found is not None
    (question,) = found.facts["questions"]
    (metric,) = question["metrics"]
    points = {
        (frame.editors[editor], frame.samples.ids[sample]): (people, value)
        for (editor, sample, people), value in zip(
            question["outputs"], metric["values"], strict=True
        )
    }
    assert len(points) == 8 * 3
    assert points["alpha", "s00"] == ((judged(0, 0) + 3) / 2, judged(0, 0))
    worst = question["contested"][0]
    assert worst["difference"] > 1
    assert ["alpha", "ben", 3.0] in worst["answers"]
    assert len(worst["answers"]) == 2 * 3
    names = {table.name for table in found.tables}
    assert {"agree.people", "agree.spearman"} <= names
    assert set(found.facts["tables"]) == names
    orjson.dumps(found.facts)
    type_("report", run.path)
    data = run.path / "report" / "data"
    assert "Krippendorff" in (data / "meta.js").read_text(encoding="utf-8")
    assert '"contested"' in (data / "0" / "study.js").read_text(encoding="utf-8")

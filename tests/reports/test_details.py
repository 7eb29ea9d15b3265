"""What the page is given of one sample: exact values, reasons, and the judge's raw reply from the
store.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import orjson

from editgauge.images import write_png
from editgauge.reports import details, facts
from editgauge.reports.places import Places
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.tables import reading
from editgauge.types import Row, Sample, Status


def made(tmp_path: Path, rows: list[Row]) -> Run:
    write_png(tmp_path / "data" / "a.png", np.zeros((6, 9, 3), np.uint8))
    samples = [
        Sample(
            benchmark="bench",
            id=name,
            split="all",
            category=("all",),
            instruction="x",
            images=(tmp_path / "data" / "a.png",),
            output_stems=(name,),
        )
        for name in ("s2", "s1")
    ]
    run = Run.create(tmp_path / "run")
    keep_samples(run, "bench", tmp_path / "data", samples, samples)
    run.put(rows)
    return run


def row(sample: str, metric: str, value: float | None, **more: object) -> Row:
    status = Status.SCORED if value is not None else Status.FAILED
    return Row(
        benchmark="bench",
        sample=sample,
        editor="e",
        scorer="x",
        metric=metric,
        variant="faithful",
        value=value,
        status=status,
        reason="",
        fingerprint="f",
        **more,
    )  # type: ignore[arg-type]


def shown(run: Run) -> list[dict[str, Any]]:
    frame = reading.of_runs([run], "bench")
    columns = list(facts.columns(frame, {}))
    places = Places([run], run.path / "report", copied=False)
    column_of = {
        (c["editor"], c["metric"], c["variant"], c["source"]): i for i, c in enumerate(columns)
    }
    return [
        orjson.loads(orjson.dumps(s)) for s in details.samples(frame, [run], places, column_of, {})
    ]


def test_every_row_is_with_its_sample_in_the_benchmarks_order(tmp_path: Path) -> None:
    run = made(tmp_path, [row("s1", "a", 0.1), row("s1", "b", None), row("s2", "a", 1 / 3)])
    found = shown(run)
    assert [one["id"] for one in found] == ["s2", "s1"]
    assert [r[1] for r in found[0]["rows"]] == [1 / 3]
    assert [(r[1], r[2]) for r in found[1]["rows"]] == [(0.1, "scored"), (None, "failed")]
    assert found[0]["size"] == [9, 6]
    assert found[0]["images"] == ["../inputs/bench/a.png"]


def test_the_raw_reply_stands_beside_its_score(tmp_path: Path) -> None:
    reply = 'I would say {"score": 4}\x07 <b>'
    run = made(
        tmp_path,
        [
            row("s1", "IF", 4.0, detail={"reply": "k1"}),
            row("s2", "IF", 3.0, detail={"reply": "k2"}),
        ],
    )
    with Paid(run.replies_path) as paid:
        paid.put("k1", {"status": "ok", "content": reply})
    found = shown(run)
    assert found[1]["rows"][0][4]["reply"] == reply.replace("\x07", "")
    assert "reply" not in found[0]["rows"][0][4]

"""What the page is given of one sample: exact values, reasons, and the judge's raw reply from the
store.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import orjson

from editgauge.images import write_png
from editgauge.reports import details
from editgauge.reports.pictures import Pictures
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.tables import reading
from editgauge.types import Metric, Row, Sample, Status

PRINTED = {"IF": Metric("IF", direction="higher", low=0, high=10, printed=((0, 0), (10, 1)))}


def row(sample: str, metric: str, value: float | None, **more: Any) -> Row:
    status = Status.SCORED if value is not None else Status.FAILED
    return Row(benchmark="bench", sample=sample, editor="e", scorer="x", metric=metric, value=value,
               variant="faithful", status=status, reason="", fingerprint="f", **more)  # fmt: skip


def shown(tmp_path: Path, rows: list[Row], reply: str = "") -> list[dict[str, Any]]:
    picture = tmp_path / "data" / "a.png"
    write_png(picture, np.zeros((6, 9, 3), np.uint8))
    samples = [
        Sample(benchmark="bench", id=name, split="all", category=("all",), instruction="x",
               images=(picture,), output_stems=(name,))
        for name in ("s2", "s1")
    ]  # fmt: skip
    run = Run.create(tmp_path / "run")
    keep_samples(run, "bench", tmp_path / "data", samples, samples)
    run.put(rows)
    if reply:
        with Paid(run.replies_path) as paid:
            paid.put("k1", {"status": "ok", "content": reply})
    frame = reading.of_runs([run], "bench")
    pictures = Pictures([run], run.path / "report")
    columns = {("e", name, "faithful", ""): at for at, name in enumerate(frame.metrics)}
    found = list(details.samples(frame, [run], pictures, columns, PRINTED))
    pictures.close()
    return [orjson.loads(orjson.dumps(one)) for one in found]


def test_every_row_is_with_its_sample_in_the_benchmarks_order(tmp_path: Path) -> None:
    found = shown(tmp_path, [row("s1", "a", 0.1), row("s1", "b", None), row("s2", "a", 1 / 3)])
    assert [one["id"] for one in found] == ["s2", "s1"]
    assert [r[1] for r in found[0]["rows"]] == [1 / 3]
    assert {(r[1], r[2]) for r in found[1]["rows"]} == {(0.1, "scored"), (None, "failed")}
    assert (found[0]["size"], found[0]["images"]) == ([9, 6], ["../inputs/bench/a.png"])


def test_the_raw_reply_and_the_number_as_it_was_given_stand_beside_a_score(tmp_path: Path) -> None:
    reply = 'I would say {"score": 4}\x07 <b>'
    rows = [row(f"s{n}", "IF", 4.0, detail={"reply": f"k{n}"}) for n in (1, 2)]
    found = shown(tmp_path, rows, reply)
    _, value, _, _, extra = found[1]["rows"][0]
    assert (value, extra["stored"], extra["reply"]) == (0.4, 4.0, reply)
    assert "reply" not in found[0]["rows"][0][4]

"""A small run, for tests of whatever reads runs."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from tests.made_rows import row

from editgauge.images import fingerprint, write_png
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, sample_record
from editgauge.types import Metric, Sample, Status

EDITORS = ("one", "two")
SAMPLES = tuple(f"s{n}" for n in range(6))


def make_run(path: Path, first: float = 0.1) -> Run:
    """Six samples of `mini` by two editors: pictures, edit records, rows of two metrics replies,
    an entry and the Parquet file. The scores begin with
    `first`.
    """
    run = Run.create(path)
    records, edits = [], []
    for number, name in enumerate(SAMPLES):
        place = f"inputs/mini/{name}.png"
        write_png(path / place, np.full((6, 8, 3), number * 30, np.uint8))
        image = path / place
        sample = Sample(
            benchmark="mini", id=name, split="all", category=("a", f"c{number % 2}"), instruction=f"do {number}", images=(image,), output_stems=(name,),
            attributes={"tier": number % 3, "size": number / 7},
        )  # fmt: skip
        records.append(sample_record(sample, {image: place}))
        for editor in EDITORS:
            out = f"edits/mini/{editor}/{name}.png"
            write_png(path / out, np.full((6, 8, 3), number * 20 + 3, np.uint8))
            edits.append(
                EditRecord(
                    benchmark="mini", sample=name, editor=editor, status=Status.SCORED, path=out, fingerprint=fingerprint(path / out),
                    width=8, height=6, seed=number, seconds=number / 3, cost=0.25,
                    detail={"source": "folder"},
                )
            )  # fmt: skip
    run.write_samples("mini", records)
    run.write_edits(edits)
    for number, (metric, editor) in enumerate(
        [("ssim", "one"), ("ssim", "two"), ("psnr", "one"), ("psnr", "two")]
    ):
        run.put(
            row(name, editor, metric, first + place / 9 + number, variant="corrected")
            for place, name in enumerate(SAMPLES[:-1])
        )
        run.put([row(SAMPLES[-1], editor, metric, None, status=Status.FAILED, variant="corrected")])
    with Paid(run.replies_path) as paid:
        for name in SAMPLES:
            paid.put(f"key-{name}", {"status": "ok", "content": f"Score: {len(name)}"})
    run.keep_metrics(
        "mini",
        [
            Metric("ssim", direction="higher", low=0, high=1, failure=0.0),
            Metric("psnr", direction="higher", low=0, high=math.inf, unit="dB"),
        ],
    )
    run.record("score", benchmark="mini", computed=24)
    run.parquet()
    run.close()
    return Run.open(path)


def state(run: Run) -> tuple[dict, ...]:  # type: ignore[type-arg]
    """The rows, samples, outputs and metrics that a run says it has."""
    return (
        {one.key: one for one in run.rows()},
        {one["id"]: str(one) for one in run.samples("mini")},
        {(one.sample, one.editor): one for one in run.edits()},
        dict(run.metrics("mini")),
    )

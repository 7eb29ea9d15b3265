"""A run with samples, editors and rows, for tests of ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.images import write_png
from editgauge.store.labels import Samples
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord
from editgauge.study.design import resolved
from editgauge.study.pictures import outputs_of
from editgauge.study.scales import rating_row
from editgauge.study.studies import begin
from editgauge.testing import make_sample
from editgauge.types import Metric, Row, Status

EDITORS = ("alpha", "beta", "gamma")
JUDGE = "judge-1"


def judged(index: int, number: int) -> float:
    """What the judge gives to editor `number` on sample `index`: integers from 1 to 5."""
    return float(1 + (index * 7 + number * 2) % 5)


def rating(**more: Any) -> Row:
    """Four of five by ann for the question IF."""
    facts = {"benchmark": "bench", "sample": "s00", "editor": "alpha", "question": "IF",
             "annotator": "ann", "scale": "rate", "value": 4.0}  # fmt: skip
    return rating_row(**{**facts, **more})


def started(
    place: Path, names: Sequence[str], *, editors: tuple[str, ...] = EDITORS, **facts: Any
) -> tuple[Run, dict[str, str]]:
    """A run of nine samples, and a study of them that was started: annotator -> token."""
    run = make_run(place, samples=9, editors=editors)
    facts = {"name": "first", "mode": "rate", "questions": [{"id": "IF"}], **facts}
    outputs = outputs_of(run, "bench")
    design = resolved(facts, Samples(run.samples("bench")), outputs, "bench")
    return run, begin(run, design, outputs, names)


def make_run(
    place: Path, *, samples: int = 12, editors: tuple[str, ...] = EDITORS, benchmark: str = "bench"
) -> Run:
    """Samples ``s00``…, an output of each editor, and a judge's rows of the metric ``IF``."""
    random = np.random.default_rng(0)
    data = place / "data"
    found = [
        make_sample(
            data, f"s{index:02}", size=(60, 40), benchmark=benchmark, knowledge=f"what is known of {index}",
            attributes={"organ": ["eye", "hand"][index % 2], "difficulty": "easy"},
        )
        for index in range(samples)
    ]  # fmt: skip
    run = Run.create(place / "run")
    keep_samples(run, benchmark, data, found, found)
    run.keep_metrics(benchmark, [Metric("IF", direction="higher", low=1.0, high=5.0)])
    for index, sample in enumerate(found):
        for number, editor in enumerate(editors):
            path = f"edits/{benchmark}/{editor}/{index}.png"
            pixels = random.integers(0, 255, (40 + 8 * number, 60, 3), dtype=np.uint8)
            write_png(run.path / path, pixels)
            whose = {"benchmark": benchmark, "sample": sample.id, "editor": editor}
            run.write_edits([EditRecord(**whose, status=Status.SCORED, path=path)])
            run.put([Row(**whose, scorer="judge", metric="IF", variant="faithful", reason="",
                         value=judged(index, number), status=Status.SCORED, source=JUDGE,
                         fingerprint=f"{index}{editor}")])  # fmt: skip
    return Run.open(run.path)

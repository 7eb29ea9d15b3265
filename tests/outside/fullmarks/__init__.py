"""A benchmark whose headline is the share of samples with all dimensions full, as a package of one
folder.

Data: one folder a sample with ``before.png``, ``wanted.png`` and ``task.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from editgauge import (
    Benchmark,
    Column,
    DataError,
    Derived,
    Mean,
    Metric,
    PaperTable,
    Question,
    Questions,
    Sample,
    Samples,
    by_track,
    metric,
    need_folder,
)

NAME, FULL = "fullmarks", 3
DIMENSIONS = tuple(
    Metric(name, direction="higher", low=1, high=FULL, digits=2, failure=1, note=note)
    for name, note in {
        "obeys": "Was the task done?",
        "keeps": "Is the rest as it was?",
        "fits": "Does the change fit in?",
    }.items()
)
ALL_FULL = Derived(
    Metric(
        "all_full",
        heading="All full",
        direction="higher",
        low=0,
        high=1,
        failure=0,
        note="1 where every dimension is full: its mean is the share of flawless edits.",
    ),
    tuple(dimension.name for dimension in DIMENSIONS),
    lambda values: float(all(value == FULL for value in values.values())),
)


@metric("distance", direction="lower", low=0, high=255, against="reference", failure=255)
def distance(wanted: Any, edited: Any) -> float:
    """The mean absolute difference from the wanted picture."""
    return float(np.abs(wanted.astype(float) - edited.astype(float)).mean())


def load(root: Path | None, *, split: str | None = None) -> Samples:
    folder = need_folder(root, NAME)
    places = sorted(path.parent for path in folder.glob("*/task.txt"))
    if not places or split is not None:
        raise DataError(f"{folder}: wanted folders with task.txt and no splits; name its folder")

    def read(note: object) -> Iterator[Sample]:
        for place in places:
            yield Sample(
                benchmark=NAME,
                id=place.name,
                split="all",
                category=("all",),
                instruction=(place / "task.txt").read_text(encoding="utf-8").strip(),
                images=(place / "before.png",),
                output_stems=(place.name,),
                reference=place / "wanted.png",
            )

    return Samples(NAME, folder, read)


TABLE = PaperTable(
    name=f"{NAME}.all",
    title="Share of samples with full marks",
    columns=[
        Column(shown.name, (Mean(shown.name),))
        for shown in (ALL_FULL.metric, *DIMENSIONS, *distance.metrics)
    ],
    headline="all_full",
)


BENCHMARK = Benchmark(
    name=NAME,
    title="Full marks",
    citation="none",
    metrics=(*DIMENSIONS, *distance.metrics),
    load=load,
    scorers=by_track({"pixel": [lambda **options: [distance]]}),
    tables=(TABLE,),
    judging=lambda: Questions(
        metrics=DIMENSIONS,
        questions=(Question(rubric="marks", metrics=("obeys", "keeps", "fits")),),
    ),
    rubrics=Path(__file__).parent / "rubrics",
    derived=(ALL_FULL,),
)

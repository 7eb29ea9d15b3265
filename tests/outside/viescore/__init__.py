"""A VIEScore-like benchmark as a package of one folder: semantic consistency and perceptual
quality, each two sub-scores in one list, and their geometric mean.

Data: ``pairs.json``, a list of {"id", "file", "instruction", "kind"}, with the pictures beside it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

from editgauge import (
    Benchmark,
    Column,
    DataError,
    Derived,
    Mean,
    Metric,
    PaperTable,
    Plot,
    Question,
    Questions,
    Sample,
    Samples,
    need_folder,
    output_alone,
)

NAME = "viescore"


def scored(name: str, heading: str, note: str) -> Metric:
    return Metric(
        name, heading=heading, direction="higher", low=0, high=10, digits=2, failure=0, note=note
    )


SUCCESS = scored("success", "Success", "Does the edit follow the instruction?")
RESTRAINT = scored("restraint", "Restraint", "Is only what was asked for changed?")
NATURAL = scored("natural", "Natural", "Does the picture look natural?")
CLEAN = scored("clean", "Clean", "Is it free of artifacts?")
METRICS = (SUCCESS, RESTRAINT, NATURAL, CLEAN)


def overall(values: Mapping[str, float]) -> float:
    consistency = min(values["success"], values["restraint"])
    quality = min(values["natural"], values["clean"])
    return math.sqrt(consistency * quality)


CONSISTENCY = Derived(
    scored("SC", "SC", "The lower of success and restraint."),
    ("success", "restraint"),
    lambda values: min(values.values()),
)
QUALITY = Derived(
    scored("PQ", "PQ", "The lower of natural and clean."),
    ("natural", "clean"),
    lambda values: min(values.values()),
)
OVERALL = Derived(
    scored("O", "O", "The square root of SC times PQ."), tuple(m.name for m in METRICS), overall
)


def load(root: Path | None, *, split: str | None = None) -> Samples:
    folder = need_folder(root, NAME)
    if not (folder / "pairs.json").is_file():
        raise DataError(f"{folder}: wanted pairs.json of {NAME}, found none; name its folder")

    def read(note: object) -> Iterator[Sample]:
        for pair in json.loads((folder / "pairs.json").read_text(encoding="utf-8")):
            if split in (None, pair["kind"]):
                yield Sample(
                    benchmark=NAME,
                    id=pair["id"],
                    split=pair["kind"],
                    category=(pair["kind"],),
                    instruction=pair["instruction"],
                    images=(folder / pair["file"],),
                    output_stems=(pair["id"],),
                    attributes={"kind": pair["kind"]},
                )

    return Samples(NAME, folder, read)


TABLE = PaperTable(
    name=f"{NAME}.judge",
    title="VIEScore-like, judged 0-10",
    columns=[
        Column(metric.name, (Mean(metric.name),))
        for metric in (*METRICS, CONSISTENCY.metric, QUALITY.metric, OVERALL.metric)
    ],
    headline="O",
)


BENCHMARK = Benchmark(
    name=NAME,
    title="A VIEScore-like benchmark",
    citation="after VIEScore, arXiv 2312.14867",
    metrics=METRICS,
    load=load,
    tables=(TABLE,),
    judging=lambda: Questions(
        metrics=METRICS,
        questions=(
            Question(rubric="consistency", metrics=("success", "restraint")),
            Question(rubric="quality", metrics=("natural", "clean"), show=output_alone),
        ),
    ),
    rubrics=Path(__file__).parent / "rubrics",
    derived=(CONSISTENCY, QUALITY, OVERALL),
    figures=(Plot("bars", "kind", "by kind of edit"),),
)

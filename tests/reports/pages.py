"""A run of two models whose report is looked at, and a headless Chromium to look with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.images import write_png
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord
from editgauge.types import VARIANTS, Metric, Row, Sample, Status
from tests.chromium import chromium
from tests.made_rows import row

NUMBER = 30
METRICS = {
    "ssim": Metric("ssim", direction="higher", low=0, high=1, heading="CP", keeps=True,
                   plain="how much stayed as it was"),
    "IF": Metric("IF", direction="higher", low=0, high=5),
    "EA": Metric("EA", direction="higher", low=0, high=10, digits=2, printed=((0, 0), (10, 1))),
}  # fmt: skip


def value_of(index: int) -> float:
    return round(0.5 + 0.0123456789 * index, 10)


def made_run(place: Path) -> Run:
    """30 samples, two editors: `same` changes nothing, `box` turns the masked part; of `box` the
    judge refused sample 4, and EA (7 as released, 3 corrected) misses the last one.
    """
    data, samples, edits = place / "data", [], []
    random, mask = np.random.default_rng(5), np.zeros((90, 120), np.uint8)
    mask[20:50, 30:70] = 255
    write_png(data / "mask.png", mask)
    run = Run.create(place / "run")
    for index in range(NUMBER):
        sample = Sample(
            benchmark="bench", id=f"part/{index:02}", split="real" if index % 2 else "made",
            category=("all",), instruction=f"do thing {index}", images=(data / f"{index}.png",),
            output_stems=(f"{index}",), masks={"input": data / "mask.png"},
            attributes={"topic": f"topic {index % 3}", "difficulty": ["easy", "hard"][index % 2],
                        "reference_outside": index == 1},
        )  # fmt: skip
        samples.append(sample)
        pixels = random.integers(0, 255, (90, 120, 3), dtype=np.uint8)
        write_png(sample.image, pixels)
        for editor in ("same", "box"):
            if editor == "box":
                pixels[20:50, 30:70] = 255 - pixels[20:50, 30:70]
            write_png(run.path / (at := f"edits/bench/{editor}/{index}.png"), pixels)
            told = {"sample": sample.id, "editor": editor, "path": at, "status": Status.SCORED}
            edits.append(EditRecord(benchmark="bench", **told))  # type: ignore[arg-type]
    keep_samples(run, "bench", data, samples, samples)
    run.write_edits(edits)
    run.put([one for index, sample in enumerate(samples) for one in rows(sample.id, index)])
    return Run.open(place / "run")


def rows(sample: str, index: int) -> Iterator[Row]:
    made = partial(row, sample, benchmark="bench")
    boxes = {"boxes": {"input": [[1, 2, 30, 40, "word"]]}}
    yield made("same", "ssim", 1.0)
    yield made("box", "ssim", value_of(index))
    yield replace(made("same", "IF", 0.0, source="judge-1"), detail=boxes)
    refused = {"status": Status.REFUSED} if index == 4 else {}
    yield made("box", "IF", None if refused else float(index % 6), source="judge-1", **refused)
    gone = {"status": Status.MISSING} if index == NUMBER - 1 else {}
    for variant, value in zip(VARIANTS, (7.0, 3.0), strict=True):
        yield made("box", "EA", None if gone else value, variant=variant, **gone)
    why = {7: Status.NOT_APPLICABLE, 8: Status.NOT_MEASURED}.get(index)
    for editor in ("box", "same") if why else ():
        yield made(editor, "NED", None, source="ocr-1", status=why)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser

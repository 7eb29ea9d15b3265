"""A real server that somebody else wrote: llama.cpp's, with a two-file model made by the test.

The model's score is the brightness of the last picture (see `tiny_judge`): what comes back proves
that pictures arrive decoded, in our order, under a JSON schema that the server enforces.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tests.judging import tiny_judge
from tests.judging.conftest import Bench

from editgauge import catalog
from editgauge.benchmarks.texteditbench.judge import JUDGING
from editgauge.images import write_png
from editgauge.judging.asking import Job
from editgauge.judging.prompts import RubricFolder
from editgauge.judging.protocol import Call
from editgauge.judging.reading import to_scores
from editgauge.testing import make_sample
from editgauge.types import Edit, Sample

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "gguf")),
    reason="the wheels xllamacpp and gguf are not installed (extra dev)",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running server's address; it is ready in about a second."""
    folder = tmp_path_factory.mktemp("tiny-judge")
    tiny_judge.make(folder)
    process = subprocess.Popen(
        [sys.executable, "-c", tiny_judge.SERVE, str(folder), "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening "), "the server did not start"
        yield line.split()[1] + "/v1"
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def grey(path: Path, ninths: int) -> Path:
    """A square picture whose brightness is so many ninths."""
    write_png(path, np.full((56, 56, 3), round(255 * ninths / 9), np.uint8))
    return path


def sample_of(folder: Path, levels: tuple[int, int, int | None]) -> tuple[Sample, Edit]:
    """A sample whose input, output and reference have these brightnesses."""
    sample = make_sample(folder, "s")
    first, output, reference = levels
    place = f"{first}-{output}-{reference}"
    sample = replace(
        sample,
        images=(grey(folder / place / "input.png", first),),
        reference=None if reference is None else grey(folder / place / "reference.png", reference),
    )
    return sample, Edit(sample="s", editor="e", path=grey(folder / place / "output.png", output))


def calls_of(folder: Path, levels: tuple[int, int, int | None]) -> list[Call]:
    sample, edit = sample_of(folder, levels)
    return list(
        JUDGING.calls(
            sample, edit, RubricFolder(catalog.find("benchmarks", "texteditbench").rubrics), {}
        )
    )


def served(url: str) -> SimpleNamespace:
    return SimpleNamespace(url=url)


def test_scores_are_the_brightness_of_the_picture_that_we_send_last(
    bench: Bench, address: str
) -> None:
    """Without a reference the output comes last, with one the reference: 0 to 5 ninths give 0 to
    5.
    """
    cases: list[tuple[tuple[int, int, int | None], int]] = [
        ((3, level, None), level) for level in range(6)
    ]
    cases += [((0, 1, 4), 4), ((5, 4, 0), 0)]
    jobs = [
        Job(call, 0, {}, (number, index))
        for number, (levels, _) in enumerate(cases)
        for index, call in enumerate(calls_of(bench.folder, levels))
    ]
    heard = bench.ask(served(address), jobs=jobs, model="tiny-judge", concurrency=2, timeout=60.0)
    for job, one in zip(jobs, heard, strict=True):
        scores = to_scores(job.call, one)
        expected = cases[job.payload[0]][1]
        assert [score.value for score in scores] == [expected, expected], (job.payload, one)
        assert scores[0].detail["rationale"] == "ok"
        assert scores[0].detail["usage"]["prompt_tokens"] > 300
    assert bench.engine is not None
    assert bench.engine.dialect.form == "json_schema"

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
from editgauge.testing import make_sample
from editgauge.types import Edit

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("xllamacpp", "gguf")),
    reason="the wheels xllamacpp and gguf are not installed (extra dev)",
)
CASES = [*(((3, level, None), level) for level in range(6)), ((0, 1, 4), 4), ((5, 4, 0), 0)]
"""Brightness of input, output and reference in ninths -> the score: of what comes last."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running server's address; it is ready in about a second."""
    folder = tmp_path_factory.mktemp("tiny-judge")
    tiny_judge.make(folder)
    line = [sys.executable, "-c", tiny_judge.SERVE, str(folder), "2"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(line, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            said = process.stdout.readline()
            assert said.startswith("listening "), "the server did not start"
            yield said.split()[1] + "/v1"
        finally:
            process.kill()


def calls_of(folder: Path, levels: tuple[int, int, int | None]) -> list[Call]:
    """The calls about a sample whose pictures have these brightnesses."""

    def grey(ninths: int) -> Path:
        path = folder / f"{ninths}.png"
        write_png(path, np.full((56, 56, 3), round(255 * ninths / 9), np.uint8))
        return path

    first, output, reference = levels
    shown = None if reference is None else grey(reference)
    sample = replace(make_sample(folder, "s"), images=(grey(first),), reference=shown)
    rubrics = RubricFolder(catalog.find("benchmarks", "texteditbench").rubrics)
    edit = Edit(sample="s", editor="e", path=grey(output))
    return list(JUDGING.calls(sample, edit, rubrics, {}))


def test_scores_are_the_brightness_of_the_picture_that_we_send_last(
    bench: Bench, address: str
) -> None:
    jobs = [
        Job(call, 0, {}, (number, index))
        for number, (levels, _) in enumerate(CASES)
        for index, call in enumerate(calls_of(bench.folder, levels))
    ]
    server = SimpleNamespace(url=address)
    heard = bench.ask(server, jobs=jobs, model="tiny-judge", concurrency=2, timeout=60.0)
    for job, scores in zip(jobs, heard, strict=True):
        expected = CASES[job.payload[0]][1]
        assert [score.value for score in scores] == [expected, expected], (job.payload, scores)
        assert scores[0].detail["rationale"] == "ok"
        assert scores[0].detail["usage"]["prompt_tokens"] > 300
    assert bench.engine is not None
    assert bench.engine.dialect.form == "json_schema"

"""The way from Python: the same files as the commands, no printing, functions as editor and judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editgauge import Evaluation, read_image
from editgauge.errors import UsageError
from editgauge.types import Status
from tests.command_line import invoke


@pytest.fixture
def evaluation(tmp_path: Path) -> Evaluation:
    return Evaluation("mini", run=tmp_path / "run", limit=3)


def test_the_whole_way(
    evaluation: Evaluation, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evaluation.edit("copy")
    evaluation.edit(lambda sample: 255 - read_image(sample.image), name="invert")
    assert evaluation.editors == ["copy", "invert"]
    seen: list[tuple[int, int]] = []
    summary = evaluation.score(tracks=["pixel"], progress=lambda d, t, _: seen.append((d, t)))
    assert summary.computed > 0
    assert seen[-1][0] == seen[-1][1]
    table = evaluation.tables()[0]
    models = {line["model"]: line for line in table.to_dicts()}
    assert set(models) == {"copy", "invert"}
    numbers = [v for k, v in models["copy"].items() if k.endswith("_n")]
    assert numbers == [3] * len(numbers)
    comparison = evaluation.compare("copy", "invert")
    assert comparison.lines
    assert evaluation.report().is_file()
    assert capsys.readouterr().out == ""
    shown = invoke(["table", str(evaluation.run), "--format", "json"])
    first = json.loads(shown.output)["tables"][0]["rows"][0]
    assert first["name"] == "copy"


def test_a_judge_that_raises_is_a_failed_call(evaluation: Evaluation) -> None:
    evaluation.edit("copy")

    async def ask(request: Mapping[str, Any]) -> str:
        raise ValueError("no line")

    evaluation.judge("my-judge", ask=ask)
    rows = [row for row in evaluation.folder.rows() if row.variant == "corrected"]
    assert {row.status for row in rows} == {Status.FAILED}
    assert all("no line" in row.reason for row in rows)


def test_what_a_callback_raises_ends_the_step_and_keeps_what_was_done(
    evaluation: Evaluation,
) -> None:
    evaluation.edit("copy")

    class EnoughError(Exception):
        pass

    def stop(done: int, total: int, note: str) -> None:
        if done and note == "scoring":
            raise EnoughError

    with pytest.raises(EnoughError):
        evaluation.score(tracks=["pixel"], progress=stop)
    kept = len(list(evaluation.folder.rows()))
    assert kept > 0
    evaluation.score(tracks=["pixel"])
    assert len(list(evaluation.folder.rows())) >= kept


def test_words_that_do_not_fit_are_named(evaluation: Evaluation) -> None:
    with pytest.raises(UsageError, match="wants a name"):
        evaluation.edit(lambda sample: read_image(sample.image))
    with pytest.raises(UsageError, match="belong to an editor's name"):
        evaluation.edit(lambda sample: read_image(sample.image), name="x", seed=1)
    with pytest.raises(UsageError, match="no such sample"):
        Evaluation("mini", run=evaluation.run, samples=["nothing"])


def test_a_notebook_shows_an_evaluation_as_pictures(tmp_path: Path) -> None:
    evaluation = Evaluation("mini", run=tmp_path / "run", limit=2)
    evaluation.edit("copy")
    page = evaluation._repr_html_()
    assert page.count("<img") == 2 * 3, "input, reference and output of two samples"
    assert "<td>copy</td>" in page

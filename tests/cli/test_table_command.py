"""`editgauge table` on made run folders: formats, refusals, several runs, slices, and the count
behind each mean.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import Result, invoke
from tests.made_rows import record, row

from editgauge.errors import EditgaugeError
from editgauge.store.run import Run
from editgauge.types import Row, Status

RECORDS = [record(f"r{n}", split="real", topic="Signs" if n < 2 else "Posters") for n in range(4)]


def rows_of(editor: str, values: list[float | None], **more: str) -> list[Row]:
    return [
        row(f"r{n}", editor, "ssim", value, status=Status.SCORED if value is not None else Status.MISSING,
            benchmark="texteditbench", **more)  # type: ignore[arg-type]
        for n, value in enumerate(values)
    ]  # fmt: skip


def make_run(path: Path, rows: list[Row]) -> Path:
    run = Run.create(path)
    run.write_samples("texteditbench", RECORDS)
    run.put(rows)
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(
        tmp_path / "run", [*rows_of("alpha", [0.5, 0.7, 0.9, None]), *rows_of("beta", [0.25] * 4)]
    )


def call(*words: object) -> Result:
    return invoke([str(word) for word in words])


def refusal(*words: object) -> str:
    result = call(*words)
    assert isinstance(result.exception, EditgaugeError), result.output
    assert result.exception.exit_code == 2
    return str(result.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "html"], '"html" for --format'),
        (["--variant", "faithfull"], 'Did you mean "faithful"'),
        (["--where", "topic"], "attribute=value"),
        (["--where", "topic=Nothing"], "no sample"),
        (["--by", "topci"], "did you mean topic"),
        (["--editor", "alhpa"], "did you mean alpha"),
        (["--benchmark", "medebench"], "not in this run"),
        (["--only", "nothing"], "there are: texteditbench.pixel"),
        (["--source", "gpt"], "made no row"),
    ],
)
def test_bad_words_are_named(run: Path, words: list[str], said: str) -> None:
    assert said in refusal("table", run, *words)


# -- agreement -------------------------------------------------------------------------------------

"""`editgauge table` on made run folders: formats, refusals, several runs, slices, and the count
behind each mean.
"""

from __future__ import annotations

import json
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


def test_of_several_benchmarks_those_that_lack_a_word_are_left_out(run: Path) -> None:
    folder = Run.open(run)
    folder.write_samples("medebench", [record("1", organ="Eyes")])
    folder.put([row("1", "gamma", "EA", 5.0, benchmark="medebench", source="judge#1")])
    names = {words: [t["name"] for t in json.loads(call("table", run, "--format", "json", *words).stdout)["tables"]]
             for words in ((), ("--where", "topic=Signs"), ("--editor", "gamma"), ("--source", "judge"))}  # fmt: skip
    assert names[()] == names["--source", "judge"] == ["medebench.organs", "texteditbench.pixel"]
    assert names["--where", "topic=Signs"] == ["texteditbench.pixel"]
    assert names["--editor", "gamma"] == ["medebench.organs"]
    assert "did you mean gamma" in refusal("table", run, "--editor", "gamna")


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

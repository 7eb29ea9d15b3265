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
from editgauge.study.scales import rating_row
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


def test_runs_that_contradict_each_other_are_refused(run: Path, tmp_path: Path) -> None:
    other = make_run(tmp_path / "other", rows_of("beta", [0.3] * 4))
    assert "two scores of ssim" in refusal("table", run, other)


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


def rated_run(path: Path, rows: list[Row]) -> Path:
    run = Run.create(path)
    run.write_samples("medebench", [record(str(n), organ="Teeth") for n in range(3)])
    run.put(rows)
    return path


def said(editor: str, metric: str, values: list[float], **more: str) -> list[Row]:
    return [
        row(str(n), editor, metric, value, benchmark="medebench", **more)  # type: ignore[arg-type]
        for n, value in enumerate(values)
    ]


def test_the_papers_correlations_stand_beside_the_runs(tmp_path: Path) -> None:
    """People rank a > b > c on every sample; masked SSIM says a > b > c, b > a > c, c > b > a:
    1 - 6 * d / 24 with d = 0, 2 and 8 is 1, 0.5 and -1, 0.167 on average.
    """
    rows = []
    for editor, values, rank in (
        ("a", [0.9, 0.5, 0.1], 1.0), ("b", [0.5, 0.9, 0.5], 2.0), ("c", [0.1, 0.1, 0.9], 3.0),
    ):  # fmt: skip
        rows += said(editor, "masked_ssim", values)
        rows += [
            rating_row(benchmark="medebench", sample=str(n), editor=editor, question="CP",
                   annotator="ann", scale="rank", value=rank)
            for n in range(3)
        ]  # fmt: skip
    run = rated_run(tmp_path / "run", rows)
    result = call("table", run, "--only", "agree.no_ties", "--published", "--format", "json")
    (table,) = json.loads(result.stdout)["tables"]
    lines = {line["name"]: (line["kind"], line["cells"]) for line in table["rows"]}
    assert lines["masked_ssim"][0] == "run"
    assert lines["masked_ssim"][1]["CP"]["value"] == pytest.approx(1 / 6)
    kind, published = lines["Masked SSIM"]
    assert (kind, published["CP"]["text"], published["EA"]["text"]) == ("published", "0.82", "0.21")
    assert sum(kind == "published" for kind, _ in lines.values()) == 17
    plain = call("table", run, "--only", "agree.no_ties", "--format", "json")
    assert "Masked SSIM" not in plain.stdout
    assert (
        "agree."
        not in call("table", run, "--editor", "a", "--editor", "b", "--format", "json").stdout
    )


def test_the_papers_correlations_alone_where_nobody_rated(tmp_path: Path) -> None:
    run = rated_run(tmp_path / "run", said("a", "masked_ssim", [0.9, 0.5, 0.1]))
    shown = call("table", run, "--only", "agree.no_ties", "--published", "--format", "csv").stdout
    assert "GPT-4o Accuracy_D" in shown
    assert ",0.79," in shown
    assert "no such table" in refusal("table", run, "--only", "agree.no_ties")

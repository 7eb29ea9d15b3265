"""`editgauge table` refuses what it does not know by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import did
from tests.made_rows import record, row

from editgauge.errors import EditgaugeError
from editgauge.store.run import Run


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
def test_bad_words_are_named(tmp_path: Path, words: list[str], said: str) -> None:
    run = Run.create(tmp_path / "run")
    run.write_samples("texteditbench", [record("r0", split="real", topic="Signs")])
    run.put([row("r0", "alpha", "ssim", 0.5, benchmark="texteditbench")])
    with pytest.raises(EditgaugeError) as refusal:
        did(["table", run.path, *words])
    assert refusal.value.exit_code == 2
    assert said in str(refusal.value)

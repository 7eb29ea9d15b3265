"""The way from Python: the same files as the commands, no printing, functions as editor and judge."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from editgauge import Evaluation

SCRIPT = """
from pathlib import Path
import numpy as np
from numpy.typing import NDArray
import editgauge as eg

@eg.metric("gap", direction="lower", low=0, high=255)
def gap(original: NDArray[np.uint8], edited: NDArray[np.uint8]) -> float:
    return float(abs(original.mean() - edited.mean()))

class Mine:
    name = "mine"
    def __call__(self, sample: eg.Sample, folder: Path) -> eg.Edit:
        return eg.Edit.without(sample.id, self.name, eg.Status.FAILED, "no")

evaluation = eg.Evaluation("mini", run=Path("run"), limit=2)
for status, (sample, reason) in evaluation.edit(Mine()).reasons.items():
    print(status.upper(), sample.upper(), reason.upper())
print(evaluation.score(metrics=[gap], tracks=["pixel"]).without_score + 1)
names: list[str] = [row.name for table in evaluation.tables() for row in table.rows]
metrics: list[str] = [line.metric for line in evaluation.compare("copy", "mine").lines]
page: Path = evaluation.report()
outcome = evaluation.judge(eg.JudgeOptions(model="judge", budget=1.0))
missing: int = outcome.without_score
"""


def test_a_typed_script_is_checked_and_a_misspelt_word_is_found(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    wrong = "evaluation.score(devcie='cpu')\nevaluation.tables(publishd=True)\n"
    (tmp_path / "mine.py").write_text(SCRIPT + wrong)
    words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "mine.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2, done.stdout + done.stderr
    assert all(name in line for name, line in zip(("devcie", "publishd"), errors, strict=True))


def test_a_notebook_shows_an_evaluation_as_pictures(tmp_path: Path) -> None:
    evaluation = Evaluation("mini", run=tmp_path / "run", limit=2)
    evaluation.edit("copy")
    page = evaluation._repr_html_()
    assert page.count("<img") == 2 * 3, "input, reference and output of two samples"
    assert "<td>copy</td>" in page

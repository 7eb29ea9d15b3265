"""Metrics, editors and benchmarks of a user's own, handed over without packaging."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from editgauge import Evaluation, catalog, editor, metric
from editgauge.errors import EditgaugeError, UsageError
from tests.command_line import invoke
from tests.scoring.test_scorer import gap

MINE = '''
import numpy as np
from editgauge import editor, metric

@metric("brightness_gap", direction="lower", low=0, high=255)
def brightness_gap(original, edited):
    """The difference of the mean brightness."""
    return float(abs(original.mean() - edited.mean()))

@editor("invert")
def invert(image, instruction):
    """White where it was black."""
    return 255 - np.asarray(image)
'''


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[Path]:
    """A file of the user's; what it left is forgotten."""
    path = tmp_path / "my_things.py"
    path.write_text(MINE)
    before = dict(catalog._given)
    yield path
    catalog._given.clear()
    catalog._given.update(before)
    sys.modules.pop("my_things", None)
    if str(tmp_path) in sys.path:
        sys.path.remove(str(tmp_path))


def test_a_file_s_editor_and_metric_are_used_by_their_names(mine: Path, tmp_path: Path) -> None:
    common = ["mini", "--run", str(tmp_path / "run"), "--limit", "3", "--plugin", str(mine)]
    assert invoke(["edit", *common, "--editor", "invert", "--workers", "0"]).exit_code == 0
    done = invoke(["score", *common, "--tracks", "pixel", "--workers", "2"])
    assert done.exit_code in (0, 1), done.output
    assert "invert" in done.stdout
    shown = invoke(["table", str(tmp_path / "run"), "--plugin", str(mine)])
    assert "brightness_gap" in shown.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1", "nothing under @metric or @editor"),
        ("1 / 0", "ZeroDivisionError"),
        (MINE.replace('"invert"', '"copy"'), "another editor is called 'copy'"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(mine: Path, text: str, told: str) -> None:
    mine.write_text(text)
    done = invoke(["list", "--plugin", str(mine)])
    assert told in str(done.exception)
    assert isinstance(done.exception, UsageError)


# -- from Python -----------------------------------------------------------------------------------


@editor("darker")
def darker(image: object, instruction: str) -> object:
    return np.asarray(image) // 2


def test_an_own_metric_and_editor_are_handed_over(tmp_path: Path) -> None:
    evaluation = Evaluation("mini", run=tmp_path / "run", limit=2)
    assert evaluation.edit(darker).counts == {"scored": 2}
    evaluation.edit("copy")
    evaluation.score(tracks=["pixel"], metrics=[gap])
    values = {row.editor: row.value for row in evaluation.folder.rows() if row.metric == "gap"}
    assert values["copy"] == 0
    assert (values["darker"] or 0) > 5
    with pytest.raises(UsageError, match=r"metrics.*another has this name"):
        evaluation.score(tracks=["pixel"], metrics=[gap, gap])
    page = evaluation._repr_html_()
    assert page.count("<img") == 2 * 4, "input, reference and two outputs of two samples"
    assert "<td>copy</td>" in page
    shown = [evaluation, *evaluation.tables("corrected"), evaluation.compare("copy", "darker")]
    assert all(len(repr(one)) < 300 for one in shown)


def test_a_misspelt_word_is_an_error(tmp_path: Path) -> None:
    evaluation = Evaluation("mini", run=tmp_path / "run", limit=1)
    with pytest.raises(UsageError, match="nonsense"):
        evaluation.edit("copy", nonsense=3)
    with pytest.raises(UsageError, match="direction 'higer': wanted 'higher' or 'lower'"):
        metric("gap", direction="higer", low=0, high=1)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="low 1: wanted less than high, 0"):
        metric("gap", direction="higher", low=1, high=0)
    with pytest.raises(EditgaugeError, match="image, instruction"):
        editor("odd")(lambda picture, words: picture)


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

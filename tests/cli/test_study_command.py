"""`study import`, `study export` and `agree` as they are typed."""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest
from tests.command_line import invoke
from tests.study.made_study import EDITORS, judged, make_run

from editgauge.errors import UsageError


def type_(*words: object) -> str:
    done = invoke([str(word) for word in words])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return make_run(tmp_path).path


def ratings(place: Path) -> Path:
    """Two annotators who say what the judge says, and one grade higher."""
    lines = ["sample,annotator,question," + ",".join(EDITORS)]
    for index in range(12):
        for who, more in (("ann", 0), ("ben", 1)):
            values = [min(5, judged(index, number) + more) for number in range(3)]
            lines.append(f"s{index:02},{who},IF," + ",".join(f"{value:g}" for value in values))
    path = place / "ratings.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_the_whole_way(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nobody has rated anything"):
        type_("study", "agree", run)
    before = type_("table", run).partition("\n\nfaithful: as")[0]
    said = type_("study", "import", run, ratings(tmp_path), "--scale", "1-5")
    assert re.search(r"new: +72\nchanged: +0\nkept: +0\n", said)
    facts = orjson.loads(type_("study", "agree", run, "--format", "json"))
    (found,) = facts["agreements"]
    assert found["sentence"].startswith("People agree")
    errors = orjson.loads(type_("table", run, "--only", "agree.mae", "--format", "json"))
    (line,) = errors["tables"][0]["rows"]
    assert (line["name"], line["cells"]["IF"]["n"]) == ("IF · judge-1", 12)
    # ben gives one more, but for fives: the mean is half a point above the judge's 1 to 4
    scores = [judged(index, number) for index in range(12) for number in range(3)]
    wanted = sum(score < 5 for score in scores) / 2 / 36
    assert float(line["cells"]["IF"]["value"]) == pytest.approx(wanted, abs=1e-3)
    after = type_("table", run)
    assert after.startswith(before.rstrip()), "people's scores change no table of the benchmark"
    assert "people among themselves" in after.removeprefix(before.rstrip())
    assert "human" in type_("table", run, "--source", "human")
    out = tmp_path / "out.csv"
    type_("study", "export", run, out)
    assert re.search(r"new: +0\nchanged: +0\nkept: +72\n", type_("study", "import", run, out))
    whole = type_("study", "agree", run, "--all", "--format", "markdown")
    assert "Spearman per sample" in whole
    assert "alpha" in type_("compare", run, "alpha", "beta", "--source", "human")

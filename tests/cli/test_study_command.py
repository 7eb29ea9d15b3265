"""`study import`, `study export` and `agree` as they are typed."""

from __future__ import annotations

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
        type_("agree", run)
    before = type_("table", run)
    said = type_("study", "import", run, ratings(tmp_path), "--scale", "1-5")
    assert "72 ratings taken in, 0 replaced, 0 already there" in said
    facts = orjson.loads(type_("agree", run, "--json", "--resamples", 200))
    (found,) = facts["agreements"]
    (line,) = found["metrics"]
    assert (line["metric"], line["source"], line["annotators"]) == ("IF", "judge-1", 2)
    # ben gives one more, but for fives: the mean is half a point above the judge's 1 to 4
    scores = [judged(index, number) for index in range(12) for number in range(3)]
    assert line["mae"]["value"] == pytest.approx(sum(score < 5 for score in scores) / 2 / 36)
    after = type_("table", run)
    assert after.startswith(before.rstrip()), "people's scores change no table of the benchmark"
    assert "people among themselves" in after.removeprefix(before.rstrip())
    assert "human" in type_("table", run, "--source", "human")
    out = tmp_path / "out.csv"
    type_("study", "export", run, out)
    assert "0 ratings taken in, 0 replaced, 72 already there" in type_("study", "import", run, out)
    assert "Spearman per sample" in type_("agree", run, "--format", "markdown", "--resamples", 100)
    assert "alpha" in type_("compare", run, "alpha", "beta", "--source", "human")

"""`study import`, `study export` and `agree` as they are typed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.command_line import invoke
from tests.study.made_study import EDITORS, judged, make_run

from editgauge.errors import RunError, UsageError
from editgauge.store import addresses
from editgauge.study.assign import answered, next_task
from editgauge.web import pages
from editgauge.web.log import Log


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


DESIGN = """
name = "first"
mode = "rate"
annotators_per_sample = 2
seed = 1
[[questions]]
id = "IF"
text = "Good?"
[samples]
count = 4
"""


def test_a_run_on_a_store_has_ratings_and_a_study(
    run: Path, tmp_path: Path, memory_store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ratings go to the store; the study stays on the machine that starts it, and says so."""
    monkeypatch.setattr(addresses, "FIRST_PAUSE", 0.0)
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "first"))
    there = "memory://lab/runs/rated"
    with pytest.raises(RunError, match="no run is there"):
        type_("study", "status", there)
    type_("merge", run, "--to", there)
    file = ratings(tmp_path)
    assert f"agree {there}" in type_("study", "import", there, file, "--scale", "1-5")
    design = tmp_path / "design.toml"
    design.write_text(DESIGN, encoding="utf-8")
    assert f"study start {there}" in type_("study", "start", "--estimate", there, design)
    assert "/a/" in type_("study", "start", there, design, "--annotators", "cy,dan")
    assert "annotator cy; done 0; of 4" in type_("study", "status", there)
    pytest.importorskip("uvicorn")

    def served(*_: object, **__: object) -> None:
        """Cy gives one answer, and Ctrl-C ends it."""
        (path,) = (tmp_path / "first").rglob("first.sqlite")
        with Log(path) as log:
            task = next_task(log, "cy")
            assert task is not None
            answer = {"answers": {"IF": [3] * len(task.data["editors"])}}
            answered(log, task, "cy", answer, 1.0, "nonce")

    monkeypatch.setattr(pages, "serve", served)
    said = type_("study", "serve", there, "--port", "0")
    assert f"3 new ratings; next: editgauge study agree {there}" in said
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "second"))
    facts = orjson.loads(type_("study", "agree", there, "--format", "json"))
    assert facts["agreements"][0]["tables"][0]["rows"]
    assert "ratings: 75" in type_("study", "export", there, tmp_path / "out.csv")
    with pytest.raises(UsageError, match="give this one another name"):
        type_("study", "start", there, design)
    assert not [name for name in memory_store.system.store if "/study/" in name]

"""Two editors compared in pairs, and a release gated by a policy: on scores that were put in, against
arithmetic of this file.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.datasets import task_record, tasks
from tests.contract.server import ENV, Judge, chat, verdict
from tests.contract.support import cli, rows_of

NAMES = {"VC": "consistency_score", "IF": "instruction_score", "VQ": "quality_score"}
Scores = Mapping[str, Mapping[str, Sequence[int | None]]]
"""Editor -> metric -> the scores of samples 1, 2…; None: no score."""


def scored(folder: Path, scores: Scores, categories: Sequence[str] = ("color_change",)) -> Path:
    """A run of KRIS-Bench with these scores by a judge, taken in as its released script leaves them.
    The samples are dealt out to the categories by turns.
    """
    count = max(len(values) for given in scores.values() for values in given.values())
    place = {n: (categories[n % len(categories)], str(n + 1)) for n in range(count)}
    for category in categories:
        ids = [number for one, number in place.values() if one == category]
        tasks(folder / "data", {number: task_record() for number in ids}, category=category)
    for editor, given in scores.items():
        for category in categories:
            entries: dict[str, dict[str, Any]] = {}
            for metric, values in given.items():
                for n, value in enumerate(values):
                    if place[n][0] == category and value is not None:
                        entries.setdefault(place[n][1], {})[NAMES[metric]] = value
            path = folder / "results" / editor / category / "metrics.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(entries))
    cli(
        "import", "krisbench", folder / "data", "--run", folder / "run",
        "--model", "gpt-4o-2024-08-06", "--from", folder / "results",
    )  # fmt: skip
    return folder / "run"


def compared(run: Path, *words: Any, expect: int | None = 0) -> dict[str, Any]:
    """``compare`` of `old` and `new` in the corrected variant: metric, or metric and slice -> line."""
    done = cli(
        "compare", run, "old", "new", "--json", "--variant", "corrected", *words, expect=expect
    )
    (comparison,) = done.json["comparisons"]
    return {
        " ".join(filter(None, (line["metric"], line["slice"]))): line
        for line in comparison["lines"]
    }


def by_all_signs(differences: Sequence[float]) -> float:
    """The exact p of a mean difference: the share of all signs that give one as large."""
    values = np.array([d for d in differences if d])
    signs = np.array(list(itertools.product((-1, 1), repeat=len(values))))
    return float((np.abs(signs @ values) >= abs(values.sum()) - 1e-9).mean())


OLD = [3, 4, 2, 5, 3, 3, 4, 2, 3, 1, 4, 3]
NEW = [4, 4, 3, 5, 4, 3, 5, 3, 2, 3, 5, 4]
OTHER = [3, 5, 2, 4, 3, 4, 4, 2, 3, 2, 4, 2]


def test_a_difference_has_its_mean_interval_and_exact_p(tmp_path: Path) -> None:
    scores = {"old": {"VC": OLD, "VQ": OLD}, "new": {"VC": NEW, "VQ": OTHER}}
    lines = compared(scored(tmp_path, scores))
    for metric, new in (("VC", NEW), ("VQ", OTHER)):
        line, differences = lines[metric], np.subtract(new, OLD)
        assert line["n"] == 12
        assert line["mean_a"] == pytest.approx(np.mean(OLD))
        assert line["mean_b"] == pytest.approx(np.mean(new))
        assert line["difference"] == pytest.approx(differences.mean())
        assert line["p"] == pytest.approx(by_all_signs(differences), rel=1e-9)
        error = differences.std(ddof=1) / np.sqrt(12)
        assert line["difference"] - 3 * error < line["low"] < line["difference"] - error
        assert line["difference"] + error < line["high"] < line["difference"] + 3 * error
        counts = [int((np.sign(differences) == sign).sum()) for sign in (1, 0, -1)]
        assert [line["win"], line["tie"], line["loss"]] == counts
    moved = [lines["VC"][way][0]["sample"] for way in ("up", "down")]
    assert moved == ["color_change/10", "color_change/9"]
    low, high = sorted(line["p"] for line in lines.values())
    assert sorted(line["holm"] for line in lines.values()) == pytest.approx(
        [2 * low, max(2 * low, high)]
    )


def test_only_samples_that_both_have_are_compared(tmp_path: Path) -> None:
    new = [None, *NEW[1:]]
    line = compared(scored(tmp_path, {"old": {"VC": OLD}, "new": {"VC": new}}))["VC"]
    assert (line["n"], line["only_a"], line["only_b"]) == (11, 1, 0)
    assert line["difference"] == pytest.approx(np.subtract(NEW[1:], OLD[1:]).mean())


def test_a_slice_shows_the_loss_that_the_whole_hides(tmp_path: Path) -> None:
    old = [3] * 24
    new = [5, 2] * 12
    run = scored(
        tmp_path, {"old": {"VC": old}, "new": {"VC": new}}, ("color_change", "size_adjustment")
    )
    lines = compared(run, "--by", "task")
    assert lines["VC"]["difference"] == pytest.approx(0.5)
    sliced = {name: line for name, line in lines.items() if line["slice"]}
    assert {line["slice"]: line["difference"] for line in sliced.values()} == pytest.approx(
        {"color_change": 2, "size_adjustment": -1}
    )
    assert {line["n"] for line in sliced.values()} == {12}


def test_two_runs_are_compared_without_copying(tmp_path: Path) -> None:
    both = compared(scored(tmp_path / "both", {"old": {"VC": OLD}, "new": {"VC": NEW}}))
    one = scored(tmp_path / "one", {"old": {"VC": OLD}})
    two = scored(tmp_path / "two", {"new": {"VC": NEW}})
    assert compared(one, "--with", two)["VC"] == both["VC"]


WORSE = [2] * 24
BETTER = [4] * 24


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (WORSE, BETTER, 0),
        (BETTER, BETTER, 0),
        (BETTER, WORSE, 1),
        (WORSE, [None, *BETTER[1:]], 1),
    ],
    ids=["better", "equal", "worse", "fewer scores"],
)
def test_fail_if_worse_tells_by_its_exit_code(
    old: list[int], new: list[int], code: int, tmp_path: Path
) -> None:
    run = scored(tmp_path, {"old": {"VC": old}, "new": {"VC": new}})
    compared(run, "--fail-if-worse", expect=code)


@pytest.mark.parametrize("form", ["terminal", "markdown", "csv", "latex"])
def test_every_format_has_the_difference(form: str, tmp_path: Path) -> None:
    run = scored(tmp_path, {"old": {"VC": WORSE}, "new": {"VC": BETTER}})
    assert "2.0" in cli("compare", run, "old", "new", "--format", form).out.replace("\\", "")


def test_an_editor_that_is_not_there_is_named(tmp_path: Path) -> None:
    run = scored(tmp_path, {"old": {"VC": OLD}, "new": {"VC": NEW}})
    assert "newer" in cli("compare", run, "old", "newer", expect=2).err


# -- the gate --------------------------------------------------------------------------------------


def noisy(shift: int, seed: int = 0) -> list[int]:
    """40 scores around 3, a fifth of them moved by one, all by `shift`."""
    moved = np.random.default_rng(seed).choice([-1, 0, 0, 0, 1], 40)
    return [int(value) for value in np.clip(3 + moved + shift, 1, 5)]


def gated(run: Path, policy: str, *words: Any, expect: int | None = None) -> Any:
    path = run.parent / "policy.toml"
    path.write_text(policy)
    return cli("compare", run, "old", "new", "--gate", path, *words, expect=expect)


POLICY = """
variant = "corrected"
[[metric]]
name = "VC"
margin = {margin}
"""
VERDICTS = [
    pytest.param(1, 0.3, "PASS", 0, id="better"),
    pytest.param(-1, 0.3, "FAIL", 1, id="worse"),
    pytest.param(0, 0.02, "CANNOT TELL", 4, id="too few samples for so small a margin"),
]


@pytest.mark.parametrize(("shift", "margin", "verdict", "code"), VERDICTS)
def test_a_gate_has_three_verdicts_with_exit_codes(
    shift: int, margin: float, verdict: str, code: int, tmp_path: Path
) -> None:
    scores = {"old": {"VC": noisy(0)}, "new": {"VC": noisy(shift, seed=1)}}
    run = scored(tmp_path, scores)
    told = gated(run, POLICY.format(margin=margin), "--json", expect=code).json
    assert told["verdict"].replace("_", " ").upper() == verdict
    assert told["passed"] is (verdict == "PASS")
    (gate,) = told["gates"]
    assert {check["kind"] for check in gate["checks"]} == {"coverage", "margin"}


PLAIN = POLICY.format(margin=0.3)
GATES: Mapping[str, tuple[Sequence[int | None], Sequence[int | None], str, str]] = {
    "missing scores, unless they are allowed": (
        noisy(0), [None, None, *noisy(1, seed=1)[2:]], "coverage = 0.9\n" + PLAIN, PLAIN,
    ),
    "a floor, whatever the baseline": (
        noisy(-2), noisy(0, seed=1), PLAIN + "floor = 2.0\n", PLAIN + "floor = 4.0\n",
    ),
    "a part of the samples, alone": (
        [3] * 80, [5, 2] * 40, PLAIN, PLAIN + 'where = "task=size_adjustment"\n',
    ),
}  # fmt: skip
"""The old scores, the new ones, a policy that they pass and one that they fail."""


@pytest.mark.parametrize("kind", GATES)
def test_a_gate_looks_at(kind: str, tmp_path: Path) -> None:
    old, new, passed, failed = GATES[kind]
    scores = {"old": {"VC": old}, "new": {"VC": new}}
    run = scored(tmp_path, scores, ("color_change", "size_adjustment"))
    gated(run, passed, expect=0)
    gated(run, failed, expect=1)


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        ("[[metric]]\nname = 'VC'\nmarign = 1.0\n", "marign"),
        ("[[metric]]\nname = 'VC'\nmargin = 'wide'\n", "margin"),
        ("[[metric]]\nname = 'VCC'\nmargin = 1.0\n", "did you mean VC"),
        ("[[metric", "policy.toml"),
        ("[[metric]]\nname = 'averge'\nmargin = 1.0\n", "did you mean average"),
    ],
)
def test_a_wrong_policy_is_one_error_that_names_it(policy: str, named: str, tmp_path: Path) -> None:
    run = scored(tmp_path, {"old": {"VC": OLD}, "new": {"VC": NEW}})
    done = gated(run, policy, expect=2)
    assert named in done.err
    assert "Traceback" not in done.err


def test_a_rule_for_a_metric_that_nobody_scored_is_no_pass(tmp_path: Path) -> None:
    run = scored(tmp_path, {"old": {"VC": noisy(0)}, "new": {"VC": noisy(1)}})
    assert "KP" in gated(run, POLICY.format(margin=0.3).replace("VC", "KP"), expect=4).out


def test_ratings_of_people_correct_a_judges_difference(tmp_path: Path) -> None:
    """The judge sees a gain of one everywhere; the people who rated half of the samples see one in
    every second: the corrected difference is theirs.
    """
    scores = {"old": {"VC": [3, 4] * 10}, "new": {"VC": [4, 5] * 10}}
    run = scored(tmp_path, scores)
    lines = ["sample,annotator,editor,value"]
    for n in range(1, 11):
        for editor, gain in (("old", 0), ("new", n % 2)):
            lines.append(f"color_change/{n},ann,{editor},{2 + (n % 3) + gain}")
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("\n".join(lines))
    cli("study", "import", run, ratings, "--scale", "1-5", "--question", "VC")
    done = cli("compare", run, "old", "new", "--calibrate", "human", "--json")
    (row,) = done.json["tables"][0]["rows"]
    corrected, alone = row["cells"]["difference"], row["cells"]["alone"]
    assert compared(run)["VC"]["difference"] == pytest.approx(1)
    assert float(corrected["value"]) == pytest.approx(0.5)
    assert float(corrected["low"]) < 0.5 < float(corrected["high"])
    assert (alone["n"], alone["of"]) == (10, 20)


def test_a_judge_with_a_limit_is_the_gold_of_as_many_samples(tmp_path: Path) -> None:
    """``judge --limit 12`` and ``--calibrate JUDGE@12`` draw the same samples."""
    run = tmp_path / "run"
    cli("edit", "mini", "--editor", "copy", "--run", run, "--limit", 20, "--workers", 0)
    with Judge(lambda asked: chat(verdict(asked, 3), model=asked.json["model"])) as server:
        words = ("judge", "mini", "--run", run, "--editor", "copy", "--base-url", server.url)
        cli(*words, "--model", "cheap-1", env=ENV, expect=None)
        cli(*words, "--model", "strong-1", "--limit", 12, env=ENV, expect=None)
    rows = [row for row in rows_of(run) if row["scorer"] == "judge" and row["value"] is not None]
    strong = {row["sample"] for row in rows if row["source"].startswith("strong-1")}
    assert len(strong) == 12
    done = cli("table", run, "--calibrate", "strong-1@12", "--json")
    assert done.json["tables"]
    for table in done.json["tables"]:
        metric = table["name"].rpartition(".")[2]
        rated = {row["sample"] for row in rows if row["metric"] == metric} & strong
        (line,) = table["rows"]
        assert line["cells"]["alone"]["n"] == len(rated)

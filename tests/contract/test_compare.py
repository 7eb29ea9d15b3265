"""Two editors compared in pairs, and a release gated by a policy: on scores that were put in, against
arithmetic of this file.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.contract.datasets import WEB, instance, task_record, tasks
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


@pytest.mark.parametrize("size", [24, 60])
def test_a_small_alpha_can_fail(size: int, tmp_path: Path) -> None:
    """The least p of drawn signs, 1 in 16,384, is above an alpha of a millionth."""
    new = [1 + n % 2 for n in range(size)]
    run = scored(tmp_path, {"old": {"VC": [4] * size}, "new": {"VC": new}})
    words = ("--set", "alpha=0.000001", "--fail-if-worse")
    line = compared(run, *words, expect=1)["VC"]
    assert line["p"] == pytest.approx(2.0 ** (1 - size), rel=1e-9)
    assert line["verdict"] == "worse"


def test_p_is_corrected_over_the_lines_of_all_benchmarks(tmp_path: Path) -> None:
    kris = scored(tmp_path / "kris", {"old": {"VC": OLD}, "new": {"VC": NEW}})
    psnr = [20.0 + n for n in range(12)]
    text = pixel_scored(tmp_path / "text", {"old": psnr, "new": [v + 1 for v in psnr]})
    done = cli("compare", kris, "old", "new", "--with", text, "--json", "--variant", "faithful")
    comparisons = done.json["comparisons"]
    assert len(comparisons) == 2
    lines = [line for comparison in comparisons for line in comparison["lines"]]
    assert len(lines) > 1
    least = min(lines, key=lambda line: line["p"])
    assert least["holm"] == pytest.approx(len(lines) * least["p"])
    assert {comparison["tests"] for comparison in comparisons} == {len(lines)}


def pixel_scored(folder: Path, psnr: Mapping[str, Sequence[float]]) -> Path:
    """A run of TextEditBench with these PSNRs, taken in as the released script leaves them."""
    for number in range(1, 1 + len(psnr["old"])):
        instance(folder / "data", number, split=WEB)
    for editor, values in psnr.items():
        details = [
            {"id": str(n + 1), "mse": 255**2 / 10 ** (value / 10), "psnr": value}
            for n, value in enumerate(values)
        ]
        path = folder / f"{editor}.json"
        path.write_text(json.dumps({"details": details}))
        cli(
            "import", "texteditbench", folder / "data", "--run", folder / "run",
            "--from", path, "--split", "real",
        )  # fmt: skip
    return folder / "run"


ENDLESS = math.inf
INFINITE = {
    "most samples are lost": ([30.0] * 12 + [ENDLESS] * 14, "higher", "not clear"),
    "some are lost": ([30.0] * 23 + [ENDLESS] * 3, "higher", "not clear"),
    "none is": ([30.0] * 26, "higher", "better"),
    "the other way round": ([30.0] * 12 + [ENDLESS] * 14, "lower", "worse"),
}
"""The old PSNRs of 26 samples, whether the new ones are higher where both are finite, the verdict."""


@pytest.mark.parametrize("kind", INFINITE)
def test_samples_in_no_mean_that_could_turn_a_verdict_prevent_it(kind: str, tmp_path: Path) -> None:
    """12 of 26 gained 14 dB, and the other 14 lost an infinite PSNR: it was called better."""
    old, way, verdict = INFINITE[kind]
    shift = 14 if way == "higher" else -14
    new = [44.0 + n / 10 if math.isinf(v) else v + shift + n / 10 for n, v in enumerate(old)]
    run = pixel_scored(tmp_path, {"old": old, "new": new})
    done = cli("compare", run, "old", "new", "--json", "--variant", "faithful", "--metric", "psnr")
    (line,) = done.json["comparisons"][0]["lines"]
    assert line["verdict"] == verdict
    lost = sum(map(math.isinf, old))
    assert line["loss"] == (lost if way == "higher" else 26)
    if verdict == "not clear":
        assert str(lost) in line["reason"]
        told = cli("compare", run, "old", "new", "--metric", "psnr", "--format", "markdown").out
        assert "better on psnr" not in told
        assert "infinite" in told


@pytest.mark.parametrize(("given", "verdict"), [(26, "better"), (16, "better"), (12, "not clear")])
def test_no_editor_is_better_that_lacks_half_of_the_scores(
    given: int, verdict: str, tmp_path: Path
) -> None:
    new = [4 + n % 2 if n < given else None for n in range(26)]
    line = compared(scored(tmp_path, {"old": {"VC": [3] * 26}, "new": {"VC": new}}))["VC"]
    assert (line["n"], line["only_a"], line["verdict"]) == (given, 26 - given, verdict)


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
NO_INTERVAL = {
    "two samples": ([3, 4], [3, 3]),
    "five samples": ([3, 4, 3, 4, 5], [3, 3, 4, 4, 4]),
    "equal differences": ([3, 4] * 20, [4, 5] * 20),
}
"""Old and new scores of which there is no interval."""


@pytest.mark.parametrize("kind", NO_INTERVAL)
def test_a_gate_cannot_tell_where_there_is_no_interval(kind: str, tmp_path: Path) -> None:
    old, new = NO_INTERVAL[kind]
    run = scored(tmp_path, {"old": {"VC": old}, "new": {"VC": new}})
    policy = POLICY.format(margin=2.0) + "least_samples = 2\n"
    told = gated(run, policy, "--json", expect=4).json
    (check,) = [one for one in told["gates"][0]["checks"] if one["kind"] == "margin"]
    assert check["verdict"] == "CANNOT TELL"
    assert check["reason"]
    assert gated(run, policy, expect=4).err == ""


def test_a_gate_passes_identical_scores(tmp_path: Path) -> None:
    run = scored(tmp_path, {"old": {"VC": noisy(0)}, "new": {"VC": noisy(0)}})
    gated(run, POLICY.format(margin=0.0), expect=0)


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


def rated(folder: Path, gains: Sequence[int]) -> Path:
    """A run of 20 samples in which a judge sees a gain of one everywhere, and one annotator these
    gains on the first ones.
    """
    run = scored(folder, {"old": {"VC": [3, 4] * 10}, "new": {"VC": [4, 5] * 10}})
    lines = ["sample,annotator,editor,value"]
    for n, gain in enumerate(gains, 1):
        for editor, more in (("old", 0), ("new", gain)):
            lines.append(f"color_change/{n},ann,{editor},{2 + (n % 3) + more}")
    ratings = folder / "ratings.csv"
    ratings.write_text("\n".join(lines))
    cli("study", "import", run, ratings, "--scale", "1-5", "--question", "VC")
    return run


@pytest.mark.parametrize(
    ("gains", "code"),
    [([1, 0] * 5, 0), ([-1] * 10, 1), ([-1, -1, -1, -1, 0] * 2, 1), ([1, -1] * 5, 0)],
    ids=["better", "worse on each", "worse on most", "neither"],
)
def test_fail_if_worse_tells_by_its_exit_code_what_people_say(
    gains: Sequence[int], code: int, tmp_path: Path
) -> None:
    run = rated(tmp_path, gains)
    words = ("compare", run, "old", "new", "--calibrate", "human")
    cli(*words, "--fail-if-worse", expect=code)
    cli(*words, expect=0)


def test_ratings_of_people_correct_a_judges_difference(tmp_path: Path) -> None:
    """The judge sees a gain of one everywhere; the people who rated half of the samples see one in
    every second: the corrected difference is theirs.
    """
    run = rated(tmp_path, [n % 2 for n in range(1, 11)])
    done = cli("compare", run, "old", "new", "--calibrate", "human", "--json")
    (row,) = done.json["tables"][0]["rows"]
    corrected, alone = row["cells"]["difference"], row["cells"]["alone"]
    assert compared(run)["VC"]["difference"] == pytest.approx(1)
    assert float(corrected["value"]) == pytest.approx(0.5)
    assert float(corrected["low"]) < 0.5 < float(corrected["high"])
    assert (alone["n"], alone["of"]) == (10, 20)


# -- intervals of people's ratings -----------------------------------------------------------------


def test_the_mean_of_ratings_in_unequal_strata_lies_within_its_interval(tmp_path: Path) -> None:
    """1 of 10 rated ones of the large stratum is a 5 and all of the small one are: 28 of 100."""
    categories = (*["color_change"] * 4, "size_adjustment")
    run = scored(tmp_path, {"old": {"VC": [3, 4, 5] * 20}}, categories)
    large = [n + 1 for n in range(60) if n % 5 < 4][:10]
    small = [n + 1 for n in range(60) if n % 5 == 4]
    lines = ["sample,annotator,editor,value"]
    lines += [f"color_change/{n},ann,old,{5 if n == 1 else 1}" for n in large]
    lines += [f"size_adjustment/{n},ann,old,5" for n in small]
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("\n".join(lines))
    cli("study", "import", run, ratings, "--scale", "1-5", "--question", "VC")
    done = cli("table", run, "--calibrate", "human", "--set", "strata=task", "--json")
    (row,) = done.json["tables"][0]["rows"]
    for name in ("corrected", "alone"):
        value, low, high = (float(row["cells"][name][key]) for key in ("value", "low", "high"))
        assert value == pytest.approx(100 * (0.8 * 0.1 + 0.2 * 1.0)), (
            "1 to 5 is printed as 0 to 100"
        )
        assert 0 <= low < value < high <= 100


@pytest.mark.parametrize("seed", [44, 48, 62, 77, 82])
def test_a_high_agreement_has_no_interval_down_to_none(seed: int, tmp_path: Path) -> None:
    """r of 0.91 had [-0.26, 0.97], and self-agreement of 0.93 [-1, 1]."""
    random = np.random.default_rng(seed)
    first = random.choice([1, 2, 3, 4, 5], 20, p=[0.6, 0.25, 0.1, 0.03, 0.02])
    second = np.clip(first + random.choice([-1, 0, 0, 0, 1], 20), 1, 5)
    run = scored(tmp_path, {"old": {"VC": second.tolist()}})
    lines = ["sample,annotator,editor,value,repeat"]
    for repeat, values in enumerate((first, second)):
        for n, value in enumerate(values.tolist(), 1):
            lines.append(f"color_change/{n},ann,old,{value},{repeat}")
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("\n".join(lines))
    cli("study", "import", run, ratings, "--scale", "1-5", "--question", "VC")
    (benchmark,) = cli("study", "agree", run, "--all", "--json").json["agreements"]
    rows = [row for table in benchmark["tables"] for row in table["rows"]]
    cells = [cell for row in rows for cell in row["cells"].values()]
    high = [cell for cell in cells if cell.get("low") is not None and 0.8 < cell["value"] <= 1]
    for cell in high:
        assert 0.2 < cell["low"] < cell["value"] < cell["high"] < 1


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

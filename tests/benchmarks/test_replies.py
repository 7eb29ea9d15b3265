"""What the released scripts make of a judge's reply: ours beside theirs where they are here."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from editgauge.benchmarks.krisbench.judge import Script, released_pair
from editgauge.benchmarks.krisbench.judge import released_score as of_kris
from editgauge.benchmarks.medebench.judge import released_scores as of_medebench
from editgauge.benchmarks.textedit.judge import released_scores as of_textedit
from editgauge.benchmarks.texteditbench.judge import released_score
from tests.benchmarks.released_scripts import client, functions_of, made_replies
from tests.oracles.textedit import QUESTIONS


def released(shared: Path, name: str) -> Path:
    folder = shared / "released" / name
    if not folder.is_dir():
        pytest.skip("the released scripts are not here")
    return folder


# -- TextEditBench ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "with_reference", "without"),
    [
        ('{"IF": 4, "rationale": "ok"}', 4, 4),
        ('```json\n{"IF": 4, "rationale": "ok"}\n```', 4, 4),
        ('{"IF": 4.5, "rationale": "ok"}', 4.5, 4.5),
        ('{"IF": "4", "rationale": "ok"}', 4, 4),
        ('{"IF": null, "rationale": "ok"}', None, None),
        ('{"IF": 4}', None, None),
        ('{"IF": 4, "rationale": "a } inside"}', 4, 0),
        ('{"IF": 4, "rationale": "ok"} {"IF": 2, "rationale": "no"}', 0, 4),
        ("4", 0, 0),
        (None, 0, 0),
    ],
)
def test_no_value_and_zero_are_two_things(
    reply: str | None, with_reference: float | None, without: float | None
) -> None:
    """0 is recorded for a failed call and for no JSON; JSON without the keys records nothing."""
    assert released_score(reply, "IF", with_reference=True) == with_reference
    assert released_score(reply, "IF") == without


@pytest.mark.parametrize(
    ("script", "with_reference"), [("gpt_eval.py", True), ("gpt_eval_no_refer.py", False)]
)
def test_texteditbenchs_scripts_themselves(shared: Path, script: str, with_reference: bool) -> None:
    """2,000 made replies give what the script and its average make of them."""
    folder = released(shared, "texteditbench")
    theirs = functions_of(folder / script, CLIENT=None, API_MODEL="m")
    average = functions_of(folder / "calculate.py", List=list, Dict=dict, Any=Any)

    def recorded(reply: str | None) -> float | None:
        theirs["CLIENT"] = client(reply)
        images = ["a", "b", "c"] if with_reference else ["a", "b"]
        entry = theirs["call_llm_evaluation"]("IF", *images, "prompt", "text_delete")
        try:
            stats = average["calculate_averages"]([{"evaluation_results": {"IF": entry}}])
        except (TypeError, OverflowError):
            return None  # the released average stops at such a value
        if not stats.get("IF") or not stats["IF"]["count"]:
            return None
        value = float(stats["IF"]["sum"])
        return value if math.isfinite(value) else None

    seen = set()
    for reply in [None, "", *made_replies("IF", 2000)]:
        expected = recorded(reply)
        assert released_score(reply, "IF", with_reference=with_reference) == expected, reply
        seen.add(expected)
    assert {None, 0, 4} <= seen  # all three kinds were met


# -- KRIS-Bench ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "file", "parser", "name"),
    [
        ("common", "common", "consistency_score_and_reason", "consistency"),
        ("common", "common", "instruction_score_and_reason", "instruction"),
        ("common", "common", "quality_score_and_reason", "quality"),
        ("knowledge", "knowledge", "consistency_score", "consistency"),
        ("knowledge", "knowledge", "quality_score", "quality"),
    ],
)
def test_kris_benchs_parsers_themselves(
    shared: Path, script: Script, file: str, parser: str, name: str
) -> None:
    functions = functions_of(released(shared, "krisbench") / f"metrics_{file}.py")
    seen = set()
    for reply in made_replies(f"{name}_score", 2000) + made_replies(f"{name.title()} Score", 500):
        expected = functions[f"extract_{parser}"](reply)
        expected = expected[0] if isinstance(expected, tuple) else expected
        assert of_kris(reply, name, script) == expected, reply
        seen.add(expected)
    assert {None, 2, 3, 4, 7} <= seen


def test_kris_benchs_parser_of_the_joint_reply(shared: Path) -> None:
    folder = released(shared, "krisbench")
    theirs = functions_of(folder / "metrics_knowledge.py")["extract_dual_scores"]
    first, second = (made_replies(f"{name}_score", 1000) for name in ("instruction", "knowledge"))
    both = [one + other for one, other in zip(first, reversed(second), strict=True)]
    for reply in [*first, *second, *both]:
        expected = theirs(reply)
        pair = (expected["instruction_score"], expected["knowledge_score"])
        assert released_pair(reply) == pair, reply


# -- MedEBench and TextEdit ------------------------------------------------------------------------

NO_SCORES = (None, None, None)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Editing Accuracy: 7/10, fine\nContextual Preservation: 6/10\nVisual Quality: 8", (7, 6, 8)),
        ("Visual Quality: 12\n- Contextual Preservation: 6\n- Editing Accuracy: 7.5", (7.5, 6, 12)),
        ("Editing Accuracy: 7\nEditing Accuracy: 3\nContextual Preservation: 1\nVisual Quality: 8",
         (3, 1, 8)),
        ("**Editing Accuracy:** 7/10\nContextual Preservation: 6\nVisual Quality: 8", NO_SCORES),
        ("Editing Accuracy: 7/10\nVisual Quality: 8/10", NO_SCORES),
        ("Editing Accuracy: nan\nContextual Preservation: 6\nVisual Quality: 8/10", NO_SCORES),
        ("Editing Accuracy: -1\nContextual Preservation: 6\nVisual Quality: 8/10", NO_SCORES),
        ("", NO_SCORES),
    ],
)  # fmt: skip
def test_what_medebenchs_script_takes(reply: str, expected: tuple[float | None, ...]) -> None:
    assert tuple(of_medebench(reply).values()) == expected


GOOD = {"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}, "reason": {"Q1": "sharp"}}
FIVE = dict(zip(QUESTIONS, (5, 4, 3, 2, 1), strict=True))
NONE = dict.fromkeys(QUESTIONS)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (json.dumps(GOOD), FIVE),
        (f"Here it is:\n```json\n{json.dumps(GOOD, indent=1)}\n```", FIVE),
        (repr(GOOD), FIVE),
        (json.dumps(GOOD)[:-9], FIVE),  # breaks off in the reason
        (json.dumps({"score": GOOD["score"]}), NONE),  # no reason
        ('{"score": 5, "reason": "x"}', NONE),
        ("no", NONE),
        (
            '{"score": {"Q1": 5, "Q2": 7, "Q3": "4", "Q4": 3.0, "Q5": true}, "reason": "x"}',
            {"Q1": 5, "Q2": 7, "Q3": None, "Q4": 3, "Q5": 1},
        ),
    ],
)
def test_what_textedits_first_step_keeps(reply: str, expected: dict[str, int | None]) -> None:
    assert of_textedit(reply) == expected

"""TextEditBench: what each of the two released scripts takes from a reply."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from editgauge.benchmarks.texteditbench.judge import released_score
from tests.benchmarks.released_scripts import client, functions_of, made_replies

SCRIPTS = [("gpt_eval.py", True), ("gpt_eval_no_refer.py", False)]


@pytest.mark.parametrize(
    ("reply", "with_reference", "without"),
    [
        ('{"IF": 4, "rationale": "ok"}', 4, 4),
        ('```json\n{"IF": 4, "rationale": "ok"}\n```', 4, 4),
        ('{"IF": 4.5, "rationale": "ok"}', 4.5, 4.5),
        ('{"IF": 9, "rationale": "ok"}', 9, 9),
        ('{"IF": "4", "rationale": "ok"}', 4, 4),
        ('{"IF": true, "rationale": "ok"}', 1, 1),
        ('{"IF": null, "rationale": "ok"}', None, None),
        ('{"IF": 4}', None, None),
        ("[1]", None, None),
        ('{"IF": 4, "rationale": "a } inside"}', 4, 0),
        ('{"IF": 4, "rationale": "ok"} {"IF": 2, "rationale": "no"}', 0, 4),
        ('{"IF": 4, "rationale": "ok"}}', 0, 4),
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


@pytest.mark.parametrize(("script", "with_reference"), SCRIPTS)
def test_the_released_script_itself(shared: Path, script: str, with_reference: bool) -> None:
    """2,000 made replies give what the script and its average make of them."""
    folder = shared / "released" / "texteditbench"
    if not folder.is_dir():
        pytest.skip("the released scripts are not here")
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

    replies: list[str | None] = [None, "", *made_replies("IF", 2000)]
    seen = set()
    for reply in replies:
        expected = recorded(reply)
        assert released_score(reply, "IF", with_reference=with_reference) == expected, reply
        seen.add(expected)
    assert {None, 0, 4} <= seen  # all three kinds were met

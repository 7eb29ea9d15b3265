"""TextEdit: what the released first step keeps of a reply, and what its second step makes of that."""

from __future__ import annotations

import argparse
import csv
import glob
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.benchmarks.textedit.judge import released_scores
from tests.benchmarks.released_scripts import functions_of
from tests.oracles.textedit import QUESTIONS, normalise, weighted

GOOD = {"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}, "reason": {"Q1": "sharp"}}
FIVE = dict(zip(QUESTIONS, (5, 4, 3, 2, 1), strict=True))
NONE = dict.fromkeys(QUESTIONS)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (json.dumps(GOOD), FIVE),
        (f"Here it is:\n```json\n{json.dumps(GOOD, indent=1)}\n```", FIVE),
        (repr(GOOD), FIVE),
        (json.dumps(GOOD)[:-1] + ",}", FIVE),
        (json.dumps(GOOD)[:-9], FIVE),  # breaks off in the reason
        (json.dumps({"score": GOOD["score"]}), NONE),  # no reason
        (json.dumps({"reason": "x"}), NONE),
        ('{"score": 5, "reason": "x"}', NONE),
        ("[1]", NONE),
        ("no", NONE),
        ("", NONE),
        (
            '{"score": {"Q1": 5, "Q2": 7, "Q3": "4", "Q4": 3.0, "Q5": true}, "reason": "x"}',
            {"Q1": 5, "Q2": 7, "Q3": None, "Q4": 3, "Q5": 1},
        ),
    ],
)
def test_what_the_first_step_keeps(reply: str, expected: dict[str, int | None]) -> None:
    assert released_scores(reply) == expected


def _made(rng: random.Random) -> str:
    """A reply of five scores, good or damaged."""
    wild = [1, 2, 3, 4, 5, 5, 4, 6, 0, 4.0, 4.5, "4", None, True]
    tame = [1, 2, 3, 4, 5]
    score: Any = {name: rng.choice(wild if rng.random() < 0.1 else tame) for name in QUESTIONS}
    if rng.random() < 0.1:
        score.pop(rng.choice(QUESTIONS))
    body: dict[str, Any] = {"score": score, "reason": {"Q1": 'the word "SALE"', "Q2": "it's"}}
    if rng.random() < 0.1:
        body.pop("reason")
    text = json.dumps(body) if rng.random() < 0.7 else repr(body)
    damage = rng.randrange(8)
    if damage == 0:
        text = text[: rng.randrange(1, len(text))]
    elif damage == 1:
        text = text.replace("}", ",}")
    elif damage == 2:
        text = f"Some words.\n```json\n{text}\n```\nDone."
    elif damage == 3:
        text = text.replace('\\"', '"')
    return text


def test_both_released_steps(shared: Path, tmp_path: Path) -> None:
    """1,000 made replies: the first step's function, its two tests, and the whole second step give
    the means that our reading and our table give.
    """
    json_repair = pytest.importorskip("json_repair")
    folder = shared / "released" / "textedit"
    if not folder.is_dir():
        pytest.skip("the released scripts are not here")
    first = functions_of(folder / "vlm_metrics_eval_step1.py", json_repair=json_repair)
    rng = random.Random(11)
    replies = [_made(rng) for _ in range(1000)]
    entries = []
    for reply in replies:
        parsed = first["extract_and_parse_json"](reply.strip())
        kept = bool(parsed and "score" in parsed and "reason" in parsed)
        score = parsed["score"] if kept and isinstance(parsed, dict) else None
        entries.append({"path": {"original_image": "x/1.1.1/a.jpg"}, "gemini_eval_score": score})
    answers = tmp_path / "answers" / "m"
    answers.mkdir(parents=True)
    lines = "\n".join(json.dumps(entry) for entry in entries)
    (answers / "1.1.1.jsonl").write_text(lines)

    second = functions_of(
        folder / "vlm_metrics_eval_step2.py", os=os, glob=glob, csv=csv, np=np, argparse=argparse
    )
    second["print_markdown_table"] = second["save_csv_file"] = lambda *words: None
    out = tmp_path / "report.json"
    args = argparse.Namespace(
        answer_dir=str(tmp_path / "answers"),
        output_file=str(out),
        weights=[0.4, 0.3, 0.1, 0.1, 0.1],
        enable_cutoff=True,
    )
    second["calculate_metrics"](args)
    report = json.loads(out.read_text())["m"]["Virtual"]

    ours = [normalise(released_scores(reply)) for reply in replies]
    scored = [values for values in ours if values is not None]
    assert report["Count"] == len(scored)
    assert 300 < len(scored) < 990
    assert report["Weighted Score"] == pytest.approx(
        sum(map(weighted, scored)) / len(scored), abs=5.1e-5
    )

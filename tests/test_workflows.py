"""The workflows of this repository and the example of one: actions pinned, no token left behind, and
samples without a score left to the policy.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted([*ROOT.glob(".github/**/*.yml"), *ROOT.glob("examples/*.yml")])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_keep_no_token(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert used or "steps:" not in text
    assert [name for name in used if not re.search(r"@[0-9a-f]{40}$", name)] == []
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_the_example_leaves_missing_scores_to_the_policy() -> None:
    lines = (ROOT / "examples" / "gate-workflow.yml").read_text(encoding="utf-8").splitlines()
    steps = [line for line in lines if re.search(r"run: editgauge (edit|score) ", line)]
    assert len(steps) == 3
    assert all(line.endswith("|| test $? -eq 1") for line in steps)

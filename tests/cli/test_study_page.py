"""docs/how-to/human-study.md: its commands run as they are written, one after the other."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import invoke
from tests.test_docs import DOCS, blocks, commands

PAGE = DOCS / "how-to" / "human-study.md"
FEWER = {"edit": ["--workers", "0"], "score": ["--workers", "0", "--limit", "8"]}
"""What the test adds, for its time: no processes, and scores of the first samples only."""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def test_the_commands_of_the_page_run(folder: Path) -> None:
    (ratings,) = blocks(PAGE, "csv")
    (design,) = blocks(PAGE, "toml")
    (folder / "ratings.csv").write_text(ratings, encoding="utf-8")
    (folder / "design.toml").write_text(design, encoding="utf-8")
    typed = [words[1:] for words in commands(PAGE) if words[0] == "editgauge"]
    said = {}
    for words in typed:
        few = FEWER.get(words[0], [])
        done = invoke([*words, *few])
        good = (0, 1) if words[0] == "score" else (0,)  # 1: blank pictures have no score
        assert done.exit_code in good, (words, done.output, done.exception)
        said.setdefault(" ".join(words[:2]), done.output)
    assert {words[0] for words in typed} == {
        "edit", "score", "study", "table", "compare",
    }  # fmt: skip
    assert re.search(r"new: +18\n", said["study import"])
    assert "/a/" in said["study invite"]
    assert (folder / "exported.csv").read_text(encoding="utf-8").count("\n") == 19

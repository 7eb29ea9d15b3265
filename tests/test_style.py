"""Habits of the code that no linter has a rule for. The exceptions are today's and only shrink."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "editgauge"
STOPPED_A_READER = (
    "no score is not zero", "not made again", "goes the whole way", "before anything is spent",
    "what nobody asked for", "are not told apart", "is not told apart", "most worse", " were there, in",
    "mend it", "mend them", "mend these", "mend the ", "faults mended", "against score",
    "what made this", "found none given", "name it after",
)  # fmt: skip
"""Phrases that stopped readers of messages and pages; plainer ones stand for them."""


def test_no_phrase_that_stopped_a_reader_comes_back() -> None:
    root = SOURCE.parents[1]
    files = [path for path in SOURCE.rglob("*") if path.suffix in (".py", ".js", ".html", ".md")]
    files += [root / "README.md", root / "CHANGELOG.md", *(root / "docs").rglob("*.md")]
    assert len(files) > 300
    found = []
    for path in files:
        text = " ".join(path.read_text(encoding="utf-8").lower().replace('" "', "").split())
        found += [f"{path.name}: {words}" for words in STOPPED_A_READER if words in text]
    assert found == []

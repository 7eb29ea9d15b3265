"""Habits of the code that no linter has a rule for. The exceptions are today's and only shrink."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "editgauge"
MOST_POSITIONAL = 4
POSITIONAL: frozenset[str] = frozenset(
    {
        "benchmarks/base:Samples",
        "benchmarks/medebench/pixel:PixelScorer",
        "benchmarks/mini/records:Record",
        "benchmarks/reading:Record",
        "benchmarks/texteditbench/pixel:PixelScorer",
        "editors/service:Request",
        "instructions:Parsed",
        "judging/cache:Reply",
        "judging/calls:Call",
        "judging/estimate:Line",
        "judging/imports:ReleasedScore",
        "judging/objects:JsonPart",
        "run/worker:_Worker",
        "store/summary:Summary",
        "study/agreement:Agreement",
        "study/calibration:Difference",
        "study/people:Answers",
        "study/reading:Sheet",
        "tables/audit:Finding",
        "tables/audit:Report",
        "tables/compare:Line",
        "tables/frame:Frame",
        "types:Finding",
    }
)
"""Dataclasses with more than four fields that are still made by position."""


def dataclasses() -> dict[str, tuple[ast.ClassDef, ast.expr]]:
    """``module:Class`` -> the class and its decorator."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        module = path.relative_to(SOURCE).with_suffix("").as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                for decorator in node.decorator_list:
                    name = decorator.func if isinstance(decorator, ast.Call) else decorator
                    if isinstance(name, ast.Name) and name.id == "dataclass":
                        found[f"{module}:{node.name}"] = (node, decorator)
    return found


def by_position(node: ast.ClassDef, decorator: ast.expr) -> int:
    """How many fields can be given by position."""
    if isinstance(decorator, ast.Call) and any(k.arg == "kw_only" for k in decorator.keywords):
        return 0
    count = 0
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign):
            continue
        kind = ast.unparse(statement.annotation)
        if "KW_ONLY" in kind:
            break
        value = ast.unparse(statement.value) if statement.value else ""
        count += "ClassVar" not in kind and "init=False" not in value
    return count


def test_larger_dataclasses_are_made_by_keyword() -> None:
    large = {
        name for name, (node, decorator) in dataclasses().items()
        if by_position(node, decorator) > MOST_POSITIONAL
    }  # fmt: skip
    assert large - POSITIONAL == set(), "make them kw_only"
    assert POSITIONAL - large == set(), "no longer exceptions: take them off the list"


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

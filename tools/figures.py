"""Count what the project's size and shape are measured by; `python tools/figures.py`.

Times are processor seconds of one fresh process each, the least of five: they depend on the
machine, the counts do not.
"""

from __future__ import annotations

import ast
import io
import json
import os
import resource
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = ROOT / "src" / "editgauge", ROOT / "tests"
_BRANCHES = (
    ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler, ast.comprehension,
    ast.match_case, ast.BoolOp,
)  # fmt: skip

_NO_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING)


def trees(folder: Path) -> Iterator[tuple[Path, str, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path, text, ast.parse(text)


def code_lines(text: str, tree: ast.Module) -> int:
    """Lines with code: not blank, no comment alone, no docstring."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE and token.string.strip():
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def syntax_nodes(tree: ast.Module) -> int:
    """Nodes of the syntax tree without those that say only whether a name is read or written."""
    return sum(not isinstance(node, ast.expr_context) for node in ast.walk(tree))


def complexity(function: ast.AST) -> int:
    """McCabe's number of a function, with those inside it."""
    total = 1
    for node in ast.walk(function):
        total += (
            len(node.values) - 1 if isinstance(node, ast.BoolOp) else isinstance(node, _BRANCHES)
        )
    return total


def edges() -> set[tuple[str, str]]:
    """Pairs of rooms of which the first imports the second."""
    pairs: set[tuple[str, str]] = set()
    for path, _, tree in trees(SOURCE):
        own = path.relative_to(SOURCE).with_suffix("").parts[0]
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            rooms = {name.split(".")[1] for name in names if name.startswith("editgauge.")}
            pairs |= {(own, room) for room in rooms - {own, "__version__"}}
    return {(a, b) for a, b in pairs if not a.startswith("__")}


def seconds(*words: str) -> float:
    """Processor seconds of `python WORDS…`, the least of five."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    least = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], env=env, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(least, 3)


def figures() -> dict[str, object]:
    functions, complex_ones, long_calls, nodes, code, lines, skips = 0, 0, 0, 0, 0, 0, 0
    for _, text, tree in trees(SOURCE):
        lines += len(text.splitlines())
        skips += text.count("# fmt: skip")
        nodes += syntax_nodes(tree)
        code += code_lines(text, tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions += 1
                complex_ones += complexity(node) > 10
            elif isinstance(node, ast.Call):
                long_calls += len(node.args) > 6
    tests = sum(len(text.splitlines()) for _, text, _ in trees(TESTS))
    command = sorted(
        (SOURCE / "cli").glob("*.py"), key=lambda path: -len(path.read_text().splitlines())
    )
    return {
        "lines of src": lines,
        "files in the root": sum(1 for _ in SOURCE.glob("*.py")),
        "rooms and root modules": len({pair for edge in edges() for pair in edge}),
        "edges between them": len(edges()),
        "longest command files": {p.name: len(p.read_text().splitlines()) for p in command[:5]},
        "functions": functions,
        "share over complexity 10": round(complex_ones / functions, 4),
        "calls with more than 6 positional arguments": long_calls,
        "fmt: skip in src": skips,
        "syntax nodes a code line": round(nodes / code, 2),
        "test lines a source line": round(tests / lines, 3),
        "processor seconds of python -c pass": seconds("-c", "pass"),
        "python -c 'import editgauge'": seconds("-c", "import editgauge"),
        "editgauge --help": seconds("-m", "editgauge", "--help"),
    }


if __name__ == "__main__":
    print(json.dumps(figures(), indent=2))

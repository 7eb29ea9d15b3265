"""The words that a released script sends to a judge, taken out of its source without running it.

The papers' prompts are other people's texts. They are not part of this package: a user fetches the
released scripts, whose content is pinned, and this module reads their constants with `ast`. How the
words become messages is each benchmark's ``paper.py``, as Python. Every method raises `DataError`
that names the script, what was looked for, and what is there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from editgauge.errors import DataError

LONGEST = 4_000_000
"""Characters of a script; a released one has some 30,000."""


class Script:
    """One released script. `name` is its path in the repository."""

    def __init__(self, source: str, name: str) -> None:
        self.name = name
        if len(source) > LONGEST:
            raise DataError(f"{name}: wanted a script of at most {LONGEST:,} characters")
        try:
            self._tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise DataError(
                f"{name}: cannot be read as Python ({error}); fetch it again"
            ) from error

    def constants(self) -> dict[str, str]:
        """Every text constant at the top of the script; ``NAME[key]`` for those in a dictionary."""
        found: dict[str, str] = {}
        for node in self._tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if isinstance(node.value, ast.Dict):
                    inner = _entries(node.value).items()
                    parts = {f"{name}[{key}]": value for key, value in inner}
                else:
                    parts = {name: node.value}
                values = {key: _constant(value) for key, value in parts.items()}
                found |= {key: value for key, value in values.items() if isinstance(value, str)}
        return found

    def constant(self, name: str) -> str:
        """One of `constants`."""
        known = self.constants()
        if name not in known:
            raise self._not_there(f"the constant {name}", known)
        return known[name]

    def texts(self, function: str) -> tuple[str, ...]:
        """The text parts of the messages that a function builds, in source order, as templates for
        ``str.format``: ``"Instruction: {prompt}"``.
        """
        displays = (_entries(node) for node in self._walk(function) if isinstance(node, ast.Dict))
        texts = [_template(entries["text"]) for entries in displays if "text" in entries]
        if not texts or None in texts:
            raise self._not_there(f"messages in {function}()", self._functions())
        return tuple(text for text in texts if text is not None)

    def parameters(self, function: str) -> dict[str, Any]:
        """The constant keywords of the function's call to ``….create(…)``, without the model."""
        for node in self._walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "create":
                words = {word.arg: _constant(word.value) for word in node.keywords if word.arg}
                return {
                    name: value
                    for name, value in words.items()
                    if name not in ("model", "messages") and value is not _NONE
                }
        raise self._not_there(f"a call to create(…) in {function}()", self._functions())

    def _functions(self) -> dict[str, ast.FunctionDef]:
        nodes = ast.walk(self._tree)
        return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}

    def _walk(self, function: str) -> Iterator[ast.expr]:
        known = self._functions()
        if function not in known:
            raise self._not_there(f"the function {function}()", known)
        nodes = [node for node in ast.walk(known[function]) if isinstance(node, ast.expr)]
        yield from sorted(nodes, key=lambda node: (node.lineno, node.col_offset))

    def _not_there(self, wanted: str, known: Mapping[str, object]) -> DataError:
        there = ", ".join(sorted(known)[:20]) or "none"
        return DataError(
            f"{self.name}: looked for {wanted}, but the file has another shape (it has: {there}); "
            f"fetch the pinned version"
        )


_NONE = object()


def _constant(node: ast.expr) -> Any:
    """The value of a constant; `_NONE` for another expression."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return _NONE


def _entries(node: ast.Dict) -> dict[str, ast.expr]:
    return {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def _template(node: ast.expr) -> str | None:
    """A string expression as a template; None where it is anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.replace("{", "{{").replace("}", "}}")
    if isinstance(node, ast.Name):
        return f"{{{node.id}}}"
    if isinstance(node, ast.FormattedValue):
        return None if node.format_spec else _template(node.value)
    parts: list[ast.expr] = []
    if isinstance(node, ast.JoinedStr):
        parts = node.values
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [node.left, node.right]
    texts = [_template(part) for part in parts]
    if not parts or None in texts:
        return None
    return "".join(text for text in texts if text is not None)

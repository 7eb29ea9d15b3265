"""Functions of the released scripts, taken out of their files without running them; and replies to
read with them.
"""

from __future__ import annotations

import ast
import json
import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any


class Quiet:
    """A logger that says nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *words, **more: None


def functions_of(script: Path, **given: Any) -> dict[str, Any]:
    """The functions and constants of a script, with `given` in the place of what it imports."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    kept = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        or (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and _is_plain(node.value)
        )
    ]
    names: dict[str, Any] = {"json": json, "re": re, "Path": Path, "logger": Quiet()}
    names |= {"logging": Quiet(), "print": lambda *words, **more: None} | given
    code = ast.Module(body=kept, type_ignores=[])
    exec(compile(ast.fix_missing_locations(code), str(script), "exec", 0x1000000), names)
    return names


def _is_plain(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def client(reply: str | None) -> Any:
    """A client of OpenAI's package that always gives `reply`; None raises, as a failed call does."""

    def create(**words: Any) -> Any:
        if reply is None:
            raise RuntimeError("503")
        message = SimpleNamespace(content=reply)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason="stop")])

    return SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))


def made_replies(name: str, count: int, seed: int = 5) -> list[str]:
    """Replies about the field `name`: verdicts in good and bad JSON, prose, fences, broken ends."""
    rng = random.Random(seed)
    values = ["4", "0", "7", "4.0", "4.5", '"4"', '"4/5"', "null", "true", "[4]", "NaN", "{}", "-1"]
    values += ['"four"', "1e400", "9" * 30, '"NaN"', "04"]
    pieces = [
        "", " ", "\n", "```json\n", "```", "<think>", "</think>", "I look: 2 people. ", "{", "}",
        "4/5 ", "3 out of 5 ", f"{name} score: 3\n", f"{name}: 2\n", "{}", '{"a": {"b": 1}} ', "[1] ",
        "Result {x} is ", "score:", "'", '"',
    ]  # fmt: skip
    replies = []
    for _ in range(count):
        reason = rng.choice(["rationale", "reason", "reasoning", "note"])
        text = rng.choice(["fine", 'a "b" c', "a } b", "it's", "two\nlines", "3 signs"])
        pairs = [f'"{name}": {rng.choice(values)}', f'"{reason}": {json.dumps(text)}']
        rng.shuffle(pairs)
        body = "{" + rng.choice([", ", ",", " "]).join(pairs[: rng.choice([1, 2, 2, 2])])
        body += rng.choice(["}", "}", "}", ",}", "", "}}"])
        if rng.random() < 0.15:
            body = body.replace('"', "'")
        if rng.random() < 0.1:
            body = body[: rng.randrange(len(body) + 1)]
        before = "".join(rng.choices(pieces, k=rng.choice([0, 0, 1, 2, 3])))
        after = "".join(rng.choices(pieces, k=rng.choice([0, 0, 1, 2, 3])))
        replies.append(before + body + after)
    return replies

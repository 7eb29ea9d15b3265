"""Strings that a regular expression has most to do with, made from its parsed tree.

Every pattern of the package is found (`patterns`), and for each of them texts are made (`attacks`):
what it nearly matches over and over, and each of its repeats run on without an end that fits.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from re import _constants as names  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import editgauge

SOURCE = Path(editgauge.__file__).parent
_MANY = 8
"""A repeat of so many and more is taken for one without an end."""
_TRIES = 12
_OF_CATEGORY = {
    names.CATEGORY_SPACE: " ",
    names.CATEGORY_NOT_SPACE: "a",
    names.CATEGORY_DIGIT: "1",
    names.CATEGORY_NOT_DIGIT: "a",
    names.CATEGORY_WORD: "a",
    names.CATEGORY_NOT_WORD: "-",
}
_LETTERS = "a 1-\n.\"'x{é😀一"
"""One of these is in nearly every class that is told by what is not in it."""
_REPEATS = (names.MAX_REPEAT, names.MIN_REPEAT, names.POSSESSIVE_REPEAT)
_CALLS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


@dataclass(frozen=True, slots=True)
class Attack:
    """A text is `before`, `piece` over and over, `after`."""

    before: str
    piece: str
    after: str = ""

    def text(self, length: int) -> str:
        """About `length` characters."""
        room = length - len(self.before) - len(self.after)
        return self.before + self.piece * max(1, room // len(self.piece)) + self.after

    def __str__(self) -> str:
        return f"{self.before[:20]!r} {self.piece[:24]!r}… {self.after!r}"


def patterns() -> dict[re.Pattern[str], str]:
    """Every pattern of the package, and the module where it stands: those that modules hold, alone
    or in tables, and those that calls of `re` name as they stand.
    """
    found: dict[re.Pattern[str], str] = {}
    for module in pkgutil.walk_packages(editgauge.__path__, "editgauge."):
        if module.name.endswith("__main__"):
            continue
        try:
            loaded = importlib.import_module(module.name)
        except ImportError:  # of an extra that is not installed
            continue
        for value in vars(loaded).values():
            for pattern in _within(value, 4):
                found.setdefault(pattern, module.name.removeprefix("editgauge."))
    for path in sorted(SOURCE.rglob("*.py")):
        place = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in _CALLS
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                found.setdefault(re.compile(node.args[0].value, re.IGNORECASE), place)
    return found


def _within(value: Any, depth: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth and isinstance(value, dict):
        for part in (*value.keys(), *value.values()):
            yield from _within(part, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from _within(part, depth - 1)


def attacks(pattern: re.Pattern[str], most: int = 40) -> list[Attack]:
    """Texts for one pattern, at most `most`, the same each time."""
    tree = parser.parse(pattern.pattern, pattern.flags)
    found: set[Attack] = set()
    for seed in range(_TRIES):
        walk = _Walk(random.Random(seed))
        whole = walk.all_of(tree, "")
        for end in {len(whole), len(whole) - 1, len(whole) // 2}:
            if whole[:end]:
                found.add(Attack("", whole[:end]))
        for before, piece in walk.repeats:
            found |= {
                Attack(before, piece),
                Attack(before, piece, "\0!"),
                Attack("", before + piece),
            }
    ordered = sorted(found, key=lambda one: (len(one.piece), one.before, one.piece, one.after))
    return random.Random(1).sample(ordered, most) if len(ordered) > most else ordered


@dataclass
class _Walk:
    """One text that a tree fits, and what stood before each of its repeats."""

    chance: random.Random
    repeats: list[tuple[str, str]] = field(default_factory=list)
    groups: dict[int | None, str] = field(default_factory=dict)

    def all_of(self, nodes: Any, before: str) -> str:
        made = ""
        for operation, value in nodes:
            made += self.one(operation, value, before + made)
        return made

    def one(self, operation: Any, value: Any, before: str) -> str:
        if operation is names.LITERAL:
            return chr(value)
        if operation is names.NOT_LITERAL:
            return "a" if value != ord("a") else "b"
        if operation is names.ANY:
            return self.chance.choice("a 1")
        if operation is names.IN:
            return self.chance.choice(_of_class(value))
        if operation in _REPEATS:
            return self.repeat(*value, before)
        if operation is names.SUBPATTERN:
            self.groups[value[0]] = made = self.all_of(value[3], before)
            return made
        if operation is names.ATOMIC_GROUP:
            return self.all_of(value, before)
        if operation is names.BRANCH:
            return self.all_of(self.chance.choice(value[1]), before)
        if operation is names.GROUPREF:
            return self.groups.get(value, "")
        return ""  # a place between two letters

    def repeat(self, least: int, most: int, body: Any, before: str) -> str:
        made = self.all_of(body, before)
        if most >= _MANY and made:
            self.repeats.append((before, made))
        return made * min(most, max(least, int(self.chance.random() > 0.3)), 2000)


def _of_class(members: Any) -> list[str]:
    """Up to three letters of a class."""
    if members[0][0] is not names.NEGATE:
        letters = [
            letter
            for kind, value in members
            for letter in (
                [_OF_CATEGORY[value]]
                if kind is names.CATEGORY
                else [chr(value)]
                if kind is names.LITERAL
                else [chr(value[0]), chr(value[1])]
            )
        ]
        return [letters[0], letters[-1], letters[len(letters) // 2]]
    fitting = [letter for letter in _LETTERS if not any(_is(letter, *one) for one in members[1:])]
    return fitting[:3] or ["\u3042"]


def _is(letter: str, kind: Any, value: Any) -> bool:
    if kind is names.LITERAL:
        return ord(letter) == value
    if kind is names.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    of_category = {
        names.CATEGORY_SPACE: letter.isspace(),
        names.CATEGORY_DIGIT: letter.isdecimal(),
        names.CATEGORY_WORD: letter.isalnum() or letter == "_",
        names.CATEGORY_NOT_SPACE: not letter.isspace(),
        names.CATEGORY_NOT_DIGIT: not letter.isdecimal(),
        names.CATEGORY_NOT_WORD: not (letter.isalnum() or letter == "_"),
    }
    return of_category[value]

"""What `--help` prints, in two columns at the terminal's width. Without Rich, and without cyclopts'
way of reading docstrings: each takes longer than all the rest.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from cyclopts import App

EVERYWHERE = "Also: --json, --quiet, --verbose, --plugin FILE.py (see editgauge --help)"
_NARROW = 24
"""Columns of names; a longer name has a line of its own."""


class Line(NamedTuple):
    """An argument, an option or a command, as it is typed, and what it is."""

    name: str
    words: str
    group: str = ""
    default: str = ""
    required: bool = False


def page(app: App, typed: Iterable[str]) -> str:
    """The help of the command that words name."""
    chain, apps, _ = app.parse_commands(list(typed))
    lines = described(app, chain)
    groups = {one.group: [line for line in lines if line.group == one.group] for one in lines}
    arguments = groups.get("Arguments", [])
    usage = ["editgauge", *chain, *(bracketed(line) for line in arguments)]
    usage += ["[OPTIONS]"] if len(lines) > len(arguments) else [] if lines else ["COMMAND"]
    command = apps[-1]
    about = about_of(command).replace("``", "")
    parts = [f"Usage: {' '.join(usage)}"]
    parts += [textwrap.fill(" ".join(part.split()), _width()) for part in about.split("\n\n")]
    parts += [section(title, of) for title, of in groups.items()]
    within = [name for name in command if not name.startswith("-")]
    if within:
        first = (about_of(command[name]).split("\n\n")[0] for name in within)
        parts.append(section("Commands", map(Line, within, map(_first_sentence, first))))
    return "\n\n".join([*filter(None, parts), EVERYWHERE])


def section(title: str, lines: Iterable[Line]) -> str:
    """A title and its lines, in two columns."""
    out = [f"{title}:"]
    for line in lines:
        words = f"{line.words} [default: {line.default}]" if line.default else line.words
        folded = textwrap.wrap(words, _width() - _NARROW - 2, break_long_words=False) or [""]
        head = f"  {line.name}"
        if len(head) >= _NARROW:
            out.append(head)
        else:
            out.append(f"{head:<{_NARROW}}  {folded.pop(0)}".rstrip())
        out += [" " * (_NARROW + 2) + rest for rest in folded]
    return "\n".join(out)


def _width() -> int:
    return max(40, min(100, shutil.get_terminal_size().columns))


def about_of(command: App) -> str:
    """The words of a command: its function's docstring without arguments, else its group's."""
    text = getattr(command.default_command, "__doc__", None) or command.help or ""
    return inspect.cleandoc(text).partition("\n\nParameters\n")[0]


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[a-z])[.;:] ", " ".join(text.split()))[0].rstrip(".") + "."


def bracketed(line: Line) -> str:
    return line.name if line.required else f"[{line.name}]"


# -- arguments and options -------------------------------------------------------------------------


def described(app: App, chain: Iterable[str]) -> list[Line]:
    """The arguments and options of a command, arguments first, in the order of their groups."""
    apps = app.parse_commands(list(chain))[1]
    function = apps[-1].default_command
    if function is None:
        return []
    told = dict(_told(function))
    with app.app_stack(apps):
        every = apps[-1].assemble_argument_collection()
    options = (one for one in every if one.parse and not one.children and one.name != "*")
    return [_line(one, told.get(one.field_info.name, "")) for one in options]


def _line(argument: Any, told: str) -> Line:
    """An argument of cyclopts; `told`: what a docstring says of it."""
    kind, name = _kind(argument.hint), argument.name
    groups = [one.name for one in argument.parameter.group or () if one.name != "Parameters"]
    if positional := not name.startswith("-"):
        name = name.upper() + "…" * kind.endswith("…")
    default = argument.field_info.default
    if default in (None, "", False, ()) or isinstance(default, type):
        default = ""
    return Line(
        name=name if positional or not kind else f"{name} {kind}",
        words=" ".join((argument.parameter.help or told).split()),
        group="Arguments" if positional else "".join(groups[:1]) or "Options",
        default=default.as_posix() if isinstance(default, Path) else str(default),
        required=argument.required,
    )


def _told(function: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """What docstrings say of a command's arguments, and of the fields of its groups of options."""
    text = inspect.cleandoc(function.__doc__ or "").partition("\nParameters\n")[2]
    yield from re.findall(r"^(\w+)\n((?: {4}.+\n?)+)", text, re.MULTILINE)
    for shape in get_type_hints(function).values():
        if is_dataclass(shape) and isinstance(shape, type):
            yield from _fields(shape.__module__).get(shape.__name__, ())


@functools.cache
def _fields(module: str) -> dict[str, list[tuple[str, str]]]:
    """Class of a module -> its fields and the docstrings below them."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {
        shape.name: [
            (one.target.id, str(next_one.value.value))
            for one, next_one in pairwise(shape.body)
            if isinstance(one, ast.AnnAssign)
            and isinstance(one.target, ast.Name)
            and isinstance(next_one, ast.Expr)
            and isinstance(next_one.value, ast.Constant)
        ]
        for shape in tree.body
        if isinstance(shape, ast.ClassDef)
    }


def _kind(hint: Any) -> str:
    """What an option takes, in capitals; "" for a flag, ``…`` behind what may be repeated."""
    origin, inner = get_origin(hint), [one for one in get_args(hint) if one is not type(None)]
    if origin in (tuple, Sequence):
        return _kind(inner[0]) + "…"
    if origin is Literal:
        return "|".join(map(str, inner))
    if inner:
        return _kind(inner[0])
    return {bool: "", int: "N", float: "NUMBER", Path: "PATH"}.get(hint, "TEXT")

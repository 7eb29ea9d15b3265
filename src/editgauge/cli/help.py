"""What `--help` prints, in two columns at the terminal's width. Without Rich, which takes longer
than all the rest.
"""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

if TYPE_CHECKING:
    from cyclopts import App

EVERYWHERE = "Also: --json, --quiet, --plugin FILE.py (see editgauge --help)"
_NARROW = 24
"""Columns of names; a longer name has a line of its own."""
_KINDS = {bool: "", int: "N", float: "NUMBER", Path: "PATH"}


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
    command, lines = apps[-1], described(app, chain)
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line.group, []).append(line)
    arguments = groups.get("Arguments", [])
    usage = ["editgauge", *chain, *(n.name if n.required else f"[{n.name}]" for n in arguments)]
    usage += ["[OPTIONS]"] if len(lines) > len(arguments) else [] if lines else ["COMMAND"]
    parts = [f"Usage: {' '.join(usage)}"]
    about = _about(command).split("\n\n")
    parts += [textwrap.fill(" ".join(part.split()), _width()) for part in about]
    parts += [section(title, of) for title, of in groups.items()]
    within = {name: _about(command[name]) for name in command if not name.startswith("-")}
    if within:
        parts.append(
            section("Commands", (Line(n, _sentence(words)) for n, words in within.items()))
        )
    return "\n\n".join([*parts, EVERYWHERE])


def section(title: str, lines: Iterable[Line]) -> str:
    """A title and its lines, in two columns."""
    out = [f"{title}:"]
    for line in lines:
        words = f"{line.words} [default: {line.default}]" if line.default else line.words
        folded = textwrap.wrap(words, _width() - _NARROW - 2, break_long_words=False) or [""]
        head = f"  {line.name}"
        if len(head) < _NARROW:
            head = f"{head:<{_NARROW}}  {folded.pop(0)}".rstrip()
        out += [head, *(" " * (_NARROW + 2) + rest for rest in folded)]
    return "\n".join(out)


def _width() -> int:
    return max(40, min(100, shutil.get_terminal_size().columns))


def _about(command: App) -> str:
    """The words of a command: its function's docstring without arguments, else its group's."""
    text = getattr(command.default_command, "__doc__", None) or command.help or ""
    return inspect.cleandoc(text).partition("\n\nParameters\n")[0].replace("``", "")


def _sentence(text: str) -> str:
    return re.split(r"(?<=[a-z])[.;:](?:\s|$)", " ".join(text.split()))[0] + "."


def described(app: App, chain: Sequence[str]) -> list[Line]:
    """The arguments and options of a command, arguments first, in the order of their groups."""
    apps = app.parse_commands(list(chain))[1]
    if apps[-1].default_command is None:
        return []
    with app.app_stack(apps):
        every = apps[-1].assemble_argument_collection(parse_docstring=True)
    return [_line(one) for one in every if one.parse and not one.children and one.name != "*"]


def _line(argument: Any) -> Line:
    """An argument of cyclopts."""
    kind, name, default = _kind(argument.hint), argument.name, argument.field_info.default
    groups = [one.name for one in argument.parameter.group or () if one.name != "Parameters"]
    if positional := not name.startswith("-"):
        kind, name = "", name.upper() + "…" * kind.endswith("…")
    if default in (None, "", False, ()) or isinstance(default, type):
        default = ""
    return Line(
        name=f"{name} {kind}".rstrip(),
        words=" ".join((argument.parameter.help or "").split()),
        group="Arguments" if positional else "".join(groups[:1]) or "Options",
        default=str(default),
        required=argument.required,
    )


def _kind(hint: Any) -> str:
    """What an option takes, in capitals; "" for a flag, ``…`` behind what may be repeated."""
    inner = [one for one in get_args(hint) if one is not type(None)]
    if get_origin(hint) is Literal:
        return "|".join(map(str, inner))
    if inner:
        return _kind(inner[0]) + "…" * (get_origin(hint) in (tuple, Sequence))
    return _KINDS.get(hint, "TEXT")

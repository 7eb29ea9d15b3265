"""What `--help` prints, in two columns at the terminal's width, and what a shell offers after Tab.
Without Rich, which takes longer to import than the help takes to print.
"""

from __future__ import annotations

import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

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
    repeated: bool = False


def page(app: App, typed: Iterable[str]) -> str:
    """The help of the command that words name."""
    chain, apps, _ = app.parse_commands(list(typed))
    command = apps[-1]
    lines = list(described(app, chain))
    arguments = [line for line in lines if line.group == "Arguments"]
    usage = ["editgauge", *chain, *(_bracketed(line) for line in arguments)]
    within = _commands(command)
    if within and command.default_command is None:
        usage.append("COMMAND")
    if len(lines) > len(arguments):
        usage.append("[OPTIONS]")
    parts = [f"Usage: {' '.join(usage)}", _about(command)]
    for title in dict.fromkeys(line.group for line in lines):
        parts.append(section(title, (line for line in lines if line.group == title)))
    if within:
        parts.append(section("Commands", within))
    parts.append(EVERYWHERE)
    return "\n\n".join(part for part in parts if part)


def section(title: str, lines: Iterable[Line]) -> str:
    """A title and its lines, in two columns."""
    width = max(40, min(100, shutil.get_terminal_size().columns))
    out = [f"{title}:"]
    for line in lines:
        words = line.words
        if line.default:
            words = f"{words} [default: {line.default}]"
        folded = textwrap.wrap(words, width - _NARROW - 2, break_long_words=False) or [""]
        head = f"  {line.name}"
        if len(head) >= _NARROW:
            out.append(head)
        else:
            out.append(f"{head:<{_NARROW}}  {folded.pop(0)}".rstrip())
        out += [" " * (_NARROW + 2) + rest for rest in folded]
    return "\n".join(out)


def described(app: App, chain: Iterable[str]) -> Iterator[Line]:
    """The arguments and options of a command, arguments first, in the order of their groups."""
    _, apps, _ = app.parse_commands(list(chain))
    if apps[-1].default_command is None:
        return
    with app.app_stack(apps):
        options = [
            argument
            for argument in apps[-1].assemble_argument_collection(parse_docstring=True)
            if argument.parse and not argument.children and argument.name != "*"
        ]
    for argument in options:
        groups: Any = argument.parameter.group or ()
        group = next((one.name for one in groups), "")
        name = argument.name
        kind = _kind(argument.hint)
        positional = not name.startswith("-")
        if positional:
            name = name.upper() + ("…" if kind.endswith("…") else "")
        elif kind:
            name += f" {kind}"
        yield Line(
            name=name,
            words=" ".join((argument.parameter.help or "").split()),
            group="Arguments" if positional else "Options" if group == "Parameters" else group,
            default=_default(argument.field_info.default),
            required=argument.required,
            repeated=kind.endswith("…"),
        )


def _commands(command: App) -> list[Line]:
    names = [name for name in command if not name.startswith("-")]
    return [Line(name, _first_sentence(command[name])) for name in names]


def _first_sentence(command: App) -> str:
    text = " ".join(_about(command).split("\n\n")[0].split())
    return re.split(r"(?<=[a-z])[.;:] ", text)[0].rstrip(".") + "."


def _about(command: App) -> str:
    """The words of a command: its function's docstring, else those of its group."""
    function = command.default_command
    text = (getattr(function, "__doc__", None) if function is not None else None) or command.help
    text = (text or "").partition("Parameters\n")[0]
    width = max(40, min(100, shutil.get_terminal_size().columns))
    blocks = [" ".join(block.split()) for block in text.replace("``", "").split("\n\n")]
    return "\n\n".join(textwrap.fill(block, width) for block in blocks if block)


def _bracketed(line: Line) -> str:
    return line.name if line.required else f"[{line.name}]"


def _kind(hint: Any) -> str:
    """What an option takes, in capitals; "" for a flag, ``…`` behind what may be repeated."""
    origin, inner = get_origin(hint), [one for one in get_args(hint) if one is not type(None)]
    if origin in (tuple, Sequence):
        return _kind(inner[0]) + "…"
    if origin is Literal:
        return "|".join(str(one) for one in inner)
    if inner:
        return _kind(inner[0])
    return {bool: "", int: "N", float: "NUMBER", Path: "PATH"}.get(hint, "TEXT")


def _default(value: Any) -> str:
    if value in (None, "", False, ()) or isinstance(value, type):
        return ""
    return value.as_posix() if isinstance(value, Path) else str(value)


# -- completion ------------------------------------------------------------------------------------

SCRIPT = """\
[ -n "$ZSH_VERSION" ] && autoload -U +X bashcompinit && bashcompinit
_editgauge() {
  local IFS=$'\\n'
  COMPREPLY=($(editgauge --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _editgauge editgauge
"""
_KINDS = {"--editor": "editors", "--ocr-engine": "ocr_engines", "--ocr": "ocr_engines"}
_WORDS = {
    "list": ("benchmarks", "editors", "metrics", "judges", "ocr_engines", "installation"),
    "fetch": ("weights", "prompts"),
    "new": ("benchmark", "dataset", "prompts"),
}
_OF_BENCHMARKS = ("check", "edit", "score", "judge", "import", "plan", "tune", "fetch")


def candidates(words: Sequence[str]) -> list[str]:
    """The words that could stand in the place of the last."""
    from editgauge import catalog
    from editgauge.cli.main import COMMANDS, FLAGS, application

    *before, typed = words or [""]
    offered: list[str] = []
    if not before:
        offered = list(COMMANDS)
    elif before[0] in COMMANDS:
        app = application(before[0])
        chain, apps, _ = app.parse_commands(before)
        options = {line.name.split()[0]: line for line in described(app, chain)}
        if before[-1] in options:
            offered = _values(before[0], options[before[-1]])
        if not offered and typed.startswith("-"):
            offered = [*(name for name in options if name.startswith("--")), *FLAGS]
        elif not offered:
            offered = [line.name for line in _commands(apps[-1])]
            if len(before) == 1:
                offered += _WORDS.get(before[0], ())
                offered += catalog.names("benchmarks") if before[0] in _OF_BENCHMARKS else ()
    return [word for word in dict.fromkeys(offered) if word.startswith(typed)]


def _values(command: str, line: Line) -> list[str]:
    """What an option takes, where that is known."""
    from editgauge import catalog

    name, _, kind = line.name.partition(" ")
    if "|" in kind:
        return kind.split("|")
    if name in _KINDS and (name != "--editor" or command in ("edit", "tune")):
        return catalog.names(_KINDS[name])
    return []

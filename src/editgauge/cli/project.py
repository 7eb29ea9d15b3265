"""`editgauge.toml`: options that a project gives every time, as defaults of its command lines.

    [all]                       # every command that has such an option
    run = "runs/ours"

    [score]                     # one command; [judge.batch] for a command of a group
    tracks = "pixel,ocr"
    workers = 4

The file of the current folder is read, or the one that ``EDITGAUGE_CONFIG`` names. What is typed
stands before it. Where it took part is said on standard error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from editgauge import schema
from editgauge.errors import UsageError

NAME = "editgauge.toml"
_NOT_HERE = {"base_url": "an address to which a key is sent", "budget": "a limit of money"}
"""Options that are typed each time: the file may come with a folder from elsewhere."""


def read(path: Path | None = None) -> tuple[Path, Mapping[str, Any]] | None:
    """The project file and its tables; None where there is none. Raises `UsageError` for one that
    cannot be read or is no TOML.
    """
    named = os.environ.get("EDITGAUGE_CONFIG", "")
    place = path or Path(named or NAME)
    if not named and path is None and not place.is_file():
        return None
    return place, schema.toml_tables(place)


def defaults(
    place: Path,
    tables: Mapping[str, Any],
    command: Any,
    name: str,
    commands: Iterable[str],
) -> dict[str, Any]:
    """What the tables say to a command (a Click command or group), as its map of defaults.

    Raises `UsageError` for a table of no command, for an option that the command lacks, and for one
    that must be typed.
    """
    for table in tables:
        if table != "all" and table not in commands:
            raise UsageError(f"{place}, [{table}]: no such command{_near(table, commands)}")
    general = _table(place, "all", tables.get("all", {}))
    return _of_command(place, name, command, _table(place, name, tables.get(name, {})), general)


def _of_command(
    place: Path, name: str, command: Any, own: Mapping[str, Any], general: Mapping[str, Any]
) -> dict[str, Any]:
    inner: Mapping[str, Any] = getattr(command, "commands", {})
    options = _spellings(command)
    found: dict[str, Any] = {}
    for key, value in general.items():
        option = _typed_name(place, "all", key)
        if option in options:
            found[options[option]] = value
    for key, value in own.items():
        if key in inner:
            continue
        option = _typed_name(place, name, key)
        if option not in options:
            near = _near(option, options)
            raise UsageError(f"{place}, [{name}]: editgauge {name} has no --{key}{near}")
        found[options[option]] = value
    for word, command_within in inner.items():
        table = _table(place, f"{name}.{word}", own.get(word, {}))
        found[word] = _of_command(place, f"{name} {word}", command_within, table, general)
    return found


def _spellings(command: Any) -> dict[str, str]:
    """How the file names an option or argument -> Click's name of it. An option is named as it is
    typed: ``format`` for ``--format``, whatever the parameter behind it is called.
    """
    known: dict[str, str] = {}
    for parameter in command.params:
        typed = [word[2:] for word in parameter.opts if word.startswith("--")]
        for word in typed or [parameter.name]:
            known[word.replace("-", "_")] = parameter.name
    return known


def _typed_name(place: Path, table: str, key: str) -> str:
    option = key.replace("-", "_")
    if option in _NOT_HERE:
        raise UsageError(
            f"{place}, [{table}]: {key} is {_NOT_HERE[option]}: give it on the command line"
        )
    return option


def _table(place: Path, name: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"{place}: wanted a table [{name}], found {name} = {value!r:.40}")
    return value


def _near(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0].replace('_', '-')}?" if close else ""


def taken(found: Mapping[str, Any], command: Any) -> list[str]:
    """The options of a command that have a default from the file, as they are typed."""
    typed = {option.name: option.opts[0] for option in command.params if option.opts}
    names = []
    for name, value in found.items():
        if isinstance(value, Mapping):
            names += taken(value, command.commands[name])
        else:
            names.append(typed[name])
    return list(dict.fromkeys(names))

"""`editgauge.toml`: options that a project gives every time, as defaults of its command lines.

    [all]                       # every command that has such an option
    run = "runs/ours"

    [score]                     # one command; [study.serve] for a command of a group
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
from typing import TYPE_CHECKING, Any

from editgauge import schema
from editgauge.cli import output
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import ArgumentCollection

NAME = "editgauge.toml"
_NOT_HERE = {"base-url": "an address to which a key is sent", "budget": "a limit of money"}
"""Options that are typed each time: the file may come with a folder from elsewhere."""


class Project:
    """What the parser asks for values of options that were not typed. `commands`: every command's
    name, to tell a table of none.
    """

    def __init__(self, commands: Iterable[str]) -> None:
        self.commands = list(commands)

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        if not commands or (there := read()) is None:
            return
        place, tables = there
        found = self.options(place, tables, commands, arguments)
        if not found:
            return
        from cyclopts.argument import update_argument_collection

        update_argument_collection(
            found, str(place), arguments, app.app_stack.stack[-1], root_keys=(), allow_unknown=False
        )
        if not output.quiet():
            names = ", ".join(f"--{name}" for name in found)
            output.note(f"{place}: {names}, unless typed")

    def options(
        self,
        place: Path,
        tables: Mapping[str, Any],
        commands: tuple[str, ...],
        arguments: ArgumentCollection,
    ) -> dict[str, Any]:
        """What the tables say to a command: option -> value.

        Raises `UsageError` for a table of no command, for an option that the command lacks, and for
        one that must be typed.
        """
        for table in tables:
            if table != "all" and table not in self.commands:
                raise UsageError(
                    f"{place}, [{table}]: no such command{_near(table, self.commands)}"
                )
        known = {name[2:] for one in arguments for name in one.names if name.startswith("--")}
        general = _table(place, "all", tables.get("all", {}))
        found = {
            option: value
            for key, value in general.items()
            if (option := _option(place, "all", key)) in known
        }
        own: Mapping[str, Any] = tables
        for number, name in enumerate(commands):
            own = _table(place, ".".join(commands[: number + 1]), own.get(name, {}))
        name = " ".join(commands)
        for key, value in own.items():
            if isinstance(value, Mapping):  # of a command within this one
                continue
            option = _option(place, name, key)
            if option not in known:
                hint = _near(option, known)
                raise UsageError(f"{place}, [{name}]: editgauge {name} has no --{option}{hint}")
            found[option] = value
        return found


def read(path: Path | None = None) -> tuple[Path, Mapping[str, Any]] | None:
    """The project file and its tables; None where there is none. Raises `UsageError` for one that
    cannot be read or is no TOML.
    """
    named = os.environ.get("EDITGAUGE_CONFIG", "")
    place = path or Path(named or NAME)
    if not named and path is None and not place.is_file():
        return None
    return place, schema.toml_tables(place)


def _option(place: Path, table: str, key: str) -> str:
    option = key.replace("_", "-")
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
    return f"; did you mean {close[0]}?" if close else ""

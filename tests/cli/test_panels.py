"""What `--help` shows of every command: options in groups, and an example that the parser takes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer.main

from editgauge.cli.main import COMMANDS, build_app

GROUP: Any = typer.main.get_command(build_app())
MANY = 16
"""From so many options on a command has them in groups."""


def leaves(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, f"{name} {word}".strip())
    if not hasattr(command, "commands"):
        yield name, command


EVERY = dict(leaves(GROUP))


def shown(name: str) -> str:
    """The help of a command, as ``--help`` prints it."""
    command = EVERY[name]
    context = command.make_context(name, [], resilient_parsing=True)
    return str(command.get_help(context))


def test_every_command_is_looked_at() -> None:
    assert {name.split()[0] for name in EVERY} == set(COMMANDS)


@pytest.mark.parametrize("name", EVERY)
def test_help_ends_with_an_example_that_the_parser_takes(name: str) -> None:
    last = " ".join(shown(name).rstrip().rpartition("\n\n")[2].split())
    assert last.startswith(f"Example: editgauge {name}"), last
    example = EVERY[name].epilog.removeprefix("Example: ")
    program, *words = shlex.split(example.partition(" > ")[0])
    assert program == "editgauge"
    command = GROUP
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    assert command.make_context(name, words).params


@pytest.mark.parametrize("name", EVERY)
def test_many_options_stand_in_groups(name: str) -> None:
    options = [one for one in EVERY[name].params if one.param_type_name == "option"]
    loose = [one for one in options if not one.rich_help_panel]
    if len(options) >= MANY:
        assert len(loose) < MANY, [one.name for one in loose]


def test_groups_keep_every_option_and_their_order() -> None:
    text = shown("edit")
    titles = [line[:-1] for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert titles == [
        "Arguments",
        "Options",
        "Which samples",
        "Where the work is done",
        "The model",
        "What the model is told",
        "Variants",
        "Cost",
    ]
    for option in EVERY["edit"].params:
        if option.param_type_name == "option":
            assert text.count(f"\n  {option.opts[0]} ") == 1, option.name
    samples = text.partition("Which samples:\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in samples.splitlines() if line[2] == "-"] == [
        "--split",
        "--limit",
        "--sample",
        "--where",
    ]

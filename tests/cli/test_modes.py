"""A command refuses what its mode does not use: every command, every mode, every option."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import invoke

from editgauge.cli import main as entry
from editgauge.cli import modes
from editgauge.cli.help import Line, described
from editgauge.cli.modes import Mode, modes_of
from editgauge.errors import UsageError

EVERY = entry.every()
MODES = [(name, mode) for name, command in EVERY.items() for mode in modes_of(command)]
VALUES = {"N": "1", "NUMBER": "1", "PATH": "x", "TEXT": "x"}


def lines_of(command: str) -> list[Line]:
    chain = command.split()
    return described(entry.application(chain[0]), chain)


def name_of(line: Line) -> str:
    """The name of an argument or an option, without its value and without ``…``."""
    return line.name.split()[0].rstrip("…")


def words_for(line: Line) -> list[str]:
    """An option or argument with a value, as it is typed."""
    name, _, kind = line.name.partition(" ")
    value = VALUES.get(kind.rstrip("…"), kind.split("|")[-1])
    if not name.startswith("-"):
        return ["x"]
    return [name, value] if value else [name]


def remembered(monkeypatch: pytest.MonkeyPatch, *, end: bool = False) -> list[Mode]:
    """The modes that commands choose from now on; with `end` nothing else is done."""
    chosen: list[Mode] = []
    choose = modes.chosen_mode

    def remember(words: modes.Words, declared: tuple[Mode, ...]) -> Mode | None:
        mode = choose(words, declared)
        chosen.extend([mode] if mode else [])
        if end:
            raise UsageError("enough")
        return mode

    monkeypatch.setattr(modes, "chosen_mode", remember)
    return chosen


@pytest.mark.parametrize(("command", "mode"), MODES, ids=[f"{c} {m.name}" for c, m in MODES])
def test_a_mode_names_arguments_and_options_that_there_are(command: str, mode: Mode) -> None:
    known = {name_of(line) for line in lines_of(command)}
    assert (mode.uses or frozenset()) | mode.leaves <= known


UNUSED = [
    (command, mode, line)
    for command, mode in MODES
    for line in lines_of(command)
    if not mode.is_used(name_of(line))
]


@pytest.mark.parametrize(
    ("command", "mode", "line"), UNUSED, ids=[f"{c} {m.name} {li.name}" for c, m, li in UNUSED]
)
def test_what_a_mode_does_not_use_is_refused(
    command: str, mode: Mode, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chosen = remembered(monkeypatch)
    done = invoke([*command.split(), *mode.example, *words_for(line)])
    if [one.name for one in chosen] != [mode.name]:
        return  # it is what chooses another mode
    assert f"does not use {name_of(line)}" in str(done.exception)
    assert isinstance(done.exception, UsageError)
    assert done.exit_code == 2
    assert not list(tmp_path.iterdir()), "nothing was begun"


SETTINGS = [(command, mode) for command, mode in MODES if mode.settings]


@pytest.mark.parametrize(("command", "mode"), SETTINGS, ids=[f"{c} {m.name}" for c, m in SETTINGS])
def test_a_setting_that_a_mode_does_not_use_is_refused(command: str, mode: Mode) -> None:
    done = invoke([*command.split(), *mode.example, "--set", "no_such=1"])
    assert "does not use --set no_such; it uses: " in str(done.exception)
    assert done.exit_code == 2


@pytest.mark.parametrize("command", EVERY)
def test_every_option_is_used_in_some_mode(command: str) -> None:
    declared = modes_of(EVERY[command])
    unused = [
        name_of(line)
        for line in lines_of(command)
        if not any(mode.is_used(name_of(line)) for mode in declared)
    ]
    assert unused == []


@pytest.mark.parametrize(("command", "mode"), MODES, ids=[f"{c} {m.name}" for c, m in MODES])
def test_the_example_of_a_mode_chooses_it(
    command: str, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the mode refuses is told of this mode; a command of one mode refuses nothing."""
    if len(modes_of(EVERY[command])) == 1:
        assert mode.is_used("--anything")
        return
    chosen = remembered(monkeypatch, end=True)
    invoke([*command.split(), *mode.example])
    assert [one.name for one in chosen] == [mode.name]


def test_what_the_project_file_gives_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "editgauge.toml").write_text('[all]\nsplit = "plain"\nrun = "runs/x"\n')
    done = invoke(["check", "./none"])
    assert "does not use" not in str(done.exception)
    assert "does not use --split" in str(invoke(["check", "./none", "--split", "x"]).exception)


def test_json_is_refused_where_the_format_is() -> None:
    done = invoke(["table", "RUN", "--paper", "--json"])
    assert "editgauge table with --paper does not use --format (or --json)" in str(done.exception)

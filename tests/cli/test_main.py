"""The entry point: what every command line shares, and every error is one line."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import invoke

from editgauge.cli import main as entry
from editgauge.cli.help import described
from editgauge.errors import DataError, EditgaugeError, UsageError
from editgauge.tables import gate as gates

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "cv2", "numpy", "rich", "duckdb", "PIL")
EVERY = entry.every()


def call(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    """What a program prints, with ours to be imported."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **env}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=env)


def ended(
    monkeypatch: pytest.MonkeyPatch, *words: str, raising: BaseException | None = None
) -> int:
    """The exit code of the program."""

    def fails(words: object) -> int:
        assert raising is not None
        raise raising

    monkeypatch.setattr(sys, "argv", ["editgauge", *words])
    if raising is not None:
        monkeypatch.setattr(entry, "run", fails)
    with pytest.raises(SystemExit) as stop:
        entry.main()
    return int(stop.value.code or 0)


# -- size and help ---------------------------------------------------------------------------------


def options_of(name: str) -> list[str]:
    chain = name.split()
    lines = described(entry.application(chain[0]), chain)
    return [line.name.split()[0] for line in lines if line.name.startswith("--")]


def test_a_person_can_see_all_of_it() -> None:
    assert len(EVERY) <= 40
    assert sum(len(options_of(name)) for name in EVERY) <= 200
    assert list(entry.COMMANDS)[:10] == list(entry.DAILY)
    assert len(entry.DAILY) == 10


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("columns", [50, 80])
def test_help_fits_a_narrow_terminal(
    name: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    text = invoke([*name.split(), "--help"]).stdout
    assert text.startswith(f"Usage: editgauge {name}")
    assert "Parameters" not in text
    for line in text.splitlines()[1:]:
        if line.startswith("   "):  # names of options are never cut
            assert len(line) <= columns or " " not in line.strip(), line


@pytest.mark.parametrize("words", [["list"], ["--json", "list", "benchmarks"], ["audit"]])
def test_json_is_one_object_with_a_version_wherever_it_is_typed(words: list[str]) -> None:
    done = invoke(words if "--json" in words else [*words, "--json"])
    assert json.loads(done.stdout)["json_version"] == 1


def test_the_overview_names_every_command_and_imports_none() -> None:
    code = "import sys; from editgauge.cli.main import run; run(['--help']); "
    code += f"print([name for name in {HEAVY} if name in sys.modules] or 'light')"
    done = call(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "light"
    for name in entry.COMMANDS:
        assert f"\n  {name} " in done.stdout


@pytest.mark.parametrize(
    ("words", "some", "none"),
    [
        (["sc"], {"score"}, {"table"}),
        (["score", ""], {"texteditbench", "mini"}, {"--run"}),
        (["score", "mini", "--w"], {"--where", "--workers"}, {"--run"}),
        (["edit", "mini", "--editor", ""], {"copy", "typeset"}, {"mini"}),
        (["table", "run", "--format", "la"], {"latex"}, {"csv"}),
        (["study", ""], {"serve", "import"}, {"mini"}),
        (["nonsense", ""], set(), {"mini"}),
    ],
)
def test_a_shell_is_offered_names(
    words: list[str], some: set[str], none: set[str], tmp_path: Path
) -> None:
    program = tmp_path / "editgauge"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m editgauge "$@"\n')
    program.chmod(0o755)
    typed = shlex.join(["editgauge", *words])
    script = f"{invoke(['--completion', 'bash']).stdout}\nCOMP_WORDS=({typed})\n"
    script += 'COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_editgauge\nprintf "%s\\n" "${COMPREPLY[@]}"'
    done = call("bash", "-c", script, PATH=f"{tmp_path}:{os.environ['PATH']}")
    offered = set(done.stdout.split())
    assert some <= offered, done.stderr
    assert not none & offered


# -- what is typed wrongly -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("scor mini", "no such command: scor; did you mean score"),
        ("score mini --limitt 3", "Unknown option: --limitt. Did you mean --limit?"),
        ("score mini --limit x", "--limit"),
        ("score mini --limit 0", "--limit"),
        ("edit mini --editor copy --budget nan", "--budget"),
        ("table x --failures none", "--failures"),
        ("score", "BENCHMARK"),
        ("score mini a b", "b"),
        ("table", "RUNS"),
        ("diagnose x --set floor=y", "--set floor=y: wanted a number"),
        ("diagnose x --set flor=1", "did you mean floor?"),
        ("judge mini --model m --estimate --show", "does not use --show"),
        ("--plugin", "--plugin: wanted a value"),
        ("import mini DATA some/folder", "--from"),
        ("score mini DATA some/folder", "more words than it takes: 'some/folder'; is an option"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_it(
    line: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, *shlex.split(line)) == 2
    said = capsys.readouterr().err.strip()
    assert told in said
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1


# -- how it ends -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raising", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "what was done is kept"),
        (SystemExit(1), 1, ""),
        (DataError("the folder is not there"), 2, "error: the folder is not there"),
        (UsageError("are none of the run's: x", argument="samples"), 2, "error: --sample are none"),
        (OSError(28, "No space left on device", "rows"), 2, "rows: No space left on device"),
        (MemoryError(), 2, "out of memory"),
        (ZeroDivisionError(), 70, "a mistake in editgauge"),
        (BrokenPipeError(), 0, ""),
    ],
)
def test_every_end_has_its_line_and_code(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    raising: BaseException,
    code: int,
    words: str,
) -> None:
    assert ended(monkeypatch, raising=raising) == code
    assert words in capsys.readouterr().err


def test_every_exit_code_is_listed() -> None:
    start = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    shown = invoke(["--help"]).stdout
    for code, words in entry.EXIT_CODES.items():
        assert f"\n- {code}: {words}\n" in start
        assert re.search(rf"^  {code} +{words[:40]}", shown, re.MULTILINE)
    raised = {one.exit_code for one in (EditgaugeError, *subclasses(EditgaugeError))}
    assert raised | {*gates.EXIT_CODES.values()} <= {*entry.EXIT_CODES}


def subclasses(kind: type[EditgaugeError]) -> set[type[EditgaugeError]]:
    below = {*kind.__subclasses__()}
    return below.union(*(subclasses(one) for one in below))


@pytest.mark.parametrize("words", [("--json",), ("--format", "json"), ("--format=json",)])
def test_an_error_is_json_where_json_is_wanted(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, *words, raising=DataError("not there")) == 2
    told = json.loads(capsys.readouterr().out)
    assert told == {"json_version": 1, "error": "not there", "kind": "DataError", "exit_code": 2}


def test_a_pipe_that_is_closed_is_no_error() -> None:
    line = f"{sys.executable} -m editgauge list metrics | head -1; echo ${{PIPESTATUS[0]}}"
    done = call("bash", "-c", line)
    assert done.stdout.splitlines()[-1] == "0", done.stderr
    assert done.stderr == ""

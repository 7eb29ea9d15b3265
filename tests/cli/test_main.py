"""The entry point: what lies beside the call is not imported, and every error is one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from editgauge.cli import main as entry
from editgauge.cli.main import COMMANDS, app_for, build_app
from editgauge.errors import DataError

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = "import sys; sys.argv[0] = 'editgauge'; sys.path[0] = '/nowhere'; from editgauge.cli.main import main; main()"


def call(
    *words: str, cwd: Path, entry: tuple[str, ...] = ("-m", "editgauge"), **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *entry, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "XDG_CACHE_HOME": str(cwd / "cache"),
            **env,
        },
    )


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_folder_full_of_names_of_libraries(tmp_path: Path, workers: str) -> None:
    """In the parent and in its workers; `http` is a folder and `http.server` a module of it."""
    trap = "raise SystemExit('imported from the working directory')"
    for name in (
        "cv2",
        "numpy",
        "orjson",
        "typer",
        "rich",
        "signal",
        "socket",
        "queue",
        "PIL",
        "hashlib",
        "secrets",
    ):
        (tmp_path / f"{name}.py").write_text(trap)
    for name in ("http", "duckdb", "json", "multiprocessing"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(trap)
    done = call(
        "edit",
        "mini",
        "--editor",
        "copy",
        "--run",
        "run",
        "--limit",
        "4",
        "--workers",
        workers,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    done = call(
        "score",
        "mini",
        "--run",
        "run",
        "--limit",
        "4",
        "--tracks",
        "pixel",
        "--workers",
        workers,
        cwd=tmp_path,
    )
    assert "imported" not in done.stderr + done.stdout
    assert done.returncode in (0, 1), done.stderr


def ended(
    monkeypatch: pytest.MonkeyPatch, *words: str, raising: BaseException | None = None
) -> int:
    monkeypatch.setattr(sys, "argv", ["editgauge", *words])
    if raising is not None:
        app = typer.Typer()

        @app.command()
        def only() -> None:
            raise raising

        monkeypatch.setattr(entry, "app_for", lambda words: app)
    with pytest.raises(SystemExit) as stop:
        entry.main()
    return int(stop.value.code or 0)


@pytest.mark.parametrize(
    ("raising", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "what was done is kept"),
        (typer.Exit(1), 1, ""),
        (typer.Exit(), 0, ""),
        (DataError("the folder is not there"), 2, "error: the folder is not there"),
        (OSError(28, "No space left on device", "rows"), 2, "rows: No space left on device"),
        (MemoryError(), 2, "out of memory"),
        (ZeroDivisionError(), 2, "a mistake in editgauge"),
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
    said = capsys.readouterr().err
    assert words in said
    assert "Aborted" not in said


def test_wrong_words_are_an_error_of_usage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(monkeypatch, "score") == 2
    assert "Missing argument" in capsys.readouterr().err
    assert ended(monkeypatch, "nonsense") == 2
    assert "nonsense" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("-h",), ("--help",), ("score", "-h")])
def test_help_has_a_short_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert ended(monkeypatch, *words) == 0
    assert "Usage: " in capsys.readouterr().out


def test_a_working_directory_that_is_gone_is_one_line(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        [
            "sh",
            "-c",
            f"cd {gone} && rmdir {gone} && {sys.executable} -m editgauge score mini --run x",
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_command_line_builds_no_more_than_it_needs() -> None:
    """The overview is that of the whole application, and each command has its own help."""
    run = CliRunner()
    overview = run.invoke(app_for(["--help"]), ["--help"], terminal_width=100).output
    assert overview == run.invoke(build_app(), ["--help"], terminal_width=100).output
    listed = overview.partition("Commands:\n")[2].splitlines()
    assert [line.split(maxsplit=1) for line in listed] == [list(one) for one in COMMANDS.items()]
    whole = run.invoke(build_app(), ["table", "--help"], terminal_width=100).output
    assert run.invoke(app_for(["table"]), ["table", "--help"], terminal_width=100).output == whole
    assert [command.name for command in app_for(["table"]).registered_commands] == ["table"]


@pytest.mark.parametrize(
    ("words", "built"),
    [("--help", None), ("-q -h score", None), ("--log-level info score -h", "score"), ("", None)],
)
def test_only_the_command_that_is_called_is_imported(words: str, built: str | None) -> None:
    made = app_for(words.split()).registered_commands
    imported = {one.callback.__module__ for one in made if one.callback is not None}
    assert imported == {f"editgauge.cli.{built}" if built else "editgauge.cli.main"}


def test_a_shell_that_completes_is_given_every_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_EDITGAUGE_COMPLETE", "complete_bash")
    assert len(app_for([]).registered_groups) == len(build_app().registered_groups) > 3


def test_ctrl_c_while_the_program_loads_is_one_line(tmp_path: Path) -> None:
    """Before there is a command line that could say it."""
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt")
    code = "from editgauge.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "interrupted before anything was done\n"

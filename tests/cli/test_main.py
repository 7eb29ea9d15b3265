"""The one place that turns what happens into a line and an exit code."""

from __future__ import annotations

import sys

import pytest
import typer

from editgauge.cli import main as entry
from editgauge.errors import DataError


def ended(
    monkeypatch: pytest.MonkeyPatch, *words: str, raising: BaseException | None = None
) -> int:
    monkeypatch.setattr(sys, "argv", ["editgauge", *words])
    if raising is not None:
        app = typer.Typer()

        @app.command()
        def only() -> None:
            raise raising

        monkeypatch.setattr(entry, "build_app", lambda: app)
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

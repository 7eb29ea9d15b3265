"""The one place that turns errors into exit codes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer

from editgauge.errors import EditgaugeError, UsageError

INTERRUPTED = "interrupted; what was done is kept: run the same command again to go on"
UsageMistake: Any = typer.BadParameter.__bases__[0]
"""What the parser raises for wrong words: newer versions of Typer have a click of their own, so the
class is taken from where Typer names one of its children.
"""


def code_of(command: Callable[[], int | None]) -> int | str | None:
    """Run a command and return its exit code; what it raises is said in one line on standard
    error.
    """
    try:
        code = command()
        if code == 130:  # the parser turns Ctrl-C into an exit code without a word
            _say(INTERRUPTED)
        return code
    except SystemExit as stop:
        return stop.code
    except EditgaugeError as error:
        _say(f"error: {_words(error)}")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _say(INTERRUPTED)
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:
        # a full disk, a folder without rights: wherever it happens, one line is enough
        where = f"{error.filename}: " if error.filename else ""
        _say(
            f"error: {where}{error.strerror or error}; what was done is kept: fix it and run the "
            f"same command again"
        )
        return 2
    except MemoryError:
        _say(
            "error: out of memory; what was done is kept: run the same command again with fewer "
            "--workers"
        )
        return 2
    except UsageMistake as error:
        error.show()
        return int(error.exit_code)
    except Exception as error:  # a mistake of ours: shown whole, as nothing else is, but inert
        traceback.print_exc()
        _say(
            f"error: unexpected {type(error).__name__}, a mistake in editgauge; please report the "
            f"lines above. What was done is kept."
        )
        return 2


_OPTIONS = {"samples": "--sample", "editors": "--editor", "ids": "--sample", "basis": "--from"}
"""Arguments of the library whose option has another name."""


def _words(error: EditgaugeError) -> str:
    """An error with the option in the place of the library's argument."""
    if not isinstance(error, UsageError) or not error.argument:
        return str(error)
    option = _OPTIONS.get(error.argument, f"--{error.argument.replace('_', '-')}")
    return option + str(error)[len(error.argument) :]


def _say(text: str) -> None:
    print(text, file=sys.stderr)

"""A command line as `editgauge` reads it, in this process."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest

from editgauge.cli import main, output
from editgauge.errors import EditgaugeError


@dataclass(frozen=True)
class Result:
    """What a command left: its exit code, what it printed, and what it raised."""

    exit_code: int
    stdout: str
    stderr: str
    exception: BaseException | None

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def invoke(words: Sequence[object], env: Mapping[str, str] | None = None) -> Result:
    """What the command does that these words name, its errors as they are raised."""
    out, err = io.StringIO(), io.StringIO()
    raised: BaseException | None = None
    code = 0
    with _surroundings(env or {}), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with output.inert_output():
                code = main.run([str(word) for word in words])
        except Exception as error:
            raised = error
            code = error.exit_code if isinstance(error, EditgaugeError) else main.INTERNAL_ERROR
    return Result(code, out.getvalue(), err.getvalue(), raised)


@contextlib.contextmanager
def _surroundings(env: Mapping[str, str]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        if "COLUMNS" not in os.environ:
            patch.setenv("COLUMNS", "100")
        yield


def did(words: Sequence[object], env: Mapping[str, str] | None = None) -> Result:
    """As `invoke`, but what the command raises is raised here."""
    done = invoke(words, env)
    if done.exception is not None:
        raise done.exception
    return done

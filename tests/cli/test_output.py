"""Nothing that comes from outside steers the terminal, whatever command prints it."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.test_main import ROOT, call

from editgauge.cli import output

HOSTILE = "a\x1b]52;c;aGk=\x07b\x1b]8;;http://x\x1b\\\\c\u202egnp\x9b31md\x08e\rf\x00g\U000e0041"
CONTROLS = {
    *map(chr, [*range(9), *range(11, 32), *range(127, 160)]),
    *"\u202a\u202b\u202d\u202e\u2066\u2067\u2069",
}
PROGRESS = "\r\x1b[K"


class Terminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_a_progress_line_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with output.inert_output(), output.progress() as show:
        show(5, 5, "\x1b[2J")
    assert stream.getvalue() == f"{PROGRESS}\\u001b[2J: 5 of 5{PROGRESS}"


def test_a_narrow_encoding_ends_nothing() -> None:
    program = (sys.executable, "-m", "editgauge")
    done = call(*program, "list", "benchmarks", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("score", "mini", "--run", "r", "--editor"),
        ("edit", "mini", "--run", "r", "--limit"),
        ("judge", "mini", "--run"),
        (),
    ],
)
def test_error_lines_on_a_terminal(tmp_path: Path, words: tuple[str, ...]) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "editgauge", *words, HOSTILE.replace("\0", "")],
        cwd=tmp_path,
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm"},
    )
    os.close(theirs)
    data = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while part := os.read(ours, 65536):
            data += part
    os.close(ours)
    assert process.wait() == 2
    text = data.decode().replace(PROGRESS, "").replace("\r\n", "\n")
    assert "Traceback" not in text
    assert not CONTROLS & {*text}

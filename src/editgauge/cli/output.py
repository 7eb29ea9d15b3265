"""The one place through which all commands print: names of files, samples and editors, replies of
judges and messages of libraries come from outside and must not steer a terminal.

`inert_output` stands between `print` and the terminal, and `console` between Rich and it. Neither
lets a control sequence through that was in a text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from editgauge.escape import terminal

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult

_REWRITE = "\r\x1b[K"
"""Erases the line that is being written: how our own progress lines begin. At the beginning of a
text it can erase nothing that was finished.
"""


class Inert:
    """A text stream whose text has gone through `escape.terminal`. All else is the stream's own.

    Who wants colours takes `console`.
    """

    # Said to be UTF-8, whatever is behind it: click goes round a stream of which it knows better.
    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        begin = _REWRITE if text.startswith(_REWRITE) and self.raw.isatty() else ""
        encoding = self.raw.encoding or "utf-8"
        clean = terminal(text[len(begin) :])
        if encoding.lower().replace("-", "") != "utf8":  # no text ends a command, whatever it holds
            clean = clean.encode(encoding, "backslashreplace").decode(encoding)
        self.raw.write(begin + clean)
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def inert_output() -> Iterator[None]:
    """Clean all that is printed within a `with` block; one inside another changes nothing."""
    out, err = sys.stdout, sys.stderr
    if not isinstance(out, Inert):
        sys.stdout = cast(TextIO, Inert(out))
    if not isinstance(err, Inert):
        sys.stderr = cast(TextIO, Inert(err))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def raw(stream: TextIO) -> TextIO:
    """The stream behind `Inert`, for what writes control sequences of its own."""
    return stream.raw if isinstance(stream, Inert) else stream


def console(*, stderr: bool = False) -> Console:
    """A Rich console whose texts are cleaned before Rich adds its own colours and movements."""
    from rich.console import Console

    made = Console(file=raw(sys.stderr if stderr else sys.stdout), highlight=False)
    made.push_render_hook(cast("RenderHook", _Clean()))
    return made


class _Clean:
    """Rich's hook: wraps what is printed."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Cleaned(renderable) for renderable in renderables]


class _Cleaned:
    """What Rich makes of a renderable, with the texts cleaned and Rich's own controls kept."""

    def __init__(self, inside: ConsoleRenderable) -> None:
        self.inside = inside

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        for segment in console.render(self.inside, options):
            if segment.control:
                yield segment
            else:
                yield Segment(terminal(segment.text), segment.style)

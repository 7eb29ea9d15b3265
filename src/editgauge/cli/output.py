"""The one place through which all commands print: names of files, samples and editors, replies of
judges and messages of libraries come from outside and must not steer a terminal.

`inert_output` stands between `print` and the terminal, and `console` between Rich and it. Neither
lets a control sequence through that was in a text.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from editgauge.errors import EditgaugeError
from editgauge.escape import plain, terminal

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult

    from editgauge.store.run import Run

JSON_VERSION = 1
"""Of the objects that ``--json`` prints: another number where a name of them changes its meaning.
"""
_REWRITE = "\r\x1b[K"
"""Erases the line that is being written: how our own progress lines begin. At the beginning of a
text it can erase nothing that was finished.
"""
_WARNINGS = 20
_LIBRARIES = ("TRANSFORMERS_VERBOSITY", "DIFFUSERS_VERBOSITY", "HF_HUB_VERBOSITY")
"""What libraries with a log of their own read when they are imported, here and in workers."""
_said = {"quiet": False, "json": False}


# -- the stream ------------------------------------------------------------------------------------


class Inert:
    """A text stream whose text has gone through `escape.terminal`. All else is the stream's own."""

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

    def writelines(self, lines: Iterable[str]) -> None:
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


# -- how much is said ------------------------------------------------------------------------------


@contextmanager
def saying(*, quiet: bool = False, json: bool = False, verbose: bool = False) -> Iterator[None]:
    """Within a `with` block: no progress and no warnings; results as JSON; what libraries log goes
    to standard error.
    """
    if verbose:
        _log()
    named = [name for name in _LIBRARIES if quiet and name not in os.environ]
    os.environ |= dict.fromkeys(named, "error")
    before = dict(_said)
    _said.update(quiet=quiet, json=json)
    try:
        yield
    finally:
        _said.update(before)
        for name in named:
            os.environ.pop(name, None)


def _log() -> None:
    import logging

    from editgauge.services.secrets import clean

    class Clean(logging.Formatter):
        """What libraries log holds addresses with keys in them, and what servers say."""

        def format(self, record: logging.LogRecord) -> str:
            return clean(super().format(record))

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Clean("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level="INFO", handlers=[handler], force=True)


def quiet() -> bool:
    """Whether progress and warnings are left out."""
    return _said["quiet"]


def as_json() -> bool:
    """Whether results are printed as JSON, and no progress is."""
    return _said["json"]


# -- results ---------------------------------------------------------------------------------------


def emit(facts: Any, lines: Iterable[str]) -> None:
    """Print what a command found: `facts` as one JSON value, or `lines` for people."""
    if as_json():
        print_json(facts)
    else:
        for line in lines:
            print(fitted(line))


def fitted(line: str) -> str:
    """A line as a terminal shows it without cutting a word; a command, which is copied, and what
    goes to a file stay whole.
    """
    if not raw(sys.stdout).isatty() or "editgauge " in line:
        return line
    indent = len(line) - len(line.lstrip()) + 4
    width = max(40, shutil.get_terminal_size().columns)
    folded = textwrap.wrap(
        line, width, subsequent_indent=" " * indent, break_long_words=False,
        break_on_hyphens=False, drop_whitespace=True, replace_whitespace=False,
    )  # fmt: skip
    return "\n".join(folded) if len(line) > width else line


def print_json(value: Any) -> None:
    """Print a value as JSON; an object with its version. A name that is not UTF-8 is escaped."""
    import json

    import orjson

    if isinstance(value, Mapping):
        value = {"json_version": JSON_VERSION, **value}
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    try:
        text = orjson.dumps(value, option=options, default=str).decode()
    except orjson.JSONEncodeError:
        text = json.dumps(value, indent=2, default=str)
    sys.stdout.write(f"{text}\n")


def note(text: str) -> None:
    """Say something on standard error that is no result."""
    print(text, file=sys.stderr)


def counted(number: int, noun: str) -> str:
    """``1 sample``, ``2 samples``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def warn(*runs: Run) -> None:
    """Say on standard error what was found damaged in runs, or left out of them."""
    for run in () if quiet() else runs:
        for text in run.problems[:_WARNINGS]:
            note(f"warning: {run.path.name}: {text}")
        if (more := len(run.problems) - _WARNINGS) > 0:
            note(f"warning: {run.path.name}: {more} more; see: editgauge check {run.path.name}")


@contextmanager
def warned(*runs: Run, only_if_refused: bool = False) -> Iterator[None]:
    """`warn` at the end of a `with` block: however it ends, or only where it ends in an error, of
    which what was left out may be the reason.
    """
    try:
        yield
    except EditgaugeError:
        warn(*runs)
        raise
    if not only_if_refused:
        warn(*runs)


# -- progress --------------------------------------------------------------------------------------


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None]]:
    """A progress bar on a terminal, a line now and then in a log; both on standard error."""
    if as_json() or quiet():
        yield lambda done, total, note: None
        return
    if not raw(sys.stderr).isatty():
        yield _plain_lines()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        tasks: dict[str, Any] = {}

        def show(done: int, total: int, note: str) -> None:
            if not total:
                return
            if note not in tasks:
                tasks[note] = bar.add_task(plain(note), total=total)
            bar.update(tasks[note], completed=done, total=total)

        yield show


def _plain_lines() -> Callable[[int, int, str], None]:
    last_at, last_note = 0.0, ""

    def show(done: int, total: int, note: str) -> None:
        nonlocal last_at, last_note
        now = time.monotonic()
        if not total:
            return
        if note != last_note or now - last_at >= 10 or done == total:
            last_at, last_note = now, note
            print(f"{note}: {done} of {total}", file=sys.stderr, flush=True)

    return show


def transfer(name: str) -> Callable[[int, int | None], None]:
    """A line on standard error for every tenth of a transfer, of `wanted` bytes or files, or every
    100 MB where its size is not known.
    """
    shown = -1

    def show(have: int, wanted: int | None) -> None:
        nonlocal shown
        step = 10 * have // wanted if wanted else have // 100_000_000
        if step != shown and not (as_json() or quiet()):
            shown = step
            unit, by = (" MB", 1e6) if (wanted or have) > 1_000_000 else ("", 1)
            of = f" of {wanted / by:g}" if wanted else ""
            note(f"{name}: {have / by:.4g}{of}{unit}")

    return show

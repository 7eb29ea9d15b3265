"""The one place through which all commands print. Names of files, samples and editors, replies of
judges and messages of libraries come from outside and must not steer a terminal: `inert_output`
stands between `print` and it.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any, TextIO, cast

from editgauge.errors import EditgaugeError
from editgauge.escape import counted as counted
from editgauge.escape import terminal
from editgauge.types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from editgauge.store.run import Run

JSON_VERSION = 1
"""Of the objects that ``--json`` prints: another number where a name of them changes its meaning.
"""
_WARNINGS = 20
_said = {"quiet": False, "json": False}


# -- the stream ------------------------------------------------------------------------------------


class Inert:
    """A text stream whose text has gone through `escape.terminal`. All else is the stream's own."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        encoding = self.raw.encoding or "utf-8"  # no text ends a command, whatever it holds
        self.raw.write(terminal(text).encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def inert_output() -> Iterator[None]:
    """Clean all that is printed within a `with` block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, Inert(raw(one))) for one in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def answer_alone() -> Iterator[None]:
    """Keep standard output for the command's answer within a `with` block, in which code of other
    people runs: what they print, and what programs print that they start, goes to standard error.
    """
    sys.stdout.flush()
    with redirect_stdout(sys.stderr), ExitStack() as stack:
        with suppress(OSError, ValueError):  # a stream without a file: nothing to redirect
            stack.enter_context(_file_redirected())
        yield


@contextmanager
def _file_redirected() -> Iterator[None]:
    """Let the file of standard output be that of standard error within a `with` block."""
    out, err = sys.__stdout__, sys.__stderr__
    if out is None or err is None:
        yield
        return
    number = out.fileno()
    kept = os.dup(number)
    try:
        os.dup2(err.fileno(), number)
        yield
    finally:
        with suppress(OSError, ValueError):
            out.flush()
        os.dup2(kept, number)
        os.close(kept)


def raw(stream: TextIO) -> TextIO:
    """The stream behind `Inert`, for what cleans its texts and has control sequences of its own."""
    return stream.raw if isinstance(stream, Inert) else stream


@contextmanager
def saying(*, quiet: bool = False, json: bool = False) -> Iterator[None]:
    """Within a `with` block: no progress and no warnings; results as JSON."""
    before = dict(_said)
    _said.update(quiet=quiet, json=json)
    try:
        yield
    finally:
        _said.update(before)


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
        said(*lines)


def listed(facts: JsonMapping, *following: str) -> None:
    """`emit` where names and values say it all: `pairs`, and the lines that follow."""
    emit(facts, [*pairs(facts), *following])


def pairs(facts: JsonMapping, *, most: int | None = 30) -> Iterator[str]:
    """A line for each name with its value, but for those that are empty; records have a line each;
    `most` items of a list.
    """
    width = max(map(len, facts), default=0) + 2
    for name, value in facts.items():
        records: Sequence[Any] = ()
        if isinstance(value, Mapping):
            value = _listed(value)
        elif isinstance(value, list | tuple):
            shown = value[:most]
            more = f", and {len(value) - len(shown)} more (--json: all)"
            if value and isinstance(value[0], Mapping):
                records, value = shown, len(value)
            else:
                value = ", ".join(map(str, shown)) + more * (len(value) > len(shown))
        if value not in (None, ""):
            yield f"{name.replace('_', ' ') + ':':<{width}}{value}"
        yield from (f"  {_listed(record, '; ')}" for record in records)


def _listed(record: JsonMapping, between: str = ", ") -> str:
    known = {name: value for name, value in record.items() if value not in ("", None, (), [])}
    return between.join(
        f"{name.replace('_', ' ')} {_words(value)}" for name, value in known.items()
    )


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return _listed(value)
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def said(*lines: str) -> None:
    """Print lines for people alone: beside a result that was printed, or before one."""
    for line in () if as_json() else lines:
        print(fitted(line), flush=True)


def fitted(line: str) -> str:
    """A line as a terminal shows it without cutting a word; a command, which is copied, and what
    goes to a file stay whole.
    """
    width = max(40, shutil.get_terminal_size().columns)
    if len(line) <= width or "editgauge " in line or not raw(sys.stdout).isatty():
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    whole: JsonObject = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(line, width, subsequent_indent=indent, replace_whitespace=False, **whole)


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
    print(text, flush=True)


def note(text: str) -> None:
    """Say something on standard error that is no result."""
    _rewrite(text + "\n")


def warn(*runs: Run) -> None:
    """Say on standard error what was found damaged in runs, or left out of them."""
    for run in () if quiet() else runs:
        for text in run.problems[:_WARNINGS]:
            note(f"warning: {run.path.name}: {text}")
        if (more := len(run.problems) - _WARNINGS) > 0:
            note(f"warning: {run.path.name}: {more} more; see: editgauge check {run.place}")


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


def _rewrite(text: str) -> None:
    """Write to standard error, on a terminal over the line that is being written there."""
    if sys.stderr.isatty():
        raw(sys.stderr).write("\r\x1b[K")
    print(text, end="", file=sys.stderr, flush=True)


@contextmanager
def live() -> Iterator[Callable[[str, bool], None]]:
    """A line on standard error that is shown again and again: rewritten on a terminal, every ten
    seconds in a log, or at once where it `must` be. Nothing with ``--json`` and ``--quiet``.
    """
    silent, last, terminal = as_json() or quiet(), 0.0, sys.stderr.isatty()

    def show(line: str, must: bool) -> None:
        nonlocal last
        now = time.monotonic()
        if not silent and (must or now - last >= (0.1 if terminal else 10.0)):
            last = now
            width = shutil.get_terminal_size().columns - 1
            _rewrite(line[:width] if terminal else f"{line}\n")

    try:
        yield show
    finally:
        if terminal and last:
            _rewrite("")


@contextmanager
def progress() -> Iterator[Callable[..., None]]:
    """How far each step is, and how long it will take, as a line that is `live`."""
    began: dict[str, float] = {}
    with live() as line:

        def show(done: int, total: int | None, note: str) -> None:
            if total:
                must = note not in began or done == total
                took = time.monotonic() - began.setdefault(note, time.monotonic())
                left = f", {took / done * (total - done):,.0f} s left" if took > 5 and done else ""
                line(f"{note}: {done:,} of {total:,}{left}", must)

        yield show

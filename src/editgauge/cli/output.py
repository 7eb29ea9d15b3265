"""The one place through which all commands print. Names of files, samples and editors, replies of
judges and messages of libraries come from outside and must not steer a terminal: `inert_output`
stands between `print` and it.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from editgauge.errors import EditgaugeError
from editgauge.escape import counted as counted
from editgauge.escape import terminal

if TYPE_CHECKING:
    from editgauge.store.run import Run

JSON_VERSION = 1
"""Of the objects that ``--json`` prints: another number where a name of them changes its meaning.
"""
_REWRITE = "\r\x1b[K"
"""Erases the line that is being written: how our own progress lines begin. At the beginning of a
text it can erase nothing that was finished.
"""
_WARNINGS = 20
_said: dict[str, Any] = {"quiet": False, "json": False, "plugins": ()}


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
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (
        one if isinstance(one, Inert) else cast(TextIO, Inert(one)) for one in before
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def raw(stream: TextIO) -> TextIO:
    """The stream behind `Inert`, for what cleans its texts and has control sequences of its own."""
    return stream.raw if isinstance(stream, Inert) else stream


# -- how much is said ------------------------------------------------------------------------------


@contextmanager
def saying(
    *,
    quiet: bool = False,
    json: bool = False,
    verbose: bool = False,
    plugins: Sequence[str] = (),
) -> Iterator[None]:
    """Within a `with` block: no progress and no warnings; results as JSON; what libraries log goes
    to standard error; commands that are offered have the `plugins`.
    """
    if verbose:
        _log()
    before = dict(_said)
    _said.update(quiet=quiet, json=json, plugins=plugins)
    try:
        yield
    finally:
        _said.update(before)


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
    return bool(_said["quiet"])


def as_json() -> bool:
    """Whether results are printed as JSON, and no progress is."""
    return bool(_said["json"])


# -- results ---------------------------------------------------------------------------------------


def emit(facts: Any, lines: Iterable[str]) -> None:
    """Print what a command found: `facts` as one JSON value, or `lines` for people."""
    if as_json():
        print_json(facts)
    else:
        said(*lines)


def listed(facts: Mapping[str, Any], *following: str) -> None:
    """`emit` where names and values say it all: `pairs`, and the lines that follow."""
    emit(facts, [*pairs(facts), *following])


def pairs(facts: Mapping[str, Any], *, most: int | None = 30) -> Iterator[str]:
    """A line for each name with its value, but for those that are empty; records have a line each;
    `most` items of a list.
    """
    width = max(map(len, facts), default=0) + 2
    for name, value in facts.items():
        records: Sequence[Mapping[str, Any]] = ()
        if isinstance(value, Mapping):
            value = _listed(value)
        elif isinstance(value, list | tuple):
            shown, left = value[:most], len(value[most:]) if most else 0
            more = f", and {left} more (--json: all)" if left else ""
            records = shown if isinstance(next(iter(shown), None), Mapping) else ()
            value = (len(value) or "") if records else ", ".join(map(str, shown)) + more
        if value not in (None, ""):
            yield f"{name.replace('_', ' ') + ':':<{width}}{value}"
        yield from (f"  {_listed(record, '; ')}" for record in records)


def _listed(record: Mapping[str, Any], between: str = ", ") -> str:
    told = {name: value for name, value in record.items() if value not in ("", None)}
    return between.join(f"{name.replace('_', ' ')} {value}" for name, value in told.items())


def said(*lines: str) -> None:
    """Print lines for people alone: beside a result that was printed, or before one."""
    own = "".join(f"--plugin {shlex.quote(file)} " for file in _said["plugins"])
    for line in () if as_json() else lines:
        print(fitted(line.replace("editgauge ", f"editgauge {own}")), flush=True)


def fitted(line: str) -> str:
    """A line as a terminal shows it without cutting a word; a command, which is copied, and what
    goes to a file stay whole.
    """
    width = max(40, shutil.get_terminal_size().columns)
    if len(line) <= width or "editgauge " in line or not raw(sys.stdout).isatty():
        return line
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    whole: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
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
    print(_REWRITE * sys.stderr.isatty() + text, file=sys.stderr)


def warn(*runs: Run) -> None:
    """Say on standard error what was found damaged in runs, or left out of them."""
    for run in () if quiet() else runs:
        more = len(run.problems) - _WARNINGS
        for text in run.problems[:_WARNINGS]:
            note(f"warning: {run.path.name}: {text}")
        if more > 0:
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


@contextmanager
def live() -> Iterator[Callable[[str, bool], None]]:
    """A line on standard error that is shown again and again: rewritten on a terminal, every ten
    seconds in a log, or at once where it `must` be. Nothing with ``--json`` and ``--quiet``.
    """
    silent, last = as_json() or quiet(), 0.0
    terminal = raw(sys.stderr).isatty()

    def show(line: str, must: bool) -> None:
        nonlocal last
        now = time.monotonic()
        if silent or not (must or now - last >= (0.1 if terminal else 10.0)):
            return
        last = now
        if terminal:
            line = _REWRITE + line[: shutil.get_terminal_size().columns - 1]
        print(line, end="" if terminal else "\n", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if terminal and last:
            print(_REWRITE, end="", file=sys.stderr, flush=True)


@contextmanager
def progress() -> Iterator[Callable[[int, int, str], None]]:
    """How far each step is, and how long it will take, as a line that is `live`."""
    began: dict[str, float] = {}
    with live() as line:

        def show(done: int, total: int, note: str) -> None:
            if not total:
                return
            must = note not in began or done == total
            took = time.monotonic() - began.setdefault(note, time.monotonic())
            left = f", {took / done * (total - done):,.0f} s left" if took > 5 and done else ""
            line(f"{note}: {done} of {total}{left}", must)

        yield show


def transfer(name: str) -> Callable[[int, int | None], None]:
    """A line on standard error for every tenth of a transfer, of `wanted` bytes or files, or every
    100 MB where its size is not known.
    """
    last = -1

    def show(have: int, wanted: int | None) -> None:
        nonlocal last
        step = 10 * have // wanted if wanted else have // 100_000_000
        if step != last and not (as_json() or quiet()):
            last = step
            note(f"{name}: {have:,} of {wanted:,}" if wanted else f"{name}: {have:,} bytes")

    return show

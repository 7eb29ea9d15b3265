"""How-to pages as they are written, line by line, on stand-in data of the official layouts.

A page's lines are typed in the current folder. What a page supposes to be there (outputs, a run
that it reads) its test makes first. Lines that need a service, a network or another machine are
named by the test with the reason; a line that is neither run nor named fails.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from tests.benchmarks.releases import text_instance
from tests.command_line import invoke
from tests.test_docs import DOCS, OTHER_PROGRAMS, commands

from editgauge.errors import EditgaugeError
from editgauge.images import read_image, write_png

SPLITS = {"canva": "data_manual_production", "real": "data_web-sourced_instances"}
TOPIC = "Art_Creative_Expression"
HERE = ("score", "edit", "diagnose")
"""Commands that are typed with ``--workers 0``: in this process."""


def text_data(folder: Path) -> None:
    """TextEditBench: two instances of each split, and outputs of `my-model`, by their own names and
    by the official ones.
    """
    for number, (split, name) in enumerate([*SPLITS.items()] * 2, start=1):
        hard = {"difficulty": "hard"} if number > 2 else {}
        source = text_instance(folder / "DATA", number, split=name, **hard) / f"{number}.png"
        pixels = read_image(source).copy()
        pixels[:8] //= 2
        for place in (
            f"RESULTS/{'real' if split == 'real' else 'synthetic'}/{number:03d}_result.png",
            f"OUTPUTS/my-model/{split}/{TOPIC}/{number:03d}_edited.png",
        ):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            write_png(folder / place, pixels)


def typed(words: str | Sequence[str]) -> int:
    """The exit code of a command line. Raises what the command raises."""
    result = invoke(shlex.split(words) if isinstance(words, str) else words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code


def every_line(page: str) -> list[list[str]]:
    """The page's lines but those of other programs."""
    typed_in = commands(DOCS / "how-to" / f"{page}.md")
    return [words for program, *words in typed_in if program not in OTHER_PROGRAMS]


def lines(page: str, not_run: Mapping[str, str]) -> Iterator[list[str]]:
    """Those that are run: all but the ones that a key of `not_run` means."""
    for words in every_line(page):
        if not any(meant(name, shlex.join(words)) for name in not_run):
            yield words


def meant(name: str, line: str) -> bool:
    """Whether a name means the line: its beginning, or an option wherever it stands."""
    return f" {name}" in line if name.startswith("-") else line.startswith(name)


def read(
    page: str,
    not_run: Mapping[str, str],
    *,
    more: Callable[[list[str]], Sequence[str]] = lambda words: (),
    spelled: Mapping[str, str] | None = None,
    before: Callable[[list[str]], None] = lambda words: None,
) -> list[list[str]]:
    """Type a page; its lines. `more`: the words that the test adds to a line; `spelled`: what
    stands for a part of a word (an address, a file of the repository); `before`: what people do
    elsewhere before a line is typed.

    Fails for a line that ends as an error, or otherwise than 0 or 1 (some samples have no score),
    and for a name in `not_run` that no line has.
    """
    every = [shlex.join(words) for words in every_line(page)]
    assert [name for name in not_run if not any(meant(name, line) for line in every)] == []
    done = []
    for words in lines(page, not_run):
        before(words)
        given = list(words)
        for part, stands in (spelled or {}).items():
            given = [word.replace(part, stands) for word in given]
        given += ["--workers", "0"] if words[0] in HERE and "--device" not in words else []
        try:
            code = typed([*given, *more(words)])
        except EditgaugeError as error:
            pytest.fail(f"{shlex.join(words)}: {error}")
        assert code in (0, 1), shlex.join(words)
        done.append(words)
    return done

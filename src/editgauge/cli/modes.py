"""The modes of a command, and what each of them uses. A command refuses what its mode does not use:
an option that is accepted and ignored gives another answer than was asked for.

A command declares its modes beside itself, with `modes`; the parser holds what is typed against
them before the command runs. A command without a declaration uses everything in its only mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from editgauge.errors import UsageError

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import ArgumentCollection

F = TypeVar("F", bound=Callable[..., object])
SETTING = "--set"


class Words:
    """The words of a command line, by argument (``DATA``) and by option (``--run``).

    `typed`: those of the command line alone; what a project's file gives is not refused.
    """

    def __init__(self, values: Mapping[str, list[str]], typed: Iterable[str]) -> None:
        self.values = values
        self.typed = [*typed]

    def has(self, name: str) -> bool:
        """Whether an argument or an option has a value other than an empty text."""
        return any(self.values.get(name, []))

    def first(self, name: str) -> str:
        """The first value of an argument or an option; "" where it has none."""
        return next(iter(self.values.get(name, [])), "")


@dataclass(frozen=True, kw_only=True)
class Mode:
    """One way to use a command.

    `name`: as an error names it (``--gate``, ``weights``). `chosen`: whether words choose it.
    `uses`: the arguments and options that it uses; None: all but those of `leaves`. `settings`:
    the names that ``--set`` may have; None: any. `example`: words that choose it, for its test.
    """

    name: str
    chosen: Callable[[Words], bool] = lambda _: True
    uses: frozenset[str] | None = None
    leaves: frozenset[str] = frozenset()
    settings: frozenset[str] | None = None
    example: tuple[str, ...] = ()

    def is_used(self, name: str) -> bool:
        """Whether the mode uses an argument or option."""
        if self.uses is not None:
            return name in self.uses
        return name not in self.leaves


def mode(
    name: str,
    *example: str,
    chosen: Callable[[Words], bool] | None = None,
    uses: str | None = None,
    leaves: str = "",
    settings: str | None = None,
) -> Mode:
    """A mode; `uses`, `leaves` and `settings` are names with blanks between them. An option's name
    alone says when it is chosen: where it is given.
    """
    if chosen is None and name.startswith("--"):
        chosen = given(name)
    return Mode(
        name=name,
        chosen=chosen or (lambda _: True),
        uses=None if uses is None else frozenset(uses.split()),
        leaves=frozenset(leaves.split()),
        settings=None if settings is None else frozenset(settings.split()),
        example=example,
    )


def given(*names: str) -> Callable[[Words], bool]:
    """A test of words: one of these options is given."""
    return lambda words: any(words.has(name) for name in names)


def modes(*declared: Mode) -> Callable[[F], F]:
    """Declare the modes of a command; the first that is chosen counts, so the usual one is last."""

    def declare(command: F) -> F:
        command.__dict__["modes"] = declared
        return command

    return declare


def modes_of(command: object) -> tuple[Mode, ...]:
    """The modes of a command."""
    found: tuple[Mode, ...] = getattr(command, "modes", (Mode(name=""),))
    return found


def chosen_mode(words: Words, declared: Iterable[Mode]) -> Mode | None:
    """The first mode that words choose."""
    return next((mode for mode in declared if mode.chosen(words)), None)


def refuse_unused(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Raise `UsageError` for an argument, an option or a setting that the mode does not use."""
    if not commands:
        return
    words = _words(arguments)
    mode = chosen_mode(words, modes_of(app.default_command))
    if mode is None:
        return
    title = f"editgauge {' '.join(commands)}"
    if mode.name:
        title = f"{title} with {mode.name}"
    for name in words.typed:
        if not mode.is_used(name):
            also = " (or --json)" if name == "--format" else ""
            raise UsageError(f"{title} does not use {name}{also}; leave it out")
    for pair in words.values.get(SETTING, []) if mode.settings is not None else ():
        setting = pair.partition("=")[0]
        if SETTING in words.typed and mode.settings and setting not in mode.settings:
            known = ", ".join(sorted(mode.settings))
            raise UsageError(f"{title} does not use {SETTING} {setting}; it uses: {known}")


def _words(arguments: ArgumentCollection) -> Words:
    values: dict[str, list[str]] = {}
    typed: list[str] = []
    for argument in arguments:
        texts = [token.value or ("yes" if token.implicit_value is True else "")
                 for token in argument.tokens]  # fmt: skip
        if texts:
            values[argument.name] = texts
        if any(texts) and any(token.source == "cli" for token in argument.tokens):
            typed.append(argument.name)
    return Words(values, typed)

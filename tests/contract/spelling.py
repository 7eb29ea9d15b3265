"""How today's commands, options and public names are spelt: the one file that follows a renaming.

The tests are written in the spelling of the commit before the rebuilding. What is not listed here
is spelt the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("curate", name): ("curate", name, "--keep-names") for name in ("add", "pair", "frames")
}
"""A command as the tests write it -> as it is typed now: ("import-scores",) -> ("import",)."""

OPTIONS: dict[tuple[str, str], str | None] = {
    ("judge run", "--rubrics"): "--prompts",
    ("judge run", "--no-calibration"): None,
    ("judge run", "--no-repair"): None,
}
"""(command as the tests write it, option) -> the option now; None: a flag that went. Options of
every command have the command "*".
"""

NAMES: dict[str, str] = {}
"""A name of `editgauge.__all__` as the tests write it -> as it is now."""

_GROUPS = ("judge", "study", "curate", "hub", "new", "prompts")


def spell(words: Sequence[Any]) -> list[str]:
    """A command line of the tests as it is typed now."""
    argv = [str(word) for word in words]
    length = 2 if argv and argv[0] in _GROUPS and len(argv) > 1 else 1
    command, rest = tuple(argv[:length]), argv[length:]
    name = " ".join(command)
    respelt = (_option(name, word) for word in rest)
    return [*COMMANDS.get(command, command), *(word for word in respelt if word is not None)]


def public(name: str) -> Any:
    """A name of `editgauge.__all__`."""
    import editgauge

    now = NAMES.get(name, name)
    assert now in editgauge.__all__
    return getattr(editgauge, now)


def _option(command: str, word: str) -> str | None:
    if not word.startswith("--"):
        return word
    option, equals, value = word.partition("=")
    now = OPTIONS.get((command, option), OPTIONS.get(("*", option), option))
    return None if now is None else now + equals + value

"""How today's commands, options and public names are spelt: the one file that follows a renaming.

The tests are written in the spelling of the commit before the rebuilding. What is not listed here
is spelt the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

COMMANDS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("import-scores",): ("import",),
    ("import-outputs",): ("import",),
    ("check-run",): ("check",),
    ("doctor",): ("list", "installation"),
    ("agree",): ("study", "agree"),
    ("judge", "run"): ("judge",),
    ("judge", "estimate"): ("judge", "--estimate"),
    ("judge", "show"): ("judge", "--show"),
    ("judge", "batch"): ("judge",),
    ("judge", "import"): ("import",),
    ("study", "plan"): ("study", "start", "--estimate"),
    ("curate", "add"): ("curate", "add", "--keep-names"),
    ("curate", "pair"): ("curate", "add", "--keep-names"),
    ("curate", "release"): ("curate", "export"),
    ("curate", "ready"): ("curate", "export"),
    ("curate", "propose"): ("curate", "add"),
    ("curate", "mask"): ("curate", "set"),
    ("curate", "review"): ("curate", "set"),
    ("curate", "withdraw"): ("curate", "set"),
}
"""A command as the tests write it -> as it is typed now."""

POSITIONS: dict[tuple[str, ...], tuple[int, str]] = {
    ("curate", "pair"): (2, "--references"),
    ("curate", "review"): (2, "review="),
}
"""A command as the tests write it -> the word behind its name that has an option before it now."""

OPTIONS: dict[tuple[str, str], tuple[str, ...]] = {
    ("table", "--weights"): ("--set", "weights="),
    ("table", "--cutoff"): ("--set", "cutoff="),
    ("table", "--proxy"): ("--set", "proxy="),
    ("table", "--metrics"): ("--columns",),
    ("score", "--outputs-map"): ("--map",),
    ("score", "--outputs-pattern"): ("--pattern",),
    ("edit", "--concurrency"): ("--set", "concurrency="),
    ("edit", "--seed"): ("--set", "seed="),
    ("judge run", "--rubrics"): ("--prompts",),
    ("judge run", "--concurrency"): ("--set", "concurrency="),
    ("judge run", "--max-tokens"): ("--set", "max_tokens="),
    ("judge run", "--no-calibration"): (),
    ("judge run", "--no-repair"): (),
    ("judge batch", "--what"): ("--batch",),
    ("tune", "--resolution"): ("--train", "resolution="),
    ("diagnose", "--model"): ("--set", "model="),
    ("diagnose", "--resolution"): ("--set", "resolution="),
    ("curate add", "--licence"): ("--set", "licence="),
    ("curate pair", "--licence"): ("--set", "licence="),
    ("curate pair", "--category"): ("--set", "category="),
    ("curate mask", "--from"): ("mask=",),
    ("curate mask", "--save"): (),
    ("curate withdraw", "--why"): ("--note",),
    ("curate withdraw", "--erase"): ("state=erased",),
    ("new dataset", "--title"): ("title=",),
    ("new dataset", "--require"): ("required=",),
    ("new dataset", "--reviews"): ("reviews=",),
}
"""(command as the tests write it, option) -> the words for it now; none: a flag that went. A last
word with ``=`` is one word with what follows. Options of every command have the command "*".
"""

NAMES: dict[str, str] = {}
"""A name of `editgauge.__all__` as the tests write it -> as it is now."""

_GROUPS = ("judge", "study", "curate", "hub", "new", "prompts")


def spell(words: Sequence[Any]) -> list[str]:
    """A command line of the tests as it is typed now."""
    argv = [str(word) for word in words]
    length = 2 if argv and argv[0] in _GROUPS and len(argv) > 1 else 1
    command, rest = tuple(argv[:length]), argv[length:]
    if command in POSITIONS:
        place, option = POSITIONS[command]
        rest.insert(place, option)
    spelt: list[str] = []
    for word in rest:
        if spelt and spelt[-1].endswith("=") and spelt[-1] in _JOINED:
            spelt[-1] += word
        else:
            spelt += _option(" ".join(command), word)
    return [*COMMANDS.get(command, command), *spelt]


_LAST = [words[-1] for words in OPTIONS.values() if words] + [
    word for _, word in POSITIONS.values()
]
_JOINED = {word for word in _LAST if word.endswith("=")}


def public(name: str) -> Any:
    """A name of `editgauge.__all__`."""
    import editgauge

    now = NAMES.get(name, name)
    assert now in editgauge.__all__
    return getattr(editgauge, now)


def _option(command: str, word: str) -> list[str]:
    if not word.startswith("--"):
        return [word]
    option, equals, value = word.partition("=")
    now = OPTIONS.get((command, option), OPTIONS.get(("*", option), (option,)))
    return [*now[:-1], now[-1] + equals + value] if now else []

"""What a shell offers after Tab: ``eval "$(editgauge --completion)"`` in bash or zsh.

Commands, options, choices; benchmarks, editors, OCR engines, those of packages included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from editgauge.cli.help import Line, described

SCRIPT = """\
[ -n "$ZSH_VERSION" ] && autoload -U +X bashcompinit && bashcompinit
_editgauge() {
  local IFS=$'\\n'
  COMPREPLY=($(editgauge --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _editgauge editgauge
"""
_KINDS = {"--editor": "editors", "--ocr-engine": "ocr_engines", "--ocr": "ocr_engines"}
_WORDS = {
    "list": ("benchmarks", "editors", "metrics", "judges", "ocr_engines", "installation"),
    "fetch": ("weights", "prompts"),
    "new": ("benchmark", "dataset", "prompts"),
}
_OF_BENCHMARKS = ("check", "edit", "score", "judge", "import", "plan", "tune", "fetch")


def candidates(words: Sequence[str]) -> list[str]:
    """The words that could stand in the place of the last."""
    from editgauge.cli.main import COMMANDS, FLAGS, application

    *before, typed = words or [""]
    if not before:
        return _beginning(typed, COMMANDS)
    if before[0] not in COMMANDS:
        return []
    app = application(before[0])
    chain, apps, _ = app.parse_commands(before)
    lines = {line.name.split()[0]: line for line in described(app, chain)}
    if before[-1] in lines and (found := _values(before[0], lines[before[-1]])):
        return _beginning(typed, found)
    if typed.startswith("-"):
        return _beginning(typed, [*(name for name in lines if name.startswith("--")), *FLAGS])
    return _beginning(typed, [*_inner(apps[-1]), *_arguments(before)])


def _inner(app: Iterable[str]) -> list[str]:
    return [name for name in app if not name.startswith("-")]


def _values(command: str, line: Line) -> list[str]:
    """What an option takes, where that is known."""
    from editgauge import catalog

    name, _, kind = line.name.partition(" ")
    if "|" in kind:
        return kind.split("|")
    if name in _KINDS and (name != "--editor" or command in ("edit", "tune")):
        return catalog.names(_KINDS[name])
    return []


def _arguments(before: Sequence[str]) -> list[str]:
    """What may stand behind a command's name."""
    from editgauge import catalog

    if len(before) > 1:
        return []
    found = list(_WORDS.get(before[0], ()))
    return found + (catalog.names("benchmarks") if before[0] in _OF_BENCHMARKS else [])


def _beginning(typed: str, words: Iterable[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word.startswith(typed)]

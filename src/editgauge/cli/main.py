"""`editgauge`: the commands by name, what all of them share, and the exit codes."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from editgauge import __version__, machine
from editgauge.cli import output
from editgauge.errors import EditgaugeError, UsageError, meant

if TYPE_CHECKING:
    from cyclopts import App

ABOUT = "Measure how well a model edits images by instruction. Start with: editgauge demo"


class Command(NamedTuple):
    """Where a command is defined (its module is imported when it is called), and one line."""

    target: str
    words: str


DAILY: dict[str, Command] = {
    "demo": Command("score:demo", "The whole way on the built-in benchmark, offline."),
    "list": Command("names:list_names", "What there is, what is installed, what is missing."),
    "fetch": Command("data:fetch", "Official data, network weights, prompts, a run of the hub."),
    "check": Command("data:check", "Look for faults in data, outputs or a run."),
    "edit": Command("edit:edit", "Make outputs with an editor."),
    "score": Command("score:score", "Score outputs and print the table."),
    "judge": Command("judge:judge", "Ask a vision-language model about outputs."),
    "table": Command("table:table", "Print the papers' tables from a run's rows."),
    "compare": Command("compare:compare", "Compare two editors; gate a release."),
    "report": Command("report:report", "Write a report that opens from disk."),
}
OTHER: dict[str, Command] = {
    "import": Command("runs:take_in", "Take in outputs and scores of other tools."),
    "merge": Command("runs:merge", "Bring runs together, or to a store or the hub."),
    "grid": Command("report:grid", "Draw instructions and editors as one picture."),
    "plan": Command("score:plan", "What scoring would take: hours, calls, space."),
    "costs": Command("runs:costs", "What a run has cost; settle what no bill says."),
    "diagnose": Command("diagnose:diagnose", "Why edits failed: where models looked and changed."),
    "tune": Command("diagnose:tune", "Fine-tune an editor on a few samples of a task."),
    "audit": Command("compare:audit", "Check a published table against itself."),
    "study": Command("study:app", "Ratings by people: collect, import, agree."),
    "curate": Command("curate:app", "Make a data set: curate DIR opens it in the browser."),
    "new": Command("data:new", "Start a benchmark, a data set or prompts of your own."),
}
COMMANDS = DAILY | OTHER
EVERYWHERE = {
    "--json": "One JSON object instead of text, errors too; tables as --format json.",
    "-q, --quiet": "No progress and no warnings: results only.",
    "-v, --verbose": "What libraries log, too.",
    "--plugin FILE.py": "Metrics, editors and benchmarks of a file of yours; may be repeated.",
    "-h, --help": "This help; editgauge COMMAND --help: a command's.",
    "--version": "The version.",
    "--completion": 'For a shell: eval "$(editgauge --completion)" completes words.',
}
KEPT, AGAIN = "what was done is kept", "run the same command again"
INTERRUPTED = f"interrupted; {KEPT}: {AGAIN} to go on"
_COLLECTION = (50_000, 20, 20)
"""How seldom cyclic garbage is looked for: the samples and records of a data set, which stay, would
be gone through again and again (a seventh of the time of a command on 20,000 samples).
"""


def main() -> None:
    """Entry point: exit 0 done, 1 some samples have no score, 2 bad input, 3 budget, 130
    interrupted.
    """
    gc.set_threshold(*_COLLECTION)
    machine.limit_memory()
    with output.inert_output():
        sys.exit(code_of(lambda: run(sys.argv[1:]), as_json=wants_json(sys.argv[1:])))


def run(typed: Sequence[str]) -> int:
    """Do what words say; the exit code. Raises what the command raises."""
    if typed[:1] in (["--complete"], ["--completion"]):
        from editgauge.cli import help

        asked = typed[0] == "--completion"
        print(help.SCRIPT if asked else "\n".join(help.candidates(typed[1:])))
        return 0
    given, words = _taken_out(typed)
    given_flags = {name: f"--{name}" in given for name in ("quiet", "json", "verbose")}
    with output.saying(**given_flags, plugins=given.get("--plugin", "").splitlines()):
        if "--version" in given:
            print(f"editgauge {__version__}")
        elif not words:
            print(overview())
            return 0 if "--help" in given or not typed else 2
        else:
            return _done(words, given)
    return 0


def _done(words: list[str], given: Mapping[str, str]) -> int:
    """Do what a command's words say, or print its help."""
    from cyclopts import CycloptsError

    from editgauge.cli import help

    app = application(_known(words[0]))
    if "--help" in given:
        print(help.page(app, words))
        return 0
    for file in given.get("--plugin", "").splitlines():
        from editgauge.run import plugins

        plugins.load(file)
    chain, _, _ = app.parse_commands(words)
    if "--json" in given and any(one.name[:9] == "--format " for one in help.described(app, chain)):
        words = [*words, "--format", "json"]
    try:
        code = app(words)
    except CycloptsError as error:
        raise UsageError(_told(" ".join(str(error).split()))) from error
    return code if isinstance(code, int) else 0


def _told(said: str) -> str:
    """The parser's words; an option of every command is meant sooner than one of this one."""
    from difflib import get_close_matches

    word = said.removeprefix("Unknown option: ").partition(". ")[0].partition("=")[0].rstrip(".")
    near = get_close_matches(word, ("--plugin", "--version", *FLAGS), 1, 0.8)
    if said.startswith("Unused Tokens: "):
        said = f"more words than it takes: {said[16:-2]}; is an option lacking before it? (--help)"
    return f"Unknown option: {word}. Did you mean {near[0]}?" if near else said


def _known(word: str) -> str:
    if word not in COMMANDS:
        raise UsageError(
            f"no such command: {word}; {meant(word, COMMANDS, 'see: editgauge --help')}"
        )
    return word


def application(*names: str) -> App:
    """The parser of these commands, by default of all; their modules are not imported yet."""
    from cyclopts import App, Parameter

    from editgauge.cli.options import Project

    app = App(
        name="editgauge",
        help_flags=(),
        version_flags=(),
        help_format="plaintext",
        default_parameter=Parameter(negative=(), allow_repeating=True),
        config=Project(COMMANDS),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for name in names or COMMANDS:
        app.command(f"editgauge.cli.{COMMANDS[name].target}", name=name)
    return app


def overview() -> str:
    """What `editgauge --help` prints: the ten commands of every day first."""
    from editgauge.cli.help import Line, section

    parts = [f"Usage: editgauge COMMAND …\n\n{ABOUT}"]
    for title, commands in (("Every day", DAILY), ("More", OTHER)):
        lines = (Line(name, command.words) for name, command in commands.items())
        parts.append(section(title, lines))
    parts.append(section("With every command", (Line(*one) for one in EVERYWHERE.items())))
    return "\n\n".join(parts)


_SHORT = {"-q": "--quiet", "-v": "--verbose", "-h": "--help"}
FLAGS = ("--json", "--quiet", "--verbose", "--help")
"""Of every command, wherever they stand."""


def _taken_out(typed: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """What stands with every command, wherever it was typed, and the other words."""
    given: dict[str, str] = {}
    words: list[str] = []
    rest = list(typed)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return given, [*words, word, *rest]
        name, equals, value = word.partition("=")
        if name == "--plugin":
            value = value if equals or not rest else rest.pop(0)
            if not value:
                raise UsageError(f"{name}: wanted a value behind it")
            given[name] = f"{given[name]}\n{value}" if name in given else value
        elif (flag := _SHORT.get(word, word)) in FLAGS:
            given[flag] = "yes"
        elif word == "--version" and not words:
            given[word] = "yes"
        else:
            words.append(word)
    return given, words


def wants_json(typed: Sequence[str]) -> bool:
    """Whether a command line asks for JSON: then errors are JSON, too."""
    follows = pairwise(typed)
    return "--json" in typed or "--format=json" in typed or ("--format", "json") in follows


def code_of(command: Callable[[], int], *, as_json: bool = False) -> int:
    """Run a command and return its exit code; what it raises is said in one line on standard error,
    and with `as_json` as an object on standard output, too.
    """
    try:
        code = command()
        sys.stdout.flush()
        return code
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BrokenPipeError:  # `… | head`: whoever read it had enough
        _no_more_output()
        return 0
    except BaseException as error:
        words, code = explained(error)
        output.note(words)
        if as_json:
            message = words.removeprefix("error: ")
            output.print_json({"error": message, "kind": type(error).__name__, "exit_code": code})
        return code


def explained(error: BaseException) -> tuple[str, int]:
    """The line and the exit code of what ended a command."""
    if isinstance(error, EditgaugeError):
        return f"error: {_words(error)}", error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, 130
    if isinstance(error, OSError):  # a full disk, a folder without rights: one line is enough
        where = f"{error.filename}: " if error.filename else ""
        return f"error: {where}{error.strerror or error}; {KEPT}: fix it and {AGAIN}", 2
    if isinstance(error, MemoryError):
        return f"error: out of memory; {KEPT}: {AGAIN} with fewer --workers", 2
    traceback.print_exception(error)  # a mistake of ours: shown whole, as nothing else is
    name = type(error).__name__
    return f"error: unexpected {name}, a mistake in editgauge; please report the lines above", 2


def _no_more_output() -> None:
    """Nothing is written at the end of the process, which would complain of the closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            os.dup2(nowhere, output.raw(stream).fileno())
        except (OSError, ValueError):
            continue


_OPTIONS = {
    "samples": "--sample",
    "editors": "--editor",
    "ids": "--sample",
    "sizes": "--samples",
    "basis": "--from",
}
"""Arguments of the library whose option has another name."""


def _words(error: EditgaugeError) -> str:
    """An error with the option in the place of the library's argument."""
    if not isinstance(error, UsageError) or not error.argument:
        return str(error)
    option = _OPTIONS.get(error.argument, f"--{error.argument.replace('_', '-')}")
    return option + str(error)[len(error.argument) :]


def every() -> dict[str, Any]:
    """Every command, those of groups as ``group name``, and its function: for the reference."""
    app, commands = application(), dict[str, Any]()
    for name in COMMANDS:
        command = app[name]
        commands[name] = command.default_command
        commands |= {f"{name} {word}": command[word].default_command for word in command
                  if not word.startswith("-")}  # fmt: skip
    return {name: function for name, function in commands.items() if function is not None}


if __name__ == "__main__":
    main()

"""`editgauge`: the commands by name, what all of them share, and the exit codes."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge import __version__, machine
from editgauge.cli import output
from editgauge.errors import EditgaugeError, UsageError, meant

if TYPE_CHECKING:
    from cyclopts import App

ABOUT = "Measure how well a model edits images by instruction. Start with: editgauge demo"
DAILY = {
    "demo": ("score:demo", "The whole way on the built-in benchmark, offline."),
    "list": ("names:list_names", "What there is, what is installed, what is missing."),
    "fetch": ("data:fetch", "Official data, network weights, prompts, a run of the hub."),
    "check": ("data:check", "Look for faults in data, outputs or a run."),
    "edit": ("edit:edit", "Make outputs with an editor."),
    "score": ("score:score", "Score outputs and print the table."),
    "judge": ("judge:judge", "Ask a vision-language model about outputs."),
    "table": ("table:table", "Print the papers' tables from a run's rows."),
    "compare": ("compare:compare", "Compare two editors; gate a release."),
    "report": ("report:report", "Write a report that opens from disk."),
}
OTHER = {
    "import": ("runs:take_in", "Take in outputs and scores of other tools."),
    "merge": ("runs:merge", "Bring runs together, or to a store or the hub."),
    "grid": ("report:grid", "Draw instructions and editors as one picture."),
    "costs": ("runs:costs", "What a run has cost; settle what no bill says."),
    "diagnose": ("diagnose:diagnose", "Why edits failed: where models looked and changed."),
    "tune": ("diagnose:tune", "Fine-tune an editor on a few samples of a task."),
    "audit": ("compare:audit", "Check the published tables against themselves."),
    "study": ("study:app", "Ratings by people: collect, import, agree."),
    "curate": ("curate:app", "Make a data set: curate DIR opens it in the browser."),
    "new": ("data:new", "Start a benchmark, a data set or prompts of your own."),
}
COMMANDS = DAILY | OTHER
"""Command -> where it is defined (the module is imported when it is called), and one line."""
EVERYWHERE = {
    "--json": "One JSON object instead of text, errors too; tables as --format json.",
    "-q, --quiet": "No progress and no warnings: results only.",
    "--plugin FILE.py": "Metrics, editors and benchmarks of a file of yours; may be repeated.",
    "-h, --help": "This help; editgauge COMMAND --help: a command's.",
    "--version": "The version.",
    "--completion [SHELL]": 'For bash, zsh, fish, powershell: eval "$(editgauge --completion)".',
}
INTERNAL_ERROR = 70
"""The exit code of a mistake of ours (EX_SOFTWARE of sysexits.h)."""
EXIT_CODES = {
    0: "done",
    1: "done, but something has no score or needs attention",
    2: "bad input or usage",
    3: "stopped by a budget",
    4: "inconclusive: a gate cannot tell, or the work was cut short because machines were lost",
    INTERNAL_ERROR: "an internal error: a mistake in editgauge; please report it",
    130: "interrupted: the same command goes on",
}
_FLAGS = {"-q": "--quiet", "-h": "--help"}
FLAGS = ("--json", *_FLAGS.values())
SHELLS = ("bash", "zsh", "fish", "powershell")
KEPT, AGAIN = "what was done is kept", "run the same command again"
INTERRUPTED = f"interrupted; {KEPT}: {AGAIN} to go on"
_COLLECTION = (50_000, 20, 20)
"""How seldom cyclic garbage is looked for: the samples and records of a data set, which stay, would
be gone through again and again (a seventh of the time of a command on 20,000 samples).
"""


def main() -> None:
    """Entry point: end with one of `EXIT_CODES`."""
    gc.set_threshold(*_COLLECTION)
    machine.limit_memory()
    typed = sys.argv[1:]
    in_json = (
        "--json" in typed or "--format=json" in typed or ("--format", "json") in pairwise(typed)
    )
    with output.inert_output(), _interrupted_by_signals():
        sys.exit(code_of(lambda: run(typed), as_json=in_json))


@contextlib.contextmanager
def _interrupted_by_signals() -> Iterator[None]:
    """Let SIGTERM (a scheduler's) and SIGHUP (a closed terminal's) end a command as Ctrl-C does: it
    hands over what is done and releases what it holds.
    """

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        in_main_thread = threading.current_thread() is threading.main_thread()
        # `nohup` ignores SIGHUP, and so do we then
        if number and in_main_thread and signal.getsignal(number) == signal.SIG_DFL:
            before[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run(typed: Sequence[str]) -> int:
    """Do what words say; the exit code. Raises what the command raises."""
    flags, plugins, words = _split(typed)
    with output.saying(quiet="--quiet" in flags, json="--json" in flags):
        match words:
            case ["--version"]:
                print(f"editgauge {__version__}")
            case ["--completion", *shell]:
                print(_completion(*shell))
            case ["__complete", *_]:  # a shell asks, in signs of its own
                with contextlib.redirect_stdout(output.raw(sys.stdout)):
                    application()(typed)
            case []:
                print(overview())
                return 0 if "--help" in flags or not typed else 2
            case _:
                return _done(flags, plugins, words)
    return 0


def _split(typed: Sequence[str]) -> tuple[set[str], list[str], list[str]]:
    """The flags and plug-ins of a command line, wherever they were typed, and the other words."""
    flags, plugins, words, rest = set[str](), list[str](), list[str](), list(typed)
    while rest:
        word = rest.pop(0)
        name, _, file = word.partition("=")
        if word == "--" or [*words, word] == ["__complete"]:
            return flags, plugins, [*words, word, *rest]
        if name == "--plugin":
            if not (file or rest):
                raise UsageError("--plugin: wanted a value behind it")
            plugins.append(file or rest.pop(0))
        elif (flag := _FLAGS.get(word, word)) in FLAGS:
            flags.add(flag)
        else:
            words.append(word)
    return flags, plugins, words


def _done(flags: set[str], plugins: Sequence[str], words: list[str]) -> int:
    """Do what a command's words say, or print its help."""
    from cyclopts import CycloptsError

    from editgauge.cli import help

    if words[0] not in COMMANDS:
        hint = meant(words[0], COMMANDS, "see: editgauge --help")
        raise UsageError(f"no such command: {words[0]}; {hint}")
    app = application(words[0])
    if "--help" in flags:
        print(help.page(app, words))
        return 0
    for file in plugins:
        from editgauge.run import plugins as own

        own.load(file)
    if "--json" in flags and any(
        n.name.startswith("--format ") for n in help.described(app, words)
    ):
        words = [*words, "--format", "json"]
    try:
        code = app(words)
    except CycloptsError as error:
        text = " ".join(str(error).split())
        if text.startswith("Unused Tokens: "):
            more = f"more words than it takes: {text[16:-2]}"
            text = f"{more}; is an option lacking before it? (--help)"
        raise UsageError(text) from error
    return code if isinstance(code, int) else 0


def application(*names: str) -> App:
    """The parser of these commands, by default of all; their modules are not imported yet."""
    from cyclopts import App, Parameter

    from editgauge.cli.modes import refuse_unused
    from editgauge.cli.options import project

    app = App(
        name="editgauge",
        help_flags=(),
        version_flags=(),
        help_format="plaintext",
        default_parameter=Parameter(negative=(), allow_repeating=True),
        config=(project, refuse_unused),
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        result_action="return_value",
    )
    for name in names or COMMANDS:
        app.command(f"editgauge.cli.{COMMANDS[name][0]}", name=name)
    return app


def overview() -> str:
    """What `editgauge --help` prints: the ten commands of every day first."""
    from editgauge.cli.help import Line, section

    parts = [f"Usage: editgauge COMMAND …\n\n{ABOUT}"]
    for title, commands in (("Every day", DAILY), ("More", OTHER)):
        parts.append(section(title, (Line(name, words) for name, (_, words) in commands.items())))
    parts.append(section("With every command", (Line(*one) for one in EVERYWHERE.items())))
    codes = (Line(str(code), words) for code, words in EXIT_CODES.items())
    parts.append(section("Exit codes", codes))
    return "\n\n".join(parts)


def _completion(shell: str = "") -> str:
    """What a shell evaluates, so that it completes words."""
    named: Any = shell or Path(os.environ.get("SHELL", "bash")).name
    if named not in SHELLS:
        raise UsageError(f"--completion {named}: wanted one of {', '.join(SHELLS)}")
    return application().generate_completion(prog_name="editgauge", shell=named)


# -- how it ends -----------------------------------------------------------------------------------


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
        nowhere = os.open(os.devnull, os.O_WRONLY)  # or Python's end would complain of the pipe
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                os.dup2(nowhere, output.raw(stream).fileno())
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
    if isinstance(error, UsageError) and (argument := error.argument):
        option = _OPTIONS.get(argument, f"--{argument.replace('_', '-')}")
        return f"error: {option}{str(error)[len(argument) :]}", error.exit_code
    if isinstance(error, EditgaugeError):
        return f"error: {error}", error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, 130
    if isinstance(error, OSError):  # a full disk, a folder without rights: one line is enough
        where = f"{error.filename}: " if error.filename else ""
        return f"error: {where}{error.strerror or error}; {KEPT}: fix it and {AGAIN}", 2
    if isinstance(error, MemoryError):
        return f"error: out of memory; {KEPT}: {AGAIN} with fewer --workers", 2
    traceback.print_exception(error)  # a mistake of ours: shown whole, as nothing else is
    name = type(error).__name__
    return (
        f"error: unexpected {name}, a mistake in editgauge; please report the lines above",
        INTERNAL_ERROR,
    )


_OPTIONS = {
    "samples": "--sample",
    "editors": "--editor",
    "ids": "--sample",
    "sizes": "--samples",
    "basis": "--from",
}
"""Arguments of the library whose option has another name."""


def every() -> dict[str, Any]:
    """Every command, those of groups as ``group name``, and its function: for the reference."""
    app, commands = application(), dict[str, Any]()
    for name in COMMANDS:
        commands[name] = app[name].default_command
        for word in app[name]:
            if not word.startswith("-"):
                commands[f"{name} {word}"] = app[name][word].default_command
    return {name: function for name, function in commands.items() if function is not None}


if __name__ == "__main__":
    main()

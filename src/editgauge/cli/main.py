"""`editgauge`: the commands, one module each."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from editgauge import __version__, confinement
from editgauge.cli import exits, panels, project, verbosity
from editgauge.cli.output import inert_output

COMMANDS: dict[str, str] = {
    "demo": "Run the built-in benchmark end to end, offline.",
    "list": "List benchmarks, editors, scorers, judges and OCR engines.",
    "fetch": "Fetch a benchmark's data, network weights or prompts.",
    "check": "Check data and outputs before anything is scored.",
    "edit": "Make outputs with an editor.",
    "import-outputs": "Show what a folder of outputs holds and what it matches.",
    "tune": "Fine-tune an editor on a few samples of a task.",
    "score": "Score outputs and print the table.",
    "plan": "Say what scoring would take: processor-hours, space.",
    "import-scores": "Take in scores that a released script wrote.",
    "judge": "Ask a vision-language model about outputs.",
    "costs": "Show what a run has cost, and settle what no bill says.",
    "prompts": "Show, compare and start the prompts of a judge.",
    "table": "Print the papers' tables from a run's rows.",
    "compare": "Compare two editors sample by sample; gate a release.",
    "diagnose": "Say why edits failed: where the model looked and changed.",
    "merge": "Merge runs.",
    "hub": "Push a run to the Hugging Face hub, or pull one.",
    "study": "Collect ratings by people, import and export them.",
    "agree": "Agreement of annotators with each other and with metrics.",
    "report": "Write a report that opens from disk in any browser.",
    "grid": "Draw a grid of instructions and editors as one picture.",
    "log": "Log a run to Weights & Biases, MLflow or Trackio.",
    "audit": "Check a published table against itself.",
    "new": "Start something of your own: a benchmark, a data set.",
    "curate": "Make a data set: curate DIR opens it in the browser.",
    "check-run": "Check every record and output of a run.",
    "doctor": "Say what this installation can do and what it lacks.",
}
"""What `--help` says of each command, in its order. A command's module, ``editgauge.cli.<name>``
with its ``register(app)``, is imported when it is called; importing one must cost nothing heavy.
"""


_COMPLETION = "_EDITGAUGE_COMPLETE"
"""What a shell sets when it asks for completions (Typer's name for the program `editgauge`)."""

_COLLECTION = (50_000, 20, 20)
"""How seldom cyclic garbage is looked for: the samples and records of a data set, which stay, would
be gone through again and again (a seventh of the time of a command on 20,000 samples).
"""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"editgauge {__version__}")
        raise typer.Exit


class _Overview(TyperGroup):
    """Commands and groups in one list, in the order of `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in COMMANDS if name in self.commands]


def build_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The Typer application with the commands of these names."""
    app = _without_commands()
    for name in names:
        importlib.import_module(f"editgauge.cli.{name.replace('-', '_')}").register(app)
    for command in app.registered_commands:
        command.short_help = COMMANDS[str(command.name)]
    for group in app.registered_groups:
        group.short_help = COMMANDS[str(group.name)]
    panels.use(app)
    return app


def _overview() -> typer.Typer:
    """The application as `--help` shows it: no command's module is imported."""
    app = _without_commands()
    for name, line in COMMANDS.items():
        app.command(name, short_help=line)(_listed)
    return app


def _listed() -> None:
    """Stands for a command of which only the name and the line of help are shown."""


def _without_commands() -> typer.Typer:
    app = typer.Typer(
        name="editgauge",
        cls=_Overview,
        help="Measure how well a model edits images by instruction. Start with: editgauge demo",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def root(
        context: typer.Context,
        version: Annotated[
            bool,
            typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
        ] = False,
        quiet: Annotated[
            bool, typer.Option("-q", "--quiet", help="No progress and no warnings: results only.")
        ] = False,
        verbose: Annotated[
            bool, typer.Option("-v", "--verbose", help="What libraries log: --log-level info.")
        ] = False,
        log_level: Annotated[
            str, typer.Option(help="What libraries log: debug, info, warning, error or critical.")
        ] = "",
    ) -> None:
        del version
        context.with_resource(inert_output())
        level = log_level or ("info" if verbose else "")
        context.with_resource(verbosity.chosen(quiet=quiet, level=level))
        _project_file(context, quiet=quiet)

    return app


def _project_file(context: typer.Context, *, quiet: bool) -> None:
    """Give the command that was typed the defaults of the project file."""
    name = context.invoked_subcommand
    if name is None or (found := project.read()) is None:
        return
    place, tables = found
    group: Any = context.command
    command = group.commands[name]
    defaults = project.defaults(place, tables, command, name, COMMANDS)
    context.default_map = {name: defaults}
    options = project.taken(defaults, command)
    if options and not quiet:
        typer.echo(f"{place}: {', '.join(options)}, unless typed", err=True)


def app_for(words: Sequence[str]) -> typer.Typer:
    """The application as far as a command line needs it: reading the options of twenty commands
    takes longer than most of them do.
    """
    if _COMPLETION in os.environ:  # the shell asks for the words that could come next
        return build_app()
    name = _command_of(words)
    return build_app([name]) if name in COMMANDS else _overview()


def _command_of(words: Sequence[str]) -> str:
    """The command that a line names; "" where help is asked of the whole, or none is named."""
    rest = iter(words)
    for word in rest:
        if word in ("-h", "--help"):
            return ""
        if word == "--log-level":
            next(rest, "")
        elif not word.startswith("-"):
            return word
    return ""


def main() -> None:
    """Entry point: exit 0 done, 1 some samples have no score, 2 bad input, 3 budget, 130
    interrupted.
    """
    gc.set_threshold(*_COLLECTION)
    with confinement.enabled(), inert_output():
        sys.exit(exits.code_of(lambda: app_for(sys.argv[1:])(standalone_mode=False)))


if __name__ == "__main__":
    main()

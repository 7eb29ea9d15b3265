"""`editgauge`: the commands, one module each."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from editgauge import __version__
from editgauge.cli import exits, panels, project, verbosity
from editgauge.cli.output import inert_output

COMMANDS: tuple[str, ...] = (
    # one line a command, in the order of `--help`: the module `editgauge.cli.<name>` has
    # `register(app)`
    "demo",
    "list",
    "fetch",
    "check",
    "edit",
    "import-outputs",
    "recipe",
    "tune",
    "score",
    "plan",
    "import-scores",
    "judge",
    "prompts",
    "table",
    "compare",
    "diagnose",
    "merge",
    "hub",
    "study",
    "agree",
    "report",
    "grid",
    "log",
    "audit",
    "new",
    "curate",
    "check-run",
    "doctor",
)
"""Modules of this folder; importing one must cost nothing heavy (`editgauge --help` stays under 300
ms).
"""


_COLLECTION = (50_000, 20, 20)
"""How seldom cyclic garbage is looked for: the samples and records of a data set, which stay, would
be gone through again and again (a seventh of the time of a command on 20,000 samples).
"""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"editgauge {__version__}")
        raise typer.Exit


def build_app(names: Sequence[str] = COMMANDS) -> typer.Typer:
    """The Typer application with the commands of these names, in their order."""
    app = typer.Typer(
        name="editgauge",
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

    for name in names:
        importlib.import_module(f"editgauge.cli.{name.replace('-', '_')}").register(app)
    panels.use(app)
    return app


def _project_file(context: typer.Context, *, quiet: bool) -> None:
    """Give the command that was typed the defaults of the project file."""
    name = context.invoked_subcommand
    if name is None or (found := project.read()) is None:
        return
    place, tables = found
    group: Any = context.command
    defaults = project.defaults(place, tables, group.commands[name], name, COMMANDS)
    context.default_map = {name: defaults}
    options = project.taken(defaults)
    if options and not quiet:
        typer.echo(f"{place}: {', '.join(options)}, unless typed", err=True)


def app_for(words: Sequence[str]) -> typer.Typer:
    """The application as far as a command line needs it: reading the options of twenty commands
    takes longer than most of them do.
    """
    if words and words[0] in COMMANDS:
        return build_app(words[:1])
    app = build_app()
    if list(words) in (["-h"], ["--help"]):
        for info in app.registered_commands:
            info.callback = _without_options(info.callback)
        for group in app.registered_groups:
            if group.typer_instance is not None:
                group.typer_instance.registered_commands.clear()
                group.typer_instance.registered_groups.clear()
    return app


def _without_options(command: Callable[..., Any] | None) -> Callable[..., Any]:
    """Stands for a command of which only the name and the first line of help are shown."""

    def listed() -> None: ...

    listed.__name__, listed.__doc__ = getattr(command, "__name__", ""), command.__doc__
    return listed


def main() -> None:
    """Entry point: exit 0 done, 1 some samples have no score, 2 bad input, 3 budget, 130
    interrupted.
    """
    gc.set_threshold(*_COLLECTION)
    with inert_output():
        sys.exit(exits.code_of(lambda: app_for(sys.argv[1:])(standalone_mode=False)))


if __name__ == "__main__":
    main()

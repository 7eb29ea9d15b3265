"""`editgauge`: the commands, one module each."""

from __future__ import annotations

import importlib
import sys
from typing import Annotated

import typer

from editgauge import __version__
from editgauge.cli import exits
from editgauge.cli.output import inert_output

COMMANDS: tuple[str, ...] = (
    # one line a command, in the order of `--help`: the module `editgauge.cli.<name>` has
    # `register(app)`
    "demo",
    "list",
    "fetch",
    "check",
    "edit",
    "recipe",
    "tune",
    "score",
    "import-scores",
    "judge",
    "prompts",
    "table",
    "compare",
    "merge",
    "study",
    "agree",
    "report",
    "grid",
    "audit",
    "new",
    "check-run",
    "doctor",
)
"""Modules of this folder; importing one must cost nothing heavy (`editgauge --help` stays under 300
ms).
"""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"editgauge {__version__}")
        raise typer.Exit


def build_app() -> typer.Typer:
    """The Typer application with every command of `COMMANDS`."""
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
    ) -> None:
        del version
        context.with_resource(inert_output())

    for name in COMMANDS:
        importlib.import_module(f"editgauge.cli.{name.replace('-', '_')}").register(app)
    return app


def main() -> None:
    """Entry point: exit 0 done, 1 some samples have no score, 2 bad input, 3 budget, 130
    interrupted.
    """
    with inert_output():
        sys.exit(exits.code_of(lambda: build_app()(standalone_mode=False)))


if __name__ == "__main__":
    main()

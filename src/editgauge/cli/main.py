"""`editgauge`: the commands, one module each, and the one place that turns our errors into exit
codes.
"""

from __future__ import annotations

import importlib
import sys
from typing import Annotated

import typer

from editgauge import __version__
from editgauge.errors import EditgaugeError

COMMANDS: tuple[str, ...] = (
    # one line a command, in the order of `--help`: the module `editgauge.cli.<name>` has
    # `register(app)`
    "demo",
    "list",
    "fetch",
    "check",
    "edit",
    "score",
    "judge",
    "table",
    "compare",
    "merge",
    "study",
    "agree",
    "report",
    "audit",
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
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )

    @app.callback()
    def root(
        version: Annotated[
            bool,
            typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
        ] = False,
    ) -> None:
        del version

    for name in COMMANDS:
        importlib.import_module(f"editgauge.cli.{name}").register(app)
    return app


def main() -> None:
    """Entry point: exit 0 done, 1 some samples have no score, 2 bad input, 3 budget, 130
    interrupted.
    """
    try:
        build_app()()
    except EditgaugeError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print(
            "interrupted; what was done is kept: run the same command again to go on",
            file=sys.stderr,
        )
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except (
        OSError
    ) as error:  # a full disk, a folder without rights: wherever it happens, one line is enough
        where = f"{error.filename}: " if error.filename else ""
        print(
            f"error: {where}{error.strerror or error}; what was done is kept: mend it and run the "
            f"same command again",
            file=sys.stderr,
        )
        sys.exit(2)


if __name__ == "__main__":
    main()

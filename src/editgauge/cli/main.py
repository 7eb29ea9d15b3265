"""`editgauge`: the commands, one module each, and the one place that turns our errors into exit
codes.
"""

from __future__ import annotations

import gc
import importlib
import sys
import traceback
from typing import Annotated, Any

import typer

from editgauge import __version__
from editgauge.cli.output import inert_output
from editgauge.errors import EditgaugeError

COMMANDS: tuple[str, ...] = (
    # one line a command, in the order of `--help`: the module `editgauge.cli.<name>` has
    # `register(app)`
    "demo",
    "list",
    "fetch",
    "check",
    "edit",
    "recipe",
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


_COLLECTION = (50_000, 20, 20)
"""How seldom cyclic garbage is looked for: the samples and records of a data set, which stay, would
be gone through again and again (a seventh of the time of a command on 20,000 samples).
"""
INTERRUPTED = "interrupted; what was done is kept: run the same command again to go on"
UsageMistake: Any = typer.BadParameter.__bases__[0]
"""What the parser raises for wrong words: newer versions of Typer have a click of their own, so the
class is taken from where Typer names one of its children.
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
    gc.set_threshold(*_COLLECTION)
    with inert_output():
        sys.exit(_run())


def _run() -> int | str | None:
    try:
        code: int | None = build_app()(standalone_mode=False)
        if code == 130:  # the parser turns Ctrl-C into an exit code without a word
            _say(INTERRUPTED)
        return code
    except SystemExit as stop:
        return stop.code
    except EditgaugeError as error:
        _say(f"error: {error}")
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        _say(INTERRUPTED)
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:
        # a full disk, a folder without rights: wherever it happens, one line is enough
        where = f"{error.filename}: " if error.filename else ""
        _say(
            f"error: {where}{error.strerror or error}; what was done is kept: mend it and run the "
            f"same command again"
        )
        return 2
    except MemoryError:
        _say(
            "error: out of memory; what was done is kept: run the same command again with fewer "
            "--workers"
        )
        return 2
    except UsageMistake as error:
        error.show()
        return int(error.exit_code)
    except Exception as error:  # a mistake of ours: shown whole, as nothing else is, but inert
        traceback.print_exc()
        _say(
            f"error: unexpected {type(error).__name__}, a mistake in editgauge; please report the "
            f"lines above. What was done is kept."
        )
        return 2


def _say(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()

"""`editgauge new benchmark NAME`: a package to start one's own benchmark from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

_EXAMPLE = "Example: editgauge new benchmark mybench --to my-benchmark"


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    group.command("benchmark", epilog=_EXAMPLE)(benchmark)
    app.add_typer(group, name="new", help="Start something of your own: a benchmark.")


def benchmark(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and _.")],
    to: Annotated[
        Path | None, typer.Option("--to", help="The folder to write; default: NAME here.")
    ] = None,
    json: JsonOpt = False,
) -> None:
    """Write a complete judge benchmark as a package: declaration, rubric, test, pyproject.toml."""
    from editgauge.benchmarks import skeleton
    from editgauge.cli import common

    place = to or Path(name)
    files = [path.relative_to(place).as_posix() for path in skeleton.write(name, place)]
    if json:
        common.print_json({"name": name, "folder": str(place), "files": files})
        return
    for file in files:
        typer.echo(f"wrote:  {place / file}")
    typer.echo(f"next:   pip install --editable {place}, then: editgauge list benchmarks")

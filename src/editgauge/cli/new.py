"""`editgauge new benchmark NAME`, `editgauge new dataset DIR`: something of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import JsonOpt

_EXAMPLE = "Example: editgauge new benchmark mybench --to my-benchmark"

_DATASET = "Example: editgauge new dataset wards --protocol medebench --require licence,consent"


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    group.command("benchmark", epilog=_EXAMPLE)(benchmark)
    group.command("dataset", epilog=_DATASET)(dataset)
    app.add_typer(group, name="new", help="Start something of your own: a benchmark, a data set.")


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


def dataset(
    to: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    name: Annotated[
        str, typer.Option("--name", help="Small letters, digits, - and _; default: the folder's.")
    ] = "",
    title: Annotated[str, typer.Option("--title", help="For people.")] = "",
    licence: Annotated[str, typer.Option("--licence", help="Of the set as a whole.")] = "",
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="Measure it as texteditbench, textedit, medebench or krisbench; default: each "
            "sample by its own.",
        ),
    ] = "",
    require: Annotated[
        str, typer.Option("--require", help="Before export: some of url,licence,consent.")
    ] = "",
    reviews: Annotated[
        int, typer.Option("--reviews", min=0, max=9, help="People who must accept a sample.")
    ] = 0,
    expert: Annotated[
        str, typer.Option("--expert", help="Categories that need an expert, joined by commas.")
    ] = "",
    json: JsonOpt = False,
) -> None:
    """Start a data set: a folder that becomes a benchmark, `dir:DIR`, as soon as it has samples."""
    from editgauge.cli import common
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import words_of
    from editgauge.curation.records import about_of, name_from

    said = {"name": name or name_from(to), "title": title, "licence": licence, "protocol": protocol}
    policy = {"required": words_of(require), "reviews": reviews, "expert": words_of(expert)}
    made = DataSet.create(to, about_of({**said, "policy": policy}, f"{to}"))
    if json:
        common.print_json({"folder": str(to), **made.about.as_dict()})
        return
    typer.echo(f"data set {made.about.name}: {to}")
    typer.echo(f"next:   editgauge curate add {to} PICTURES, then: editgauge curate {to}")

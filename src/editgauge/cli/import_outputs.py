"""`editgauge import-outputs`: outputs with other names, matched to samples."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.groups import grouped
from editgauge.cli.option_groups import Narrowing
from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.store.matching import Matches

_EXAMPLE = (
    "Example: editgauge import-outputs textedit DATA --from OUT --pattern '{category}/{id}_edited' "
    "--editor my-model --to OUTPUTS"
)


def register(app: typer.Typer) -> None:
    app.command("import-outputs", epilog=_EXAMPLE)(import_outputs)


@grouped
def import_outputs(
    *,
    benchmark: BenchmarkArg,
    data: DataArg = None,
    source: Annotated[
        Path | None, typer.Option("--from", help="The folder with one editor's outputs.")
    ] = None,
    pattern: Annotated[
        str,
        typer.Option(
            help="Path of an output below it. Fields: {id}, {flat}, {name}, {number}, {stem}, "
            "{image}, {split}, {category}, {category1}…, {folder}, {folder1}… of the official "
            "output name, attributes; * for any text. Default: the usual ones, and what the "
            "names suggest."
        ),
    ] = "",
    map: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A csv with the columns sample and file, or a result file of VLMEvalKit (.tsv) or "
            "lmms-eval (.jsonl).",
        ),
    ] = None,
    editor: Annotated[str, typer.Option(help="Whose outputs they are; with --to.")] = "",
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="Copy the matched files to TO/<editor>/… in official naming. Else: look."
        ),
    ] = None,
    narrowing: Narrowing,
    json: JsonOpt = False,
) -> None:
    """Show what a folder of outputs holds, what it matches and what it does not; with --to, copy
    what matches to its official names. Nothing is scored, and the folder is not changed.

    Exit code 1 when samples have no output.
    """
    from editgauge.cli import common
    from editgauge.store.matching import deliver, matches_of

    if source is None:
        raise UsageError("wanted --from (the folder with one editor's outputs)")
    if (to is None) != (not editor):
        raise UsageError("--to and --editor: wanted both, or neither to only look")
    material = narrowing.open(benchmark, data)
    found = matches_of(source, material.samples, pattern, map)
    copied = 0
    if to is not None:
        found.need_one_each()
        copied = deliver(found.named, material.samples, to, editor)
    if json:
        common.print_json({**found.as_dict(), "copied": copied})
    else:
        for line in found.lines():
            print(line)
        if to is not None:
            print(f"{copied} files copied to {to / editor}")
        print(f"next:  {_next(material.benchmark.name, data, to, editor, found)}")
    if len(found.named) < len(material.samples):
        raise typer.Exit(1)


def _next(benchmark: str, data: Path | None, to: Path | None, editor: str, found: Matches) -> str:
    """The command that scores what was found: where it was copied to, or where it lies."""
    words = ["editgauge", "score", benchmark, *([str(data)] if data else [])]
    words += ["--outputs", str(to or found.folder)]
    if to is None:
        named = (
            ["--outputs-map", str(found.map)] if found.map else ["--outputs-pattern", found.rule]
        )
        words += named
    return shlex.join([*words, "--editor", editor or "NAME", "--run", "RUN"])

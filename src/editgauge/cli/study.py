"""`editgauge study …`: ratings by people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli import study_run
from editgauge.cli.options import JsonOpt
from editgauge.cli.study_people import RunArg

_IMPORTED = "runs/first ratings.csv --question overall"
_EXPORTED = "runs/first ratings.csv --shape wide"
_SCALES = "rank, 1-5, good-fair-poor or pairwise; read from the file where it tells."


def register(app: typer.Typer) -> None:
    group = typer.Typer(no_args_is_help=True, help="Ratings by people: collect, import, export.")
    group.command("import", epilog=f"Example: editgauge study import {_IMPORTED}")(import_file)
    group.command("export", epilog=f"Example: editgauge study export {_EXPORTED}")(export)
    study_run.register(group)
    app.add_typer(group, name="study")


def import_file(
    run: RunArg,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Ratings as csv, UTF-8.")],
    benchmark: Annotated[str, typer.Option(help="Where the run has several.")] = "",
    scale: Annotated[str, typer.Option(help=_SCALES)] = "",
    question: Annotated[
        str, typer.Option(help="What was asked, where the file has no such column.")
    ] = "overall",
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="OURS=HEADING", help="What a column is called; may be repeated."),
    ] = None,
    anonymise: Annotated[
        bool, typer.Option("--anonymise", help="Replace annotators' names by pseudonyms.")
    ] = False,
    json: JsonOpt = False,
) -> None:
    """Take in ratings that were made elsewhere: wide, long or pairwise.

    Headings: sample, annotator, then editor and value (long), a column for each editor (wide), or
    editor_a, editor_b, winner (pairwise); question, repeat and comment if there are any. Nothing is
    written when a line does not fit. The same file may be imported again.
    """
    from editgauge.cli.common import print_json, warned
    from editgauge.errors import UsageError
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import changing
    from editgauge.study.ratings import import_ratings as write
    from editgauge.study.ratings import known_of, salt_of
    from editgauge.study.reading import columns_of, read_ratings

    place = address_of(run) or run
    if anonymise and address_of(run) is not None:
        raise UsageError(
            f"--anonymise: the secret behind pseudonyms stays in a run of one machine, and another "
            f"machine would give other ones; import into such a run, and hand it over with: "
            f"editgauge merge RUN --to {place}"
        )
    with changing(run) as folder:
        known = known_of(folder, benchmark)
        parsed = read_ratings(
            file,
            known,
            scale=scale,
            question=question,
            columns=columns_of(column or ()),
            salt=salt_of(folder) if anonymise else "",
        )
        with warned(folder):
            done = write(folder, [rating.row() for rating in parsed.ratings])
        facts = {
            "benchmark": known.benchmark,
            "scale": parsed.scale,
            "annotators": len(parsed.annotators),
            **done._asdict(),
        }
        folder.record("study import", file=file.name, **facts)
    if json:
        print_json(facts)
        return
    print(f"scale: {parsed.scale} ({parsed.told}); annotators: {len(parsed.annotators)}")
    print(f"{done.new} ratings taken in, {done.changed} replaced, {done.kept} already there")
    print(f"next:  editgauge agree {place}")


def export(
    run: RunArg,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The csv file to write.")],
    benchmark: Annotated[str, typer.Option(help="Only this benchmark.")] = "",
    scale: Annotated[str, typer.Option(help="Only ratings on this scale.")] = "",
    shape: Annotated[str, typer.Option(help="long or wide.")] = "long",
    json: JsonOpt = False,
) -> None:
    """Write the run's ratings as csv that `study import`, spreadsheets and pandas read."""
    from editgauge.cli.common import print_json, warned
    from editgauge.errors import UsageError
    from editgauge.store.remote import changing
    from editgauge.store.selection import one_of
    from editgauge.study import ratings as table
    from editgauge.study.reading import scale_named
    from editgauge.study.studies import collect

    one_of("--shape", shape, ("long", "wide"))
    with changing(run) as folder, warned(folder):
        collect(folder)
        ratings = table.ratings_of(folder, benchmark)
    if scale:
        ratings = [rating for rating in ratings if rating.scale == scale_named(scale)]
    if not ratings:
        raise UsageError(f"{run.name}: no ratings to export; see: editgauge study import --help")
    table.write_export(file, table.export(ratings, shape))
    if json:
        print_json({"ratings": len(ratings), "file": str(file)})
        return
    print(f"{len(ratings)} ratings: {file}")

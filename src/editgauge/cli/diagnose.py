"""`editgauge diagnose RUN`: why edits failed."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.diagnose_options import Chosen, High, Looking
from editgauge.cli.engine_options import Placing
from editgauge.cli.groups import grouped
from editgauge.cli.options import JsonOpt, MemoryOpt, RetryOpt


def register(app: typer.Typer) -> None:
    app.command("diagnose", epilog="Example: editgauge diagnose runs/first --from pixels")(diagnose)


@grouped
def diagnose(
    *,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run with outputs.")],
    editor: Annotated[
        list[str] | None, typer.Option("--editor", help="Only this editor; may be repeated.")
    ] = None,
    from_: Annotated[
        str,
        typer.Option(
            "--from",
            help="pixels: where outputs changed, of every editor; attention: where the model "
            "looked, of diffusers editors (runs them again); both: as far as it can be told.",
        ),
    ] = "both",
    benchmark: Annotated[
        str, typer.Option("--benchmark", help="Which, where the run has several.")
    ] = "",
    chosen: Chosen,
    looking: Looking,
    high: High,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", help="Also draw every diagnosed output here, a PNG each."),
    ] = None,
    placing: Placing,
    retry: RetryOpt = "",
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Say why edits failed: where the model looked, and where the picture changed, against where it
    should have. Writes rows of the track diagnosis, and reads every output as edited well, at the
    right place without doing it, neither, or acted elsewhere. Stops and continues at any point.

    Exit code 0: done; 1: some outputs have no score that should have one.
    """
    from editgauge.cli import common
    from editgauge.cli.drawn import print_table
    from editgauge.run.diagnose import Request
    from editgauge.run.diagnose import diagnose as diagnosed
    from editgauge.store import selection
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import changing
    from editgauge.tables.draw import as_json

    common.set_memory(memory)
    request = Request(
        basis=from_,
        benchmark=benchmark,
        editors=editor or (),
        limit=chosen.limit,
        ids=chosen.sample or (),
        where=chosen.where or (),
        concepts=looking.concepts,
        maps=looking.maps(),
        cutoffs=asdict(high),
        figures=figures,
        retry=selection.statuses(retry),
    )
    place = address_of(run) or str(run)
    with (
        changing(run) as folder,
        placing.open() as engine,
        common.progress(json) as show,
        common.warned(folder),
    ):
        found = diagnosed(folder, replace(request, workers=engine), show)
    if json:
        tables = [as_json(table) for table in found.tables]
        common.print_json({"run": place, **found.as_dict(), "tables": tables})
    else:
        for line in found.lines():
            print(line)
        for table in found.tables:
            print()
            print_table(table, "terminal")
        print(
            f"\nnext: editgauge table {place} --benchmark {found.benchmark} --published --intervals"
        )
        print(f"      editgauge report {place}   (its page: Why edits failed)")
    if not found.complete:
        raise typer.Exit(1)

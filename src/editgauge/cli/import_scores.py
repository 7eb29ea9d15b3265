"""`editgauge import-scores`: pixel, OCR and CLIP scores of the released scripts become rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt, RunOpt, SplitOpt, WhereOpt

_EXAMPLE = (
    "Example: editgauge import-scores textedit DATA --from results/my-model.json --run runs/first"
)


def register(app: typer.Typer) -> None:
    app.command("import-scores", epilog=_EXAMPLE)(import_scores)


def import_scores(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from", help="The file that the released script wrote, or a folder of such files."
        ),
    ] = None,
    run: RunOpt = Path("runs/default"),
    editor: Annotated[
        str, typer.Option("--editor", help="The editor; default: what the file or its name says.")
    ] = "",
    split: SplitOpt = None,
    where: WhereOpt = None,
    json: JsonOpt = False,
) -> None:
    """Take in scores that a released pixel, OCR or CLIP script wrote, as rows of their own source.
    Nothing is computed.
    """
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.scoring.imports import import_measured
    from editgauge.store import selection
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.store.samples import keep_samples

    if source is None:
        raise UsageError("wanted --from (the file that the released script wrote)")
    bench, dataset, samples = catalog.open_data(benchmark, data, split)
    chosen = selection.choose(samples, where=where or ())
    with working(run) as here:
        folder = Run.create(here)
        keep_samples(folder, bench.name, dataset.root, samples, [])
        found = import_measured(folder, bench, source, chosen, editor=editor or None)
        common.warn(folder)
        folder.record("import-scores", benchmark=bench.name, file=source.name, rows=found.rows)
    if json:
        common.print_json(
            {
                "rows": found.rows,
                "kept": found.kept,
                "unknown": found.unknown,
                "statuses": dict(found.statuses),
            }
        )
        return
    print(f"{found.rows} rows taken in, {found.kept} already there: {dict(found.statuses)}")
    for name in found.unknown[:10]:
        print(f"note: left out: {name}")
    if len(found.unknown) > 10:
        print(f"note: and {len(found.unknown) - 10} more")
    print(f"next:  editgauge table {address_of(run) or run} --benchmark {bench.name}")

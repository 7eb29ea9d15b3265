"""`editgauge judge import`: scores that a released script wrote become rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.options import BenchmarkArg, DataArg, JsonOpt, RunOpt, SplitOpt

_EXAMPLE = (
    "Example: editgauge judge import krisbench DATA --run runs/old --model gpt-4o-2024-08-06 "
    "--from results"
)


def register(group: typer.Typer) -> None:
    group.command("import", epilog=_EXAMPLE)(import_scores)


def import_scores(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    run: RunOpt = Path("runs/default"),
    model: Annotated[str, typer.Option("--model", help="The judge that the script asked.")] = "",
    source: Annotated[
        Path | None, typer.Option("--from", help="What the released script wrote.")
    ] = None,
    editor: Annotated[
        str, typer.Option("--editor", help="The editor, where the files do not say.")
    ] = "",
    split: SplitOpt = None,
    json: JsonOpt = False,
) -> None:
    """Take in scores that a released script wrote, as rows. Sends nothing."""
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.judging import imports
    from editgauge.store.addresses import address_of
    from editgauge.store.remote import working
    from editgauge.store.run import Run
    from editgauge.store.samples import keep_samples

    if not model or source is None:
        raise UsageError("wanted --model (the judge that the script asked) and --from (its files)")
    bench, dataset, samples = catalog.open_data(benchmark, data, split)
    with working(run) as here:
        folder = Run.create(here)
        keep_samples(folder, bench.name, dataset.root, samples, [])
        imported = imports.import_scores(
            folder, bench, source, samples, judge=model, editor=editor or None
        )
        common.warn(folder)
        folder.record(
            "judge import", benchmark=bench.name, judge=model, file=source.name, rows=imported.rows
        )
    if json:
        common.print_json(imported.as_dict())
        return
    for line in imported.lines():
        print(line)
    place = address_of(run) or run
    print(f"rows:  {place}\nnext:  editgauge table {place} --benchmark {bench.name}")

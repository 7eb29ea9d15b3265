"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.common import (
    BenchmarkArg,
    DataArg,
    JsonOpt,
    LimitOpt,
    RetryOpt,
    RunOpt,
    SampleOpt,
    SplitOpt,
    WhereOpt,
    WorkersOpt,
)


def register(app: typer.Typer) -> None:
    app.command("edit", epilog="Example: editgauge edit mini --editor copy --run runs/first")(edit)


def edit(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    editor: Annotated[str, typer.Option("--editor", help="The model under test; see: editgauge list editors")] = "",
    run: RunOpt = Path("runs/default"),
    set_: Annotated[list[str] | None, typer.Option("--set", help="key=value for the editor; may be repeated.")] = None,
    split: SplitOpt = None,
    limit: LimitOpt = None,
    sample: SampleOpt = None,
    where: WhereOpt = None,
    workers: WorkersOpt = None,
    retry: RetryOpt = "",
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds a sample may take.")] = 600.0,
    json: JsonOpt = False,
) -> None:
    """Make outputs with an editor. Stops and continues at any point; finished samples are never edited again."""
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.results import RunFolder
    from editgauge.run.edit import edit as edit_all
    from editgauge.run.index import choose, keep_samples

    if not editor:
        raise UsageError(f"--editor: name one of {', '.join(catalog.names('editors'))}")
    retried = common.statuses(retry)
    factory = catalog.find("editors", editor)
    bench, dataset, samples = common.load(benchmark, data, split)
    chosen = choose(samples, limit=limit, ids=sample or (), where=where or ())
    made = factory(samples, **common.settings(set_ or ()))
    folder = RunFolder.create(run)
    data_hash = keep_samples(folder, bench.name, dataset.root, samples, chosen)
    with common.progress(json) as show:
        summary = edit_all(
            folder,
            bench.name,
            chosen,
            made,
            workers=common.cores() if workers is None else workers,
            retry=retried,
            seconds_a_sample=timeout,
            progress=show,
        )
    folder.record(
        "edit",
        benchmark=bench.name,
        editor=summary.editor,
        settings=common.settings(set_ or ()),
        data=data_hash,
        samples=len(samples),
        chosen=len(chosen),
        counts=dict(summary.counts),
        seconds=round(summary.seconds, 3),
        cost=summary.cost,
    )
    if json:
        common.print_json({"run": str(run), "benchmark": bench.name, **asdict(summary)})
    else:
        counts = ", ".join(f"{n} {_word(status)}" for status, n in sorted(summary.counts.items()))
        print(f"{summary.editor} on {bench.name}: {counts}; {summary.edited} made now in {summary.seconds:.1f} s")
        print(f"outputs: {folder.edits_folder(bench.name, summary.editor)}")
        place = f" {data}" if data else ""
        print(f"next:    editgauge score {benchmark}{place} --run {run}")
    if summary.stopped:
        print(summary.stopped)
        raise typer.Exit(3)
    if any(n for status, n in summary.counts.items() if status not in ("scored", "not_applicable")):
        raise typer.Exit(1)


def _word(status: str) -> str:
    return {"scored": "delivered"}.get(status, status.replace("_", " "))

"""`editgauge diagnose RUN`: why edits failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.common import (
    DeviceOpt,
    JsonOpt,
    LimitOpt,
    MemoryOpt,
    RetryOpt,
    SampleOpt,
    WhereOpt,
    WorkersOpt,
)

if TYPE_CHECKING:
    from editgauge.run.diagnose import Work
    from editgauge.store.run_folder import RunFolder
    from editgauge.store.summary import Summary
    from editgauge.tables.failures import Cutoffs
    from editgauge.tables.table import Table

_BASES = ("both", "pixels", "attention")


def register(app: typer.Typer) -> None:
    app.command(
        "diagnose",
        epilog="Example: editgauge diagnose runs/first --from pixels",
    )(diagnose)


def diagnose(
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
    concepts: Annotated[
        Path | None,
        typer.Option(
            "--concepts",
            help="A CSV file with the columns sample,concept or task,concept: whose attention is "
            "looked at.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option("--model", help="The weights' folder or hub id, where the run does not tell."),
    ] = "",
    device: DeviceOpt = None,
    dtype: Annotated[
        str, typer.Option("--dtype", help="Of the weights; default: as recorded, float32 on a CPU.")
    ] = "",
    resolution: Annotated[
        str,
        typer.Option("--resolution", help="Longer side of a U-Net's maps that count, or all."),
    ] = "16",
    alpha: Annotated[
        float, typer.Option("--alpha", min=0.0, help="Factor of Otsu's threshold.")
    ] = 1.3,
    bins: Annotated[
        int, typer.Option("--bins", min=2, max=65536, help="Of the histogram for Otsu's threshold.")
    ] = 256,
    floor: Annotated[
        float,
        typer.Option("--floor", min=0.0, max=255.0, help="Differences up to it are no change."),
    ] = 10.0,
    accurate: Annotated[
        float | None,
        typer.Option("--accurate", help="From where on the judged accuracy is high; MedEBench: 5."),
    ] = None,
    preserved: Annotated[
        float | None,
        typer.Option("--preserved", help="From where on preservation is high; MedEBench: 0.7."),
    ] = None,
    iou: Annotated[
        float, typer.Option("--iou", min=0.0, max=1.0, help="From where on an IoU is high.")
    ] = 0.3,
    figures: Annotated[
        Path | None,
        typer.Option("--figures", help="Also draw every diagnosed output here, a PNG each."),
    ] = None,
    limit: LimitOpt = None,
    sample: SampleOpt = None,
    where: WhereOpt = None,
    workers: WorkersOpt = None,
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
    from editgauge.diagnosis.attention import AttentionScorer
    from editgauge.diagnosis.change import ChangeScorer
    from editgauge.run import diagnose as work_of
    from editgauge.store import selection
    from editgauge.store.collect import edits_of
    from editgauge.store.hashes import HashStore
    from editgauge.store.run_folder import RunFolder
    from editgauge.store.samples import stored_samples
    from editgauge.tables import failures

    common.set_memory(memory)
    selection.one_of("--from", from_, _BASES)
    retried, side = selection.statuses(retry), _side(resolution)
    folder = RunFolder.open(run)
    name = _one_benchmark(folder, benchmark)
    cutoffs = failures.cutoffs_of(name, accurate=accurate, preserved=preserved, iou=iou)
    samples = stored_samples(folder, name)
    if concepts is not None:
        samples = work_of.with_concepts(samples, work_of.read_concepts(concepts, samples))
    chosen = selection.choose(samples, limit=limit, ids=sample or (), where=where or ())
    summaries: dict[str, Summary] = {}
    unwatched: dict[str, str] = {}
    with HashStore(folder.cache_folder / "hashes.sqlite") as hashes, common.progress(json) as show:
        edits = edits_of(folder, name, None, editor or [], chosen, hashes)
        work = work_of.Work(
            run=folder, benchmark=name, samples=chosen, edits=edits, hashes=hashes, retry=retried,
            progress=show,
        )  # fmt: skip
        if from_ != "attention":
            scorer = ChangeScorer(alpha=alpha, bins=bins, floor=floor)
            cores = common.cores() if workers is None else workers
            summaries["change"] = work_of.change(work, scorer, workers=cores)
        if from_ != "pixels":
            looking = AttentionScorer(
                alpha=alpha, bins=bins, resolution=side, model=model, device=device, dtype=dtype
            )
            found, unwatched = _attention(work, looking, needed=from_ == "attention")
            if found is not None:
                summaries["attention"] = found
    folder.record(
        "diagnose",
        benchmark=name,
        editors=sorted({record.editor for record in edits}),
        bases=sorted(summaries),
        cutoffs=failures.as_facts(cutoffs),
        resolution=resolution,
        alpha=alpha,
        bins=bins,
        floor=floor,
        chosen=len(chosen),
        computed={key: summary.computed for key, summary in summaries.items()},
        kept={key: summary.kept for key, summary in summaries.items()},
        unwatched=unwatched,
    )
    tables, drawn = _shown(folder, name, cutoffs, figures, [s.id for s in chosen], editor)
    _print(run, name, summaries, unwatched, tables, drawn, json)
    if any(summary.without_score for summary in summaries.values()):
        raise typer.Exit(1)


def _one_benchmark(run: RunFolder, wanted: str) -> str:
    from editgauge.errors import UsageError
    from editgauge.tables.rows import benchmarks

    names = benchmarks([run], wanted)
    if len(names) != 1:
        there = ", ".join(names) or "none"
        raise UsageError(f"--benchmark: wanted one; {run.path.name} has {there}")
    return names[0]


def _side(resolution: str) -> int | None:
    from editgauge.errors import UsageError

    if resolution == "all":
        return None
    try:
        side = int(resolution)
    except ValueError:
        side = 0
    if side < 1:
        raise UsageError(f"--resolution {resolution!r}: wanted a number such as 16, or all")
    return side


def _attention(work: Work, scorer: Any, *, needed: bool) -> tuple[Summary | None, dict[str, str]]:
    """The attention of what can be watched, and why the rest cannot be. Without torch there is
    none, which is an error only where it was asked for by name.
    """
    from dataclasses import replace

    from editgauge.errors import EditgaugeError, MissingExtra, UsageError
    from editgauge.run import diagnose as work_of

    kept, refused = work_of.watchable(work.run, work.edits)
    if not kept:
        if needed:
            raise UsageError("; ".join(dict.fromkeys(refused.values())) or "there are no outputs")
        return None, refused
    try:
        _need_libraries()
    except MissingExtra as error:
        if needed:
            raise
        names = dict.fromkeys(record.editor for record in kept)
        return None, {**refused, **dict.fromkeys(names, str(error))}
    try:
        return work_of.attention(replace(work, edits=kept), scorer), refused
    except EditgaugeError as error:
        if not needed:
            error.args = (f"{error} (for change grounding alone: --from pixels)",)
        raise


def _need_libraries() -> None:
    from importlib.util import find_spec

    from editgauge.errors import MissingExtra

    for name in ("torch", "transformers", "diffusers"):
        if find_spec(name) is None:
            raise MissingExtra("attention grounding", name, "neural")


def _shown(
    run: RunFolder,
    benchmark: str,
    cutoffs: Cutoffs,
    figures: Path | None,
    samples: Sequence[str],
    editors: Sequence[str] | None,
) -> tuple[list[Table], int]:
    """The tables, of what was chosen, and how many figures were drawn."""
    import numpy as np

    from editgauge.reports import diagnosis
    from editgauge.store.run_folder import RunFolder
    from editgauge.tables import failures
    from editgauge.tables.frame import Frame

    again = RunFolder.open(run.path)  # with the rows that are there now
    frame = Frame.of_runs([again], benchmark)
    frame = frame.of_samples(np.isin(np.array(frame.samples.ids), list(samples)))
    if editors:
        frame = frame.of_editors([name for name in editors if name in frame.editors])
    drawn = 0
    if figures is not None:
        drawn = diagnosis.draw_all([again], frame, cutoffs, figures)
    return failures.tables(frame, cutoffs, intervals=True), drawn


def _print(
    run: Path,
    benchmark: str,
    summaries: dict[str, Summary],
    unwatched: dict[str, str],
    tables: Sequence[Table],
    drawn: int,
    json: bool,
) -> None:
    from collections import Counter

    from editgauge.cli import common
    from editgauge.tables.draw import as_json, draw

    if json:
        counts = {
            basis: [
                {"editor": e, "metric": m, "statuses": dict(counter)}
                for (e, _, m, _), counter in sorted(summary.counts.items())
            ]
            for basis, summary in summaries.items()
        }
        told = {"run": str(run), "benchmark": benchmark, "counts": counts, "unwatched": unwatched}
        common.print_json({**told, "figures": drawn, "tables": [as_json(t) for t in tables]})
        return
    for basis, summary in summaries.items():
        statuses: Counter[str] = Counter()
        for (_, _, metric, _), counter in summary.counts.items():
            if metric == f"{basis}_iou":
                statuses.update(counter)
        words = ", ".join(f"{n} {s.replace('_', ' ')}" for s, n in statuses.most_common())
        print(
            f"{basis}: {words or 'nothing to do'}; {summary.computed} rows made now, "
            f"{summary.kept} were there, in {summary.seconds:.1f} s"
        )
        for problem in summary.problems:
            print(f"note: {problem}")
    for why in dict.fromkeys(unwatched.values()):
        names = ", ".join(editor for editor, reason in unwatched.items() if reason == why)
        print(f"no attention of {names}: {why}")
    for table in tables:
        print()
        print(draw(table, "terminal", width=None), end="")
    if drawn:
        print(f"\nfigures: {drawn}")
    print(f"\nnext: editgauge table {run} --benchmark {benchmark} --published --intervals")
    print(f"      editgauge report {run}   (the page Why edits failed shows every output)")

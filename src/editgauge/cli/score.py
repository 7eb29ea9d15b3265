"""`editgauge score`: give the outputs of editors their scores."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.common import (
    BenchmarkArg,
    DataArg,
    DeviceOpt,
    JsonOpt,
    LimitOpt,
    MemoryOpt,
    PrecisionOpt,
    RetryOpt,
    RunOpt,
    SampleOpt,
    SplitOpt,
    WeightsOpt,
    WhereOpt,
    WorkersOpt,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from editgauge.store.run_folder import EditRecord, RunFolder
    from editgauge.store.summary import Summary
    from editgauge.types import Benchmark, Sample, Scorer, SetScorer, Track

_EXAMPLE = (
    "Example: editgauge score texteditbench DATA --outputs OUTPUTS --editor my-model --run "
    "runs/my-model"
)


def register(app: typer.Typer) -> None:
    app.command("score", epilog=_EXAMPLE)(score)


def score(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    run: RunOpt = Path("runs/default"),
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs",
            help="A folder of outputs in official naming: OUTPUTS/<editor>/… (or the editor's).",
        ),
    ] = None,
    editor: Annotated[
        list[str] | None,
        typer.Option(
            "--editor",
            help="Only this editor; may be repeated. Default: all in OUTPUTS, or in the run.",
        ),
    ] = None,
    tracks: Annotated[
        str,
        typer.Option(
            "--tracks",
            help="pixel, ocr, embedding; joined by commas. Default: the paper's own that needs no "
            "weights.",
        ),
    ] = "",
    variant: Annotated[
        str, typer.Option("--variant", help="For the table: faithful, corrected or both.")
    ] = "both",
    split: SplitOpt = None,
    limit: LimitOpt = None,
    sample: SampleOpt = None,
    where: WhereOpt = None,
    workers: WorkersOpt = None,
    retry: RetryOpt = "",
    weights: WeightsOpt = None,
    device: DeviceOpt = None,
    precision: PrecisionOpt = None,
    ocr_engine: Annotated[
        str,
        typer.Option(
            "--ocr-engine",
            help="What reads text for the track ocr: rapidocr, paddleocr, tesseract.",
        ),
    ] = "rapidocr",
    explain: Annotated[
        list[str] | None,
        typer.Option(
            "--explain",
            help="Only this sample, and draw how its OCR scores came about; may be repeated.",
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds an output may take.")
    ] = 600.0,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Score outputs and print the table. Stops and continues at any point; nothing is computed
    twice.

    Exit code 0: every score is there, but for columns whose weights or library are not installed,
    which are named at the start; 1: other scores are lacking, or none could be made.
    """
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.run.score import score as score_all
    from editgauge.scoring.derived import derive
    from editgauge.scoring.outside import scorers_of
    from editgauge.store import selection
    from editgauge.store.collect import edits_of, tell
    from editgauge.store.hashes import HashStore
    from editgauge.store.run_folder import RunFolder
    from editgauge.store.samples import keep_samples
    from editgauge.tables import rows

    common.set_memory(memory)
    retried = selection.statuses(retry)
    rows.variants(variant)  # a slip of the pen is said now, not after the work
    wanted = _tracks(tracks)
    bench, dataset, samples = catalog.open_data(benchmark, data, split)
    wanted = wanted or _default_tracks(bench, bool(explain))
    chosen = selection.choose(
        samples, limit=limit, ids=[*(sample or ()), *(explain or ())], where=where or ()
    )
    folder = RunFolder.create(run)
    options = {
        "ocr_engine": ocr_engine,
        "weights": weights,
        "device": device,
        "precision": precision,
    }
    found = scorers_of(
        bench, wanted, everything=not tracks and not explain, cache=folder.cache_folder, **options
    )
    scorers = found.scorers
    if not scorers:
        raise UsageError(
            f"--tracks {tracks}: {bench.name} has no scorers of this kind; "
            f"it has: {', '.join(_offered(bench)) or 'none'}"
        )
    lacks = _lacking(scorers)
    with HashStore(folder.cache_folder / "hashes.sqlite") as hashes, common.progress(json) as show:
        data_hash = keep_samples(folder, bench.name, dataset.root, samples, chosen, hashes)
        edits = edits_of(folder, bench.name, outputs, editor or [], chosen, hashes)
        summary = score_all(
            folder,
            bench.name,
            chosen,
            edits,
            scorers,
            hashes=hashes,
            workers=common.cores() if workers is None else workers,
            retry=retried,
            seconds_an_output=timeout,
            roots=[dataset.root],
            progress=show,
        )
        edits = tell(folder, edits, chosen)
    derived = derive(folder, bench)
    folder.record(
        "score",
        benchmark=bench.name,
        tracks=wanted,
        editors=sorted({record.editor for record in edits}),
        variant=variant,
        data=data_hash,
        samples=len(samples),
        chosen=len(chosen),
        scorers={scorer.name: dict(scorer.origin()) for scorer in scorers},
        plugins=found.plugins,
        computed=summary.computed,
        kept=summary.kept,
        derived=derived.written,
        seconds=round(summary.seconds, 3),
    )
    summary.problems += found.problems
    drawn = _explain(
        folder, bench.name, [s for s in chosen if s.id in (explain or ())], edits, scorers, summary
    )
    names = {scorer for _, scorer, _, _ in summary.counts}
    outputs_in = folder.samples_by_status(bench.name, names, among=[s.id for s in chosen])
    if json:
        told = {**_as_json(summary), "samples": outputs_in, "lacking": lacks, "drawn": drawn}
        common.print_json({"run": str(run), "benchmark": bench.name, **told})
    else:
        _print(summary, folder, bench.name, outputs_in)
        for place in drawn:
            print(f"drawn: {run / place}")
        _print_table(run, bench.name, variant)
    able = {scorer.name for scorer in scorers} - set(lacks)
    if summary.without_score_but(lacks if able else ()):
        raise typer.Exit(1)


def _lacking(scorers: Sequence[Scorer | SetScorer]) -> dict[str, str]:
    """Say on standard error which columns will stay empty, why, and what brings them; scorer ->
    why.
    """
    from editgauge.scoring.failures import lacking

    found = {scorer.name: lacking(scorer.origin()) for scorer in scorers}
    found = {name: why for name, why in found.items() if why}
    columns: dict[str, list[str]] = {}
    for scorer in scorers:
        if scorer.name in found:
            columns.setdefault(found[scorer.name], []).extend(m.title for m in scorer.metrics)
    for why, titles in columns.items():
        names = ", ".join(dict.fromkeys(titles))
        typer.echo(f"these columns will stay empty: {names}: {why}", err=True)
    return found


def _explain(
    run: RunFolder,
    benchmark: str,
    samples: Sequence[Sample],
    edits: Sequence[EditRecord],
    scorers: Sequence[Any],
    summary: Summary,
) -> list[str]:
    """Draw the samples that were asked for; the pictures' places below the run."""
    if not samples:
        return []
    from editgauge.run.explain import explain

    paths, problems = explain(run, benchmark, samples, edits, scorers)
    summary.problems += problems
    return [path.relative_to(run.path).as_posix() for path in paths]


def _tracks(text: str) -> list[Track]:
    from editgauge.errors import UsageError
    from editgauge.types import TRACKS

    found: list[Track] = []
    for word in filter(None, (part.strip() for part in text.split(","))):
        track = next((t for t in TRACKS if t == word), None)
        if track is None:
            raise UsageError(f"--tracks {word!r}: wanted one of {', '.join(TRACKS)}")
        if track in ("judge", "human"):
            raise UsageError(
                f"--tracks {word}: this track has a command of its own: editgauge {_COMMAND[track]}"
            )
        found.append(track)
    return found


def _default_tracks(bench: Benchmark, explain: bool) -> list[Track]:
    """The tracks of the paper's tables that need no weights (`main_tracks`), else the first that
    there is.
    """
    if explain:
        return ["ocr"]
    return list(bench.main_tracks) or _offered(bench)[:1]


def _offered(bench: Benchmark) -> list[Track]:
    """The tracks for which a benchmark has scorers, the cheapest first."""
    from editgauge.types import TRACKS

    return [track for track in TRACKS if bench.scorers([track])]


_COMMAND = {"judge": "judge", "human": "annotate"}


def _as_json(summary: Summary) -> dict[str, Any]:
    return {
        "computed": summary.computed,
        "kept": summary.kept,
        "without_score": summary.without_score,
        "seconds": round(summary.seconds, 3),
        "scorer_seconds": {
            name: round(seconds, 3) for name, seconds in summary.scorer_seconds.items()
        },
        "counts": [
            {"editor": e, "scorer": s, "metric": m, "variant": v, "statuses": dict(counter)}
            for (e, s, m, v), counter in sorted(summary.counts.items())
        ],
        "problems": summary.problems,
    }


def _print(
    summary: Summary, run: RunFolder, benchmark: str, outputs: dict[str, dict[str, int]]
) -> None:
    """What was done. `outputs`: editor -> status -> samples."""
    for editor in sorted({key[0] for key in summary.counts}):
        counter = Counter(outputs.get(editor, {}))
        words = ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in counter.most_common())
        print(f"{editor}, samples: {words or 'none of its own'}")
    reasons = run.reasons(benchmark)
    if reasons:
        print("no score, the commonest reasons:")
    for scorer, status, reason, number in reasons[:6]:
        print(f"  {number} x {scorer}, {status.replace('_', ' ')}: {reason[:300]}")
    for problem in summary.problems:
        print(f"note: {problem}")
    print(
        f"{summary.computed} scores made now, {summary.kept} were there, in {summary.seconds:.1f} s"
    )


def _print_table(run: Path, benchmark: str, variant: str) -> None:
    from editgauge.cli.table import table
    from editgauge.errors import EditgaugeError

    print()
    try:
        table([run], benchmark=benchmark, variant=variant)
    except (
        EditgaugeError
    ) as error:  # the scores are safe; which of them the table should show is a question
        print(f"no table: {error}")
    print(f"\nrows:  {run}/rows   report: editgauge report {run}")
    print(f"next:  editgauge table {run} --benchmark {benchmark} --published --intervals")

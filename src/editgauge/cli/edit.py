"""`editgauge edit`: make the outputs of an editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.common import (
    BenchmarkArg,
    DataArg,
    JsonOpt,
    LimitOpt,
    MemoryOpt,
    RetryOpt,
    RunOpt,
    SampleOpt,
    SplitOpt,
    WhereOpt,
    WorkersOpt,
)

if TYPE_CHECKING:
    from editgauge.run.edit import EditSummary
    from editgauge.store.run_folder import RunFolder
    from editgauge.types import Editor, Sample


def register(app: typer.Typer) -> None:
    app.command("edit", epilog="Example: editgauge edit mini --editor copy --run runs/first")(edit)


def edit(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    editor: Annotated[
        str, typer.Option("--editor", help="The model under test; see: editgauge list editors")
    ] = "",
    run: RunOpt = Path("runs/default"),
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="key=value for the editor; may be repeated.")
    ] = None,
    split: SplitOpt = None,
    limit: LimitOpt = None,
    sample: SampleOpt = None,
    where: WhereOpt = None,
    workers: WorkersOpt = None,
    retry: RetryOpt = "",
    model: Annotated[
        str, typer.Option("--model", help="The model of openai and gemini, or a local path.")
    ] = "",
    base_url: Annotated[
        str, typer.Option("--base-url", help="Another address of the same interface.")
    ] = "",
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", min=1, help="Calls at once to a service.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="For editors that draw random numbers.")
    ] = None,
    devices: Annotated[
        str,
        typer.Option("--devices", help="For a model of this machine: cuda:0,cuda:1 and so on."),
    ] = "",
    shots: Annotated[
        int,
        typer.Option("--shots", min=0, help="Demonstrations of the same task before each sample."),
    ] = 0,
    held_out: Annotated[
        bool,
        typer.Option(
            "--held-out",
            help="Only the test samples of the run's split (editgauge tune); demonstrations come "
            "from its training samples.",
        ),
    ] = False,
    instruction: Annotated[
        str,
        typer.Option(
            "--instruction", help="original, rephrased or description, where the benchmark has it."
        ),
    ] = "original",
    rewriter: Annotated[
        str,
        typer.Option(
            "--rewriter",
            help="A chat model that rewrites each instruction before the editor sees it.",
        ),
    ] = "",
    rewriter_url: Annotated[
        str, typer.Option("--rewriter-url", help="The rewriter's OpenAI-compatible address.")
    ] = "https://api.openai.com/v1",
    template: Annotated[
        str,
        typer.Option(
            "--template", help='Words around each instruction: "Edit this image: {instruction}".'
        ),
    ] = "",
    preset: Annotated[
        str, typer.Option("--preset", help="Settings of a paper for this editor: medebench.")
    ] = "",
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=V,V…",
            help="A variant for each value; several sweeps make every combination.",
        ),
    ] = None,
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="A..B", help="A variant for each seed: 0..3 or 1,5.")
    ] = "",
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            min=0,
            help="US dollars that editing in this run may cost, all commands together.",
        ),
    ] = None,
    price: Annotated[
        float | None, typer.Option("--price", min=0, help="US dollars for one output of a service.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say what it would cost.")
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds a sample may take.")
    ] = 600.0,
    memory: MemoryOpt = "1GB",
    json: JsonOpt = False,
) -> None:
    """Make outputs with an editor. Stops and continues at any point; finished samples are never
    edited again.
    """
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.editors import presets, sweeps, tracks
    from editgauge.editors.command import recorded
    from editgauge.errors import UsageError
    from editgauge.run.edit import edit as edit_all
    from editgauge.store import selection
    from editgauge.store.run_folder import RunFolder
    from editgauge.store.samples import keep_samples

    common.set_memory(memory)
    if not editor:
        raise UsageError(f"--editor: name one of {', '.join(catalog.names('editors'))}")
    retried = selection.statuses(retry)
    factory = catalog.find("editors", editor)
    given: dict[str, Any] = {
        "model": model,
        "base_url": base_url,
        "concurrency": concurrency,
        "seed": seed,
        "devices": devices,
    }
    given |= {"shots": shots or None, "price": price}
    settings = {
        key: value for key, value in given.items() if value not in ("", None)
    } | selection.settings(set_ or ())
    wanted = sweeps.variants(
        settings,
        sweeps=sweep or (),
        seeds=seeds,
        template=tracks.checked_template(template),
        preset=(preset, presets.preset(preset, editor)) if preset else None,
    )
    bench, dataset, samples = catalog.open_data(benchmark, data, split)
    shown, tested = samples, samples
    if held_out:
        from editgauge.tuning.split import held_out as parted

        shown, tested = parted(RunFolder.open(run), bench.name, samples)
    chosen = selection.choose(tested, limit=limit, ids=sample or (), where=where or ())
    words = wanted[0].making.template
    told = [tracks.templated(tracks.retold(s, instruction) or s, words) for s in shown]
    writer = tracks.rewriter(rewriter, rewriter_url) if rewriter else None

    def make(one: sweeps.Variant) -> Editor:
        return tracks.on_track(
            factory(told, **one.settings),
            instruction,
            writer,
            shots=int(one.settings.get("shots") or 0),
            samples=told,
            making=one.making,
        )

    editors = sweeps.editors(wanted, make)
    if estimate:
        _estimate(editors, bench.name, chosen, run, json)
        return
    folder = RunFolder.create(run)
    for made in editors:
        _within(made, folder, budget)
    data_hash = keep_samples(folder, bench.name, dataset.root, samples, chosen)
    summaries: list[EditSummary] = []
    for number, made in enumerate(editors):
        if number:
            sweeps.hand_over(editors[number - 1], made)
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
        summaries.append(summary)
        folder.record(
            "edit",
            benchmark=bench.name,
            editor=summary.editor,
            plugins=_plugins(bench.name, editor),
            settings=recorded(wanted[number].settings),
            instruction=instruction,
            template=words,
            preset=preset,
            rewriter=rewriter,
            data=data_hash,
            samples=len(samples),
            chosen=len(chosen),
            counts=dict(summary.counts),
            seconds=round(summary.seconds, 3),
            cost=summary.cost,
        )
        if not json:
            _print(summary, made, bench.name)
        if summary.stopped:
            break
    common.warn(folder)
    if json:
        _print_json(run, bench.name, summaries)
    else:
        of = summaries[0].editor if len(editors) == 1 else ""
        print(f"outputs: {_place(folder, bench.name, of)}")
        place = f" {data}" if data else ""
        print(f"next:    editgauge score {benchmark}{place} --run {run}")
    _leave(summaries, json)


def _leave(summaries: Sequence[EditSummary], json: bool) -> None:
    """End the command with the exit code that its last or worst call asks for; 0 returns."""
    last = summaries[-1]
    if last.stopped:
        if not json:
            print(last.stopped)
        raise typer.Exit(last.exit_code)
    fine = ("scored", "not_applicable")
    if any(n for one in summaries for status, n in one.counts.items() if status not in fine):
        raise typer.Exit(1)


def _place(folder: RunFolder, benchmark: str, editor: str) -> Path:
    """Where the outputs of an editor lie, or those of all editors where it has no name."""
    if editor:
        return folder.edits_folder(benchmark, editor)
    return folder.path / "edits" / benchmark


def _print(summary: EditSummary, made: Editor, benchmark: str) -> None:
    counts = ", ".join(
        f"{n} {_word(status)}{_parted(status, n, summary.given_back)}"
        for status, n in sorted(summary.counts.items())
    )
    print(
        f"{summary.editor} on {benchmark}: {counts}; {summary.edited} made now in "
        f"{summary.seconds:.1f} s"
    )
    if costs := _costs(made):
        print(f"costs:   {costs}")


def _print_json(run: Path, benchmark: str, summaries: Sequence[EditSummary]) -> None:
    """One object: that of the only editor, or with a list of the variants of a sweep."""
    from editgauge.cli import common

    told = [{**asdict(one), "counts": dict(one.counts)} for one in summaries]
    whole = told[0] if len(told) == 1 else {"variants": told}
    common.print_json({"run": str(run), "benchmark": benchmark, **whole})


def _plugins(benchmark: str, editor: str) -> list[dict[str, str]]:
    """The packages, other than this one, that the benchmark and the editor come from."""
    from editgauge import catalog

    named = (("benchmark", "benchmarks", benchmark), ("editor", "editors", editor))
    sources = [(word, name, catalog.source_of(kind, name)) for word, kind, name in named]
    return [package.as_dict(word, name) for word, name, package in sources if package.name]


def _todo(
    made: Editor, folder: RunFolder, benchmark: str, samples: Sequence[Sample]
) -> list[Sample]:
    done = {record.sample for record in folder.edits(benchmark) if record.editor == made.name}
    return [sample for sample in samples if sample.id not in done]


def _estimate(
    editors: Sequence[Editor], benchmark: str, samples: Sequence[Sample], run: Path, json: bool
) -> None:
    """Print what the edits that are still to be made would cost; nothing is called and nothing is
    written.
    """
    from editgauge.cli import common
    from editgauge.store.run_folder import RunFolder

    folder = RunFolder.open(run) if run.exists() else None
    told = []
    for made in editors:
        todo = _todo(made, folder, benchmark, samples) if folder else list(samples)
        ask: Any = getattr(made, "estimate", None)
        costs = [ask(sample) if ask is not None else 0.0 for sample in todo]
        known = [cost for cost in costs if cost is not None]
        dollars = round(sum(known), 4) if len(known) == len(costs) else None
        told.append(
            {"editor": made.name, "benchmark": benchmark, "samples": len(todo), "dollars": dollars}
        )
    if json:
        common.print_json(told[0] if len(told) == 1 else {"variants": told})
        return
    for one in told:
        price = (
            "the price is not known: give one with --price 0.04"
            if one["dollars"] is None
            else f"about {one['dollars']:.2f} US dollars by list prices"
        )
        comma = ";" if one["dollars"] is None else ","
        print(f"{one['editor']} on {benchmark}: {one['samples']} to make{comma} {price}")


def _within(made: Editor, folder: RunFolder, budget: float | None) -> None:
    """Keep the editor's costs in the run's ledger, which counts all commands, under a budget.

    Raises `UsageError` when a budget is to be kept and the price is not known, or is zero.
    """
    from editgauge.errors import UsageError
    from editgauge.services import ledger as ledgers

    book: ledgers.Ledger | None = getattr(made, "ledger", None)
    if book is None:
        if budget is not None:
            raise UsageError(
                f"--budget: the editor {made.name!r} has no costs that are known; leave it out"
            )
        return
    price: Any = getattr(getattr(made, "editor", made), "price", None)
    if budget is not None and price is not None and not price.picture:
        what = "not known" if price.picture is None else "zero"
        raise UsageError(
            f"--budget: the price of {made.name} is {what}, so that no budget can be kept; give "
            f"one with --price (US dollars for one output)"
        )
    book.keep_in(folder.path / ledgers.FILE, purpose="edit", budget=budget)


def _costs(made: Editor) -> str:
    """What editing in the run has cost, and by which price; empty for editors without costs."""
    book: Any = getattr(made, "ledger", None)
    price: Any = getattr(getattr(made, "editor", made), "price", None)
    if book is None or price is None:
        return ""
    if price.picture is None and price.out is None:
        return "not counted: no price is known (--price US dollars for one output)"
    return (
        f"{book.made:.4f} US dollars now, {book.spent:.4f} in this run, all commands together "
        f"(prices: {price.source})"
    )


def _parted(status: str, delivered: int, given_back: int) -> str:
    """How the delivered outputs part into edited ones and inputs that were handed back."""
    if status != "scored" or not given_back:
        return ""
    return f" ({delivered - given_back} edited, {given_back} given back)"


def _word(status: str) -> str:
    return {"scored": "delivered"}.get(status, status.replace("_", " "))

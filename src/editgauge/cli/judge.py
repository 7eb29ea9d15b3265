"""`editgauge judge`: ask a vision-language model about outputs, by a benchmark's own protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.common import (
    BenchmarkArg,
    DataArg,
    JsonOpt,
    LimitOpt,
    RunOpt,
    SampleOpt,
    SplitOpt,
    WhereOpt,
)

if TYPE_CHECKING:
    from editgauge.judging.session import Setup

_EXAMPLE = (
    "Example: editgauge judge textedit DATA --outputs OUTPUTS --run runs/my-model --model "
    "gpt-4o-2024-11-20 --estimate"
)


def register(app: typer.Typer) -> None:
    app.command("judge", epilog=_EXAMPLE)(judge)


def judge(
    benchmark: BenchmarkArg,
    data: DataArg = None,
    run: RunOpt = Path("runs/default"),
    model: Annotated[
        str,
        typer.Option("--model", help="The judge: a dated model id, or a name of your own server."),
    ] = "",
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            help="The server, up to and with /v1. Default: OPENAI_BASE_URL, or OpenAI.",
        ),
    ] = None,
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs", help="A folder of outputs in official naming; default: those in the run."
        ),
    ] = None,
    editor: Annotated[
        list[str] | None, typer.Option("--editor", help="Only this editor; may be repeated.")
    ] = None,
    dimensions: Annotated[
        str, typer.Option("--dimensions", help="Only calls with these metrics, by commas: IF,TA.")
    ] = "",
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="The protocol's own option: text=DP, reference=false."),
    ] = None,
    rubrics: Annotated[
        Path | None,
        typer.Option(
            "--rubrics", help="A folder of .md files that replace rubrics of the same name."
        ),
    ] = None,
    replies: Annotated[
        Path | None,
        typer.Option(
            "--replies", help="The reply store, shared by runs. Default: in the run folder."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=1024, help="Calls at once, at most.")
    ] = 16,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=100, help="Judge everything N times.")
    ] = 1,
    retry: Annotated[
        str,
        typer.Option(
            "--retry",
            help="Ask again where this came out: failed, refused, unparsable (by commas).",
        ),
    ] = "",
    no_repair: Annotated[
        bool,
        typer.Option(
            "--no-repair", help="Never show the judge a reply of its own that could not be read."
        ),
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds for one request.")
    ] = 120.0,
    deadline: Annotated[
        float, typer.Option("--deadline", min=0.1, help="Seconds for one reply, retries and all.")
    ] = 900.0,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="US dollars; stops before (exit 3).")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option("--prices", help="A JSON price table beside the built-in one.")
    ] = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print calls, tokens and dollars; send nothing.")
    ] = False,
    show: Annotated[
        str | None,
        typer.Option("--show", help="Print what would be sent for this sample; send nothing."),
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", help="submit or collect: OpenAI-style batches at half the price."),
    ] = None,
    importing: Annotated[
        Path | None,
        typer.Option(
            "--import", help="Take in scores that the released script wrote; send nothing."
        ),
    ] = None,
    probe: Annotated[
        str | None,
        typer.Option("--probe", help="injection: does the judge obey orders inside pictures?"),
    ] = None,
    calibration: Annotated[
        bool | None,
        typer.Option(
            "--calibration/--no-calibration",
            help="Judge the frozen set too and print its drift. Default: with 200 calls or more.",
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Make rows from stored replies; send nothing.")
    ] = False,
    allow_alias: Annotated[
        bool, typer.Option("--allow-alias", help="Take a model name without a date.")
    ] = False,
    split: SplitOpt = None,
    limit: LimitOpt = None,
    sample: SampleOpt = None,
    where: WhereOpt = None,
    json: JsonOpt = False,
) -> None:
    """Judge outputs. Stops and continues at any point; a reply that was paid for is never paid for
    again.
    """
    from editgauge.cli import common, judge_extras, judge_views
    from editgauge.errors import UsageError
    from editgauge.judging import session as judging

    if not model:
        raise UsageError(
            "--model: wanted a judge, for example --model gpt-4o-2024-11-20 (or a name of "
            "--base-url)"
        )
    if batch not in (None, "submit", "collect"):
        raise UsageError(f"--batch {batch!r}: wanted submit or collect")
    if probe not in (None, "injection"):
        raise UsageError(f"--probe {probe!r}: wanted injection")
    if show is not None:
        sample = [show]
    setup = judging.Setup(
        model=model,
        base_url=base_url,
        run=run,
        outputs=outputs,
        editors=editor or [],
        dimensions=judging.words(dimensions),
        options=judging.options(option or []),
        rubrics=rubrics,
        replies=replies,
        concurrency=concurrency,
        repeats=repeat,
        retry=judging.retried(retry),
        repair=not no_repair,
        timeout=timeout,
        deadline=deadline,
        budget=budget,
        prices=prices,
        offline=offline,
        allow_alias=allow_alias,
        calibration=calibration,
    )
    if importing is not None:
        _emit(judge_extras.take_in(setup, benchmark, data, importing, split), json)
        return
    setup.load(benchmark, data, split=split, limit=limit, ids=sample or [], where=where or [])
    with setup, common.warned(setup.todo.run):
        if show is not None:
            _emit(judge_views.show(setup), json)
        elif estimate:
            _emit(judge_views.estimate(setup), json)
        elif probe is not None:
            _emit(judge_extras.probe(setup), json)
        elif batch is not None:
            told = judge_extras.batch(setup, batch)
            _emit(told, json)
            if batch == "collect" and not told.waiting:
                setup.offline = setup.todo.engine.settings.offline = True
                _judge(setup, json, common)
        else:
            _judge(setup, json, common)


def _judge(setup: Setup, json: bool, common: Any) -> None:
    from editgauge.judging import session as judging
    from editgauge.store.lease import lease

    with lease(setup.todo.run.path, "judge", setup.todo.benchmark, setup.model):
        outcome = judging.run(setup, quiet=json)
    if json:
        common.print_json(outcome.as_json())
    else:
        print("\n".join(outcome.lines()))
    if outcome.interrupted:
        raise typer.Exit(130)
    if outcome.broke:
        raise typer.Exit(3)
    if outcome.without_score:
        raise typer.Exit(1)


def _emit(value: Any, json: bool) -> None:
    from editgauge.cli import common

    if json:
        common.print_json(value.as_json())
    else:
        print("\n".join(value.lines()))

"""The options of `editgauge judge`, in groups that its commands share.

A command names the groups it takes as parameters; `grouped` spreads them out for the parser and
hands each back as one object.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editgauge.cli.common import (
    BenchmarkArg,
    DataArg,
    LimitOpt,
    RunOpt,
    SampleOpt,
    SplitOpt,
    WhereOpt,
)

if TYPE_CHECKING:
    from editgauge.judging.session import Session


@dataclass(slots=True, kw_only=True)
class What:
    """What is judged: data, run, outputs, and a selection of samples."""

    benchmark: BenchmarkArg
    data: DataArg = None
    run: RunOpt = Path("runs/default")
    outputs: Annotated[
        Path | None,
        typer.Option(
            "--outputs", help="A folder of outputs in official naming; default: those in the run."
        ),
    ] = None
    editor: Annotated[
        list[str] | None, typer.Option("--editor", help="Only this editor; may be repeated.")
    ] = None
    split: SplitOpt = None
    limit: LimitOpt = None
    sample: SampleOpt = None
    where: WhereOpt = None


@dataclass(slots=True, kw_only=True)
class Who:
    """The judge, and by which protocol it judges."""

    model: Annotated[
        str,
        typer.Option("--model", help="The judge: a dated model id, or a name of your own server."),
    ] = ""
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            help="The server, up to and with /v1. Default: OPENAI_BASE_URL, or OpenAI.",
        ),
    ] = None
    allow_alias: Annotated[
        bool, typer.Option("--allow-alias", help="Take a model name without a date.")
    ] = False
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="Questions of another package (editgauge list judges), not the benchmark's own.",
        ),
    ] = ""
    dimensions: Annotated[
        str, typer.Option("--dimensions", help="Only calls with these metrics, by commas: IF,TA.")
    ] = ""
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="The protocol's own option: text=DP, reference=false."),
    ] = None
    prompts: Annotated[
        str,
        typer.Option(
            "--prompts", help="What is asked: ours, paper (editgauge fetch prompts), or a folder."
        ),
    ] = "ours"
    rubrics: Annotated[
        Path | None,
        typer.Option(
            "--rubrics", help="A folder of .md files that replace rubrics of the same name."
        ),
    ] = None
    replies: Annotated[
        Path | None,
        typer.Option(
            "--replies", help="The reply store, shared by runs. Default: in the run folder."
        ),
    ] = None
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=100, help="Judge everything N times.")
    ] = 1


@dataclass(slots=True, kw_only=True)
class How:
    """What is set of every request; it becomes part of the judge's name in rows."""

    temperature: Annotated[
        float | None,
        typer.Option("--temperature", min=0, max=2, help="Default: the protocol's own."),
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Sent to the server.")] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=1,
            max=1_000_000,
            help="Tokens of a reply, thinking included. Default: the protocol's, more for judges "
            "that think.",
        ),
    ] = None
    reasoning_effort: Annotated[
        str,
        typer.Option("--reasoning-effort", help="none, minimal, low, medium or high, where taken."),
    ] = ""
    detail: Annotated[
        str, typer.Option("--detail", help="How closely pictures are read: auto, low or high.")
    ] = ""
    encoding: Annotated[
        str,
        typer.Option("--encoding", help="original (the file's own) or png (losslessly)."),
    ] = "original"
    keep_metadata: Annotated[
        bool,
        typer.Option(
            "--keep-metadata", help="Send EXIF and the like as well, as released scripts do."
        ),
    ] = False


@dataclass(slots=True, kw_only=True)
class Traffic:
    """How requests are sent, and what is asked again."""

    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=1024, help="Calls at once, at most.")
    ] = 16
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds for one request.")
    ] = 120.0
    deadline: Annotated[
        float, typer.Option("--deadline", min=0.1, help="Seconds for one reply, retries and all.")
    ] = 900.0
    retry: Annotated[
        str,
        typer.Option(
            "--retry",
            help="Ask again where this came out: failed, refused, unparsable (by commas).",
        ),
    ] = ""
    no_repair: Annotated[
        bool,
        typer.Option(
            "--no-repair", help="Never show the judge a reply of its own that could not be read."
        ),
    ] = False
    offline: Annotated[
        bool, typer.Option("--offline", help="Make rows from stored replies; send nothing.")
    ] = False
    calibration: Annotated[
        bool | None,
        typer.Option(
            "--calibration/--no-calibration",
            help="Judge the frozen set too and print its drift. Default: with 200 calls or more.",
        ),
    ] = None


@dataclass(slots=True, kw_only=True)
class Money:
    """What may be spent, and what calls cost."""

    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            min=0,
            help="US dollars that judging in this run may cost, all commands together; stops "
            "before (exit 3).",
        ),
    ] = None
    price: Annotated[
        str,
        typer.Option("--price", help="IN/OUT: US dollars for a million tokens in and out."),
    ] = ""
    prices: Annotated[
        Path | None, typer.Option("--prices", help="A JSON price table beside the built-in one.")
    ] = None


def grouped(function: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters may be option groups, as one with all their fields as options."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, list[str]] = {}
    for parameter in inspect.signature(function).parameters.values():
        kind = hints[parameter.name]
        if not is_dataclass(kind):
            parameters.append(_option(parameter.name, kind, parameter.default))
            continue
        own = typing.get_type_hints(kind, include_extras=True)
        groups[parameter.name] = [field.name for field in fields(kind)]
        for field in fields(kind):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(_option(field.name, own[field.name], default))

    @functools.wraps(function)
    def command(**given: Any) -> None:
        made: dict[str, Any] = {}
        for name, names in groups.items():
            made[name] = hints[name](**{field: given.pop(field) for field in names})
        function(**made, **given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": None}
    del command.__wrapped__
    return command


def _option(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def session(
    what: What,
    who: Who,
    how: How | None = None,
    traffic: Traffic | None = None,
    money: Money | None = None,
) -> Session:
    """The session that the options describe. Raises `UsageError` before anything is paid."""
    from editgauge.errors import UsageError
    from editgauge.judging import session as judging

    if not who.model:
        raise UsageError(
            "--model: wanted a judge, for example --model gpt-4o-2024-11-20 (or a name of "
            "--base-url)"
        )
    how, traffic, money = how or How(), traffic or Traffic(), money or Money()
    options = judging.Options(
        model=who.model,
        base_url=who.base_url,
        protocol=who.protocol,
        rubrics=who.rubrics,
        prompts=who.prompts,
        options=who.option or (),
        dimensions=judging.words(who.dimensions),
        asking=judging.asking_of(
            temperature=how.temperature,
            seed=how.seed,
            max_tokens=how.max_tokens,
            reasoning_effort=how.reasoning_effort,
            detail=how.detail,
            encoding=how.encoding,
            metadata=how.keep_metadata,
        ),
        concurrency=traffic.concurrency,
        repeats=who.repeat,
        retry=judging.retried(traffic.retry),
        repair=not traffic.no_repair,
        timeout=traffic.timeout,
        deadline=traffic.deadline,
        budget=money.budget,
        price=money.price,
        prices=money.prices,
        replies=who.replies,
        offline=traffic.offline,
        allow_alias=who.allow_alias,
        calibration=traffic.calibration,
    )
    chosen = judging.Selection(
        benchmark=what.benchmark,
        data=what.data,
        run=what.run,
        outputs=what.outputs,
        editors=what.editor or (),
        split=what.split,
        limit=what.limit,
        ids=what.sample or (),
        where=what.where or (),
    )
    return judging.Session(options, chosen)

"""`editgauge judge batch`, `import` and `probe`: other ways to scores, and a look at the judge."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from editgauge.cli.common import BenchmarkArg, DataArg, JsonOpt, RunOpt, SplitOpt
from editgauge.cli.groups import grouped
from editgauge.cli.judge_options import What, Who
from editgauge.cli.judge_requests import How, Money, Traffic
from editgauge.cli.judge_session import session


def register(group: typer.Typer) -> None:
    with_gpt = "textedit DATA --run runs/my-model --model gpt-4o-2024-11-20"
    group.command("batch", epilog=f"Example: editgauge judge batch {with_gpt} --what submit")(batch)
    group.command(
        "import",
        epilog="Example: editgauge judge import krisbench DATA --run runs/old --model "
        "gpt-4o-2024-08-06 --from results",
    )(import_scores)
    group.command("compare", epilog="Example: editgauge judge compare runs/my-model")(compare)
    group.command("probe", epilog=f"Example: editgauge judge probe {with_gpt}")(probe)


def _emit(lines: list[str], facts: dict[str, Any], json: bool) -> None:
    from editgauge.cli import common

    if json:
        common.print_json(facts)
    else:
        print("\n".join(lines))


@grouped
def batch(
    what: What,
    who: Who,
    how: How,
    traffic: Traffic,
    money: Money,
    action: Annotated[str, typer.Option("--what", help="submit or collect.")] = "",
    json: JsonOpt = False,
) -> None:
    """Ask by OpenAI-style batches, at half the price within a day: submit, and later collect."""
    from editgauge.cli.judge import judge
    from editgauge.judging import command
    from editgauge.store import selection

    selection.one_of("--what", action, ("submit", "collect"))
    with session(what, who, how, traffic, money) as opened:
        done = command.batch(opened, action)
        lines = [
            f"{action}: {done.calls} calls in {len(done.batches)} batches; {done.waiting} wait"
        ]
        lines += [f"note: batch ended without results: {name}" for name in done.failed]
        if done.waiting:
            lines.append("next:  editgauge judge batch … --what collect, within a day")
        lines += [done.broke] if done.broke else []
        collected = action == "collect" and not done.waiting
        if not (collected and json):
            _emit(lines, {"what": action, **asdict(done)}, json)
        if done.broke:
            raise typer.Exit(3)
        if collected:
            opened.options.offline = opened.todo.engine.settings.offline = True
            judge(opened, json)


@grouped
def probe(
    what: What,
    who: Who,
    how: How,
    traffic: Traffic,
    money: Money,
    action: Annotated[str, typer.Option("--what", help="injection.")] = "injection",
    json: JsonOpt = False,
) -> None:
    """Does the judge obey orders that are written inside pictures? Compared with neutral bars."""
    from editgauge.judging import command
    from editgauge.store import selection

    selection.one_of("--what", action, ("injection",))
    with session(what, who, how, traffic, money) as opened:
        found = command.probe(opened)
    _emit(found.lines(), found.as_json(), json)


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
    from editgauge.errors import UsageError
    from editgauge.judging import imports
    from editgauge.scoring.derived import derive
    from editgauge.store.run_folder import RunFolder
    from editgauge.store.samples import keep_samples

    if not model or source is None:
        raise UsageError("wanted --model (the judge that the script asked) and --from (its files)")
    bench, dataset, samples = catalog.open_data(benchmark, data, split)
    folder = RunFolder.create(run)
    keep_samples(folder, bench.name, dataset.root, samples, [])
    found = imports.import_scores(
        folder, bench, source, samples, judge=model, editor=editor or None
    )
    derive(folder, bench)
    folder.record(
        "judge import", benchmark=bench.name, judge=model, file=source.name, rows=found.rows
    )
    lines = [f"{found.rows} rows taken in, {found.kept} were there: {dict(found.statuses)}"]
    lines += [f"note: not in the data: {name}" for name in found.unknown[:10]]
    if len(found.unknown) > 10:
        lines.append(f"note: and {len(found.unknown) - 10} more that are not in the data")
    lines += [f"rows:  {run}", f"next:  editgauge table {run} --benchmark {bench.name}"]
    facts = {"rows": found.rows, "kept": found.kept, "unknown": found.unknown}
    _emit(lines, {**facts, "statuses": dict(found.statuses)}, json)


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN…", help="Run folders.")],
    benchmark: Annotated[str, typer.Option("--benchmark", help="Only this benchmark.")] = "",
    form: Annotated[
        str, typer.Option("--format", help="terminal, markdown, csv, latex or json.")
    ] = "terminal",
    variant: Annotated[str, typer.Option("--variant", help="faithful or corrected.")] = "corrected",
) -> None:
    """How far the judges of a run agree: each two of them, on the edits that both judged."""
    from editgauge.cli import output
    from editgauge.errors import UsageError
    from editgauge.judging import compared
    from editgauge.store.selection import one_of
    from editgauge.tables import draw, rows
    from editgauge.tables.frame import Frame
    from editgauge.types import VARIANTS

    one_of("--format", form, draw.FORMATS)
    one_of("--variant", variant, VARIANTS)
    opened = rows.open_runs(runs)
    frames = [Frame.of_runs(opened, name) for name in rows.benchmarks(opened, benchmark)]
    made = [compared.table(frame, variant) for frame in frames]  # type: ignore[arg-type]
    found = [table for table in made if table is not None]
    if not found:
        raise UsageError(
            "judge compare: no edit was judged by two judges, or with two prompt sets; judge again "
            "with another --model or --prompts"
        )
    for table in found:
        if form == "terminal":
            draw.show(table, output.console())
        else:
            typer.echo(draw.draw(table, form), nl=False)  # type: ignore[arg-type]

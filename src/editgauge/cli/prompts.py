"""`editgauge prompts`: what a judge is asked – ours, the paper's, or your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli.options import BenchmarkArg

if TYPE_CHECKING:
    from editgauge.types import Benchmark

RunOpt = Annotated[
    Path | None, typer.Option("--run", help="The run whose fetched prompts `paper` means.")
]
SetOpt = Annotated[str, typer.Option("--prompts", help="ours, paper, or a folder.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True, help="Show, compare and start the prompts of a judge."
    )
    group.command("show", epilog="Example: editgauge prompts show textedit")(show)
    group.command("diff", epilog="Example: editgauge prompts diff textedit ours my-prompts")(diff)
    group.command("new", epilog="Example: editgauge prompts new textedit my-prompts")(new)
    app.add_typer(group, name="prompts")


def show(benchmark: BenchmarkArg, prompts: SetOpt = "ours", run: RunOpt = None) -> None:
    """Print every prompt of a set; {{name}} or {name} is filled in for each sample."""
    from editgauge.judging import choice

    chosen = choice.choose(_find(benchmark), prompts, run)
    for name, text in choice.texts(chosen).items():
        print(f"#### {name}\n{text}")
    print(f"set: {chosen.name}, hash {chosen.fingerprint}")


def diff(
    benchmark: BenchmarkArg,
    first: Annotated[str, typer.Argument(help="ours, paper, or a folder.")],
    second: Annotated[str, typer.Argument(help="ours, paper, or a folder.")],
    run: RunOpt = None,
) -> None:
    """Print how two sets differ, prompt by prompt."""
    from editgauge.judging import choice

    bench = _find(benchmark)
    a, b = choice.choose(bench, first, run), choice.choose(bench, second, run)
    lines = list(choice.differences(a, b))
    print("\n".join(lines) if lines else "the sets are the same")
    print(f"hashes: {a.name} {a.fingerprint}, {b.name} {b.fingerprint}")


def new(
    benchmark: BenchmarkArg,
    folder: Annotated[Path, typer.Argument(help="The folder to make.")],
    prompts: SetOpt = "ours",
    run: RunOpt = None,
) -> None:
    """Copy a set to a folder, to be changed and used with `judge --prompts FOLDER`."""
    from editgauge.judging import choice

    bench = _find(benchmark)
    made = choice.start(bench, folder, prompts, run)
    print(f"made:  {made}, {len(list(made.iterdir()))} files")
    print(f"next:  editgauge judge {bench.name} DATA --run RUN --model M --prompts {made}")


def _find(name: str) -> Benchmark:
    from editgauge import catalog

    benchmark: Benchmark = catalog.find("benchmarks", name)
    return benchmark

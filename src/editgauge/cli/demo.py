"""`editgauge demo`: the whole way on the built-in benchmark, offline."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

_EDITORS = ("reference", "copy", "shuffle", "blank")


def register(app: typer.Typer) -> None:
    app.command("demo", epilog="Example: editgauge demo --run my-first-run")(demo)


def demo(
    run: Annotated[Path, typer.Option("--run", help="The run folder: made, or continued.")] = Path(
        "editgauge-demo"
    ),
    workers: Annotated[
        int | None, typer.Option("--workers", min=0, help="Processes; default: the cores.")
    ] = None,
    ocr: Annotated[
        bool | None,
        typer.Option(
            "--ocr/--no-ocr",
            help="Also read text, with OCR; default: where the extra is installed.",
        ),
    ] = None,
) -> None:
    """Try the whole way on the built-in benchmark: edit, score, table, report. Needs no data,
    network or GPU.
    """
    from editgauge.cli.edit import edit
    from editgauge.cli.score import score

    installed = find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None
    reads_text = installed if ocr is None else ocr
    editors = (*_EDITORS, "typeset") if reads_text else _EDITORS
    _say(
        1,
        f"Edit: {len(editors)} built-in editors make outputs for the benchmark `mini`, drawn on "
        f"the spot.",
    )
    for name in editors:
        _quietly(edit, benchmark="mini", editor=name, run=run, workers=workers)
    _say(2, "Score: pixels of every output; then the table.")
    _quietly(score, benchmark="mini", run=run, tracks="pixel", workers=workers)
    if reads_text:
        print("\nAnd the text in the pictures, read by an OCR engine (some 0.7 s a picture):")
        _quietly(
            score,
            benchmark="mini",
            run=run,
            tracks="ocr",
            editor=["reference", "copy", "typeset"],
            workers=workers,
        )
    elif not installed:
        print("(with pip install 'editgauge[ocr]' the demo also reads the text in the pictures)")
    _say(3, "Report: every number opens its picture.")
    page = _report(run)
    print()
    print(
        f"All of it is in {run}/ - rows, outputs, pictures, manifest{', report' if page else ''}."
    )
    if page:
        print(f"Look at:  {page}")
    print("Next:     editgauge check texteditbench DATA          is my data set whole?")
    print(
        "          editgauge score texteditbench DATA --outputs OUTPUTS --editor my-model --run "
        "runs/my-model"
    )


def _say(number: int, text: str) -> None:
    print(f"\n[{number}] {text}", flush=True)


def _quietly(command: Callable[..., None], **options: object) -> None:
    """Call another command; samples without a score are to be expected here (there is no reference
    for some).
    """
    try:
        command(**options)
    except typer.Exit as end:
        if end.exit_code not in (0, 1):
            raise


def _report(run: Path) -> Path | None:
    if find_spec("editgauge.cli.report") is None:
        return None
    from editgauge.cli.report import report

    _quietly(report, runs=[run])
    return run / "report" / "index.html"

"""`editgauge demo`: the built-in benchmark end to end, offline."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

_EDITORS = ("reference", "copy", "shuffle", "blank")
_WITHOUT_OCR = (
    "Left out: the classical editor `typeset`, which finds text and sets new text, and the scores "
    "of what can be read."
)


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
    """Run the built-in benchmark end to end: edit, score, table, report. Needs no data,
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
        _say(3, "Compare: does `typeset`, which sets the new text, do better than no edit at all?")
        _compare(run)
    else:
        bring = "without --no-ocr" if installed else "with: pip install 'editgauge[ocr]'"
        print(f"\n{_WITHOUT_OCR} They come {bring}")
    _say(4 if reads_text else 3, "Report: every number opens its picture.")
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


_COMPARED = {
    "reference_ssim": "likeness to the right answer (SSIM)",
    "F1": "words of the wanted text (F1, read by OCR)",
}


def _compare(run: Path) -> None:
    """Say by how much `typeset` is better than `copy`, and where the samples are too few to say."""
    from editgauge.run.compare import compare
    from editgauge.tables import compare_sheets, rows

    frames = rows.frames(rows.open_runs([run]), "mini", editors=["copy", "typeset"])
    names = list(_COMPARED)
    for found in compare(frames, "copy", "typeset", metrics=names, variants=["corrected"]):
        for line in found.lines:
            paired = line.paired
            sure = "" if line.holm is None else f" (p {line.holm:.3f}, corrected for both lines)"
            print(
                f"{_COMPARED[line.metric]}: copy {line.mean_a:.3f}, typeset {line.mean_b:.3f}; "
                f"difference {paired.difference:+.4f} [{paired.low:+.4f}, {paired.high:+.4f}] on "
                f"{paired.n} samples: {compare_sheets.verdict(line)}{sure}"
            )
    print(f"every metric, with p and the samples behind it:  editgauge compare {run} copy typeset")


def _report(run: Path) -> Path | None:
    if find_spec("editgauge.cli.report") is None:
        return None
    from editgauge.cli.report import report

    _quietly(report, runs=[run])
    return run / "report" / "index.html"

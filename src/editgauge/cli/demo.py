"""`editgauge demo`: the built-in benchmark end to end, offline."""

from __future__ import annotations

import contextlib
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from editgauge.cli import output
from editgauge.cli.options import RunOpt

_EDITORS = ("reference", "copy", "shuffle", "blank")


def demo(
    *,
    run: RunOpt = Path("editgauge-demo"),
    no_ocr: Annotated[bool, Parameter(help="Read no text, though the extra is installed.")] = False,
) -> None:
    """Run the built-in benchmark end to end: edit, score, table, report. Needs no data, network or
    GPU.
    """
    told = sys.stderr if output.as_json() else sys.stdout
    with contextlib.redirect_stdout(told), output.saying(quiet=output.quiet()):
        _demonstrate(run, no_ocr)
    page = run / "report" / "index.html"
    lines = [
        f"\nAll of it is in {run}/ - rows, outputs, pictures, manifest, report.",
        f"Look at:  {page}",
        "Next:     editgauge check texteditbench DATA          is my data set whole?",
        "          editgauge score texteditbench DATA --outputs OUTPUTS --editor my-model --run "
        "runs/my-model",
    ]
    output.emit({"run": str(run), "page": str(page)}, lines)


def _demonstrate(run: Path, no_ocr: bool) -> None:
    from editgauge.cli.compare import Compared, compare
    from editgauge.cli.edit import edit
    from editgauge.cli.report import report
    from editgauge.cli.score import Delivered, score

    installed = find_spec("rapidocr") is not None and find_spec("onnxruntime") is not None
    reads_text = installed and not no_ocr
    editors = (*_EDITORS, "typeset") if reads_text else _EDITORS
    _say(1, f"Edit: {len(editors)} built-in editors make outputs for the benchmark `mini`.")
    for name in editors:
        edit("mini", editor=name, run=run)
    _say(2, "Score: pixels of every output; then the table.")
    score("mini", run=run, tracks="pixel")
    if reads_text:
        print("\nAnd the text in the pictures, read by an OCR engine (some 0.7 s a picture):")
        delivered = Delivered(editor=("reference", "copy", "typeset"))
        score("mini", run=run, tracks="ocr", delivered=delivered)
        _say(3, "Compare: does `typeset`, which sets the new text, do better than no edit at all?")
        compare(run, "copy", "typeset", rows=Compared(metric=("reference_ssim", "F1")), top=0)
    else:
        bring = "without --no-ocr" if installed else "with: pip install 'editgauge[ocr]'"
        print(
            f"\nLeft out: the classical editor `typeset`, which finds text and sets new text, and "
            f"the scores of what can be read. They come {bring}"
        )
    _say(4 if reads_text else 3, "Report: every number opens its picture.")
    report((run,))


def _say(number: int, text: str) -> None:
    print(f"\n[{number}] {text}", flush=True)

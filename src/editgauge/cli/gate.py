"""`editgauge compare --gate POLICY.toml`: a policy judged, its verdict printed and written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from editgauge.cli import common
from editgauge.errors import RunError, UsageError

if TYPE_CHECKING:
    from editgauge.cli.option_groups import Gating
    from editgauge.store.run import Run
    from editgauge.tables.results import Results


def goes_with(gating: Gating, form: str, other: bool) -> None:
    """Raise `UsageError` for options that do not go together with `--gate`, or only with it."""
    if gating.gate is None and (gating.junit or gating.step_summary):
        raise UsageError("--junit and --step-summary: wanted --gate POLICY.toml with them")
    if gating.gate is not None and other:
        raise UsageError("--gate: goes with neither --calibrate nor --fail-if-worse")
    if gating.gate is not None and form in ("csv", "latex"):
        raise UsageError(f"--gate: wanted --format terminal, markdown or json, found {form}")


def judge(
    runs: Sequence[Run],
    frames: Sequence[Results],
    a: str,
    b: str,
    gating: Gating,
    *,
    form: str,
    seed: int,
) -> int:
    """Judge B on every frame, print the verdict and write what was asked for; the exit code."""
    from editgauge.run.gate import gate, policy_of
    from editgauge.tables import gate as gates

    assert gating.gate is not None
    judged = gate(runs, frames, a, b, policy_of(gating.gate), seed=seed)
    if form == "json":
        common.print_json(gates.as_dict(judged))
    else:
        text = gates.as_summary(judged) if form == "markdown" else gates.as_text(judged)
        typer.echo(text, nl=False)
    if gating.junit is not None:
        _write(gating.junit, gates.as_junit(judged), "w")
    if gating.step_summary is not None:
        _write(gating.step_summary, gates.as_summary(judged), "a")
    return gates.EXIT_CODES[gates.together([item.verdict for item in judged])]


def _write(path: Path, text: str, mode: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise RunError(f"{path}: cannot be written ({error})") from error

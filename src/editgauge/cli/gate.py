"""`editgauge compare --gate POLICY.toml`: a policy read, judged, and its verdict written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editgauge.cli import common
from editgauge.errors import RunError, UsageError

if TYPE_CHECKING:
    from editgauge.store.run_folder import RunFolder
    from editgauge.tables.frame import Frame
    from editgauge.tables.gate import Gate, Policy, Usage

_MAX_BYTES = 1 << 20

GateOpt = Annotated[
    Path | None,
    typer.Option(
        "--gate",
        metavar="POLICY.toml",
        help="Judge B by a policy: floors, margins, coverage, cost, latency. Exit code 0: PASS, "
        "1: FAIL, 4: CANNOT TELL.",
    ),
]
JunitOpt = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict as JUnit XML.")
]
SummaryOpt = Annotated[
    Path | None,
    typer.Option(
        "--step-summary",
        metavar="FILE",
        help="Append the verdict as markdown, as to $GITHUB_STEP_SUMMARY.",
    ),
]


def policy_of(path: Path) -> Policy:
    """The policy in a file. Raises `UsageError` for one that cannot be read or is wrong."""
    from editgauge.tables.gate import read_policy

    try:
        if path.stat().st_size > _MAX_BYTES:
            raise UsageError(f"--gate {path}: wanted at most {_MAX_BYTES:,} bytes")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--gate {path}: cannot be read ({error})") from error
    return read_policy(text, path.name)


def gate(
    runs: Sequence[RunFolder],
    frames: Sequence[Frame],
    a: str,
    b: str,
    path: Path,
    *,
    form: str,
    junit: Path | None,
    step_summary: Path | None,
    seed: int,
) -> int:
    """Judge B on every frame, print the verdict and write what was asked for; the exit code."""
    from editgauge.tables import gate as gates
    from editgauge.tables.layouts import directions

    policy = policy_of(path)
    judged: list[Gate] = []
    known = {}
    for frame in frames:
        ways = directions(frame)
        known[frame.benchmark] = ways
        usage = _usage(runs, frame.benchmark, b)
        judged.append(gates.judge(frame, a, b, ways, policy, usage=usage, seed=seed))
    if (left := gates.unread(policy, a, b, known)) is not None:
        judged.append(left)
    if form == "json":
        common.print_json(gates.as_dict(judged))
    else:
        text = gates.as_summary(judged) if form == "markdown" else gates.as_text(judged)
        typer.echo(text, nl=False)
    if junit is not None:
        _write(junit, gates.as_junit(judged), "w")
    if step_summary is not None:
        _write(step_summary, gates.as_summary(judged), "a")
    return gates.EXIT_CODES[gates.together([item.verdict for item in judged])]


def _usage(runs: Sequence[RunFolder], benchmark: str, editor: str) -> Usage:
    """What the editor's delivered outputs took, as the runs' records of edits say."""
    from editgauge.tables.gate import Usage
    from editgauge.types import Status

    newest = {
        record.sample: record
        for run in runs
        for record in run.edits(benchmark)
        if record.editor == editor and record.status is Status.SCORED
    }
    return Usage(
        outputs=len(newest),
        seconds=[r.seconds for r in newest.values() if r.seconds is not None],
        dollars=[r.cost for r in newest.values() if r.cost is not None],
    )


def _write(path: Path, text: str, mode: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise RunError(f"{path}: cannot be written ({error})") from error

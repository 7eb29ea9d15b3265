"""A release gate on a run: a policy's file read, and judged on every benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editgauge import toml
from editgauge.errors import UsageError
from editgauge.store.run import Run
from editgauge.tables import gate as gates
from editgauge.tables.gate import Gate, Policy, Usage
from editgauge.tables.layouts import directions
from editgauge.tables.results import Results
from editgauge.types import Direction, Status


def policy_of(path: Path) -> Policy:
    """The policy in a file. Raises `UsageError` for one that cannot be read or is wrong."""
    try:
        text = toml.text(path)
    except OSError as error:
        raise UsageError(f"--gate {path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise UsageError(f"--gate {path}: cannot be read ({error})") from error
    return gates.read_policy(text, path.name)


def gate(
    runs: Sequence[Run],
    frames: Sequence[Results],
    a: str,
    b: str,
    policy: Policy,
    *,
    seed: int = 0,
) -> list[Gate]:
    """What the policy says of B against A on each frame, and one gate more for rules that no frame
    could be asked about. The verdict of all is `tables.gate.together`.
    """
    judged: list[Gate] = []
    known: dict[str, Mapping[str, Direction | None]] = {}
    for frame in frames:
        ways = directions(frame)
        known[frame.benchmark] = ways
        usage = usage_of(runs, frame.benchmark, b)
        judged.append(gates.judge(frame, a, b, ways, policy, usage=usage, seed=seed))
    unread = gates.unread(policy, a, b, known)
    return judged if unread is None else [*judged, unread]


def usage_of(runs: Sequence[Run], benchmark: str, editor: str) -> Usage:
    """What the editor's delivered outputs took, as the runs' records of edits say."""
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

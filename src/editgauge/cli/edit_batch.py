"""`editgauge edit --batch`: outputs by a provider's batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from editgauge.run import edit as evaluation
from editgauge.run.material import Material


def by_batch(
    material: Material,
    made: Sequence[evaluation.Made],
    limits: evaluation.Limits,
    run: Path,
    action: str,
    json: bool,
) -> None:
    """Submit or collect the outputs of each editor, and print what was done. Ends with code 3 where
    the budget left samples out, and 1 where something waits or is lacking.
    """
    from editgauge.cli import common
    from editgauge.store import selection
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    selection.one_of("--batch", action, ("submit", "collect"))
    facts, lines, codes = [], [], {0}
    with working(run) as here:
        folder = Run.create(here)
        for one in made:
            if action == "submit":
                sent = evaluation.submit(material, folder, one.editor, limits)
                facts.append(asdict(sent))
                lines.append(
                    f"{sent.editor}: {sent.calls} samples in {len(sent.batches)} batches; "
                    f"{sent.waiting} wait"
                )
                lines += [sent.broke] if sent.broke else []
                codes.add(3 if sent.broke else 0)
            else:
                done = evaluation.collect(material, folder, one.editor, limits, request=one.request)
                told = {**asdict(done.summary), "counts": dict(done.summary.counts)}
                facts.append({**asdict(done), "summary": told})
                lines.append(done.summary.line(material.benchmark.name))
                if done.waiting:
                    lines.append(f"{done.waiting} wait in batches that are not finished")
                if done.open:
                    lines.append(f"{done.open} were not answered: submit them again")
                lines += [f"note: batch ended without results: {name}" for name in done.failed]
                lacking = done.waiting or done.open or not done.summary.complete
                codes.add(1 if lacking else 0)
    if json:
        common.print_json({"what": action, "editors": facts})
    else:
        if action == "submit" and any(fact["waiting"] for fact in facts):
            lines.append("next: the same command with --batch collect, within a day")
        print("\n".join(lines))
    if max(codes):
        raise typer.Exit(max(codes))

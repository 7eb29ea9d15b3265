"""The other ways of `editgauge judge`: batches, scores of released scripts, and the injection
probe.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from editgauge import catalog
from editgauge.judging import batch as batches
from editgauge.judging import imports as importing
from editgauge.judging import trust
from editgauge.judging.session import Setup, facts, judging_of
from editgauge.store.run_folder import RunFolder
from editgauge.store.samples import keep_samples


@dataclass(slots=True)
class Told:
    """Lines for people and a mapping for programs."""

    said: list[str]
    facts: dict[str, Any]
    waiting: int = 0

    def lines(self) -> list[str]:
        return self.said

    def as_json(self) -> dict[str, Any]:
        return self.facts


def batch(setup: Setup, what: str) -> Told:
    """Submit or collect batches."""
    todo = setup.todo

    async def main() -> batches.Batched:
        async with todo.engine.client:
            jobs = todo.jobs(setup.samples, setup.edits, None)
            return await (batches.submit if what == "submit" else batches.collect)(
                todo.engine, jobs
            )

    done = asyncio.run(main())
    todo.run.record(
        f"judge --batch {what}", benchmark=todo.benchmark, model=setup.model, **asdict(done)
    )
    said = [f"{what}: {done.calls} calls in {len(done.batches)} batches; {done.waiting} wait"]
    said += [f"note: batch ended without results: {name}" for name in done.failed]
    if what == "submit" or done.waiting:
        said.append("next:  the same command with --batch collect, within a day")
    return Told(said, {"what": what, **asdict(done)}, done.waiting)


def probe(setup: Setup) -> Told:
    """Pictures with commands in them: does the judge obey?"""
    engine = setup.todo.engine
    judging = judging_of(catalog.find("benchmarks", "mini"))

    async def main() -> trust.Probe:
        async with engine.client:
            return await trust.probe_injection(
                engine, judging, setup.todo.run.cache_folder / "probe"
            )

    found = asyncio.run(main())
    setup.todo.run.record(
        "judge --probe injection", model=setup.model, rise=found.rise, **facts(engine.stats)
    )
    return Told(found.lines(), {"rise": found.rise, "plain": found.plain, "ordered": found.ordered})


def take_in(setup: Setup, benchmark: str, data: Path | None, path: Path, split: str | None) -> Told:
    """Scores of a released script as rows."""
    bench, dataset, samples = catalog.open_data(benchmark, data, split)
    folder = RunFolder.create(setup.run)
    keep_samples(folder, bench.name, dataset.root, samples, [])
    editor = setup.editors[0] if setup.editors else None
    found = importing.import_scores(folder, bench, path, samples, judge=setup.model, editor=editor)
    folder.record(
        "judge --import", benchmark=bench.name, judge=setup.model, file=path.name, rows=found.rows
    )
    said = [f"{found.rows} rows taken in, {found.kept} were there: {dict(found.statuses)}"]
    said += [f"note: not in the data: {name}" for name in found.unknown[:10]]
    if len(found.unknown) > 10:
        said.append(f"note: and {len(found.unknown) - 10} more that are not in the data")
    said += [f"rows:  {setup.run}", f"next:  editgauge table {setup.run} --benchmark {bench.name}"]
    return Told(
        said,
        {
            "rows": found.rows,
            "kept": found.kept,
            "unknown": found.unknown,
            "statuses": dict(found.statuses),
        },
    )

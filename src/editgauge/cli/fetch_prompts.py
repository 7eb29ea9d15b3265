"""`editgauge fetch prompts`: what the paper asked its judge, made from the authors' scripts."""

from __future__ import annotations

import sys
from pathlib import Path

from editgauge.cli.transfers import bytes_shown


def fetch(
    names: list[str], run: Path | None, to: Path | None, clone: Path | None, json: bool
) -> None:
    """Make the paper's prompts of a benchmark from the authors' scripts."""
    from editgauge import catalog
    from editgauge.cli import common
    from editgauge.errors import UsageError
    from editgauge.judging import choice, paper
    from editgauge.store.run import Run

    if len(names) != 1 or (run is None) == (to is None):
        raise UsageError("fetch prompts: wanted one benchmark, and --run RUN or --to FOLDER")
    benchmark = catalog.find("benchmarks", names[0])
    released = choice.declared(benchmark)
    if run is not None:
        Run.create(run)
    target = to or choice.folder_of(run or Path(), benchmark.name)
    made = paper.fetch(released, target, clone=clone, progress=bytes_shown("prompts", json))
    if json:
        common.print_json(
            {"set": paper.SET, "fingerprint": made.fingerprint, "to": str(target)}
            | {"repository": released.repository, "scripts": sorted(made.by_path)}
        )
        return
    if released.note:
        print(f"note: {released.note}", file=sys.stderr)
    print(f"{benchmark.name}: {len(made.by_path)} scripts of {released.repository}, in {target}")
    shown = f"--prompts paper --run {run}" if run else f"--prompts {target}"
    print(f"next:  editgauge prompts show {benchmark.name} {shown}")

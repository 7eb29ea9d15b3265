"""`editgauge curate stats, card, log`: what a data set holds, and how it came about."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from editgauge.cli.curate_options import DirArg
from editgauge.cli.options import JsonOpt


def register(group: typer.Typer) -> None:
    group.command("stats", epilog="Example: editgauge curate stats wards")(stats)
    group.command("card", epilog="Example: editgauge curate card wards > README.md")(show_card)
    group.command("log", epilog="Example: editgauge curate log wards --sample s-1")(log)


def stats(
    folder: DirArg,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="A folder for the counts as SVG pictures.")
    ] = None,
    for_papers: Annotated[
        bool, typer.Option("--papers", help="Draw PDF and PNG, too, at the width of a column.")
    ] = False,
    json: JsonOpt = False,
) -> None:
    """Count samples by state, split, category, operation, language and difficulty; masks; agreement
    of reviewers. With --figures the counts are drawn, each with its table as csv.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.statistics import statistics

    told = statistics(DataSet(folder))
    if figures is not None:
        from editgauge.curation import plots

        drawn = plots.write(plots.figures(told), figures, for_papers=for_papers)
        told["files"] = [path.name for path in drawn]
    if json:
        print_json(told)
        return
    print(f"samples: {told['samples']}")
    for name, counts in told["counts"].items():
        print(f"{name}: " + ", ".join(f"{label} {n}" for label, n in counts.items()))
    share, agreed = told["mask_share"], told["agreement"]
    if share["of"]:
        print(f"masks: {share['mean']:.1%} of the picture on average, {share['of']} samples")
    if agreed["samples"]:
        print(
            f"reviews: {agreed['accepted_by_all']} of {agreed['samples']} accepted by all at first "
            f"sight ({agreed['share']:.1%})"
        )
    for identity in told["disagreements"]:
        print(f"disagreement: {identity}")
    if figures is not None:
        print(f"figures: {len(told['files'])} files in {figures}")


def show_card(folder: DirArg) -> None:
    """Print the data card (markdown)."""
    from editgauge.curation.card import card
    from editgauge.curation.dataset import DataSet

    print(card(DataSet(folder)), end="")


def log(
    folder: DirArg,
    sample: Annotated[str, typer.Option("--sample", help="Only of this one.")] = "",
    json: JsonOpt = False,
) -> None:
    """Print every change ever made, oldest first; what is damaged is named."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    events = [e for e in data.events() if not sample or e.item == sample]
    if json:
        print_json([event._asdict() for event in events])
        return
    for event in events:
        names = ", ".join(sorted(event.after))[:120]
        note = f" ({event.note})" if event.note else ""
        at = datetime.fromtimestamp(event.at, UTC).isoformat(" ", "seconds")
        print(f"{at}  {event.who}  {event.what}  {event.item}  {names}{note}")
    for problem in data.problems:
        typer.echo(f"damaged: {problem}", err=True)
    print(f"{len(events)} events")

"""`editgauge curate ready, export, release, stats, card, log`: what leaves a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from editgauge.cli.curate_options import WHO, DirArg, WhoOpt
from editgauge.cli.options import JsonOpt

OcrOpt = Annotated[
    str,
    typer.Option("--ocr", help="Reads scans once more for names: rapidocr, tesseract… or none."),
]
ReadyOpt = Annotated[
    bool, typer.Option("--ready-only", help="Leave out samples that are not ready.")
]
_LAYOUTS = "texteditbench, textedit, medebench, krisbench, imagefolder or parquet."


def register(group: typer.Typer) -> None:
    group.command("ready", epilog="Example: editgauge curate ready wards --layout medebench")(ready)
    group.command(
        "export", epilog="Example: editgauge curate export wards --layout medebench --to out"
    )(export)
    group.command(
        "release", epilog="Example: editgauge curate release wards --version 1.0.0 --to wards.zip"
    )(release)
    group.command("stats", epilog="Example: editgauge curate stats wards")(stats)
    group.command("card", epilog="Example: editgauge curate card wards > README.md")(show_card)
    group.command("log", epilog="Example: editgauge curate log wards --sample s-1")(log)


def ready(
    folder: DirArg,
    layout: Annotated[str, typer.Option("--layout", help=_LAYOUTS)] = "",
    ocr: OcrOpt = "none",
    json: JsonOpt = False,
) -> None:
    """Say what keeps samples from being exported. Exit code 1: there is something."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.privacy import engine_of
    from editgauge.curation.readiness import faults

    data = DataSet(folder)
    records = data.records()
    found = faults(data, records, layout, engine=engine_of(ocr))
    if json:
        print_json([fault._asdict() for fault in found])
    else:
        for fault in found:
            print(f"{fault.sample}: {fault.why}")
        back = len({fault.sample for fault in found})
        print(f"{len(records) - back} of {len(records)} samples are ready")
    if found:
        raise typer.Exit(1)


def export(
    folder: DirArg,
    layout: Annotated[str, typer.Option("--layout", help=_LAYOUTS)],
    to: Annotated[Path, typer.Option("--to", help="A new or an empty folder.")],
    ready_only: ReadyOpt = False,
    ocr: OcrOpt = "",
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Write the set in an official layout, so that its scripts run on it, or Hugging Face's.

    Nothing is written while a sample may not leave. Exit code 1: samples were left out.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.exports import export as write
    from editgauge.curation.fields import engine_for_scans

    data = DataSet(folder)
    engine = engine_for_scans(data, ocr)
    done = write(data, to, layout, ready_only=ready_only, engine=engine, who=who)
    if json:
        left = [fault._asdict() for fault in done.left_out]
        print_json({"folder": str(to), "samples": done.samples, "left_out": left})
    else:
        print(f"{done.samples} samples: {to}")
        for fault in done.left_out:
            print(f"left out: {fault.sample}: {fault.why}")
        if layout in ("texteditbench", "textedit", "medebench", "krisbench"):
            print(f"next:  editgauge check {layout} {to}")
    if done.left_out:
        raise typer.Exit(1)


def release(
    folder: DirArg,
    version: Annotated[str, typer.Option("--version", help="Three numbers: 1.0.0.")],
    to: Annotated[Path, typer.Option("--to", help="The zip file to write.")],
    ready_only: ReadyOpt = False,
    ocr: OcrOpt = "",
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Write a version as one zip file with checksums, a card, and what changed since the last one:
    which old scores stay comparable.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import engine_for_scans
    from editgauge.curation.releases import release as write

    data = DataSet(folder)
    engine = engine_for_scans(data, ocr)
    told = write(data, to, version, ready_only=ready_only, engine=engine, who=who)
    if json:
        print_json(told)
        return
    print(f"version {version}: {to}")
    for line in _changed(told):
        print(line)


def _changed(told: dict[str, Any]) -> list[str]:
    if told["since"] is None:
        return ["the first release"]
    counts = ", ".join(f"{len(told[name])} {name}" for name in ("added", "removed", "changed"))
    lines = [f"since {told['since']}: {counts}"]
    for track, state in told["comparable"].items():
        if state["whole_set"]:
            lines.append(f"{track}: old scores and means stay comparable")
        else:
            count = len(state["not_comparable"])
            lines.append(
                f"{track}: old scores of {count} samples are of something else; compare means over "
                f"the samples that both versions have and that did not change"
            )
    return lines


def stats(folder: DirArg, json: JsonOpt = False) -> None:
    """Count samples by state, split, category, operation, language and difficulty; masks; agreement
    of reviewers.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.statistics import statistics

    told = statistics(DataSet(folder))
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
    """Print the audit trail, oldest first; its checksums are verified."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet

    events = [e for e in DataSet(folder).events() if not sample or e.sample == sample]
    if json:
        print_json([event._asdict() for event in events])
        return
    for event in events:
        names = ", ".join(sorted(event.after))[:120]
        note = f" ({event.note})" if event.note else ""
        print(f"{event.at}  {event.who}  {event.what}  {event.sample}  {names}{note}")
    print(f"{len(events)} events; the trail is whole")

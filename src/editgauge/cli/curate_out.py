"""`editgauge curate ready, export, release`: what leaves a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from editgauge.cli.curate_options import WHO, DirArg, WhoOpt
from editgauge.cli.options import JsonOpt
from editgauge.errors import UsageError

OcrOpt = Annotated[
    str,
    typer.Option("--ocr", help="Reads scans once more for names: rapidocr, paddleocr… or none."),
]
ReadyOpt = Annotated[
    bool, typer.Option("--ready-only", help="Leave out samples that are not ready.")
]
_LAYOUTS = "texteditbench, textedit, medebench, krisbench or imagefolder."


def register(group: typer.Typer) -> None:
    group.command("ready", epilog="Example: editgauge curate ready wards --layout medebench")(ready)
    group.command(
        "export", epilog="Example: editgauge curate export wards --layout medebench --to out"
    )(export)
    group.command(
        "release", epilog="Example: editgauge curate release wards --version 1.0.0 --to wards.zip"
    )(release)


def ready(
    folder: DirArg,
    layout: Annotated[str, typer.Option("--layout", help=_LAYOUTS)] = "",
    ocr: OcrOpt = "none",
    json: JsonOpt = False,
) -> None:
    """Say what keeps samples from being exported. Exit code 1: there is something."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.exports import LAYOUTS
    from editgauge.curation.privacy import engine_of
    from editgauge.curation.readiness import faults, of_set

    if layout and layout not in LAYOUTS:
        raise UsageError(f"--layout {layout!r}: wanted one of {', '.join(LAYOUTS)}")
    data = DataSet(folder)
    records = data.records()
    found = faults(data, records, layout, engine=engine_of(ocr))
    whole = of_set(data)
    if json:
        told = [{"sample": "", "why": why} for why in whole]
        print_json([*told, *(fault._asdict() for fault in found)])
    else:
        for why in whole:
            print(f"the set: {why}")
        for fault in found:
            print(f"{fault.sample}: {fault.why}")
        back = len({fault.sample for fault in found})
        of = f" for {layout}" if layout else "; a layout may ask for more: --layout NAME"
        print(f"{len(records) - back} of {len(records)} samples are ready{of}")
    if found or whole:
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
    from editgauge.curation.readiness import engine_for_scans

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
    from editgauge.curation.readiness import engine_for_scans
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

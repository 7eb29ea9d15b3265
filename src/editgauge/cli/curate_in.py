"""`editgauge curate add, pair`: pictures into a data set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from editgauge.cli.curate_options import (
    WHO,
    AttributeOpt,
    CategoryOpt,
    ConsentOpt,
    DirArg,
    FramesOpt,
    LicenceOpt,
    LongestOpt,
    OcrOpt,
    ProtocolOpt,
    SplitOpt,
    UrlOpt,
    WhoOpt,
    WindowOpt,
)
from editgauge.cli.options import JsonOpt


def register(group: typer.Typer) -> None:
    group.command("add", epilog="Example: editgauge curate add wards scans/ --longest 512")(add)
    group.command("pair", epilog="Example: editgauge curate pair wards before/ after/")(pair)


KeepOpt = Annotated[
    bool, typer.Option("--keep-names", help="Names of files become ids; they leave with the set.")
]


def add(
    folder: DirArg,
    pictures: Annotated[list[Path], typer.Argument(help="Files or folders; DICOM as well.")],
    longest: LongestOpt = 0,
    split: SplitOpt = "",
    category: CategoryOpt = "",
    protocol: ProtocolOpt = "",
    url: UrlOpt = "",
    licence: LicenceOpt = "",
    consent: ConsentOpt = "",
    attribute: AttributeOpt = None,
    window: WindowOpt = "file",
    frames: FramesOpt = "middle",
    ocr: OcrOpt = "rapidocr",
    keep_names: KeepOpt = False,
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Take pictures in, a sample each, without their metadata. Texts burnt into scans are proposed.

    Exit code 1: a file could not be taken in; the others were.
    """
    from editgauge.cli.common import progress
    from editgauge.curation import intake
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import fields_of
    from editgauge.curation.privacy import engine_of

    source = {"url": url, "licence": licence, "consent": consent}
    how = intake.Intake(
        who=who,
        longest=longest,
        fields=fields_of(split, category, protocol, source, attribute or []),
        window=window,
        frames=frames,
        engine=engine_of(ocr),
        keep_names=keep_names,
    )
    data = DataSet(folder)
    with progress(json) as show:
        _print(folder, intake.add(data, pictures, how, show), json)


def pair(
    folder: DirArg,
    inputs: Annotated[Path, typer.Argument(help="An input, or a folder of them.")],
    references: Annotated[Path, typer.Argument(help="Its reference, or a folder: same names.")],
    align: Annotated[str, typer.Option("--align", help="affine, or none: of one size.")] = "affine",
    longest: LongestOpt = 0,
    split: SplitOpt = "",
    category: CategoryOpt = "",
    protocol: ProtocolOpt = "",
    url: UrlOpt = "",
    licence: LicenceOpt = "",
    consent: ConsentOpt = "",
    attribute: AttributeOpt = None,
    window: WindowOpt = "file",
    frames: FramesOpt = "middle",
    ocr: OcrOpt = "rapidocr",
    keep_names: KeepOpt = False,
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Take pairs in: each reference is brought onto its input; one that does not fit is refused.

    Exit code 1: a pair was refused or could not be read; the others were taken in.
    """
    from editgauge.cli.common import progress
    from editgauge.curation import intake
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import fields_of
    from editgauge.curation.privacy import engine_of

    source = {"url": url, "licence": licence, "consent": consent}
    how = intake.Intake(
        who=who,
        longest=longest,
        fields=fields_of(split, category, protocol, source, attribute or []),
        align=align,
        window=window,
        frames=frames,
        engine=engine_of(ocr),
        keep_names=keep_names,
    )
    data = DataSet(folder)
    with progress(json) as show:
        _print(folder, intake.pair(data, inputs, references, how, show), json)


def _print(folder: Path, taken: list[Any], json: bool) -> None:
    from editgauge.cli.common import print_json

    if json:
        print_json([item._asdict() for item in taken])
    else:
        for item in taken:
            if item.sample:
                print(f"{item.sample}{': ' if item.said else ''}{item.said}")
            else:
                typer.echo(f"not taken in: {item.said}", err=True)
        done = sum(bool(item.sample) for item in taken)
        print(f"{done} of {len(taken)} taken in; next: editgauge curate {folder}")
    if not all(item.sample for item in taken):
        raise typer.Exit(1)

"""`editgauge curate add, pair, frames`: pictures into a data set."""

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
    group.command("scan", epilog="Example: editgauge curate scan heart.dcm")(scan)
    group.command("frames", epilog="Example: editgauge curate frames wards a.mp4 --end 6")(frames)


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
    from editgauge.curation.dicom import checked_window
    from editgauge.curation.fields import fields_of
    from editgauge.curation.privacy import engine_of

    how = intake.Intake(
        who=who,
        longest=longest,
        fields=fields_of(split, category, protocol, (url, licence, consent), attribute or []),
        window=checked_window(window),
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
    align: Annotated[
        str, typer.Option("--align", help="similarity, affine, homography, or none.")
    ] = "affine",
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
    from editgauge.curation.dicom import checked_window
    from editgauge.curation.fields import fields_of
    from editgauge.curation.privacy import engine_of

    how = intake.Intake(
        who=who,
        longest=longest,
        fields=fields_of(split, category, protocol, (url, licence, consent), attribute or []),
        align=align,
        window=checked_window(window),
        frames=frames,
        engine=engine_of(ocr),
        keep_names=keep_names,
    )
    data = DataSet(folder)
    with progress(json) as show:
        _print(folder, intake.pair(data, inputs, references, how, show), json)


def scan(
    file: Annotated[Path, typer.Argument(help="A DICOM file.")],
    frame: Annotated[int, typer.Option("--frame", min=1, help="Whose windows are told.")] = 1,
    json: JsonOpt = False,
) -> None:
    """Say what --frames and --window can choose of a scan: its frames, its windows, the range of
    its values. Nothing of the patient is printed.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dicom import ScanFile, described

    told = described(ScanFile(file), frame)
    if json:
        print_json(told)
        return
    width, height = told["size"]
    print(f"{told['modality'] or 'no modality'}, {width} x {height}, {told['frames']} frames")
    for number, (centre, level) in enumerate(told["windows"], start=1):
        print(f"--window {f'file:{number}':12}centre {centre:g}, width {level:g}")
    low, high = told["range"]
    print(f"--window {'full':12}{low:g} to {high:g} in frame {frame}")
    for name, (centre, level) in told["presets"].items():
        print(f"--window {name:12}centre {centre:g}, width {level:g}")


def frames(
    folder: DirArg,
    video: Annotated[Path, typer.Argument(help="A video that OpenCV reads.")],
    end: Annotated[float, typer.Option("--end", min=0, help="Seconds: the last frame.")],
    start: Annotated[float, typer.Option("--start", min=0, help="Seconds: the first.")] = 0.0,
    missing: Annotated[
        int, typer.Option("--missing", min=1, max=4, help="The frame to be made: the reference.")
    ] = 4,
    longest: LongestOpt = 0,
    split: SplitOpt = "",
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Take four evenly spaced frames of a video as one temporal sample of KRIS-Bench's kind."""
    from editgauge.curation import intake
    from editgauge.curation.dataset import DataSet

    fields = {"protocol": "krisbench", "attributes": {"kris_task": "temporal_prediction"}}
    how = intake.Intake(
        who=who, longest=longest, fields={**fields, **({"split": split} if split else {})}
    )
    taken = intake.frames(DataSet(folder), video, how, start=start, end=end, missing=missing)
    _print(folder, [taken], json)


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

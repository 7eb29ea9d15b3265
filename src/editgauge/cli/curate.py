"""`editgauge curate …`: a data set of one's own, from pictures to a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from editgauge.cli import curate_out, curate_people
from editgauge.cli.options import JsonOpt

DirArg = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the data set.")]
WhoOpt = Annotated[
    str, typer.Option("--who", help="Who does it, as the trail has it: a pseudonym.")
]
SampleArg = Annotated[str, typer.Argument(metavar="SAMPLE", help="The id of a sample.")]
OcrOpt = Annotated[
    str, typer.Option("--ocr", help="The engine that reads texts: rapidocr, tesseract… or none.")
]
_WHO = "command-line"


class _Served(TyperGroup):
    """A group for which a folder in place of a command means `serve`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=_Served, no_args_is_help=True, rich_markup_mode=None)
    curate_people.register(group)
    group.command("add", epilog="Example: editgauge curate add wards scans/ --longest 512")(add)
    group.command("pair", epilog="Example: editgauge curate pair wards before/ after/")(pair)
    group.command("frames", epilog="Example: editgauge curate frames wards a.mp4 --end 6")(frames)
    group.command(
        "set", epilog="Example: editgauge curate set wards s-1 instruction='Remove it.' split=test"
    )(set_fields)
    group.command("about", epilog="Example: editgauge curate about wards --reviews 2")(about)
    group.command("propose", epilog="Example: editgauge curate propose wards --ocr tesseract")(
        propose
    )
    group.command("similar", epilog="Example: editgauge curate similar wards")(similar)
    group.command(
        "refine", epilog="Example: editgauge curate refine wards --model gpt-5-2025-08-07"
    )(refine)
    curate_out.register(group)
    app.add_typer(group, name="curate", help="Make a data set: curate DIR opens it in the browser.")


def _fields(
    split: str, category: str, protocol: str, source: tuple[str, str, str], attribute: list[str]
) -> dict[str, Any]:
    from editgauge.curation.fields import attributes_of
    from editgauge.curation.records import SOURCE

    told = {name: text for name, text in zip(SOURCE, source, strict=True) if text}
    made: dict[str, Any] = {
        "split": split or None,
        "category": [step.strip() for step in category.split("/") if step.strip()] or None,
        "protocol": protocol or None,
        "source": told or None,
        "attributes": attributes_of(attribute),
    }
    return {name: value for name, value in made.items() if value}


SplitOpt = Annotated[str, typer.Option("--split", help="Of the new samples.")]
CategoryOpt = Annotated[str, typer.Option("--category", help="Broad to narrow: Lung/remove.")]
ProtocolOpt = Annotated[
    str, typer.Option("--protocol", help="Whose judge asks about the new samples.")
]
UrlOpt = Annotated[str, typer.Option("--url", help="Where the pictures come from.")]
LicenceOpt = Annotated[str, typer.Option("--licence", help="Of the pictures.")]
ConsentOpt = Annotated[str, typer.Option("--consent", help="What allows their use.")]
AttributeOpt = Annotated[
    list[str] | None, typer.Option("--attribute", metavar="NAME=VALUE", help="May be repeated.")
]
LongestOpt = Annotated[
    int,
    typer.Option("--longest", min=0, help="Scale larger pictures to this longest side; 0: none."),
]
WindowOpt = Annotated[
    str, typer.Option("--window", help="CENTRE,WIDTH of scans; default: what the file says.")
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
    window: WindowOpt = "",
    ocr: OcrOpt = "rapidocr",
    who: WhoOpt = _WHO,
    json: JsonOpt = False,
) -> None:
    """Take pictures in, a sample each, without their metadata. Texts burnt into scans are proposed.

    Exit code 1: a file could not be taken in; the others were.
    """
    from editgauge.cli.common import progress
    from editgauge.curation import intake
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import engine_for, window_of

    how = intake.Intake(
        who=who,
        longest=longest,
        fields=_fields(split, category, protocol, (url, licence, consent), attribute or []),
        window=window_of(window),
        engine=engine_for(pictures, ocr),
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
    ocr: OcrOpt = "rapidocr",
    who: WhoOpt = _WHO,
    json: JsonOpt = False,
) -> None:
    """Take pairs in: each reference is brought onto its input; one that does not fit is refused.

    Exit code 1: a pair was refused or could not be read; the others were taken in.
    """
    from editgauge.cli.common import progress
    from editgauge.curation import intake
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import engine_for

    how = intake.Intake(
        who=who,
        longest=longest,
        fields=_fields(split, category, protocol, (url, licence, consent), attribute or []),
        align=align,
        engine=engine_for([inputs, references], ocr),
    )
    data = DataSet(folder)
    with progress(json) as show:
        _print(folder, intake.pair(data, inputs, references, how, show), json)


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
    who: WhoOpt = _WHO,
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


def set_fields(
    folder: DirArg,
    sample: SampleArg,
    fields: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE", help="Any field or attribute; empty takes it out."),
    ],
    who: WhoOpt = _WHO,
    note: Annotated[str, typer.Option("--note", help="Why; kept in the trail.")] = "",
    json: JsonOpt = False,
) -> None:
    """Set fields of a sample: instruction, split, category (broad/narrow), state, source.licence,
    any attribute…
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import patch_of

    data = DataSet(folder)
    record = data.record(sample)
    made = data.change(sample, record["version"], patch_of(record, fields), who, note=note)
    if json:
        print_json(made)
        return
    print(f"{sample}: version {made['version']}")


def about(
    folder: DirArg,
    title: Annotated[str | None, typer.Option("--title", help="For people.")] = None,
    description: Annotated[
        str | None, typer.Option("--description", help="What the set is; for its card.")
    ] = None,
    licence: Annotated[str | None, typer.Option("--licence", help="Of the set as a whole.")] = None,
    protocol: Annotated[
        str | None, typer.Option("--protocol", help="How it is measured; empty: by each sample's.")
    ] = None,
    require: Annotated[
        str | None, typer.Option("--require", help="Before export: some of url,licence,consent.")
    ] = None,
    reviews: Annotated[
        int | None, typer.Option("--reviews", min=0, max=9, help="People who must accept a sample.")
    ] = None,
    expert: Annotated[
        str | None, typer.Option("--expert", help="Categories that need an expert, by commas.")
    ] = None,
    who: WhoOpt = _WHO,
    json: JsonOpt = False,
) -> None:
    """Say what is known of the whole set, or change it: title, licence, protocol, policy."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import policy_of

    data = DataSet(folder)
    texts = {"title": title, "description": description, "licence": licence, "protocol": protocol}
    changed: dict[str, Any] = {name: text for name, text in texts.items() if text is not None}
    changed["policy"] = policy_of(data.about.policy, require, reviews, expert)
    told = data.describe(who, **changed).as_dict()
    if json:
        print_json(told)
        return
    policy = told.pop("policy")
    for name, value in {**told, **policy}.items():
        print(f"{name}: {', '.join(value) if isinstance(value, list) else value}")


def propose(
    folder: DirArg,
    sample: Annotated[
        list[str] | None, typer.Option("--sample", help="Only this one; may be repeated.")
    ] = None,
    ocr: OcrOpt = "rapidocr",
    faces: Annotated[bool, typer.Option(help="Look for faces and eyes.")] = True,
    who: WhoOpt = _WHO,
    json: JsonOpt = False,
) -> None:
    """Look for texts and faces in pictures and propose to hide them; a person decides in the
    browser.
    """
    from editgauge.cli.common import print_json, progress
    from editgauge.curation import privacy
    from editgauge.curation.dataset import DataSet

    data, engine = DataSet(folder), privacy.engine_of(ocr)
    ids = sample or [record["id"] for record in data.records()]
    found: dict[str, int] = {}
    with progress(json) as show:
        for number, identity in enumerate(ids):
            show(number, len(ids), "looking at pictures")
            found[identity] = privacy.propose(data, identity, who, engine=engine, faces=faces)
        show(len(ids), len(ids), "looking at pictures")
    if json:
        print_json(found)
        return
    for identity, count in found.items():
        if count:
            print(f"{identity}: {count} to look at")
    print(f"{sum(found.values())} proposals in {len(ids)} samples; next: editgauge curate {folder}")


def refine(
    folder: DirArg,
    model: Annotated[str, typer.Option("--model", help="A dated model id, or your server's name.")],
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="The server, up to and with /v1.")
    ] = None,
    describe: Annotated[
        bool, typer.Option("--describe", help="Describe what changed in each pair instead.")
    ] = False,
    paraphrases: Annotated[int, typer.Option(min=0, max=9, help="Of each instruction.")] = 2,
    seed: Annotated[int, typer.Option(help="Draws the paraphrase that is used.")] = 0,
    sample: Annotated[
        list[str] | None, typer.Option("--sample", help="Only this one; may be repeated.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", min=0, help="US dollars; stops before it is passed.")
    ] = None,
    price: Annotated[
        str, typer.Option("--price", help="IN/OUT: US dollars for a million tokens.")
    ] = "",
    allow_alias: Annotated[
        bool, typer.Option("--allow-alias", help="Take a model name without a date.")
    ] = False,
    who: WhoOpt = _WHO,
    json: JsonOpt = False,
) -> None:
    """Let a language model put instructions into plain words, or describe changes; a person decides
    in the browser, seeing the difference. Replies are kept: nothing is paid for twice.

    Exit code 1: some samples have no proposal; 3: stopped by the budget.
    """
    from dataclasses import asdict

    from editgauge.cli.common import print_json
    from editgauge.curation import refining
    from editgauge.curation.dataset import DataSet
    from editgauge.judging.session import Options

    options = Options(
        model=model, base_url=base_url, budget=budget, price=price, allow_alias=allow_alias
    )
    done = refining.refine(
        DataSet(folder), options, who, samples=sample or (), paraphrases=paraphrases,
        describe=describe, seed=seed,
    )  # fmt: skip
    if json:
        print_json(asdict(done))
    else:
        for identity, why in done.failed.items():
            typer.echo(f"{identity}: {why}", err=True)
        print(f"{len(done.proposed)} proposals, {done.asked} requests, ${done.spent:.4f}")
        print(f"next: editgauge curate {folder}")
    if done.stopped:
        typer.echo(done.stopped, err=True)
        raise typer.Exit(3)
    if done.failed:
        raise typer.Exit(1)


def similar(
    folder: DirArg,
    most: Annotated[int, typer.Option("--bits", min=0, max=20, help="Of 64 that differ.")] = 6,
    json: JsonOpt = False,
) -> None:
    """Find samples that show nearly the same picture, those of two splits (leaks) first.

    Exit code 1: there is a leak between splits.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.duplicates import near_duplicates

    data = DataSet(folder)
    found = near_duplicates(data.records(), data.root, most=most)
    if json:
        print_json([near._asdict() for near in found])
    else:
        for near in found:
            told = "LEAK between splits" if near.leak else "nearly the same"
            print(f"{near.first}  {near.second}: {told} ({near.bits} of 64 bits differ)")
        print(f"{len(found)} pairs, {sum(near.leak for near in found)} between splits")
    if any(near.leak for near in found):
        raise typer.Exit(1)


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

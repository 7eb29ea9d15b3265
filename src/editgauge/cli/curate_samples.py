"""`editgauge curate set, propose, withdraw`: what is known of samples and of the set."""

from __future__ import annotations

from typing import Annotated

import typer
from msgspec import to_builtins

from editgauge.cli.curate_options import WHO, DirArg, OcrOpt, SampleArg, WhoOpt
from editgauge.cli.options import JsonOpt, WeightsOpt


def register(group: typer.Typer) -> None:
    group.command(
        "set", epilog="Example: editgauge curate set wards s-1 instruction='Remove it.' split=test"
    )(set_fields)
    group.command("propose", epilog="Example: editgauge curate propose wards --ocr paddleocr")(
        propose
    )
    group.command("withdraw", epilog="Example: editgauge curate withdraw wards s-1 --why blurred")(
        withdraw
    )


def set_fields(
    folder: DirArg,
    sample: SampleArg,
    fields: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE", help="Any field or attribute; empty takes it out."),
    ],
    who: WhoOpt = WHO,
    note: Annotated[str, typer.Option("--note", help="Why; kept in the trail.")] = "",
    json: JsonOpt = False,
) -> None:
    """Set fields of a sample: instruction, split, category (broad/narrow), state, source.licence,
    any attribute… A dot in place of the sample: title, licence, protocol, required, reviews, expert
    of the whole set.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import set_words

    made = set_words(DataSet(folder), sample, fields, who, note=note)
    if json:
        print_json(to_builtins(made))
        return
    print(f"{sample}: version {made.version}")


def propose(
    folder: DirArg,
    sample: Annotated[
        list[str] | None, typer.Option("--sample", help="Only this one; may be repeated.")
    ] = None,
    ocr: OcrOpt = "rapidocr",
    weights: WeightsOpt = None,
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Look for texts and faces in pictures and propose to hide them; a person decides in the
    browser.
    """
    from editgauge.cli.common import print_json, progress
    from editgauge.curation import privacy
    from editgauge.curation.dataset import DataSet

    data, engine = DataSet(folder), privacy.engine_of(ocr)
    ids = sample or [record.id for record in data.records()]
    found: dict[str, int] = {}
    with progress(json) as show:
        for number, identity in enumerate(ids):
            show(number, len(ids), "looking at pictures")
            found[identity] = privacy.search(data, identity, who, engine=engine, weights=weights)
        show(len(ids), len(ids), "looking at pictures")
    if json:
        print_json(found)
        return
    for identity, count in found.items():
        if count:
            print(f"{identity}: {count} to look at")
    print(f"{sum(found.values())} proposals in {len(ids)} samples; next: editgauge curate {folder}")


WhyOpt = Annotated[str, typer.Option("--why", help="Kept in the trail.")]


def withdraw(
    folder: DirArg,
    sample: Annotated[list[str], typer.Argument(metavar="SAMPLE...", help="Ids of samples.")],
    why: WhyOpt = "",
    erase: Annotated[
        bool,
        typer.Option("--erase", help="Delete their pictures from the folder, for good."),
    ] = False,
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Take samples out of the set: they are shown, counted, scored and exported no longer. They
    stay in the log; `curate set DIR SAMPLE state=draft` brings them back, but not after --erase.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    for identity in sample:
        data.record(identity)  # all are there, or nothing is done
    for identity in sample:
        data.withdraw(identity, who, why=why, erase=erase)
    if json:
        print_json(dict.fromkeys(sample, "withdrawn"))
        return
    for identity in sample:
        print(f"{identity}: withdrawn")

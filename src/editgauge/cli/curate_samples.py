"""`editgauge curate set, about, propose, similar`: what is known of samples and of the set."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from editgauge.cli.curate_options import WHO, DirArg, OcrOpt, SampleArg, WhoOpt
from editgauge.cli.options import JsonOpt, WeightsOpt


def register(group: typer.Typer) -> None:
    group.command(
        "set", epilog="Example: editgauge curate set wards s-1 instruction='Remove it.' split=test"
    )(set_fields)
    group.command("about", epilog="Example: editgauge curate about wards --reviews 2")(about)
    group.command("propose", epilog="Example: editgauge curate propose wards --ocr paddleocr")(
        propose
    )
    group.command("withdraw", epilog="Example: editgauge curate withdraw wards s-1 --why blurred")(
        withdraw
    )
    group.command("restore", epilog="Example: editgauge curate restore wards s-1")(restore)
    group.command("similar", epilog="Example: editgauge curate similar wards")(similar)


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
    any attribute…
    """
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import patch_of
    from editgauge.web.log import Act

    data = DataSet(folder)
    record = data.record(sample)
    made = data.change(sample, record["version"], patch_of(record, fields), Act(who, note=note))
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
    who: WhoOpt = WHO,
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
    ids = sample or [record["id"] for record in data.records()]
    found: dict[str, int] = {}
    with progress(json) as show:
        for number, identity in enumerate(ids):
            show(number, len(ids), "looking at pictures")
            found[identity] = privacy.propose(
                data, identity, who, engine=engine, faces=faces, weights=weights
            )
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
    stay in the trail, and `restore` brings them back, but not after --erase.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.withdrawal import withdraw as take_out

    data = DataSet(folder)
    for identity in sample:
        data.record(identity)  # all are there, or nothing is done
    made = [take_out(data, identity, who, why=why, erase=erase) for identity in sample]
    _print_states(made, json)


def restore(
    folder: DirArg,
    sample: Annotated[list[str], typer.Argument(metavar="SAMPLE...", help="Ids of samples.")],
    why: WhyOpt = "",
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Bring withdrawn samples back, in the state that they were in."""
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.withdrawal import restore as bring_back

    data = DataSet(folder)
    _print_states([bring_back(data, identity, who, why=why) for identity in sample], json)


def _print_states(records: list[dict[str, Any]], json: bool) -> None:
    from editgauge.cli.common import print_json

    if json:
        print_json({record["id"]: record["state"] for record in records})
        return
    for record in records:
        print(f"{record['id']}: {record['state']}")


def similar(
    folder: DirArg,
    most: Annotated[int, typer.Option("--bits", min=0, max=20, help="Of 64 that differ.")] = 6,
    accept: Annotated[
        str, typer.Option("--accept", metavar="A,B", help="Two samples that are no leak: say --why")
    ] = "",
    why: Annotated[
        str, typer.Option("--why", help="Stands in the set's card; empty takes it back.")
    ] = "",
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Find samples that show nearly the same picture, those of two splits (leaks) first. No set is
    exported or released with a leak that nobody has accepted.

    Exit code 1: there is such a leak.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation import duplicates
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import two_of

    data = DataSet(folder)
    if accept:
        duplicates.accept(data, *two_of(accept), why, who)
    told = duplicates.told(data.records(), data.root, most=most)
    if json:
        print_json(told)
    else:
        for near in told:
            what = "LEAK between splits" if near["leak"] else near["why"] or "nearly the same"
            print(f"{near['first']}  {near['second']}: {what} ({near['bits']} of 64 bits differ)")
        print(f"{len(told)} pairs, {sum(near['leak'] for near in told)} leaks between splits")
    if any(near["leak"] for near in told):
        raise typer.Exit(1)

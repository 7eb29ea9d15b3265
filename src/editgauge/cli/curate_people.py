"""`editgauge curate serve, invite, mask, review`: what people do to a data set."""

from __future__ import annotations

from typing import Annotated

import typer

from editgauge.cli.curate_options import WHO, DirArg, SampleArg, WhoOpt
from editgauge.cli.options import JsonOpt, WeightsOpt

NameArg = Annotated[str, typer.Argument(metavar="NAME", help="A pseudonym.")]
BaseOpt = Annotated[str, typer.Option("--base", help="How links begin.")]
_LOCAL = "http://127.0.0.1:8600"


def register(group: typer.Typer) -> None:
    group.command("serve", epilog="Example: editgauge curate serve wards --port 8600")(serve)
    group.command("invite", epilog="Example: editgauge curate invite wards ann --expert")(invite)
    group.command(
        "mask", epilog="Example: editgauge curate mask wards s-1 --from difference --save"
    )(mask)
    group.command("review", epilog="Example: editgauge curate review wards s-1 accept --who ann")(
        review
    )


def serve(
    folder: DirArg,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535)] = 8600,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name by which browsers reach this server.")
    ] = None,
    ocr: Annotated[
        str, typer.Option("--ocr", help="The engine that proposes masks from texts, or none.")
    ] = "rapidocr",
    weights: WeightsOpt = None,
) -> None:
    """Open a data set in the browser until interrupted: every change is on the disk at once.

    A link for `owner` is made anew and printed; others are invited with `curate invite`. Listens on
    this machine only, unless --host says otherwise; then put it behind HTTPS.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.review import owner_link
    from editgauge.curation.server import Workbench
    from editgauge.web.pages import serve as run

    data = DataSet(folder)
    with data.log:
        link = owner_link(data, f"http://{host}:{port}")
        bench = Workbench(data, ocr=ocr, weights=weights)
        print(f"data set {data.about.name}: http://{host}:{port} (stop with Ctrl-C)", flush=True)
        print(f"owner: {link}", flush=True)
        run(bench.application([host, *(allow_host or [])]), host=host, port=port)
    print("stopped; every change is kept: run the same command again to go on")


def invite(
    folder: DirArg,
    name: NameArg,
    expert: Annotated[
        bool, typer.Option("--expert", help="May accept samples that need an expert.")
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Make their link useless; what they did stays.")
    ] = False,
    base: BaseOpt = _LOCAL,
    json: JsonOpt = False,
) -> None:
    """Make a personal link for somebody; it is shown once and kept nowhere."""
    from editgauge.cli.common import print_json
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.review import EXPERT

    data = DataSet(folder)
    if revoke:
        data.log.revoke(name)
        print(f"{name}: link revoked")
        return
    token = data.log.invite(name, EXPERT if expert else "")
    link = f"{base.rstrip('/')}/a/{token}"
    if json:
        print_json({"name": name, "link": link, "expert": expert})
        return
    print(f"{name}: {link}")


def mask(
    folder: DirArg,
    sample: SampleArg,
    how: Annotated[
        str,
        typer.Option(
            "--from",
            help="difference (of the pair), text (quoted), box; by networks: segment, words.",
        ),
    ] = "difference",
    box: Annotated[
        str, typer.Option("--box", help="LEFT,TOP,WIDTH,HEIGHT of an object; X,Y,0,0 is a click.")
    ] = "",
    choose: Annotated[
        int | None, typer.Option("--choose", min=1, help="Of several masks, from 1.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="input, second or roi.")] = "input",
    save: Annotated[bool, typer.Option("--save", help="Keep it; else only say its size.")] = False,
    ocr: Annotated[str, typer.Option("--ocr", help="For --from text.")] = "rapidocr",
    weights: WeightsOpt = None,
    who: WhoOpt = WHO,
    json: JsonOpt = False,
) -> None:
    """Propose a mask, and say what the reference changes outside of it.

    `--from segment` (Segment Anything, of a box or click) and `--from words` (Grounded-SAM, of the
    sample's concept, else its instruction) propose three masks: look at them in the browser, or
    choose one here.
    """
    from editgauge.cli.common import print_json
    from editgauge.curation import masks, privacy
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import box_of

    data = DataSet(folder)
    record = data.record(sample)
    engine = privacy.engine_of(ocr) if how == "text" else None
    found = masks.propose(data, record, how, box=box_of(box), engine=engine, weights=weights)
    if save:
        made = masks.chosen(found, choose)
        record = masks.save(data, sample, record.version, name, made, who, note=f"from {how}")
    said = masks.faults(data, record) if save else []
    if json:
        told = [{"share": float(one.mask.mean()), "score": one.score} for one in found]
        print_json({"proposals": told, "saved": save, "faults": said})
        return
    for number, one in enumerate(found, start=1):
        score = "" if one.score is None else f", score {one.score:.2f}"
        kept = ", saved" if save and number == (choose or 1) else ""
        first = f"{sample}: " if len(found) == 1 else f"{sample}, mask {number}: "
        print(f"{first}{one.mask.mean():.1%} of the picture{score}{kept}")
    for why in said:
        print(f"look at it: {why}")


def review(
    folder: DirArg,
    sample: SampleArg,
    verdict: Annotated[str, typer.Argument(help="accept, reject or flag (for an expert).")],
    who: Annotated[str, typer.Option("--who", help="Who reviews: a pseudonym.")],
    expert: Annotated[bool, typer.Option("--expert", help="They are an expert for it.")] = False,
    comment: Annotated[str, typer.Option("--comment", help="Why.")] = "",
    json: JsonOpt = False,
) -> None:
    """Review a sample as it is now. Two people do so without seeing each other's verdict."""
    from editgauge.cli.common import print_json
    from editgauge.curation import review as reviews
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    version = data.record(sample).version
    made = reviews.review(data, sample, version, verdict, who, comment=comment, expert=expert)
    left = reviews.lacking(made, data.about.policy)
    if json:
        print_json({"sample": sample, "state": made.state, "lacking": left})
        return
    print(f"{sample}: {made.state}" + (f" ({'; '.join(left)})" if left else ""))

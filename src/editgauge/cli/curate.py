"""`editgauge curate …`: a data set of one's own, from pictures to a release. The page that `curate
DIR` opens does most; here is what is done to many samples at once, or by a script.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import to_builtins

from editgauge.cli import output
from editgauge.cli.options import Count, Json, Many, Settings, at_least, group
from editgauge.errors import UsageError

app = group("curate", "Make a data set: curate DIR opens it in the browser.")

DirArg = Annotated[Path, Parameter(help="The folder of the data set.")]
SampleArg = Annotated[str, Parameter(help="The id of a sample.")]
SamplesArg = Annotated[tuple[str, ...], Parameter(help="Ids of samples.", negative=())]
WhoOpt = Annotated[str, Parameter(help="Who does it, as the log has it: a pseudonym.")]
OcrOpt = Annotated[
    str, Parameter(help="The engine that reads texts: rapidocr, paddleocr… or none.")
]
WHO = "command-line"
"""Whom the log names where nobody is named."""
_LAYOUTS = ("texteditbench", "textedit", "medebench", "krisbench")


@app.default
def serve(
    folder: DirArg,
    /,
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, at_least(0)] = 8600,
    allow_host: Many = (),
    ocr: OcrOpt = "rapidocr",
) -> None:
    """Open a data set in the browser until interrupted: every change is on the disk at once.

    A link for `owner` is made anew and printed; others are invited with `curate invite`. Listens on
    this machine only, unless --host says otherwise; then put it behind HTTPS.

    Parameters
    ----------
    host
        The address to listen at.
    allow_host
        A name by which browsers reach this server; may be repeated.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.review import owner_link
    from editgauge.curation.server import Workbench
    from editgauge.web.pages import serve as run

    data = DataSet(folder)
    with data.log:
        link = owner_link(data, f"http://{host}:{port}")
        bench = Workbench(data, ocr=ocr, weights=None)
        print(f"data set {data.about.name}: http://{host}:{port} (stop with Ctrl-C)", flush=True)
        print(f"owner: {link}", flush=True)
        run(bench.application([host, *allow_host]), host=host, port=port)
    print("stopped; every change is kept: run the same command again to go on")


@app.command
def add(
    folder: DirArg,
    pictures: Annotated[
        tuple[Path, ...], Parameter(help="Files or folders; DICOM as well.", negative=())
    ],
    /,
    *,
    references: Path | None = None,
    align: str = "affine",
    set_: Annotated[Many, Parameter(name="--set")] = (),
    longest: Annotated[int, at_least(0)] = 0,
    window: str = "file",
    frames: str = "middle",
    ocr: OcrOpt = "rapidocr",
    keep_names: bool = False,
    who: WhoOpt = WHO,
    json: Json = False,
) -> int:
    """Take pictures in, a sample each, without their metadata; with --references pairs, of which
    each reference is brought onto its input. Texts burnt into scans are proposed to be hidden.

    Exit code 1: something could not be taken in or does not fit; the others were taken in.

    Parameters
    ----------
    references
        The reference of an input, or a folder of them with the same names.
    align
        Of references: affine, or none (of one size).
    set_
        NAME=VALUE of every new sample, may be repeated: split, category (broad to narrow:
        Lung/remove), protocol, url, licence, consent, or any attribute.
    longest
        Scale larger pictures to this longest side; 0: none.
    window
        Of scans: file, file:2, full, CENTRE,WIDTH, or for CT brain, lung, bone…
    frames
        Of scans with several: first, middle, last, all, or 1,5,20-40:4.
    keep_names
        Names of files become ids; they leave with the set.
    """
    from editgauge.curation import intake
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.privacy import engine_of

    how = intake.Intake(
        who=who,
        longest=longest,
        fields=_fields(set_),
        align=align,
        window=window,
        frames=frames,
        engine=engine_of(ocr),
        keep_names=keep_names,
    )
    data = DataSet(folder)
    with output.progress(json) as show:
        if references is None:
            taken = intake.add(data, pictures, how, show)
        elif len(pictures) == 1:
            taken = intake.pair(data, pictures[0], references, how, show)
        else:
            raise UsageError("--references: wanted one input, or one folder of them")
    for item in taken:
        if not item.sample and not json:
            output.note(f"not taken in: {item.said}")
    lines = [f"{one.sample}{': ' if one.said else ''}{one.said}" for one in taken if one.sample]
    lines.append(f"{len(lines)} of {len(taken)} taken in; next: editgauge curate {folder}")
    output.emit([item._asdict() for item in taken], lines, json)
    return 0 if all(item.sample for item in taken) else 1


def _fields(pairs: Sequence[str]) -> dict[str, Any]:
    from editgauge.curation.fields import fields_of

    given = Settings.of(pairs)
    source = {name: given.pop(name) for name in ("url", "licence", "consent") if name in given}
    split, category = given.pop("split", ""), given.pop("category", "")
    protocol = given.pop("protocol", "")
    attributes = [f"{name}={value}" for name, value in given.items()]
    return fields_of(split, category, protocol, source, attributes)


@app.command(name="set")
def set_fields(
    folder: DirArg,
    sample: Annotated[str, Parameter(help="The id of a sample, or . for the set as a whole.")],
    fields: Annotated[
        tuple[str, ...],
        Parameter(
            help="NAME=VALUE: any field or attribute of the sample (instruction, split, category "
            "broad/narrow, source.licence, state…); of the set title, description, licence, "
            "protocol, required, reviews, expert. Empty takes it out.",
            negative=(),
        ),
    ],
    /,
    *,
    note: Annotated[str, Parameter(help="Why; kept in the log.")] = "",
    who: WhoOpt = WHO,
    json: Json = False,
) -> None:
    """Set what is known of a sample, or of the whole set."""
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import set_words

    made = set_words(DataSet(folder), sample, fields, who, note=note)
    output.emit(to_builtins(made), [f"{sample}: version {made.version}"], json)


@app.command
def propose(
    folder: DirArg,
    samples: SamplesArg = (),
    /,
    *,
    ocr: OcrOpt = "rapidocr",
    who: WhoOpt = WHO,
    json: Json = False,
) -> None:
    """Look for texts and faces in pictures and propose to hide them; a person decides in the
    browser.
    """
    from editgauge.curation import privacy
    from editgauge.curation.dataset import DataSet

    data, engine = DataSet(folder), privacy.engine_of(ocr)
    ids = list(samples) or [record.id for record in data.records()]
    found: dict[str, int] = {}
    with output.progress(json) as show:
        for number, identity in enumerate(ids):
            show(number, len(ids), "looking at pictures")
            found[identity] = privacy.search(data, identity, who, engine=engine, weights=None)
        show(len(ids), len(ids), "looking at pictures")
    total = output.counted(sum(found.values()), "proposal")
    lines = [f"{identity}: {count} to look at" for identity, count in found.items() if count]
    lines.append(f"{total} in {output.counted(len(ids), 'sample')}")
    output.emit(found, [*lines, f"next: editgauge curate {folder}"], json)


@app.command
def mask(
    folder: DirArg,
    sample: SampleArg,
    /,
    *,
    how: Annotated[str, Parameter(name="--from")] = "difference",
    box: str = "",
    choose: Count | None = None,
    name: Annotated[str, Parameter(help="input, second or roi.")] = "input",
    save: Annotated[bool, Parameter(help="Keep it; else only say its size.")] = False,
    ocr: OcrOpt = "rapidocr",
    who: WhoOpt = WHO,
    json: Json = False,
) -> None:
    """Propose a mask, and say what the reference changes outside of it.

    Parameters
    ----------
    how
        difference (of the pair), text (quoted), box; by networks: segment (Segment Anything, of a
        box or click), words (Grounded-SAM, of the sample's concept, else its instruction): these
        propose three masks, to be looked at in the browser or chosen here.
    box
        LEFT,TOP,WIDTH,HEIGHT of an object; X,Y,0,0 is a click.
    choose
        Of several masks, from 1.
    """
    from editgauge.curation import masks, privacy
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import box_of

    data = DataSet(folder)
    record = data.record(sample)
    engine = privacy.engine_of(ocr) if how == "text" else None
    found = masks.propose(data, record, how, box=box_of(box), engine=engine, weights=None)
    if save:
        made = masks.chosen(found, choose)
        record = masks.save(data, sample, record.version, name, made, who, note=f"from {how}")
    said = masks.faults(data, record) if save else []
    lines = []
    for number, one in enumerate(found, start=1):
        score = "" if one.score is None else f", score {one.score:.2f}"
        kept = ", saved" if save and number == (choose or 1) else ""
        first = f"{sample}: " if len(found) == 1 else f"{sample}, mask {number}: "
        lines.append(f"{first}{one.mask.mean():.1%} of the picture{score}{kept}")
    lines += [f"look at it: {why}" for why in said]
    told = [{"share": float(one.mask.mean()), "score": one.score} for one in found]
    output.emit({"proposals": told, "saved": save, "faults": said}, lines, json)


@app.command
def review(
    folder: DirArg,
    sample: SampleArg,
    verdict: Annotated[str, Parameter(help="accept, reject or flag (for an expert).")],
    /,
    *,
    who: Annotated[str, Parameter(help="Who reviews: a pseudonym.")],
    expert: Annotated[bool, Parameter(help="They are an expert for it.")] = False,
    comment: Annotated[str, Parameter(help="Why.")] = "",
    json: Json = False,
) -> None:
    """Review a sample as it is now. Two people do so without seeing each other's verdict."""
    from editgauge.curation import review as reviews
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    version = data.record(sample).version
    made = reviews.review(data, sample, version, verdict, who, comment=comment, expert=expert)
    left = reviews.lacking(made, data.about.policy)
    line = f"{sample}: {made.state}" + (f" ({'; '.join(left)})" if left else "")
    output.emit({"sample": sample, "state": made.state, "lacking": left}, [line], json)


@app.command
def invite(
    folder: DirArg,
    name: Annotated[str, Parameter(help="A pseudonym.")],
    /,
    *,
    expert: Annotated[bool, Parameter(help="May accept samples that need an expert.")] = False,
    revoke: Annotated[bool, Parameter(help="Make the link useless; what was done stays.")] = False,
    base: Annotated[str, Parameter(help="How links begin.")] = "http://127.0.0.1:8600",
    json: Json = False,
) -> None:
    """Make a personal link for somebody, or make it useless; it is shown once and kept nowhere."""
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.review import EXPERT

    data = DataSet(folder)
    if revoke:
        data.log.revoke(name)
        output.emit({"name": name, "revoked": True}, [f"{name}: link revoked"], json)
        return
    link = f"{base.rstrip('/')}/a/{data.log.invite(name, EXPERT if expert else '')}"
    output.emit({"name": name, "link": link, "expert": expert}, [f"{name}: {link}"], json)


@app.command
def withdraw(
    folder: DirArg,
    samples: SamplesArg,
    /,
    *,
    why: Annotated[str, Parameter(help="Kept in the log.")] = "",
    erase: Annotated[bool, Parameter(help="Delete their pictures from the folder.")] = False,
    who: WhoOpt = WHO,
    json: Json = False,
) -> None:
    """Take samples out of the set: they are shown, counted, scored and exported no longer. They
    stay in the log; `curate set DIR SAMPLE state=draft` brings them back, but not after --erase.
    """
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    for identity in samples:
        data.record(identity)  # all are there, or nothing is done
    for identity in samples:
        data.withdraw(identity, who, why=why, erase=erase)
    states = dict.fromkeys(samples, "withdrawn")
    output.emit(states, [f"{identity}: withdrawn" for identity in samples], json)


@app.command
def log(
    folder: DirArg,
    /,
    *,
    sample: Annotated[str, Parameter(help="Only of this one.")] = "",
    json: Json = False,
) -> None:
    """Print every change ever made, oldest first; what is damaged is named."""
    from editgauge.curation.dataset import DataSet

    data = DataSet(folder)
    events = [event for event in data.events() if not sample or event.item == sample]

    def lines() -> Iterator[str]:
        for event in events:
            names = ", ".join(sorted(event.after))[:120]
            note = f" ({event.note})" if event.note else ""
            at = datetime.fromtimestamp(event.at, UTC).isoformat(" ", "seconds")
            yield f"{at}  {event.who}  {event.what}  {event.item}  {names}{note}"
        yield output.counted(len(events), "event")

    output.emit([event._asdict() for event in events], lines(), json)
    for problem in () if json else data.log.problems:
        output.note(f"damaged: {problem}")


@app.command
def ready(
    folder: DirArg,
    /,
    *,
    layout: Annotated[
        str, Parameter(help="For this one: a benchmark's official layout, or imagefolder.")
    ] = "",
    ocr: OcrOpt = "none",
    json: Json = False,
) -> int:
    """Say what keeps samples from being exported. Exit code 1: there is something."""
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
    back = len({fault.sample for fault in found})
    of = f" for {layout}" if layout else "; a layout may ask for more: --layout NAME"
    lines = [f"the set: {why}" for why in whole]
    lines += [f"{fault.sample}: {fault.why}" for fault in found]
    lines.append(f"{len(records) - back} of {len(records)} samples are ready{of}")
    told = [{"sample": "", "why": why} for why in whole] + [fault._asdict() for fault in found]
    output.emit({"faults": told}, lines, json)
    return int(bool(found or whole))


@app.command
def export(
    folder: DirArg,
    /,
    *,
    to: Path,
    layout: str = "",
    version: str = "",
    ready_only: bool = False,
    ocr: OcrOpt = "",
    who: WhoOpt = WHO,
    json: Json = False,
) -> int:
    """Write the set in an official layout, so that its scripts run on it, or Hugging Face's; or a
    version as one zip file with checksums, a card, and what changed since the last one: which old
    scores stay comparable. Nothing is written while a sample may not leave.

    Exit code 1: samples were left out.

    Parameters
    ----------
    to
        A new or an empty folder; with --version the zip file.
    layout
        texteditbench, textedit, medebench, krisbench or imagefolder.
    version
        Three numbers: 1.0.0.
    ready_only
        Leave out samples that are not ready.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.exports import export as write
    from editgauge.curation.readiness import engine_for_scans
    from editgauge.curation.releases import release

    if bool(layout) == bool(version):
        raise UsageError("wanted --layout (a folder) or --version (a release in a zip file)")
    data = DataSet(folder)
    engine = engine_for_scans(data, ocr)
    if version:
        told = release(data, to, version, ready_only=ready_only, engine=engine, who=who)
        output.emit(told, [f"version {version}: {to}", *_changed(told)], json)
        return 0
    done = write(data, to, layout, ready_only=ready_only, engine=engine, who=who)
    lines = [f"{output.counted(done.samples, 'sample')}: {to}"]
    lines += [f"left out: {fault.sample}: {fault.why}" for fault in done.left_out]
    lines += [f"next:  editgauge check {layout} {to}"] if layout in _LAYOUTS else []
    left = [fault._asdict() for fault in done.left_out]
    output.emit({"folder": str(to), "samples": done.samples, "left_out": left}, lines, json)
    return 1 if left else 0


def _changed(told: Mapping[str, Any]) -> Iterator[str]:
    if told["since"] is None:
        yield "the first release"
        return
    counts = ", ".join(f"{len(told[name])} {name}" for name in ("added", "removed", "changed"))
    yield f"since {told['since']}: {counts}"
    for track, state in told["comparable"].items():
        if state["whole_set"]:
            yield f"{track}: old scores and means stay comparable"
        else:
            yield (
                f"{track}: old scores of {len(state['not_comparable'])} samples are of something "
                f"else; compare means over the samples that both versions have and that did not "
                f"change"
            )

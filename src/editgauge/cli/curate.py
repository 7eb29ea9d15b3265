"""`editgauge curate …`: a data set of one's own, from pictures to a release. The page that `curate
DIR` opens does most; here is what is done to many samples at once, or by a script.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from msgspec import to_builtins

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.errors import UsageError
from editgauge.web.addresses import DEFAULT_PORT, LOCAL

if TYPE_CHECKING:
    from editgauge.curation.dataset import DataSet

app = opt.group("curate", "Make a data set: curate DIR opens it in the browser.")

DirArg = Annotated[Path, Parameter(help="The folder of the data set.")]
WhoOpt = Annotated[str, Parameter(help="Who does it, as the log has it: a pseudonym.")]
OcrOpt = Annotated[
    str, Parameter(help="The engine that reads texts: rapidocr, paddleocr… or none.")
]
WHO = "command-line"
"""Whom the log names where nobody is named."""


@app.default
def serve(
    folder: DirArg,
    /,
    *,
    host: str = "127.0.0.1",
    port: opt.Whole = DEFAULT_PORT,
    allow_host: opt.Many = (),
) -> None:
    """Open a data set in the browser until interrupted: every change is on the disk at once.

    A link for `owner` is made anew and printed; others are invited with `curate invite`. Listens on
    this machine only, unless --host says otherwise; then put it behind HTTPS.

    Parameters
    ----------
    host
        The address to listen at.
    allow_host
        A further name by which browsers reach this server; may be repeated.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.review import owner_link
    from editgauge.curation.server import Workbench
    from editgauge.web import pages
    from editgauge.web.addresses import PLAIN_HTTP, is_local, names_of, url_of

    names = [*names_of(host), *allow_host]
    with DataSet(folder) as data, pages.listen(host, port) as place:
        address = url_of(names[0], place.getsockname()[1])
        facts = {
            "data_set": data.about.name,
            "address": address,
            "owner": owner_link(data, address),
        }
        notes = [] if is_local(names) else [PLAIN_HTTP]
        output.listed(facts, *notes, "stop with Ctrl-C")
        pages.serve(Workbench(data).application(names), place)
    output.said("stopped; every change is kept: run the same command again to go on")


@opt.options()
class Adding:
    references: Path | None = None
    "The reference of an input, or a folder of them with the same names."
    align: str = "affine"
    "Of references: affine, or none (of one size)."
    set: Annotated[opt.Many, Parameter(name="--set")] = ()
    """NAME=VALUE of every new sample, may be repeated: split, category (broad to narrow:
    Lung/remove), protocol, url, licence, consent, any other field, or attribute.NAME."""
    longest: opt.Whole = 0
    "Scale larger pictures to this longest side; 0: none."
    window: Annotated[str, Parameter(allow_leading_hyphen=True)] = "file"
    "Of scans: file, full, or CENTRE,WIDTH."
    frames: str = "middle"
    "Of scans with several: middle, all, or 1,5,20."
    ocr: OcrOpt = "rapidocr"
    keep_names: bool = False
    "Names of files become ids; they leave with the set."


@app.command
@modes(
    mode("--references", "DIR", "before.png", "--references", "after.png"),
    mode(
        "no pictures",
        "DIR",
        chosen=lambda words: not words.has("PICTURES"),
        uses="FOLDER --ocr",
    ),
    mode("pictures", "DIR", "before.png", leaves="--align"),
)
def add(folder: DirArg, pictures: tuple[Path, ...] = (), /, *, asked: Adding = Adding()) -> int:
    """Take pictures in, a sample each, without their metadata; with --references pairs, of which
    each reference is brought onto its input. Texts and faces are proposed to be hidden. Without
    pictures: search those of the set that were taken in without an OCR engine.

    Exit code 1: something could not be taken in or does not fit; the others were taken in.

    Parameters
    ----------
    pictures
        Pictures, DICOM files, folders of them.
    """
    from editgauge.curation import fields, intake, privacy
    from editgauge.curation.dataset import DataSet
    from editgauge.store.selection import settings

    if asked.references is not None and len(pictures) != 1:
        raise UsageError("--references: wanted one input, or one folder of them")
    how = intake.Intake(
        who=WHO,
        longest=asked.longest,
        fields=fields.fields_of(settings(asked.set)),
        align=asked.align,
        window=asked.window,
        frames=asked.frames,
        engine=privacy.engine_of(asked.ocr),
        keep_names=asked.keep_names,
    )
    with DataSet(folder) as data, output.progress() as show:
        if asked.references is not None:
            taken = intake.pair(data, pictures[0], asked.references, how, show)
        elif pictures:
            taken = intake.add(data, pictures, how, show)
        else:
            rest = [r.id for r in data.records() if not all(r.facts(p).searched for p in r.shown)]
            proposals = privacy.search(data, rest, WHO, engine=how.engine, progress=show)
            taken = [intake.Taken("", name, f"{n} to look at") for name, n in proposals.items()]
    facts = {"taken": [item._asdict() for item in taken]}
    output.listed(facts, f"next:  editgauge curate {folder}")
    return int(not all(item.sample for item in taken))


@app.command(name="set")
def set_fields(
    folder: DirArg, sample: str, fields: tuple[str, ...], /, *, note: str = "", who: WhoOpt = WHO
) -> None:
    """Set what is known of a sample, or of the whole set; draw its mask, review it, withdraw it.

    Parameters
    ----------
    sample
        The id of a sample, or . for the set as a whole.
    fields
        NAME=VALUE. Of a sample any field or attribute (instruction, category broad/narrow,
        licence…; empty takes it out), reference=FILE (aligned to the input; with align=none as it
        is), mask=difference or mask=FILE (mask.roi, mask.second),
        originals=delete (pictures as they were before a reviewer hid something in them),
        review=accept|reject|flag, state=draft|withdrawn|erased (its pictures are deleted),
        rename=ID (empty: a neutral one). Of the set title, description, licence, protocol,
        required, reviews, expert.
    note
        Why; kept in the log, and with a review.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.fields import set_words

    with DataSet(folder) as data:
        output.listed(to_builtins(set_words(data, sample, fields, who, note=note)))


@app.command
@modes(
    mode("--revoke", "DIR", "ann", "--revoke", leaves="--expert --base"),
    mode("", "DIR", "ann"),
)
def invite(
    folder: DirArg,
    name: str,
    /,
    *,
    expert: bool = False,
    revoke: bool = False,
    base: str = LOCAL,
) -> None:
    """Make a personal link for somebody, or make it useless; it is shown once and kept nowhere.

    Parameters
    ----------
    name
        A pseudonym.
    expert
        May accept samples that need an expert.
    revoke
        Make the link useless; what was done stays.
    base
        How links begin.
    """
    from editgauge.curation.dataset import DataSet
    from editgauge.curation.review import EXPERT

    with DataSet(folder) as data:
        if revoke:
            data.log.revoke(name)
            output.listed({"name": name, "revoked": True})
            return
        link = f"{base.rstrip('/')}/a/{data.log.invite(name, EXPERT if expert else '')}"
        output.listed({"name": name, "link": link, "expert": expert})


@app.command
def log(folder: DirArg, /) -> None:
    """Print every change ever made, oldest first; what is damaged is named."""
    from editgauge.curation.dataset import DataSet

    with DataSet(folder) as data:
        events = data.events()
        shown = [
            {"at": datetime.fromtimestamp(one.at, UTC).isoformat(" ", "seconds"), "by": one.who,
             "what": one.what, "sample": one.item, "fields": ", ".join(one.after), "note": one.note}
            for one in events
        ]  # fmt: skip
        facts = {"events": [event._asdict() for event in events], "damaged": data.log.problems}
    output.emit(facts, output.pairs({"events": shown, "damaged": facts["damaged"]}, most=None))


@opt.options()
class Exporting:
    to: Path | None = None
    "A new or an empty folder; with --version the zip file."
    layout: str = ""
    "texteditbench, textedit, medebench or krisbench."
    version: str = ""
    "Three numbers: 1.0.0."
    ready_only: bool = False
    "Leave out samples that are not ready."
    ocr: OcrOpt = ""


@app.command
@modes(
    mode(
        "no --to",
        "DIR",
        chosen=lambda words: not words.has("--to"),
        uses="FOLDER --layout --ocr",
    ),
    mode("--to", "DIR", "--to", "OUT"),
)
def export(folder: DirArg, /, *, asked: Exporting = Exporting()) -> int:
    """Write the set in an official layout, so that its scripts run on it; or a version as one zip
    file with checksums, a card, and what changed since the last one. Nothing is
    written while a sample may not leave. Without --to: only say what keeps samples back.

    Exit code 1: samples are kept back.
    """
    from editgauge.curation import exports, review
    from editgauge.curation.dataset import DataSet

    to, layout = asked.to, asked.layout
    with DataSet(folder) as data:
        exports.need_layout(layout)
        engine = review.engine_for_scans(data, asked.ocr)
        if to is None:
            return _ready(data, layout, engine)
        if bool(layout) == bool(asked.version):
            raise UsageError("wanted --layout (a folder) or --version (a release in a zip file)")
        how: dict[str, Any] = {"engine": engine, "who": WHO, "ready_only": asked.ready_only}
        if asked.version:
            release = exports.release(data, to, asked.version, **how)
            output.listed(release, *([_CHANGED] if release["since"] else []))
            return 0
        samples, withheld = exports.export(data, to, layout, **how)
    left = [fault._asdict() for fault in withheld]
    facts = {"folder": str(to), "samples": samples, "left_out": left}
    output.listed(facts, f"next:  editgauge check {layout} {to}")
    return int(bool(left))


_CHANGED = (
    "scores of changed samples are of something else: compare means over the samples that both "
    "versions have and that did not change"
)


def _ready(data: DataSet, layout: str, engine: Any) -> int:
    """Say what keeps samples from leaving."""
    from editgauge.curation.review import faults, of_set

    records, layout = data.records(), layout or data.about.protocol
    kept = faults(data, records, layout, engine=engine)
    ready = len(records) - len({fault.sample for fault in kept})
    reasons = [{"sample": "the set", "why": why} for why in of_set(data)]
    reasons += [{"sample": fault.sample, "why": fault.why} for fault in kept]
    of = f" for {layout}" if layout else "; a layout may ask for more: --layout NAME"
    output.listed({"faults": reasons}, f"{ready} of {len(records)} samples are ready{of}")
    return int(bool(reasons))

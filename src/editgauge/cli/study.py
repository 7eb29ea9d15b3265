"""`editgauge study …`: ratings by people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.errors import UsageError
from editgauge.web.addresses import DEFAULT_PORT, LOCAL

if TYPE_CHECKING:
    from editgauge.study.agreement import Agreement

app = opt.group("study", "Ratings by people: collect, import, export, agree.")

StudyOpt = Annotated[str, Parameter(name="--study", help="Which, where the run has several.")]
BaseOpt = Annotated[str, Parameter(name="--base", help="How links begin.")]


@opt.options()
class Starting:
    annotators: str = "2"
    "How many, or pseudonyms joined by commas: ann,ben,cy."
    benchmark: opt.OnlyBenchmark = ""
    base: BaseOpt = LOCAL
    estimate: bool = False
    "Only check the design and say what it takes: tasks, load, samples for an interval's width."
    width: Annotated[float, opt.at_least(0.001)] = 0.5
    "With --estimate: full width of the 95 % interval that is wanted."


@app.command
@modes(
    mode("--estimate", "RUN", "DESIGN.toml", "--estimate", leaves="--base"),
    mode("", "RUN", "DESIGN.toml", leaves="--width"),
)
def start(run: opt.RunArg, design: Path, /, *, asked: Starting = Starting()) -> None:
    """Start a study: assign the samples and print each annotator's personal link, once.

    Links are kept nowhere (only their hashes are): store them, or invite again. The study of a run
    on a store stays on the machine that starts it, and its ratings go to the store.

    Parameters
    ----------
    design
        The study's design, a TOML file.
    """
    from editgauge.store.remote import fetched
    from editgauge.store.run import Run
    from editgauge.study.studies import begin, designed, pseudonyms_of

    people, place = pseudonyms_of(asked.annotators), opt.place_of(run)
    if asked.estimate:
        from editgauge.study.planning import planned

        folder = Run.open(fetched(run))
        with output.warned(folder):
            facts = planned(folder, design, len(people), asked.width, asked.benchmark)
        following = f"editgauge study start {place} {design} --annotators {len(people)}"
        output.listed(facts, f"next:  {following}")
        return
    with opt.run_there(run) as folder:
        plan, outputs = designed(folder, design, asked.benchmark)
        tokens = begin(folder, plan, outputs, people)
        _print_links(tokens, asked.base, study=plan.name, samples=len(plan.drawn))
    output.said(f"next:  editgauge study serve {place} --study {plan.name}")


def _print_links(tokens: dict[str, str], base: str, **facts: Any) -> None:
    """Print each annotator's link, `base` and the token, beside what was started."""
    links = {name: _link(base, token) for name, token in tokens.items()}
    output.emit({**facts, "links": links}, output.pairs({**facts, **links}))


@app.command
def serve(
    run: opt.RunArg,
    /,
    *,
    study: StudyOpt = "",
    host: str = "127.0.0.1",
    port: opt.Whole = DEFAULT_PORT,
    allow_host: opt.Many = (),
    lan: bool = False,
) -> None:
    """Serve a study to its annotators until interrupted; answers are on the disk at once.

    Listens on this machine only, unless --lan or --host says otherwise. Of a run on a store the
    ratings go there at the end.

    Parameters
    ----------
    host
        The address to listen at.
    allow_host
        A further name by which browsers reach this server; may be repeated.
    lan
        Listen in the local network, and print a new personal link for each annotator; older links
        end.
    """
    from editgauge.study.studies import application_of, collect, new_links
    from editgauge.web import pages
    from editgauge.web.addresses import EVERYWHERE, PLAIN_HTTP, is_local, names_of, url_of

    if lan and host == "127.0.0.1":
        host = EVERYWHERE[0]
    names = [*names_of(host), *allow_host]
    with opt.run_there(run) as folder:
        served = application_of(folder, study, names)
        with served as (plan, application), pages.listen(host, port) as place:
            address = url_of(names[0], place.getsockname()[1])
            facts: dict[str, Any] = {"study": plan.name, "address": address}
            if lan:
                tokens = new_links(folder, study)
                facts |= {name: _link(address, token) for name, token in tokens.items()}
            else:
                facts["links"] = f"{address}/a/…, as study start printed them"
            notes = [] if is_local(names) else [PLAIN_HTTP]
            output.listed(facts, *notes, "stop with Ctrl-C")
            pages.serve(application, place)
        done = collect(folder)
    new = output.counted(done.new + done.changed, "new rating")
    output.said(f"{new}; next: editgauge study agree {opt.place_of(run)}")


def _link(base: str, token: str) -> str:
    return f"{base.rstrip('/')}/a/{token}"


@app.command
def status(run: opt.RunArg, /, *, study: StudyOpt = "") -> None:
    """Say how far each annotator is, and who passed the attention checks; take ratings in."""
    from editgauge.study.studies import state_of

    with opt.run_there(run) as folder:
        output.listed(state_of(folder, study))


@app.command
@modes(
    mode("--revoke", "RUN", "ann", "--revoke", leaves="--base"),
    mode("", "RUN", "ann"),
)
def invite(
    run: opt.RunArg,
    pseudonym: str,
    /,
    *,
    study: StudyOpt = "",
    base: BaseOpt = LOCAL,
    revoke: bool = False,
) -> None:
    """Add an annotator, who takes over what others leave undone, and print the personal link; or
    make a link useless.

    Parameters
    ----------
    pseudonym
        Of the annotator.
    revoke
        Make the annotator's link useless; others take over open samples, answers stay.
    """
    from editgauge.study.studies import study_path
    from editgauge.web.log import Log

    with opt.run_there(run) as folder, Log(study_path(folder, study)) as log:
        if not revoke:
            _print_links({pseudonym: log.invite(pseudonym)}, base)
            return
        log.revoke(pseudonym)
    output.listed({"revoked": pseudonym}, "open samples go to whoever is finished")


@opt.options()
class Reading:
    benchmark: opt.OnlyBenchmark = ""
    scale: str = ""
    "rank, 1-5 or good-fair-poor, where no column says so."
    question: str = "overall"
    "What was asked, where the file has no such column."
    anonymise: bool = False
    "Replace annotators' names by pseudonyms."


@app.command(name="import")
def import_file(run: opt.RunArg, file: Path, /, *, asked: Reading = Reading()) -> None:
    """Take in ratings that were made elsewhere.

    Headings: sample, annotator, then editor and value, or a column for each editor, or editor_a,
    editor_b, winner; question, repeat, comment and scale if there are any. Nothing is written when
    a line does not fit. The same file may be imported again.

    Parameters
    ----------
    file
        Ratings as csv, UTF-8.
    """
    from editgauge.study.ratings import import_ratings, known_of, salt_of
    from editgauge.study.reading import read_ratings

    with opt.run_there(run) as folder:
        known = known_of(folder, asked.benchmark)
        salt = salt_of(folder) if asked.anonymise else ""
        how = {"scale": asked.scale, "question": asked.question, "salt": salt}
        rows = read_ratings(file, known, **how)
        done = import_ratings(folder, rows)
        scales = {row.scorer.removeprefix("human.") for row in rows}
        about = {"scale": ", ".join(sorted(scales)), "annotators": len({r.source for r in rows})}
        facts = {"benchmark": known.benchmark, **about, **done._asdict()}
        folder.record("study import", file=file.name, **facts)
    output.listed(facts, f"next:  editgauge study agree {opt.place_of(run)}")


@app.command
def export(run: opt.RunArg, file: Path, /, *, benchmark: opt.OnlyBenchmark = "") -> None:
    """Write the run's ratings as csv, a line for each, which `study import`, spreadsheets and
    pandas read.

    Parameters
    ----------
    file
        The csv file to write.
    """
    from editgauge.images import write_bytes
    from editgauge.study import ratings as table
    from editgauge.study.studies import collect

    with opt.run_there(run) as folder:
        collect(folder)
        ratings = table.ratings_of(folder, benchmark)
    if not ratings:
        raise UsageError(f"{run.name}: no ratings to export; see: editgauge study import --help")
    write_bytes(file, table.export(ratings).encode())
    output.listed({"ratings": len(ratings), "file": str(file)})


@app.command
def agree(
    runs: opt.RunsArg,
    /,
    *,
    benchmark: opt.OnlyBenchmark = "",
    every: Annotated[bool, Parameter(name="--all")] = False,
    form: opt.Format = "terminal",
) -> None:
    """Agreement of annotators with each other and with themselves, and of every metric with them.

    Begins with one sentence; one statistic of each kind follows. Every number has an
    interval over samples, with the number of annotators and samples beside it.

    Parameters
    ----------
    every
        Every statistic, not one of each kind.
    """
    from editgauge.cli.table import print_each
    from editgauge.tables.draw import as_json

    found = _agreements(runs, benchmark, brief=not every)
    if form == "json":
        facts = [{**one._asdict(), "tables": [*map(as_json, one.tables)]} for one in found]
        output.print_json({"agreements": facts})
        return
    for one in found if form in ("terminal", "markdown") else ():
        print(f"{one.benchmark}: {one.sentence}\n")
    print_each((table for one in found for table in one.tables), form)


def _agreements(runs: Sequence[Path], benchmark: str, *, brief: bool) -> list[Agreement]:
    """The agreement of each benchmark that people rated."""
    from editgauge.study.agreement import agreement
    from editgauge.study.studies import collect
    from editgauge.tables import rows

    opened = rows.open_runs(runs)
    with output.warned(*opened):
        for one in opened:
            collect(one)
        frames = [f for f in rows.read(opened, benchmark) if len(f.only_people())]
        if not frames:
            raise UsageError(
                "nobody has rated anything; import ratings first: "
                f"editgauge study import {opt.place_of(runs[0])} ratings.csv"
            )
        return [agreement(frame, brief=brief) for frame in frames]

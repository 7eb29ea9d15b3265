"""`editgauge import, merge, costs`: what comes into a run, where it goes, what it has cost."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import Words, mode, modes
from editgauge.errors import UsageError
from editgauge.escape import plain
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.run.material import Material
    from editgauge.store.manifest import Columns
    from editgauge.store.patterns import Matches
    from editgauge.types import Sample

PAID = "paid.sqlite"


# -- import ----------------------------------------------------------------------------------------


@opt.options()
class Taking:
    source: Annotated[Path, Parameter(name="--from")]
    """A folder with one editor's outputs, or with one for each editor (EDITOR's is taken), or what
    a released script wrote: a file or a folder."""
    run: opt.RunOpt = opt.RUN
    editor: str = ""
    "Whose they are, where the files do not say."
    model: str = ""
    "The judge that the released script asked: its files are taken in as that judge's scores."
    repeat: opt.Count = 1
    """With --model: which run of the judge these scores are, from 1. Folders run1, run2… and files
    that end so say it themselves."""
    pattern: str = ""
    """Path of an output below the folder. Fields: {id}, {flat}, {name}, {number}, {stem}, {image},
    {split}, {category}, {category1}…, {folder}, {folder1}… of the official output name,
    attributes, {place:03} in the order of the metadata (from 1; {place0}: from 0); {editor} where
    all models lie in one folder; * for any text. Default: what the names prove."""
    map: opt.MapOpt = None
    column: opt.ColumnOpt = ()
    to: Path | None = None
    "Copy the matched outputs to TO/<editor>/… in official naming. Else: look."


def _takes_scores(words: Words) -> bool:
    """Whether `import` is asked for scores."""
    if any(words.has(name) for name in _OF_OUTPUTS.split()):
        return False
    source = words.first("--from")
    return words.has("--model") or (bool(source) and not _has_pictures(Path(source)))


_OF_OUTPUTS = "--pattern --map --to"
_LOOK = ("mini", "--from", "OUT")


@modes(
    mode(
        "files of scores",
        *("mini", "--from", "SCORES", "--model", "gpt-4o-2024-11-20"),
        chosen=_takes_scores,
        leaves=f"{_OF_OUTPUTS} --column",
    ),
    mode("--map", *(*_LOOK, "--map", "NAMES.csv"), leaves="--run --model --pattern --repeat"),
    mode("outputs", *(*_LOOK, "--pattern", "{id}"), leaves="--run --model --column --repeat"),
)
def take_in(
    benchmark: opt.BenchmarkArg,
    data: opt.DataArg = None,
    /,
    *,
    asked: Taking,
    narrowing: opt.Narrowing = opt.Narrowing(),
) -> int:
    """Take in what other tools made: of pictures, show which sample each belongs to (with --to,
    copy them to their official names; the folder is not changed); of files of scores that a
    released script wrote, make rows of their own source. Nothing is computed or sent.

    Exit code 1: samples have no output.
    """
    source = asked.source
    outputs = asked.pattern or asked.map or asked.to or _has_pictures(source)
    if asked.model or not outputs:
        return _scores(narrowing.open(benchmark, data), source, asked)
    return _outputs(narrowing.open(benchmark, data), opt.typed(benchmark, data), asked)


def _has_pictures(folder: Path) -> bool:
    """Whether a folder holds pictures, or nothing that a script wrote."""
    from editgauge.images import EXTENSIONS

    suffixes = {path.suffix.lower() for path in folder.rglob("*") if path.is_file()}
    scores = suffixes & {".json", ".jsonl", ".csv"} and suffixes.isdisjoint(EXTENSIONS)
    return folder.is_dir() and not scores


def _outputs(material: Material, typed: str, asked: Taking) -> int:
    """Show the sample of each output, and copy the outputs where `--to` says so."""
    from editgauge.store.manifest import Columns

    columns = Columns.of(asked.column)
    together = _together(material, asked, columns)
    if (asked.to is None) != (not asked.editor) and not (asked.to and together):
        raise UsageError("--to and --editor: wanted both, or neither to only look")
    if together:
        return _of_several(material, typed, asked, together, columns)
    return _of_one(material, typed, asked, columns)


def _together(material: Material, asked: Taking, columns: Columns) -> dict[str, Matches]:
    """Editor -> its outputs, where a pattern or a manifest names the editors of one folder."""
    from editgauge.store.manifest import editors_of_manifest
    from editgauge.store.matching import several_editors

    editors = [asked.editor] if asked.editor else []
    if asked.map is not None and columns.editor:
        return editors_of_manifest(asked.source, material.every, asked.map, columns, editors)
    return several_editors(asked.source, material.every, asked.pattern, editors)


def _of_several(
    material: Material, typed: str, asked: Taking, each: dict[str, Matches], columns: Columns
) -> int:
    """The outputs of several editors in one folder."""
    from editgauge.store.matching import deliver

    samples = material.samples
    found = {name: one.of(samples) for name, one in each.items()}
    counts = {name: len(one.named) for name, one in found.items()}
    first = next(iter(found.values()))
    used = {file for one in found.values() for some in one.files.values() for file in some}
    facts = {
        **first.as_dict(),
        "unexpected": [file for file in first.there if file not in used],
        "editors": counts,
        "matched_by_editor": {name: one.as_dict()["matched"] for name, one in found.items()},
        "copied": 0,
    }
    lines = [f"{first.folder}: {first.rule}", _counted_editors(counts)]
    for name, one in found.items():
        lines += [f"{name}:", *(f"  {sample}  <-  {file.relative_to(first.folder).as_posix()}"
                                for sample, file in [*one.named.items()][:2])]  # fmt: skip
    if facts["unexpected"]:
        lines.append(f"unexpected files: {len(facts['unexpected'])} (--json: all)")
    if asked.to is not None:
        for one in found.values():
            one.need_one_each()
        copied = [deliver(one.named, samples, asked.to, name) for name, one in found.items()]
        facts["copied"] = sum(copied)
        words = [str(asked.to)]
    else:
        words = [str(first.folder), *_rule_words(first, asked), *columns.words()]
    if not any(one.ambiguous for one in found.values()):
        lines.append(f"next:  editgauge score {typed} --outputs {shlex.join(words)} --run RUN")
    output.emit(facts, lines)
    return int(any(number < len(samples) for number in counts.values()))


def _counted_editors(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name} ({count})" for name, count in counts.items())
    return f"editors, each with so many samples: {shown}"


def _rule_words(matches: Matches, asked: Taking) -> list[str]:
    """What was matched by, as it is typed."""
    return ["--map", str(asked.map)] if asked.map else ["--pattern", matches.rule]


def _of_one(material: Material, typed: str, asked: Taking, columns: Columns) -> int:
    """The outputs of one editor, or of an editor in each folder."""
    from editgauge.store.matching import by_editor, matches_of

    samples, to = material.samples, asked.to
    own = asked.source / asked.editor  # where there is a folder for each editor, as in `score`
    source = own if own.is_dir() else asked.source
    matches = matches_of(source, material.every, asked.pattern, asked.map, columns)
    each = {} if to or asked.pattern else by_editor(matches, material.every)
    counts = {name: len(one.of(samples).named) for name, one in each.items()}
    matches = next(iter(each.values()), matches).of(samples)  # the first in detail
    facts, lines = {**matches.as_dict(), "copied": 0}, matches.lines()
    rule = [*_rule_words(matches, asked), *columns.words()]
    words = [str(matches.folder), *rule, "--editor", "NAME"]
    if counts:
        facts["editors"] = counts
        lines.append(_counted_editors(counts))
        words = [str(asked.source), *rule]
    elif to is not None:
        facts["copied"] = _copied(matches, samples, to, asked)
        words = [str(to), "--editor", asked.editor]
    if matches.named and not matches.ambiguous:
        lines.append(f"next:  editgauge score {typed} --outputs {shlex.join(words)} --run RUN")
    output.emit(facts, lines)
    return int(any(n < len(samples) for n in counts.values() or [len(matches.named)]))


def _copied(matches: Matches, samples: Sequence[Sample], to: Path, asked: Taking) -> int:
    """Copy the files to their official places; how many."""
    from editgauge.store.matching import deliver

    if matches.doubt:
        raise UsageError(f"{matches.folder}: no rule is proposed: {matches.doubt}; give --pattern")
    matches.need_one_each()
    if matches.beside[1:] and not asked.pattern:
        raise UsageError(
            f"{matches.folder}: the names tell no editor; those of one folder of several are taken "
            f"where you say so: --pattern {shlex.quote(matches.rule)}"
        )
    return deliver(matches.named, samples, to, asked.editor)


def _scores(material: Material, source: Path, asked: Taking) -> int:
    from editgauge.scoring.imports import import_scores

    bench = material.benchmark
    with opt.run_at(asked.run) as folder:
        replace(material, samples=[]).keep(folder)  # no picture is needed
        whose: JsonObject = {"judge": asked.model, "editor": asked.editor or None}
        whose["repeat"] = asked.repeat - 1
        imported = import_scores(folder, bench, source, material.samples, **whose)
        output.warn(folder)
        about = {"judge": asked.model} if asked.model else {}
        folder.record("import", benchmark=bench.name, file=source.name, rows=imported.rows, **about)
    facts = {"rows": imported.rows, "kept": imported.kept, "unknown": imported.unknown}
    following = f"editgauge table {opt.place_of(asked.run)} --benchmark {bench.name}"
    output.listed({**facts, "statuses": dict(imported.statuses)}, f"next:  {following}")
    return 0


# -- merge -----------------------------------------------------------------------------------------


def merge(runs: opt.RunsArg, /, *, to: Path) -> int:
    """Bring runs together in one folder, or on a store (s3://…). Contradicting scores or outputs
    are an error, and then nothing is written.

    Exit code 1: something damaged was left out, which is named.

    Parameters
    ----------
    to
        The run folder or address.
    """
    from editgauge.store.merge import merge as merge_runs
    from editgauge.tables import rows

    with opt.run_at(to) as target:
        done = merge_runs(rows.open_runs(runs, pictures=True), target)
    place = opt.place_of(to)
    for text in done.problems:
        output.note(f"warning: {plain(text, None)}")
    output.listed({"run": place, **asdict(done)}, f"next:  editgauge table {place}")
    return int(bool(done.problems))


# -- costs -----------------------------------------------------------------------------------------


def costs(run: opt.RunArg, /, *, settle: opt.Dollars | None = None) -> None:
    """Show what was billed and what stands booked without a bill, and why; settle that with the
    provider's own figure, so that a budget holds no more than was spent.

    Parameters
    ----------
    settle
        Book this, the provider's own figure, for all requests that stand without a bill.
    """
    from editgauge.services import costs as paid
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    with working(run) as here:
        entries = Run.open(here).manifest()["entries"]
        if settle is not None:
            paid.settle(here / PAID, settle)
        book = paid.costs(here / PAID)
    free = [one for one in entries if one.get("priced") is False and not one["dollars"]]
    unpriced = sum(one["requests"] for one in free)
    facts: JsonObject = {"run": str(run), **asdict(book), "unpriced": unpriced}
    standing = [{**one, "since": _time(one["since"]), "until": _time(one["until"])}
                for one in facts["standing"]]  # fmt: skip
    then = f"editgauge costs {run} --settle DOLLARS"
    note = f"{output.counted(unpriced, 'request')} to judges had no price: in none of the sums"
    next_ = [note] if unpriced else []
    next_ += [f"next:  look at the provider's bill of that time, then: {then}"] if standing else []
    output.emit(facts, [*output.pairs({**facts, "standing": standing, "unpriced": None}), *next_])


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"

"""`editgauge compare, audit`: two editors sample by sample, a release gate, a published table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from editgauge import escape
from editgauge.cli import output
from editgauge.cli.options import (
    Format,
    Many,
    OnlyBenchmark,
    RunArg,
    SetOpt,
    Settings,
    SourceOpt,
    Variants,
    at_least,
    calibration_of,
)
from editgauge.cli.table import print_table, print_tables
from editgauge.errors import RunError, UsageError

if TYPE_CHECKING:
    from editgauge.tables.audit import Report
    from editgauge.tables.compare import Comparison
    from editgauge.tables.results import Results

_SHOWN = 6


@Parameter(name="*", group="Which rows")
@dataclass(frozen=True, kw_only=True)
class Compared:
    """Which rows are compared."""

    benchmark: OnlyBenchmark = ""
    metric: Many = ()
    "Only this metric; may be repeated."
    variant: Variants | None = None
    "By default the first that there is."
    by: str = ""
    "Also for each value of this attribute."
    where: Many = ()
    "NAME=VALUE: only samples with this attribute; may be repeated."
    source: SourceOpt = ()
    also: Annotated[tuple[Path, ...], Parameter(name="--with")] = ()
    "Read this run as well; may be repeated."


@Parameter(name="*", group="Release gate")
@dataclass(frozen=True, kw_only=True)
class Gating:
    """A release gate, and where its verdict is written."""

    gate: Path | None = None
    """POLICY.toml: judge B by floors, margins, coverage. Exit code 0: PASS, 1: FAIL,
    4: CANNOT TELL."""
    junit: Path | None = None
    "Write the verdict to this file as JUnit XML."
    step_summary: Path | None = None
    "Append the verdict to this file as markdown, as to $GITHUB_STEP_SUMMARY."
    fail_if_worse: bool = False
    "Without a policy: exit code 1 when B is worse in any metric, or has fewer scores than A."


def compare(
    run: RunArg,
    a: Annotated[str, Parameter(help="The baseline editor.")],
    b: Annotated[str, Parameter(help="The candidate: differences are B minus A.")],
    /,
    *,
    rows: Compared = Compared(),
    top: Annotated[int, at_least(0)] = 10,
    calibrate: str = "",
    gating: Gating = Gating(),
    form: Format = "terminal",
    set_: SetOpt = (),
) -> int:
    """Compare two editors on the samples both have: differences with intervals and p, and what
    moved most.

    B is worse in a metric when its mean difference over all samples is, with p below alpha (0.05)
    after Holm's correction over every line that is printed.

    Parameters
    ----------
    top
        Samples that moved most, each way.
    calibrate
        human, or JUDGE@N: correct a judge's scores by ratings, or by a stronger judge on N samples.
    set_
        NAME=VALUE, may be repeated: alpha (0.05), seed (of random signs; 0); with
        --calibrate proxy (QUESTION=METRIC) and strata (what rated samples were drawn by).
    """
    from editgauge.study.calibration import difference_tables
    from editgauge.study.people import averaged_for
    from editgauge.tables import rows as stored

    if a == b:
        raise UsageError(f"compare: A and B are both {a!r}; name two editors")
    given = Settings.of(set_)
    alpha, seed = given.take("alpha", 0.05, float), given.take("seed", 0, int)
    if not 0 <= alpha <= 1:
        raise UsageError(f"--set alpha={alpha}: wanted a share between 0 and 1")
    _goes_with(gating, form, bool(calibrate) or gating.fail_if_worse)
    runs = [run, *rows.also]
    opened = stored.open_runs(runs)
    if calibrate:
        asked = calibration_of(
            calibrate,
            benchmark=rows.benchmark,
            where=rows.where,
            sources=rows.source,
            settings=given,
        )
        given.end(("alpha", "seed", "proxy", "strata"))
        print_tables(difference_tables(runs, asked, a, b), opened, form)
        return 0
    given.end(("alpha", "seed"))
    with output.warned(*opened, only_if_refused=True):
        frames = stored.frames(
            opened,
            rows.benchmark,
            where=rows.where,
            editors=[a, b],
            sources=rows.source,
            people=averaged_for(rows.source),
        )
        if gating.gate is not None:
            code = _gate(frames, (a, b), gating, form, seed)
            output.warn(*opened)
            return code
        comparisons = _compared(frames, (a, b), rows, run, top=top, alpha=alpha, seed=seed)
    _print(comparisons, form)
    output.warn(*opened)
    return int(gating.fail_if_worse and any(item.regressions for item in comparisons))


def _compared(
    frames: Sequence[Results],
    editors: tuple[str, str],
    rows: Compared,
    run: Path,
    *,
    top: int,
    alpha: float,
    seed: int,
) -> list[Comparison]:
    from editgauge.run.compare import compare as compare_editors
    from editgauge.tables import rows as stored

    a, b = editors
    found = compare_editors(
        frames,
        a,
        b,
        metrics=rows.metric,
        variants=stored.variants(rows.variant or "both"),
        one_variant=rows.variant is None,
        by=rows.by,
        top=top,
        alpha=alpha,
        seed=seed,
    )
    if not found:
        raise UsageError(
            f"compare: no metric has scores of both {a!r} and {b!r}; see: editgauge table "
            f"{run.name}"
        )
    return found


def _print(comparisons: Sequence[Comparison], form: str) -> None:
    from editgauge.tables import verdicts

    if form == "json":
        output.print_json({"comparisons": [verdicts.as_dict(one) for one in comparisons]})
        return
    for item in comparisons:
        for_people = form in ("terminal", "markdown")
        if for_people:
            clean = escape.markdown if form == "markdown" else escape.plain
            print(output.fitted(clean(verdicts.sentence(item), None)) + "\n")
        # a screen has room for so many lines beside the sentence, the notes and what moved
        most = 12 if form == "terminal" and not item.by else None
        print_table(verdicts.as_table(item, most), form)
        if for_people:
            for line in verdicts.moved_lines(item, form):  # type: ignore[arg-type]
                print(line)


# -- a gate ----------------------------------------------------------------------------------------


def _goes_with(gating: Gating, form: str, other: bool) -> None:
    """Raise `UsageError` for options that do not go together with `--gate`, or only with it."""
    if gating.gate is None and (gating.junit or gating.step_summary):
        raise UsageError("--junit and --step-summary: wanted --gate POLICY.toml with them")
    if gating.gate is not None and other:
        raise UsageError("--gate: goes with neither --calibrate nor --fail-if-worse")
    if gating.gate is not None and form in ("csv", "latex"):
        raise UsageError(f"--gate: wanted --format terminal, markdown or json, found {form}")


def _gate(
    frames: Sequence[Results],
    editors: tuple[str, str],
    gating: Gating,
    form: str,
    seed: int,
) -> int:
    """Judge B on every frame, print the verdict and write what was asked for; the exit code."""
    from editgauge.run.compare import gate
    from editgauge.tables import gate as gates
    from editgauge.tables.policy import policy_of

    assert gating.gate is not None
    judged = gate(frames, *editors, policy_of(gating.gate), seed=seed)
    if form == "json":
        output.print_json(gates.as_dict(judged))
    else:
        text = gates.as_summary(judged) if form == "markdown" else gates.as_text(judged)
        print(text, end="")
    if gating.junit is not None:
        _write(gating.junit, gates.as_junit(judged), "w")
    if gating.step_summary is not None:
        _write(gating.step_summary, gates.as_summary(judged), "a")
    return gates.EXIT_CODES[gates.together([item.verdict for item in judged])]


def _write(path: Path, text: str, mode: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise RunError(f"{path}: cannot be written ({error})") from error


# -- published tables ------------------------------------------------------------------------------


def audit(
    files: Annotated[
        tuple[Path, ...],
        Parameter(
            help="Tables as csv. Without: every table published for the four benchmarks.",
            negative=(),
        ),
    ] = (),
    /,
) -> int:
    """Check a published table against itself. Exit code 1 when a number does not follow from the
    others.
    """
    from editgauge.tables.audit import all_audits, audited, read_sheet

    kinds = all_audits()
    if files:
        reports = [audited(kinds, path) for path in files]
    else:
        reports = [item(read_sheet(path)) for item in kinds for path in item.files]
    told = [{**asdict(report), "consistent": report.consistent} for report in reports]
    output.emit({"tables": told}, _audited(reports))
    return 0 if all(report.consistent for report in reports) else 1


def _audited(reports: Sequence[Report]) -> Iterator[str]:
    for report in reports:
        state = "consistent" if report.consistent else f"{len(report.findings)} INCONSISTENT"
        yield f"{escape.plain(report.name)} ({report.kind}): {report.checked} checks, {state}"
        for finding in report.findings[:_SHOWN]:
            yield f"  - {escape.plain(str(finding), 400)}"
        if len(report.findings) > _SHOWN:
            yield f"  - and {len(report.findings) - _SHOWN} more (--json lists all)"
        for remark in report.remarks:
            yield f"  > {escape.plain(remark, None)}"
    bad = sum(not report.consistent for report in reports)
    checks = sum(report.checked for report in reports)
    yield f"{len(reports)} tables, {checks} checks, {bad} tables with inconsistent numbers"

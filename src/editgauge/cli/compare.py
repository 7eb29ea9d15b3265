"""`editgauge compare, audit`: two editors sample by sample, a release gate, a published table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from msgspec import Meta

from editgauge import escape
from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.table import print_table, print_tables
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from editgauge.tables.compare import Comparison
    from editgauge.tables.results import Results

_SETTINGS = {"alpha": Annotated[float, Meta(gt=0, lt=1)], **opt.CALIBRATION}


@opt.options("Which rows")
class Compared:
    """Which scores are compared."""

    metric: opt.Many = ()
    "Only this metric; may be repeated."
    variant: opt.Variants | None = None
    "By default the first that there is."
    also: Annotated[tuple[Path, ...], Parameter(name="--with")] = ()
    "Read this run as well; may be repeated."


@opt.options("What is shown")
class Shown:
    """What stands beside the differences."""

    top: opt.Whole = 10
    "Samples that moved most, each way."
    calibrate: str = ""
    "human, or JUDGE@N: correct a judge's scores by ratings, or by a stronger judge on N samples."
    form: opt.Format = "terminal"
    set: opt.SetOpt = ()
    """NAME=VALUE, may be repeated: alpha (0.05); with --calibrate proxy (QUESTION=METRIC) and
    strata (what rated samples were drawn by)."""


@opt.options("Release gate")
class Gating:
    """A release gate, and where its verdict is written."""

    gate: Path | None = None
    """POLICY.toml: judge B by floors, margins, coverage. Exit code 0: PASS, 1: FAIL,
    4: CANNOT TELL."""
    step_summary: Path | None = None
    "Append the verdict to this file as markdown, as to $GITHUB_STEP_SUMMARY."
    fail_if_worse: bool = False
    "Without a policy: exit code 1 when B is worse in any metric, or has fewer scores than A."


def compare(
    run: opt.RunArg,
    a: str,
    b: str,
    /,
    *,
    rows: opt.Rows = opt.Rows(),
    compared: Compared = Compared(),
    shown: Shown = Shown(),
    gating: Gating = Gating(),
) -> int:
    """Compare two editors on the samples both have: differences with intervals and p, and what
    moved most.

    B is worse in a metric when its mean difference over all samples is, with p below alpha (0.05)
    after Holm's correction over every line that is printed, and 0 outside the interval.

    Parameters
    ----------
    a
        The baseline editor.
    b
        The candidate: differences are B minus A.
    """
    from editgauge.run.tables import people_for
    from editgauge.tables import rows as stored

    settings = opt.given(shown.set, _SETTINGS)
    _goes_with(gating, shown.form, bool(shown.calibrate) or gating.fail_if_worse)
    runs = [run, *compared.also]
    opened = stored.open_runs(runs)
    if shown.calibrate:
        from editgauge.study.calibration import difference_tables

        asked = rows.calibrated(shown.calibrate, settings)
        print_tables(difference_tables(runs, asked, a, b), opened, shown.form)
        return 0
    with output.warned(*opened):
        frames = stored.frames(
            opened,
            rows.benchmark,
            where=rows.where,
            editors=[a, b],
            sources=rows.source,
            people=people_for(rows.source),
        )
        if gating.gate is not None:
            return _gate(frames, (a, b), gating, shown.form)
        comparisons = _compared(frames, (a, b), rows, compared, shown, settings)
        _print(comparisons, shown.form)
    return int(gating.fail_if_worse and any(item.regressions for item in comparisons))


def _compared(
    frames: Sequence[Results],
    editors: tuple[str, str],
    rows: opt.Rows,
    asked: Compared,
    shown: Shown,
    settings: Mapping[str, Any],
) -> list[Comparison]:
    from editgauge.run.compare import compare as compare_editors
    from editgauge.tables.rows import variants

    numbers = {name: settings[name] for name in settings.keys() - opt.CALIBRATION.keys()}
    return compare_editors(
        frames,
        *editors,
        metrics=asked.metric,
        variants=variants(asked.variant or "both"),
        one_variant=asked.variant is None,
        by=rows.by,
        top=shown.top,
        **numbers,
    )


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
        most = 10 if form == "terminal" and not item.by else None
        print_table(verdicts.as_table(item, most), form)
        if for_people:
            for line in verdicts.moved_lines(item, form):  # type: ignore[arg-type]
                print(line)


# -- a gate ----------------------------------------------------------------------------------------


def _goes_with(gating: Gating, form: str, other: bool) -> None:
    """Raise `UsageError` for options that do not go together with `--gate`, or only with it."""
    if gating.gate is None and gating.step_summary:
        raise UsageError("--step-summary: wanted --gate POLICY.toml with it")
    if gating.gate is not None and other:
        raise UsageError("--gate: goes with neither --calibrate nor --fail-if-worse")
    if gating.gate is not None and form in ("csv", "latex"):
        raise UsageError(f"--gate: wanted --format terminal, markdown or json, found {form}")


def _gate(frames: Sequence[Results], editors: tuple[str, str], gating: Gating, form: str) -> int:
    """Judge B on every frame, print the verdict and append it where asked for; the exit code."""
    from editgauge.run.compare import gate
    from editgauge.tables import gate as gates
    from editgauge.tables.policy import policy_of

    assert gating.gate is not None
    judged = gate(frames, *editors, policy_of(gating.gate))
    if form == "json":
        output.print_json(gates.as_dict(judged))
    else:
        text = gates.as_summary(judged) if form == "markdown" else gates.as_text(judged)
        print(text, end="")
    if (path := gating.step_summary) is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(gates.as_summary(judged))
    return gates.EXIT_CODES[gates.verdict_of(judged)]


# -- published tables ------------------------------------------------------------------------------


def audit(files: tuple[Path, ...] = (), /) -> int:
    """Check a published table against itself. Exit code 1 when a number does not follow from the
    others.

    Parameters
    ----------
    files
        Tables as csv. Without: every table published for the four benchmarks.
    """
    from editgauge.tables.audit import audited

    reports = audited(files)
    tables = [{**one._asdict(), "consistent": not one.inconsistent} for one in reports]
    bad = [{"table": one.name, "cell": text} for one in reports for text in one.inconsistent]
    bad += [{"table": one.name, "remark": one.remark} for one in reports if one.remark]
    checks = sum(one.checked for one in reports)
    shown = {"tables": len(reports), "checks": checks, "inconsistent": bad}
    output.emit({"tables": tables}, output.pairs(shown))
    return int(any(one.inconsistent for one in reports))

"""`editgauge compare, audit`: two editors sample by sample, a release gate, a published table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from msgspec import Meta

from editgauge import escape
from editgauge.cli import options as opt
from editgauge.cli import output
from editgauge.cli.modes import mode, modes
from editgauge.cli.table import print_each, print_tables
from editgauge.types import JsonObject

if TYPE_CHECKING:
    from editgauge.tables.compare import Comparison
    from editgauge.tables.results import Results

_SETTINGS = {"alpha": Annotated[float, Meta(gt=0, lt=1)], **opt.CALIBRATION}


@opt.options("Which rows")
class Compared:
    metric: opt.Many = ()
    "Only this metric; may be repeated."
    variant: opt.Variants | None = None
    "By default the first that there is."
    also: Annotated[tuple[Path, ...], Parameter(name="--with")] = ()
    "Read this run as well; may be repeated."

    def options(self) -> JsonObject:
        """The options as `run.compare.compare` takes them."""
        from editgauge.tables.rows import variants

        return {
            "metrics": self.metric,
            "variants": variants(self.variant or "both"),
            "one_variant": self.variant is None,
        }


@opt.options("What is shown")
class Shown:
    calibrate: str = ""
    "human, or JUDGE@N: correct a judge's scores by ratings, or by a stronger judge on N samples."
    form: opt.Format = "terminal"
    set: opt.SetOpt = ()
    """NAME=VALUE, may be repeated: alpha (0.05); with --calibrate proxy (QUESTION=METRIC) and
    strata (what rated samples were drawn by)."""


@opt.options("Release gate")
class Gating:
    gate: Path | None = None
    """POLICY.toml: judge B by floors, margins, coverage. Exit code 0: PASS, 1: FAIL,
    4: CANNOT TELL."""
    fail_if_worse: bool = False
    """Without a policy: exit code 1 when B is worse in any metric, or has fewer scores than A; also
    with --calibrate."""


_ROWS = "RUN A B --benchmark --source --where --with --format"


@modes(
    mode("--gate", "RUN", "a", "b", "--gate", "POLICY.toml", uses=f"{_ROWS} --gate"),
    mode(
        "--calibrate",
        *("RUN", "a", "b", "--calibrate", "human"),
        uses=f"{_ROWS} --calibrate --set --fail-if-worse",
        settings="proxy strata",
    ),
    mode("", "RUN", "a", "b", settings="alpha"),
)
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
    after Holm's correction over every line of all benchmarks, and 0 outside the interval. There is
    no verdict where samples with one infinite score, which are in no mean, could turn it.

    Parameters
    ----------
    a
        The baseline editor.
    b
        The candidate: differences are B minus A.
    """
    from editgauge.run.compare import compare as compare_editors
    from editgauge.tables.rows import open_runs

    settings, form = opt.given(shown.set, _SETTINGS), shown.form
    runs = [run, *compared.also]
    if shown.calibrate:
        from editgauge.study.calibration import compare_calibrated

        calibrated = compare_calibrated(runs, rows.calibrated(shown.calibrate, settings), a, b)
        print_tables([item.table() for item in calibrated], open_runs(runs), form)
        return int(gating.fail_if_worse and any(item.regressions for item in calibrated))
    how = {name: settings[name] for name in settings.keys() - opt.CALIBRATION.keys()}
    with output.warned(*(opened := open_runs(runs))):
        frames = rows.frames(opened, a, b)
        if gating.gate is not None:
            return _gate(frames, (a, b), gating.gate, form)
        comparisons = compare_editors(frames, a, b, by=rows.by, **compared.options(), **how)
        _print(comparisons, form, linked=(run / "report" / "index.html").is_file())
    return int(gating.fail_if_worse and any(item.regressions for item in comparisons))


def _print(comparisons: Sequence[Comparison], form: str, *, linked: bool) -> None:
    """Print what was compared; `linked`: there is a report to link to."""
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
        print_each([verdicts.as_table(item, most)], form)
        if for_people:
            for line in verdicts.moved_lines(item, form, linked=linked):  # type: ignore[arg-type]
                print(line)


def _gate(frames: Sequence[Results], editors: tuple[str, str], policy: Path, form: str) -> int:
    """Judge B on every frame and print the verdict; the exit code."""
    from editgauge.run.compare import gate
    from editgauge.tables import gate as gates
    from editgauge.tables.policy import policy_of

    judged = gate(frames, *editors, policy_of(policy))
    if form == "json":
        output.print_json(gates.as_dict(judged))
    else:
        print((gates.as_summary if form == "markdown" else gates.as_text)(judged), end="")
    return gates.EXIT_CODES[gates.verdict_of(judged)]


# -- published tables ------------------------------------------------------------------------------


def audit() -> int:
    """Check the tables published for the benchmarks against themselves. Exit code 1 when a number
    does not follow from the others.
    """
    from editgauge.tables.audit import reports

    made = reports()
    tables = [{**one._asdict(), "consistent": not one.inconsistent} for one in made]
    bad = [{"table": one.name, "cell": text} for one in made for text in one.inconsistent]
    bad += [{"table": one.name, "remark": one.remark} for one in made if one.remark]
    checks = sum(one.checked for one in made)
    shown = {"tables": len(made), "checks": checks, "inconsistent": bad}
    output.emit({"tables": tables}, output.pairs(shown))
    return int(any(one.inconsistent for one in made))

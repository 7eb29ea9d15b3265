"""A release gate: a policy of floors, margins, coverage, cost and latency, and its verdict on a
candidate against a baseline.

A margin is a test of non-inferiority: with the difference turned so that more is better, the
candidate passes where the lower limit of the confidence interval lies above −margin, fails where
the upper limit lies below it, and else there are too few samples to tell (Piaggio et al., JAMA 308,
2012). *Cannot tell* is no pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

import numpy as np

from editgauge.errors import UsageError
from editgauge.escape import markdown, plain
from editgauge.statistics.paired import Pair, Paired, paired_differences
from editgauge.tables.policy import Kind, Policy, Rule, Verdict
from editgauge.tables.results import Floats, Results
from editgauge.types import VARIANTS, Direction, Variant

EXIT_CODES: Final[Mapping[Verdict, int]] = {
    Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.CANNOT_TELL: 4,
}  # fmt: skip
"""2 and 3 are a wrong call's and a budget's."""


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several: FAIL before CANNOT TELL before PASS; CANNOT TELL of none."""
    return next((one for one in Verdict if one in verdicts), Verdict.CANNOT_TELL)


# -- judging a candidate ---------------------------------------------------------------------------


class Check(NamedTuple):
    """One line of a verdict: what was asked, of what, what was found."""

    name: str
    kind: Kind
    verdict: Verdict
    found: str
    wanted: str
    n: int | None = None
    needed: int | None = None
    """Samples with which the margin could be told, about; None where that is not the trouble."""
    numbers: Mapping[str, float] = {}
    """What `found` and `wanted` say, for programs: difference, low, high, margin; mean, floor…"""

    @property
    def words(self) -> str:
        hint = f" (about {self.needed:,} samples would tell)" if self.needed else ""
        return f"{self.found}; wanted: {self.wanted}{hint}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The verdict on one benchmark. It fails when a check fails, and cannot tell when one cannot
    and none fails, or when there is no check.
    """

    benchmark: str
    a: str
    b: str
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def verdict(self) -> Verdict:
        return together([check.verdict for check in self.checks])

    @property
    def passed(self) -> bool:
        return self.verdict is Verdict.PASS

    @property
    def title(self) -> str:
        return f"{self.benchmark}: {self.b} against {self.a}"

    @property
    def worst_first(self) -> list[Check]:
        return sorted(self.checks, key=lambda check: [*Verdict].index(check.verdict))


class Usage(NamedTuple):
    """What the candidate's outputs took: seconds and US dollars of those that have a record of
    it, and how many outputs there are.
    """

    outputs: int
    seconds: Sequence[float] = ()
    dollars: Sequence[float] = ()


class _Asked(NamedTuple):
    """A rule with the scores of both, (2, S), NaN outside its samples, and how many it asks of."""

    rule: Rule
    direction: Direction
    values: Floats
    samples: int

    def test(self, alpha: float, seed: int) -> Paired:
        """B − A on the samples both have. The interval's lower limit is one of a one-sided test at
        `alpha`: its confidence is 1 − 2 alpha.
        """
        pair = Pair(self.values[1], self.values[0], self.direction == "higher")
        return paired_differences([pair], confidence=1 - 2 * alpha, seed=seed)[0]


def judge(
    results: Results,
    a: str,
    b: str,
    directions: Mapping[str, Direction | None],
    policy: Policy,
    *,
    usage: Usage,
    seed: int = 0,
) -> Gate:
    """The verdict of a policy on candidate `b` against baseline `a`, on one benchmark's results.

    Each rule reads one variant of its metric: its own or the policy's, and the other, with a note,
    where that has no rows. A rule that names no benchmark is passed over where its metric has no
    rows: see `unread`. Raises `UnknownName` for an editor or a label that is not here, and
    `UsageError` for a metric whose direction is not known.
    """
    pair = results.of_editors([a, b])
    checks: list[Check] = []
    notes: list[str] = []
    for rule in policy.rules:
        if not rule.applies(results.benchmark, directions):
            continue
        direction = directions.get(rule.metric)
        if rule.metric in directions and direction is None:
            raise UsageError(f"gate: {rule.metric}: it is not known which way is better")
        variant = _readable(pair, rule, policy, notes)
        if direction is None or variant is None:
            checks += _without_rows(rule)
            continue
        whole = pair.of_set(rule.metric, variant).values
        if not np.isnan(whole).all():
            checks += _whole_set(rule, float(whole[1]), direction)
            continue
        asked = _asked(pair, rule, variant, direction)
        checks.append(_coverage(asked, policy.coverage))
        checks += [_floor(asked)] if rule.floor is not None else []
        if rule.margin is not None:
            checks.append(_margin(asked, rule.margin, asked.test(policy.alpha, seed)))
    checks += _limits(policy, usage)
    return Gate(benchmark=results.benchmark, a=a, b=b, checks=tuple(checks), notes=tuple(notes))


def unread(
    policy: Policy, a: str, b: str, metrics: Mapping[str, Mapping[str, Direction | None]]
) -> Gate | None:
    """The rules that apply to none of the benchmarks in `metrics` (name -> its metrics): what they
    ask cannot be told. None where there is no such rule.
    """
    checks = [
        check
        for rule in policy.rules
        if not any(rule.applies(name, known) for name, known in metrics.items())
        for check in _without_rows(rule)
    ]
    return Gate(benchmark="(no rows)", a=a, b=b, checks=tuple(checks)) if checks else None


def _readable(pair: Results, rule: Rule, policy: Policy, notes: list[str]) -> Variant | None:
    wanted = rule.variant or policy.variant
    there = [variant for variant in VARIANTS if pair.has(rule.metric, variant)]
    if wanted in there:
        return wanted
    if rule.variant is not None or not there:
        return None
    notes.append(f"{rule.metric}: it has no {wanted} rows; read as {there[0]}.")
    return there[0]


def _asked(pair: Results, rule: Rule, variant: Variant, direction: Direction) -> _Asked:
    grid = pair.grid(rule.metric, variant)
    asked = grid.defined & pair.samples.matching(rule.labels) if rule.labels else grid.defined
    return _Asked(rule, direction, np.where(asked, grid.values, np.nan), int(asked.sum()))


def _without_rows(rule: Rule) -> list[Check]:
    told = f"no {rule.variant} rows of it" if rule.variant else "no rows of it"
    told += f" in {rule.benchmark}" if rule.benchmark else ""
    wanted = "scores of both editors"
    return [Check(rule.name, kind, Verdict.CANNOT_TELL, told, wanted, 0) for kind in rule.kinds]


def _better_than(rule: Rule, direction: Direction) -> str:
    return f"{'at least' if direction == 'higher' else 'at most'} {rule.floor:g}"


def _whole_set(rule: Rule, value: float, direction: Direction) -> list[Check]:
    """Of a metric that is one number of a whole set: it has a floor, and no test."""
    checks = []
    for kind in rule.kinds:
        wanted = _better_than(rule, direction) if kind == "floor" else "a test of the difference"
        if kind == "floor" and not rule.labels and not math.isnan(value):
            verdict, numbers = rule.holds(value, direction), {"value": value}
            checks.append(Check(rule.name, kind, verdict, f"{value:.6g}", wanted, numbers=numbers))
        else:
            told = "one number of the whole set: no test of it"
            checks.append(Check(rule.name, kind, Verdict.CANNOT_TELL, told, wanted))
    return checks


def _coverage(asked: _Asked, least: float) -> Check:
    scored = int((~np.isnan(asked.values[1])).sum())
    verdict = Verdict.PASS if scored >= least * asked.samples else Verdict.FAIL
    return Check(
        asked.rule.name, "coverage", verdict if asked.samples else Verdict.CANNOT_TELL,
        f"{scored:,} of {asked.samples:,} samples", f"at least {100 * least:.4g} % of them", scored,
        numbers={"samples": asked.samples, "coverage": least},
    )  # fmt: skip


def _floor(asked: _Asked) -> Check:
    rule, given = asked.rule, asked.values[1][~np.isnan(asked.values[1])]
    wanted, n = _better_than(rule, asked.direction), len(given)
    if n < rule.least:
        told = f"{n} samples with a score, fewer than {rule.least}"
        return Check(rule.name, "floor", Verdict.CANNOT_TELL, told, wanted, n, rule.least)
    mean = float(given.mean())
    numbers = {"mean": mean, "floor": rule.floor or 0.0}
    verdict = rule.holds(mean, asked.direction)
    return Check(rule.name, "floor", verdict, f"mean {mean:.6g}", wanted, n, numbers=numbers)


def _margin(asked: _Asked, margin: float, paired: Paired) -> Check:
    rule, n = asked.rule, paired.n
    wanted = f"worse by less than {margin:g}" if margin else "not worse at all"
    low, high, mean = paired.low, paired.high, paired.difference
    both = ~np.isnan(asked.values).any(axis=0)
    endless = int((np.isinf(asked.values[0]) != np.isinf(asked.values[1]))[both].sum())
    if n >= rule.least and math.isnan(low):  # all differences are one number
        low = high = mean
    told = ""
    if endless:
        told = f"{endless} samples have an infinite score of one editor only"
    elif n < rule.least:
        told = f"{n} samples with a score of both, fewer than {rule.least}"
    elif not (math.isfinite(low) and math.isfinite(high)):
        told = "no interval of the difference"
    if told:
        needed = None if endless else rule.least
        return Check(rule.name, "margin", Verdict.CANNOT_TELL, told, wanted, n, needed)
    if asked.direction == "lower":
        low, high, mean = -high, -low, -mean
    # identical scores have an interval of one point: no loss, and no margin that is too small
    if low > -margin or low == high == 0.0:
        verdict = Verdict.PASS
    elif high < -margin or (low == high and low <= -margin):
        verdict = Verdict.FAIL
    else:
        verdict = Verdict.CANNOT_TELL
    needed = _needed(mean, low, margin, n) if verdict is Verdict.CANNOT_TELL else None
    told = f"gain {mean:+.4g} [{low:+.4g}, {high:+.4g}]"
    numbers = {"difference": mean, "low": low, "high": high, "margin": margin}
    return Check(rule.name, "margin", verdict, told, wanted, n, needed, numbers)


def _needed(mean: float, low: float, margin: float, n: int) -> int | None:
    """With about how many samples the lower limit would lie above −margin, were the difference as
    found: an interval shrinks with the root of their number. None where no number would do.
    """
    room = mean + margin
    return math.ceil(n * ((mean - low) / room) ** 2) if room > 0 else None


def _limits(policy: Policy, usage: Usage) -> list[Check]:
    """Limits on what is recorded of every output; of fewer they cannot be told."""
    q = policy.latency_quantile
    limits: list[tuple[Kind, float | None, Sequence[float], str]] = [
        ("cost", policy.cost, usage.dollars, "at most {:g} US dollars an output, on average"),
        ("latency", policy.latency, usage.seconds, f"at most {{:g}} s at quantile {q:g}"),
    ]
    checks = []
    for kind, most, values, words in limits:
        if most is None:
            continue
        name = "US dollars an output" if kind == "cost" else "seconds an output"
        wanted, n = words.format(most), len(values)
        if not n or n < usage.outputs:
            told = f"recorded for {n:,} of {usage.outputs:,} outputs"
            checks.append(Check(name, kind, Verdict.CANNOT_TELL, told, wanted, n))
            continue
        value = float(np.mean(values) if kind == "cost" else np.quantile(values, q))
        verdict = Verdict.PASS if value <= most else Verdict.FAIL
        numbers = {"value": value, "most": most}
        checks.append(Check(name, kind, verdict, f"{value:.4g}", wanted, n, numbers=numbers))
    return checks


# -- words -----------------------------------------------------------------------------------------


def overall(gates: Sequence[Gate]) -> Verdict:
    """The verdict on all benchmarks."""
    return together([gate.verdict for gate in gates])


def as_text(gates: Sequence[Gate]) -> str:
    """The verdict first, then a line for each check, those that do not pass before the others."""
    lines = [str(overall(gates))]
    for gate in gates:
        lines.append(f"{gate.title}: {gate.verdict}")
        lines += [f"  {c.verdict:<11}  {c.name}, {c.kind}: {c.words}" for c in gate.worst_first]
        lines += [f"  note: {note}" for note in gate.notes]
    return "\n".join(plain(line, None) for line in lines) + "\n"


def as_dict(gates: Sequence[Gate]) -> dict[str, Any]:
    """As JSON values: ``passed`` is true for PASS alone; a check has its numbers, or the reason why
    it has none.
    """

    def check_json(check: Check) -> dict[str, Any]:
        told = {"name": check.name, "kind": check.kind, "verdict": check.verdict.value}
        numbers: dict[str, Any] = dict(check.numbers) or {"reason": check.found}
        return {**told, "n": check.n, "needed": check.needed, **numbers}

    verdict = overall(gates)
    return {
        "passed": verdict is Verdict.PASS,
        "verdict": verdict.value,
        "gates": [
            {
                "benchmark": gate.benchmark,
                "a": gate.a,
                "b": gate.b,
                "passed": gate.passed,
                "verdict": gate.verdict.value,
                "checks": [check_json(check) for check in gate.checks],
                "notes": list(gate.notes),
            }
            for gate in gates
        ],
    }


def as_junit(gates: Sequence[Gate]) -> str:
    """As JUnit XML: a suite for each benchmark, a case for each check. FAIL is a failure and CANNOT
    TELL an error, so that neither is read as passed. Without characters that XML cannot hold.
    """
    root = ElementTree.Element("testsuites", name="editgauge gate")
    for gate in gates:
        counts = [check.verdict for check in gate.checks]
        suite = ElementTree.SubElement(
            root, "testsuite", name=plain(gate.title, None), tests=str(len(counts)),
            failures=str(counts.count(Verdict.FAIL)),
            errors=str(counts.count(Verdict.CANNOT_TELL)),
        )  # fmt: skip
        for check in gate.checks:
            name = plain(f"{check.name}, {check.kind}", None)
            about = plain(gate.benchmark, None)
            case = ElementTree.SubElement(suite, "testcase", classname=about, name=name)
            if check.verdict is Verdict.PASS:
                ElementTree.SubElement(case, "system-out").text = plain(check.words, None)
            else:
                tag = "failure" if check.verdict is Verdict.FAIL else "error"
                told = {"message": plain(check.words, None), "type": check.verdict.value}
                ElementTree.SubElement(case, tag, told)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def as_summary(gates: Sequence[Gate]) -> str:
    """As markdown, for a step's summary."""
    lines = [f"## Release gate: {overall(gates)}", ""]
    for gate in gates:
        lines += [f"### {markdown(f'{gate.title}: {gate.verdict}', None)}", ""]
        lines += ["| verdict | check | found and wanted |", "| --- | --- | --- |"]
        for check in gate.worst_first:
            cells = (check.verdict.value, f"{check.name}, {check.kind}", check.words)
            lines.append(f"| {' | '.join(map(markdown, cells))} |")
        lines += ["", *(f"- {markdown(note, None)}" for note in gate.notes)]
    return "\n".join(lines).rstrip("\n") + "\n"

"""A release gate: a policy of floors, margins and coverage, and its verdict on a candidate against
a baseline.

A margin is a test of non-inferiority: with the difference turned so that more is better, the
candidate passes where the lower limit of the confidence interval lies above −margin, fails where
the upper limit lies below it, and else there are too few samples to tell (Piaggio et al., JAMA 308,
2012). *Cannot tell* is no pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree

import numpy as np

from editgauge.errors import UsageError
from editgauge.escape import markdown, plain
from editgauge.statistics.paired import paired_difference, paired_values
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
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        return together([check.verdict for check in self.checks])

    @property
    def title(self) -> str:
        return f"{self.benchmark}: {self.b} against {self.a}"

    @property
    def worst_first(self) -> list[Check]:
        return sorted(self.checks, key=lambda check: [*Verdict].index(check.verdict))


class _Asked(NamedTuple):
    """A rule with the scores of both, (2, S), NaN outside its samples, and how many it asks of."""

    rule: Rule
    direction: Direction
    values: Floats
    samples: int

    def check(self, kind: Kind, verdict: Verdict, found: str, **more: Any) -> Check:
        """A check of the rule; what it wants is said by its kind."""
        rule, least = self.rule, "at least" if self.direction == "higher" else "at most"
        margin = f"worse by less than {rule.margin:g}" if rule.margin else "not worse at all"
        wanted = margin if kind == "margin" else f"{least} {rule.floor or 0:g}"
        return Check(rule.name, kind, verdict, found, more.pop("wanted", wanted), **more)


def judge(
    results: Results,
    a: str,
    b: str,
    directions: Mapping[str, Direction | None],
    policy: Policy,
    *,
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
        if rule.applies(results.benchmark, directions):
            direction = directions.get(rule.metric)
            if rule.metric in directions and direction is None:
                raise UsageError(f"gate: {rule.metric}: it is not known which way is better")
            variant = _readable(pair, rule, policy, notes)
            if direction is None or variant is None:
                checks += _without_rows(rule)
            else:
                checks += _checks(pair, rule, variant, direction, policy, seed)
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


def _without_rows(rule: Rule) -> list[Check]:
    told = f"no {rule.variant} rows of it" if rule.variant else "no rows of it"
    told += f" in {rule.benchmark}" if rule.benchmark else ""
    wanted = "scores of both editors"
    return [Check(rule.name, kind, Verdict.CANNOT_TELL, told, wanted, 0) for kind in rule.kinds]


def _checks(
    pair: Results, rule: Rule, variant: Variant, direction: Direction, policy: Policy, seed: int
) -> Iterator[Check]:
    whole = pair.of_set(rule.metric, variant).values
    if not np.isnan(whole).all():  # one number of the whole set has a floor, and no test
        one = _Asked(rule, direction, whole[:, None], 1)
        if rule.floor is not None and not rule.labels:
            yield _floor(one, 1)
        if rule.margin is not None or rule.labels:
            told = "one number of the whole set: no test of it"
            yield one.check(rule.kinds[-1], Verdict.CANNOT_TELL, told)
        return
    grid = pair.grid(rule.metric, variant)
    mask = grid.defined & pair.samples.matching(rule.labels) if rule.labels else grid.defined
    asked = _Asked(rule, direction, np.where(mask, grid.values, np.nan), int(mask.sum()))
    yield _coverage(asked, policy.coverage)
    if rule.floor is not None:
        yield _floor(asked, rule.least)
    if rule.margin is not None:
        yield _margin(asked, rule.margin, policy.alpha, seed)


def _coverage(asked: _Asked, least: float) -> Check:
    scored = int((~np.isnan(asked.values[1])).sum())
    verdict = Verdict.PASS if scored >= least * asked.samples else Verdict.FAIL
    return asked.check(
        "coverage",
        verdict if asked.samples else Verdict.CANNOT_TELL,
        f"{scored:,} of {asked.samples:,} samples",
        wanted=f"at least {100 * least:.4g} % of them",
        n=scored,
        numbers={"samples": asked.samples, "coverage": least},
    )


def _floor(asked: _Asked, least: int) -> Check:
    given = asked.values[1][~np.isnan(asked.values[1])]
    if (n := len(given)) < least:
        told = f"{n} samples with a score, fewer than {least}"
        return asked.check("floor", Verdict.CANNOT_TELL, told, n=n, needed=least)
    mean, floor = float(given.mean()), asked.rule.floor or 0.0
    fine = mean >= floor if asked.direction == "higher" else mean <= floor
    verdict = Verdict.PASS if fine else Verdict.FAIL
    numbers = {"mean": mean, "floor": floor}
    return asked.check("floor", verdict, f"mean {mean:.6g}", n=n, numbers=numbers)


def _margin(asked: _Asked, margin: float, alpha: float, seed: int) -> Check:
    """B − A on the samples both have. The interval's lower limit is one of a one-sided test at
    `alpha`: its confidence is 1 − 2 alpha.
    """
    old, new = asked.values if asked.direction == "higher" else -asked.values
    paired = paired_difference(new, old, confidence=1 - 2 * alpha, seed=seed)
    n, least, mean, low, high = paired.n, asked.rule.least, paired.difference, *paired[2:4]
    if n >= least and not np.ptp(paired_values(new, old)):  # all differences are one number
        low = high = mean
    both = ~np.isnan(asked.values).any(axis=0)
    endless = int((np.isinf(old) != np.isinf(new))[both].sum())
    if endless:
        told = f"{endless} samples have an infinite score of one editor only"
        return asked.check("margin", Verdict.CANNOT_TELL, told, n=n)
    if n < least:
        told = f"{n} samples with a score of both, fewer than {least}"
        return asked.check("margin", Verdict.CANNOT_TELL, told, n=n, needed=least)
    # identical scores have an interval of one point: no loss, and no margin that is too small
    if low > -margin or low == high == 0.0:
        verdict = Verdict.PASS
    elif high < -margin or (low == high and low <= -margin):
        verdict = Verdict.FAIL
    else:
        verdict = Verdict.CANNOT_TELL
    return asked.check(
        "margin",
        verdict,
        f"gain {mean:+.4g} [{low:+.4g}, {high:+.4g}]",
        n=n,
        needed=_needed(mean, low, margin, n) if verdict is Verdict.CANNOT_TELL else None,
        numbers={"difference": mean, "low": low, "high": high, "margin": margin},
    )


def _needed(mean: float, low: float, margin: float, n: int) -> int | None:
    """With about how many samples the lower limit would lie above −margin, were the difference as
    found: an interval shrinks with the root of their number. None where no number would do.
    """
    room = mean + margin
    return math.ceil(n * ((mean - low) / room) ** 2) if room > 0 else None


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

    def said(verdict: Verdict) -> dict[str, Any]:
        return {"passed": verdict is Verdict.PASS, "verdict": verdict.value}

    return {
        **said(overall(gates)),
        "gates": [
            {
                "benchmark": gate.benchmark,
                "a": gate.a,
                "b": gate.b,
                **said(gate.verdict),
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

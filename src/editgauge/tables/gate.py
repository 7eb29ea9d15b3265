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
from typing import Final, NamedTuple

import numpy as np

from editgauge.errors import UsageError
from editgauge.escape import counted, markdown, plain
from editgauge.statistics.limits import LEAST
from editgauge.statistics.paired import paired_difference, paired_values
from editgauge.tables.metrics import metrics_of
from editgauge.tables.policy import Kind, Policy, Rule, Verdict
from editgauge.tables.results import Floats, Results
from editgauge.types import VARIANTS, Direction, JsonObject

EXIT_CODES: Final[Mapping[Verdict, int]] = {
    Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.CANNOT_TELL: 4,
}  # fmt: skip
"""2 and 3 are a wrong call's and a budget's."""


class Check(NamedTuple):
    """One line of a verdict: what was asked, of what, what was found. `needed`: samples with which
    it could be told, about; None where that is not the trouble. `numbers`: difference, low, high,
    margin; mean, floor; samples, coverage; or else a `reason` why there are none.
    """

    name: str
    kind: Kind
    verdict: Verdict
    n: int = 0
    needed: int | None = None
    numbers: Mapping[str, float] = {}
    reason: str = ""

    @property
    def words(self) -> str:
        numbers = ", ".join(f"{name} {value:.6g}" for name, value in self.numbers.items())
        hint = f" (about {self.needed:,} samples would tell)" if self.needed else ""
        return f"{self.name}, {self.kind}: {self.reason or f'n {self.n:,}, {numbers}'}{hint}"


class Gate(NamedTuple):
    """The verdict on one benchmark, or on several (`together`)."""

    benchmark: str
    a: str
    b: str
    checks: tuple[Check, ...]

    @property
    def verdict(self) -> Verdict:
        return together([check.verdict for check in self.checks])

    @property
    def title(self) -> str:
        return f"{self.benchmark}: {self.b} against {self.a}: {self.verdict}"

    @property
    def worst_first(self) -> list[Check]:
        return sorted(self.checks, key=lambda check: [*Verdict].index(check.verdict))


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several: FAIL before CANNOT TELL before PASS; CANNOT TELL of none."""
    return next((one for one in Verdict if one in verdicts), Verdict.CANNOT_TELL)


def judge(
    results: Results, a: str, b: str, directions: Mapping[str, Direction | None], policy: Policy
) -> Gate:
    """The verdict of a policy on candidate `b` against baseline `a`, on one benchmark's results.

    Each rule reads one variant of its metric: its own or the policy's, and where that has no rows
    the other, which the check then names. A rule that names no benchmark is passed over where its
    metric has no rows: see `unread`. Raises `UnknownName` for an editor or a label that is not
    here, and `UsageError` for a metric whose direction is not known.
    """
    pair = results.of_editors([a, b])
    rules = [rule for rule in policy.rules if rule.applies(results.benchmark, directions)]
    checks = (check for rule in rules for check in _checks(pair, rule, directions, policy))
    return Gate(results.benchmark, a, b, tuple(checks))


def unread(
    policy: Policy, a: str, b: str, metrics: Mapping[str, Mapping[str, Direction | None]]
) -> Gate | None:
    """The rules that apply to none of the benchmarks in `metrics` (name -> its metrics): what they
    ask cannot be told. None where there is no such rule.
    """
    left = [r for r in policy.rules if not any(r.applies(*known) for known in metrics.items())]
    return Gate("(no rows)", a, b, tuple(map(_without_rows, left))) if left else None


def _without_rows(rule: Rule) -> Check:
    reason = " ".join(filter(None, ("no", rule.variant, "rows of it", rule.benchmark)))
    return Check(rule.name, rule.kind, Verdict.CANNOT_TELL, reason=reason)


def _checks(
    pair: Results, rule: Rule, directions: Mapping[str, Direction | None], policy: Policy
) -> Iterator[Check]:
    direction, wanted = directions.get(rule.metric), rule.variant or policy.variant
    if rule.metric in directions and direction is None:
        raise UsageError(f"gate: {rule.metric}: it is not known which way is better")
    among = [wanted] if rule.variant else sorted(VARIANTS, key=lambda one: one != wanted)
    variant = next((one for one in among if pair.has(rule.metric, one)), None)
    if direction is None or variant is None:
        yield _without_rows(rule)
        return
    name = rule.name if variant == wanted else f"{rule.name} ({variant})"
    least, wholes = rule.least, pair.of_set(rule.metric, variant)
    if wholes:  # one number of the whole set, and none of a part, has a floor, and no test
        known = [wholes[one].value if one in wholes else math.nan for one in pair.editors]
        values, least = np.full((2, 0 if rule.labels else 1), np.array([known]).T), 1
    else:
        grid = pair.grid(rule.metric, variant)
        mask = grid.defined & pair.samples.matching(rule.labels) if rule.labels else grid.defined
        values = grid.values[:, mask]
    scored, of = int((~np.isnan(values[1])).sum()), len(values[1])
    verdict = Verdict.of(scored >= policy.coverage * of) if of else Verdict.CANNOT_TELL
    numbers = {"samples": of, "coverage": policy.coverage}
    yield Check(name, "coverage", verdict, scored, None, numbers)
    if rule.floor is not None:
        yield _floor(name, values[1], rule.floor, least, direction)
    if rule.margin is not None:
        metric = metrics_of(pair)[rule.metric]
        scale = (metric.low, metric.high)
        if direction == "lower":
            values = -values
            scale = (-metric.high, -metric.low)
        yield _margin(name, values, rule.margin, least=rule.least, alpha=policy.alpha, scale=scale)


def _too_few(name: str, kind: Kind, n: int, least: int) -> Check:
    reason = f"{counted(n, 'sample')} with a score, fewer than {least}"
    return Check(name, kind, Verdict.CANNOT_TELL, n, least, {}, reason)


def _floor(name: str, values: Floats, floor: float, least: int, direction: Direction) -> Check:
    given, higher = values[~np.isnan(values)], direction == "higher"
    if (n := len(given)) < least:
        return _too_few(name, "floor", n, least)
    mean = float(given.mean())
    verdict = Verdict.of(mean == floor or (mean > floor) is higher)
    return Check(name, "floor", verdict, n, None, {"mean": mean, "floor": floor})


def _margin(
    name: str,
    values: Floats,
    margin: float,
    *,
    least: int,
    alpha: float,
    scale: tuple[float, float],
) -> Check:
    """B − A, more is better; one-sided at `alpha`: the interval's confidence is 1 − 2 alpha.

    `values`: (2, S), the scores of A and B, turned so that more is better, as their `scale` is.
    """
    old, new = values
    found = paired_difference(new, old, scale=scale, confidence=1 - 2 * alpha)
    mean = found.difference
    endless = found.infinitely_won + found.infinitely_lost
    if endless:
        reason = f"{counted(endless, 'sample')} with an infinite score of one editor only"
        return Check(name, "margin", Verdict.CANNOT_TELL, found.n, reason=reason)
    least = max(least, LEAST)
    if found.n < least:
        return _too_few(name, "margin", found.n, least)
    differences = paired_values(new, old)
    if not differences.any():  # identical scores are no loss, whatever the margin
        numbers = {"difference": 0.0, "margin": margin}
        return Check(name, "margin", Verdict.PASS, found.n, None, numbers)
    largest = float(np.abs(values[np.isfinite(values)]).max())
    width_of_rounding_errors = 1e-12 * largest
    if math.isnan(found.low) or found.high - found.low <= width_of_rounding_errors:
        return _equal_margin(name, mean, margin, found.n)
    verdict = Verdict.CANNOT_TELL
    needed = None
    room = mean + margin
    if found.low > -margin:
        verdict = Verdict.PASS
    elif found.high < -margin:
        verdict = Verdict.FAIL
    elif room > 0:  # an interval shrinks with the root of the samples' number
        needed = math.ceil(found.n * ((mean - found.low) / room) ** 2)
    numbers = {"difference": mean, "low": found.low, "high": found.high, "margin": margin}
    return Check(name, "margin", verdict, found.n, needed, numbers)


def _equal_margin(name: str, difference: float, margin: float, n: int) -> Check:
    """Return the check of a margin where every sample has one and the same difference.

    There is no interval of it. A loss of the margin or more on every sample fails. Anything else
    cannot be told.
    """
    if difference <= -margin:
        numbers = {"difference": difference, "margin": margin}
        return Check(name, "margin", Verdict.FAIL, n, None, numbers)
    reason = f"all {n:,} differences are equal ({difference:.6g}), so that there is no interval"
    return Check(name, "margin", Verdict.CANNOT_TELL, n, reason=reason)


# -- words -----------------------------------------------------------------------------------------


def verdict_of(gates: Sequence[Gate]) -> Verdict:
    """The verdict on all benchmarks."""
    return together([gate.verdict for gate in gates])


def as_text(gates: Sequence[Gate]) -> str:
    """The verdict first, then a line for each check, those that do not pass before the others."""
    lines = [str(verdict_of(gates))]
    for gate in gates:
        lines.append(gate.title)
        lines += [f"  {check.verdict:<11}  {check.words}" for check in gate.worst_first]
    return "\n".join(plain(line, None) for line in lines) + "\n"


def as_summary(gates: Sequence[Gate]) -> str:
    """As markdown, for a step's summary."""
    lines = [f"## Release gate: {verdict_of(gates)}"]
    for gate in gates:
        lines += ["", f"### {markdown(gate.title, None)}", ""]
        lines += [f"- {one.verdict}: {markdown(one.words, None)}" for one in gate.worst_first]
    return "\n".join(lines) + "\n"


def as_dict(gates: Sequence[Gate]) -> JsonObject:
    """As JSON: ``passed`` is true for PASS alone; a check has its numbers or a reason for none."""

    def said(verdict: Verdict) -> JsonObject:
        return {"passed": verdict is Verdict.PASS, "verdict": verdict.value}

    def check_json(check: Check) -> JsonObject:
        facts: JsonObject = check._asdict()
        facts.update(facts.pop("numbers"))
        return facts

    def gate_json(gate: Gate) -> JsonObject:
        return {**gate._asdict(), **said(gate.verdict), "checks": [*map(check_json, gate.checks)]}

    return {**said(verdict_of(gates)), "gates": [*map(gate_json, gates)]}

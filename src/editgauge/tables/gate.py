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
from editgauge.escape import counted, markdown, plain
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
    def title(self) -> str:
        return f"{self.name}, {self.kind}"

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
        if not rule.applies(results.benchmark, directions):
            continue
        direction, wanted = directions.get(rule.metric), rule.variant or policy.variant
        if rule.metric in directions and direction is None:
            raise UsageError(f"gate: {rule.metric}: it is not known which way is better")
        among = [wanted] if rule.variant else sorted(VARIANTS, key=lambda one: one != wanted)
        variant = next((one for one in among if pair.has(rule.metric, one)), None)
        if direction is None or variant is None:
            checks += _without_rows(rule)
            continue
        if variant != wanted:
            notes.append(f"{rule.metric}: it has no {wanted} rows; read as {variant}.")
        checks += _checks(pair, rule, direction, variant, policy, seed)
    return Gate(benchmark=results.benchmark, a=a, b=b, checks=tuple(checks), notes=tuple(notes))


def unread(
    policy: Policy, a: str, b: str, metrics: Mapping[str, Mapping[str, Direction | None]]
) -> Gate | None:
    """The rules that apply to none of the benchmarks in `metrics` (name -> its metrics): what they
    ask cannot be told. None where there is no such rule.
    """
    left = [r for r in policy.rules if not any(r.applies(*known) for known in metrics.items())]
    checks = [check for rule in left for check in _without_rows(rule)]
    return Gate(benchmark="(no rows)", a=a, b=b, checks=tuple(checks)) if checks else None


def _without_rows(rule: Rule) -> list[Check]:
    message = f"no {rule.variant} rows of it" if rule.variant else "no rows of it"
    message += f" in {rule.benchmark}" if rule.benchmark else ""
    wanted = "scores of both editors"
    return [Check(rule.name, kind, Verdict.CANNOT_TELL, message, wanted, 0) for kind in rule.kinds]


_Said = tuple[Verdict, str, dict[str, Any]]
"""A verdict, what was found, and more of a `Check`."""


def _checks(
    pair: Results, rule: Rule, direction: Direction, variant: Variant, policy: Policy, seed: int
) -> Iterator[Check]:
    wanted: dict[Kind, str] = {
        "coverage": f"at least {100 * policy.coverage:.4g} % of them",
        "floor": f"at {'least' if direction == 'higher' else 'most'} {rule.floor or 0:g}",
        "margin": f"worse by less than {rule.margin:g}" if rule.margin else "not worse at all",
    }

    def check(kind: Kind, said: _Said) -> Check:
        verdict, message, more = said
        return Check(rule.name, kind, verdict, message, wanted[kind], **more)

    wholes = pair.of_set(rule.metric, variant)
    if wholes:  # one number of the whole set has a floor, and no test
        if rule.floor is not None and not rule.labels:
            mine = np.array([wholes[b].value if (b := pair.editors[1]) in wholes else np.nan])
            yield check("floor", _floor(mine, rule.floor, 1, direction))
        if rule.margin is not None or rule.labels:
            message = "one number of the whole set: no test of it"
            yield check(rule.kinds[-1], (Verdict.CANNOT_TELL, message, {}))
        return
    grid = pair.grid(rule.metric, variant)
    mask = grid.defined & pair.samples.matching(rule.labels) if rule.labels else grid.defined
    values = grid.values[:, mask]
    yield check("coverage", _coverage(values[1], policy.coverage))
    if rule.floor is not None:
        yield check("floor", _floor(values[1], rule.floor, rule.least, direction))
    if rule.margin is not None:
        turned = values if direction == "higher" else -values
        yield check("margin", _margin(turned, rule.margin, rule.least, policy.alpha, seed))


def _coverage(values: Floats, least: float) -> _Said:
    scored, of = int((~np.isnan(values)).sum()), len(values)
    verdict = Verdict.PASS if scored >= least * of else Verdict.FAIL
    numbers = {"samples": of, "coverage": least}
    found = f"{scored:,} of {of:,} samples"
    return verdict if of else Verdict.CANNOT_TELL, found, {"n": scored, "numbers": numbers}


def _floor(values: Floats, floor: float, least: int, direction: Direction) -> _Said:
    given = values[~np.isnan(values)]
    if (n := len(given)) < least:
        message = f"{counted(n, 'sample')} with a score, fewer than {least}"
        return Verdict.CANNOT_TELL, message, {"n": n, "needed": least}
    mean = float(given.mean())
    fine = mean >= floor if direction == "higher" else mean <= floor
    verdict = Verdict.PASS if fine else Verdict.FAIL
    return verdict, f"mean {mean:.6g}", {"n": n, "numbers": {"mean": mean, "floor": floor}}


def _margin(values: Floats, margin: float, least: int, alpha: float, seed: int) -> _Said:
    """B − A on the samples both have, more is better. The interval's lower limit is one of a
    one-sided test at `alpha`: its confidence is 1 − 2 alpha.
    """
    old, new = values
    paired = paired_difference(new, old, confidence=1 - 2 * alpha, seed=seed)
    n, mean, low, high = paired[:4]
    endless = int(((np.isinf(old) != np.isinf(new)) & ~np.isnan(values).any(axis=0)).sum())
    if endless:
        message = f"{endless} samples have an infinite score of one editor only"
        return Verdict.CANNOT_TELL, message, {"n": n}
    if n < least:
        message = f"{counted(n, 'sample')} with a score of both, fewer than {least}"
        return Verdict.CANNOT_TELL, message, {"n": n, "needed": least}
    if not np.ptp(paired_values(new, old)):  # all differences are one number: so is the interval
        low = high = mean
    verdict, needed = Verdict.CANNOT_TELL, None
    if low > -margin or low == high == 0.0:  # identical scores are no loss, whatever the margin
        verdict = Verdict.PASS
    elif high < -margin or low == high:
        verdict = Verdict.FAIL
    elif (room := mean + margin) > 0:  # an interval shrinks with the root of the samples' number
        needed = math.ceil(n * ((mean - low) / room) ** 2)
    numbers = {"difference": mean, "low": low, "high": high, "margin": margin}
    found = f"gain {mean:+.4g} [{low:+.4g}, {high:+.4g}]"
    return verdict, found, {"n": n, "needed": needed, "numbers": numbers}


# -- words -----------------------------------------------------------------------------------------


def verdict_of(gates: Sequence[Gate]) -> Verdict:
    """The verdict on all benchmarks."""
    return together([gate.verdict for gate in gates])


def as_text(gates: Sequence[Gate]) -> str:
    """The verdict first, then a line for each check, those that do not pass before the others."""
    lines = [str(verdict_of(gates))]
    for gate in gates:
        lines.append(f"{gate.title}: {gate.verdict}")
        lines += [f"  {c.verdict:<11}  {c.title}: {c.words}" for c in gate.worst_first]
        lines += [f"  note: {note}" for note in gate.notes]
    return "\n".join(plain(line, None) for line in lines) + "\n"


def as_summary(gates: Sequence[Gate]) -> str:
    """As markdown, for a step's summary."""
    lines = [f"## Release gate: {verdict_of(gates)}", ""]
    for gate in gates:
        lines += [f"### {markdown(f'{gate.title}: {gate.verdict}', None)}", ""]
        lines += ["| verdict | check | found and wanted |", "| --- | --- | --- |"]
        cells = ((check.verdict.value, check.title, check.words) for check in gate.worst_first)
        lines += [f"| {' | '.join(map(markdown, line))} |" for line in cells]
        lines += ["", *(f"- {markdown(note, None)}" for note in gate.notes)]
    return "\n".join(lines).rstrip("\n") + "\n"


def as_dict(gates: Sequence[Gate]) -> dict[str, Any]:
    """As JSON values: ``passed`` is true for PASS alone; a check has its numbers, or the reason why
    it has none.
    """

    def said(verdict: Verdict) -> dict[str, Any]:
        return {"passed": verdict is Verdict.PASS, "verdict": verdict.value}

    def check_json(check: Check) -> dict[str, Any]:
        facts = {name: getattr(check, name) for name in ("name", "kind", "verdict", "n", "needed")}
        return {**facts, **(check.numbers or {"reason": check.found})}

    def gate_json(gate: Gate) -> dict[str, Any]:
        facts = {name: getattr(gate, name) for name in ("benchmark", "a", "b", "notes")}
        return {**facts, **said(gate.verdict), "checks": [*map(check_json, gate.checks)]}

    return {**said(verdict_of(gates)), "gates": [*map(gate_json, gates)]}


def as_junit(gates: Sequence[Gate]) -> str:
    """As JUnit XML: a suite for each benchmark, a case for each check. FAIL is a failure and CANNOT
    TELL an error, so that neither is read as passed. Without characters that XML cannot hold.
    """

    def added(above: ElementTree.Element, tag: str, **facts: object) -> ElementTree.Element:
        texts = {name: plain(str(fact), None) for name, fact in facts.items()}
        return ElementTree.SubElement(above, tag, texts)

    root = ElementTree.Element("testsuites", name="editgauge gate")
    for gate in gates:
        verdicts = [check.verdict for check in gate.checks]
        failures, errors = map(verdicts.count, (Verdict.FAIL, Verdict.CANNOT_TELL))
        suite = added(root, "testsuite", name=gate.title, tests=len(verdicts), failures=failures,
                      errors=errors)  # fmt: skip
        for check in gate.checks:
            case = added(suite, "testcase", classname=gate.benchmark, name=check.title)
            if check.verdict is Verdict.PASS:
                added(case, "system-out").text = plain(check.words, None)
            else:
                tag = "failure" if check.verdict is Verdict.FAIL else "error"
                added(case, tag, message=check.words, type=check.verdict)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'

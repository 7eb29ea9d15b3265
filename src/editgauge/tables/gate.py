"""A release gate: a policy of floors, margins, coverage, cost and latency, and its verdict on a
candidate against a baseline. Pure: reads no files but the text of a policy that is handed over.

A margin is a test of non-inferiority: with the difference turned so that more is better, the
candidate passes where the lower limit of the confidence interval lies above −margin, fails where
the upper limit lies below it, and else there are too few samples to tell (Piaggio et al., JAMA 308,
2012). *Cannot tell* is no pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, Final, Literal, cast
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from editgauge import toml
from editgauge.errors import UsageError
from editgauge.escape import markdown, plain
from editgauge.statistics.paired import Pair, Paired, holm, paired_differences
from editgauge.tables.results import Results
from editgauge.types import VARIANTS, Direction, Variant

Floats = NDArray[np.float64]
LEAST_SAMPLES: Final = 30
"""Samples that both editors need for a margin, where a policy names no other number: a bootstrap
interval of fewer is too narrow more often than its confidence says.
"""
CANNOT_TELL_EXIT: Final = 4
"""The exit code of a gate that cannot tell: 2 and 3 are a wrong call's and a budget's."""


Kind = Literal["floor", "margin", "not_worse", "coverage", "cost", "latency"]


class Verdict(StrEnum):
    """What a gate says of one check, or of all of them together."""

    PASS = "PASS"
    FAIL = "FAIL"
    CANNOT_TELL = "CANNOT TELL"


EXIT_CODES: Final[Mapping[Verdict, int]] = {
    Verdict.PASS: 0,
    Verdict.FAIL: 1,
    Verdict.CANNOT_TELL: CANNOT_TELL_EXIT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What one metric must hold, on all samples or on those with the labels in `where`.

    `floor`: the candidate's mean is at least this good (for a metric of which lower is better: at
    most this). `margin`: how much worse than the baseline the candidate may be, in the metric's own
    unit, 0 or more. `not_worse`: no loss that is significant after Holm's correction over the rules
    that ask for it. At least one is given.
    """

    metric: str
    benchmark: str = ""
    variant: Variant | None = None
    where: tuple[str, ...] = ()
    floor: float | None = None
    margin: float | None = None
    not_worse: bool = False
    least: int = LEAST_SAMPLES

    @property
    def name(self) -> str:
        """The metric and, in brackets, the samples that are not all."""
        return f"{self.metric} [{', '.join(self.where)}]" if self.where else self.metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a candidate must hold to be released.

    `coverage`: the least share, 0 to 1, of the benchmark's samples that the candidate must have a
    score of, on the samples of each rule; all of them where a policy does not say. `cost`: the most
    that its outputs may cost on average, in US dollars; `latency`: the most seconds that one may
    take at the quantile `latency_quantile`. `variant`: of the rules that name none.
    """

    rules: tuple[Rule, ...] = ()
    coverage: float = 1.0
    cost: float | None = None
    latency: float | None = None
    latency_quantile: float = 0.95
    variant: Variant = "corrected"
    alpha: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of a verdict: what was asked, of what, what was found."""

    name: str
    kind: Kind
    verdict: Verdict
    found: str
    wanted: str
    n: int | None = None
    needed: int | None = None
    """Samples with which the margin could be told, about; None where that is not the trouble."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """What `found` and `wanted` say, for programs: difference, low, high, margin; mean, floor…"""


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


def together(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several: FAIL before CANNOT TELL before PASS; CANNOT TELL of none."""
    if Verdict.FAIL in verdicts:
        return Verdict.FAIL
    if not verdicts or Verdict.CANNOT_TELL in verdicts:
        return Verdict.CANNOT_TELL
    return Verdict.PASS


# -- policies --------------------------------------------------------------------------------------

_TOP = ("variant", "alpha", "coverage", "cost", "latency", "latency_quantile", "metric")
_RULE = ("name", "benchmark", "variant", "where", "floor", "margin", "not_worse", "least_samples")


def read_policy(text: str, name: str) -> Policy:
    """A policy from its TOML text; `name` is what its errors call it. Raises `UsageError` for
    anything that is not known, is of a wrong kind or out of range: nothing is passed over.
    """
    try:
        data = toml.parsed(text)
    except ValueError as error:
        raise UsageError(f"{name}: is no TOML ({error})") from error
    _known(data, _TOP, name)
    entries = data.get("metric", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError(f"{name}: metric: wanted [[metric]] tables, found {entries!r:.60}")
    variant = _variant(data, name) or "corrected"
    policy = Policy(
        rules=tuple(_rule(entry, f"{name}: metric {n}") for n, entry in enumerate(entries, 1)),
        coverage=_given(_number(data, "coverage", name, 0, 1), 1.0),
        cost=_number(data, "cost", name, 0),
        latency=_number(data, "latency", name, 0),
        latency_quantile=_given(_number(data, "latency_quantile", name, 0, 1), 0.95),
        variant=variant,
        alpha=_given(_number(data, "alpha", name, 0, 0.25), 0.05),
    )
    if policy.alpha == 0:
        raise UsageError(f"{name}: alpha: wanted a number above 0")
    if not policy.rules and policy.cost is None and policy.latency is None:
        raise UsageError(f"{name}: asks for nothing; name a [[metric]], cost or latency")
    return policy


def _rule(entry: Mapping[str, Any], where: str) -> Rule:
    _known(entry, _RULE, where)
    metric, benchmark = entry.get("name"), entry.get("benchmark", "")
    if not isinstance(metric, str) or not metric or not isinstance(benchmark, str):
        raise UsageError(f"{where}: wanted the metric's name as text, found {metric!r:.60}")
    labels = entry.get("where", [])
    labels = [labels] if isinstance(labels, str) else labels
    if not isinstance(labels, list) or not all(isinstance(item, str) for item in labels):
        raise UsageError(f"{where}: where: wanted NAME=VALUE, or a list of them")
    not_worse, least = entry.get("not_worse", False), entry.get("least_samples", LEAST_SAMPLES)
    if not isinstance(not_worse, bool):
        raise UsageError(f"{where}: not_worse: wanted true or false, found {not_worse!r:.60}")
    if not isinstance(least, int) or isinstance(least, bool) or least < 2:
        raise UsageError(f"{where}: least_samples: wanted a whole number from 2, found {least!r}")
    rule = Rule(
        metric=metric,
        benchmark=benchmark,
        variant=_variant(entry, where),
        where=tuple(labels),
        floor=_number(entry, "floor", where),
        margin=_number(entry, "margin", where, 0),
        not_worse=not_worse,
        least=least,
    )
    if rule.floor is None and rule.margin is None and not rule.not_worse:
        raise UsageError(f"{where}: {metric}: wanted a floor, a margin or not_worse = true")
    return rule


def _known(data: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    if unknown := sorted(set(data) - set(names)):
        raise UsageError(f"{where}: {unknown[0]!r} is not known; there are: {', '.join(names)}")


def _number(
    data: Mapping[str, Any], name: str, where: str, low: float = -math.inf, high: float = math.inf
) -> float | None:
    value = data.get(name)
    if value is None:
        return None
    fine = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not fine or not low <= value <= high:
        limits = f" from {low:g} to {high:g}" if math.isfinite(high) else f" from {low:g}"
        wanted = limits if math.isfinite(low) else ""
        raise UsageError(f"{where}: {name}: wanted a number{wanted}, found {value!r:.60}")
    return float(value)


def _given(value: float | None, default: float) -> float:
    return default if value is None else value


def _variant(data: Mapping[str, Any], where: str) -> Variant | None:
    value = data.get("variant")
    if value is not None and value not in VARIANTS:
        raise UsageError(f"{where}: variant: wanted {' or '.join(VARIANTS)}, found {value!r:.60}")
    return cast("Variant | None", value)


# -- judging a candidate ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the candidate's outputs took: seconds and US dollars of those that have a record of
    it, and how many outputs there are.
    """

    outputs: int
    seconds: Sequence[float] = ()
    dollars: Sequence[float] = ()


def judge(
    frame: Results,
    a: str,
    b: str,
    directions: Mapping[str, Direction | None],
    policy: Policy,
    *,
    usage: Usage,
    seed: int = 0,
) -> Gate:
    """The verdict of a policy on candidate `b` against baseline `a`, on one benchmark's frame.

    Each rule reads one variant of its metric: its own or the policy's, and the other, with a note,
    where that has no rows. A rule that names no benchmark is passed over where its metric has no
    rows: see `unread`. Raises `UnknownName` for an editor or a label that is not here, and
    `UsageError` for a metric whose direction is not known.
    """
    pair = frame.of_editors([a, b])
    checks: list[Check] = []
    notes: list[str] = []
    tests: dict[tuple[str, bytes], Paired] = {}
    pending: list[tuple[str, tuple[str, bytes], Direction]] = []
    for rule in policy.rules:
        if not _applies(rule, frame.benchmark, directions):
            continue
        direction = directions.get(rule.metric)
        if rule.metric in directions and direction is None:
            raise UsageError(f"gate: {rule.metric}: it is not known which way is better")
        variant = _readable(pair, rule, policy, notes)
        if direction is None or variant is None:
            checks += _without_rows(rule)
            continue
        sets = pair.of_set(rule.metric, variant).values
        if not np.isnan(sets).all():
            checks += _whole_set(rule, float(sets[1]), direction)
            continue
        values, asked = _values(pair, rule, variant)
        checks += _coverage(rule, policy, values[1], asked)
        if rule.floor is not None:
            checks.append(_floor(rule, values[1], direction))
        key = (rule.metric, values.tobytes())
        if (rule.margin is not None or rule.not_worse) and key not in tests:
            tests[key] = _paired(values, direction, policy.alpha, seed)
        if rule.margin is not None:
            checks.append(_margin(rule, tests[key], direction, _uneven_infinite(values)))
        if rule.not_worse:
            pending.append((rule.name, key, direction))
    checks += _not_worse(pending, tests, policy.alpha)
    checks += _limits(policy, usage)
    return Gate(benchmark=frame.benchmark, a=a, b=b, checks=tuple(checks), notes=tuple(notes))


def unread(
    policy: Policy, a: str, b: str, metrics: Mapping[str, Mapping[str, Direction | None]]
) -> Gate | None:
    """The rules that apply to none of the benchmarks in `metrics` (name -> its metrics): what they
    ask cannot be told. None where there is no such rule.
    """
    checks = [
        check
        for rule in policy.rules
        if not any(_applies(rule, name, known) for name, known in metrics.items())
        for check in _without_rows(rule)
    ]
    return Gate(benchmark="(no rows)", a=a, b=b, checks=tuple(checks)) if checks else None


def _applies(rule: Rule, benchmark: str, metrics: Mapping[str, Direction | None]) -> bool:
    return rule.benchmark == benchmark or (not rule.benchmark and rule.metric in metrics)


def _values(pair: Results, rule: Rule, variant: Variant) -> tuple[Floats, int]:
    """The scores of both (2, S), NaN outside the rule's samples, and how many samples it asks."""
    grid = pair.grid(rule.metric, variant)
    asked = grid.defined
    if rule.where:
        asked = asked & pair.samples.matching(rule.where)
    return np.where(asked, grid.values, np.nan), int(asked.sum())


def _uneven_infinite(values: Floats) -> int:
    """How many samples have a finite score of one editor and an infinite one of the other."""
    both = ~np.isnan(values).any(axis=0)
    return int((np.isinf(values[0]) != np.isinf(values[1]))[both].sum())


def _readable(pair: Results, rule: Rule, policy: Policy, notes: list[str]) -> Variant | None:
    wanted = rule.variant or policy.variant
    if pair.has(rule.metric, wanted):
        return wanted
    others = [variant for variant in VARIANTS if pair.has(rule.metric, variant)]
    if rule.variant is not None or not others:
        return None
    notes.append(f"{rule.metric}: it has no {wanted} rows; read as {others[0]}.")
    return others[0]


def _without_rows(rule: Rule) -> list[Check]:
    found = f"no {rule.variant} rows of it" if rule.variant else "no rows of it"
    found += f" in {rule.benchmark}" if rule.benchmark else ""
    return [
        Check(
            name=rule.name,
            kind=kind,
            verdict=Verdict.CANNOT_TELL,
            found=found,
            wanted="scores of both editors",
            n=0,
        )
        for kind in _asked(rule)
    ]


def _asked(rule: Rule) -> list[Kind]:
    kinds: list[Kind] = []
    kinds += ["floor"] if rule.floor is not None else []
    kinds += ["margin"] if rule.margin is not None else []
    kinds += ["not_worse"] if rule.not_worse else []
    return kinds


def _whole_set(rule: Rule, value: float, direction: Direction) -> list[Check]:
    """Of a metric that is one number of a whole set: it has a floor, and no test."""
    found = []
    for kind in _asked(rule):
        words, verdict = "one number of the whole set: no test of it", Verdict.CANNOT_TELL
        wanted = _better_than(rule, direction) if kind == "floor" else "a test of the difference"
        if kind == "floor" and not rule.where and not math.isnan(value):
            words, verdict = f"{value:.6g}", _holds(rule, value, direction)
        found.append(Check(name=rule.name, kind=kind, verdict=verdict, found=words, wanted=wanted))
    return found


def _better_than(rule: Rule, direction: Direction) -> str:
    return f"{'at least' if direction == 'higher' else 'at most'} {rule.floor:g}"


def _holds(rule: Rule, value: float, direction: Direction) -> Verdict:
    floor = cast(float, rule.floor)
    holds = value >= floor if direction == "higher" else value <= floor
    return Verdict.PASS if holds else Verdict.FAIL


def _coverage(rule: Rule, policy: Policy, values: Floats, asked: int) -> list[Check]:
    scored = int((~np.isnan(values)).sum())
    verdict = Verdict.PASS if asked and scored >= policy.coverage * asked else Verdict.FAIL
    if not asked:
        verdict = Verdict.CANNOT_TELL
    found = f"{scored:,} of {asked:,} samples"
    wanted = f"at least {100 * policy.coverage:.4g} % of them"
    return [
        Check(
            name=rule.name,
            kind="coverage",
            verdict=verdict,
            found=found,
            wanted=wanted,
            n=scored,
            numbers={"samples": asked, "coverage": policy.coverage},
        )
    ]


def _floor(rule: Rule, values: Floats, direction: Direction) -> Check:
    given = values[~np.isnan(values)]
    wanted = _better_than(rule, direction)
    if len(given) < rule.least:
        return Check(
            name=rule.name,
            kind="floor",
            verdict=Verdict.CANNOT_TELL,
            found=f"{len(given)} samples with a score, fewer than {rule.least}",
            wanted=wanted,
            n=len(given),
            needed=rule.least,
        )
    mean = float(given.mean())
    verdict = _holds(rule, mean, direction)
    return Check(
        name=rule.name,
        kind="floor",
        verdict=verdict,
        found=f"mean {mean:.6g}",
        wanted=wanted,
        n=len(given),
        numbers={"mean": mean, "floor": cast(float, rule.floor)},
    )


def _paired(values: Floats, direction: Direction, alpha: float, seed: int) -> Paired:
    """B − A on the samples both have. The interval's lower limit is one of a one-sided test at
    `alpha`: its confidence is 1 − 2 alpha.
    """
    pair = Pair(values[1], values[0], direction == "higher")
    return paired_differences([pair], confidence=1 - 2 * alpha, seed=seed)[0]


def _margin(rule: Rule, paired: Paired, direction: Direction, infinite: int) -> Check:
    margin = cast(float, rule.margin)
    wanted = f"worse by less than {margin:g}" if margin else "not worse at all"
    n = paired.n
    if infinite:
        found = f"{infinite} samples have an infinite score of one editor only"
        return Check(
            name=rule.name,
            kind="margin",
            verdict=Verdict.CANNOT_TELL,
            found=found,
            wanted=wanted,
            n=n,
        )
    low, high, mean = paired.low, paired.high, paired.difference
    if n >= rule.least and math.isnan(low):  # all differences are one number
        low = high = mean
    if n < rule.least or not (math.isfinite(low) and math.isfinite(high)):
        found = f"{n} samples with a score of both, fewer than {rule.least}"
        if n >= rule.least:
            found = "no interval of the difference"
        return Check(
            name=rule.name,
            kind="margin",
            verdict=Verdict.CANNOT_TELL,
            found=found,
            wanted=wanted,
            n=n,
            needed=rule.least,
        )
    if direction == "lower":
        low, high, mean = -high, -low, -mean
    found = f"gain {mean:+.4g} [{low:+.4g}, {high:+.4g}]"
    numbers = {"difference": mean, "low": low, "high": high, "margin": margin}
    made = partial(Check, name=rule.name, kind="margin", found=found, wanted=wanted, n=n,
                   numbers=numbers)  # fmt: skip
    # identical scores have an interval of one point: no loss, and no margin that is too small
    if low > -margin or (low == high == 0.0):
        return made(verdict=Verdict.PASS)
    if high < -margin or (low == high and low < 0 and low <= -margin):
        return made(verdict=Verdict.FAIL)
    return made(verdict=Verdict.CANNOT_TELL, needed=_needed(mean, low, margin, n))


def _needed(mean: float, low: float, margin: float, n: int) -> int | None:
    """With about how many samples the lower limit would lie above −margin, were the difference as
    found: an interval shrinks with the root of their number. None where no number would do.
    """
    room = mean + margin
    return math.ceil(n * ((mean - low) / room) ** 2) if room > 0 else None


def _not_worse(
    pending: Sequence[tuple[str, tuple[str, bytes], Direction]],
    tests: Mapping[tuple[str, bytes], Paired],
    alpha: float,
) -> list[Check]:
    """p after Holm's correction over the different tests among these rules."""
    keys = list(dict.fromkeys(key for _, key, _ in pending))
    adjusted = holm([tests[key].p for key in keys]).tolist() if keys else []
    corrected = dict(zip(keys, adjusted, strict=True))
    found = []
    for name, key, direction in pending:
        paired, p = tests[key], corrected[key]
        gain = -paired.difference if direction == "lower" else paired.difference
        if math.isnan(p):
            verdict, words = Verdict.CANNOT_TELL, f"no test of {paired.n} samples"
        else:
            verdict = Verdict.FAIL if gain < 0 and p < alpha else Verdict.PASS
            words = f"gain {gain:+.4g}, p {p:.2g} (Holm over {len(keys)})"
        wanted = f"no loss with p below {alpha:g}"
        found.append(
            Check(
                name=name,
                kind="not_worse",
                verdict=verdict,
                found=words,
                wanted=wanted,
                n=paired.n,
                numbers={} if math.isnan(p) else {"difference": gain, "p": p, "alpha": alpha},
            )
        )
    return found


def _limits(policy: Policy, usage: Usage) -> list[Check]:
    found: list[Check] = []
    if policy.cost is not None:
        wanted = f"at most {policy.cost:g} US dollars an output, on average"
        found.append(_limit("cost", policy.cost, usage.dollars, usage, wanted, quantile=None))
    if policy.latency is not None:
        q = policy.latency_quantile
        wanted = f"at most {policy.latency:g} s at quantile {q:g}"
        found.append(_limit("latency", policy.latency, usage.seconds, usage, wanted, quantile=q))
    return found


def _limit(
    kind: Literal["cost", "latency"],
    most: float,
    values: Sequence[float],
    usage: Usage,
    wanted: str,
    *,
    quantile: float | None,
) -> Check:
    """A limit on what is recorded of every output; of fewer it cannot be told."""
    name = "US dollars an output" if kind == "cost" else "seconds an output"
    if not values or len(values) < usage.outputs:
        found = f"recorded for {len(values):,} of {usage.outputs:,} outputs"
        return Check(
            name=name,
            kind=kind,
            verdict=Verdict.CANNOT_TELL,
            found=found,
            wanted=wanted,
            n=len(values),
        )
    given = np.asarray(values, dtype=np.float64)
    value = float(given.mean() if quantile is None else np.quantile(given, quantile))
    verdict = Verdict.PASS if value <= most else Verdict.FAIL
    return Check(
        name=name,
        kind=kind,
        verdict=verdict,
        found=f"{value:.4g}",
        wanted=wanted,
        n=len(values),
        numbers={"value": value, "most": most},
    )


# -- words -----------------------------------------------------------------------------------------


def as_text(gates: Sequence[Gate]) -> str:
    """The verdict first, then a line for each check, those that do not pass before the others."""
    lines = [f"{together([gate.verdict for gate in gates])}"]
    for gate in gates:
        lines.append(plain(f"{gate.benchmark}: {gate.b} against {gate.a}: {gate.verdict}", None))
        for check in _worst_first(gate.checks):
            lines.append(
                plain(f"  {check.verdict:<11}  {check.name}, {_KINDS[check.kind]}: ", None)
                + plain(f"{check.found}; wanted: {check.wanted}{_hint(check)}", None)
            )
        lines += [plain(f"  note: {note}", None) for note in gate.notes]
    return "\n".join(lines) + "\n"


_KINDS: Final = {
    "floor": "floor",
    "margin": "margin",
    "not_worse": "not worse",
    "coverage": "coverage",
    "cost": "cost",
    "latency": "latency",
}


def _worst_first(checks: Sequence[Check]) -> list[Check]:
    order = [Verdict.FAIL, Verdict.CANNOT_TELL, Verdict.PASS]
    return sorted(checks, key=lambda check: order.index(check.verdict))


def _hint(check: Check) -> str:
    return f" (about {check.needed:,} samples would tell)" if check.needed else ""


def as_dict(gates: Sequence[Gate]) -> dict[str, Any]:
    """As JSON values: ``passed`` is true for PASS alone."""
    verdict = together([gate.verdict for gate in gates])
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
                "checks": [
                    {
                        "name": check.name,
                        "kind": check.kind,
                        "verdict": check.verdict.value,
                        "n": check.n,
                        "needed": check.needed,
                        **(check.numbers or {"reason": check.found}),
                    }
                    for check in gate.checks
                ],
                "notes": list(gate.notes),
            }
            for gate in gates
        ],
    }


def as_junit(gates: Sequence[Gate]) -> str:
    """As JUnit XML: a suite for each benchmark, a case for each check. FAIL is a failure and CANNOT
    TELL an error, so that neither is read as passed.
    """
    root = ElementTree.Element("testsuites", name="editgauge gate")
    for gate in gates:
        counts = [check.verdict for check in gate.checks]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_xml(f"{gate.benchmark}: {gate.b} against {gate.a}"),
            tests=str(len(counts)),
            failures=str(counts.count(Verdict.FAIL)),
            errors=str(counts.count(Verdict.CANNOT_TELL)),
        )
        for check in gate.checks:
            case = ElementTree.SubElement(
                suite, "testcase", classname=_xml(gate.benchmark), name=_xml(_case(check))
            )
            words = _xml(f"{check.found}; wanted: {check.wanted}{_hint(check)}")
            if check.verdict is not Verdict.PASS:
                tag = "failure" if check.verdict is Verdict.FAIL else "error"
                ElementTree.SubElement(case, tag, message=words, type=check.verdict.value)
            else:
                ElementTree.SubElement(case, "system-out").text = words
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(check: Check) -> str:
    return f"{check.name}, {_KINDS[check.kind]}"


def _xml(text: str) -> str:
    """Text without the characters that XML 1.0 cannot hold."""
    return plain(text, None)


def as_summary(gates: Sequence[Gate]) -> str:
    """As markdown, for a step's summary."""
    lines = [f"## Release gate: {together([gate.verdict for gate in gates])}", ""]
    for gate in gates:
        title = f"{gate.benchmark}: {gate.b} against {gate.a}: {gate.verdict}"
        lines += [f"### {markdown(title, None)}", ""]
        lines += ["| verdict | check | found | wanted |", "| --- | --- | --- | --- |"]
        for check in _worst_first(gate.checks):
            cells = [
                check.verdict.value,
                _case(check),
                check.found,
                check.wanted + _hint(check),
            ]
            lines.append("| " + " | ".join(markdown(cell) for cell in cells) + " |")
        lines += ["", *(f"- {markdown(note, None)}" for note in gate.notes)]
    return "\n".join(lines).rstrip("\n") + "\n"

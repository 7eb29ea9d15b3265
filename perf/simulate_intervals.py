"""Print how often 95 % intervals hold the truth, and how often p is small where nothing differs.

Run: python perf/simulate_intervals.py [--studies 1000] [PART ...]

PART is one of: means, strata, formulas, paired, prediction, coefficients, comparisons, tests. A
cell is the share of simulated studies whose interval holds the truth, in percent (1,000 studies:
± 0.7), with `low` below 93, `high` above 97.5, how many studies have no interval, and how many
values lie outside of their own interval (none should).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from editgauge.statistics.agreement import alpha_of, coincidences, kappa_of, kappa_parts
from editgauge.statistics.correlation import (
    coefficient_interval,
    pearson_interval,
    spearman_rows,
)
from editgauge.statistics.limits import CORRELATION, SHARE, UNBOUNDED, Scale
from editgauge.statistics.paired import paired_difference, sign_flip_p
from editgauge.statistics.prediction import corrected_mean
from editgauge.statistics.ranks import bradley_terry
from editgauge.statistics.resampling import (
    Estimate,
    Moments,
    intervals,
    mean_interval,
    pooled,
    pooled_mean_interval,
    units,
)

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Random = np.random.Generator

RATING: Scale = (1.0, 5.0)
POSITIVE: Scale = (0.0, math.inf)
SIZES = (6, 10, 30, 100)
STRATA: dict[int, tuple[int, ...]] = {
    2: (160, 40),
    4: (140, 30, 20, 10),
    13: (285, 176, 146, 139, 117, 84, 47, 42, 37, 36, 31, 22, 20),
}


class Interval(NamedTuple):
    """One interval of a study; NaN where none was given."""

    value: float
    low: float
    high: float


class Coverage:
    """Counts the studies whose interval holds the truth."""

    def __init__(self) -> None:
        self.studies = 0
        self.given = 0
        self.held = 0
        self.outside = 0

    def add(self, interval: Interval, truth: float) -> None:
        self.studies += 1
        low = interval.low - 1e-9
        high = interval.high + 1e-9
        if math.isnan(low):
            return
        self.given += 1
        self.held += low <= truth <= high
        self.outside += not low <= interval.value <= high

    def cell(self) -> str:
        if not self.given:
            return "none"
        percent = 100 * self.held / self.given
        words = [f"{percent:.1f}"]
        if percent < 93:
            words.append("low")
        if percent > 97.5:
            words.append("high")
        if self.given < self.studies:
            words.append(f"({self.studies - self.given} without)")
        if self.outside:
            words.append(f"({self.outside} OUTSIDE)")
        return " ".join(words)


def coverage_of(found: Iterable[Interval], truth: float) -> str:
    coverage = Coverage()
    for interval in found:
        coverage.add(interval, truth)
    return coverage.cell()


def as_interval(found: Estimate) -> Interval:
    return Interval(found.value, found.low, found.high)


def print_table(title: str, columns: Sequence[str], rows: dict[str, list[str]]) -> None:
    print(f"\n| {title} | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for name, cells in rows.items():
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


# -- means -----------------------------------------------------------------------------------------


class Population(NamedTuple):
    """A distribution of scores: its draws of any shape, its mean, and its scale."""

    draw: Callable[[Random, tuple[int, ...]], Floats]
    mean: float
    scale: Scale


def yes_or_no(p: float) -> Population:
    return Population(lambda r, shape: (r.random(shape) < p) * 1.0, p, SHARE)


def lognormal(sigma: float) -> Population:
    mean = math.exp(sigma**2 / 2)
    return Population(lambda r, shape: r.lognormal(0, sigma, shape), mean, POSITIVE)


def gamma(shape_of: float) -> Population:
    return Population(lambda r, shape: r.gamma(shape_of, 1, shape), shape_of, POSITIVE)


def ratings(shares: Sequence[float]) -> Population:
    steps = np.arange(1.0, 6.0)
    mean = float(steps @ np.asarray(shares))
    return Population(lambda r, shape: r.choice(steps, shape, p=shares), mean, RATING)


def beta(a: float, b: float) -> Population:
    return Population(lambda r, shape: r.beta(a, b, shape), a / (a + b), CORRELATION)


POPULATIONS: dict[str, Population] = {
    "normal": Population(lambda r, shape: r.normal(size=shape), 0.0, UNBOUNDED),
    "ratings 1 to 5": ratings((0.05, 0.1, 0.2, 0.3, 0.35)),
    "ratings 1 to 5, most 5": ratings((0.02, 0.02, 0.06, 0.2, 0.7)),
    "SSIM-like: beta (20, 1.5)": beta(20, 1.5),
    "SSIM-like: beta (3, 0.3)": beta(3, 0.3),
    "log-normal, sigma 0.5": lognormal(0.5),
    "log-normal, sigma 1": lognormal(1.0),
    "log-normal, sigma 1.2": lognormal(1.2),
    "gamma 0.5": gamma(0.5),
    "exponential": gamma(1.0),
    "gamma 2": gamma(2.0),
    "Weibull 0.7": Population(
        lambda r, shape: r.weibull(0.7, shape), math.gamma(1 + 1 / 0.7), POSITIVE
    ),
    "Pareto 3": Population(lambda r, shape: 1 + r.pareto(3, shape), 1.5, POSITIVE),
    "minus log-normal (PSNR-like)": Population(
        lambda r, shape: -r.lognormal(0, 1, shape), -math.exp(0.5), UNBOUNDED
    ),
    "Student's t, 3 degrees": Population(
        lambda r, shape: r.standard_t(3, size=shape), 0.0, UNBOUNDED
    ),
    "yes 5 %": yes_or_no(0.05),
    "yes 10 %": yes_or_no(0.1),
    "yes 20 %": yes_or_no(0.2),
    "yes 50 %": yes_or_no(0.5),
    "yes 79 %": yes_or_no(0.79),
    "yes 95 %": yes_or_no(0.95),
}


def simulate_means(studies: int) -> None:
    rows = {}
    for name, population in POPULATIONS.items():
        cells = []
        for n in SIZES:
            values = population.draw(np.random.default_rng(1), (studies, n))
            found = [as_interval(mean_interval(line, population.scale)) for line in values]
            cells.append(coverage_of(found, population.mean))
        rows[name] = cells
    print_table("Means", [f"n = {n}" for n in SIZES], rows)
    rows = {}
    for name, population in POPULATIONS.items():
        if population.scale == SHARE:
            continue
        cells = []
        for n in (10, 30, 100):
            random = np.random.default_rng(2)
            found = []
            for _ in range(studies):
                samples = population.draw(random, (n, 1))
                repeats = samples + 0.3 * random.normal(size=(n, 3))
                found.append(as_interval(pooled_mean_interval(repeats)))
            cells.append(coverage_of(found, population.mean))
        rows[name] = cells
    print_table("Means of 3 repeats a sample", ["n = 10", "n = 30", "n = 100"], rows)


def simulate_strata(studies: int) -> None:
    """Means of all samples of a table whose strata have different levels."""
    rows = {}
    for name, population in POPULATIONS.items():
        if population.scale == SHARE:
            continue
        cells = []
        for sizes in STRATA.values():
            labels = np.repeat(np.arange(len(sizes)), sizes)
            level = np.zeros(len(labels))
            if not math.isfinite(population.scale[1]):
                level = labels / len(sizes)
            values = population.draw(np.random.default_rng(3), (studies, len(labels))) + level
            table = intervals(units(values.T), strata=pooled(labels))
            found = [Interval(*line) for line in zip(*table, strict=True)]
            cells.append(coverage_of(found, population.mean + float(level.mean())))
        rows[name] = cells
    print_table("Means over strata", [f"{count} strata" for count in STRATA], rows)


def psnr(moments: Moments) -> Floats:
    return np.asarray(-10 * np.log10(moments.mean))


def average(moments: Moments) -> Floats:
    return np.asarray(moments.mean.mean(axis=-1, keepdims=True))


def simulate_formulas(studies: int) -> None:
    """Cells that are made of means: the PSNR of a mean error, the average of two dimensions."""
    rows: dict[str, list[str]] = {}
    for sigma in (0.5, 1.0):
        truth = -10 * math.log10(math.exp(sigma**2 / 2))
        cells = []
        for n in SIZES:
            random = np.random.default_rng(4)
            found = []
            for _ in range(studies):
                data = units(random.lognormal(0, sigma, n))
                line = intervals(data, psnr, least=10)
                found.append(Interval(line.estimate[0], line.low[0], line.high[0]))
            cells.append(coverage_of(found, truth))
        rows[f"PSNR of a mean error, log-normal {sigma}"] = cells
    rating = POPULATIONS["ratings 1 to 5"]
    cells = []
    for n in SIZES:
        random = np.random.default_rng(5)
        found = []
        for _ in range(studies):
            values = np.full((2 * n, 2), np.nan)
            values[:n, 0] = rating.draw(random, (n,))
            values[n:, 1] = rating.draw(random, (n,))
            strata = np.repeat([0, 1], n)
            line = intervals(units(values), average, strata=strata)
            found.append(Interval(line.estimate[0], line.low[0], line.high[0]))
        cells.append(coverage_of(found, rating.mean))
    rows["average of two dimensions, ratings"] = cells
    print_table("Formulas of means", [f"n = {n}" for n in SIZES], rows)


# -- paired differences ----------------------------------------------------------------------------


def paired_scores(kind: str, random: Random, n: int) -> tuple[Floats, Floats, float, Scale]:
    """Return the scores of two editors (n,), the true mean difference and the scale."""
    sample = random.normal(size=n)
    first = (sample + random.normal(size=n)) / math.sqrt(2)
    second = (sample + random.normal(size=n)) / math.sqrt(2)
    if kind == "normal":
        return first + 0.3, second, 0.3, UNBOUNDED
    if kind == "ratings 1 to 5":
        a = np.clip(np.round(3.5 + first), 1, 5)
        b = np.clip(np.round(3.5 + second), 1, 5)
        return a, b, 0.0, RATING
    if kind == "log-normal":
        return np.exp(first), np.exp(second), 0.0, POSITIVE
    if kind == "log-normal, a factor":
        factor = random.lognormal(-0.125, 0.5, n)
        return np.exp(sample) * factor, np.exp(sample), 0.0, POSITIVE
    if kind == "yes 80 % and 70 %":
        return (first < 0.8416212) * 1.0, (second < 0.5244005) * 1.0, 0.1, SHARE
    return (first < 1.6448536) * 1.0, (second < 1.0364334) * 1.0, 0.1, SHARE


PAIRED = (
    "normal",
    "ratings 1 to 5",
    "log-normal",
    "log-normal, a factor",
    "yes 80 % and 70 %",
    "yes 95 % and 85 %",
)


def simulate_paired(studies: int) -> None:
    rows = {}
    for kind in PAIRED:
        cells = []
        for n in SIZES:
            random = np.random.default_rng(6)
            coverage = Coverage()
            for _ in range(studies):
                a, b, truth, scale = paired_scores(kind, random, n)
                found = paired_difference(a, b, scale=scale)
                coverage.add(Interval(found.difference, found.low, found.high), truth)
            cells.append(coverage.cell())
        rows[kind] = cells
    print_table("Paired differences", [f"n = {n}" for n in SIZES], rows)


# -- people and a judge ----------------------------------------------------------------------------


class Design(NamedTuple):
    """Strata of ratings: their sizes, and how much higher each rates than the one before."""

    name: str
    sizes: tuple[int, ...]
    step: float


DESIGNS = (
    Design("1 stratum", (200,), 0.0),
    Design("2 strata", STRATA[2], 1.0),
    Design("2 strata, 900 and 100", (900, 100), 1.0),
    Design("4 strata", STRATA[4], 0.4),
    Design("4 strata far apart", STRATA[4], 1.2),
    Design("13 strata", STRATA[13], 0.13),
)
RATED = (3, 5, 8, 10, 30)
ANSWERS: dict[str, tuple[Callable[[Floats], Floats], Scale]] = {
    "any number": (lambda t: 3 + t, UNBOUNDED),
    "1 to 5": (lambda t: np.clip(np.round(3 + 1.1 * t), 1, 5), RATING),
    "1 to 5, most 5": (lambda t: np.clip(np.round(4.6 + t), 1, 5), RATING),
    "yes 50 %": (lambda t: (t > 0) * 1.0, SHARE),
    "yes 79 %": (lambda t: (t > -0.8) * 1.0, SHARE),
    "yes 95 %": (lambda t: (t > -1.645) * 1.0, SHARE),
}


def study_of(
    random: Random, design: Design, answer: Callable[[Floats], Floats]
) -> tuple[Floats, Floats, Labels]:
    """Return ratings, scores of a judge (correlation about 0.7) and strata, each (S,)."""
    labels = np.repeat(np.arange(len(design.sizes)), design.sizes)
    level = design.step * (labels - labels.mean())
    truth = random.normal(size=len(labels)) + level
    scores = 0.7 * truth + 0.71 * random.normal(size=len(labels))
    return answer(truth), scores, labels


def some_rated(random: Random, values: Floats, labels: Labels, rated: int) -> Floats:
    """Return the ratings of so many samples of each stratum, or of all of a small one."""
    seen = np.full(len(values), np.nan)
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        chosen = random.permutation(inside)[:rated]
        seen[chosen] = values[chosen]
    return seen


def simulate_prediction(studies: int) -> None:
    rows = {}
    for design in DESIGNS:
        for kind, (answer, scale) in ANSWERS.items():
            cells = []
            for rated in RATED:
                random = np.random.default_rng(7)
                coverage = Coverage()
                for _ in range(studies):
                    y, f, labels = study_of(random, design, answer)
                    seen = some_rated(random, y, labels, rated)
                    found = corrected_mean(seen, f, strata=labels, scale=scale)
                    interval = Interval(found.value, found.low, found.high)
                    coverage.add(interval, float(y.mean()))
                cells.append(coverage.cell())
            rows[f"{design.name}, {kind}"] = cells
    print_table("People and a judge", [f"{rated} rated in each" for rated in RATED], rows)


# -- agreement -------------------------------------------------------------------------------------


def raters(random: Random, kind: str, rho: float, n: int, editors: int) -> tuple[Floats, Floats]:
    """Return two raters' scores (n, editors) whose latent correlation is rho.

    Half of the variance is that of the sample, which all of its editors share.
    """
    shared = random.normal(size=(n, 1)) if editors > 1 else np.zeros((n, 1))
    own = random.normal(size=(n, editors))
    x = (shared + own) / math.sqrt(2) if editors > 1 else own
    y = rho * x + math.sqrt(1 - rho**2) * random.normal(size=(n, editors))
    if kind == "ratings":
        a = np.clip(np.round(3 + 1.1 * x), 1, 5)
        return a, np.clip(np.round(3.3 + 1.1 * y), 1, 5)
    if kind == "log-normal":
        return np.exp(x), np.exp(y)
    return x, y


def kappa(a: Floats, b: Floats) -> Estimate:
    return coefficient_interval(kappa_parts(a, b), kappa_of)


def alpha(a: Floats, b: Floats) -> Estimate:
    """Return Krippendorff's alpha as `study agree` makes it."""
    samples, editors = a.shape
    parts = coincidences(np.stack([a.ravel(), b.ravel()]))
    size = parts.shape[-1]
    summed = parts.reshape(samples, editors, size * size).sum(axis=1)
    lines = np.concatenate([summed, summed.sum(axis=1, keepdims=True)], axis=1)

    def statistic(total: Floats) -> Floats:
        return alpha_of(total[..., :-1].reshape(*total.shape[:-1], size, size))

    return coefficient_interval(lines, statistic)


def rank_correlation(a: Floats, b: Floats) -> Estimate:
    return pooled_mean_interval(spearman_rows(a, b), CORRELATION)


def equal_share(a: Floats, b: Floats) -> Estimate:
    return pooled_mean_interval((a == b) * 1.0, SHARE)


def bias(a: Floats, b: Floats) -> Estimate:
    return pooled_mean_interval(b - a, of_differences=True)


def mean_error(a: Floats, b: Floats) -> Estimate:
    return pooled_mean_interval(np.abs(a - b), POSITIVE)


class Measure(NamedTuple):
    """A measure of agreement, the scores that it is simulated on, and the editors of a sample."""

    name: str
    function: Callable[[Floats, Floats], Estimate]
    kind: str
    editors: int


MEASURES = (
    Measure("Pearson", pearson_interval, "normal", 1),
    Measure("Pearson", pearson_interval, "ratings", 1),
    Measure("Pearson", pearson_interval, "log-normal", 1),
    Measure("Pearson, 4 editors", pearson_interval, "normal", 4),
    Measure("kappa", kappa, "ratings", 1),
    Measure("kappa, 4 editors", kappa, "ratings", 4),
    Measure("Krippendorff's alpha", alpha, "ratings", 1),
    Measure("Krippendorff's alpha, 4 editors", alpha, "ratings", 4),
    Measure("Spearman per sample, 2 editors", rank_correlation, "normal", 2),
    Measure("Spearman per sample, 4 editors", rank_correlation, "ratings", 4),
    Measure("equal verdicts", equal_share, "ratings", 1),
    Measure("equal verdicts, 4 editors", equal_share, "ratings", 4),
    Measure("bias", bias, "ratings", 1),
    Measure("bias, 4 editors", bias, "ratings", 4),
    Measure("mean absolute error", mean_error, "normal", 1),
    Measure("mean absolute error, 4 editors", mean_error, "ratings", 4),
)
MANY = 100_000


def simulate_coefficients(studies: int) -> None:
    rows = {}
    sizes = (6, 10, 30, 100)
    for measure in MEASURES:
        for rho in (0.0, 0.5, 0.9):
            random = np.random.default_rng(8)
            many = raters(random, measure.kind, rho, MANY, measure.editors)
            truth = _value(measure, *many)
            cells = []
            for n in sizes:
                random = np.random.default_rng(9)
                found = []
                for _ in range(studies):
                    a, b = raters(random, measure.kind, rho, n, measure.editors)
                    found.append(as_interval(measure.function(a, b)))
                cells.append(coverage_of(found, truth))
            rows[f"{measure.name}, {measure.kind}, {rho}"] = cells
    print_table("Agreement", [f"n = {n}" for n in sizes], rows)


def _value(measure: Measure, a: Floats, b: Floats) -> float:
    """Return a measure of very many samples, which is taken for the truth."""
    if measure.function is rank_correlation:
        return float(np.nanmean(spearman_rows(a, b)))
    if measure.function is alpha:
        flat = np.stack([a.ravel(), b.ravel()])
        return float(alpha_of(coincidences(flat).sum(axis=0)))
    return measure.function(a, b).value


def simulate_comparisons(studies: int) -> None:
    """Bradley-Terry strengths of 3 editors, each pair compared once on every sample."""
    truth = np.array([0.5, 0.0, -0.5])
    chance = 1 / (1 + np.exp(truth[None, :] - truth[:, None]))  # the row's editor wins
    sizes = (6, 10, 30, 100)
    rows: dict[str, list[str]] = {f"strength {strength:+g}": [] for strength in truth}
    for n in sizes:
        random = np.random.default_rng(10)
        coverage = [Coverage() for _ in truth]
        for _ in range(max(1, studies // 5)):
            wins = np.zeros((n, 3, 3))
            for i, j in ((0, 1), (0, 2), (1, 2)):
                first = random.random(n) < chance[i, j]
                wins[first, i, j] = 1.0
                wins[~first, j, i] = 1.0
            found = bradley_terry(wins)
            for k, counted in enumerate(coverage):
                interval = Interval(found.strength[k], found.low[k], found.high[k])
                counted.add(interval, float(truth[k]))
        for name, counted in zip(rows, coverage, strict=True):
            rows[name].append(counted.cell())
    title = f"Bradley-Terry ({max(1, studies // 5)} studies)"
    print_table(title, [f"n = {n}" for n in sizes], rows)


# -- tests -----------------------------------------------------------------------------------------


NO_DIFFERENCE: dict[str, Callable[[Random, int], Floats]] = {
    "normal": lambda r, n: r.normal(size=n),
    "ratings": lambda r, n: r.integers(-2, 3, n) * 1.0,
    "log-normal": lambda r, n: r.lognormal(size=n) - r.lognormal(size=n),
}


def simulate_tests(studies: int) -> None:
    rows = {}
    for name, draw in NO_DIFFERENCE.items():
        cells = []
        for n in (12, 40, 200, 1000):
            random = np.random.default_rng(11)
            p = np.array([sign_flip_p(draw(random, n)) for _ in range(studies)])
            cells.append(f"{np.mean(p <= 0.05):.1%}, {np.mean(p <= 0.01):.1%}")
        rows[name] = cells
    columns = ["n = 12", "n = 40", "n = 200", "n = 1,000"]
    print_table("p at most 0.05, 0.01 where nothing differs", columns, rows)


PARTS: dict[str, Callable[[int], None]] = {
    "means": simulate_means,
    "strata": simulate_strata,
    "formulas": simulate_formulas,
    "paired": simulate_paired,
    "prediction": simulate_prediction,
    "coefficients": simulate_coefficients,
    "comparisons": simulate_comparisons,
    "tests": simulate_tests,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Print the coverage of all 95 % intervals.")
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    parser.add_argument("--studies", type=int, default=1000)
    options = parser.parse_args()
    print(f"{options.studies} studies each")
    for part in options.parts:
        PARTS[part](options.studies)


if __name__ == "__main__":
    main()

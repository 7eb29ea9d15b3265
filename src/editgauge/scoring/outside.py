"""Scorers of other packages: found by their entry points, and marked with the package and version
that they come from.

An entry point of the group ``editgauge.scorers`` names a scorer, or a function that is called with
the options of the command line and gives one or several.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.types import (
    BatchScorer,
    Benchmark,
    Edit,
    Metric,
    Sample,
    Score,
    Scorer,
    SetScorer,
    StreamScorer,
    Track,
)


class Scorers(NamedTuple):
    """The scorers of a call, the packages that are not ours, and which of them cannot be used."""

    scorers: list[Scorer | SetScorer]
    plugins: list[dict[str, str]]
    """kind, name, package and version of each."""
    problems: list[str]


def scorers_of(
    benchmark: Benchmark, tracks: Sequence[Track], *, everything: bool = False, **options: Any
) -> Scorers:
    """A benchmark's scorers of these tracks, and those of every package that has any.

    With `everything` outside scorers are taken whatever their track. A package that is broken costs
    its own scorers and nothing else. An outside scorer under the name of one that is there, or with
    a metric that is, is left out and named.
    """
    own = own_scorers(benchmark, tracks, **options)
    package = catalog.source_of("benchmarks", benchmark.name)
    chosen = Scorers(own if not package.name else [marked(s, package) for s in own], [], [])
    if package.name:
        chosen.plugins.append(package.as_dict("benchmark", benchmark.name))
    declared = set(benchmark.every_metric)
    taken = {scorer.name for scorer in own}
    for name in catalog.names("scorers"):
        try:
            scorers = made(name, **options)
        except EditgaugeError as error:
            chosen.problems.append(str(error))
            continue
        package = catalog.source_of("scorers", name)
        for scorer in scorers:
            metrics = {metric.name for metric in scorer.metrics}
            if scorer.name in taken or metrics & declared:
                chosen.problems.append(
                    f"scorer {name} (package {package.name}): {benchmark.name} has its own "
                    f"{', '.join(sorted(metrics & declared)) or scorer.name}; left out"
                )
            elif everything or scorer.track in tracks:
                taken.add(scorer.name)
                declared |= metrics
                chosen.scorers.append(marked(scorer, package))
                chosen.plugins.append(package.as_dict("scorer", name))
    return chosen


def own_scorers(
    benchmark: Benchmark, tracks: Sequence[Track], **options: Any
) -> list[Scorer | SetScorer]:
    """The scorers that a benchmark declares for these tracks.

    Raises `PluginError` naming the benchmark and its package where another package's function fails
    or gives something else; `MissingExtra` and other errors of ours pass.
    """
    try:
        scorers = list(benchmark.scorers(tracks, **options))
    except (EditgaugeError, ImportError):
        raise
    except Exception as error:
        if not catalog.source_of("benchmarks", benchmark.name).name:
            raise
        why = f"scorers: {type(error).__name__}: {error}"
        raise catalog.broken("benchmarks", benchmark.name, why) from error
    for scorer in scorers:
        if not isinstance(scorer, Scorer | SetScorer) or isinstance(scorer, type):
            why = f"scorers: wanted scorers, found {scorer!r:.60}"
            raise catalog.broken("benchmarks", benchmark.name, why)
    return scorers


def made(name: str, **options: Any) -> list[Scorer | SetScorer]:
    """The scorers behind an entry point. Raises `PluginError` where there is none, or the package
    is broken.
    """
    thing = catalog.find("scorers", name)
    if not isinstance(thing, Scorer | SetScorer) or isinstance(thing, type):
        try:
            thing = thing(**options)
        except EditgaugeError:
            raise
        except Exception as error:  # somebody's package: its fault is one line
            raise catalog.broken("scorers", name, f"{type(error).__name__}: {error}") from error
    scorers = list(thing) if isinstance(thing, list | tuple) else [thing]
    for scorer in scorers:
        if not isinstance(scorer, Scorer | SetScorer) or isinstance(scorer, type):
            raise catalog.broken("scorers", name, f"wanted a scorer, found {scorer!r:.60}")
        for metric in scorer.metrics:
            if metric.direction is None and not metric.of_sample:
                raise catalog.broken("scorers", name, f"metric {metric.name} has no direction")
    return scorers


def marked(scorer: Scorer | SetScorer, package: catalog.Package) -> Scorer | SetScorer:
    """The scorer with its package and version in its origin, and so in its rows."""
    if isinstance(scorer, StreamScorer):
        return cast(Scorer, _OutsideStream(scorer, package))
    if isinstance(scorer, BatchScorer):
        return cast(Scorer, _OutsideBatch(scorer, package))
    if isinstance(scorer, Scorer):
        return cast(Scorer, _Outside(scorer, package))
    return cast(SetScorer, _OutsideSet(scorer, package))


@dataclass(frozen=True)
class _Origin:
    scorer: Any
    package: catalog.Package

    @property
    def name(self) -> str:
        return str(self.scorer.name)

    @property
    def track(self) -> Track:
        return cast(Track, self.scorer.track)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(self.scorer.metrics)

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.scorer.inputs)

    @property
    def source(self) -> str:
        return str(self.scorer.source)

    @property
    def num_cpus(self) -> Any:
        return getattr(self.scorer, "num_cpus", 1.0)

    @property
    def num_gpus(self) -> Any:
        return getattr(self.scorer, "num_gpus", 0.0)

    @property
    def memory(self) -> Any:
        return getattr(self.scorer, "memory", 0)

    @property
    def pixel_memory(self) -> Any:
        return getattr(self.scorer, "pixel_memory", 0)

    def origin(self) -> Mapping[str, Any]:
        return {
            **self.scorer.origin(),
            "package": self.package.name,
            "package_version": self.package.version,
        }


class _Outside(_Origin):
    def applies(self, sample: Sample) -> str | None:
        return cast("str | None", self.scorer.applies(sample))

    def __call__(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        return cast(Sequence[Score], self.scorer(sample, edit))


class _OutsideBatch(_Outside):
    @property
    def batch_size(self) -> int:
        return int(self.scorer.batch_size)

    def score_batch(self, pairs: Sequence[tuple[Sample, Edit]]) -> Sequence[Sequence[Score]]:
        return cast(Sequence[Sequence[Score]], self.scorer.score_batch(pairs))


class _OutsideStream(_OutsideBatch):
    def score_stream(
        self, pairs: Sequence[tuple[Sample, Edit]]
    ) -> Iterator[tuple[int, Sequence[Score]]]:
        return cast(Iterator[tuple[int, Sequence[Score]]], self.scorer.score_stream(pairs))


class _OutsideSet(_Origin):
    def __call__(self, pairs: Sequence[tuple[Sample, Edit]]) -> Sequence[Score]:
        return cast(Sequence[Score], self.scorer(pairs))

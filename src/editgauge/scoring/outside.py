"""The scorers of a call: a benchmark's own, and other packages' by the entry points of the group
``editgauge.scorers`` (a scorer, or a function of options). Rows name package and version.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.scoring.scorer import Scorer
from editgauge.types import Benchmark, JsonObject, Track


@dataclass
class Scorers:
    """The scorers of a call, and which cannot be used. `packages`: scorer -> the package that it
    comes from, where that is not ours.
    """

    scorers: list[Scorer]
    packages: dict[str, catalog.Package] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def origins(self) -> dict[str, JsonObject]:
        """Scorer -> its origin, with the package and version that it comes from."""
        origins = {}
        for scorer in self.scorers:
            package = self.packages.get(scorer.name)
            of = {"package": package.name, "package_version": package.version} if package else {}
            origins[scorer.name] = {**scorer.origin(), **of}
        return origins


def scorers_of(
    benchmark: Benchmark, tracks: Sequence[Track], *, everything: bool = False, **options: Any
) -> Scorers:
    """A benchmark's scorers of these tracks, and those of every package (with `everything` whatever
    their track).

    A package that is broken costs its own scorers and nothing else. An outside scorer under the
    name of one that is there, or with a metric that is, is left out and named.
    """
    chosen = Scorers(own_scorers(benchmark, tracks, **options))
    taken = {scorer.name for scorer in chosen.scorers}
    package = catalog.source_of("benchmarks", benchmark.name)
    if package.name:
        chosen.packages |= dict.fromkeys(taken, package)
    declared = set(benchmark.every_metric)
    for name in catalog.names("scorers"):
        package = catalog.source_of("scorers", name)
        try:
            scorers = made(name, **options)
        except EditgaugeError as error:
            chosen.problems.append(str(error))
            continue
        for scorer in scorers:
            metrics = {metric.name for metric in scorer.metrics}
            if scorer.name in taken or metrics & declared:
                there = ", ".join(sorted(metrics & declared)) or scorer.name
                why = f"{benchmark.name} has its own {there}; left out"
                chosen.problems.append(f"scorer {name} (package {package.name}): {why}")
            elif everything or scorer.track in tracks:
                taken.add(scorer.name)
                declared |= metrics
                chosen.scorers.append(scorer)
                chosen.packages[scorer.name] = package
    return chosen


def own_scorers(benchmark: Benchmark, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
    """A benchmark's own. Raises `PluginError` where another package's function fails."""
    return _checked("benchmarks", benchmark.name, lambda: benchmark.scorers(tracks, **options))


def made(name: str, **options: Any) -> list[Scorer]:
    """The scorers behind an entry point. Raises `PluginError` for a package that is broken."""
    thing = catalog.find("scorers", name)
    return _checked(
        "scorers", name, lambda: thing if isinstance(thing, Scorer) else thing(**options)
    )


def _checked(kind: str, name: str, make: Callable[[], Any]) -> list[Scorer]:
    """What `make` gives as scorers; what somebody else's package does wrong is one line."""
    try:
        given = make()
        scorers = list(given) if isinstance(given, list | tuple) else [given]
    except Exception as error:
        if isinstance(error, EditgaugeError) or not catalog.source_of(kind, name).name:
            raise
        raise catalog.broken(kind, name, f"scorers: {type(error).__name__}: {error}") from error
    for scorer in scorers:
        if not isinstance(scorer, Scorer):
            raise catalog.broken(kind, name, f"scorers: wanted scorers, found {scorer!r:.60}")
        for metric in scorer.metrics:
            if metric.direction is None and not metric.of_sample:
                raise catalog.broken(kind, name, f"metric {metric.name} has no direction")
    return scorers

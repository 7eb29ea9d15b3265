"""Scorers of other packages: found by their entry points; their rows name the package and version
that they come from.

An entry point of the group ``editgauge.scorers`` names a scorer, or a function that is called with
the options of the command line and gives one or several.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.scoring.scorer import Scorer
from editgauge.types import Benchmark, Track


class Scorers(NamedTuple):
    """The scorers of a call, the packages that are not ours, and which of them cannot be used."""

    scorers: list[Scorer]
    packages: dict[str, catalog.Package]
    """Scorer -> the package that it comes from, where that is not ours."""
    plugins: list[dict[str, str]]
    """kind, name, package and version of each."""
    problems: list[str]

    def origins(self) -> dict[str, dict[str, Any]]:
        """Scorer -> its origin, with the package and version that it comes from."""
        found = {}
        for scorer in self.scorers:
            package = self.packages.get(scorer.name)
            found[scorer.name] = dict(scorer.origin())
            if package is not None:
                found[scorer.name] |= {
                    "package": package.name,
                    "package_version": package.version,
                }
        return found


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
    chosen = Scorers(own, {}, [], [])
    if package.name:
        chosen.packages.update(dict.fromkeys((scorer.name for scorer in own), package))
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
                chosen.scorers.append(scorer)
                chosen.packages[scorer.name] = package
                chosen.plugins.append(package.as_dict("scorer", name))
    return chosen


def own_scorers(benchmark: Benchmark, tracks: Sequence[Track], **options: Any) -> list[Scorer]:
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
        if not isinstance(scorer, Scorer):
            why = f"scorers: wanted scorers, found {scorer!r:.60}"
            raise catalog.broken("benchmarks", benchmark.name, why)
    return scorers


def made(name: str, **options: Any) -> list[Scorer]:
    """The scorers behind an entry point. Raises `PluginError` where there is none, or the package
    is broken.
    """
    thing = catalog.find("scorers", name)
    if not isinstance(thing, Scorer):
        try:
            thing = thing(**options)
        except EditgaugeError:
            raise
        except Exception as error:  # somebody's package: its fault is one line
            raise catalog.broken("scorers", name, f"{type(error).__name__}: {error}") from error
    scorers = list(thing) if isinstance(thing, list | tuple) else [thing]
    for scorer in scorers:
        if not isinstance(scorer, Scorer):
            raise catalog.broken("scorers", name, f"wanted a scorer, found {scorer!r:.60}")
        for metric in scorer.metrics:
            if metric.direction is None and not metric.of_sample:
                raise catalog.broken("scorers", name, f"metric {metric.name} has no direction")
    return scorers

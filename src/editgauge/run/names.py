"""What there is to name: benchmarks, editors, scorers, judges, OCR engines, and what each is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.scoring import outside
from editgauge.services import prices
from editgauge.types import TRACKS, Metric

KINDS = ("benchmarks", "editors", "scorers", "judges", "ocr_engines")


def entries(kind: str) -> list[dict[str, Any]]:
    """Every name of a kind (one of `KINDS`), those of other packages included, as JSON values: at
    least ``name`` and ``about``. A package that cannot be imported costs its own entry, which says
    why, and no other.
    """
    entries_here: list[dict[str, Any]] = []
    if kind == "scorers":
        every = ((name, track) for name in catalog.names("benchmarks") for track in TRACKS)
        entries_here = [entry for name, track in every for entry in _scorers(name, track)]
    if kind == "judges":
        entries_here = [
            {"name": name, "about": f"US dollars a million tokens: {price.input:g} in, "
                                    f"{price.output:g} out ({price.source})"}
            for name, price in prices.judges().items()
        ]  # fmt: skip
    return [*entries_here, *({"name": name, **_entry(kind, name)} for name in catalog.names(kind))]


def _entry(kind: str, name: str) -> dict[str, Any]:
    try:
        thing, package = catalog.find(kind, name), catalog.source_of(kind, name)
        if kind == "scorers":  # of an entry point, which run on every benchmark that they apply to
            scorers = outside.made(name)
            tracks = ", ".join(dict.fromkeys(scorer.track for scorer in scorers))
            where = f"every benchmark, {tracks}, by {package.name} {package.version}"
            metrics = [metric for scorer in scorers for metric in scorer.metrics]
            return {"package": package.name, **_measured(where, metrics)}
        if kind == "benchmarks":
            count = thing.published_counts.get("")
            size = "" if count is None else f": {count:,} samples"
            return {"samples": count, "about": f"{thing.title}{size}. {thing.citation}"}
        about = ((thing.__doc__ or "").strip().splitlines() or [""])[0]
        return {"about": about} if kind == "editors" else _engine(thing, about)
    except Exception as error:  # somebody's package: its fault is one line
        ours = isinstance(error, EditgaugeError | ImportError | AttributeError)
        message = str(error) if ours else f"{type(error).__name__}: {error}"
        return {"about": f"cannot be loaded: {message}"}


def _engine(make: Any, about: str) -> dict[str, Any]:
    """An OCR engine, and whether it can be used here."""
    try:
        make()
    except (EditgaugeError, ImportError) as error:
        return {"installed": False, "about": f"{about} Not here: {error}."}
    return {"installed": True, "about": about}


def _scorers(name: str, track: Any) -> list[dict[str, Any]]:
    """The scorers of a benchmark; a track that cannot be made here says why."""
    of = {"benchmark": name, "track": track}
    try:
        scorers = outside.own_scorers(catalog.find("benchmarks", name), [track])
    except (EditgaugeError, ImportError, AttributeError) as error:
        return [{"name": f"{name}/{track}", **of, "about": f"cannot be loaded: {error}"}]
    where = f"{name}, {track}"
    return [{"name": one.name, **of, **_measured(where, one.metrics)} for one in scorers]


def _measured(where: str, metrics: Iterable[Metric]) -> dict[str, Any]:
    names = [metric.name for metric in metrics]
    return {"metrics": names, "about": f"{where}: {', '.join(names)}"}

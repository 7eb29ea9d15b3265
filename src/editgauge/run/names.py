"""What there is to name: benchmarks, editors, scorers, judges, OCR engines, and what each is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.judging import models
from editgauge.scoring import outside
from editgauge.types import TRACKS, Metric

KINDS = ("benchmarks", "editors", "scorers", "judges", "ocr_engines")


def entries(kind: str) -> list[dict[str, Any]]:
    """Every name of a kind (one of `KINDS`), those of other packages included, as JSON values: at
    least ``name`` and ``about``. A package that cannot be imported costs its own entry, which says
    why, and no other.
    """
    own: list[dict[str, Any]] = []
    if kind == "scorers":
        own = [entry for name in catalog.names("benchmarks") for entry in _scorers(name)]
    if kind == "judges":
        own = [{"name": name, "about": models.about(name)} for name in models.known()]
    told = {
        "benchmarks": _benchmark,
        "scorers": _outside_scorers,
        "judges": _outside_judge,
        "ocr_engines": _engine,
    }.get(kind, lambda name: {"about": _about(kind, name)})
    return [*own, *({"name": name, **_guarded(told, name)} for name in catalog.names(kind))]


def _guarded(told: Callable[[str], dict[str, Any]], name: str) -> dict[str, Any]:
    try:
        return told(name)
    except Exception as error:  # somebody's package: its fault is one line
        ours = isinstance(error, EditgaugeError | ImportError | AttributeError)
        said = str(error) if ours else f"{type(error).__name__}: {error}"
        return {"about": f"cannot be loaded: {said}"}


def _benchmark(name: str) -> dict[str, Any]:
    found = catalog.find("benchmarks", name)
    count = found.published_counts.get("")
    size = "" if count is None else f": {count:,} samples"
    return {"samples": count, "about": f"{found.title}{size}. {found.citation}"}


def _scorers(name: str) -> Iterator[dict[str, Any]]:
    """Every scorer of a benchmark; a track that cannot be made here says why."""
    for track in TRACKS:
        of = {"benchmark": name, "track": track}
        try:
            scorers = outside.own_scorers(catalog.find("benchmarks", name), [track])
        except (EditgaugeError, ImportError, AttributeError) as error:
            yield {"name": f"{name}/{track}", **of, "about": f"cannot be loaded: {error}"}
            continue
        for scorer in scorers:
            yield {"name": scorer.name, **of, **_measured(f"{name}, {track}", scorer.metrics)}


def _measured(where: str, metrics: Iterable[Metric]) -> dict[str, Any]:
    names = [metric.name for metric in metrics]
    return {"metrics": names, "about": f"{where}: {', '.join(names)}"}


def _outside_scorers(name: str) -> dict[str, Any]:
    """The scorers of an entry point, which run on every benchmark that they apply to."""
    package, scorers = catalog.source_of("scorers", name), outside.made(name)
    tracks = ", ".join(dict.fromkeys(scorer.track for scorer in scorers))
    where = f"every benchmark, {tracks}, by {package.name} {package.version}"
    metrics = [metric for scorer in scorers for metric in scorer.metrics]
    return {"package": package.name, **_measured(where, metrics)}


def _outside_judge(name: str) -> dict[str, Any]:
    """A judge protocol of another package, for any benchmark's outputs."""
    track, package = catalog.find("judges", name), catalog.source_of("judges", name)
    told = _measured("protocol for every benchmark", track.judging().metrics)
    about = f"{told['about']}. {track.about}".strip()
    return {"package": package.name, "metrics": told["metrics"], "about": about}


def _engine(name: str) -> dict[str, Any]:
    """An OCR engine, and whether it can be used here."""
    about = _about("ocr_engines", name)
    try:
        catalog.find("ocr_engines", name)()
    except (EditgaugeError, ImportError) as error:
        return {"installed": False, "about": f"{about} Not here: {error}."}
    return {"installed": True, "about": about}


def _about(kind: str, name: str) -> str:
    """The first line of what the object says about itself."""
    return ((catalog.find(kind, name).__doc__ or "").strip().splitlines() or [""])[0]

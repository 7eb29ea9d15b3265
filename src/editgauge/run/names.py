"""What there is to name: benchmarks, editors, scorers, judges, OCR engines, and what each is."""

from __future__ import annotations

from typing import Any

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.judging import models
from editgauge.scoring import outside
from editgauge.types import TRACKS

KINDS = ("benchmarks", "editors", "scorers", "judges", "ocr_engines")


def entries(kind: str) -> list[dict[str, Any]]:
    """Every name of a kind (one of `KINDS`), those of other packages included, as JSON values: at
    least ``name`` and ``about``.

    A package that cannot be imported costs its own entry, which says why, and noloaded else.
    """
    if kind == "benchmarks":
        return [_benchmark(name) for name in catalog.names(kind)]
    if kind == "scorers":
        own = [entry for name in catalog.names("benchmarks") for entry in _scorers(name)]
        return [*own, *(_outside_scorer(name) for name in catalog.names(kind))]
    if kind == "judges":
        own = [{"name": name, "about": models.about(name)} for name in models.known()]
        return [
            *own,
            *(_outside_judge(name) for name in catalog.names(kind)),
        ]
    if kind == "ocr_engines":
        return [_engine(name) for name in catalog.names(kind)]
    return [{"name": name, "about": _about(kind, name)} for name in catalog.names(kind)]


def _benchmark(name: str) -> dict[str, Any]:
    loaded, reason = _load("benchmarks", name)
    if loaded is None:
        return {"name": name, "about": reason}
    count = loaded.published_counts.get("")
    size = "" if count is None else f": {count:,} samples"
    return {"name": name, "samples": count, "about": f"{loaded.title}{size}. {loaded.citation}"}


def _scorers(name: str) -> list[dict[str, Any]]:
    """Every scorer of a benchmark; a track that cannot be made here says why."""
    loaded, reason = _load("benchmarks", name)
    if loaded is None:
        return [{"name": name, "about": reason}]
    lines: list[dict[str, Any]] = []
    for track in TRACKS:
        try:
            scorers = outside.own_scorers(loaded, [track])
        except (EditgaugeError, ImportError) as error:
            lines.append(
                {"name": f"{name}/{track}", "benchmark": name, "track": track, "about": str(error)}
            )
            continue
        for scorer in scorers:
            metrics = [metric.name for metric in scorer.metrics]
            about = f"{name}, {track}: {', '.join(metrics)}"
            lines.append(
                {
                    "name": scorer.name,
                    "benchmark": name,
                    "track": track,
                    "metrics": metrics,
                    "about": about,
                }
            )
    return lines


def _outside_scorer(name: str) -> dict[str, Any]:
    """The scorers of an entry point, which run on every benchmark that they apply to."""
    package = catalog.source_of("scorers", name)
    try:
        scorers = outside.made(name)
    except (EditgaugeError, ImportError) as error:
        return {"name": name, "package": package.name, "about": f"cannot be loaded: {error}"}
    metrics = [metric.name for scorer in scorers for metric in scorer.metrics]
    tracks = ", ".join(dict.fromkeys(scorer.track for scorer in scorers))
    about = f"every benchmark, {tracks}: {', '.join(metrics)} ({package.name} {package.version})"
    return {"name": name, "package": package.name, "metrics": metrics, "about": about}


def _outside_judge(name: str) -> dict[str, Any]:
    """A judge protocol of another package, for any benchmark's outputs."""
    package = catalog.source_of("judges", name)
    track, reason = _load("judges", name)
    if track is None:
        return {"name": name, "package": package.name, "about": reason}
    try:
        metrics = [metric.name for metric in track.judging().metrics]
    except Exception as error:  # somebody's package: its fault is one line
        about = f"cannot be loaded: judging: {type(error).__name__}: {error}"
        return {"name": name, "package": package.name, "about": about}
    about = f"protocol for every benchmark: {', '.join(metrics)}. {track.about}"
    return {"name": name, "package": package.name, "metrics": metrics, "about": about.strip()}


def _engine(name: str) -> dict[str, Any]:
    """An OCR engine, and whether it can be used here."""
    about = _about("ocr_engines", name)
    make, reason = _load("ocr_engines", name)
    if make is not None:
        try:
            make()
        except (EditgaugeError, ImportError) as error:
            reason = str(error)
    return {
        "name": name,
        "installed": not reason,
        "about": f"{about} Not here: {reason}." if make and reason else about,
    }


def _load(kind: str, name: str) -> tuple[Any, str]:
    """The object behind a name, or why it cannot be had (a package that it needs is missing)."""
    try:
        return catalog.find(kind, name), ""
    except (EditgaugeError, ImportError, AttributeError) as error:
        return None, f"cannot be loaded: {error}"


def _about(kind: str, name: str) -> str:
    """The first line of what the object says about itself."""
    loaded, reason = _load(kind, name)
    return reason if loaded is None else ((loaded.__doc__ or "").strip().splitlines() or [""])[0]

"""What there is to name: benchmarks, editors, scorers, judges, OCR engines, and what each is."""

from __future__ import annotations

from typing import Any

from editgauge import catalog
from editgauge.errors import EditgaugeError
from editgauge.scoring import outside
from editgauge.services import prices
from editgauge.types import JsonObject

KINDS = ("benchmarks", "editors", "scorers", "judges", "ocr_engines")


def entries(kind: str) -> list[JsonObject]:
    """Every name of a kind (one of `KINDS`), those of other packages included, as JSON values: at
    least ``name`` and ``about``; of ``scorers`` the benchmarks, too, with their ``metrics``. A
    package that cannot be imported costs its own entry, which says why, and no other.
    """
    if kind == "judges":
        return [
            {"name": name, "about": f"US dollars a million tokens: {price.input:g} in, "
                                    f"{price.output:g} out ({price.source})"}
            for name, price in prices.judges().items()
        ]  # fmt: skip
    of_benchmarks = catalog.names("benchmarks") if kind == "scorers" else []
    return [
        *({"name": name, **_entry("metrics", name)} for name in of_benchmarks),
        *({"name": name, **_entry(kind, name)} for name in catalog.names(kind)),
    ]


def _entry(kind: str, name: str) -> JsonObject:
    try:
        if kind == "scorers":  # of an entry point, which run on every benchmark that they apply to
            package = catalog.source_of(kind, name)
            metrics = [metric.name for one in outside.made(name) for metric in one.metrics]
            where = f"every benchmark, by {package.name} {package.version}"
            return {"metrics": metrics, "about": f"{where}: {', '.join(metrics)}"}
        thing = catalog.find("benchmarks" if kind == "metrics" else kind, name)
        if kind == "metrics":
            return {"metrics": [*thing.every_metric], "about": ", ".join(thing.every_metric)}
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


def _engine(make: Any, about: str) -> JsonObject:
    """An OCR engine, and whether it can be used here."""
    try:
        make()
    except (EditgaugeError, ImportError) as error:
        return {"installed": False, "about": f"{about} Not here: {error}."}
    return {"installed": True, "about": about}

"""`editgauge list`: what there is to name in the other commands."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from editgauge.cli import output
from editgauge.cli.options import JsonOpt

KINDS = ("benchmarks", "editors", "scorers", "judges", "ocr_engines")


def register(app: typer.Typer) -> None:
    app.command("list", epilog="Example: editgauge list editors")(list_names)


def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            help="benchmarks, editors, scorers, judges or ocr_engines; all of them without."
        ),
    ] = "",
    json: JsonOpt = False,
) -> None:
    """List benchmarks, editors, scorers, judges and OCR engines, those of other packages
    included.
    """
    from editgauge.cli import common
    from editgauge.errors import UsageError

    if kind and kind not in KINDS:
        raise UsageError(f"list {kind!r}: wanted one of {', '.join(KINDS)}")
    found = {name: _entries(name) for name in (KINDS if not kind else (kind,))}
    if json:
        common.print_json(found)
    else:
        _print(found)


def _entries(kind: str) -> list[dict[str, Any]]:
    from editgauge import catalog

    if kind == "benchmarks":
        return [_benchmark(name) for name in catalog.names(kind)]
    if kind == "scorers":
        own = [entry for name in catalog.names("benchmarks") for entry in _scorers(name)]
        return [*own, *(_outside_scorer(name) for name in catalog.names(kind))]
    if kind == "judges":
        from editgauge.judging import models

        own = [{"name": name, "about": models.about(name)} for name in models.known()]
        return [
            *own,
            *(_outside_judge(name) for name in catalog.names(kind)),
        ]
    if kind == "ocr_engines":
        return [_engine(name) for name in catalog.names(kind)]
    return [{"name": name, "about": _about(kind, name)} for name in catalog.names(kind)]


def _benchmark(name: str) -> dict[str, Any]:
    found, reason = _load("benchmarks", name)
    if found is None:
        return {"name": name, "about": reason}
    count = found.published_counts.get("")
    size = "" if count is None else f": {count:,} samples"
    return {"name": name, "samples": count, "about": f"{found.title}{size}. {found.citation}"}


def _scorers(name: str) -> list[dict[str, Any]]:
    """Every scorer of a benchmark; a track that cannot be made here says why."""
    from editgauge.errors import EditgaugeError
    from editgauge.types import TRACKS

    found, reason = _load("benchmarks", name)
    if found is None:
        return [{"name": name, "about": reason}]
    entries: list[dict[str, Any]] = []
    for track in TRACKS:
        try:
            scorers = found.scorers([track])
        except (EditgaugeError, ImportError) as error:
            entries.append(
                {"name": f"{name}/{track}", "benchmark": name, "track": track, "about": str(error)}
            )
            continue
        for scorer in scorers:
            metrics = [metric.name for metric in scorer.metrics]
            about = f"{name}, {track}: {', '.join(metrics)}"
            entries.append(
                {
                    "name": scorer.name,
                    "benchmark": name,
                    "track": track,
                    "metrics": metrics,
                    "about": about,
                }
            )
    return entries


def _outside_scorer(name: str) -> dict[str, Any]:
    """The scorers of an entry point, which run on every benchmark that they apply to."""
    from editgauge import catalog
    from editgauge.errors import EditgaugeError
    from editgauge.scoring.outside import made

    package = catalog.source_of("scorers", name)
    try:
        scorers = made(name)
    except (EditgaugeError, ImportError) as error:
        return {"name": name, "package": package.name, "about": f"cannot be loaded: {error}"}
    metrics = [metric.name for scorer in scorers for metric in scorer.metrics]
    tracks = ", ".join(dict.fromkeys(scorer.track for scorer in scorers))
    about = f"every benchmark, {tracks}: {', '.join(metrics)} ({package.name} {package.version})"
    return {"name": name, "package": package.name, "metrics": metrics, "about": about}


def _outside_judge(name: str) -> dict[str, Any]:
    """A judge protocol of another package, for any benchmark's outputs."""
    from editgauge import catalog

    package = catalog.source_of("judges", name)
    track, reason = _load("judges", name)
    if track is None:
        return {"name": name, "package": package.name, "about": reason}
    metrics = [metric.name for metric in track.judging().metrics]
    about = f"protocol for every benchmark: {', '.join(metrics)}. {track.about}"
    return {"name": name, "package": package.name, "metrics": metrics, "about": about.strip()}


def _engine(name: str) -> dict[str, Any]:
    """An OCR engine, and whether it can be used here."""
    from editgauge.errors import EditgaugeError

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
    from editgauge import catalog
    from editgauge.errors import EditgaugeError

    try:
        return catalog.find(kind, name), ""
    except (EditgaugeError, ImportError, AttributeError) as error:
        return None, f"cannot be loaded: {error}"


def _about(kind: str, name: str) -> str:
    """The first line of what the object says about itself."""
    found, reason = _load(kind, name)
    return reason if found is None else ((found.__doc__ or "").strip().splitlines() or [""])[0]


def _print(found: dict[str, list[dict[str, Any]]]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = output.console()
    for kind, entries in found.items():
        table = Table(title=kind, title_justify="left", show_header=False)
        table.add_column("name", no_wrap=True)
        table.add_column("about", overflow="fold")
        for entry in entries:
            table.add_row(Text(entry["name"]), Text(entry["about"]))
        console.print(table if entries else f"{kind}: none are registered")

"""Options that several commands take, each with one wording: a dataclass is a group of `--help`,
and a field's docstring is its help.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from editgauge import schema
from editgauge.cli import output
from editgauge.errors import UsageError

if TYPE_CHECKING:
    from cyclopts.argument import ArgumentCollection

    from editgauge.run.material import Material
    from editgauge.run.workers import Workers
    from editgauge.store.run import Run
    from editgauge.study.calibration import Calibration
    from editgauge.types import Sample

Many = tuple[str, ...]
"""An option that may be repeated."""
Variants = Literal["faithful", "corrected", "both"]
Format = Annotated[
    Literal["terminal", "markdown", "csv", "latex", "json"],
    Parameter(name="--format", help="How it is printed."),
]

BenchmarkArg = Annotated[
    str,
    Parameter(
        help="texteditbench, textedit, medebench, krisbench, mini, one of a package of yours, or "
        "dir:DIR (your own data set)."
    ),
]
DataArg = Annotated[
    Path | None,
    Parameter(
        help="The benchmark's data folder, in its official layout. Not needed for mini and dir:DIR."
    ),
]
RunArg = Annotated[Path, Parameter(help="The run: a folder or an address.")]
RunsArg = Annotated[
    tuple[Path, ...], Parameter(help="Run folders; several are read as one.", negative=())
]
RunOpt = Annotated[
    Path, Parameter(help="The run folder: made if it is not there, continued if it is.")
]
RUN = Path("runs/default")
OnlyBenchmark = Annotated[str, Parameter(help="Only this benchmark of the run.")]
SetOpt = Annotated[
    Many, Parameter(name="--set", help="NAME=VALUE: a further setting; may be repeated.")
]
RetryOpt = Annotated[
    str,
    Parameter(help="Do these again: failed, unreadable, refused, missing… (joined by commas)."),
]
EditorsOpt = Annotated[
    Many, Parameter(name="--editor", help="Only this editor; may be repeated. Default: all.")
]
SourceOpt = Annotated[
    Many,
    Parameter(help="Whose rows, where several judges or OCR engines made some; human: people."),
]


def group(name: str, help: str) -> App:
    """The application of a group of commands."""
    return App(name=name, help=help, default_parameter=Parameter(negative=(), allow_repeating=True))


def at_least(low: float) -> Parameter:
    """The annotation of a number that must not be smaller (nor NaN)."""

    def check(_kind: Any, value: float | None) -> None:
        if value is not None and not value >= low:
            raise ValueError(f"Wanted at least {low:g}.")

    return Parameter(validator=check)


Count = Annotated[int, at_least(1)]
Seconds = Annotated[float, at_least(0.1)]
Dollars = Annotated[float, at_least(0)]


@Parameter(name="*", group="Which samples")
@dataclass(frozen=True, kw_only=True)
class Narrowing:
    """Which samples of a benchmark."""

    split: str | None = None
    "Only this split (or set) of the benchmark."
    limit: Count | None = None
    "Only the first N samples."
    sample: Many = ()
    "Only this sample id, or @FILE with ids; may be repeated."
    where: Many = ()
    """NAME=VALUE: only samples with this split, category, category1…, has_knowledge, has_reference
    or attribute; may be repeated."""

    def open(self, benchmark: str, data: Path | None) -> Material:
        """The benchmark's data and the samples that the options leave."""
        from editgauge.run.material import Material

        return Material.open(
            benchmark,
            data,
            split=self.split,
            limit=self.limit,
            ids=self.sample,
            where=self.where,
        )

    def held_out(self, material: Material, run: Run) -> tuple[Material, Sequence[Sample]]:
        """The material with the test samples of a run's split alone, as far as the options leave
        them, and the samples that demonstrations may come from.
        """
        from dataclasses import replace

        from editgauge.store import selection
        from editgauge.tuning import split

        training, test = split.held_out(run, material.benchmark.name, material.every)
        chosen = selection.choose(test, limit=self.limit, ids=self.sample, where=self.where)
        return replace(material, samples=chosen), training


@Parameter(name="*", group="Where the work is done")
@dataclass(frozen=True, kw_only=True)
class Placing:
    """Where the work is done, and by how many workers."""

    workers: Annotated[int, at_least(0)] | None = None
    "Processes; default: the cores. 0: everything in this process."
    engine: str = "local"
    "local (processes here) or ray (the cluster of RAY_ADDRESS, else a Ray of its own)."

    def open(self, devices: str = "") -> Workers:
        """A context manager. Raises as `run.workers.open_workers`."""
        from editgauge.run.workers import open_workers

        return open_workers(
            self.engine, workers=self.workers, cores=cores(), devices=devices, say=output.note
        )


def calibration_of(
    gold: str,
    *,
    benchmark: str,
    where: Sequence[str],
    sources: Sequence[str],
    settings: dict[str, str],
) -> Calibration:
    """Scores corrected by the ratings of `gold`; `proxy` (QUESTION=METRIC) and `strata` are taken
    out of the settings.
    """
    from editgauge.study.calibration import Calibration

    proxy = settings.pop("proxy", "")
    return Calibration(
        gold=gold,
        benchmark=benchmark,
        where=where,
        sources=sources,
        proxies=words(proxy),
        strata=settings.pop("strata", ""),
        seed=0,
    )


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def words(text: str) -> list[str]:
    """The words of a text with commas."""
    return [word for part in text.split(",") if (word := part.strip())]


class Settings(dict[str, str]):
    """``NAME=VALUE`` settings of a command; each is taken once, what is left is an error."""

    @classmethod
    def of(cls, pairs: Sequence[str]) -> Settings:
        """Raises `UsageError` for one without ``=``."""
        found = cls()
        for pair in pairs:
            name, equals, value = pair.partition("=")
            if not equals or not name:
                raise UsageError(f"--set {pair}: wanted NAME=VALUE")
            found[name.strip()] = value
        return found

    def take(self, name: str, default: Any, kind: Callable[[str], Any] = str) -> Any:
        """A setting's value, as a number or path where `kind` says so."""
        if name not in self:
            return default
        text = self.pop(name)
        try:
            return kind(text)
        except ValueError:
            wanted = _KINDS.get(kind, "a value")
            raise UsageError(f"--set {name}={text}: wanted {wanted}") from None

    def end(self, known: Sequence[str]) -> None:
        """Raise `UsageError` for what nothing took."""
        if self:
            name = next(iter(self))
            hint = _near(name, known) or f"; there are: {', '.join(known)}"
            raise UsageError(f"--set {name}={self[name]}: no such setting{hint}")


_KINDS: dict[Any, str] = {int: "a whole number", float: "a number"}


def place_of(run: Path) -> str:
    """A run as whoever typed it named it: an address, or a path."""
    from editgauge.store.addresses import address_of

    return address_of(run) or str(run)


# -- editgauge.toml --------------------------------------------------------------------------------

PROJECT = "editgauge.toml"
"""Options that a project gives every time: ``[all]`` for every command that has such an option,
``[score]`` for one command, ``[study.serve]`` for one of a group. The file of the current folder is
read, or the one that ``EDITGAUGE_CONFIG`` names; what is typed stands before it.
"""
_NOT_HERE = {"base-url": "an address to which a key is sent", "budget": "a limit of money"}
"""Options that are typed each time: the file may come with a folder from elsewhere."""


class Project:
    """What the parser asks for values of options that were not typed. `commands`: every command's
    name, to tell a table of none.
    """

    def __init__(self, commands: Iterable[str]) -> None:
        self.commands = list(commands)

    def __call__(self, app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
        from cyclopts.argument import update_argument_collection

        named = os.environ.get("EDITGAUGE_CONFIG", "")
        place = Path(named or PROJECT)
        if not commands or not (named or place.is_file()):
            return
        given = self.options(place, commands, arguments)
        stack = app.app_stack.stack[-1]
        update_argument_collection(
            given, str(place), arguments, stack, root_keys=(), allow_unknown=False
        )
        if given and not output.quiet():
            output.note(f"{place}: {', '.join(f'--{name}' for name in given)}, unless typed")

    def options(
        self, place: Path, commands: Sequence[str], arguments: ArgumentCollection
    ) -> dict[str, Any]:
        """What the file says to a command: option -> value.

        Raises `UsageError` for a file that is no TOML, a table of no command, an option that the
        command lacks, and one that must be typed.
        """
        tables = schema.toml_tables(place)
        for table in tables:
            if table != "all" and table not in self.commands:
                near = _near(table, self.commands)
                raise UsageError(f"{place}, [{table}]: no such command{near}")
        known = {name[2:] for one in arguments for name in one.names if name.startswith("--")}
        general = _options(place, "all", tables.get("all", {}))
        given = {option: value for option, value in general.items() if option in known}
        own: Any = tables
        for number, name in enumerate(commands):
            _options(place, ".".join(commands[:number]), own)
            own = own.get(name, {})
        name = " ".join(commands)
        for option, value in _options(place, ".".join(commands), own).items():
            if isinstance(value, Mapping):  # of a command within this one
                continue
            if option not in known:
                hint = _near(option, known)
                raise UsageError(f"{place}, [{name}]: editgauge {name} has no --{option}{hint}")
            given[option] = value
        return given


def _options(place: Path, table: str, value: Any) -> dict[str, Any]:
    """The options of a table, as they are typed."""
    if not isinstance(value, Mapping):
        raise UsageError(f"{place}: wanted a table [{table}], found {table} = {value!r:.40}")
    options = {key.replace("_", "-"): one for key, one in value.items()}
    for option in options.keys() & _NOT_HERE:
        told = f"{option} is {_NOT_HERE[option]}: give it on the command line"
        raise UsageError(f"{place}, [{table}]: {told}")
    return options


def _near(word: str, known: Iterable[str]) -> str:
    close = get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""

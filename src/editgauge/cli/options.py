"""Options that several commands take, each with one wording: a dataclass is a group of `--help`,
and a field's docstring is its help.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, dataclass_transform

from cyclopts import App, Parameter

from editgauge import schema
from editgauge.cli import output
from editgauge.errors import DataError, UsageError, meant
from editgauge.types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from cyclopts.argument import ArgumentCollection

    from editgauge.run.material import Material
    from editgauge.run.workers import Workers
    from editgauge.store.run import Run
    from editgauge.study.calibration import Calibration
    from editgauge.tables.results import Results

C = TypeVar("C")
Many = tuple[str, ...]
"""An option that may be repeated."""
Variants = Literal["faithful", "corrected", "both"]
RUN = Path("runs/default")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def options(group: str = "Parameters") -> Callable[[type[C]], type[C]]:
    """A class of options: a group of `--help`."""

    def made(shape: type[C]) -> type[C]:
        return Parameter(name="*", group=group)(dataclass(frozen=True, kw_only=True)(shape))

    return made


def at_least(low: float) -> Parameter:
    """The annotation of a number that must not be smaller (nor NaN)."""

    def check(_kind: Any, value: float | None) -> None:
        if value is not None and not value >= low:
            raise ValueError(f"Wanted at least {low:g}.")

    return Parameter(validator=check)


def _help(text: str, name: str | None = None) -> Parameter:
    return Parameter(help=text, name=name)


def names_of(kind: str) -> Parameter:
    """The annotation of a word that a shell completes with the names of a kind."""

    def names(_: Any) -> list[str]:
        from editgauge import catalog

        return catalog.names(kind)

    return Parameter(completer=names)


Whole = Annotated[int, at_least(0)]
Count = Annotated[int, at_least(1)]
Seconds = Annotated[float, at_least(0.1)]
Dollars = Annotated[float, at_least(0)]
_OURS = "texteditbench, textedit, medebench, krisbench, mini"
BenchmarkArg = Annotated[
    str,
    _help(f"{_OURS}, one of a package of yours, or dir:DIR (your own data set)."),
    names_of("benchmarks"),
]
_DATA = "The benchmark's data folder, in its official layout. Not needed for mini and dir:DIR."
DataArg = Annotated[Path | None, _help(_DATA)]
RunArg = Annotated[Path, _help("The run: a folder or an address.")]
RunsArg = Annotated[tuple[Path, ...], _help("Run folders; several are read as one.")]
RunOpt = Annotated[Path, _help("The run folder: made if it is not there, continued if it is.")]
OnlyBenchmark = Annotated[str, _help("Only this benchmark of the run.")]
_RETRY = "Do these again: failed, unreadable, refused, missing… (joined by commas)."
RetryOpt = Annotated[str, _help(_RETRY)]
EditorsOpt = Annotated[
    Many, _help("Only this editor; may be repeated. Default: all.", name="--editor")
]
_SOURCE = "Whose rows, where several judges or OCR engines made some; human: people."
SourceOpt = Annotated[Many, _help(_SOURCE)]
_SAMPLE = "Only this sample id, or @FILE with ids; may be repeated."
SampleOpt = Annotated[Many, _help(_SAMPLE, name="--sample")]
WhereOpt = Annotated[Many, _help("NAME=VALUE: only samples with this attribute; may be repeated.")]
LimitOpt = Annotated[Count | None, _help("Only the first N samples.")]
SplitOpt = Annotated[str | None, _help("Only this split (or set) of the benchmark.")]
SetOpt = Annotated[Many, _help("NAME=VALUE: a further setting; may be repeated.", name="--set")]
_MAP = "A csv or JSON file in which one column names the files, and another the samples."
MapOpt = Annotated[Path | None, _help(_MAP)]
_COLUMN = "sample=NAME, file=NAME or editor=NAME: a column of --map; may be repeated."
ColumnOpt = Annotated[Many, _help(_COLUMN)]
Format = Annotated[
    Literal["terminal", "markdown", "csv", "latex", "json"],
    _help("How it is printed.", name="--format"),
]


def group(name: str, help: str) -> App:
    """The application of a group of commands."""
    return App(name=name, help=help, default_parameter=Parameter(negative=(), allow_repeating=True))


@options("Which samples")
class Narrowing:
    split: SplitOpt = None
    limit: LimitOpt = None
    ids: SampleOpt = ()
    where: Many = ()
    """NAME=VALUE: only samples with this split, category, category1…, has_knowledge, has_reference
    or attribute; may be repeated."""

    def open(self, benchmark: str, data: Path | None) -> Material:
        """The benchmark's data and the samples that the options leave."""
        from editgauge.run.material import Material

        return Material.open(benchmark, data, split=self.split, **self.chosen)

    @property
    def chosen(self) -> JsonObject:
        """The options as `store.selection.choose` takes them."""
        return {name: value for name, value in vars(self).items() if name != "split"}


@options("Which rows")
class Rows:
    benchmark: OnlyBenchmark = ""
    source: SourceOpt = ()
    where: WhereOpt = ()
    by: Annotated[str, _help("Also for each value of this attribute.")] = ""

    def frames(self, runs: Sequence[Run], *editors: str) -> list[Results]:
        """The rows of these editors."""
        from editgauge.run.tables import people_for
        from editgauge.tables.rows import frames

        chosen: JsonObject = {"where": self.where, "sources": self.source}
        people = people_for(self.source)
        return frames(runs, self.benchmark, editors=editors, people=people, **chosen)

    def calibrated(self, gold: str, settings: Mapping[str, str]) -> Calibration:
        """These scores corrected by the ratings of `gold`."""
        from editgauge.study.calibration import Calibration

        return Calibration(
            gold=gold,
            benchmark=self.benchmark,
            where=self.where,
            sources=self.source,
            proxies=words(settings.get("proxy", "")),
            strata=settings.get("strata", ""),
        )


CALIBRATION = {"proxy": str, "strata": str}
"""What `--set` says with `--calibrate`."""


@options("Where the work is done")
class Placing:
    workers: Whole | None = None
    "Processes; default: the cores. 0: everything in this process."
    engine: str = "local"
    "local (processes here) or ray (the cluster of RAY_ADDRESS, else a Ray of its own)."

    def open(self, devices: str = "") -> Workers:
        """A context manager. Raises as `run.workers.open_workers`."""
        from editgauge.machine import cores
        from editgauge.run.workers import open_workers

        here = {"workers": self.workers, "cores": cores(), "devices": devices}
        return open_workers(self.engine, **here, say=output.note)  # type: ignore[arg-type]


def words(text: str) -> list[str]:
    """The words of a text with commas."""
    return [word for part in text.split(",") if (word := part.strip())]


def given(pairs: Sequence[str], kinds: JsonMapping, option: str = "--set") -> JsonObject:
    """What ``NAME=VALUE`` pairs say, as values of these kinds. Raises `UsageError` for a name that
    has none, and for a value that is none of its kind.
    """
    from editgauge.store import selection

    values = selection.settings(pairs)
    for name, value in values.items():
        message = f"{option} {name}={value}"
        if name not in kinds:
            hint = meant(name, kinds, f"there are: {', '.join(kinds)}")
            raise UsageError(f"{message}: no such setting; {hint}")
        try:
            values[name] = schema.convert(value, kinds[name], message, strict=False)
        except DataError as error:
            raise UsageError(str(error)) from None
    return values


# -- runs ------------------------------------------------------------------------------------------


def typed(benchmark: str, data: Path | None) -> str:
    """A benchmark and its data as they are typed again."""
    return shlex.join([benchmark, *([str(data)] if data else [])])


def place_of(run: Path) -> str:
    """A run as whoever typed it named it: an address, or a path."""
    from editgauge.store.addresses import address_of

    return address_of(run) or str(run)


@contextmanager
def run_at(place: Path) -> Iterator[Run]:
    """The run to work in, made where it is not there. Raises as `store.remote.working`."""
    from editgauge.store.remote import working
    from editgauge.store.run import Run

    with working(place) as here:
        yield Run.create(here)


@contextmanager
def run_there(place: Path) -> Iterator[Run]:
    """A run that is there already; what is damaged in it is said at the end, however that comes."""
    from editgauge.store.remote import changing

    with changing(place) as run, output.warned(run):
        yield run


# -- editgauge.toml --------------------------------------------------------------------------------

PROJECT = "editgauge.toml"
"""Options that a project gives every time: ``[all]`` for every command that has such an option,
``[score]`` for one command, ``[study.serve]`` for one of a group. The file of the current folder is
read; what is typed stands before it.
"""
_NOT_HERE = {"base-url": "an address to which a key is sent", "budget": "a limit of money"}
"""Options that are typed each time: the file may come with a folder from elsewhere."""


def project(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Give the parser the values of options that were not typed. Raises `DataError` for a file that
    is no TOML of tables, `UsageError` for a table of no command, an option that the command lacks,
    and one that must be typed.
    """
    from cyclopts.argument import update_argument_collection

    from editgauge.cli.main import COMMANDS

    place = Path(PROJECT)
    if not commands or not place.is_file():
        return
    tables = schema.read_toml(place, dict[str, JsonObject])
    for table in tables.keys() - {"all", *COMMANDS}:
        raise UsageError(f"{place}, [{table}]: no such command; {meant(table, COMMANDS)}")
    known = {name[2:] for one in arguments for name in one.names if name.startswith("--")}
    own: Any = tables
    for name in commands:
        own = own.get(name, {})
    own = {option: value for option, value in own.items() if not isinstance(value, Mapping)}
    for option in own.keys() - known:
        lacking = f"editgauge {' '.join(commands)} has no --{option}; {meant(option, known)}"
        raise UsageError(f"{place}, [{'.'.join(commands)}]: {lacking}")
    values = {name: value for name, value in (tables.get("all", {}) | own).items() if name in known}
    for option in values.keys() & _NOT_HERE:
        why = f"{option} is {_NOT_HERE[option]}: give it on the command line"
        raise UsageError(f"{place}: {why}")
    stack = app.app_stack.stack[-1]
    update_argument_collection(
        values, str(place), arguments, stack, root_keys=(), allow_unknown=False
    )
    if values and not output.quiet():
        output.note(f"{place}: {', '.join(f'--{name}' for name in values)}, unless typed")

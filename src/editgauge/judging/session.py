"""One judge command put together: what the user said, checked before anything is paid, and what it
works on: data, outputs, server, stores.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from editgauge import catalog
from editgauge.errors import RunError, UsageError
from editgauge.judging import choice, models
from editgauge.judging.asking import Engine, Settings
from editgauge.judging.cache import ReplyStore
from editgauge.judging.chat import Asking, Client
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Judging
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.run import JudgeRun, drawn
from editgauge.services.booking import Ledger
from editgauge.services.http import is_own_network
from editgauge.services.prices import Price, load_prices, price_as_given, price_of
from editgauge.store import selection, sqlite
from editgauge.store.collect import edits_of as find_edits
from editgauge.store.collect import tell
from editgauge.store.hashes import HashStore
from editgauge.store.lease import lease
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord
from editgauge.types import Benchmark, JudgeTrack, Sample, Status

PAID = "paid.sqlite"
"""The run's file of replies and costs."""
PURPOSE = "judge"
"""Of this room's entries in a run's ledger."""
TIMEOUT, THINKING_TIMEOUT = 120.0, 600.0
EFFORTS = ("none", "minimal", "low", "medium", "high")
DETAILS = ("auto", "low", "high")
ENCODINGS = ("original", "png")


def words(text: str) -> frozenset[str]:
    """The words of a text with commas."""
    return frozenset(filter(None, (part.strip() for part in text.split(","))))


def retried(text: str) -> frozenset[Status]:
    """``failed,refused`` as statuses. Raises `UsageError` for one that a reply cannot have."""
    found = selection.statuses(text)
    fine = {Status.FAILED, Status.REFUSED, Status.UNPARSABLE}
    if found - fine:
        raise UsageError(f"--retry {text!r}: wanted failed, refused or unparsable")
    return found


def protocol_options(judging: Judging, pairs: Sequence[str]) -> dict[str, Any]:
    """``key=value`` options of a protocol; ``true`` and ``false`` become booleans.

    Raises `UsageError` for a name or a value that the protocol does not know, naming those that it
    knows.
    """
    known: Mapping[str, Sequence[str]] = getattr(judging, "options", {})
    found: dict[str, Any] = {}
    for name, value in selection.settings(pairs).items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            there = ", ".join(sorted(known)) or "none"
            raise UsageError(
                f"--set {name}={value}: no option of this protocol; there are: {there}{hint}"
            )
        fits = next((word for word in known[name] if word.lower() == value.lower()), None)
        if fits is None:
            raise UsageError(
                f"--set {name}={value}: wanted {name} to be one of {', '.join(known[name])}"
            )
        found[name] = {"true": True, "false": False}.get(fits, fits)
    return found


def asking_of(
    *,
    temperature: float | None = None,
    seed: int | None = None,
    max_tokens: int | None = None,
    reasoning_effort: str = "",
    detail: str = "",
    encoding: str = "original",
    metadata: bool = False,
) -> Asking:
    """What the user sets of every request. Raises `UsageError` for a word that is not known."""
    for option, given, known in (
        ("--reasoning-effort", reasoning_effort, EFFORTS),
        ("--detail", detail, DETAILS),
        ("--encoding", encoding, ENCODINGS),
    ):
        if given:
            selection.one_of(option, given, known)
    return Asking(
        temperature=temperature,
        seed=seed,
        max_tokens=max_tokens,
        reasoning_effort=reasoning_effort or None,
        detail=detail or None,
        encoding=None if encoding == "original" else encoding,
        metadata=metadata,
    )


def judging_of(benchmark: Benchmark) -> Judging:
    """A benchmark's judge track. Raises `UsageError` when it has none."""
    if benchmark.judging is None:
        raise UsageError(f"{benchmark.name}: this benchmark has no judge track")
    found: Judging = benchmark.judging()
    return found


class Track(NamedTuple):
    """What is asked: a judge track, its rubrics, and where it comes from."""

    judging: Judging
    rubrics: Path | Mapping[str, Path]
    plugins: list[dict[str, str]]
    """kind, name, package and version of what is not ours; see `catalog.Package`."""


def track_of(benchmark: Benchmark, protocol: str = "") -> Track:
    """The benchmark's own judge track, or the protocol of this name of another package.

    Raises `UsageError` when the benchmark has none, or when the protocol has a metric of a name
    that the benchmark has: their rows could not be told apart.
    """
    source = catalog.source_of("benchmarks", benchmark.name)
    plugins = [source.as_dict("benchmark", benchmark.name)] if source.name else []
    if not protocol:
        return Track(judging_of(benchmark), benchmark.rubrics or {}, plugins)
    found: JudgeTrack = catalog.find("judges", protocol)
    judging: Judging = found.judging()
    taken = sorted({metric.name for metric in judging.metrics} & set(benchmark.every_metric))
    if taken:
        raise UsageError(
            f"--protocol {protocol}: {benchmark.name} has a metric {taken[0]!r} of its own; ask "
            f"about another benchmark"
        )
    plugins.append(catalog.source_of("judges", protocol).as_dict("judge", protocol))
    return Track(judging, found.rubrics or {}, plugins)


@dataclass(slots=True, kw_only=True)
class Options:
    """Everything that a judge command was told about the judge and how it is asked."""

    model: str
    protocol: str = ""
    """A judge protocol of another package, in place of the benchmark's own."""
    base_url: str | None = None
    client: Client | None = None
    """Whoever answers, in place of a server at `base_url`."""
    rubrics: Path | None = None
    prompts: str = choice.OURS
    """``ours``, ``paper`` or a folder: see `judging.choice`."""
    options: Sequence[str] = ()
    """The protocol's own, as ``key=value``."""
    dimensions: frozenset[str] = frozenset()
    asking: Asking = field(default_factory=Asking)
    concurrency: int = 16
    repeats: int = 1
    retry: frozenset[Status] = frozenset()
    repair: bool = True
    timeout: float | None = None
    """Seconds for one request; None: `TIMEOUT`, or `THINKING_TIMEOUT` for a judge that thinks."""
    deadline: float = 1800.0
    budget: float | None = None
    price: str = ""
    """``IN/OUT``, US dollars for a million tokens, in place of the table's price."""
    prices: Path | None = None
    replies: Path | None = None
    offline: bool = False
    allow_alias: bool = False
    calibration: bool | None = None


@dataclass(slots=True, kw_only=True)
class Selection:
    """What a judge command works on."""

    benchmark: str
    data: Path | None = None
    run: Path
    outputs: Path | None = None
    editors: Sequence[str] = ()
    split: str | None = None
    limit: int | None = None
    """So many samples, drawn at random among those with outputs: see `judging.run.drawn`."""
    first: int | None = None
    """The first so many of the benchmark."""
    ids: Sequence[str] = ()
    where: Sequence[str] = ()


def price_for(options: Options) -> Price | None:
    """The judge's price: the user's, else the table's, else None. A server of one's own network is
    no provider, whatever its model is called: the package's table says nothing of it.

    Raises `UsageError` when a budget is to be kept with a price that is not known, or is zero.
    """
    base = options.base_url or os.environ.get("OPENAI_BASE_URL") or ""
    known = price_of(options.model, load_prices(options.prices))
    if options.prices is None and is_own_network(urlsplit(base).hostname or ""):
        known = None
    price = price_as_given(options.price, known) if options.price else known
    if options.budget is not None and (price is None or price.free):
        what = "not known" if price is None else "zero"
        raise UsageError(
            f"--budget: the price of {options.model} is {what}, so that no budget can be kept; "
            f"give it with --price IN/OUT (US dollars for a million tokens in and out) or "
            f"--prices FILE"
        )
    return price


def _limited(
    samples: Sequence[Sample], edits: Sequence[EditRecord], limit: int | None
) -> list[Sample]:
    """`limit` samples that have an output, in the order in which all are judged; those without any
    come last.
    """
    if limit is None:
        return list(samples)
    there = {record.sample for record in edits if record.path}
    order = sorted(samples, key=lambda sample: (sample.id not in there, drawn(sample.id)))
    kept = {sample.id for sample in order[:limit]}
    return [sample for sample in samples if sample.id in kept]


class Session:
    """A judge command, ready to be run, or with `looking` only to be shown or estimated: then the
    run may lie where nothing can be written, if it knows the samples already. A context manager.

    Raises `UsageError` and `DataError` before anything is paid.
    """

    def __init__(self, options: Options, chosen: Selection, *, looking: bool = False) -> None:
        self._looking = looking
        self.options = options
        self._stack = ExitStack()
        models.check_name(options.model)
        models.check_alias(options.model, options.allow_alias or options.offline)
        self.price = price_for(options)
        benchmark, dataset, samples = catalog.open_data(chosen.benchmark, chosen.data, chosen.split)
        track = track_of(benchmark, options.protocol)
        judging, self.plugins = track.judging, track.plugins
        rubrics = RubricFolder(track.rubrics, options.rubrics)
        picked = None
        if options.prompts != choice.OURS:
            if options.protocol or options.rubrics:
                raise UsageError("--prompts: goes neither with --protocol nor with --rubrics")
            picked = choice.choose(benchmark, options.prompts, chosen.run)
            judging, rubrics = picked.judging, picked.rubrics
        self._check(judging, rubrics)
        given = protocol_options(judging, options.options)
        usual = THINKING_TIMEOUT if models.thinking(options.model) else TIMEOUT
        client = options.client or Client(
            options.base_url,
            timeout=usual if options.timeout is None else options.timeout,
        )
        self._stack.callback(client.close)
        among = selection.choose(samples, limit=chosen.first, ids=chosen.ids, where=chosen.where)
        folder = Run.create(chosen.run)
        self.named = str(chosen.run)
        """The run as whoever asked named it: an address, where this folder is a copy."""
        hashes = self._stack.enter_context(HashStore(folder.cache_folder / "hashes.sqlite"))
        found = find_edits(
            folder, benchmark.name, chosen.outputs, list(chosen.editors), among, hashes
        )
        self.samples: list[Sample] = _limited(among, found, chosen.limit)
        self.data_hash = keep_samples(
            folder, benchmark.name, dataset.root, samples, self.samples, hashes
        )
        kept = {sample.id for sample in self.samples}
        found = [record for record in found if record.sample in kept]
        self.edits: list[EditRecord] = tell(folder, found, self.samples)
        engine = self._engine(client, folder, hashes)
        self.todo = JudgeRun(
            run=folder,
            benchmark=benchmark.name,
            judging=judging,
            rubrics=rubrics,
            engine=engine,
            repeats=options.repeats,
            retry=options.retry,
            options=given,
            dimensions=options.dimensions,
            plugins=track.plugins,
            prompts=picked.name if picked else choice.OURS,
            texts=picked.fingerprint if picked and picked.prompts else "",
        )

    def _check(self, judging: Judging, rubrics: RubricFolder) -> None:
        names = judging.rubric_names()
        rubrics.check_files(names, "--rubrics")
        rubrics.check(names)
        known = {metric.name for metric in judging.metrics}
        if odd := sorted(self.options.dimensions - known):
            raise UsageError(f"--dimensions {odd[0]!r}: wanted some of {', '.join(sorted(known))}")

    def _engine(self, client: Client, folder: Run, hashes: HashStore) -> Engine:
        options = self.options
        paid = self._paid(folder.path / PAID)
        store = ReplyStore(paid.path, paid)
        if options.replies is not None:
            store = ReplyStore(options.replies, self._paid(options.replies))
        book = Ledger(paid, purpose=PURPOSE, budget=options.budget)
        thinking = models.thinking(options.model)
        settings = Settings(
            model=options.model,
            retry=frozenset(status.value for status in options.retry),
            repair=options.repair,
            concurrency=options.concurrency,
            deadline=options.deadline,
            asking=options.asking,
            room=thinking.room if thinking else 0,
            thinking=thinking.usual if thinking else 0,
            offline=options.offline,
        )
        pictures = PictureStore(
            hashes,
            png=options.asking.encoding == "png",
            metadata=options.asking.metadata,
        )
        return Engine(client, store, pictures, settings, price=self.price, ledger=book)

    def _paid(self, path: Path) -> Paid:
        """Replies and ledger; a copy of them, or none, where this session only looks."""
        place = self._stack.enter_context(sqlite.readable(path)) if self._looking else path
        try:
            return self._stack.enter_context(Paid(place))
        except (OSError, RunError) as error:
            raise RunError(
                f"{path}: the reply store cannot be used ({error}); name another with --replies"
            ) from error

    def asks(self) -> None:
        """Say that this session is about to ask: no other process may ask the same judge for the
        same replies then, until this one is closed.

        Raises `RunError` when another does; a holder that is dead holds nothing. Raises
        `UsageError` for a rubric of the user's that cannot be filled in for one of the samples.
        """
        if self.todo.rubrics.folder is not None:
            self.todo.expected(self.samples, self.edits)
        if not self.options.offline:
            place = (self.options.replies or self.todo.run.path / PAID).parent
            self._stack.enter_context(lease(place, "judge", self.options.model))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._stack.close()

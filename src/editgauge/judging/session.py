"""One judge command put together: what the user said, checked before anything is paid, and what it
works on: data, outputs, server, stores.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from editgauge import catalog
from editgauge.errors import RunError, UsageError
from editgauge.judging import choice, models
from editgauge.judging.asking import Engine
from editgauge.judging.cache import ReplyStore
from editgauge.judging.chat import Client
from editgauge.judging.options import OURS, JudgeOptions, Selection, price_for
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Judging
from editgauge.judging.replies import Settings
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.run import JudgeRun, drawn
from editgauge.services.booking import Ledger
from editgauge.store import selection, sqlite
from editgauge.store.collect import edits_of as find_edits
from editgauge.store.collect import tell
from editgauge.store.hashes import HashStore
from editgauge.store.lease import lease
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord
from editgauge.types import Benchmark, JudgeTrack, Sample

PAID = "paid.sqlite"
"""The run's file of replies and costs."""
PURPOSE = "judge"
"""Of this room's entries in a run's ledger."""
TIMEOUT, THINKING_TIMEOUT = 120.0, 600.0


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

    def __init__(
        self,
        options: JudgeOptions,
        chosen: Selection,
        *,
        client: Client | None = None,
        looking: bool = False,
    ) -> None:
        self._looking = looking
        self.options = options
        self._stack = ExitStack()
        models.check_name(options.model)
        trusted = options.allow_alias or options.offline or client is not None
        models.check_alias(options.model, trusted)
        self.price = price_for(options)
        benchmark, dataset, samples = catalog.open_data(chosen.benchmark, chosen.data, chosen.split)
        track = track_of(benchmark, options.protocol)
        judging, self.plugins = track.judging, track.plugins
        rubrics = RubricFolder(track.rubrics)
        picked = None
        if options.prompts != OURS:
            if options.protocol:
                raise UsageError("prompts: those of another package's protocol are its own")
            picked = choice.choose(benchmark, options.prompts, chosen.run)
            judging, rubrics = picked.judging, picked.rubrics
        self._check(judging, rubrics)
        given = protocol_options(judging, options.set)
        usual = THINKING_TIMEOUT if models.thinking(options.model) else TIMEOUT
        client = client or Client(options.base_url or None, timeout=options.timeout or usual)
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
            repeats=options.repeat,
            retry=options.retried,
            options=given,
            dimensions=options.metrics,
            plugins=track.plugins,
            prompts=picked.name if picked else OURS,
            texts=picked.fingerprint if picked and picked.scripts else "",
        )

    def _check(self, judging: Judging, rubrics: RubricFolder) -> None:
        names = judging.rubric_names()
        rubrics.check(names)
        known = {metric.name for metric in judging.metrics}
        if odd := sorted(self.options.metrics - known):
            raise UsageError(f"--dimensions {odd[0]!r}: wanted some of {', '.join(sorted(known))}")

    def _engine(self, client: Client, folder: Run, hashes: HashStore) -> Engine:
        options = self.options
        paid = self._paid(folder.path / PAID)
        store = ReplyStore(paid if options.replies is None else self._paid(options.replies))
        book = Ledger(paid, purpose=PURPOSE, budget=options.budget)
        thinking = models.thinking(options.model)
        settings = Settings(
            model=options.model,
            retry=frozenset(status.value for status in options.retried),
            concurrency=options.concurrency,
            asking=options.asking,
            room=thinking.room if thinking else 0,
            thinking=thinking.usual if thinking else 0,
            offline=options.offline,
        )
        pictures = PictureStore(hashes)
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

    def go_offline(self) -> None:
        """Ask nothing from now on: rows are made of what is stored."""
        self.options = replace(self.options, offline=True)
        self.todo.engine.settings.offline = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._stack.close()

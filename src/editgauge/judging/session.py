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
from typing import Any, Self

from editgauge import catalog
from editgauge.errors import RunError, UsageError
from editgauge.judging import models, prompts
from editgauge.judging.chat import Client
from editgauge.judging.engine import Engine
from editgauge.judging.jobs import Settings
from editgauge.judging.options import RANGES, REQUEST, JudgeOptions, Selection, price_for
from editgauge.judging.pictures import PictureStore
from editgauge.judging.questions import Track
from editgauge.judging.run import JudgeRun, drawn
from editgauge.judging.store import ReplyStore
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
from editgauge.types import Sample

PAID = "paid.sqlite"
"""The run's file of replies and costs."""
TIMEOUT, THINKING_TIMEOUT = 120.0, 600.0


class Session:
    """A judge command, ready to be run, or with `looking` only to be shown or estimated: then the
    run may lie where nothing can be written, if it knows the samples already. A context manager.

    Raises `UsageError` and `DataError` before anything is paid.
    """

    def __init__(
        self,
        options: JudgeOptions,
        benchmark: str,
        data: Path | None,
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
        found, dataset, samples = catalog.open_data(benchmark, data, chosen.split)
        asked = prompts.choose(found, options.prompts, chosen.run)
        given = protocol_options(asked.track, options.of_protocol)
        thinking = models.thinking(options.model)
        seconds = options.settings.get("timeout") or (THINKING_TIMEOUT if thinking else TIMEOUT)
        client = client or Client(options.base_url or None, timeout=seconds)
        self._stack.callback(client.close)
        among = selection.choose(samples, limit=chosen.first, ids=chosen.sample, where=chosen.where)
        folder = Run.create(chosen.run)
        self.named = str(chosen.run)
        """The run as whoever asked named it: an address, where this folder is a copy."""
        hashes = self._stack.enter_context(HashStore(folder.cache_folder / "hashes.sqlite"))
        edits = find_edits(folder, found.name, chosen.outputs, list(chosen.editor), among, hashes)
        self.samples: list[Sample] = _limited(among, edits, chosen.limit)
        self.data_hash = keep_samples(
            folder, found.name, dataset.root, samples, self.samples, hashes
        )
        kept = {sample.id for sample in self.samples}
        edits = [record for record in edits if record.sample in kept]
        self.edits: list[EditRecord] = tell(folder, edits, self.samples)
        self.todo = JudgeRun(
            run=folder,
            benchmark=found.name,
            prompts=asked,
            engine=self._engine(client, folder, hashes, thinking),
            repeats=options.repeat,
            retry=options.retried,
            options=given,
        )

    def _engine(
        self, client: Client, folder: Run, hashes: HashStore, thinking: models.Thinking | None
    ) -> Engine:
        options = self.options
        paid = self._paid(folder.path / PAID)
        store = ReplyStore(paid if options.replies is None else self._paid(options.replies))
        settings = Settings(
            model=options.model,
            retry=frozenset(status.value for status in options.retried),
            concurrency=options.settings.get("concurrency", 16),
            asking=options.asking,
            room=thinking.room if thinking else 0,
            thinking=thinking.usual if thinking else 0,
            offline=options.offline,
        )
        ledger = Ledger(paid, purpose="judge", budget=options.budget)
        pictures = PictureStore(hashes)
        return Engine(client, store, pictures, settings, price=self.price, ledger=ledger)

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
        if self.todo.prompts.rubrics.folder is not None:
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


def protocol_options(track: Track, given: Mapping[str, str]) -> dict[str, Any]:
    """The options of a protocol; ``true`` and ``false`` become booleans.

    Raises `UsageError` for a name or a value that the protocol does not know, naming those that it
    knows.
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in track.options:
            there = sorted({*track.options, *REQUEST, *RANGES})
            near = difflib.get_close_matches(name, there, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            why = f"{name}={value}: there are: {', '.join(there)}{hint}"
            raise UsageError(why, argument="set")
        known = track.options[name]
        fits = next((word for word in known if word.lower() == value.lower()), None)
        if fits is None:
            why = f"{name}={value}: wanted {name} to be one of {', '.join(known)}"
            raise UsageError(why, argument="set")
        found[name] = {"true": True, "false": False}.get(fits, fits)
    return found


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

"""One judge command: what is asked, checked before anything is paid, and the rows of it."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Self

from editgauge import catalog
from editgauge.errors import ImageError, UsageError
from editgauge.judging import prompts
from editgauge.judging.asking import Job
from editgauge.judging.batch import waiting
from editgauge.judging.chat import Client
from editgauge.judging.engine import Engine, Task, run_together
from editgauge.judging.options import (
    RANGES,
    REQUEST,
    JudgeOptions,
    Selection,
    is_alias,
    price_for,
    thinks,
)
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.judging.questions import Track
from editgauge.judging.reading import VERSION
from editgauge.services.booking import Ledger
from editgauge.store import selection, variants
from editgauge.store.collect import edits_of as find_edits
from editgauge.store.collect import tell
from editgauge.store.hashes import HashStore
from editgauge.store.lease import lease
from editgauge.store.paid import Paid
from editgauge.store.run import Run
from editgauge.store.samples import keep_samples
from editgauge.store.schema import EditRecord, RowKey, digest
from editgauge.store.summary import Summary
from editgauge.types import (
    DECLARED_TEMPERATURE,
    JUDGE_SCORER,
    VARIANTS,
    JsonMapping,
    JsonObject,
    Row,
    Sample,
    Score,
    Status,
)

PAID = "paid.sqlite"
"""The run's file of replies and costs."""


class Session:
    """A judge command, ready to be run, or with `looking` only to be shown or estimated: then the
    run may lie where nothing can be written. `ledger` is that of another session, whose budget this
    one shares. A context manager. Raises `UsageError` and `DataError` before anything is paid.
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
        ledger: Ledger | None = None,
    ) -> None:
        self._looking, self._stack = looking, ExitStack()
        self._ledger = ledger
        self.options, self.price = options, price_for(options)
        entry, dataset, samples = catalog.open_data(benchmark, data, chosen.split)
        self.benchmark = entry.name
        self.prompts = prompts.choose(entry, options.prompts, chosen.run)
        self.given = protocol_options(self.prompts.track, options.settings)
        """The protocol's own options (``reference``, ``text``)."""
        self.run, self.named = Run.create(chosen.run), str(chosen.run)
        """`named`: as whoever asked named the run; an address, where this folder is a copy."""
        hashes = self._stack.enter_context(HashStore(self.run.cache_folder / "hashes.sqlite"))
        self._find(dataset.root, samples, chosen, hashes)
        self.engine = self._engine(client, PictureStore(hashes))
        self.summary = Summary()
        self.refused: Counter[str] = Counter()
        """Refusals by category: they matter for faces and medicine."""
        self._done: Mapping[RowKey, Mapping[str, Status]] = {}
        self._unasked: list[tuple[Job, list[Score]]] = []

    def _find(
        self, root: Path, samples: Sequence[Sample], chosen: Selection, hashes: HashStore
    ) -> None:
        """Set `samples` and `edits`, those that are judged, and `data_hash`."""
        run, name = self.run, self.benchmark
        among = selection.choose(samples, limit=chosen.first, ids=chosen.sample, where=chosen.where)
        edits = find_edits(run, name, chosen.outputs, list(chosen.editor), among, hashes)
        self.samples = _limited(among, edits, chosen.limit)
        kept = {sample.id for sample in self.samples}
        used = {record.sample for record in edits if record.path is not None}
        self.data_hash = keep_samples(run, name, root, samples, self.samples, hashes, used)
        edits = [record for record in edits if record.sample in kept]
        self.edits: list[EditRecord] = tell(run, edits, self.samples)

    def _engine(self, client: Client | None, pictures: PictureStore) -> Engine:
        options = self.options
        usual = 600.0 if thinks(options.model) else 120.0
        seconds = options.settings.get("timeout", usual)
        client = client or Client(options.base_url or None, timeout=seconds)
        self._stack.callback(client.close)
        paid = self._paid(self.run.path / PAID)
        replies = paid if options.replies is None else self._paid(options.replies)
        ledger = self._ledger or Ledger(paid, purpose="judge", budget=options.budget)
        engine = Engine(client, replies, pictures, options, price=self.price, ledger=ledger)
        engine.waiting = waiting(replies)
        return engine

    def _paid(self, path: Path) -> Paid:
        looking = self._looking and not path.exists()  # who only looks makes no file
        return self._stack.enter_context(Paid(None if looking else path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *ended: object) -> None:
        self._stack.close()

    def asks(self) -> None:
        """Keep others from asking this judge, and check the user's rubrics; raises for both."""
        if self.prompts.rubrics.folder is not None:
            self.expected()
        if not self.options.offline:
            place = (self.options.replies or self.run.path / PAID).parent
            self._stack.enter_context(lease(place, "judge", self.options.model))

    def go_offline(self) -> None:
        """Ask nothing from now on: rows are made of what is stored."""
        self.options, self.engine.offline = replace(self.options, offline=True), True

    def facts(self) -> JsonObject:
        """Who judges what, and how, for the manifest."""
        return {
            "judge": self.source,
            "answered": self.engine.answered,
            "server": self.engine.client.host,
            "package": self.prompts.package._asdict(),
            "options": self.given,
            "repeats": self.options.repeat,
            "editors": sorted({record.editor for record in self.edits}),
            "data": self.data_hash,
            "samples": len(self.samples),
        }

    def record(self, command: str, **facts: Any) -> JsonObject:
        """Write down in the run's manifest that a command was run, and what it did."""
        entry: JsonObject = {"benchmark": self.benchmark, "model": self.options.model}
        entry["priced"] = self.price is not None
        entry |= {**self.engine.stats.facts(), **facts}
        self.run.record(command, **entry)
        return entry

    @cached_property
    def protocol(self) -> str:
        """Hash of prompts and options: with the model's name, what makes two numbers comparable."""
        return digest(VERSION, self.prompts.fingerprint, self.given)[:8]

    @property
    def source(self) -> str:
        """The judge's name in rows: model id, the protocol's hash, and what was set of its requests
        (``gpt-4o-2024-11-20[paper]#1a2b3c4d+temperature=1``). An alias also says who answered.
        """
        model, asking = self.options.model, self.options.named
        if is_alias(model) and self.engine.answered:
            model = f"{model}={self.engine.answered}"
        words = "" if self.prompts.name == prompts.OURS else f"[{self.prompts.name}]"
        return f"{model}{words}#{self.protocol}" + (f"+{asking}" if asking else "")

    def expected(self) -> int:
        """How many calls there are in all, those that are stored or have rows included."""
        return sum(1 for _ in self.jobs(looking=True))

    def jobs(self, *, looking: bool = False, repeats: int | None = None) -> Iterator[Job]:
        """The jobs that have no rows yet, lazily. They go sample by sample over all editors, in
        `selection.random_order`: wherever a budget ends, what was judged is a comparison. With
        `looking` nothing is written and nothing is taken as done (for estimates).
        """
        known = {one.id: one for one in self.samples}
        self._done = {} if looking else self.run.done(self.benchmark, [JUDGE_SCORER])
        for record in sorted(
            self.edits, key=lambda one: (selection.random_order(one.sample), one.editor)
        ):
            sample = known[record.sample]
            calls, missing = self._asked(sample, record)
            about = {"benchmark": self.benchmark, "sample": sample.id, "editor": record.editor}
            for repeat in range(self.options.repeat if repeats is None else repeats):
                for call in calls:
                    job = Job(call, repeat, about, (sample, record))
                    names = call.metrics.values()
                    if looking or self._needed(job, names, self._fingerprint(job)):
                        yield job
                if missing and not looking:
                    self._unasked.append((Job(_NO_CALL, repeat, about, (sample, record)), missing))

    def _asked(self, sample: Sample, record: EditRecord) -> tuple[Sequence[Call], list[Score]]:
        """The calls about one edit, and a score that says why for each metric without one."""
        track, edit = self.prompts.track, record.edit(self.run.path)
        status, reason = edit.status, edit.reason
        if fault := sample.fault or sample.lost("service"):
            status, reason = Status.DATASET_FAULT, fault
        calls: Sequence[Call] = ()
        if status is Status.SCORED:
            calls = track.calls(sample, edit, self.prompts.rubrics, self.given)
            status, reason = Status.DATASET_FAULT, "the sample lacks what this question needs"
        asked = {metric for call in calls for metric in call.metrics.values()}
        return calls, [
            Score(metric=one.name, value=None, status=status, reason=reason)
            for one in track.metrics_for(sample, self.given)
            if one.name not in asked
        ]

    def _put_unasked(self) -> None:
        """Write the rows of what cannot be judged; last, when an alias has said who it is."""
        for job, scores in self._unasked:
            outcome = (scores[0].status.value, scores[0].reason, job.payload[1].fingerprint)
            mark = digest(VERSION, self.source, *outcome)
            if self._needed(job, [score.metric for score in scores], mark):
                every = product(scores, VARIANTS)
                self._put(job, mark, (replace(score, variant=variant) for score, variant in every))
        self._unasked.clear()

    def _needed(self, job: Job, metrics: Iterable[str], mark: str) -> bool:
        """Whether a job's rows have to be made; what they replace is dropped."""
        sample, record = job.payload
        keys: list[RowKey] = [
            (self.benchmark, sample.id, record.editor, JUDGE_SCORER, metric, variant, self.source,
             job.repeat)
            for metric in metrics
            for variant in VARIANTS
        ]  # fmt: skip
        there = {key: self._done.get(key, {}) for key in keys}
        strict = {of.get(mark) for key, of in there.items() if key[5] == "corrected"}
        needed = bool({None, *self.options.retried} & strict) or any(
            mark not in of for of in there.values()
        )
        if old := [(key, one) for key, of in there.items() for one in of if needed or one != mark]:
            self.run.drop(old)
        for key, of in () if needed else there.items():
            self.summary.kept += 1
            self.summary.counter(key[2], JUDGE_SCORER, key[4], key[5])[of[mark].value] += 1
        return needed

    def _fingerprint(self, job: Job) -> str:
        try:
            asked = variants.marks(job.payload[1].settings)
            return digest(VERSION, self.prompts.track.version, self.engine.key(job), *asked)
        except ImageError as error:
            return digest(VERSION, "no picture", str(error))

    def tasks(self) -> Iterator[Task]:
        """The jobs that have no rows yet, each with the engine that asks and `store`."""
        for job in self.jobs():
            yield Task(self.engine, job, self.store)

    def begin(self) -> None:
        """Write down the metrics of the rows that are to come."""
        self.run.keep_metrics(self.benchmark, self.prompts.track.metrics)

    def end(self) -> None:
        """Write the rows of what cannot be judged."""
        self._put_unasked()

    def store(self, job: Job, scores: Sequence[Score]) -> None:
        """Write the rows of one job."""
        if any(score.status is Status.REFUSED for score in scores):
            self.refused["/".join(job.payload[0].category)] += 1
        self._put(job, self._fingerprint(job), scores)

    def _put(self, job: Job, mark: str, scores: Iterable[Score]) -> None:
        sample, record = job.payload
        asked = variants.row_detail(record.settings) if job.call.name else {}
        facts: JsonObject = {
            "benchmark": self.benchmark, "sample": sample.id, "editor": record.editor,
            "scorer": JUDGE_SCORER, "fingerprint": mark, "source": self.source,
            "repeat": job.repeat, "origin": self._origin(job.call),
        }  # fmt: skip
        rows = [
            Row(
                metric=score.metric,
                variant=score.variant,
                value=score.value,
                status=score.status,
                reason=score.reason.replace(f"{self.run.path}/", ""),
                detail={**score.detail, **asked},
                **facts,
            )
            for score in scores
        ]
        self.summary.computed += self.run.put(rows)
        self.summary.count(rows)

    def _origin(self, call: Call) -> JsonObject:
        facts = {"judge": self.options.model, "reader": VERSION, "protocol": self.protocol}
        facts |= {"protocol_version": self.prompts.track.version, "options": self.given}
        if (package := self.prompts.package).name:
            facts |= {"package": package.name, "package_version": package.version}
        if call.name:
            facts |= {
                "call": call.name,
                "rubric": call.rubric,
                "schema": self.engine.dialect.form if call.schema() else "",
                "temperature": self.engine.parameters(call).get("temperature"),
                "max_tokens": self.engine.room(call),
            }
            if facts["temperature"] is None and call.temperature is not None:
                facts[DECLARED_TEMPERATURE] = call.temperature
            facts |= {"asking": self.options.named} if self.options.named else {}
        return facts


def judge_together(sessions: Sequence[Session], **told: Any) -> bool:
    """Bring the rows of several judges of one run up to date; True when all has been asked.

    All judge one sample before the next: wherever a budget ends, what was judged is a comparison.
    As `engine.run_together`.
    """
    for session in sessions:
        session.begin()
    every = (session.tasks() for session in sessions)
    tasks = heapq.merge(*every, key=lambda task: selection.random_order(task.job.about["sample"]))
    try:
        return run_together([session.engine for session in sessions], tasks, **told)
    finally:
        for session in sessions:
            session.end()


_NO_CALL = Call(name="", parts=(), reply={}, metrics={}, rubric="")
"""Of rows about what is not asked."""


def protocol_options(track: Track, given: JsonMapping) -> JsonObject:
    """The options of a protocol; ``true`` and ``false`` become booleans. Raises `UsageError`."""
    values: JsonObject = {}
    for name, value in given.items():
        if name in (*REQUEST, *RANGES):
            continue
        selection.one_of("set", name, sorted({*track.options, *REQUEST, *RANGES}))
        if value not in track.options[name]:
            why = f"{name}={value}: wanted one of {', '.join(track.options[name])}"
            raise UsageError(why, argument="set")
        values[name] = {"true": True, "false": False}.get(value, value)
    return values


def _limited(
    samples: Sequence[Sample], edits: Sequence[EditRecord], limit: int | None
) -> list[Sample]:
    """`limit` samples, drawn at random; those without any output come last."""
    if limit is None:
        return list(samples)
    delivered = {record.sample for record in edits if record.path}
    kept = selection.draw([sample.id for sample in samples], limit, delivered)
    return [sample for sample in samples if sample.id in kept]

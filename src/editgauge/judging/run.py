"""Judge: ask a judge about outputs, write rows as replies come. What was paid for is never paid for
again.

Which rows are needed is decided by their fingerprint, which is made of the key of the reply:
everything the reply depends on, pictures and words included. Replies are in the store before rows
are written, so a killed run repeats at most the calls in flight, and rows can be made again from
replies alone.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from editgauge.errors import ImageError
from editgauge.images import read_header
from editgauge.judging.engine import Engine, Progress
from editgauge.judging.jobs import Job
from editgauge.judging.models import is_alias
from editgauge.judging.prompts import OURS, Prompts
from editgauge.judging.protocol import Call
from editgauge.judging.reading import VERSION
from editgauge.judging.scores import ExchangeResult, to_scores
from editgauge.store import variants
from editgauge.store.run import Run
from editgauge.store.schema import EditRecord, RowKey, digest
from editgauge.store.summary import Summary
from editgauge.types import JUDGE_SCORER, Edit, Row, Sample, Score, Status, Variant

_VARIANTS: tuple[Variant, ...] = ("faithful", "corrected")
_LACKING = (Status.DATASET_FAULT, "the sample lacks what this question needs")
Known = Mapping[RowKey, Mapping[str, Status]]
"""Of the rows that there are: key -> fingerprint -> status."""


@dataclass(kw_only=True)
class JudgeRun:
    """One judge on one benchmark: what is asked of it, and under which name its rows go. `options`
    are the protocol's own (``reference``, ``text``).
    """

    run: Run
    benchmark: str
    prompts: Prompts
    engine: Engine
    repeats: int = 1
    retry: frozenset[Status] = frozenset()
    options: Mapping[str, Any] = field(default_factory=dict)
    summary: Summary = field(default_factory=Summary)
    refused: Counter[str] = field(default_factory=Counter)
    """Refusals by category: they matter for faces and medicine."""

    @cached_property
    def protocol(self) -> str:
        """Hash of prompts and options: with the model's name, what makes two numbers comparable."""
        return digest(VERSION, self.prompts.fingerprint, dict(self.options))[:8]

    @property
    def source(self) -> str:
        """The judge's name in rows: model id, the protocol's hash, and what was set of its requests
        (``gpt-4o-2024-11-20#1a2b3c4d+temperature=1``). An alias also says who answered, and prompts
        that are not ours have their name in brackets (``gpt-4o-2024-11-20[paper]#…``).
        """
        model = self.engine.settings.model
        if is_alias(model) and self.engine.answered:
            model = f"{model}={self.engine.answered}"
        asking = self.engine.settings.named()
        prompts = "" if self.prompts.name == OURS else f"[{self.prompts.name}]"
        return f"{model}{prompts}#{self.protocol}" + (f"+{asking}" if asking else "")

    # -- what is to be asked -----------------------------------------------------------------------

    def calls(self, sample: Sample, edit: Edit) -> Sequence[Call]:
        """The calls for one edit."""
        return self.prompts.track.calls(sample, edit, self.prompts.rubrics, self.options)

    def expected(self, samples: Sequence[Sample], edits: Sequence[EditRecord]) -> int:
        """How many calls there are in all, those that are stored or have rows included."""
        known = {sample.id: sample for sample in samples if sample.fault is None}
        there = [record for record in edits if record.sample in known and record.path]
        return self.repeats * sum(
            len(self.calls(known[record.sample], record.edit(self.run.path))) for record in there
        )

    def jobs(
        self, samples: Sequence[Sample], edits: Sequence[EditRecord], *, looking: bool = False
    ) -> Iterator[Job]:
        """The jobs that have no rows yet, lazily; rows of edits that cannot be judged are written
        on the way. They go sample by sample over all editors, in the order of `drawn`: wherever a
        budget ends, what was judged is a comparison on a random part of the samples.

        With `looking` nothing is written and nothing is taken as done (for estimates).
        """
        known = {sample.id: sample for sample in samples}
        done = {} if looking else self.run.done(self.benchmark, [JUDGE_SCORER])
        for record in sorted(edits, key=lambda one: (drawn(one.sample), one.editor)):
            sample = known.get(record.sample)
            if sample is None:
                continue
            edit = record.edit(self.run.path)
            status, reason = _cannot(sample, edit)
            calls = self.calls(sample, edit) if status is Status.SCORED else ()
            asked = {metric for call in calls for metric in call.metrics.values()}
            wanted = self.prompts.track.metrics_for(sample, self.options)
            missing = [metric.name for metric in wanted if metric.name not in asked]
            if status is Status.SCORED:
                status, reason = _LACKING
            for repeat in range(self.repeats):
                for call in calls:
                    about = {"benchmark": self.benchmark, "sample": sample.id}
                    about["editor"] = record.editor
                    job = Job(call, repeat, about, (sample, record))
                    if looking or self._needed(job, done):
                        yield job
                if missing and not looking:
                    mark = digest(VERSION, self.source, status.value, reason, record.fingerprint)
                    scores = [
                        Score(metric=one, variant=variant, value=None, status=status, reason=reason)
                        for one in missing
                        for variant in _VARIANTS
                    ]
                    rows = [self._row(sample, record, repeat, score, mark) for score in scores]
                    if self._outdated([row.key for row in rows], mark, done):
                        self._put(rows)

    def _needed(self, job: Job, done: Known) -> bool:
        """Whether a job has to be done."""
        sample, record = job.payload
        keys: list[RowKey] = [
            (self.benchmark, sample.id, record.editor, JUDGE_SCORER, metric, variant, self.source,
             job.repeat)
            for metric in job.call.metrics.values()
            for variant in _VARIANTS
        ]  # fmt: skip
        return self._outdated(keys, self._fingerprint(job), done)

    def _outdated(self, keys: Sequence[RowKey], mark: str, done: Known) -> bool:
        """Whether rows have to be made: one is not there with this fingerprint, or is asked for
        again. What they replace is dropped.
        """
        statuses = [done.get(key, {}).get(mark) for key in keys]
        needed = None in statuses or any(status in self.retry for status in statuses)
        old = [(key, one) for key in keys for one in done.get(key, {}) if needed or one != mark]
        if old:
            self.run.drop(old)
        for key, status in zip(keys, statuses, strict=True):
            if not needed and status is not None:
                self.summary.kept += 1
                self.summary.add(key[2], JUDGE_SCORER, key[4], key[5], status)
        return needed

    # -- what came back ----------------------------------------------------------------------------

    def store(self, job: Job, exchange: ExchangeResult) -> None:
        """Write the rows of one job."""
        if exchange.status is Status.UNREADABLE and _output_reads(job):
            exchange = replace(exchange, status=Status.DATASET_FAULT)  # it is another picture
        try:
            scores = to_scores(job.call, exchange)
        except Exception as error:  # a reply that a reader breaks on is kept, and stops nobody
            reason = f"the reply could not be read ({type(error).__name__})"
            scores = to_scores(job.call, replace(exchange, status=Status.UNPARSABLE, reason=reason))
        sample, record = job.payload
        statuses = {score.status for score in scores if score.variant == "corrected"}
        self.engine.stats.unparsable += Status.UNPARSABLE in statuses
        if Status.REFUSED in statuses:
            self.refused["/".join(sample.category)] += 1
        mark = self._fingerprint(job)
        rows = [self._row(sample, record, job.repeat, score, mark, job.call) for score in scores]
        self._put(rows)

    def _put(self, rows: Sequence[Row]) -> None:
        self.summary.computed += self.run.put(rows)
        for row in rows:
            self.summary.add(row.editor, JUDGE_SCORER, row.metric, row.variant, row.status)

    def _row(
        self,
        sample: Sample,
        record: EditRecord,
        repeat: int,
        score: Score,
        fingerprint: str,
        call: Call | None = None,
    ) -> Row:
        return Row(
            benchmark=self.benchmark,
            sample=sample.id,
            editor=record.editor,
            scorer=JUDGE_SCORER,
            metric=score.metric,
            variant=score.variant,
            value=score.value,
            status=score.status,
            reason=score.reason.replace(f"{self.run.path}/", ""),
            fingerprint=fingerprint,
            source=self.source,
            repeat=repeat,
            detail={**score.detail, **variants.row_detail(record.settings)} if call else {},
            origin=self._origin(call),
        )

    def _origin(self, call: Call | None) -> dict[str, Any]:
        origin: dict[str, Any] = {
            "reader": VERSION,
            "protocol": self.protocol,
            "protocol_version": self.prompts.track.version,
            "options": dict(self.options),
            "judge": self.engine.settings.model,
        }
        if self.prompts.plugins:  # the last one is whose questions are asked
            package = self.prompts.plugins[-1]
            origin |= {"package": package["package"], "package_version": package["version"]}
        if call is not None:
            dialect, settings = self.engine.dialect, self.engine.settings
            wanted = settings.asking.get("temperature", call.temperature)
            origin |= {
                "call": call.name,
                "rubric": call.rubric,
                "schema": dialect.form if call.schema() else "",
                "temperature": wanted if dialect.temperature else None,
                "max_tokens": self.engine.room(call),
            }
            if settings.asking:
                origin["asking"] = settings.named()
        return origin

    def _fingerprint(self, job: Job) -> str:
        try:
            asked = variants.marks(job.payload[1].settings)
            return digest(VERSION, self.prompts.track.version, self.engine.key(job), *asked)
        except ImageError as error:
            return digest(VERSION, "no picture", str(error))

    def judge(
        self,
        samples: Sequence[Sample],
        edits: Sequence[EditRecord],
        progress: Progress | None = None,
    ) -> bool:
        """Bring the judge's rows up to date; True when everything that was to be asked has been.

        False when a budget or the user stopped it: what was done is kept, and the same call goes on
        from there. Raises `RunError` when going on makes no sense (see `Engine.run`).
        """
        self.run.keep_metrics(self.benchmark, self.prompts.track.metrics)
        return self.engine.run(self.jobs(samples, edits), self.store, progress)


def drawn(sample: str) -> bytes:
    """Where a sample stands in the order in which samples are judged: random, and the same in every
    command and on every machine.
    """
    return hashlib.blake2b(sample.encode(), digest_size=8, key=b"judge order 0").digest()


def _output_reads(job: Job) -> bool:
    """Whether the editor's own picture can be opened: then the fault is the data's, not the
    editor's.
    """
    try:
        for picture in job.call.pictures:
            if picture.name == "output":
                read_header(picture.path)
    except ImageError:
        return False
    return True


def _cannot(sample: Sample, edit: Edit) -> tuple[Status, str]:
    """Why an edit has no score for what is not asked about it: the data's fault first, then the
    editor's. `Status.SCORED` where it can be judged.
    """
    if sample.fault is not None:
        return Status.DATASET_FAULT, sample.fault
    if not edit.ok:
        return edit.status, edit.reason
    return Status.SCORED, ""

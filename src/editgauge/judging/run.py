"""Judge: ask a judge about outputs, write rows as replies come. What was paid for is never paid for
again.

Which rows are needed is decided by their fingerprint, which is made of the key of the reply:
everything the reply depends on, pictures and words included. Replies are in the store before rows
are written, so a killed run repeats at most the calls in flight, and rows can be made again from
replies alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from editgauge.errors import ImageError
from editgauge.images import read_header
from editgauge.judging.asking import Engine
from editgauge.judging.models import is_alias
from editgauge.judging.options import OURS
from editgauge.judging.protocol import Call, Judging
from editgauge.judging.reading import VERSION
from editgauge.judging.replies import Job
from editgauge.judging.rubrics import RubricFolder
from editgauge.judging.scores import ExchangeResult, to_scores
from editgauge.judging.stats import Stats
from editgauge.store import variants
from editgauge.store.run import RowWriter, Run
from editgauge.store.schema import EditRecord, RowKey, digest
from editgauge.store.summary import Summary
from editgauge.types import JUDGE_SCORER, Edit, Row, Sample, Score, Status, Variant

SCORER = JUDGE_SCORER
_VARIANTS: tuple[Variant, ...] = ("faithful", "corrected")


@dataclass(slots=True, kw_only=True)
class JudgeRun:
    """One judge on one benchmark: what is asked of it, and under which name its rows go.

    `options` are the protocol's own (``reference``, ``text``). `dimensions` keeps only calls with
    one of these metrics.
    """

    run: Run
    benchmark: str
    judging: Judging
    rubrics: RubricFolder
    engine: Engine
    repeats: int = 1
    retry: frozenset[Status] = frozenset()
    options: Mapping[str, Any] = field(default_factory=dict)
    dimensions: frozenset[str] = frozenset()
    summary: Summary = field(default_factory=Summary)
    refused: dict[str, int] = field(default_factory=dict)
    """Refusals by category: they matter for faces and medicine."""
    plugins: Sequence[Mapping[str, str]] = ()
    """kind, name, package and version of what is asked, where it is another package's."""
    prompts: str = OURS
    """The name of the prompt set: part of the source, so that no table mixes two."""
    texts: str = ""
    """The hash of the set's texts, where they are no rubrics."""
    _protocol: str = ""

    @property
    def protocol(self) -> str:
        """Hash of rubrics and options: with the model's name, what makes two numbers comparable."""
        if not self._protocol:
            rubrics = self.rubrics.common_hash(self.judging.rubric_names())
            words = (rubrics, self.texts) if self.texts else (rubrics,)
            self._protocol = digest(VERSION, *words, dict(self.options))[:8]
        return self._protocol

    @property
    def source(self) -> str:
        """The judge's name in rows: model id, the protocol's hash, and what was set of its requests
        (``gpt-4o-2024-11-20#1a2b3c4d+temperature=1``). An alias also says who answered, and prompts
        that are not ours have their name in brackets (``gpt-4o-2024-11-20[paper]#…``).
        """
        model = self.engine.settings.model
        if is_alias(model) and self.engine.answered:
            model = f"{model}={self.engine.answered}"
        asking = self.engine.settings.asking.named()
        prompts = "" if self.prompts == OURS else f"[{self.prompts}]"
        return f"{model}{prompts}#{self.protocol}" + (f"+{asking}" if asking else "")

    # -- what is to be asked -----------------------------------------------------------------------

    def calls(self, sample: Sample, edit: Edit) -> list[Call]:
        """The calls for one edit, narrowed to `dimensions`."""
        found = self.judging.calls(sample, edit, self.rubrics, self.options)
        if not self.dimensions:
            return list(found)
        return [call for call in found if self.dimensions & set(call.metrics.values())]

    def expected(self, samples: Sequence[Sample], edits: Sequence[EditRecord]) -> int:
        """How many calls there are in all, those that are stored or have rows included."""
        known = {sample.id: sample for sample in samples}
        return self.repeats * sum(
            len(self.calls(known[record.sample], record.edit(self.run.path)))
            for record in edits
            if record.sample in known and record.path and known[record.sample].fault is None
        )

    def wanted_metrics(self, sample: Sample) -> list[str]:
        names = [metric.name for metric in self.judging.metrics_for(sample, self.options)]
        return [name for name in names if not self.dimensions or name in self.dimensions]

    def jobs(
        self, samples: Sequence[Sample], edits: Sequence[EditRecord], writer: RowWriter | None
    ) -> Iterator[Job]:
        """The jobs that have no rows yet, lazily; rows of edits that cannot be judged are written
        on the way. They go sample by sample over all editors, in the order of `drawn`: wherever a
        budget ends, what was judged is a comparison on a random part of the samples.

        With `writer` None nothing is written and nothing is taken as done (for estimates).
        """
        known = {sample.id: sample for sample in samples}
        done = self.run.done(self.benchmark, [SCORER]) if writer is not None else {}
        for record in sorted(edits, key=lambda one: (drawn(one.sample), one.editor)):
            sample = known.get(record.sample)
            if sample is None:
                continue
            edit = record.edit(self.run.path)
            for repeat in range(self.repeats):
                status, reason = _cannot(sample, edit)
                asked: set[str] = set()
                if status is None:
                    for call in self.calls(sample, edit):
                        asked |= set(call.metrics.values())
                        job = self._job(sample, record, call, repeat)
                        if writer is None or self._needed(job, done, writer):
                            yield job
                missing = [name for name in self.wanted_metrics(sample) if name not in asked]
                if missing and writer is not None:
                    if status is None:
                        status, reason = (
                            Status.DATASET_FAULT,
                            "the sample lacks what this question needs",
                        )
                    self._write_unasked(
                        sample, record, repeat, missing, status, reason, done, writer
                    )

    def _job(self, sample: Sample, record: EditRecord, call: Call, repeat: int) -> Job:
        about = {"benchmark": self.benchmark, "sample": sample.id, "editor": record.editor}
        return Job(call, repeat, about, (sample, record))

    def _needed(
        self, job: Job, done: Mapping[RowKey, Mapping[str, Status]], writer: RowWriter
    ) -> bool:
        fingerprint = self._fingerprint(job)
        keys = [
            self._key(job, metric, variant)
            for metric in job.call.metrics.values()
            for variant in _VARIANTS
        ]
        statuses = [done.get(key, {}).get(fingerprint) for key in keys]
        retired = [(key, old) for key in keys for old in done.get(key, {}) if old != fingerprint]
        complete = all(status is not None for status in statuses)
        if complete and not any(status in self.retry for status in statuses):
            for key, status in zip(keys, statuses, strict=True):
                if status is not None:
                    self.summary.kept += 1
                    self.summary.add(key[2], SCORER, key[4], key[5], status)
            if retired:
                writer.retire(retired)
            return False
        retired += [
            (key, fingerprint)
            for key, status in zip(keys, statuses, strict=True)
            if status is not None
        ]
        if retired:
            writer.retire(retired)
        return True

    def _write_unasked(
        self,
        sample: Sample,
        record: EditRecord,
        repeat: int,
        metrics: Sequence[str],
        status: Status,
        reason: str,
        done: Mapping[RowKey, Mapping[str, Status]],
        writer: RowWriter,
    ) -> None:
        fingerprint = digest(VERSION, self.source, status.value, reason, record.fingerprint)
        rows = []
        for metric in metrics:
            for variant in _VARIANTS:
                row = Row(
                    benchmark=self.benchmark,
                    sample=sample.id,
                    editor=record.editor,
                    scorer=SCORER,
                    metric=metric,
                    variant=variant,
                    value=None,
                    status=status,
                    reason=reason,
                    fingerprint=fingerprint,
                    source=self.source,
                    repeat=repeat,
                    detail={},
                    origin=self._origin(None),
                )
                there = done.get(row.key, {})
                self.summary.add(record.editor, SCORER, metric, variant, status)
                if fingerprint in there:
                    self.summary.kept += 1
                    continue
                if there:
                    writer.retire((row.key, old) for old in there)
                rows.append(row)
        self.summary.computed += writer.write(rows) if rows else 0

    # -- what came back ----------------------------------------------------------------------------

    def store(self, job: Job, exchange: ExchangeResult, writer: RowWriter) -> None:
        """Write the rows of one job."""
        if exchange.status is Status.UNREADABLE and _output_reads(job):
            exchange = replace(
                exchange, status=Status.DATASET_FAULT
            )  # it is another picture that cannot be read
        try:
            scores = to_scores(job.call, exchange)
        except Exception as error:  # a reply that a reader breaks on is kept, and stops nobody
            reason = f"the reply could not be read ({type(error).__name__})"
            scores = to_scores(job.call, replace(exchange, status=Status.UNPARSABLE, reason=reason))
        self.engine.stats.unparsable += any(
            score.status is Status.UNPARSABLE for score in scores[::2]
        )
        sample, _ = job.payload
        if any(score.status is Status.REFUSED for score in scores):
            category = "/".join(sample.category)
            self.refused[category] = self.refused.get(category, 0) + 1
        fingerprint = self._fingerprint(job)
        rows = [self._row(job, score, fingerprint) for score in scores]
        self.summary.computed += writer.write(rows)
        for row in rows:
            self.summary.add(row.editor, SCORER, row.metric, row.variant, row.status)

    def _row(self, job: Job, score: Score, fingerprint: str) -> Row:
        sample, record = job.payload
        detail = {**score.detail, **variants.row_detail(record.settings)}
        return Row(
            benchmark=self.benchmark,
            sample=sample.id,
            editor=record.editor,
            scorer=SCORER,
            metric=score.metric,
            variant=score.variant,
            value=score.value,
            status=score.status,
            reason=score.reason.replace(f"{self.run.path}/", ""),
            fingerprint=fingerprint,
            source=self.source,
            repeat=job.repeat,
            detail=detail,
            origin=self._origin(job.call),
        )

    def _origin(self, call: Call | None) -> dict[str, Any]:
        origin: dict[str, Any] = {
            "reader": VERSION,
            "protocol": self.protocol,
            "protocol_version": self.judging.version,
            "options": dict(self.options),
        }
        origin["judge"] = self.engine.settings.model
        if self.plugins:  # the last one is whose questions are asked
            origin["package"] = self.plugins[-1]["package"]
            origin["package_version"] = self.plugins[-1]["version"]
        if call is not None:
            origin |= {
                "call": call.name,
                "rubric": call.rubric,
                "schema": self.engine.dialect.form if call.schema() else "",
            }
            asking = self.engine.settings.asking
            wanted = call.temperature if asking.temperature is None else asking.temperature
            origin["temperature"] = wanted if self.engine.dialect.temperature else None
            origin["max_tokens"] = self.engine.room(call)
            if asking.named():
                origin["asking"] = asking.named()
        return origin

    def _key(self, job: Job, metric: str, variant: str) -> RowKey:
        sample, record = job.payload
        return (
            self.benchmark,
            sample.id,
            record.editor,
            SCORER,
            metric,
            variant,
            self.source,
            job.repeat,
        )

    def _fingerprint(self, job: Job) -> str:
        try:
            asked = variants.marks(job.payload[1].settings)
            return digest(VERSION, self.judging.version, self.engine.key(job), *asked)
        except ImageError as error:
            return digest(VERSION, "no picture", str(error))


def drawn(sample: str) -> bytes:
    """Where a sample stands in the order in which samples are judged: random, and the same in every
    command and on every machine.
    """
    return hashlib.blake2b(sample.encode(), digest_size=8, key=b"judge order 0").digest()


def judge(
    todo: JudgeRun,
    samples: Sequence[Sample],
    edits: Sequence[EditRecord],
    progress: Callable[[Stats], None] | None = None,
) -> bool:
    """Bring the judge's rows up to date; True when everything that was to be asked has been.

    False when a budget or the user stopped it: what was done is kept, and the same call goes on
    from there. Raises `RunError` when going on makes no sense (see `Engine.run`).
    """
    todo.run.keep_metrics(todo.benchmark, todo.judging.metrics)
    with todo.run.writer("judge") as writer:
        jobs = todo.jobs(samples, edits, writer)
        return todo.engine.run(
            jobs, lambda job, exchange: todo.store(job, exchange, writer), progress
        )


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


def _cannot(sample: Sample, edit: Edit) -> tuple[Status | None, str]:
    """Why an edit cannot be judged at all: the data's fault first, then the editor's."""
    if sample.fault is not None:
        return Status.DATASET_FAULT, sample.fault
    if not edit.ok:
        return edit.status, edit.reason
    return None, ""

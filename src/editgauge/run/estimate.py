"""What a planned evaluation would take: processor-hours, GPU-hours, judge calls, dollars, storage,
time; and what smaller samples would take, and tell.

Every number is one measured on this machine times a count. The measurements come from a run whose
`score` commands recorded what they took, or from a short run that is made for the purpose and kept
(`measured_run`); prices come from `services.prices`. What was not measured is not in the plan.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import __version__, catalog
from editgauge.errors import UsageError
from editgauge.run.edit import Limits, edit_each, make
from editgauge.run.edit import Request as EditRequest
from editgauge.run.material import Material
from editgauge.run.score import Request, Scoring
from editgauge.store import parquet
from editgauge.store.addresses import user_cache
from editgauge.store.run import Run
from editgauge.types import Benchmark, Status, Track

MEASURED = 16
"""Samples of the short run."""
LEAST = 8
"""Scored samples from which the spread of a metric is told."""
_Z = 1.959964
"""Of a two-sided 95 % interval of a mean."""


_CLUSTER = re.compile(r"(\d{1,6})x(\d{1,6})(?:x(\d{1,4}))?")


class Cluster(NamedTuple):
    """Nodes that are alike: so many processors and GPUs on each."""

    nodes: int
    processors: int
    gpus: int = 0

    @classmethod
    def parse(cls, text: str) -> Cluster:
        """``4x16``: four nodes of 16 processors; ``4x16x2``: with two GPUs each. Raises
        `UsageError` for anything else.
        """
        match = _CLUSTER.fullmatch(text.strip().lower().replace("×", "x"))
        numbers = [int(part) for part in match.groups(default="0")] if match else [0, 0, 0]
        if not all(numbers[:2]):
            raise UsageError(
                f"--cluster {text!r}: wanted NODESxPROCESSORS or NODESxPROCESSORSxGPUS, such as "
                f"4x16 or 4x16x2"
            )
        return cls(*numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What is planned: so many editors on so many samples, scored on `processors` and `gpus`, and
    asked of a judge of the name `model` ("" for none). `sample`: how many samples are drawn instead
    of all. `cluster`: the nodes that processors and GPUs are of, where they are a cluster's.
    """

    editors: int
    samples: int
    sample: int | None = None
    processors: int = 1
    gpus: int = 1
    model: str = ""
    cluster: Cluster | None = None

    @property
    def each(self) -> int:
        """Samples for each editor."""
        return self.samples if self.sample is None else min(self.sample, self.samples)

    @property
    def outputs(self) -> int:
        return self.editors * self.each


class Share(NamedTuple):
    """One part of a plan: an amount for one unit, the units it was measured on, those planned."""

    each: float
    measured: int
    planned: int

    @property
    def total(self) -> float:
        return self.each * self.planned

    @property
    def factor(self) -> float:
        """How far it is extrapolated: planned units for each measured one."""
        return self.planned / self.measured


class Spread(NamedTuple):
    """How wide the 95 % interval of a metric's mean would be: half its width, with all samples and
    with those drawn; from the standard deviation over `measured` samples of one editor.
    """

    metric: str
    editor: str
    measured: int
    deviation: float
    half_width: float


class Choice(NamedTuple):
    """What so many samples for each editor would take, and how wide the widest 95 % interval of
    each metric's mean would be (half its width). `dollars` None: not known.
    """

    samples: int
    outputs: int
    processor_hours: float
    gpu_hours: float
    dollars: float | None
    half_widths: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A planned evaluation. Each part says what it was measured on."""

    intent: Intent
    source: str
    processor: Mapping[str, Share]
    """Scorer -> processor seconds an output."""
    gpu: Mapping[str, Share] = field(default_factory=dict)
    """Scorer -> seconds an output for which it held a GPU; those alone that were measured on
    one.
    """
    not_measured: Sequence[str] = ()
    """Scorers that gave no score in what was measured (their weights are missing): their time is
    not known.
    """
    judge_calls: Share | None = None
    judge_dollars: Share | None = None
    storage: Mapping[str, Share] = field(default_factory=dict)
    """Part of a run folder -> bytes a unit (a sample, an output)."""
    spreads: Sequence[Spread] = ()

    @property
    def processor_hours(self) -> float:
        return sum(share.total for share in self.processor.values()) / 3600

    @property
    def gpu_hours(self) -> float:
        return sum(share.total for share in self.gpu.values()) / 3600

    @property
    def wall_hours(self) -> float:
        """If the work fills all processors to the end, and the GPUs after them: networks score when
        the rest is done.
        """
        rest = sum(s.total for name, s in self.processor.items() if name not in self.gpu) / 3600
        return rest / self.intent.processors + self.gpu_hours / self.intent.gpus

    def choices(self) -> list[Choice]:
        """Samples of 10, 20, 50, … for each editor up to all: what each would take."""
        whole = self.intent.samples
        steps = [n * 10**power for power in range(1, 8) for n in (1, 2, 5)]
        dollars = self.judge_dollars
        found = []
        for number in [*(n for n in steps if n < whole), whole]:
            share = number / self.intent.each
            found.append(
                Choice(
                    samples=number,
                    outputs=number * self.intent.editors,
                    processor_hours=self.processor_hours * share,
                    gpu_hours=self.gpu_hours * share,
                    dollars=None if dollars is None else dollars.total * share,
                    half_widths={
                        s.metric: _Z * s.deviation / math.sqrt(number) for s in self.spreads
                    },
                )
            )
        return found

    @property
    def bytes(self) -> float:
        return sum(share.total for share in self.storage.values())

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON values; ``extrapolated`` is planned units for each measured one."""

        def told(share: Share | None) -> dict[str, Any] | None:
            return share and {
                "total": share.total,
                "each": share.each,
                "measured_on": share.measured,
                "planned": share.planned,
                "extrapolated": round(share.factor, 3),
            }

        return {
            "editors": self.intent.editors,
            "samples": self.intent.each,
            "outputs": self.intent.outputs,
            "measured": self.source,
            "processor_hours": self.processor_hours,
            "wall_hours": self.wall_hours,
            "processors": self.intent.processors,
            "gpu_hours": self.gpu_hours if self.gpu else None,
            "gpus": self.intent.gpus,
            "cluster": self.intent.cluster and self.intent.cluster._asdict(),
            "bytes": self.bytes,
            "processor_seconds": {name: told(share) for name, share in self.processor.items()},
            "gpu_seconds": {name: told(share) for name, share in self.gpu.items()},
            "not_measured": list(self.not_measured),
            "judge_calls": told(self.judge_calls),
            "judge_dollars": told(self.judge_dollars),
            "storage": {name: told(share) for name, share in self.storage.items()},
            "intervals": [spread._asdict() for spread in self.spreads],
            "choices": [choice._asdict() for choice in self.choices()] if self.spreads else [],
        }

    def lines(self) -> Iterator[str]:
        """The plan in words."""
        intent = self.intent
        drawn = "" if intent.sample is None else f" of {intent.samples:,}"
        yield (
            f"{intent.editors:,} editors on {intent.each:,}{drawn} samples: {intent.outputs:,} "
            f"outputs; measured: {self.source}"
        )
        for name, share in self.processor.items():
            yield (
                f"  {name}: {share.total / 3600:.3g} processor-hours "
                f"({share.each:.3f} s an output; {_origin(share, 'outputs')})"
            )
        for name in self.not_measured:
            yield f"  {name}: not known, it gave no score in what was measured"
        without = f" without {', '.join(self.not_measured)}" if self.not_measured else ""
        yield f"  scoring together{without}: {self.processor_hours:.3g} processor-hours"
        for name, share in self.gpu.items():
            yield (
                f"  {name}: {share.total / 3600:.3g} GPU-hours "
                f"({share.each:.3f} s an output; {_origin(share, 'outputs')})"
            )
        if not self.gpu:
            yield "  GPU-hours: not known, what was measured used no GPU"
        where = f"{intent.processors} processors"
        if self.gpu:
            where += f" and {intent.gpus} GPUs"
        if intent.cluster is not None:
            where += f" ({intent.cluster.nodes} nodes)"
        yield (
            f"  wall time of scoring on {where}: {self.wall_hours:.3g} h (extrapolated: all of "
            f"them busy to the end)"
        )
        if self.judge_calls is not None:
            yield (
                f"  judge {intent.model}: {self.judge_calls.total:,.0f} calls "
                f"({_origin(self.judge_calls, 'outputs')})"
            )
            money = self.judge_dollars
            yield (
                "  judge: dollars not known (no price, or every measured call is paid already)"
                if money is None
                else f"  judge: {money.total:,.2f} US dollars by list prices "
                f"({money.each:.5f} an output; {_origin(money, 'outputs')})"
            )
        for name, share in self.storage.items():
            yield (
                f"  storage, {name}: {share.total / 1e9:.3g} GB "
                f"({share.each / 1e3:.1f} kB each; {_origin(share, 'of them')})"
            )
        for spread in self.spreads:
            yield (
                f"  {spread.metric}: 95 % interval of an editor's mean +- {spread.half_width:.4g} "
                f"(standard deviation {spread.deviation:.4g} over {spread.measured} samples of "
                f"{spread.editor})"
            )
        if self.spreads:
            yield from self._sampled()

    def _sampled(self) -> Iterator[str]:
        """A line for each size of a sample."""
        yield "  samples instead of all, extrapolated (half widths of 95 % intervals of an editor):"
        for choice in self.choices():
            parts = [f"{choice.processor_hours:.3g} processor-hours"]
            parts += [f"{choice.gpu_hours:.3g} GPU-hours"] if self.gpu else []
            parts += [] if choice.dollars is None else [f"{choice.dollars:,.2f} US dollars"]
            widths = ", ".join(f"{name} {width:.3g}" for name, width in choice.half_widths.items())
            yield f"    {choice.samples:,} samples: {', '.join(parts)}; +- {widths}"


def _origin(share: Share, what: str) -> str:
    return f"measured on {share.measured:,} {what}, extrapolated x {share.factor:,.3g}"


def samples_of(benchmark: Benchmark, material: Material | None) -> int:
    """How many samples a benchmark has: those of its data, else those of its full release. Raises
    `UsageError` when neither is known.
    """
    if material is not None:
        return len(material.samples)
    count = benchmark.published_counts.get("")
    if not count:
        raise UsageError(f"{benchmark.name}: how many samples? Give its DATA folder")
    return count


def measured_run(material: Material, tracks: Sequence[Track]) -> Run:
    """A short run of the editor `copy` on the first `MEASURED` samples, scored on these tracks in
    this process; made once for each version and tracks, and kept in the user's cache.
    """
    what = f"{__version__} {material.dataset.root} {' '.join(tracks)}"
    mark = hashlib.blake2b(what.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    name = material.benchmark.name
    few = Material(
        benchmark=material.benchmark,
        dataset=material.dataset,
        every=material.every,
        samples=material.samples[:MEASURED],
    )
    place = user_cache() / "plans" / f"{name}-{mark}"
    place.parent.mkdir(parents=True, exist_ok=True)
    folder = Run.create(place)
    list(edit_each(few, folder, make(few, EditRequest(editor="copy")), Limits()))
    Scoring(few, folder, Request(tracks=tracks)).run()
    return Run.open(place)


def plan(
    run: Run, benchmark: str, intent: Intent, *, data: Path | None = None, own: bool = False
) -> Plan:
    """The plan, by what the run recorded. `data` is needed for a judge's calls; `own`: the run was
    made for the purpose, and its scores say nothing of editors.

    Raises `UsageError` when no `score` command of the run recorded its times.
    """
    processor, gpu, not_measured = _recorded(run, benchmark, intent)
    if not processor:
        raise UsageError(
            f"{run.path.name}: no recorded times of {benchmark}; score in it with this version, or "
            f"leave out --run and give DATA: a short run is then measured"
        )
    if gpu and intent.cluster is not None and not intent.cluster.gpus:
        raise UsageError(
            f"--cluster: no GPUs, and {', '.join(gpu)} was measured on one; name them, such as "
            f"{intent.cluster.nodes}x{intent.cluster.processors}x1, or score with --device cpu"
        )
    calls, dollars = _judge(run, benchmark, data, intent) if intent.model else (None, None)
    return Plan(
        intent=intent,
        source="a short run made for it" if own else f"the run {run.path.name}",
        processor=processor,
        gpu=gpu,
        not_measured=not_measured,
        judge_calls=calls,
        judge_dollars=dollars,
        storage=dict(_storage(run, benchmark, intent)),
        spreads=() if own else list(_spreads(run, benchmark, intent)),
    )


def _recorded(
    run: Run, benchmark: str, intent: Intent
) -> tuple[dict[str, Share], dict[str, Share], list[str]]:
    """Seconds of a processor, and of a GPU, an output by scorer, over all `score` commands that
    recorded them; and the scorers that scored nothing.
    """
    took: dict[str, dict[str, float]] = {"seconds": {}, "gpu_seconds": {}}
    outputs: dict[str, dict[str, int]] = {"seconds": {}, "gpu_seconds": {}}
    for entry in run.manifest().get("entries", []):
        if not isinstance(entry, dict) or entry.get("benchmark") != benchmark:
            continue
        recorded = entry.get("processor")
        for name, one in recorded.items() if isinstance(recorded, dict) else ():
            number = one.get("outputs") if isinstance(one, dict) else None
            if not isinstance(number, int) or number < 0:
                continue
            for what, seconds in took.items():
                value = one.get(what)
                if isinstance(value, int | float) and math.isfinite(value) and value >= 0:
                    seconds[name] = seconds.get(name, 0.0) + value
                    outputs[what][name] = outputs[what].get(name, 0) + number
    processor, gpu = (
        {
            name: Share(seconds[name] / outputs[what][name], outputs[what][name], intent.outputs)
            for name in sorted(seconds)
            if outputs[what][name]
        }
        for what, seconds in took.items()
    )
    return processor, gpu, sorted(set(took["seconds"]) - set(processor))


def _storage(run: Run, benchmark: str, intent: Intent) -> Iterator[tuple[str, Share]]:
    edits = run.edits(benchmark)
    samples = [one for one in run.samples(benchmark) if any(one["images"])]  # others: facts only
    outputs = sum(record.path is not None for record in edits)
    run.settle()
    parts = (
        ("pictures of samples", [run.path / "inputs" / benchmark], len(samples), intent.each),
        ("outputs", [run.path / "edits" / benchmark], outputs, intent.outputs),
        (
            "rows and records",
            [run.path / "run.sqlite", run.path / "rows.parquet"],
            len(edits),
            intent.outputs,
        ),
    )
    for name, folders, measured, planned in parts:
        size = sum(
            path.lstat().st_size
            for folder in folders
            for path in (folder, *folder.rglob("*"))
            if path.is_file() and not path.is_symlink()
        )
        if measured and size:
            yield name, Share(size / measured, measured, planned)


def _judge(
    run: Run, benchmark: str, data: Path | None, intent: Intent
) -> tuple[Share | None, Share | None]:
    """Calls and dollars an output, as ``judge --estimate`` counts them; nothing is asked."""
    from editgauge.judging import estimate
    from editgauge.judging.options import JudgeOptions, Selection
    from editgauge.judging.session import Session

    there = {record.sample for record in run.edits(benchmark)}
    chosen = Selection(benchmark=benchmark, data=data, run=run.path, ids=sorted(there))
    options = JudgeOptions(model=intent.model, allow_alias=True)
    with Session(options, chosen) as session:
        line = estimate.of_session(session).total
        outputs = sum(record.status is Status.SCORED for record in session.edits)
    calls = line.calls + line.stored
    if not outputs or not calls:
        return None, None
    told = Share(calls / outputs, outputs, intent.outputs)
    if line.dollars is None or not line.calls:
        return told, None
    return told, Share(told.each * line.dollars / line.calls, outputs, intent.outputs)


def _spreads(run: Run, benchmark: str, intent: Intent) -> Iterator[Spread]:
    """For each metric the editor whose scores are spread most: a plan is on the safe side."""
    found = parquet.fetch_tuples(
        run.parquet(),
        "SELECT metric, editor, count(*), stddev_samp(value) AS spread FROM rows "
        "WHERE benchmark = ? AND status = 'scored' AND isfinite(value) AND sample <> '*' "
        "AND variant = 'faithful' AND repeat = 0 GROUP BY metric, editor, source "
        "HAVING count(*) >= ? ORDER BY metric, spread DESC, editor",
        [benchmark, LEAST],
    )
    for metric, widest in groupby(found, key=lambda one: one[0]):
        _, editor, measured, deviation = next(widest)
        half = _Z * deviation / math.sqrt(intent.each)
        yield Spread(metric, editor, measured, deviation, half)


def of_benchmark(name: str) -> Benchmark:
    """The benchmark of a name; raises as `catalog.find`."""
    benchmark: Benchmark = catalog.find("benchmarks", name)
    return benchmark

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
from editgauge.run.edit import Limits, edit_material, make
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
            wanted = "wanted NODESxPROCESSORS or NODESxPROCESSORSxGPUS, such as 4x16 or 4x16x2"
            raise UsageError(f"{text!r}: {wanted}", argument="cluster")
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

    def as_dict(self) -> dict[str, Any]:
        return {
            "total": self.total,
            "each": self.each,
            "measured_on": self.measured,
            "planned": self.planned,
            "extrapolated": round(self.factor, 3),
        }

    def origin(self, what: str = "outputs") -> str:
        return f"measured on {self.measured:,} {what}, extrapolated x {self.factor:,.3g}"


class Spread(NamedTuple):
    """How wide the 95 % interval of a metric's mean would be: half its width, from the standard
    deviation over `measured` samples of one editor.
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
    """A planned evaluation. Each part says what it was measured on. `processor` and `gpu`: scorer
    -> seconds an output; those of a GPU where it was measured on one. `not_measured`: scorers that
    gave no score in what was measured (their weights are missing). `storage`: part of a run folder
    -> bytes a unit (a sample, an output).
    """

    intent: Intent
    source: str
    processor: Mapping[str, Share]
    gpu: Mapping[str, Share] = field(default_factory=dict)
    not_measured: Sequence[str] = ()
    judge_calls: Share | None = None
    judge_dollars: Share | None = None
    storage: Mapping[str, Share] = field(default_factory=dict)
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
        whole, dollars = self.intent.samples, self.judge_dollars
        steps = [n * 10**power for power in range(1, 8) for n in (1, 2, 5)]
        found = []
        for number in [*(n for n in steps if n < whole), whole]:
            share = number / self.intent.each
            widths = {s.metric: _Z * s.deviation / math.sqrt(number) for s in self.spreads}
            found.append(
                Choice(
                    samples=number,
                    outputs=number * self.intent.editors,
                    processor_hours=self.processor_hours * share,
                    gpu_hours=self.gpu_hours * share,
                    dollars=None if dollars is None else dollars.total * share,
                    half_widths=widths,
                )
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON values; ``extrapolated`` is planned units for each measured one."""
        intent, choices = self.intent, self.choices() if self.spreads else []

        def told(shares: Mapping[str, Share]) -> dict[str, Any]:
            return {name: share.as_dict() for name, share in shares.items()}

        return {
            "editors": intent.editors,
            "samples": intent.each,
            "outputs": intent.outputs,
            "measured": self.source,
            "processor_hours": self.processor_hours,
            "wall_hours": self.wall_hours,
            "processors": intent.processors,
            "gpu_hours": self.gpu_hours if self.gpu else None,
            "gpus": intent.gpus,
            "cluster": intent.cluster and intent.cluster._asdict(),
            "bytes": sum(share.total for share in self.storage.values()),
            "processor_seconds": told(self.processor),
            "gpu_seconds": told(self.gpu),
            "not_measured": list(self.not_measured),
            "judge_calls": self.judge_calls and self.judge_calls.as_dict(),
            "judge_dollars": self.judge_dollars and self.judge_dollars.as_dict(),
            "storage": told(self.storage),
            "intervals": [spread._asdict() for spread in self.spreads],
            "choices": [choice._asdict() for choice in choices],
        }

    def lines(self) -> Iterator[str]:
        """The plan in words."""
        intent = self.intent
        drawn = "" if intent.sample is None else f" of {intent.samples:,}"
        yield (
            f"{intent.editors:,} editors on {intent.each:,}{drawn} samples: {intent.outputs:,} "
            f"outputs; measured: {self.source}"
        )
        yield from _hours("processor", self.processor)
        yield from (
            f"  {name}: not known, it gave no score in what was measured"
            for name in self.not_measured
        )
        without = f" without {', '.join(self.not_measured)}" if self.not_measured else ""
        yield f"  scoring together{without}: {self.processor_hours:.3g} processor-hours"
        yield from _hours("GPU", self.gpu)
        if not self.gpu:
            yield "  GPU-hours: not known, what was measured used no GPU"
        where = f"{intent.processors} processors"
        where += f" and {intent.gpus} GPUs" if self.gpu else ""
        where += f" ({intent.cluster.nodes} nodes)" if intent.cluster is not None else ""
        hours = f"{self.wall_hours:.3g} h (extrapolated: all of them busy to the end)"
        yield f"  wall time of scoring on {where}: {hours}"
        yield from self._judge()
        for name, part in self.storage.items():
            each = f"{part.each / 1e3:.1f} kB each; {part.origin('of them')}"
            yield f"  storage, {name}: {part.total / 1e9:.3g} GB ({each})"
        for spread in self.spreads:
            yield (
                f"  {spread.metric}: 95 % interval of an editor's mean +- {spread.half_width:.4g} "
                f"(standard deviation {spread.deviation:.4g} over {spread.measured} samples of "
                f"{spread.editor})"
            )
        if self.spreads:
            yield from self._sampled()

    def _judge(self) -> Iterator[str]:
        calls, money = self.judge_calls, self.judge_dollars
        if calls is None:
            return
        yield f"  judge {self.intent.model}: {calls.total:,.0f} calls ({calls.origin()})"
        if money is None:
            yield "  judge: dollars not known (no price, or every measured call is paid already)"
        else:
            each = f"{money.each:.5f} an output; {money.origin()}"
            yield f"  judge: {money.total:,.2f} US dollars by list prices ({each})"

    def _sampled(self) -> Iterator[str]:
        """A line for each size of a sample."""
        yield "  samples instead of all, extrapolated (half widths of 95 % intervals of an editor):"
        for choice in self.choices():
            parts = [f"{choice.processor_hours:.3g} processor-hours"]
            parts += [f"{choice.gpu_hours:.3g} GPU-hours"] if self.gpu else []
            parts += [] if choice.dollars is None else [f"{choice.dollars:,.2f} US dollars"]
            widths = ", ".join(f"{name} {width:.3g}" for name, width in choice.half_widths.items())
            yield f"    {choice.samples:,} samples: {', '.join(parts)}; +- {widths}"


def _hours(unit: str, shares: Mapping[str, Share]) -> Iterator[str]:
    for name, share in shares.items():
        each = f"{share.each:.3f} s an output; {share.origin()}"
        yield f"  {name}: {share.total / 3600:.3g} {unit}-hours ({each})"


def samples_of(benchmark: Benchmark, material: Material | None) -> int:
    """How many samples a benchmark has: those of its data, else those of its full release. Raises
    `UsageError` when neither is known.
    """
    if material is not None:
        return len(material.samples)
    count = benchmark.published_counts.get("")
    if not count:
        raise UsageError(f"{benchmark.name}: how many samples? Give its data")
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
    edit_material(few, folder, make(few, EditRequest(editor="copy")), Limits())
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
            f"give the data and no run: a short run is then measured"
        )
    if gpu and intent.cluster is not None and not intent.cluster.gpus:
        wanted = f"such as {intent.cluster.nodes}x{intent.cluster.processors}x1"
        why = f"has no GPUs, and {', '.join(gpu)} was measured on one; name them, {wanted}"
        raise UsageError(why, argument="cluster")
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
    took = {what: dict[str, list[tuple[float, int]]]() for what in ("seconds", "gpu_seconds")}
    for entry in run.manifest().get("entries", []):
        recorded = entry.get("processor") if entry.get("benchmark") == benchmark else None
        for name, one in recorded.items() if isinstance(recorded, dict) else ():
            number = one.get("outputs") if isinstance(one, dict) else None
            if not isinstance(number, int) or number < 0:
                continue
            for what, found in took.items():
                value = one.get(what)
                if isinstance(value, int | float) and math.isfinite(value) and value >= 0:
                    found.setdefault(name, []).append((value, number))
    processor, gpu = (
        {
            name: Share(sum(s for s, _ in times) / outputs, outputs, intent.outputs)
            for name, times in sorted(found.items())
            if (outputs := sum(number for _, number in times))
        }
        for found in took.values()
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

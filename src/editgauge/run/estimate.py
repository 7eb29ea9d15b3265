"""What scoring editors would take: processor-hours, GPU-hours, judge calls, dollars.

Every number is one measured on this machine times a count: measured in a run whose `score` commands
recorded what they took, or in a short one that is made for it and kept (`measured_run`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import __version__
from editgauge.errors import UsageError
from editgauge.escape import counted
from editgauge.run.edit import Request, edit_material, make
from editgauge.run.material import Material
from editgauge.run.score import Scoring
from editgauge.store.addresses import user_cache
from editgauge.store.run import Run
from editgauge.types import Status, Track

MEASURED = 16
"""Samples of the short run."""


class Share(NamedTuple):
    """One part of a plan: an amount for one unit, the units it was measured on, those planned."""

    each: float
    measured: int
    planned: int

    @property
    def total(self) -> float:
        return self.each * self.planned

    def as_dict(self) -> dict[str, float]:
        named = {"measured_on": self.measured, "planned": self.planned}
        return {"total": self.total, "each": self.each, **named}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `editors` on `samples` each would take. `processor` and `gpu`: scorer -> seconds an
    output. `not_measured`: scorers that gave no score in what was measured (their weights are
    missing). `judge`: ``calls`` and ``dollars`` an output, as far as they are known.
    """

    editors: int
    samples: int
    processors: int
    processor: Mapping[str, Share]
    gpu: Mapping[str, Share]
    not_measured: Sequence[str]
    judge: Mapping[str, Share]

    def hours(self) -> tuple[float, float, float]:
        """Of the processors, of GPUs, and of wall time if all processors are busy to the end, and a
        GPU after them.
        """
        gpu = sum(share.total for share in self.gpu.values()) / 3600
        rest = sum(s.total for name, s in self.processor.items() if name not in self.gpu) / 3600
        both = sum(share.total for share in self.processor.values()) / 3600
        return both, gpu, rest / self.processors + gpu

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON values."""
        hours, gpu_hours, wall_hours = self.hours()
        judge, processor, gpu = (
            {name: share.as_dict() for name, share in shares.items()}
            for shares in (self.judge, self.processor, self.gpu)
        )
        return {
            "editors": self.editors,
            "samples": self.samples,
            "outputs": self.editors * self.samples,
            "processor_hours": hours,
            "gpu_hours": gpu_hours if self.gpu else None,
            "wall_hours": wall_hours,
            "processors": self.processors,
            "processor_seconds": processor,
            "gpu_seconds": gpu,
            "not_measured": list(self.not_measured),
            "judge_calls": judge.get("calls"),
            "judge_dollars": judge.get("dollars"),
        }

    def lines(self) -> Iterator[str]:
        """The plan in words."""
        outputs = self.editors * self.samples
        yield f"{counted(self.editors, 'editor')} on {counted(self.samples, 'sample')}: " + counted(
            outputs, "output"
        )
        words = {"calls": "judge calls", "dollars": "US dollars by list prices"}
        for unit, scale, shares in (
            ("processor-hours", 3600, self.processor),
            ("GPU-hours", 3600, self.gpu),
            ("in all", 1, {words[name]: share for name, share in self.judge.items()}),
        ):
            for name, one in shares.items():
                yield (
                    f"  {name}: {one.total / scale:,.3g} {unit} ({one.each:.3g} each, measured on "
                    f"{one.measured:,}, planned {one.planned:,})"
                )
        for name in self.not_measured:
            yield f"  {name}: not known, it gave no score in what was measured"
        if self.judge and "dollars" not in self.judge:
            yield "  judge: dollars not known (no price, or every measured call is paid already)"
        hours, _, wall = self.hours()
        without = f" without {', '.join(self.not_measured)}" if self.not_measured else ""
        yield (
            f"  scoring together{without}: {hours:.3g} processor-hours, {wall:.3g} h on "
            f"{self.processors} processors that are busy to the end"
        )


def measured_run(material: Material, tracks: Sequence[Track]) -> Run:
    """A short run of the editor `copy` on the first `MEASURED` samples, scored on these tracks in
    this process; made once for each version and tracks, and kept in the user's cache.
    """
    what = f"{__version__} {material.dataset.root} {' '.join(tracks)}"
    mark = hashlib.blake2b(what.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    few = replace(material, samples=material.samples[:MEASURED])
    place = user_cache() / "plans" / f"{material.benchmark.name}-{mark}"
    place.parent.mkdir(parents=True, exist_ok=True)
    folder = Run.create(place)
    edit_material(few, folder, make(few, Request(editor="copy")), workers=0)
    Scoring(few, folder, tracks=tracks).run()
    return Run.open(place)


def plan(
    run: Run,
    benchmark: str,
    *,
    editors: int,
    samples: int,
    processors: int = 1,
    model: str = "",
    data: Path | None = None,
) -> Plan:
    """The plan for so many editors on so many samples each, by what the run recorded; with `model`
    also that judge's calls, for which the `data` are needed.

    Raises `UsageError` when no `score` command of the run recorded its times.
    """
    taken: dict[str, dict[str, float]] = {}
    for entry in run.manifest().get("entries", []):
        recorded = entry.get("processor") if entry.get("benchmark") == benchmark else None
        for name, one in recorded.items() if isinstance(recorded, dict) else ():
            sums = taken.setdefault(name, dict.fromkeys(("seconds", "outputs", "gpu_seconds"), 0))
            for what in sums:
                sums[what] += one.get(what, 0)
    there = {name: sums for name, sums in sorted(taken.items()) if sums["outputs"]}
    if not there:
        raise UsageError(
            f"{run.path.name}: no recorded times of {benchmark}; score in it, or give the data and "
            f"no run: a short run is then measured"
        )
    outputs = editors * samples

    def shares(what: str) -> dict[str, Share]:
        return {
            name: Share(sums[what] / sums["outputs"], int(sums["outputs"]), outputs)
            for name, sums in there.items()
            if sums[what]
        }

    return Plan(
        editors=editors,
        samples=samples,
        processors=processors,
        processor=shares("seconds"),
        gpu=shares("gpu_seconds"),
        not_measured=sorted(set(taken) - set(there)),
        judge=_judge(run, benchmark, data, model, outputs) if model else {},
    )


def _judge(
    run: Run, benchmark: str, data: Path | None, model: str, planned: int
) -> dict[str, Share]:
    """Calls and dollars an output, as ``judge --estimate`` counts them; nothing is asked."""
    from editgauge.judging import estimate
    from editgauge.judging.options import JudgeOptions, Selection
    from editgauge.judging.session import Session

    there = {record.sample for record in run.edits(benchmark)}
    chosen = Selection(run=run.path, sample=sorted(there))
    options = JudgeOptions(model=model, allow_alias=True)
    with Session(options, benchmark, data, chosen) as session:
        line = estimate.of_session(session).total
        outputs = sum(record.status is Status.SCORED for record in session.edits)
    calls = line.calls + line.stored
    if not outputs or not calls:
        return {}
    shares = {"calls": Share(calls / outputs, outputs, planned)}
    if line.dollars is not None and line.calls:
        each = shares["calls"].each * line.dollars / line.calls
        shares["dollars"] = Share(each, outputs, planned)
    return shares

"""What scoring editors would take: processor-hours, GPU-hours, judge calls, dollars, space.

Every number is one measured on this machine times a count: measured in a run whose `score` commands
recorded what they took, or in a short one that is made for it and kept (`measured_run`). What was
not measured is not in the plan.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from editgauge import __version__
from editgauge.errors import UsageError
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
        return {"total": self.total, "each": self.each, "measured_on": self.measured,
                "planned": self.planned}  # fmt: skip

    def line(self, name: str, unit: str, scale: float = 1.0) -> str:
        """In words, in units of so many of the amount."""
        return (
            f"  {name}: {self.total / scale:,.3g} {unit} ({self.each:.3g} each, measured on "
            f"{self.measured:,}, planned {self.planned:,})"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `editors` on `samples` each would take. `processor` and `gpu`: scorer -> seconds an
    output. `not_measured`: scorers that gave no score in what was measured (their weights are
    missing). `storage`: part of a run folder -> bytes a unit (a sample, an output). `judge`:
    ``calls`` and ``dollars`` an output, as far as they are known.
    """

    editors: int
    samples: int
    processors: int
    processor: Mapping[str, Share]
    gpu: Mapping[str, Share]
    not_measured: Sequence[str]
    storage: Mapping[str, Share]
    judge: Mapping[str, Share]

    @property
    def processor_hours(self) -> float:
        return sum(share.total for share in self.processor.values()) / 3600

    @property
    def gpu_hours(self) -> float:
        return sum(share.total for share in self.gpu.values()) / 3600

    @property
    def wall_hours(self) -> float:
        """If all processors are busy to the end, and a GPU after them."""
        rest = sum(s.total for name, s in self.processor.items() if name not in self.gpu) / 3600
        return rest / self.processors + self.gpu_hours

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON values."""

        def told(shares: Mapping[str, Share]) -> dict[str, Any]:
            return {name: share.as_dict() for name, share in shares.items()}

        judge = told(self.judge)
        return {
            "editors": self.editors,
            "samples": self.samples,
            "outputs": self.editors * self.samples,
            "processor_hours": self.processor_hours,
            "gpu_hours": self.gpu_hours if self.gpu else None,
            "wall_hours": self.wall_hours,
            "processors": self.processors,
            "bytes": sum(share.total for share in self.storage.values()),
            "processor_seconds": told(self.processor),
            "gpu_seconds": told(self.gpu),
            "not_measured": list(self.not_measured),
            "judge_calls": judge.get("calls"),
            "judge_dollars": judge.get("dollars"),
            "storage": told(self.storage),
        }

    def lines(self) -> Iterator[str]:
        """The plan in words."""
        outputs = self.editors * self.samples
        yield f"{self.editors:,} editors on {self.samples:,} samples: {outputs:,} outputs"
        for name, share in self.processor.items():
            yield share.line(name, "processor-hours", 3600)
        for name in self.not_measured:
            yield f"  {name}: not known, it gave no score in what was measured"
        for name, share in self.gpu.items():
            yield share.line(name, "GPU-hours", 3600)
        without = f" without {', '.join(self.not_measured)}" if self.not_measured else ""
        yield (
            f"  scoring together{without}: {self.processor_hours:.3g} processor-hours, "
            f"{self.wall_hours:.3g} h on {self.processors} processors that are busy to the end"
        )
        for name, share in self.judge.items():
            yield share.line("judge", "US dollars by list prices" if name == "dollars" else name)
        if self.judge and "dollars" not in self.judge:
            yield "  judge: dollars not known (no price, or every measured call is paid already)"
        for name, share in self.storage.items():
            yield share.line(f"storage, {name}", "GB", 1e9)


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
    outputs = editors * samples
    processor, measured = _recorded(run, benchmark, "seconds", outputs)
    if not processor:
        raise UsageError(
            f"{run.path.name}: no recorded times of {benchmark}; score in it, or give the data and "
            f"no run: a short run is then measured"
        )
    return Plan(
        editors=editors,
        samples=samples,
        processors=processors,
        processor=processor,
        gpu=_recorded(run, benchmark, "gpu_seconds", outputs)[0],
        not_measured=sorted(measured - set(processor)),
        storage=dict(_storage(run, benchmark, samples, outputs)),
        judge=_judge(run, benchmark, data, model, outputs) if model else {},
    )


def _recorded(
    run: Run, benchmark: str, what: str, planned: int
) -> tuple[dict[str, Share], set[str]]:
    """Seconds an output by scorer, over all `score` commands that recorded them; and the names of
    all scorers, those without a score too.
    """
    times: dict[str, list[tuple[float, int]]] = {}
    for entry in run.manifest().get("entries", []):
        recorded = entry.get("processor") if entry.get("benchmark") == benchmark else None
        for name, one in recorded.items() if isinstance(recorded, dict) else ():
            match one:
                case {"outputs": int(number), **more} if number >= 0:
                    value = more.get(what)
                    if isinstance(value, int | float) and math.isfinite(value) and value >= 0:
                        times.setdefault(name, []).append((value, number))
    sums = {name: [sum(column) for column in zip(*t, strict=True)] for name, t in times.items()}
    shares = {name: Share(s / n, int(n), planned) for name, (s, n) in sorted(sums.items()) if n}
    return shares, set(times)


def _storage(run: Run, benchmark: str, samples: int, outputs: int) -> Iterator[tuple[str, Share]]:
    edits = run.edits(benchmark)
    kept = sum(any(one["images"]) for one in run.samples(benchmark))
    made = sum(record.path is not None for record in edits)
    run.close()
    for name, places, measured, planned in (
        ("pictures of samples", [f"inputs/{benchmark}"], kept, samples),
        ("outputs", [f"edits/{benchmark}"], made, outputs),
        ("rows and records", ["run.sqlite", "rows.parquet"], len(edits), outputs),
    ):
        files = [p for place in places for p in (run.path / place, *(run.path / place).rglob("*"))]
        size = sum(p.stat().st_size for p in files if p.is_file() and not p.is_symlink())
        if measured and size:
            yield name, Share(size / measured, measured, planned)


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

"""Outputs made: an editor found by its name, put on its track, run, and the run recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from editgauge import catalog
from editgauge.editors import costs, sweeps, tracks
from editgauge.editors.command import recorded
from editgauge.errors import UsageError
from editgauge.run import batch
from editgauge.run.edit import EditSummary
from editgauge.run.edit import edit as edit_all
from editgauge.run.material import Material
from editgauge.run.workers import Workers
from editgauge.store.run import Run
from editgauge.types import Editor, Sample, Status

Progress = Callable[[int, int, str], None]
IN_BATCH = "in_batch"
"""What a summary counts samples under that wait in a provider's batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which editor, and what it is told.

    `settings` go to the editor. `instruction` is ``original``, ``rephrased`` or ``description``,
    where the benchmark has it. ``settings["shots"]``: demonstrations of the same task before each
    sample. `template`: words around each instruction; `preset`: a paper's settings for the editor;
    `sweeps` (``name=value,value``) and `seeds` (``0..3``): see `editors.sweeps`.
    """

    editor: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    instruction: str = "original"
    template: str = ""
    preset: str = ""
    sweeps: Sequence[str] = ()
    seeds: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An editor and what it was made of: of a sweep, the request with this variant's settings."""

    editor: Editor
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How an editing runs: processes, statuses that are edited again, seconds a sample, US dollars
    for the run's edits of all calls together.
    """

    workers: int | Workers = 0
    retry: frozenset[Status] = frozenset()
    seconds_a_sample: float = 600.0
    budget: float | None = None


def make(
    material: Material, request: Request, demonstrations: Sequence[Sample] | None = None
) -> list[Made]:
    """The editor of a name, on its track; of a sweep, every variant. `demonstrations`: the samples
    that may be shown before others, all of the data by default.

    Raises `UnknownName` for a name that nothing has, `UsageError` for a sweep, template or preset
    that cannot be, and what the editor raises for settings that it does not take.
    """
    factory = catalog.find("editors", request.editor)
    settings = dict(request.settings)
    track = tracks.Track(
        instruction=request.instruction,
        template=request.template,
        shots=_shots(settings.pop("shots", None)),
        preset=request.preset,
    )
    wanted = sweeps.variants(
        settings,
        track,
        sweeps=request.sweeps,
        seeds=request.seeds,
        paper=sweeps.preset(request.preset, request.editor) if request.preset else None,
    )
    pool = material.every if demonstrations is None else demonstrations

    def made(variant: sweeps.Variant) -> Editor:
        return tracks.on_track(factory(pool, **variant.settings), variant.track, pool=pool)

    return [
        Made(editor=editor, request=_told(request, variant))
        for editor, variant in zip(sweeps.editors(wanted, made), wanted, strict=True)
    ]


def _shots(given: Any) -> int:
    """The setting ``shots``. Raises `UsageError` for what is no number of samples."""
    text = str(given or 0)
    if not text.isdigit() or int(text) > 100:
        raise UsageError(f"shots: wanted a whole number from 0 to 100, found {text!r}")
    return int(text)


def _told(request: Request, variant: sweeps.Variant) -> Request:
    shots = {"shots": variant.track.shots} if variant.track.shots else {}
    settings = {**variant.settings, **shots}
    return replace(request, settings=settings, template=variant.track.template)


def remaining(material: Material, folder: Run | None, editor: Editor) -> Sequence[Sample]:
    """The samples that the run has no record of this editor for."""
    if folder is None:
        return material.samples
    records = folder.edits(material.benchmark.name)
    done = {record.sample for record in records if record.editor == editor.name}
    return [sample for sample in material.samples if sample.id not in done]


def edit_each(
    material: Material,
    folder: Run,
    made: Sequence[Made],
    limits: Limits,
    *,
    progress: Progress | None = None,
) -> Iterator[EditSummary]:
    """`edit` with one editor after the other; variants of one model load its weights once. Ends
    after the first that was stopped.
    """
    for number, one in enumerate(made):
        if number:
            sweeps.hand_over(made[number - 1].editor, one.editor)
        summary = edit(material, folder, one.editor, limits, request=one.request, progress=progress)
        yield summary
        if summary.stopped:
            return


def edit(
    material: Material,
    folder: Run,
    editor: Editor,
    limits: Limits,
    *,
    request: Request | None = None,
    progress: Progress | None = None,
) -> EditSummary:
    """Make the outputs that are not there yet and record the call in the run; see `run.edit.edit`
    for what is raised. `request`: what the editor was made of, for the record.
    """
    name = material.benchmark.name
    costs.keep_in(editor, folder.path, limits.budget)
    data = material.keep(folder)
    waiting = batch.waiting(folder.path, name, editor.name)
    summary = edit_all(
        folder,
        name,
        [sample for sample in material.samples if sample.id not in waiting],
        editor,
        workers=limits.workers,
        retry=limits.retry,
        seconds_a_sample=limits.seconds_a_sample,
        progress=progress,
    )
    if waiting:
        summary.counts[IN_BATCH] = sum(sample.id in waiting for sample in material.samples)
    _record(material, folder, summary, request, data)
    return summary


def submit(material: Material, folder: Run, editor: Editor, limits: Limits) -> batch.Submitted:
    """Send what has no output yet by the provider's batches (see `run.batch.submit`)."""
    costs.keep_in(editor, folder.path, limits.budget)
    material.keep(folder)
    name = material.benchmark.name
    return batch.submit(folder, name, material.samples, editor, retry=limits.retry)


def collect(
    material: Material,
    folder: Run,
    editor: Editor,
    limits: Limits,
    *,
    request: Request | None = None,
    progress: Progress | None = None,
) -> batch.Collected:
    """Bring what finished batches hold into the run (see `run.batch.collect`), and record the call
    where there was something.
    """
    costs.keep_in(editor, folder.path, limits.budget)
    data = material.keep(folder)
    name = material.benchmark.name
    done = batch.collect(folder, name, material.every, editor, progress=progress)
    if done.batches:
        _record(material, folder, done.summary, request, data)
    return done


def _record(
    material: Material,
    folder: Run,
    summary: EditSummary,
    request: Request | None,
    data: Any,
) -> None:
    name = material.benchmark.name
    made_of = {} if request is None else _recorded(name, request)
    folder.record(
        "edit",
        benchmark=name,
        editor=summary.editor,
        **made_of,
        data=data,
        samples=len(material.every),
        chosen=len(material.samples),
        counts=dict(summary.counts),
        seconds=round(summary.seconds, 3),
        cost=summary.cost,
    )


def _recorded(benchmark: str, request: Request) -> dict[str, Any]:
    return {
        "plugins": _plugins(benchmark, request.editor),
        "settings": recorded(request.settings),
        "instruction": request.instruction,
        "template": request.template,
        "preset": request.preset,
    }


def _plugins(benchmark: str, editor: str) -> list[dict[str, str]]:
    """The packages, other than this one, that the benchmark and the editor come from."""
    named = (("benchmark", "benchmarks", benchmark), ("editor", "editors", editor))
    sources = [(word, name, catalog.source_of(kind, name)) for word, kind, name in named]
    return [package.as_dict(word, name) for word, name, package in sources if package.name]

"""Outputs made: an editor found by its name, put on its track, run, and the run recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editgauge import catalog
from editgauge.editors import costs, tracks
from editgauge.editors.command import recorded
from editgauge.evaluation.material import Material
from editgauge.run.edit import EditSummary
from editgauge.run.edit import edit as edit_all
from editgauge.store.run_folder import RunFolder
from editgauge.types import Editor, Sample, Status

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which editor, and what it is told.

    `settings` go to the editor. `instruction` is ``original``, ``rephrased`` or ``description``,
    where the benchmark has it. `rewriter` is a chat model that rewrites each instruction, at
    `rewriter_url`. ``settings["shots"]``: demonstrations of the same task before each sample.
    """

    editor: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    instruction: str = "original"
    rewriter: str = ""
    rewriter_url: str = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How an editing runs: processes, statuses that are edited again, seconds a sample, US dollars
    for the run's edits of all calls together.
    """

    workers: int = 0
    retry: frozenset[Status] = frozenset()
    seconds_a_sample: float = 600.0
    budget: float | None = None


def make(material: Material, request: Request) -> Editor:
    """The editor of a name, on its track. Raises `UnknownName` for a name that nothing has, and
    what the editor raises for settings that it does not take.
    """
    factory = catalog.find("editors", request.editor)
    told = [tracks.retold(s, request.instruction) or s for s in material.every]
    writer = tracks.rewriter(request.rewriter, request.rewriter_url) if request.rewriter else None
    return tracks.on_track(
        factory(told, **request.settings),
        request.instruction,
        writer,
        shots=int(request.settings.get("shots") or 0),
        samples=told,
    )


def remaining(material: Material, folder: RunFolder | None, editor: Editor) -> Sequence[Sample]:
    """The samples that the run has no record of this editor for."""
    if folder is None:
        return material.samples
    records = folder.edits(material.benchmark.name)
    done = {record.sample for record in records if record.editor == editor.name}
    return [sample for sample in material.samples if sample.id not in done]


def edit(
    material: Material,
    folder: RunFolder,
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
    summary = edit_all(
        folder,
        name,
        material.samples,
        editor,
        workers=limits.workers,
        retry=limits.retry,
        seconds_a_sample=limits.seconds_a_sample,
        progress=progress,
    )
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
    return summary


def _recorded(benchmark: str, request: Request) -> dict[str, Any]:
    return {
        "plugins": _plugins(benchmark, request.editor),
        "settings": recorded(request.settings),
        "instruction": request.instruction,
        "rewriter": request.rewriter,
    }


def _plugins(benchmark: str, editor: str) -> list[dict[str, str]]:
    """The packages, other than this one, that the benchmark and the editor come from."""
    named = (("benchmark", "benchmarks", benchmark), ("editor", "editors", editor))
    sources = [(word, name, catalog.source_of(kind, name)) for word, kind, name in named]
    return [package.as_dict(word, name) for word, name, package in sources if package.name]

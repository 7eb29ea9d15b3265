"""An editor by its name: put on its track, and of a sweep every variant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from editgauge import catalog
from editgauge.editors import sweeps, tracks
from editgauge.errors import UsageError
from editgauge.run.material import Material
from editgauge.run.workers import Workers
from editgauge.types import Editor, Sample, Status


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
    """An editor and what it was made of (of a sweep, the request with this variant's settings);
    None for an editor that is an object.
    """

    editor: Editor
    request: Request | None = None


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
        why = f"wanted a whole number from 0 to 100, found {text!r}"
        raise UsageError(why, argument="shots")
    return int(text)


def _told(request: Request, variant: sweeps.Variant) -> Request:
    shots = {"shots": variant.track.shots} if variant.track.shots else {}
    settings = {**variant.settings, **shots}
    return replace(request, settings=settings, template=variant.track.template)

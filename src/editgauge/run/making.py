"""An editor by its name, put on its track."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editgauge import catalog
from editgauge.editors import tracks
from editgauge.errors import UsageError
from editgauge.run.material import Material
from editgauge.run.workers import Workers
from editgauge.types import Editor, Sample, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which editor, and what it is told.

    `settings` go to the editor. `instruction` is ``original``, ``rephrased`` or ``description``,
    where the benchmark has it. ``settings["shots"]``: demonstrations of the same task before each
    sample. `template`: words around each instruction.
    """

    editor: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    instruction: str = "original"
    template: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """An editor and what it was made of; None for an editor that is an object."""

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
) -> Made:
    """The editor of a name, on its track. `demonstrations`: the samples that may be shown before
    others, all of the data by default.

    Raises `UnknownName` for a name that nothing has, `UsageError` for a template that cannot be,
    and what the editor raises for settings that it does not take.
    """
    factory = catalog.find("editors", request.editor)
    settings = dict(request.settings)
    track = tracks.Track(
        instruction=request.instruction,
        template=request.template,
        shots=_shots(settings.pop("shots", None)),
    )
    pool = material.every if demonstrations is None else demonstrations
    editor = tracks.on_track(factory(pool, **settings), track, pool=pool)
    return Made(editor=editor, request=request)


def _shots(given: Any) -> int:
    """The setting ``shots``. Raises `UsageError` for what is no number of samples."""
    text = str(given or 0)
    if not text.isdigit() or int(text) > 100:
        why = f"wanted a whole number from 0 to 100, found {text!r}"
        raise UsageError(why, argument="shots")
    return int(text)

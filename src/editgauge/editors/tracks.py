"""Prompt tracks: what an editor is told of a sample, as a transform of samples.

``original`` is the benchmark's own instruction, ``rephrased`` its other wording, ``description``
its description of the change (MedEBench has both). A template puts fixed words around it; shots are
demonstrations before it. A track is part of the editor's name – ``kontext[rephrased, 2 shots]`` –
so that no table mixes two, and of the settings of each edit (see `store.variants`).

In-context editing (MedEBench, arXiv 2506.01921, section 3.4): triplets of input, instruction and
reference of the same task precede the sample. Which ones depends on ids alone, so that every editor
sees the same; the sample itself, and any sample with the same input, is never among them.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from editgauge.editors.delivery import faulty
from editgauge.editors.editor import BaseEditor, as_editor
from editgauge.errors import UsageError
from editgauge.images import fingerprint
from editgauge.types import Edit, Editor, Sample, Shot, Status

INSTRUCTIONS = ("original", "rephrased", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """How an editor differs from its plain self. Raises `UsageError` for an instruction that is
    none of `INSTRUCTIONS`, and for a template that `checked_template` refuses.
    """

    instruction: str = "original"
    template: str = ""
    """Words around the instruction: ``Edit this image: {instruction}``."""
    shots: int = 0
    tuned: int | None = None
    """The number of samples that it was fine-tuned on; None: it is not one of a series."""

    def __post_init__(self) -> None:
        if self.instruction not in INSTRUCTIONS:
            wanted = ", ".join(INSTRUCTIONS)
            raise UsageError(f"--instruction {self.instruction!r}: wanted one of {wanted}")
        checked_template(self.template)

    # -- its name and what each edit says of it ----------------------------------------------------

    def _marks(self) -> tuple[list[str], list[str]]:
        """What the editor's name says: of the words, of what was learned."""
        words = [self.instruction] if self.instruction != "original" else []
        if self.template:
            mark = hashlib.blake2b(self.template.encode(), digest_size=2).hexdigest()
            words.append(f"template {mark}")
        learned = ["1 shot" if self.shots == 1 else f"{self.shots} shots"] if self.shots else []
        learned += [] if self.tuned is None else [f"tuned {self.tuned}"]
        return words, learned

    def name(self, editor: str) -> str:
        """What an editor of that name is called on this track."""
        return _marked(editor, *self._marks())

    def facts(self, editor: str) -> dict[str, Any]:
        """What the settings of every edit say of the track beside its instruction."""
        words, learned = self._marks()
        facts: dict[str, Any] = {}
        if self.template:
            facts["template"] = self.template
        if self.tuned is not None:
            of = _marked(editor, words, learned[:-1])
            facts["learning"] = {"of": of, "kind": "tuned", "samples": self.tuned}
        elif self.shots:
            of = _marked(editor, words)
            facts["learning"] = {"of": of, "kind": "shots", "samples": self.shots}
        return facts

    # -- the transform -----------------------------------------------------------------------------

    def told(self, sample: Sample) -> Sample | None:
        """The sample with the track's words; None where the benchmark has none for it."""
        own = {"original": sample.instruction, "rephrased": sample.rephrased}
        text = own.get(self.instruction, sample.change)
        if text and self.template:
            text = self.template.format(instruction=text)
        if text == sample.instruction:
            return sample
        return replace(sample, instruction=text) if text else None

    def prepared(self, sample: Sample, pool: Sequence[Sample], editor: str) -> Sample | Edit:
        """The sample as the editor is told it, or the edit that says why it cannot be. `pool`:
        samples in the track's words that demonstrations may come from.

        One that cannot have all of its demonstrations is *not applicable*: fewer would be another
        track under the same name.
        """
        if (fault := faulty(sample, editor)) is not None:
            return fault
        told = self.told(sample)
        if told is None:
            reason = f"the sample has no {self.instruction} instruction"
            return Edit.without(sample.id, editor, Status.NOT_APPLICABLE, reason)
        if not self.shots:
            return told
        shots = demonstrations(sample, pool, self.shots)
        if len(shots) == self.shots:
            return replace(told, shots=tuple(shots))
        reason = (
            f"{self.shots} demonstrations were asked for, {len(shots)} other samples of its task "
            f"with another input and a reference are there"
        )
        return Edit.without(sample.id, editor, Status.NOT_APPLICABLE, reason)


def _marked(name: str, *marks: Sequence[str]) -> str:
    told = [mark for part in marks for mark in part]
    return f"{name}[{', '.join(told)}]" if told else name


def checked_template(template: str) -> str:
    """The template; "" is none. Raises `UsageError` for one without ``{instruction}``, with another
    placeholder, or with a brace that stands alone (``{{`` and ``}}`` are braces).
    """
    if not template:
        return template
    wanted = "wanted words around {instruction}, such as 'Edit this image: {instruction}'"
    try:
        parts = [part for part in string.Formatter().parse(template) if part[1] is not None]
    except ValueError as error:
        raise UsageError(f"template {template!r}: {wanted}; {error}") from None
    if not parts:
        raise UsageError(f"template {template!r}: {wanted}; found no placeholder")
    for _, name, form, conversion in parts:
        if name != "instruction":
            raise UsageError(
                f"template {template!r}: {wanted}; the placeholder {{{name}}} is not known"
            )
        if form or conversion:
            raise UsageError(f"template {template!r}: {wanted}; {{instruction}} takes no format")
    return template


PLAIN = Track()


# -- demonstrations --------------------------------------------------------------------------------


def demonstrations(sample: Sample, pool: Sequence[Sample], count: int) -> list[Shot]:
    """`count` demonstrations of the sample's task, or as many as there are.

    Ordered by a hash of both ids: a sample's demonstrations are the same in every run, and differ
    between samples.
    """
    own = _contents(sample)
    others = [other for other in pool if other.id != sample.id and _shows(other, sample)]
    chosen: list[Shot] = []
    for other in sorted(others, key=lambda one: (_order(sample.id, one.id), one.id)):
        if len(chosen) == count:
            break
        if other.reference is not None and not own & _contents(other):
            chosen.append(Shot(other.id, other.images, other.instruction, other.reference))
    return chosen


def _shows(other: Sample, sample: Sample) -> bool:
    """Whether another sample is of the same task, and has all that a demonstration needs."""
    there = other.reference is not None and other.reference.is_file()
    whole = there and bool(other.images) and other.fault is None
    return whole and task_of(other) == task_of(sample)


def task_of(sample: Sample) -> tuple[str, ...]:
    """What two samples share that are of the same task: the task's name, or the category where
    there is none.
    """
    task = sample.attributes.get("task")
    return (*sample.category, str(task)) if task is not None else sample.category


def _order(own: str, other: str) -> bytes:
    return hashlib.blake2b(f"{own}\n{other}".encode(), digest_size=8).digest()


def _contents(sample: Sample) -> set[str]:
    return {fingerprint(path) for path in sample.images if path.is_file()}


# -- an editor on a track --------------------------------------------------------------------------


def on_track(editor: Editor, track: Track = PLAIN, *, pool: Sequence[Sample] = ()) -> Editor:
    """The editor on a track: itself on the plain one. `pool`: samples that demonstrations may come
    from. Raises `UsageError` where demonstrations are wanted of an editor that cannot be shown any.
    """
    if track == PLAIN:
        return editor
    base = as_editor(editor)
    if track.shots and not base.shows:
        raise UsageError(
            f"editor {editor.name!r} takes one picture: it cannot be shown demonstrations; leave "
            f"out --shots"
        )
    told = [track.told(sample) or sample for sample in pool] if track.shots else []
    return OnTrack(base, track, told)


class OnTrack(BaseEditor):
    """See `on_track`. Runs as the editor inside does; its samples are `Track.prepared`."""

    def __init__(self, editor: BaseEditor, track: Track, pool: Sequence[Sample]) -> None:
        self.editor, self.track, self.pool = editor, track, pool
        self.name = track.name(editor.name)
        self.facts = track.facts(editor.name)
        self.parallel, self.concurrency = editor.parallel, editor.concurrency
        self.batch_size, self.timeout = editor.batch_size, editor.timeout
        self.num_cpus, self.num_gpus, self.memory = editor.num_cpus, editor.num_gpus, editor.memory
        self.ledger, self.price = editor.ledger, editor.price

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        told = self._prepared(sample)
        if isinstance(told, Edit):
            return self._refused(told)
        return self._stamped(self.editor(told, folder), told)

    def edit_batch(self, samples: Sequence[Sample], folders: Sequence[Path]) -> list[Edit]:
        told = [self._prepared(sample) for sample in samples]
        asked = [(t, f) for t, f in zip(told, folders, strict=True) if isinstance(t, Sample)]
        made = iter(self.editor.edit_batch([t for t, _ in asked], [f for _, f in asked]))
        return [
            self._refused(t) if isinstance(t, Edit) else self._stamped(next(made), t) for t in told
        ]

    def estimate(self, sample: Sample) -> float | None:
        told = self._prepared(sample)
        return 0.0 if isinstance(told, Edit) else self.editor.estimate(told)

    def limit(self, seconds: float) -> None:
        self.editor.limit(seconds)
        self.timeout = self.editor.timeout

    def release(self) -> None:
        self.editor.release()

    def _prepared(self, sample: Sample) -> Sample | Edit:
        return self.track.prepared(sample, self.pool, self.name)

    def _refused(self, made: Edit) -> Edit:
        return replace(made, settings={**made.settings, **self.facts}) if self.facts else made

    def _stamped(self, made: Edit, told: Sample) -> Edit:
        settings = {**made.settings, **self.facts, "instruction": self.track.instruction}
        if told.shots:
            settings["demonstrations"] = [shot.id for shot in told.shots]
        return replace(made, editor=self.name, instruction=told.instruction, settings=settings)

"""Prompt tracks: what an editor is told of a sample, as a transform of samples.

``original`` is the benchmark's own instruction, ``rephrased`` its other wording, ``description``
its description of the change (MedEBench has both). A track is part of the editor's name –
``kontext[rephrased, 2 shots]`` – and of the settings of each edit (see `store.variants`).

In-context editing (MedEBench, arXiv 2506.01921, section 3.4): triplets of input, instruction and
reference of the same task precede the sample. Which ones depends on ids alone, so that every editor
sees the same; the sample itself, and any sample with the same input, is never among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from editgauge.editors.delivery import faulty
from editgauge.editors.editor import BaseEditor, Outside, as_editor
from editgauge.errors import UsageError
from editgauge.images import fingerprint
from editgauge.types import Edit, Editor, JsonObject, Sample, Shot, Status

INSTRUCTIONS = ("original", "rephrased", "description")
_PLACE = "{instruction}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """How an editor differs from its plain self. `template`: words around the instruction (``Edit
    this image: {instruction}``); `shots`: demonstrations; `tuned`: the number of samples that it
    was fine-tuned on. Raises `UsageError` for an instruction that is none of `INSTRUCTIONS`, and
    for a template without ``{instruction}``.
    """

    instruction: str = "original"
    template: str = ""
    shots: int = 0
    tuned: int | None = None

    def __post_init__(self) -> None:
        if self.instruction not in INSTRUCTIONS:
            why = f"{self.instruction!r}: wanted one of {', '.join(INSTRUCTIONS)}"
            raise UsageError(why, argument="instruction")
        if self.template and _PLACE not in self.template:
            raise UsageError(
                f"template {self.template!r}: wanted words around {_PLACE}, such as 'Edit this "
                f"image: {_PLACE}'"
            )

    def name(self, editor: str, *, learned: bool = True) -> str:
        """What an editor of that name is called on this track, or before it `learned` on it."""
        words = [self.instruction] if self.instruction != "original" else []
        if self.template:
            mark = hashlib.blake2b(self.template.encode(), digest_size=2).hexdigest()
            words.append(f"template {mark}")
        if learned and self.shots:
            words.append("1 shot" if self.shots == 1 else f"{self.shots} shots")
        if learned and self.tuned is not None:
            words.append(f"tuned {self.tuned}")
        return f"{editor}[{', '.join(words)}]" if words else editor

    def facts(self, editor: str) -> JsonObject:
        """What the settings of every edit say of the track beside its instruction."""
        facts: JsonObject = {"template": self.template} if self.template else {}
        if self.shots or self.tuned is not None:
            kind, number = ("shots", self.shots) if self.tuned is None else ("tuned", self.tuned)
            of = self.name(editor, learned=False)
            facts["learning"] = {"of": of, "kind": kind, "samples": number}
        return facts

    def told(self, sample: Sample) -> Sample | None:
        """The sample with the track's words; None where the benchmark has none for it."""
        wordings = {"original": sample.instruction, "rephrased": sample.rephrased}
        text = wordings.get(self.instruction, sample.change)
        if text and self.template:
            text = self.template.replace(_PLACE, text)
        return replace(sample, instruction=text) if text else None

    def prepared(self, sample: Sample, pool: Sequence[Sample], editor: str) -> Sample | Edit:
        """The sample as the editor is told it, or the edit that says why it cannot be: fewer
        demonstrations would be another track. `pool`: samples in the track's words that
        demonstrations may come from.
        """
        if (fault := faulty(sample, editor)) is not None:
            return fault
        shots, told = demonstrations(sample, pool, self.shots), self.told(sample)
        if told is not None and len(shots) == self.shots:
            return replace(told, shots=tuple(shots))
        reason = (
            f"{self.shots} demonstrations were asked for, {len(shots)} other samples of its task "
            f"with another input and a reference are there"
        )
        if told is None:
            reason = f"the sample has no {self.instruction} instruction"
        return Edit.without(sample.id, editor, Status.NOT_APPLICABLE, reason)


PLAIN = Track()


def demonstrations(sample: Sample, pool: Sequence[Sample], count: int) -> list[Shot]:
    """`count` demonstrations of the sample's task, or as many as there are, ordered by a hash of
    both ids: the same in every run, and others for another sample.
    """
    if not count:
        return []

    def order(other: Sample) -> bytes:
        return hashlib.blake2b(f"{sample.id}\n{other.id}".encode(), digest_size=8).digest()

    pictures, chosen = _contents(sample), list[Shot]()
    for other in sorted(pool, key=order):
        same = other.id != sample.id and _task_of(other) == _task_of(sample)
        reference = other.reference if same and other.images and other.fault is None else None
        if reference is not None and reference.is_file() and not pictures & _contents(other):
            chosen.append(Shot(other.id, other.images, other.instruction, reference))
        if len(chosen) == count:
            break
    return chosen


def _task_of(sample: Sample) -> tuple[object, ...]:
    """The category, and the task's name where there is one."""
    return (*sample.category, sample.attributes.get("task"))


def _contents(sample: Sample) -> set[str]:
    return {fingerprint(path) for path in sample.images if path.is_file()}


def on_track(editor: Editor, track: Track = PLAIN, *, pool: Sequence[Sample] = ()) -> Editor:
    """The editor on a track: itself on the plain one. `pool`: samples that demonstrations may come
    from. Raises `UsageError` where demonstrations are wanted of an editor that cannot be shown any.
    """
    if track == PLAIN:
        return editor
    base = as_editor(editor)
    if track.shots and not base.shows:
        why = f"{track.shots}: {editor.name!r} takes one picture; it cannot be shown demonstrations"
        raise UsageError(why, argument="shots")
    pool_told = [track.told(sample) or sample for sample in pool] if track.shots else []
    return OnTrack(base, track, pool_told)


class OnTrack(Outside):
    """See `on_track`. Runs as the editor inside does; its samples are `Track.prepared`."""

    def __init__(self, editor: BaseEditor, track: Track, pool: Sequence[Sample]) -> None:
        super().__init__(editor)
        self.track, self.pool, self.name = track, pool, track.name(editor.name)
        self.facts = track.facts(editor.name)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        prepared = self.track.prepared(sample, self.pool, self.name)
        if isinstance(prepared, Edit):
            return replace(prepared, settings=self.facts)
        edit = super().__call__(prepared, folder)
        settings = {**edit.settings, **self.facts, "instruction": self.track.instruction}
        if prepared.shots:
            settings["demonstrations"] = [shot.id for shot in prepared.shots]
        return replace(edit, editor=self.name, instruction=prepared.instruction, settings=settings)

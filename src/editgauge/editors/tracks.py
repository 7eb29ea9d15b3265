"""Prompt tracks: the same editor told in other words. A track is part of the editor's name, so that
no table mixes two.

``original`` is the benchmark's own instruction, ``rephrased`` its other wording, ``description``
its description of the change (MedEBench has both); ``kontext[rephrased]`` is then an editor of its
own. A template puts fixed words around the instruction; a preset, swept settings and what the
editor was fine-tuned on are told in the same way (`Making`).
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editgauge.editors.asking import shots_for
from editgauge.editors.delivery import faulty
from editgauge.editors.service import Ledger
from editgauge.errors import UsageError
from editgauge.types import Edit, Editor, Sample, Status

INSTRUCTIONS = ("original", "rephrased", "description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """How an editor differs from its plain self but for the words of a track. All of it is in the
    editor's name and in the settings of each edit (see `store.variants`).
    """

    preset: str = ""
    template: str = ""
    """Words around the instruction: ``Edit this image: {instruction}``."""
    swept: Mapping[str, Any] = field(default_factory=dict)
    """The settings of a sweep that this variant has, in the order of its name."""
    tuned: int | None = None
    """The number of samples that it was fine-tuned on; None: it is not one of a series."""

    @property
    def marks(self) -> list[str]:
        """As the editor's name has them, but for `tuned` and `swept`."""
        found = [self.preset] if self.preset else []
        if self.template:
            mark = hashlib.blake2b(self.template.encode(), digest_size=2).hexdigest()
            found.append(f"template {mark}")
        return found


PLAIN = Making()


def on_track(
    editor: Editor,
    instruction: str = "original",
    *,
    shots: int = 0,
    samples: Sequence[Sample] = (),
    making: Making = PLAIN,
) -> Editor:
    """The editor on a prompt track: itself on the original one, without demonstrations and
    anything in `making`.

    `shots`: how many demonstrations each sample is shown, from `samples` (those that the editor was
    made with). A sample that cannot have so many is *not applicable*: fewer would be another track
    under the same name. Each edit's ``settings["demonstrations"]`` names the ones that it had.
    Raises `UsageError` for an instruction that is none of `INSTRUCTIONS`, and for a template that
    `checked_template` refuses.
    """
    if instruction not in INSTRUCTIONS:
        raise UsageError(f"--instruction {instruction!r}: wanted one of {', '.join(INSTRUCTIONS)}")
    checked_template(making.template)
    words = [instruction] if instruction != "original" else []
    words += making.marks
    learned = ["1 shot" if shots == 1 else f"{shots} shots"] if shots else []
    if making.tuned is not None:
        learned.append(f"tuned {making.tuned}")
    swept = [f"{name}={value}" for name, value in making.swept.items()]
    if not (words or learned or swept):
        return editor
    facts: dict[str, Any] = {}
    if making.preset:
        facts["preset"] = making.preset
    if making.template:
        facts["template"] = making.template
    if shots or making.tuned is not None:
        kind, count = ("shots", shots) if making.tuned is None else ("tuned", making.tuned)
        of = _marked(editor.name, [*words, *learned[:-1], *swept])
        facts["learning"] = {"of": of, "kind": kind, "samples": count}
    if swept:
        of = _marked(editor.name, [*words, *learned])
        facts["swept"] = {"of": of, "values": dict(making.swept)}
    return OnTrack(
        editor=editor,
        instruction=instruction,
        name=_marked(editor.name, [*words, *learned, *swept]),
        shots=shots,
        samples=samples,
        template=making.template,
        facts=facts,
    )


def _marked(name: str, marks: Sequence[str]) -> str:
    return f"{name}[{', '.join(marks)}]" if marks else name


def checked_template(template: str) -> str:
    """The template; "" is none. Raises `UsageError` for one without ``{instruction}``, with another
    placeholder, or with a brace that stands alone (``{{`` and ``}}`` are braces).
    """
    if not template:
        return template
    wanted = "wanted words around {instruction}, such as 'Edit this image: {instruction}'"
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise UsageError(f"--template {template!r}: {wanted}; {error}") from None
    found = [(name, form or "", turned) for _, name, form, turned in parts if name is not None]
    strange = [name for name, form, turned in found if name != "instruction" or form or turned]
    if strange:
        raise UsageError(
            f"--template {template!r}: {wanted}; the placeholder {{{strange[0]}}} is not known"
            if strange[0] != "instruction"
            else f"--template {template!r}: {wanted}; {{instruction}} takes no format"
        )
    if not found:
        raise UsageError(f"--template {template!r}: {wanted}; found no placeholder")
    return template


def templated(sample: Sample, template: str) -> Sample:
    """The sample with its instruction in a template's words; as it is without a template."""
    if not template:
        return sample
    return replace(sample, instruction=template.format(instruction=sample.instruction))


def retold(sample: Sample, instruction: str) -> Sample | None:
    """The sample with the instruction of a track; None where the benchmark has none for it."""
    if instruction == "original":
        return sample
    text = sample.rephrased if instruction == "rephrased" else sample.change
    return replace(sample, instruction=text) if text else None


@dataclass(kw_only=True)
class OnTrack:
    """See `on_track`. Runs as the editor inside does, and passes its budget on."""

    editor: Editor
    instruction: str
    name: str
    shots: int = field(default=0, kw_only=True)
    samples: Sequence[Sample] = field(default=(), kw_only=True)
    template: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What every edit's settings say of the track beside its words."""

    @property
    def parallel(self) -> str:
        return str(getattr(self.editor, "parallel", "process"))

    @property
    def concurrency(self) -> int:
        return int(getattr(self.editor, "concurrency", 4))

    @property
    def ledger(self) -> Ledger | None:
        return getattr(self.editor, "ledger", None)

    @property
    def batch_size(self) -> int:
        return int(getattr(self.editor, "batch_size", 1))

    @property
    def num_gpus(self) -> float:
        return float(getattr(self.editor, "num_gpus", 0))

    def estimate(self, sample: Sample) -> float | None:
        """What the editor inside asks for the sample."""
        told = self.told(sample)
        if isinstance(told, Edit):
            return 0.0
        estimate: Any = getattr(self.editor, "estimate", None)
        return estimate(told) if estimate is not None else 0.0

    def told(self, sample: Sample) -> Sample | Edit:
        """The sample with the track's instruction, or the edit that says why there is none."""
        told = retold(sample, self.instruction)
        if told is not None:
            told = templated(told, self.template)
        reason = f"the sample has no {self.instruction} instruction"
        if told is not None:
            there = len(self._shown(told))
            if there == self.shots:
                return told
            reason = (
                f"{self.shots} demonstrations were asked for, {there} other samples of its task "
                f"with another input and a reference are there"
            )
        return Edit.without(sample.id, self.name, Status.NOT_APPLICABLE, reason)

    def _shown(self, sample: Sample) -> list[str]:
        """The ids of the demonstrations that the editor inside is about to show; it takes the same
        from the same samples.
        """
        there = self.samples or getattr(self.editor, "samples", ())
        return [shot.id for shot in shots_for(sample, there, self.shots)] if self.shots else []

    def _prepared(self, sample: Sample) -> Sample | Edit:
        return faulty(sample, self.name) or self.told(sample)

    def _named(self, made: Edit, told: Sample) -> Edit:
        settings = {**made.settings, **self.facts, "instruction": self.instruction}
        if self.shots:
            settings["demonstrations"] = self._shown(told)
        return replace(made, editor=self.name, instruction=told.instruction, settings=settings)

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        told = self._prepared(sample)
        if isinstance(told, Edit):
            return self._refused(told)
        return self._named(self.editor(told, folder), told)

    def _refused(self, made: Edit) -> Edit:
        """An edit that the editor inside was not asked for, with what the track says of itself."""
        return replace(made, settings={**made.settings, **self.facts}) if self.facts else made

    def edit_batch(self, samples: Sequence[Sample], folders: Sequence[Path]) -> list[Edit]:
        """As the editor inside edits a batch; samples that the track has no words for are answered
        here.
        """
        told = [self._prepared(sample) for sample in samples]
        asked = [
            (t, folder) for t, folder in zip(told, folders, strict=True) if isinstance(t, Sample)
        ]
        inside: Any = self.editor
        made = iter(
            inside.edit_batch([t for t, _ in asked], [folder for _, folder in asked])
            if asked
            else []
        )
        return [
            self._refused(t) if isinstance(t, Edit) else self._named(next(made), t) for t in told
        ]

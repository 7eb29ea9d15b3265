"""MedEBench's judge track: what is asked, in which order, with which parameters (arXiv 2506.01921).

One call: rubric with the change description (**D**: ``EA``, ``VQ``, ``Context``) or with the prompt
(**P**: ``EA_P``…), then input, reference, output, files as they are. The reply is an object: the list
of differences, then three integers 0 to 10. The third score, contextual preservation, is that of the
paper's Table 3 (``Context``); the CP of Table 2 is the masked SSIM of the pixel track. Temperature is
the server's own. The lines of the released prompt (400 tokens) are asked for by ``--prompts paper``
alone.

The option ``text`` is ``D`` (default), ``P``, or ``DP`` for both calls. Rows keep 0 to 10; tables
divide by 10.

Variants: of the released lines *faithful* is read as the script does (fractions pass, one unreadable
score drops both, and so does a failed call); *corrected* wants the last three lines with integers in
range. The released script cannot read our object, so that both variants are the strict reading there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from editgauge.benchmarks.medebench.facts import HIGH, LOW
from editgauge.benchmarks.medebench.metrics import JUDGE
from editgauge.benchmarks.medebench.replies import CONTEXT, NAMES, released_scores
from editgauge.errors import UsageError
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range, Rubrics, fenced
from editgauge.types import Edit, Metric, Sample

MAX_TOKENS = 1500
"""Room for the list of differences, which the paper's lines do without."""
SCORES = dict.fromkeys((*NAMES, CONTEXT), Range(LOW, HIGH))


@dataclass(frozen=True, slots=True)
class MedEBenchJudging:
    """See the module. Options: ``text``. A sample without a change description has no D call."""

    metrics: tuple[Metric, ...] = (*JUDGE["D"], *JUDGE["P"])
    version: str = "1"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {"text": ("D", "P", "DP")}

    def rubric_names(self) -> Sequence[str]:
        return ("accuracy_quality",)

    def metrics_of(self, kind: str) -> dict[str, str]:
        """The numbers of the reply, and the metrics that they give."""
        return dict(zip(SCORES, (metric.name for metric in JUDGE[kind]), strict=True))

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        return tuple(metric for kind in kinds_of(options) for metric in JUDGE[kind])

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        if edit.path is None:
            return ()
        calls = []
        for kind in kinds_of(options):
            wanted = sample.change if kind == "D" else sample.instruction
            if not wanted:
                continue
            name = "description of the change" if kind == "D" else "instruction"
            text, mark = rubrics.render("accuracy_quality", wanted=fenced(name, wanted))
            parts: list[str | Picture] = [text, "Input:", Picture(sample.image, "input")]
            if sample.reference is not None:
                parts += ["Reference, the intended result:", Picture(sample.reference, "reference")]
            parts += ["Edited picture:", Picture(edit.path, "output")]
            calls.append(
                Call(
                    name=f"EA+VQ {kind}",
                    parts=tuple(parts),
                    reply={**VISIBLE, "differences": str, **SCORES},
                    metrics=self.metrics_of(kind),
                    rubric=mark,
                    temperature=None,
                    max_tokens=MAX_TOKENS,
                )
            )
        return calls


def kinds_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """``D``, ``P`` or both, from the option ``text``. Raises `UsageError` for anything else."""
    text = str(options.get("text", "D")).upper()
    if not text or set(text) - {"D", "P"}:
        raise UsageError(
            f"option text={text!r}: wanted D (change description), P (prompt) or DP (both)"
        )
    return tuple(kind for kind in "DP" if kind in text)


def as_released(reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from a reply."""
    names = (*NAMES, CONTEXT)
    if reply is None:
        return dict.fromkeys(names)
    # Accuracy and quality do without the third score: rubrics of one's own need not ask for it
    return {**released_scores(reply), CONTEXT: released_scores(reply, names)[CONTEXT]}


JUDGING = MedEBenchJudging()

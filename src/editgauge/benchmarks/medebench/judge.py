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
from typing import Any

from editgauge.benchmarks.medebench.facts import HIGH, JUDGE, LOW
from editgauge.benchmarks.medebench.replies import CONTEXT, NAMES, released_scores
from editgauge.errors import UsageError
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Track
from editgauge.types import Edit, Metric, Sample

MAX_TOKENS = 1500
"""Room for the list of differences, which the paper's lines do without."""
SCORES = dict.fromkeys((*NAMES, CONTEXT), Range(LOW, HIGH))


def wanted(sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
    return tuple(metric for kind in kinds_of(options) for metric in JUDGE[kind])


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]) -> Sequence[Call]:
    """A sample without a change description has no D call."""
    assert edit.path is not None
    shown: list[str | Picture] = ["Input:", Picture(sample.image, "input")]
    if sample.reference is not None:
        shown += ["Reference, the intended result:", Picture(sample.reference, "reference")]
    shown += ["Edited picture:", Picture(edit.path, "output")]
    calls = []
    for kind, text in texts_of(sample, options):
        name = "description of the change" if kind == "D" else "instruction"
        rubric, mark = rubrics.render("accuracy_quality", wanted=fenced(name, text))
        calls.append(
            Call(
                name=f"EA+VQ {kind}",
                parts=(rubric, *shown),
                reply={**VISIBLE, "differences": str, **SCORES},
                metrics=metrics_of(kind),
                rubric=mark,
                temperature=None,
                max_tokens=MAX_TOKENS,
            )
        )
    return calls


def metrics_of(kind: str) -> dict[str, str]:
    """The numbers of the reply, and the metrics that they give."""
    return dict(zip(SCORES, (metric.name for metric in JUDGE[kind]), strict=True))


def texts_of(sample: Sample, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The kinds of call that a sample has, each with the words for what is wanted."""
    words = {"D": sample.change, "P": sample.instruction}
    return [(kind, text) for kind in kinds_of(options) if (text := words[kind])]


def kinds_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """``D``, ``P`` or both, from the option ``text``. Raises `UsageError` for anything else."""
    text = str(options.get("text", "D")).upper()
    if not text or set(text) - {"D", "P"}:
        raise UsageError(
            f"option text={text!r}: wanted D (change description), P (prompt) or DP (both)"
        )
    return tuple(kind for kind in "DP" if kind in text)


def as_released(reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from a reply: all three scores or none."""
    return dict.fromkeys(SCORES) if reply is None else released_scores(reply)


JUDGING = Track(
    metrics=(*JUDGE["D"], *JUDGE["P"]),
    ask=ask,
    wanted=wanted,
    rubrics=("accuracy_quality",),
    options={"text": ("D", "P", "DP")},
)

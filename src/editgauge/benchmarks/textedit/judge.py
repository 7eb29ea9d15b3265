"""TextEdit's judge track: what is asked, in which order, with which parameters (arXiv 2603.09877).

One call a sample for all five questions, integers 1 to 5: rubric with the source and the target
text; original, reference, output **resized to the original's size** (Lanczos; one of that size is
sent as it is). Temperature 0 and 1000 tokens are ours: the released script leaves both to its
server.

Variants: *faithful* takes the integers of the released script's parser whatever their range;
*corrected* only those from 1 to 5. Normalisation, cut-off and weights belong to the table: see
`facts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editgauge.benchmarks.textedit.facts import HIGH, JUDGE, LOW, QUESTIONS
from editgauge.benchmarks.textedit.replies import released_scores, require_repair
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Track
from editgauge.types import Edit, Sample

MAX_TOKENS = 1000
SCORES = dict.fromkeys(QUESTIONS, Range(LOW, HIGH))


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]) -> Sequence[Call]:
    """A sample without a reference is judged without one, and the call's name says so."""
    require_repair()
    assert edit.path is not None
    text, mark = rubrics.render(
        "questions",
        source=fenced("source text", sample.source_text or ""),
        target=fenced("target text", sample.target_text or ""),
        instruction=fenced("instruction", sample.instruction),
    )
    parts: list[str | Picture] = [text, "Original:", Picture(sample.image, "input")]
    if sample.reference is not None:
        parts += ["Reference:", Picture(sample.reference, "reference")]
    parts += ["Result of the editor:", Picture(edit.path, "output", size_of=sample.image)]
    return (
        Call(
            name="Q" if sample.reference is not None else "Q without reference",
            parts=tuple(parts),
            reply={**VISIBLE, "reason": str, "score": SCORES},
            metrics={name: name for name in QUESTIONS},
            rubric=mark,
            released=as_released,
            max_tokens=MAX_TOKENS,
        ),
    )


def as_released(reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from a reply."""
    return released_scores(reply) if reply is not None else dict.fromkeys(QUESTIONS)


JUDGING = Track(metrics=JUDGE, ask=ask, rubrics=("questions",))

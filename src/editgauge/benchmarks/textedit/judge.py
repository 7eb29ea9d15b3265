"""TextEdit's judge (arXiv 2603.09877): what is asked, what its released script asks, and how it reads a
reply.

One call a sample for all five questions, integers 1 to 5: rubric with the source and the target
text; original, reference, output **resized to the original's size** (Lanczos). Temperature 0 and
1000 tokens are ours. *Faithful* takes the integers of the released script's parser whatever their
range; *corrected* only those from 1 to 5. Cut-off and weights belong to the table: see `facts`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from editgauge.benchmarks.textedit.facts import HIGH, JUDGE, LOW, QUESTIONS
from editgauge.errors import MissingExtra
from editgauge.judging.paper import ReleasedPrompts, Scripts, as_sent, pinned, sent
from editgauge.judging.protocol import VISIBLE, Call, ChatMessage, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Track
from editgauge.types import Edit, JsonMapping, Metric, Sample

MAX_TOKENS = 1000
SCORES = dict.fromkeys(QUESTIONS, Range(LOW, HIGH))
_METRICS = {name: name for name in QUESTIONS}


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping) -> Sequence[Call]:
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
            metrics=_METRICS,
            rubric=mark,
            released=released_scores,
            max_tokens=MAX_TOKENS,
        ),
    )


JUDGING = Track(metrics=JUDGE, ask=ask, rubrics=("questions",))


# -- what the released script asks -----------------------------------------------------------------

SCRIPT = "vlm_metrics_eval_step1.py"


def released_wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    """A sample without a reference is not asked: the script leaves it out."""
    return JUDGE if sample.reference is not None else ()


def released_ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping
) -> Sequence[Call]:
    """One user message with the text, then original, reference and output (resized to the
    original's size), every picture declared a PNG; temperature 0 and 65,536 tokens.
    """
    require_repair()
    if edit.path is None or sample.reference is None:
        return ()
    png = "image/png"
    shown = (
        Picture(sample.image, "input", mime=png),
        Picture(sample.reference, "reference", mime=png),
        Picture(edit.path, "output", size_of=sample.image, mime=png),
    )
    words = {"raw_text": sample.source_text or "", "target_text": sample.target_text or ""}
    text = scripts[SCRIPT].constant("PROMPT_MAIN_EVAL").format(**words)
    return (
        Call(
            name="Q",
            messages=(ChatMessage("user", (text, *shown)),),
            reply={"score": SCORES, "reason": object},
            metrics=_METRICS,
            rubric=scripts.fingerprint,
            released=released_scores,
            **sent(scripts[SCRIPT].parameters("generate_single")),
        ),
    )


PROMPTS = ReleasedPrompts(
    benchmark="textedit",
    repository="OpenGVLab/TextEdit",
    files=pinned(__file__),
    track=as_sent(JUDGING, released_ask, wanted=released_wanted),
)


# -- how the released script reads a reply ---------------------------------------------------------


def released_scores(reply: str | None) -> dict[str, float | None]:
    """Q1 to Q5 as the released first step keeps them from a reply: integers as they are (any range,
    ``4.0`` and ``true`` too), None for the rest.

    It reads the reply with ``json_repair``, which mends what it can, and keeps the scores only of a
    reply that has both ``score`` and ``reason``. Raises `MissingExtra` without ``json_repair``.
    """
    data = None if reply is None else _repaired(reply.strip())
    scores = data.get("score") if isinstance(data, dict) and "reason" in data else None
    scores = scores if isinstance(scores, dict) else {}
    whole = (int, float)  # true counts as the 1 that it equals
    return {
        name: int(value)
        if isinstance(value := scores.get(name), whole) and value % 1 == 0
        else None
        for name in QUESTIONS
    }


def require_repair() -> None:
    """Raises `MissingExtra` where ``json_repair`` is not installed: asked before anything is paid."""
    try:
        import json_repair  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "reading TextEdit's replies as its released script does", "json_repair", "judge"
        ) from None


def _repaired(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    require_repair()
    import json_repair

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):
        return None

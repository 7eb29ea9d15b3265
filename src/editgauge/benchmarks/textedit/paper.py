"""TextEdit's released request: one for all five questions (arXiv 2603.09877). See `judging.paper`:
the words are the authors' and are fetched by the user.

As released: one user message with the text, then original, reference and output (resized to the
original's size), every picture declared a PNG; temperature 0 and 65,536 tokens. A sample without a
reference is not asked: the script leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from editgauge.benchmarks.textedit.judge import JUDGING, SCORES, as_released
from editgauge.benchmarks.textedit.replies import require_repair
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, sent
from editgauge.judging.protocol import Call, ChatMessage, Picture, Rubrics
from editgauge.judging.questions import Track
from editgauge.types import Edit, Metric, Sample

SCRIPT = "vlm_metrics_eval_step1.py"


def wanted(sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
    return JUDGING.metrics if sample.reference is not None else ()


def ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
) -> Sequence[Call]:
    require_repair()
    if edit.path is None or sample.reference is None:
        return ()
    shown = (
        Picture(sample.image, "input"),
        Picture(sample.reference, "reference"),
        Picture(edit.path, "output", size_of=sample.image),
    )
    words = {"raw_text": sample.source_text or "", "target_text": sample.target_text or ""}
    text = scripts[SCRIPT].constant("PROMPT_MAIN_EVAL").format(**words)
    pictures = (replace(picture, mime="image/png") for picture in shown)
    return (
        Call(
            name="Q",
            messages=(ChatMessage("user", (text, *pictures)),),
            reply={"score": SCORES, "reason": object},
            metrics={name: name for name in SCORES},
            rubric=scripts.fingerprint,
            released=as_released,
            **sent(scripts[SCRIPT].parameters("generate_single")),
        ),
    )


def track(scripts: Scripts) -> Track:
    """The track that sends the released request."""
    return replace(JUDGING, ask=partial(ask, scripts), wanted=wanted, rubrics=())


PROMPTS = ReleasedPrompts(
    benchmark="textedit",
    repository="OpenGVLab/TextEdit",
    files=(
        ScriptFile(
            path=SCRIPT,
            commit=None,
            sha256="0994490cb0b19629ef941a757b1e6cc2ce7e7b13016ff8d1f53f90bde8109206",
        ),
    ),
    track=track,
)

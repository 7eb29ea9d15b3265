"""MedEBench's released request: two steps and three scores (arXiv 2506.01921, 2.2). See
`judging.paper`: the words are the authors' and are fetched by the user.

As released: five user messages (wanted edit; input; reference; output; the two steps), every
picture declared a JPEG, 400 tokens, the server's own temperature. The script asks with the change
description; the paper's tables also have the instruction (option ``text=P``). A sample without a
reference is not asked: the script cannot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from editgauge.benchmarks.medebench.judge import (
    JUDGING,
    SCORES,
    as_released,
    metrics_of,
    texts_of,
)
from editgauge.benchmarks.medebench.judge import wanted as ours
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, sent
from editgauge.judging.protocol import Call, ChatMessage, Picture, Rubrics
from editgauge.judging.questions import Track
from editgauge.types import Edit, Metric, Sample

SCRIPT = "src/eval_metrics/evaluate_gpt4o.py"


def wanted(sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
    return ours(sample, options) if sample.reference is not None else ()


def ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
) -> Sequence[Call]:
    if edit.path is None or sample.reference is None:
        return ()
    script = scripts[SCRIPT]
    first, *labels, steps = script.texts("build_gpt4o_prompt")
    paths = {"input": sample.image, "reference": sample.reference, "output": edit.path}
    shown = [Picture(path, name, mime="image/jpeg") for name, path in paths.items()]
    pairs = [(label.format(), picture) for label, picture in zip(labels, shown, strict=True)]
    return [
        Call(
            name=f"EA+VQ {kind}",
            messages=tuple(
                ChatMessage("user", parts)
                for parts in ((first.format(editing_prompt=text),), *pairs, (steps.format(),))
            ),
            reply=SCORES,
            metrics=metrics_of(kind),
            rubric=scripts.fingerprint,
            lines=True,
            released=as_released,
            **sent(script.parameters("evaluate_sample")),
        )
        for kind, text in texts_of(sample, options)
    ]


def track(scripts: Scripts) -> Track:
    """The track that sends the released request."""
    return replace(JUDGING, ask=partial(ask, scripts), wanted=wanted, rubrics=())


PROMPTS = ReleasedPrompts(
    benchmark="medebench",
    repository="mliuby/MedEBench",
    files=(
        ScriptFile(
            path=SCRIPT,
            commit="1e155ffd426cecac984e218c2ac69bc7204d4725",
            sha256="d308f51ec80a23d4eac7f17ee488286b5cf598c778058fc397a98f379dd9d96c",
        ),
    ),
    track=track,
)

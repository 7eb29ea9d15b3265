"""TextEditBench's released requests: two scripts, with and without the reference (arXiv 2512.16270,
4.2.2). See `judging.paper`: the words are the authors' and are fetched by the user.

As released: five calls, system message and one user message; the kind of operation is told for
every dimension where the reference is shown, and for IF alone where it is not; SE is asked where
the record has the key ``knowledge_prompt`` in its right spelling (and not with ``knowledge=false``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from editgauge.benchmarks.texteditbench.judge import JUDGING, answer
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, sent
from editgauge.judging.protocol import Call, ChatMessage, Picture, Rubrics
from editgauge.judging.questions import Track
from editgauge.types import Edit, Metric, Sample

WITH = "evaluation/gpt_eval.py"
WITHOUT = "evaluation/gpt_eval_no_refer.py"
_FUNCTION = "call_llm_evaluation"
JPEG = "image/jpeg"


def wanted(sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
    spelt = sample.attributes.get("knowledge_key", "knowledge_prompt") == "knowledge_prompt"
    known = options.get("knowledge", True) and sample.knowledge and spelt
    return tuple(metric for metric in JUDGING.metrics if metric.name != "SE" or known)


def ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
) -> Sequence[Call]:
    assert edit.path is not None
    reference = sample.reference if options.get("reference", True) else None
    script = scripts[WITH if reference is not None else WITHOUT]
    instruction, method, knowledge, *labels, ending = script.texts(_FUNCTION)
    shown = [
        Picture(path, name, mime=JPEG)
        for path, name in (
            (sample.image, "input"),
            (edit.path, "output"),
            (reference, "reference"),
        )
        if path is not None
    ]
    labelled = [part for pair in zip(labels, shown, strict=True) for part in pair]
    operation = operation_of(sample)
    calls = []
    for name in (metric.name for metric in wanted(sample, options)):
        words = [instruction.format(prompt=sample.instruction)]
        if operation and (reference is not None or name == "IF"):
            words.append(method.format(editing_method=operation))
        if name == "SE":
            words.append(knowledge.format(knowledge_prompt=sample.knowledge))
        user = (*words, *labelled, ending.format(dimension=name))
        system = ChatMessage("system", (script.constant(f"PROMPTS[{name}]"),), plain=True)
        calls.append(
            Call(
                name=name,
                messages=(system, ChatMessage("user", user)),
                rubric=scripts.fingerprint,
                **answer(name, reference is not None),
                **sent(script.parameters(_FUNCTION)),
            )
        )
    return calls


def operation_of(sample: Sample) -> str:
    """The kind of operation as the record writes it."""
    attributes = sample.attributes
    return str(attributes.get("operation_written", attributes.get("operation", "")))


def track(scripts: Scripts) -> Track:
    """The track that sends the released requests."""
    options = {"reference": ("true", "false"), "knowledge": ("true", "false")}
    return replace(JUDGING, ask=partial(ask, scripts), wanted=wanted, rubrics=(), options=options)


PROMPTS = ReleasedPrompts(
    benchmark="texteditbench",
    repository="CSU-JPG/TextEditBench",
    files=(
        ScriptFile(
            path=WITH,
            commit="c700fb6205beb26aad0ce1f27b211dc93f2657e0",
            sha256="6b590f44d892711a75bfbbd59ea3e97b206f3cdebc80fa8e537c82b7bc4d13ce",
        ),
        ScriptFile(
            path=WITHOUT,
            commit="7482fc8b4ec9bb3a9285d1e07de33f05f6ab4e11",
            sha256="edbaaa1a19581331a455b179162602b52b9f18c044d0993477625efaacbc5266",
        ),
    ),
    track=track,
)

"""TextEditBench's released prompts: two scripts, with and without the reference (arXiv 2512.16270,
4.2.2). See `judging.paper`: the texts are the authors' and are fetched by the user.

As released: five calls, system message and one user message; the kind of operation is told for
every dimension where the reference is shown, and for IF alone where it is not; SE is asked where
the record has the key ``knowledge_prompt`` in its right spelling.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from editgauge.benchmarks.texteditbench.judge import JUDGING, as_released
from editgauge.judging import released
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, renamed, with_texts
from editgauge.judging.prompts import CallPrompt, PromptSet, Value, request
from editgauge.judging.protocol import Call, Picture, Rubrics
from editgauge.types import Edit, Metric, Sample

WITH = "evaluation/gpt_eval.py"
WITHOUT = "evaluation/gpt_eval_no_refer.py"
_FUNCTION = "call_llm_evaluation"
_NAMES = {
    "prompt": "instruction",
    "editing_method": "operation",
    "knowledge_prompt": "knowledge",
    "input_b64": "input",
    "pred_b64": "output",
    "output_b64": "reference",
}


def calls(scripts: Scripts) -> dict[str, CallPrompt]:
    """One prompt for each dimension, with the reference (``IF``) and without (``IF alone``)."""
    found = {}
    for path, suffix in ((WITH, ""), (WITHOUT, " alone")):
        tree = scripts[path]
        chat = released.messages(tree, path, _FUNCTION)
        limits = released.parameters(tree, path, _FUNCTION)
        for metric in JUDGING.metrics:
            system = released.constant(tree, path, "PROMPTS", metric.name)
            texts: dict[str, released.Template] = {
                "system_prompt": (system,),
                "dimension": (metric.name,),
            }
            messages = renamed(with_texts(chat, texts), _NAMES)
            found[metric.name + suffix] = CallPrompt(messages, limits)
    return found


@dataclass(frozen=True, slots=True)
class PaperJudging:
    """The released scripts' requests. Options: ``reference`` and ``knowledge`` (default True)."""

    prompts: PromptSet
    metrics: tuple[Metric, ...] = JUDGING.metrics
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "reference": ("true", "false"),
        "knowledge": ("true", "false"),
    }

    @property
    def version(self) -> str:
        """The readers are those of our own prompts."""
        return JUDGING.version

    def rubric_names(self) -> Sequence[str]:
        return ()

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        asked = options.get("knowledge", True) and sample.knowledge
        if sample.attributes.get("knowledge_key", "knowledge_prompt") != "knowledge_prompt":
            asked = False
        return tuple(m for m in self.metrics if m.name != "SE" or asked)

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        if edit.path is None:
            return ()
        reference = sample.reference if options.get("reference", True) else None
        built = []
        for metric in self.metrics_for(sample, options):
            name = metric.name
            told = reference is not None or name == "IF"
            values: dict[str, Value] = {
                "instruction": sample.instruction,
                "operation": operation_of(sample) if told else None,
                "knowledge": sample.knowledge if name == "SE" else None,
                "input": Picture(sample.image, "input"),
                "output": Picture(edit.path, "output"),
                "reference": Picture(reference, "reference") if reference else None,
            }
            prompt = self.prompts.call(name if reference is not None else f"{name} alone")
            built.append(
                Call(
                    name=name,
                    reply=JUDGING.reply(name),
                    metrics={name: name},
                    rubric=self.prompts.fingerprint,
                    released=partial(as_released, name, with_reference=reference is not None),
                    **request(prompt, values),
                )
            )
        return built


def operation_of(sample: Sample) -> str:
    """The kind of operation as the record writes it."""
    attributes = sample.attributes
    return str(attributes.get("operation_written", attributes.get("operation", "")))


PROMPTS = ReleasedPrompts(
    benchmark="texteditbench",
    repository="CSU-JPG/TextEditBench",
    files=(
        ScriptFile(
            path=WITH,
            commit="c700fb6205beb26aad0ce1f27b211dc93f2657e0",
            sha256="67ba574aef1710e070039c695df9807cfdc0c4705230f26546ece385585209f3",
        ),
        ScriptFile(
            path=WITHOUT,
            commit="7482fc8b4ec9bb3a9285d1e07de33f05f6ab4e11",
            sha256="47be9f06a31d1cbc840ace5e6c1ae83ed2691e897563e80ec1350e9d8abb1f8b",
        ),
    ),
    calls=calls,
    judging=PaperJudging,
)

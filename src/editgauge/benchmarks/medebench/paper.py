"""MedEBench's released prompt: two steps and three scores in one request (arXiv 2506.01921, 2.2).
See `judging.paper`: the text is the authors' and is fetched by the user.

As released: five user messages (wanted edit; input; reference; output; the two steps), every
picture declared a JPEG, 400 tokens, the server's own temperature. The script asks with the change
description; the paper's tables also have the instruction (option ``text=P``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from editgauge.benchmarks.medebench.judge import JUDGING, SCORES, as_released, kinds_of
from editgauge.judging import released
from editgauge.judging.paper import (
    ReleasedPrompts,
    ScriptFile,
    Scripts,
    renamed,
    with_texts,
)
from editgauge.judging.prompts import CallPrompt, PromptSet, Value, request
from editgauge.judging.protocol import Call, Picture, Rubrics
from editgauge.types import Edit, Metric, Sample

SCRIPT = "src/eval_metrics/evaluate_gpt4o.py"
DESCRIBE = "src/dataset_construction/augment_prompt.py"
_NAMES = {
    "editing_prompt": "wanted",
    "prev_img": "input",
    "edited_img": "output",
    "gt_img": "reference",
    "prev_image_b64": "input",
    "changed_image_b64": "reference",
}


def calls(scripts: Scripts) -> dict[str, CallPrompt]:
    """The judge's prompt, ``EA+VQ`` (the same for the description and the instruction), and the
    template of the change descriptions themselves, ``description``.
    """
    tree = scripts[SCRIPT]
    messages = renamed(released.messages(tree, SCRIPT, "build_gpt4o_prompt"), _NAMES)
    maker, function = scripts[DESCRIBE], "generate_detailed_prompt"
    words = released.local_constant(maker, DESCRIBE, function, "system_instruction")
    chat = with_texts(
        released.messages(maker, DESCRIBE, function), {"system_instruction": (words,)}
    )
    return {
        "EA+VQ": CallPrompt(messages, released.parameters(tree, SCRIPT, "evaluate_sample")),
        "description": CallPrompt(
            renamed(chat, _NAMES), released.parameters(maker, DESCRIBE, function)
        ),
    }


@dataclass(frozen=True, slots=True)
class PaperJudging:
    """The released script's request. Options: ``text`` (``D``, ``P`` or ``DP``). A sample without a
    reference is not asked: the script cannot.
    """

    prompts: PromptSet
    metrics: tuple[Metric, ...] = JUDGING.metrics
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {"text": ("D", "P", "DP")}

    @property
    def version(self) -> str:
        """The readers are those of our own prompts."""
        return JUDGING.version

    def rubric_names(self) -> Sequence[str]:
        return ()

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        return JUDGING.metrics_for(sample, options) if sample.reference is not None else ()

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        if edit.path is None or sample.reference is None:
            return ()
        built = []
        for kind in kinds_of(options):
            wanted = sample.change if kind == "D" else sample.instruction
            if not wanted:
                continue
            values: dict[str, Value] = {
                "wanted": wanted,
                "input": Picture(sample.image, "input"),
                "reference": Picture(sample.reference, "reference"),
                "output": Picture(edit.path, "output"),
            }
            built.append(
                Call(
                    name=f"EA+VQ {kind}",
                    reply=SCORES,
                    metrics=JUDGING.metrics_of(kind),
                    rubric=self.prompts.fingerprint,
                    lines=True,
                    released=as_released,
                    **request(self.prompts.call("EA+VQ"), values),
                )
            )
        return built


PROMPTS = ReleasedPrompts(
    benchmark="medebench",
    repository="mliuby/MedEBench",
    files=(
        ScriptFile(
            path=SCRIPT,
            commit="1e155ffd426cecac984e218c2ac69bc7204d4725",
            sha256=None,
        ),
        ScriptFile(
            path=DESCRIBE,
            commit="1e155ffd426cecac984e218c2ac69bc7204d4725",
            sha256=None,
        ),
    ),
    calls=calls,
    judging=PaperJudging,
)

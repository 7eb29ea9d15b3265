"""TextEdit's released prompt: one request for all five questions (arXiv 2603.09877). See
`judging.paper`: the text is the authors' and is fetched by the user.

As released: one user message with the text, then original, reference and output (resized to the
original's size), every picture declared a PNG; temperature 0 and 65,536 tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editgauge.benchmarks.textedit.judge import JUDGING, SCORES, as_released
from editgauge.benchmarks.textedit.replies import require_repair
from editgauge.judging import released
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, renamed, with_texts
from editgauge.judging.prompts import CallPrompt, PromptSet, request
from editgauge.judging.protocol import Call, Picture, Rubrics
from editgauge.types import Edit, Metric, Sample

SCRIPT = "vlm_metrics_eval_step1.py"
_NAMES = {
    "raw_text": "source",
    "target_text": "target",
    "image_paths": "pictures",
    "image_data": "picture",
}


def calls(scripts: Scripts) -> dict[str, CallPrompt]:
    """The one prompt, ``Q``."""
    tree = scripts[SCRIPT]
    text = released.format_fields(
        released.constant(tree, SCRIPT, "PROMPT_MAIN_EVAL"), "PROMPT_MAIN_EVAL"
    )
    chat = released.messages(tree, SCRIPT, "build_chat_messages")
    messages = renamed(with_texts(chat, {"prompt_text": text}), _NAMES)
    return {"Q": CallPrompt(messages, released.parameters(tree, SCRIPT, "generate_single"))}


@dataclass(frozen=True, slots=True)
class PaperJudging:
    """The released script's request. No options. A sample without a reference is not asked: the
    script leaves it out.
    """

    prompts: PromptSet
    metrics: tuple[Metric, ...] = JUDGING.metrics

    @property
    def version(self) -> str:
        """The readers are those of our own prompts."""
        return JUDGING.version

    def rubric_names(self) -> Sequence[str]:
        return ()

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        return self.metrics if sample.reference is not None else ()

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        require_repair()
        if edit.path is None or sample.reference is None:
            return ()
        shown = (
            Picture(sample.image, "input"),
            Picture(sample.reference, "reference"),
            Picture(edit.path, "output", size_of=sample.image),
        )
        texts = {"source": sample.source_text or "", "target": sample.target_text or ""}
        return (
            Call(
                name="Q",
                reply={"score": SCORES, "reason": object},
                metrics={name: name for name in SCORES},
                rubric=self.prompts.fingerprint,
                released=as_released,
                **request(
                    self.prompts.call("Q"),
                    texts,
                    {"pictures": [{"picture": picture} for picture in shown]},
                ),
            ),
        )


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
    calls=calls,
    judging=PaperJudging,
)

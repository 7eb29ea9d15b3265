"""KRIS-Bench's released prompts: six variants by the kind of task (arXiv 2505.16707, appendix). See
`judging.paper`: the texts are the authors' and are fetched by the user.

As released: one user message, every picture declared a JPEG, 1000 tokens, the server's own
temperature. The script for common tasks never sends the prompt for anomalies, because it tests for
another folder name; the option ``anomaly_hint=true`` sends it, as the paper describes. The option
``hint=false`` gives the knowledge prompts no explanation (the paper's 4.3 without hints).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

from editgauge.benchmarks.krisbench import plausibility
from editgauge.benchmarks.krisbench.judge import (
    JUDGING,
    SCALE,
    as_released,
    frames_of,
    joint_as_released,
    joint_reply,
    kind_of,
)
from editgauge.judging import released
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, renamed, with_texts
from editgauge.judging.prompts import CallPrompt, PromptSet, Value, request
from editgauge.judging.protocol import Call, Picture, Rubrics
from editgauge.types import Edit, Metric, Sample

TEXTS = "utils/prompts.py"
_COMMON, _KNOWLEDGE = "metrics_common.py", "metrics_knowledge.py"
_VIEW, _ELEMENTS = "metrics_view_change.py", "metrics_multi_element.py"
_FRAMES = "metrics_temporal_prediction.py"
_PAIR = "evaluate_with_gpt"
_NAMES = {
    "instruct": "instruction",
    "explanation": "explanation",
    "N": "frame",
    "original_base64": "input",
    "original_b64": "input",
    "edited_base64": "output",
    "edited_b64": "output",
    "gt_b64": "reference",
    "reference_base64_list": "elements",
    "idx": "number",
    "ref": "element",
    "predicted_base64": "output",
    "all_frames": "frames",
    "frame_num": "number",
    "frame_type": "kind",
    "b64": "picture",
}
_SENT: Mapping[str, tuple[str, str, str]] = {
    "VC": (_COMMON, _PAIR, "prompt_consist"),
    "VQ": (_COMMON, _PAIR, "prompt_quality"),
    "IF": (_COMMON, _PAIR, "prompt_instruction_following"),
    "IF anomaly": (_COMMON, _PAIR, "prompt_abnormal_instruction_following"),
    "VC knowledge": (_KNOWLEDGE, _PAIR, "prompt_consist"),
    "VQ knowledge": (_KNOWLEDGE, _PAIR, "prompt_quality"),
    "IF+KP": (_KNOWLEDGE, _PAIR, "prompt_dual_evaluation"),
    "VC viewpoint": (_VIEW, _PAIR, "prompt_consist"),
    "VQ viewpoint": (_VIEW, _PAIR, "prompt_quality"),
    "IF viewpoint": (_VIEW, _PAIR, "prompt_view_instruction_following"),
    "VC elements": (_ELEMENTS, "evaluate_multi_element_with_gpt", "prompt_consist_multi"),
    "VQ elements": (_ELEMENTS, _PAIR, "prompt_quality"),
    "IF elements": (_ELEMENTS, "evaluate_multi_element_with_gpt", "prompt_instruction_multi"),
    "VC temporal": (_FRAMES, "evaluate_temporal_with_gpt", "prompt_consist_temporal"),
    "VQ temporal": (_FRAMES, _PAIR, "prompt_quality"),
    "IF temporal": (_FRAMES, "evaluate_temporal_with_gpt", "prompt_instruction_temporal"),
}
"""Call -> script, the function that builds its messages, the constant with its text."""
_SCRIPTS: Mapping[str, Literal["common", "knowledge", "several"]] = {
    "knowledge": "knowledge",
    "temporal": "several",
    "elements": "several",
}
_FIELDS = {"VC": "consistency", "VQ": "quality", "IF": "instruction"}
TEMPORAL_JPEG = 85
"""The quality at which the script for frames writes every picture anew."""
_FRAME_KINDS = {"real": "Reference", "generated": "Generated"}


def calls(scripts: Scripts) -> dict[str, CallPrompt]:
    """One prompt for each line of `_SENT`."""
    found = {}
    for name, (path, function, constant) in _SENT.items():
        tree = scripts[path]
        text = released.constant(scripts[TEXTS], TEXTS, constant)
        template: released.Template = (text,)
        if released.is_formatted(tree, constant):
            template = released.format_fields(text, constant)
        chat = with_texts(released.messages(tree, path, function), {"prompt": template})
        found[name] = CallPrompt(renamed(chat, _NAMES), released.parameters(tree, path, function))
    return found


@dataclass(frozen=True, slots=True)
class PaperJudging:
    """The released scripts' requests. Options: ``anomaly_hint`` (default False), ``hint`` (default
    True): see the module.
    """

    prompts: PromptSet
    metrics: tuple[Metric, ...] = JUDGING.metrics
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "anomaly_hint": ("true", "false"),
        "hint": ("true", "false"),
    }

    @property
    def version(self) -> str:
        """The readers are those of our own prompts."""
        return JUDGING.version

    def rubric_names(self) -> Sequence[str]:
        return ()

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        return JUDGING.metrics_for(sample, options)

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        if edit.path is None:
            return ()
        kind = kind_of(sample)
        # this script alone writes every picture anew
        output = Picture(edit.path, "output", jpeg=TEMPORAL_JPEG if kind == "temporal" else 0)
        values, loops = _values(sample, output, kind, options)
        suffix = f" {kind}" if kind in ("knowledge", "viewpoint", "elements", "temporal") else ""
        quality = {**values, "input": None, "reference": None}
        without = {**values, "reference": None}
        asked = [
            self._one("VC", f"VC{suffix}", kind, without, loops),
            self._one("VQ", f"VQ{suffix}", kind, quality, loops),
        ]
        if kind == "knowledge":
            return (*asked, self._joint(values))
        if kind == "anomaly" and options.get("anomaly_hint", False) and sample.knowledge:
            suffix = " anomaly"
        return (*asked, self._one("IF", f"IF{suffix}", kind, values, loops))

    def _one(
        self,
        metric: str,
        prompt: str,
        kind: str,
        values: Mapping[str, Value],
        loops: Mapping[str, Sequence[Mapping[str, Value]]],
    ) -> Call:
        field = f"{_FIELDS[metric]}_score"
        return Call(
            name=metric,
            reply={"reasoning": object, field: SCALE},
            metrics={field: metric},
            rubric=self.prompts.fingerprint,
            released=partial(as_released, _FIELDS[metric], _SCRIPTS.get(kind, "common")),
            **request(self.prompts.call(prompt), values, loops),
        )

    def _joint(self, values: Mapping[str, Value]) -> Call:
        fields = {"instruction_score": "IF", "knowledge_score": "KP"}
        return Call(
            name="IF+KP",
            reply=joint_reply(object),
            metrics=fields,
            rubric=self.prompts.fingerprint,
            rule=plausibility.strict,
            released=joint_as_released,
            **request(self.prompts.call("IF+KP"), values),
        )


def _values(
    sample: Sample, output: Picture, kind: str, options: Mapping[str, Any]
) -> tuple[dict[str, Value], dict[str, list[Mapping[str, Value]]]]:
    """What goes into the prompts' places, and the turns of their loops."""
    hint = sample.knowledge if options.get("hint", True) else None
    values: dict[str, Value] = {
        "instruction": sample.instruction,
        "explanation": hint or "",
        "input": Picture(sample.image, "input"),
        "output": output,
        "reference": Picture(sample.reference, "reference")
        if kind == "viewpoint" and sample.reference is not None
        else None,
        "frame": None,
    }
    loops: dict[str, list[Mapping[str, Value]]] = {}
    if kind == "temporal":
        frames, generated = frames_of(sample, output)
        values["frame"] = str(generated)
        loops["frames"] = [
            {
                "number": str(number),
                "kind": _FRAME_KINDS[origin],
                "picture": replace(picture, jpeg=TEMPORAL_JPEG),
            }
            for number, origin, picture in frames
        ]
    if kind == "elements":
        loops["elements"] = [
            {"number": str(number), "element": Picture(path, f"reference {number}")}
            for number, path in enumerate(sample.images, start=1)
        ]
    return values, loops


PROMPTS = ReleasedPrompts(
    benchmark="krisbench",
    repository="nameoffly/Kris_Bench_output",
    files=(
        ScriptFile(
            path=TEXTS,
            commit="75e89ed59fad130fdf3ca85abb113ba7ce6a6fed",
            sha256="63a57e96ab57d0e8738c2ea4c584a5a9892b63d3cfa421b3fb2c1943eb0a89a1",
        ),
        *(
            ScriptFile(path=path, commit="d362849d4a594e37507a8b2d13756132bad018e3", sha256=digest)
            for path, digest in (
                (_COMMON, "5ae23b702dfcf2f3e8a7b0d0c325b9aaf2c99eaa0e076dc0814823c670d7857a"),
                (_KNOWLEDGE, "1117cdba5e9227324a0b864b59f928291ef7fdfac9072a99e564d68d358b1b92"),
                (_ELEMENTS, "831ebb12fcd46b91846921df1539e2183bdd945742a6357763e3ec681cd78c42"),
                (_FRAMES, "cacfc275d951d5b4728de999d76160ba8010f4936171f23d22ae2d76d6a897c2"),
                (_VIEW, "ba09dc52c2fc6a1a6311bb3785b78bdc335b1f632789d14ccda1e44c46c21ff7"),
            )
        ),
    ),
    calls=calls,
    judging=PaperJudging,
    note="the authors' repository has no file with the texts; this fork (Apache-2.0) has",
)

"""KRIS-Bench's judge track: what is asked, in which order, with which parameters (arXiv
2505.16707).

Integers 1 to 5. Every sample has VQ (the output alone); the rest goes by the kind of task:

=============  ==============================  =====================================================================
kind           samples                         calls beside VQ, pictures in this order
=============  ==============================  =====================================================================
common         the other folders               VC: original, edited · IF: original, edited
anomaly        anomaly_correction              the same; IF is given the explanation
viewpoint      viewpoint_change                VC: original, edited · IF: original, edited, wanted viewpoint
knowledge      Social, Natural, Logical        VC: original, edited · IF and KP in one call with the explanation
temporal       temporal_prediction             VC and IF: four frames in frame order, each labelled real or generated
elements       multi-element_composition       VC and IF: all references, numbered, then the composed picture
=============  ==============================  =====================================================================

1000 tokens, the server's own temperature, files as they are. KP is 1 where IF is 1 or 2: asked for
in the rubric and enforced by rule in both variants (see `plausibility`). The released code never
gives the explanation for anomalies because it tests for another folder name; we give it in both
variants, since the prompt and not the parser would differ.

Variants: *faithful* is what the released parsers take from the same reply (a stray digit included);
*corrected* wants an integer in range under the score's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from editgauge.benchmarks.krisbench import plausibility
from editgauge.benchmarks.krisbench.facts import EXPLAINED, HIGH, LOW
from editgauge.benchmarks.krisbench.metrics import BY_NAME, JUDGE
from editgauge.benchmarks.krisbench.replies import Script, released_pair, released_score
from editgauge.judging.protocol import VISIBLE, Call, Kind, Picture, Range, Rubrics, fenced
from editgauge.types import Edit, Metric, Sample

MAX_TOKENS = 1000
SCALE = Range(LOW, HIGH)
_RUBRICS = (
    "consistency",
    "quality",
    "instruction",
    "instruction_anomaly",
    "instruction_viewpoint",
    "instruction_knowledge",
    "consistency_frames",
    "instruction_frames",
    "consistency_elements",
    "instruction_elements",
    "simple",
)
_QUESTIONS = {
    "VC": "Is everything kept that the instruction does not ask to change?",
    "VQ": "Does the picture look real and free of faults?",
    "IF": "Is the instruction carried out?",
    "KP": "Is the result plausible by what is known about the world?",
}
_NAMES = {"VC": "consistency", "VQ": "quality", "IF": "instruction"}


@dataclass(frozen=True, slots=True)
class KrisBenchJudging:
    """See the module. Options: ``hint`` (default True) gives the explanation; ``simple`` (default
    False) asks plain questions instead, without hints and anchors: the two baselines of the paper's
    study (4.3).
    """

    metrics: tuple[Metric, ...] = JUDGE
    version: str = "1"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "hint": ("true", "false"),
        "simple": ("true", "false"),
    }

    def rubric_names(self) -> Sequence[str]:
        return _RUBRICS

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        return tuple(BY_NAME[name] for name in ("VC", "VQ", "IF")) + (
            (BY_NAME["KP"],) if kind_of(sample) == "knowledge" else ()
        )

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        if edit.path is None:
            return ()
        kind = kind_of(sample)
        words = {
            "instruction": fenced("instruction", sample.instruction),
            "explanation": fenced("explanation", sample.knowledge or "not given"),
        }
        hint = bool(options.get("hint", True)) and sample.knowledge is not None
        if not hint:
            words["explanation"] = fenced("explanation", "not given")
        output = Picture(edit.path, "output")
        script: Script = {
            "knowledge": "knowledge",
            "temporal": "several",
            "elements": "several",
        }.get(kind, "common")  # type: ignore[assignment]
        ask = partial(_call, rubrics, script)
        if options.get("simple", False):
            pictures = _pictures(sample, output, kind)
            return [
                _plain_question(rubrics, script, metric.name, words, pictures, output)
                for metric in self.metrics_for(sample, options)
            ]
        quality = ask("VQ", "quality", words, ("Picture:", output))
        if kind == "temporal":
            frames, number = _labelled_frames(sample, output)
            more = {**words, "frame": str(number)}
            return (
                ask("VC", "consistency_frames", more, frames),
                quality,
                ask("IF", "instruction_frames", more, frames),
            )
        if kind == "elements":
            elements: list[str | Picture] = []
            for index, path in enumerate(sample.images, start=1):
                elements += [f"Reference picture {index}:", Picture(path, f"reference {index}")]
            elements += ["Composed picture:", output]
            return (
                ask("VC", "consistency_elements", words, tuple(elements)),
                quality,
                ask("IF", "instruction_elements", words, tuple(elements)),
            )
        original: tuple[str | Picture, ...] = ("Original:", Picture(sample.image, "input"))
        pair = (*original, "Edited:", output)
        consistency = ask("VC", "consistency", words, pair)
        if kind == "knowledge":
            return consistency, quality, _joint(rubrics, words, pair)
        if kind == "viewpoint" and sample.reference is not None:
            triple = (*pair, "Wanted viewpoint:", Picture(sample.reference, "reference"))
            return consistency, quality, ask("IF", "instruction_viewpoint", words, triple)
        rubric = "instruction_anomaly" if kind == "anomaly" and hint else "instruction"
        return consistency, quality, ask("IF", rubric, words, pair)


def kind_of(sample: Sample) -> str:
    """common, anomaly, viewpoint, knowledge, temporal or elements."""
    task = str(sample.attributes.get("task", ""))
    if task.startswith("temporal_prediction"):
        return "temporal"
    kinds = {
        "multi-element_composition": "elements",
        "viewpoint_change": "viewpoint",
        "anomaly_correction": "anomaly",
    }
    if task in kinds:
        return kinds[task]
    return "knowledge" if sample.attributes.get("dimension") in EXPLAINED else "common"


def frames_of(sample: Sample, output: Picture) -> tuple[list[tuple[int, str, Picture]], int]:
    """All frames in their order as (number, ``real`` or ``generated``, picture), and the number of
    the generated one.

    A sample whose frames are not known has the generated one last, as the released code does.
    """
    numbers = [
        int(text) if text.isdigit() else 0
        for text in str(sample.attributes.get("frames", "")).split(",")
    ]
    if len(numbers) != len(sample.images) or 0 in numbers:
        numbers = list(range(1, len(sample.images) + 1))
    generated = int(sample.attributes.get("missing_frame", max(numbers) + 1))
    frames = [
        (n, "real", Picture(path, f"frame {n}"))
        for n, path in zip(numbers, sample.images, strict=True)
    ]
    frames.append((generated, "generated", output))
    return sorted(frames, key=lambda frame: frame[0]), generated


def _labelled_frames(sample: Sample, output: Picture) -> tuple[tuple[str | Picture, ...], int]:
    frames, generated = frames_of(sample, output)
    parts: list[str | Picture] = []
    for number, kind, picture in frames:
        parts += [f"Frame {number} ({kind}):", picture]
    return tuple(parts), generated


def _pictures(sample: Sample, output: Picture, kind: str) -> tuple[str | Picture, ...]:
    """What is shown for a kind of task, labelled, with the output last or in its place."""
    if kind == "temporal":
        return _labelled_frames(sample, output)[0]
    shown: list[str | Picture] = []
    for number, path in enumerate(sample.images, start=1):
        shown += [f"Original {number}:", Picture(path, f"reference {number}")]
    return (*shown, "Edited:", output)


def _plain_question(
    rubrics: Rubrics,
    script: Script,
    metric: str,
    words: Mapping[str, str],
    pictures: tuple[str | Picture, ...],
    output: Picture,
) -> Call:
    """The baseline of the paper's study (4.3, Figure 5): one plain question a score, without the
    hint and without anchors. The paper does not print its simple prompts; these words are ours.
    """
    name = {**_NAMES, "KP": "knowledge"}[metric]
    field = f"{name}_score"
    told = {"question": _QUESTIONS[metric], "instruction": words["instruction"]}
    text, mark = rubrics.render("simple", **told)
    return Call(
        name=metric,
        parts=(text, *(("Picture:", output) if metric == "VQ" else pictures)),
        reply={**VISIBLE, "reasoning": str, field: SCALE},
        metrics={field: metric},
        rubric=mark,
        released=partial(as_released, name, script),
        temperature=None,
        max_tokens=MAX_TOKENS,
    )


def _call(
    rubrics: Rubrics,
    script: Script,
    metric: str,
    rubric: str,
    words: Mapping[str, str],
    pictures: tuple[str | Picture, ...],
) -> Call:
    text, mark = rubrics.render(rubric, **{"frame": None, **words})
    field = f"{_NAMES[metric]}_score"
    return Call(
        name=metric,
        parts=(text, *pictures),
        reply={**VISIBLE, "reasoning": str, field: SCALE},
        metrics={field: metric},
        rubric=mark,
        released=partial(as_released, _NAMES[metric], script),
        temperature=None,
        max_tokens=MAX_TOKENS,
    )


def _joint(rubrics: Rubrics, words: Mapping[str, str], pictures: tuple[str | Picture, ...]) -> Call:
    text, mark = rubrics.render("instruction_knowledge", **words)
    return Call(
        name="IF+KP",
        parts=(text, *pictures),
        reply={**VISIBLE, **joint_reply(str)},
        metrics={"instruction_score": "IF", "knowledge_score": "KP"},
        rubric=mark,
        rule=plausibility.strict,
        released=joint_as_released,
        temperature=None,
        max_tokens=MAX_TOKENS,
    )


def joint_reply(reason: Kind) -> dict[str, Kind]:
    """The reply with two scores, each behind its reason."""
    return {
        "instruction_reasoning": reason,
        "instruction_score": SCALE,
        "knowledge_reasoning": reason,
        "knowledge_score": SCALE,
    }


def as_released(name: str, script: Script, reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from a reply for one score."""
    return {f"{name}_score": released_score(reply, name, script) if reply is not None else None}


def joint_as_released(reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from the joint reply, KP by the paper's rule."""
    pair = released_pair(reply) if reply is not None else (None, None)
    return {"instruction_score": pair[0], "knowledge_score": plausibility.released(*pair)}


JUDGING = KrisBenchJudging()

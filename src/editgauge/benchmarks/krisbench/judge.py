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

The option ``hint=false`` leaves the explanation out; ``simple=true`` asks plain questions instead,
without hints and anchors: the two baselines of the paper's study (4.3).

Variants: *faithful* is what the released parsers take from the same reply (a stray digit included);
*corrected* wants an integer in range under the score's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from editgauge.benchmarks.krisbench import plausibility
from editgauge.benchmarks.krisbench.facts import BY_NAME, EXPLAINED, HIGH, JUDGE, LOW
from editgauge.benchmarks.krisbench.replies import Script, released_pair, released_score
from editgauge.judging.protocol import VISIBLE, Call, Kind, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Shown, Track
from editgauge.types import Edit, Metric, Sample

MAX_TOKENS = 1000
SCALE = Range(LOW, HIGH)
NAMES = {"VC": "consistency", "VQ": "quality", "IF": "instruction", "KP": "knowledge"}
"""What a metric is called in replies: ``consistency_score``."""
_QUESTIONS = {
    "VC": "Is everything kept that the instruction does not ask to change?",
    "VQ": "Does the picture look real and free of faults?",
    "IF": "Is the instruction carried out?",
    "KP": "Is the result plausible by what is known about the world?",
}
"""The paper does not print the simple prompts of its study; these words are ours."""


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
    known = "knowledge" if sample.attributes.get("dimension") in EXPLAINED else "common"
    return kinds.get(task, known)


def wanted(sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
    names = ("VC", "VQ", "IF", "KP") if kind_of(sample) == "knowledge" else ("VC", "VQ", "IF")
    return tuple(BY_NAME[name] for name in names)


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]) -> Sequence[Call]:
    assert edit.path is not None
    kind, output = kind_of(sample), Picture(edit.path, "output")
    hint = bool(options.get("hint", True)) and sample.knowledge is not None
    words: dict[str, str | None] = {
        "instruction": fenced("instruction", sample.instruction),
        "explanation": fenced("explanation", (hint and sample.knowledge) or "not given"),
        "frame": str(frames_of(sample, output)[1]) if kind == "temporal" else None,
    }
    alone, shown = ("Picture:", output), _shown(sample, output, kind)
    if options.get("simple", False):
        metrics = [metric.name for metric in wanted(sample, options)]
        told = [
            {"question": _QUESTIONS[name], "instruction": words["instruction"]} for name in metrics
        ]
        return [
            call(name, rubrics.render("simple", **said), alone if name == "VQ" else shown, kind)
            for name, said in zip(metrics, told, strict=True)
        ]
    several = {"temporal": "_frames", "elements": "_elements"}.get(kind, "")
    end = several or {
        "anomaly": "_anomaly" if hint else "",
        "viewpoint": "_viewpoint" if sample.reference is not None else "",
        "knowledge": "_knowledge",
    }.get(kind, "")
    instruction = rubrics.render(f"instruction{end}", **words)
    seen = shown
    if end == "_viewpoint" and sample.reference is not None:
        seen = (*shown, "Wanted viewpoint:", Picture(sample.reference, "reference"))
    return (
        call("VC", rubrics.render(f"consistency{several}", **words), shown, kind),
        call("VQ", rubrics.render("quality", **words), alone, kind),
        call("IF+KP" if kind == "knowledge" else "IF", instruction, seen, kind),
    )


def call(name: str, rubric: tuple[str, str], shown: Shown, kind: str) -> Call:
    """One call of ours: `rubric` is its text and its hash."""
    text, mark = rubric
    return Call(
        name=name,
        parts=(text, *shown),
        rubric=mark,
        temperature=None,
        max_tokens=MAX_TOKENS,
        **answer(name, kind, str, VISIBLE),
    )


def answer(
    name: str, kind: str, reason: Kind, first: Mapping[str, Kind] | None = None
) -> dict[str, Any]:
    """What a reply to the call `name` (a metric, or IF+KP) holds and how it is read, as keywords of
    a `Call`: the same with our prompts and with the paper's.
    """
    if name == "IF+KP":
        reply: dict[str, Kind] = {}
        for half in ("instruction", "knowledge"):
            reply |= {f"{half}_reasoning": reason, f"{half}_score": SCALE}
        return {
            "reply": {**(first or {}), **reply},
            "metrics": {"instruction_score": "IF", "knowledge_score": "KP"},
            "rule": plausibility.strict,
            "released": joint_as_released,
        }
    scripts: dict[str, Script] = {"temporal": "several", "elements": "several"}
    script: Script = "knowledge" if kind == "knowledge" else scripts.get(kind, "common")
    field = f"{NAMES[name]}_score"
    return {
        "reply": {**(first or {}), "reasoning": reason, field: SCALE},
        "metrics": {field: name},
        "released": partial(as_released, NAMES[name], script),
    }


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


def _shown(sample: Sample, output: Picture, kind: str) -> Shown:
    """What is shown for a kind of task, labelled, with the output last or in its place."""
    parts: list[str | Picture] = []
    if kind == "temporal":
        for number, origin, picture in frames_of(sample, output)[0]:
            parts += [f"Frame {number} ({origin}):", picture]
        return tuple(parts)
    if kind == "elements":
        for number, path in enumerate(sample.images, start=1):
            parts += [f"Reference picture {number}:", Picture(path, f"reference {number}")]
        return (*parts, "Composed picture:", output)
    return ("Original:", Picture(sample.image, "input"), "Edited:", output)


def as_released(name: str, script: Script, reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from a reply for one score."""
    return {f"{name}_score": released_score(reply, name, script) if reply is not None else None}


def joint_as_released(reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from the joint reply, KP by the paper's rule."""
    pair = released_pair(reply) if reply is not None else (None, None)
    return {"instruction_score": pair[0], "knowledge_score": plausibility.released(*pair)}


JUDGING = Track(
    metrics=JUDGE,
    ask=ask,
    wanted=wanted,
    rubrics=(
        *("consistency", "consistency_frames", "consistency_elements", "quality", "instruction"),
        *("instruction_anomaly", "instruction_viewpoint", "instruction_knowledge"),
        *("instruction_frames", "instruction_elements", "simple"),
    ),
    options={"hint": ("true", "false"), "simple": ("true", "false")},
)

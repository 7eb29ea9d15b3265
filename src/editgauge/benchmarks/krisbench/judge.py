"""KRIS-Bench's judge (arXiv 2505.16707): what is asked, what its released scripts ask, and how they read
a reply.

Integers 1 to 5. Every sample has VQ (the output alone); VC and IF go by the kind of task; of
knowledge tasks IF and KP are one call with the explanation, and KP is 1 where IF is 1 or 2: asked
for in the rubric and enforced by rule in both variants. 1000 tokens, the server's own temperature,
files as they are. The released code never gives the explanation for anomalies because it tests for
another folder name; we give it in both variants, since the prompt and not the parser would differ.
The option ``hint=false`` leaves the explanation out (the paper's 4.3). *Faithful* is what the
released parsers take from the same reply (a stray digit included); *corrected* wants an integer in
range under the score's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from editgauge.benchmarks.krisbench.facts import BY_NAME, EXPLAINED, HIGH, JUDGE, LOW
from editgauge.judging.paper import ReleasedPrompts, Scripts, as_sent, pinned, sent
from editgauge.judging.protocol import (
    VISIBLE,
    Call,
    ChatMessage,
    Kind,
    Picture,
    Range,
    Rubrics,
    fenced,
)
from editgauge.judging.questions import Track
from editgauge.judging.reading import Reading
from editgauge.types import Edit, JsonMapping, JsonObject, Metric, Sample, Status

MAX_TOKENS = 1000
SCALE = Range(LOW, HIGH)
NAMES = {"VC": "consistency", "VQ": "quality", "IF": "instruction", "KP": "knowledge"}
"""What a metric is called in replies: ``consistency_score``."""
FAILED: Final = 2
"""IF up to this: the edit does not do what was asked."""
IMPLAUSIBLE: Final = 1
"""What KP is then: the lowest score."""
RULE: Final = "KP is 1 by rule where IF is 1 or 2 (paper, section 3.4)"
_KINDS = {
    "multi-element_composition": "elements",
    "viewpoint_change": "viewpoint",
    "anomaly_correction": "anomaly",
}
_LABELS = {
    "original": "Original:", "edited": "Edited:", "wanted": "Wanted viewpoint:",
    "frame": "Frame {frame_num} ({frame_type}):", "real": "real", "generated": "generated",
    "element": "Reference picture {idx}:", "composed": "Composed picture:",
}  # fmt: skip
"""What a picture is -> our label of it."""


def kind_of(sample: Sample) -> str:
    """common, anomaly, viewpoint, knowledge, temporal or elements."""
    task = str(sample.attributes.get("task", ""))
    if task.startswith("temporal_prediction"):
        return "temporal"
    known = "knowledge" if sample.attributes.get("dimension") in EXPLAINED else "common"
    return _KINDS.get(task, known)


def wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    known = kind_of(sample) == "knowledge"
    return tuple(metric for name, metric in BY_NAME.items() if known or name != "KP")


def seen(
    sample: Sample, output: Picture, kind: str, name: str, labels: Mapping[str, str]
) -> list[str | Picture]:
    """The pictures for the call `name`, each behind its label; the wanted viewpoint for IF alone."""
    parts: list[str | Picture] = []
    if kind == "temporal":
        for number, origin, picture in frames_of(sample, output)[0]:
            facts = {"frame_num": number, "frame_type": labels[origin]}
            parts += [labels["frame"].format(**facts), picture]
        return parts
    if kind == "elements":
        for number, path in enumerate(sample.images, start=1):
            picture = replace(output, path=path, name=f"reference {number}")
            parts += [labels["element"].format(idx=number), picture]
        return [*parts, labels["composed"], output]
    parts = [labels["original"], replace(output, path=sample.image, name="input")]
    parts += [labels["edited"], output]
    if kind == "viewpoint" and sample.reference is not None and name == "IF":
        parts += [labels["wanted"], replace(output, path=sample.reference, name="reference")]
    return parts


def frames_of(sample: Sample, output: Picture) -> tuple[list[tuple[int, str, Picture]], int]:
    """All frames in their order as (number, ``real`` or ``generated``, picture), and the number of
    the generated one.

    A sample whose frames are not known has the generated one last, as the released code does.
    """
    given = str(sample.attributes.get("frames", "")).split(",")
    numbers = [int(text) if text.isdigit() else 0 for text in given]
    if len(numbers) != len(sample.images) or 0 in numbers:
        numbers = list(range(1, len(sample.images) + 1))
    generated = int(sample.attributes.get("missing_frame", max(numbers) + 1))
    frames = [
        (number, "real", replace(output, path=path, name=f"frame {number}"))
        for number, path in zip(numbers, sample.images, strict=True)
    ]
    frames.append((generated, "generated", output))
    return sorted(frames, key=lambda frame: frame[0]), generated


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping) -> Sequence[Call]:
    """The calls with our prompts."""
    assert edit.path is not None
    kind, output = kind_of(sample), Picture(edit.path, "output")
    hint = explanation(sample, options)
    words: dict[str, str | None] = {
        "instruction": fenced("instruction", sample.instruction),
        "explanation": fenced("explanation", hint or "not given"),
        "frame": str(frames_of(sample, output)[1]) if kind == "temporal" else None,
    }
    calls = []
    for name, rubric in _rubrics(sample, kind, hint is not None):
        shown: list[str | Picture] = ["Picture:", output]
        if name != "VQ":
            shown = seen(sample, output, kind, name, _LABELS)
        text, mark = rubrics.render(rubric, **words)
        calls.append(
            Call(
                name=name,
                parts=(text, *shown),
                rubric=mark,
                temperature=None,
                max_tokens=MAX_TOKENS,
                **_answer(name, kind, str, VISIBLE),
            )
        )
    return calls


def explanation(sample: Sample, options: JsonMapping) -> str | None:
    """What the judge is told beside the instruction."""
    return sample.knowledge if options.get("hint", True) else None


def _rubrics(sample: Sample, kind: str, hint: bool) -> Iterator[tuple[str, str]]:
    """The calls of a sample, and the rubric of each."""
    several = {"temporal": "_frames", "elements": "_elements"}.get(kind, "")
    ends = {
        "anomaly": "_anomaly" if hint else "",
        "viewpoint": "_viewpoint" if sample.reference is not None else "",
        "knowledge": "_knowledge",
    }
    yield "VC", f"consistency{several}"
    yield "VQ", "quality"
    yield last_of(kind), f"instruction{several or ends.get(kind, '')}"


def last_of(kind: str) -> str:
    """The call about the instruction."""
    return "IF+KP" if kind == "knowledge" else "IF"


def _answer(
    name: str, kind: str, reason: Kind, first: Mapping[str, Kind] | None = None
) -> JsonObject:
    """What a reply to the call `name` (a metric, or IF+KP) holds, as keywords of a `Call`."""
    if name == "IF+KP":
        reply: dict[str, Kind] = {}
        for half in ("instruction", "knowledge"):
            reply |= {f"{half}_reasoning": reason, f"{half}_score": SCALE}
        return {
            "reply": {**(first or {}), **reply},
            "metrics": {"instruction_score": "IF", "knowledge_score": "KP"},
            "rule": plausible,
            "released": joint_as_released,
        }
    scripts: dict[str, Script] = {
        "temporal": "several", "elements": "several", "knowledge": "knowledge",
    }  # fmt: skip
    field = f"{NAMES[name]}_score"
    return {
        "reply": {**(first or {}), "reasoning": reason, field: SCALE},
        "metrics": {field: name},
        "released": partial(as_released, NAMES[name], scripts.get(kind, "common")),
    }


def plausible(readings: Mapping[str, Reading]) -> dict[str, Reading]:
    """The strict readings of the joint reply with the paper's rule applied: `RULE` where it decides.

    KP is 1, in both variants, whatever the judge gave for it, so that it is never left out.
    """
    settled = dict(readings)
    followed, known = readings["instruction_score"].value, readings["knowledge_score"].value
    if followed is not None and followed <= FAILED and known != IMPLAUSIBLE:
        settled["knowledge_score"] = Reading(IMPLAUSIBLE, Status.SCORED, RULE)
    return settled


JUDGING = Track(
    metrics=JUDGE,
    ask=ask,
    wanted=wanted,
    rubrics=(
        *("consistency", "consistency_frames", "consistency_elements", "quality", "instruction"),
        *("instruction_anomaly", "instruction_viewpoint", "instruction_knowledge"),
        *("instruction_frames", "instruction_elements"),
    ),
    options={"hint": ("true", "false")},
)


# -- what the released scripts ask -----------------------------------------------------------------

TEXTS = "utils/prompts.py"
_PAIR = "evaluate_with_gpt"


_SCRIPTS = {
    "common": ("metrics_common.py", "prompt_instruction_following"),
    "anomaly": ("metrics_common.py", "prompt_instruction_following"),
    "knowledge": ("metrics_knowledge.py", "prompt_dual_evaluation"),
    "viewpoint": ("metrics_view_change.py", "prompt_view_instruction_following"),
    "elements": ("metrics_multi_element.py", "prompt_instruction_multi"),
    "temporal": ("metrics_temporal_prediction.py", "prompt_instruction_temporal"),
}
"""Kind of task -> the script, and the constant with the words for IF."""
_BUILT = {
    "elements": (
        "evaluate_multi_element_with_gpt", "prompt_consist_multi", ("element", "composed"),
    ),
    "temporal": ("evaluate_temporal_with_gpt", "prompt_consist_temporal", ("frame",)),
}  # fmt: skip
"""What the others have otherwise: the function that builds the messages of VC and IF, the constant
with the words for VC, and what the labels in the function are for."""
_USUAL = _PAIR, "prompt_consist", ("original", "edited", "wanted")
TEMPORAL_JPEG = 85


def released_ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping
) -> Sequence[Call]:
    """One user message a call, every picture declared a JPEG, 1000 tokens, the server's own
    temperature. The script for frames writes every picture anew as a JPEG. The script for common
    tasks never sends the prompt for anomalies, because it tests for another folder name.
    """
    assert edit.path is not None
    kind = kind_of(sample)
    jpeg = TEMPORAL_JPEG if kind == "temporal" else 0
    output = Picture(edit.path, "output", mime="image/jpeg", jpeg=jpeg)
    words = {"instruct": sample.instruction, "explanation": explanation(sample, options) or ""}
    words["N"] = str(frames_of(sample, output)[1]) if kind == "temporal" else ""
    path, instruction = _SCRIPTS[kind]
    function, consistency, roles = _BUILT.get(kind, _USUAL)
    last, texts, script = last_of(kind), scripts[TEXTS], scripts[path]
    written = zip(roles, script.texts(function)[1:], strict=False)
    labels = {"real": "Reference", "generated": "Generated", **dict(written)}
    alone = script.texts(_PAIR)  # that of an edited picture is the last one but a reference's
    asked: dict[str, tuple[str | Picture, ...]] = {
        name: (texts.constant(constant).format(**words), *seen(sample, output, kind, name, labels))
        for name, constant in (("VC", consistency), (last, instruction))
    }
    asked["VQ"] = (texts.constant("prompt_quality"), alone[1 if len(alone) == 2 else 2], output)
    return [
        Call(
            name=name,
            messages=(ChatMessage("user", asked[name]),),
            rubric=scripts.fingerprint,
            **_answer(name, kind, object),
            **sent(script.parameters(_PAIR if name == "VQ" else function)),
        )
        for name in ("VC", "VQ", last)
    ]


PROMPTS = ReleasedPrompts(
    benchmark="krisbench",
    repository="nameoffly/Kris_Bench_output",
    files=pinned(__file__),
    track=as_sent(JUDGING, released_ask),
    note="the authors' repository has no file with the texts; this fork (Apache-2.0) has",
)


# -- how the released scripts read a reply ---------------------------------------------------------

Script = Literal["common", "knowledge", "several"]
"""Which released script: one picture; knowledge tasks; several pictures (temporal, multi-element).
"""
_FLAT = re.compile(r"\{[^{}]*+\}")
_ANY_DIGIT = (
    re.compile(r"([1-5])\s*+/\s*+5"),
    re.compile(r"([1-5])\s++out\s++of\s++5", re.IGNORECASE),
    re.compile(r"\b([1-5])\b"),
)


def as_released(name: str, script: Script, reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from a reply for one score."""
    return {f"{name}_score": released_score(reply, name, script) if reply is not None else None}


def joint_as_released(reply: str | None) -> Mapping[str, float | None]:
    """What the released script takes from the joint reply, KP by the paper's rule."""
    followed, known = released_pair(reply) if reply is not None else (None, None)
    if followed is not None and followed <= FAILED:
        known = IMPLAUSIBLE
    return {"instruction_score": followed, "knowledge_score": known}


def released_score(reply: str, name: str, script: Script = "common") -> int | None:
    """The integer that the released code takes from a reply for ``<name>_score``, or None when it
    takes none.

    It looks for the first flat ``{…}`` that mentions the score's name and is JSON (``int()`` of
    whatever it holds: ``4.6`` becomes 4, 7 and 0 pass), then for ``name: n``, ``n/5``, ``n out of
    5``, and then for **any** digit from 1 to 5 standing alone. `name` is ``consistency``,
    ``instruction`` or ``quality``. The script for knowledge tasks gives up at ``null`` where the
    others go on, and wants a colon after the name; the ones for several pictures do not look for
    the name outside of JSON.
    """
    data = _flat_object(reply, f"{name}_score")
    if data is not None:
        (value,) = data
        if value is not None or script == "knowledge":
            return value
    named = [] if script == "several" else [_named(name, colon_needed=script == "knowledge")]
    matches = (pattern.search(reply) for pattern in (*named, *_ANY_DIGIT))
    return next((int(match[1]) for match in matches if match), None)


def released_pair(reply: str) -> tuple[int | None, int | None]:
    """The same for the joint reply: instruction and knowledge score."""
    data = _flat_object(reply, "instruction_score", "knowledge_score")
    if data is not None:
        return data[0], data[1]
    matches = [
        _named(name, colon_needed=True).search(reply) for name in ("instruction", "knowledge")
    ]
    first, second = (int(match[1]) if match else None for match in matches)
    return first, second


def _flat_object(reply: str, *keys: str) -> list[int | None] | None:
    """The values of the first flat ``{…}`` with the first key, as the released code converts."""
    block = next((one[0] for one in _FLAT.finditer(reply) if keys[0] in one[0]), None)
    if block is None:
        return None
    try:
        data = json.loads(block)
        return [None if data.get(key) is None else int(data[key]) for key in keys]
    except (ValueError, TypeError, OverflowError, AttributeError):
        return None


def _named(name: str, *, colon_needed: bool) -> re.Pattern[str]:
    """``name score: n``; possessive blanks keep a long run of them cheap and match the same."""
    colon = r"[:：]\s*+" if colon_needed else r"(?:[:：]\s*+)?"
    return re.compile(rf"{name}[_\s]*+score\s*+{colon}([1-5])", re.IGNORECASE)

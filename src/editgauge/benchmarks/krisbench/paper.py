"""KRIS-Bench's released requests (arXiv 2505.16707, appendix). See `judging.paper`: the words are
the authors' and are fetched by the user.

As released: one user message, every picture declared a JPEG, 1000 tokens, the server's own
temperature. The script for frames writes every picture anew as a JPEG. The script for common tasks
never sends the prompt for anomalies, because it tests for another folder name; the option
``anomaly_hint=true`` sends it, as the paper describes. The option ``hint=false`` gives the
knowledge prompts no explanation (the paper's 4.3 without hints).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from editgauge.benchmarks.krisbench.judge import JUDGING, answer, frames_of, kind_of
from editgauge.judging.paper import ReleasedPrompts, ScriptFile, Scripts, sent
from editgauge.judging.protocol import Call, ChatMessage, Picture, Rubrics
from editgauge.judging.questions import Track
from editgauge.types import Edit, Sample

TEXTS = "utils/prompts.py"
_PAIR = "evaluate_with_gpt"
_SCRIPTS: Mapping[str, tuple[str, str]] = {
    "common": ("metrics_common.py", _PAIR),
    "anomaly": ("metrics_common.py", _PAIR),
    "knowledge": ("metrics_knowledge.py", _PAIR),
    "viewpoint": ("metrics_view_change.py", _PAIR),
    "elements": ("metrics_multi_element.py", "evaluate_multi_element_with_gpt"),
    "temporal": ("metrics_temporal_prediction.py", "evaluate_temporal_with_gpt"),
}
"""Kind of task -> the script, and the function that builds the messages of VC and IF."""
_ENDS = {"elements": "_multi", "temporal": "_temporal"}
_INSTRUCTIONS = {
    "knowledge": "prompt_dual_evaluation",
    "viewpoint": "prompt_view_instruction_following",
    "elements": "prompt_instruction_multi",
    "temporal": "prompt_instruction_temporal",
}
"""Kind of task -> the constant with the words for IF."""
TEMPORAL_JPEG = 85
_FRAMES = {"real": "Reference", "generated": "Generated"}
JPEG = "image/jpeg"


def ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
) -> Sequence[Call]:
    assert edit.path is not None
    kind = kind_of(sample)
    jpeg = TEMPORAL_JPEG if kind == "temporal" else 0
    output = Picture(edit.path, "output", mime=JPEG, jpeg=jpeg)
    words = {
        "instruct": sample.instruction,
        "explanation": (sample.knowledge if options.get("hint", True) else None) or "",
        "N": str(frames_of(sample, output)[1]) if kind == "temporal" else "",
    }
    consistency = f"prompt_consist{_ENDS.get(kind, '')}"
    instruction = _INSTRUCTIONS.get(kind, "prompt_instruction_following")
    if kind == "anomaly" and options.get("anomaly_hint", False) and sample.knowledge:
        instruction = "prompt_abnormal_instruction_following"
    last = "IF+KP" if kind == "knowledge" else "IF"
    asked = (("VC", consistency), ("VQ", "prompt_quality"), (last, instruction))
    calls = []
    for name, constant in asked:
        text = scripts[TEXTS].constant(constant)
        if name != "VQ":  # the scripts send this one as it is
            text = text.format(**words)
        path, function = _SCRIPTS[kind]
        function = _PAIR if name == "VQ" else function
        script = scripts[path]
        parts = _alone(script.texts(function), output)
        if name != "VQ":
            parts = _shown(script.texts(function), sample, output, kind, name)
        calls.append(
            Call(
                name=name,
                messages=(ChatMessage("user", (text, *parts)),),
                rubric=scripts.fingerprint,
                **answer(name, kind, object),
                **sent(script.parameters(function)),
            )
        )
    return calls


def _alone(texts: Sequence[str], output: Picture) -> list[str | Picture]:
    """The output alone; the label of an edited picture is the last one but that of a reference."""
    label = texts[1] if len(texts) == 2 else texts[2]
    return [label, output]


def _shown(
    texts: Sequence[str], sample: Sample, output: Picture, kind: str, name: str
) -> list[str | Picture]:
    """The labels, which follow the prompt in `texts`, with their pictures."""
    parts: list[str | Picture] = []
    if kind == "temporal":
        for number, origin, picture in frames_of(sample, output)[0]:
            label = texts[1].format(frame_num=number, frame_type=_FRAMES[origin])
            parts += [label, replace(picture, mime=JPEG, jpeg=TEMPORAL_JPEG)]
        return parts
    if kind == "elements":
        for number, path in enumerate(sample.images, start=1):
            picture = Picture(path, f"reference {number}", mime=JPEG)
            parts += [texts[1].format(idx=number), picture]
        return [*parts, texts[2], output]
    parts = [texts[1], Picture(sample.image, "input", mime=JPEG), texts[2], output]
    if kind == "viewpoint" and name == "IF" and sample.reference is not None:
        parts += [texts[3], Picture(sample.reference, "reference", mime=JPEG)]
    return parts


def track(scripts: Scripts) -> Track:
    """The track that sends the released requests."""
    options = {"anomaly_hint": ("true", "false"), "hint": ("true", "false")}
    return replace(JUDGING, ask=partial(ask, scripts), rubrics=(), options=options)


_TEXTS_COMMIT = "75e89ed59fad130fdf3ca85abb113ba7ce6a6fed"
_COMMIT = "d362849d4a594e37507a8b2d13756132bad018e3"
PROMPTS = ReleasedPrompts(
    benchmark="krisbench",
    repository="nameoffly/Kris_Bench_output",
    files=tuple(
        ScriptFile(path=path, commit=_TEXTS_COMMIT if path == TEXTS else _COMMIT, sha256=digest)
        for path, digest in (
            (TEXTS, "91d8df0de247b7d1a4288d3c6bee5955863d838988453e418ec14c5a0e396420"),
            (
                "metrics_common.py",
                "e57d558f9a6f29dd63c323869773f5006d7ba7bd8f31ba115ed6ca7316d206ec",
            ),
            (
                "metrics_knowledge.py",
                "2458d0c4ff36d32487a93f6169b937366b2f88041e84f2f4a136a9dff9587fb4",
            ),
            (
                "metrics_multi_element.py",
                "31711ceb1b6a2f10b79f82a3c947ebb23510abb862c7f753045c6a985749530d",
            ),
            (
                "metrics_temporal_prediction.py",
                "a7b6f0663191d19864bdd8c0aec20d354afddb2d1a960a6d150a42d44cac0aa3",
            ),
            (
                "metrics_view_change.py",
                "4c5a8afdb5aa590adb0f06a8d596178a1694103dfe310cb455357d6867134375",
            ),
        )
    ),
    track=track,
    note="the authors' repository has no file with the texts; this fork (Apache-2.0) has",
)

"""MedEBench's judge (arXiv 2506.01921): what is asked, what its released script asks, and how it reads a
reply.

One call: rubric with the change description (**D**: ``EA``, ``VQ``, ``Context``) or with the prompt
(**P**: ``EA_P``…; the option ``text`` is ``D``, ``P``, or ``DP`` for both), then input, reference,
output. The reply: the list of differences, then three integers 0 to 10; the third is the paper's
Table 3's, the CP of Table 2 is the masked SSIM. Temperature is the server's own. *Faithful* reads
the lines that ``--prompts paper`` asks for as the script does (fractions pass, one unreadable score
drops all); *corrected* wants the last three lines with integers in range, as both do of our object.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from editgauge.benchmarks.medebench.facts import HIGH, JUDGE, LOW
from editgauge.judging.paper import ReleasedPrompts, Scripts, as_sent, pinned, sent
from editgauge.judging.protocol import VISIBLE, Call, ChatMessage, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Track
from editgauge.types import Edit, JsonMapping, Metric, Sample

MAX_TOKENS = 1500
"""Room for the list of differences, which the paper's lines do without."""
NAMES = ("Editing Accuracy", "Visual Quality", "Contextual Preservation")
"""The third is the paper's Table 3, not its CP."""
SCORES = dict.fromkeys(NAMES, Range(LOW, HIGH))


def wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    return tuple(metric for kind in kinds_of(options) for metric in JUDGE[kind])


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping) -> Sequence[Call]:
    """A sample without a change description has no D call."""
    assert edit.path is not None
    shown: list[str | Picture] = ["Input:", Picture(sample.image, "input")]
    if sample.reference is not None:
        shown += ["Reference, the intended result:", Picture(sample.reference, "reference")]
    shown += ["Edited picture:", Picture(edit.path, "output")]
    calls = []
    for kind, text in _texts(sample, options):
        name = "description of the change" if kind == "D" else "instruction"
        rubric, mark = rubrics.render("accuracy_quality", wanted=fenced(name, text))
        calls.append(
            Call(
                name=f"EA+VQ {kind}",
                parts=(rubric, *shown),
                reply={**VISIBLE, "differences": str, **SCORES},
                metrics=_metrics(kind),
                rubric=mark,
                temperature=None,
                max_tokens=MAX_TOKENS,
            )
        )
    return calls


def kinds_of(options: JsonMapping) -> tuple[str, ...]:
    """``D`` (change description), ``P`` (prompt) or both, from the option ``text``."""
    return tuple(str(options.get("text", "D")))


def _texts(sample: Sample, options: JsonMapping) -> list[tuple[str, str]]:
    """The kinds of call that a sample has, each with the words for what is wanted."""
    words = {"D": sample.change, "P": sample.instruction}
    return [(kind, text) for kind in kinds_of(options) if (text := words[kind])]


def _metrics(kind: str) -> dict[str, str]:
    """The numbers of the reply, and the metrics that they give."""
    return dict(zip(NAMES, (metric.name for metric in JUDGE[kind]), strict=True))


JUDGING = Track(
    metrics=(*JUDGE["D"], *JUDGE["P"]),
    ask=ask,
    wanted=wanted,
    rubrics=("accuracy_quality",),
    options={"text": ("D", "P", "DP")},
)


# -- what the released script asks -----------------------------------------------------------------

SCRIPT = "src/eval_metrics/evaluate_gpt4o.py"


def released_wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    """A sample without a reference is not asked: the script cannot."""
    return wanted(sample, options) if sample.reference is not None else ()


def released_ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping
) -> Sequence[Call]:
    """Five user messages (wanted edit; input; reference; output; the two steps), every picture
    declared a JPEG, 400 tokens, the server's own temperature; by the change description, or by the
    instruction (option ``text=P``).
    """
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
            metrics=_metrics(kind),
            rubric=scripts.fingerprint,
            lines=True,
            released=released_scores,
            **sent(script.parameters("evaluate_sample")),
        )
        for kind, text in _texts(sample, options)
    ]


PROMPTS = ReleasedPrompts(
    benchmark="medebench",
    repository="mliuby/MedEBench",
    files=pinned(__file__),
    track=as_sent(JUDGING, released_ask, wanted=released_wanted),
)


# -- how the released script reads a reply ---------------------------------------------------------


def released_scores(reply: str | None) -> dict[str, float | None]:
    """The numbers that the released code takes from a reply, all None unless each has one.

    Every line that holds a score's name is cut at its first colon and then at the first slash; what
    lies between is the score if it is a number. The last such line wins; -1 is none.
    """
    accuracy, quality, context = NAMES
    asked = (accuracy, context, quality)  # in the order in which the script looks for them
    scores: dict[str, float | None] = dict.fromkeys(asked)
    for line in (reply or "").split("\n"):
        name = next((one for one in asked if one in line), None)
        if name is not None and (number := _number(line)) is not None:
            scores[name] = number
    complete = all(value not in (None, -1) for value in scores.values())
    return scores if complete else dict.fromkeys(asked)


def _number(line: str) -> float | None:
    parts = line.split(":")
    try:
        value = float(parts[1].split("/")[0].strip())
    except (ValueError, IndexError):
        return None
    return value if math.isfinite(value) else None

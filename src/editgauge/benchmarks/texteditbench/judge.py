"""TextEditBench's judge (arXiv 2512.16270): what is asked, what its released scripts ask, and how they
read a reply.

Five calls a sample (four without a knowledge prompt), integers 0 to 5: the rubric as system message,
temperature 0, 500 tokens, files as they are. The reference is shown in the synthetic split only.
The kind of operation is told in all five calls there, and in IF alone in the real split, as the two
released scripts do. *Faithful* records 0 for a call that failed and a reply that is no JSON, and
nothing for JSON without the keys, as the split's script does; *corrected* says why there is none.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from functools import partial

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, HIGH, JUDGE, LOW
from editgauge.judging.paper import ReleasedPrompts, Scripts, as_sent, pinned, sent
from editgauge.judging.protocol import VISIBLE, Call, ChatMessage, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Track
from editgauge.types import Edit, JsonMapping, JsonObject, Metric, Sample

MAX_TOKENS = 500


def wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    return tuple(metric for metric in JUDGE if metric.name != "SE" or sample.knowledge)


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping) -> Sequence[Call]:
    """The calls with our prompts."""
    labels = ("Original picture:", "Result of the editor:", "Reference, one perfect result:")
    pairs = zip(labels, _pictures(sample, edit), strict=False)
    shown = [part for pair in pairs for part in pair]
    reference = "yes" if sample.reference is not None else None
    calls = []
    for name in (metric.name for metric in wanted(sample, options)):
        with_operation = "yes" if name == "IF" or sample.split == "synthetic" else None
        system, mark = rubrics.render(name, reference=reference, operation=with_operation)
        words = [fenced("instruction", sample.instruction)]
        if with_operation:
            operation = str(sample.attributes.get("operation") or "not stated")
            words.append(fenced("kind of operation", operation))
        if name == "SE":
            words.append(fenced("linked expectation", sample.knowledge or ""))
        calls.append(
            Call(
                name=name,
                system=system,
                parts=("\n\n".join(words), *shown),
                rubric=mark,
                max_tokens=MAX_TOKENS,
                **_answer(name, reference is not None, VISIBLE),
            )
        )
    return calls


def _pictures(sample: Sample, edit: Edit, mime: str = "") -> list[Picture]:
    """Input, output and, where there is one, the reference."""
    paths = {"input": sample.image, "output": edit.path, "reference": sample.reference}
    return [Picture(path, name, mime=mime) for name, path in paths.items() if path is not None]


def _answer(name: str, with_reference: bool, first: JsonMapping | None = None) -> JsonObject:
    """What a reply about one dimension holds and how it is read, as keywords of a `Call`."""
    return {
        "reply": {**(first or {}), "rationale": str, name: Range(LOW, HIGH)},
        "metrics": {name: name},
        "released": partial(as_released, name, with_reference=with_reference),
    }


JUDGING = Track(metrics=JUDGE, ask=ask, wanted=wanted, rubrics=DIMENSIONS)


# -- what the released scripts ask -----------------------------------------------------------------

WITH = "evaluation/gpt_eval.py"
WITHOUT = "evaluation/gpt_eval_no_refer.py"
_FUNCTION = "call_llm_evaluation"


def released_wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    """SE is asked where the record spells the key ``knowledge_prompt`` right."""
    known = sample.knowledge and "knowledge_key" not in sample.attributes
    return tuple(metric for metric in JUDGE if metric.name != "SE" or known)


def released_ask(
    scripts: Scripts, sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping
) -> Sequence[Call]:
    """Five calls, a system message and one user message each, every picture declared a JPEG; the
    kind of operation is told as the record writes it.
    """
    shown = _pictures(sample, edit, "image/jpeg")
    with_reference = len(shown) == 3
    script = scripts[WITH if with_reference else WITHOUT]
    instruction, method, knowledge, *labels, ending = script.texts(_FUNCTION)
    labelled = [part for pair in zip(labels, shown, strict=True) for part in pair]
    attributes = sample.attributes
    operation = attributes.get("operation_written", attributes.get("operation", ""))
    calls = []
    for name in (metric.name for metric in released_wanted(sample, options)):
        words = [instruction.format(prompt=sample.instruction)]
        if operation and (with_reference or name == "IF"):
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
                **_answer(name, with_reference),
                **sent(script.parameters(_FUNCTION)),
            )
        )
    return calls


PROMPTS = ReleasedPrompts(
    benchmark="texteditbench",
    repository="CSU-JPG/TextEditBench",
    files=pinned(__file__),
    track=as_sent(JUDGING, released_ask, wanted=released_wanted),
)


# -- how the released scripts read a reply ---------------------------------------------------------

FAILED_SCORE = 0.0
"""What the released scripts record, and average in, when a call or its JSON failed."""
_BRACES = re.compile(r"\{+|\}+")


def as_released(
    name: str, reply: str | None, *, with_reference: bool = False
) -> dict[str, float | None]:
    """What the released script of the split (`with_reference`: the synthetic one) records."""
    return {name: released_score(reply, name, with_reference=with_reference)}


def released_score(
    reply: str | None, dimension: str, *, with_reference: bool = False
) -> float | None:
    """The number that the released code records and averages for one dimension.

    The script for the synthetic split (`with_reference`) cuts from the first ``{`` to the *last*
    ``}``; the one for the real split leaves out a thinking block's tags and cuts the first balanced
    ``{…}``. `FAILED_SCORE` for None (the call failed) and for what is no JSON; None for JSON
    without the dimension's name and ``rationale``, and for a value that the released average leaves
    out or stops at. Other numbers are recorded as they are.
    """
    if reply is None:
        return FAILED_SCORE
    text = reply.strip()
    if not with_reference:
        text = text.replace("<think>", "").replace("</think>", "")
    text = text.replace("```json", "").replace("```", "").strip()
    try:
        data = json.loads(_outermost(text) if with_reference else _first_block(text))
        there = dimension in data and "rationale" in data
    except (ValueError, TypeError, RecursionError):
        return FAILED_SCORE
    if not there or not isinstance(data, dict):
        return None  # a text that holds both words is recorded, and left out of the average
    try:
        value = float(data[dimension])
    except (ValueError, TypeError, OverflowError):
        return None  # left out of the average, or the released average stops at it
    return value if math.isfinite(value) else None


def _outermost(text: str) -> str:
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if start != -1 and end != -1 else text


def _first_block(text: str) -> str:
    """The first balanced block; the whole text where none is balanced."""
    start, depth = text.find("{"), 0
    for run in _BRACES.finditer(text, max(start, 0)) if start >= 0 else ():
        count = run.end() - run.start()
        if run[0][0] == "{":
            depth += count
        elif count >= depth:
            return text[start : run.start() + depth]
        else:
            depth -= count
    return text

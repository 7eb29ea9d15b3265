"""TextEditBench's judge track: what is asked, in which order, with which parameters (arXiv
2512.16270).

======  ====================================  =========================================================
call    question, integer 0 to 5              texts and pictures, in this order
======  ====================================  =========================================================
IF      only the requested operation          instruction, kind of operation; input, output, [reference]
TA      the text's content                    instruction, [kind]; input, output, [reference]
VC      visual integration                    instruction, [kind]; input, output, [reference]
LP      what was not to change                instruction, [kind]; input, output, [reference]
SE      linked expectations                   instruction, [kind], expectation; input, output, [reference]
======  ====================================  =========================================================

Five calls a sample (four without a knowledge prompt), the rubric as system message, temperature 0,
500 tokens, files as they are. The reference is shown in the synthetic split only; the real split
has none, and its rubrics do not speak of one. The option ``reference=False`` leaves it out
everywhere. The kind of operation is told in all five calls of the synthetic split, and in IF alone
in the real split, as the two released scripts do.

Variants: *faithful* records 0 for a call that failed and a reply that is no JSON, and nothing for
JSON without the keys, as the split's released script does; *corrected* says unparsable, refused or failed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, HIGH, JUDGE, LOW
from editgauge.benchmarks.texteditbench.replies import released_score
from editgauge.judging.protocol import VISIBLE, Call, Picture, Range, Rubrics, fenced
from editgauge.judging.questions import Track
from editgauge.types import Edit, Metric, Sample

MAX_TOKENS = 500


def wanted(sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
    return tuple(metric for metric in JUDGE if metric.name != "SE" or sample.knowledge)


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]) -> Sequence[Call]:
    assert edit.path is not None
    reference = sample.reference if options.get("reference", True) else None
    shown: list[str | Picture] = ["Original picture:", Picture(sample.image, "input")]
    shown += ["Result of the editor:", Picture(edit.path, "output")]
    if reference is not None:
        shown += ["Reference, one perfect result:", Picture(reference, "reference")]
    calls = []
    for name in (metric.name for metric in wanted(sample, options)):
        told = name == "IF" or sample.split == "synthetic"
        system, mark = rubrics.render(
            name, reference="yes" if reference else None, operation="yes" if told else None
        )
        words = [fenced("instruction", sample.instruction)]
        if told:
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
                **answer(name, reference is not None, VISIBLE),
            )
        )
    return calls


def answer(
    name: str, with_reference: bool, first: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What a reply about one dimension holds and how it is read, as keywords of a `Call`."""
    return {
        "reply": {**(first or {}), "rationale": str, name: Range(LOW, HIGH)},
        "metrics": {name: name},
        "released": partial(as_released, name, with_reference=with_reference),
    }


def as_released(
    name: str, reply: str | None, *, with_reference: bool = False
) -> dict[str, float | None]:
    """What the released script of the split (`with_reference`: the synthetic one) records for one
    dimension.
    """
    return {name: released_score(reply, name, with_reference=with_reference)}


JUDGING = Track(
    metrics=JUDGE,
    ask=ask,
    wanted=wanted,
    rubrics=DIMENSIONS,
    options={"reference": ("true", "false")},
)

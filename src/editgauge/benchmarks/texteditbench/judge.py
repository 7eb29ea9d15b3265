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
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, HIGH, LOW
from editgauge.benchmarks.texteditbench.metrics import JUDGE
from editgauge.benchmarks.texteditbench.replies import released_score
from editgauge.judging.protocol import VISIBLE, Call, Kind, Picture, Range, Rubrics, fenced
from editgauge.types import Edit, Metric, Sample

MAX_TOKENS = 500


@dataclass(frozen=True, slots=True)
class TextEditBenchJudging:
    """See the module. Options: ``reference`` (default True)."""

    metrics: tuple[Metric, ...] = JUDGE
    version: str = "1"
    options: ClassVar[Mapping[str, tuple[str, ...]]] = {"reference": ("true", "false")}

    def rubric_names(self) -> Sequence[str]:
        return DIMENSIONS

    def reply(self, name: str) -> dict[str, Kind]:
        """The reply about one dimension, without what only our own prompts ask for."""
        return {"rationale": str, name: Range(LOW, HIGH)}

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        return tuple(m for m in JUDGE if m.name != "SE" or sample.knowledge)

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        if edit.path is None:
            return ()
        reference = sample.reference if options.get("reference", True) else None
        pictures: list[str | Picture] = ["Original picture:", Picture(sample.image, "input")]
        pictures += ["Result of the editor:", Picture(edit.path, "output")]
        if reference is not None:
            pictures += ["Reference, one perfect result:", Picture(reference, "reference")]
        calls = []
        for metric in self.metrics_for(sample, options):
            name = metric.name
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
                    parts=("\n\n".join(words), *pictures),
                    reply={**VISIBLE, **self.reply(name)},
                    metrics={name: name},
                    rubric=mark,
                    released=partial(as_released, name, with_reference=reference is not None),
                    max_tokens=MAX_TOKENS,
                )
            )
        return calls


def as_released(
    name: str, reply: str | None, *, with_reference: bool = False
) -> dict[str, float | None]:
    """What the released script of the split (`with_reference`: the synthetic one) records for one
    dimension.
    """
    return {name: released_score(reply, name, with_reference=with_reference)}


JUDGING = TextEditBenchJudging()

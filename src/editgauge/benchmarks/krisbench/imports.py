"""Reads the scores that KRIS-Bench's released script wrote: ``metrics.json`` below
``<model>/<category>/``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from editgauge.benchmarks.krisbench.plausibility import FAILED, IMPLAUSIBLE, REASON
from editgauge.errors import DataError
from editgauge.judging.answers import Reading
from editgauge.judging.imports import ReleasedScore, read_json, wrong_format
from editgauge.types import Sample, Status


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """``<model>/<category>/metrics.json`` = {id: {"consistency_score": 4, "consistency_reasoning":
    …}}.

    `path` is the file, the model's folder, or the results' folder.
    """
    files = [path] if path.is_file() else sorted(path.rglob("metrics.json"))
    if not files:
        raise DataError(f"{path}: wanted <model>/<category>/metrics.json, found none")
    names = {"consistency": "VC", "quality": "VQ", "instruction": "IF", "knowledge": "KP"}
    for file in files:
        value = read_json(file)
        if not isinstance(value, dict):
            raise wrong_format(file, '{id: {"consistency_score": n}}', value)
        category, model = file.parent.name, editor or file.parent.parent.name
        for number, scores in value.items():
            for name, metric in names.items():
                if not isinstance(scores, dict) or f"{name}_score" not in scores:
                    continue
                score = scores[f"{name}_score"]
                failed = "the released script has no score" if score is None else ""
                said = str(scores.get(f"{name}_reasoning") or "")
                found = ReleasedScore(model, f"{category}/{number}", metric, score, said, failed)
                yield _settled(found, scores) if metric == "KP" else found


def _settled(found: ReleasedScore, scores: Mapping[str, Any]) -> ReleasedScore:
    """A KP by the paper's rule: 1 beside an IF of 1 or 2. A number that the file has there stays
    what the released script recorded, in the faithful variant.
    """
    followed = scores.get("instruction_score")
    if not isinstance(followed, int | float) or followed > FAILED:
        return found
    settled = replace(found, strict=Reading(IMPLAUSIBLE, Status.SCORED, REASON))
    return replace(settled, value=IMPLAUSIBLE, failed="") if found.value is None else settled

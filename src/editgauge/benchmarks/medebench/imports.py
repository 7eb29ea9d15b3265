"""Reads the scores that MedEBench's released script wrote: ``gpt4o_detailed_scores.json``, all
models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from editgauge.scoring.imports import ReleasedScore, read_json, wrong_format
from editgauge.types import Sample


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """{model: {id: {"gpt4o_editing_accuracy_detailed": 7.0, …}}}; -1 is a failure."""
    value = read_json(path)
    if not isinstance(value, dict) or not all(isinstance(inner, dict) for inner in value.values()):
        raise wrong_format(path, '{model: {id: {"gpt4o_editing_accuracy_detailed": n}}}', value)
    names = {"editing_accuracy_detailed": "EA", "visual_quality_detailed": "VQ",
             "contextual_preservation_detailed": "Context",
             "editing_accuracy": "EA_P", "visual_quality": "VQ_P",
             "contextual_preservation": "Context_P"}  # fmt: skip
    for model, entries in value.items():
        if editor is not None and model != editor:
            continue
        for sample, scores in entries.items():
            for key, score in (scores if isinstance(scores, dict) else {}).items():
                metric = names.get(str(key).removeprefix("gpt4o_"))
                if metric is not None:
                    failed = "the released script recorded -1" if score in (-1, -1.0, None) else ""
                    yield ReleasedScore(str(model), str(sample), metric, score, "", failed)

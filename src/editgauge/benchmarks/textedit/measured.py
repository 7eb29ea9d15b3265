"""Reads what TextEdit's released ``classic_metrics_eval.py`` wrote: ``<model>.json`` with the OCR,
CLIP and aesthetic scores of every sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from editgauge.benchmarks.textedit.imports import category_of
from editgauge.scoring.imports import ReleasedScore, read_json, wrong_format
from editgauge.types import Sample

_METRICS = {
    "ocr_accuracy": "OA",
    "ocr_precision": "OP",
    "ocr_recall": "OR",
    "ocr_f1": "F1",
    "ned_score": "NED",
    "clip_score": "CLIP",
    "aesthetic_score": "AES",
}
"""The script's name of a score -> ours."""
_WANTED = '{"summary_by_model": {MODEL: {"Virtual": {"detailed_results": […]}, "Real": …}}}'


def classic(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """The samples of both groups. A sample is its category, which is the folder of its original
    picture's path, and its id.
    """
    del known
    value = read_json(path)
    models = value.get("summary_by_model") if isinstance(value, dict) else None
    if not isinstance(models, dict):
        raise wrong_format(path, _WANTED, value)
    for model, groups in models.items():
        for group in groups.values() if isinstance(groups, dict) else [groups]:
            entries = group.get("detailed_results") if isinstance(group, dict) else None
            if not isinstance(entries, list):
                raise wrong_format(path, _WANTED, group)
            for entry in entries:
                yield from _entry(path, editor or str(model), entry)


def _entry(path: Path, model: str, entry: Any) -> Iterator[ReleasedScore]:
    scores = entry.get("score") if isinstance(entry, dict) else None
    if not isinstance(scores, dict):
        raise wrong_format(path, 'entries {"id", "path", "score"}', entry)
    for name, metric in _METRICS.items():
        if name in scores:
            yield ReleasedScore(
                editor=model,
                sample=f"{_category(entry)}/{entry.get('id')}",
                metric=metric,
                value=scores[name],
                script="classic_metrics_eval.py",
            )


def _category(entry: Mapping[str, Any]) -> str:
    """The category in the original picture's path, or in the edited one's: both have it."""
    paths = entry.get("path")
    if not isinstance(paths, dict):
        return ""
    pictures = (str(paths.get(name) or "") for name in ("original_image", "edited_image"))
    return next(filter(None, map(category_of, pictures)), "")

"""Reads the answers that TextEdit's released script wrote: JSON lines or a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from editgauge.benchmarks.textedit.facts import QUESTIONS
from editgauge.judging.imports import Found, read_lines, wrong_format
from editgauge.types import Sample


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[Found]:
    """Lines or a list of {"id", "category" or "original_image", "score": {"Q1": 5, …} or null,
    "reason"}.
    """
    files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
    for file in files:
        for entry in read_lines(file):
            if not isinstance(entry, dict) or "score" not in entry:
                raise wrong_format(file, 'entries {"id", "category", "score", "reason"}', entry)
            category = str(
                entry.get("category")
                or str(entry.get("original_image", "")).lstrip("./").split("/")[0]
            )
            sample = f"{category}/{entry.get('id')}"
            scores = entry["score"] if isinstance(entry["score"], dict) else {}
            said = entry.get("reason")
            for name in QUESTIONS:
                failed = "" if name in scores else "the released script has no answer"
                yield Found(
                    editor or path.stem, sample, name, scores.get(name), str(said or ""), failed
                )

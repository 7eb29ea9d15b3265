"""Reads the answers that TextEdit's released scripts wrote.

The first step writes a folder a model with a file of JSON lines a category; its entries hold
``gemini_eval_score``, ``gemini_eval_reason``, ``gemini_raw_response`` and
``path.original_image``. Collected answers with ``category`` (or ``original_image``), ``score`` and
``reason`` are read as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from editgauge.benchmarks.textedit.facts import QUESTIONS
from editgauge.benchmarks.textedit.judge import SCORES
from editgauge.judging.protocol import Call
from editgauge.judging.reading import read as read_reply
from editgauge.scoring.imports import ReleasedScore, read_lines, wrong_format
from editgauge.types import Sample

_FAILED = "the released script has no answer"
_SCORE = ("gemini_eval_score", "score")
_REASON = ("gemini_eval_reason", "reason")
_ASKED = Call(name="Q", parts=(), reply={"score": SCORES, "reason": object}, metrics={}, rubric="")


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """``<model>/<category>.jsonl``, such a folder's parent, or one file.

    Faithful is what the file says; corrected reads the raw reply again where the file has it.
    """
    files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
    if not files:
        raise wrong_format(path, "files <model>/<category>.jsonl", "an empty folder")
    for file in files:
        model = editor or (path.stem if path == file else file.parent.name)
        for entry in read_lines(file):
            if not isinstance(entry, dict) or not any(name in entry for name in _SCORE):
                raise wrong_format(file, f'entries {{"id", "{_SCORE[0]}"}}', entry)
            yield from _entry(model, entry, file)


def _entry(model: str, entry: Mapping[str, Any], file: Path) -> Iterator[ReleasedScore]:
    sample = f"{_category(entry, file)}/{entry.get('id')}"
    scores, reasons = _first(entry, _SCORE), _first(entry, _REASON)
    reply = entry.get("gemini_raw_response")
    readings = read_reply(_ASKED, reply).readings if isinstance(reply, str) else None
    for name in QUESTIONS:
        said = reasons.get(name) if isinstance(reasons, dict) else reasons
        there = isinstance(scores, dict) and name in scores
        yield ReleasedScore(
            model,
            sample,
            name,
            scores[name] if isinstance(scores, dict) and there else None,
            str(said or ""),
            "" if there else _FAILED,
            strict=readings[name] if readings is not None else None,
        )


def _category(entry: Mapping[str, Any], file: Path) -> str:
    """The category of an entry: its own word, a folder of its picture, or the file's name."""
    paths = entry.get("path")
    picture = (paths if isinstance(paths, dict) else entry).get("original_image")
    return str(entry.get("category") or "") or category_of(str(picture or "")) or file.stem


def category_of(picture: str) -> str:
    """The folder of a picture's path that is a category's number, the innermost one:
    ``…/1.1.1/image/original/x.jpg``; "" where none is.
    """
    for part in reversed(picture.replace("\\", "/").split("/")[:-1]):
        numbers = part.split(".")
        if len(numbers) in (2, 3) and all(each.isdigit() for each in numbers):
            return part
    return ""


def _first(entry: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((entry[name] for name in names if name in entry), None)

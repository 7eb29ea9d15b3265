"""Reads the scores that TextEditBench's released script wrote: ``<model>.json``, one split."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from editgauge.errors import DataError
from editgauge.judging.imports import FAILED_WORDS, Found, read_json, wrong_format
from editgauge.types import Sample


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[Found]:
    """A list of {"task_id", "category", "evaluation_results": {"IF": {"IF": 4, "rationale": …}}};
    ids repeat between splits, so `known` must be the samples of the file's split.
    """
    value = read_json(path)
    if not isinstance(value, list):
        raise wrong_format(path, 'a list of {"task_id", "category", "evaluation_results"}', value)
    by_place: dict[tuple[str, str], list[str]] = {}
    for sample in known.values():
        folder, number = sample.id.split("/")[-2:]
        for task in (str(sample.attributes.get("task_id", number)), number, number.lstrip("0")):
            by_place.setdefault((_bare(folder), task), []).append(sample.id)
    for entry in value:
        if not isinstance(entry, dict) or not isinstance(entry.get("evaluation_results"), dict):
            raise wrong_format(path, 'entries with "evaluation_results"', entry)
        task, category = str(entry.get("task_id", "")), _bare(str(entry.get("category", "")))
        places = list(
            dict.fromkeys(
                by_place.get((category, task), []) or by_place.get((category, _last(task)), [])
            )
        )
        if len(places) > 1:
            raise DataError(
                f"{path.name}: task {task!r} of {category!r} is in both splits; give --split with "
                f"the file"
            )
        place = places[0] if places else f"{entry.get('category')}/{task}"
        for name, result in entry["evaluation_results"].items():
            result = result if isinstance(result, dict) else {}
            said = str(result.get("rationale") or "")
            failed = said if said.lower().startswith(FAILED_WORDS) else ""
            if not result:
                failed = "the released script recorded nothing"
            yield Found(editor or path.stem, place, name, result.get(name), said, failed, 0.0)


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum()).replace(
        "digtial", "digital"
    )


def _last(task: str) -> str:
    digits = "".join(letter if letter.isdigit() else " " for letter in task).split()
    return digits[-1].lstrip("0") if digits else task

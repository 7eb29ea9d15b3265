"""Reads the scores that TextEditBench's released scripts wrote: ``<model>.json``, one split.

An entry is found by its full record id (``task_id``) in its topic's folder. Ids repeat between the
splits, so the file's split is the one that has all of its entries. An id that is not known is
looked for by the number at its end, in the same folder. What then still fits several samples is
refused by name and not guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from editgauge.benchmarks.texteditbench.facts import DIMENSIONS
from editgauge.scoring.imports import ReleasedScore, is_failure, read_json, wrong_format
from editgauge.types import Sample

NO_KEYS = "the released script found no score and no rationale in three replies"


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """A list of {"task_id", "category", "evaluation_results": {"IF": {"IF": 4, "rationale": …}}}.

    As the released summary reads it: a result may be a bare number, a score may be a text that is a
    number, null is left out (of SE without a word, where the sample has no knowledge prompt: it was
    not asked). A failed call (its rationale begins with ``API Error``) is recorded as
    0, which the faithful variant keeps.
    """
    value = read_json(path)
    entries = value.get("tasks") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise wrong_format(path, 'a list of {"task_id", "category", "evaluation_results"}', value)
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("evaluation_results"), dict):
            raise wrong_format(path, 'entries with "evaluation_results"', entry)
    places = _places(entries, known)
    for entry, place in zip(entries, places, strict=True):
        model = editor or str(entry.get("model") or path.stem)
        for name, result in entry["evaluation_results"].items():
            asked = name != "SE" or place not in known or known[place].knowledge
            if name in DIMENSIONS and (asked or result is not None):
                yield _found(model, place, name, result)


def _found(model: str, place: str, name: str, result: Any) -> ReleasedScore:
    if result is None:  # three replies without the keys: the summary leaves it out
        return ReleasedScore(model, place, name, None, failed=NO_KEYS)
    if not isinstance(result, dict):
        return ReleasedScore(model, place, name, _number(result))
    value = _number(result.get(name, result.get("score")))
    said = str(result.get("rationale") or "")
    if is_failure(said):
        return ReleasedScore(model, place, name, value, said, said, 0.0)
    if value is None:
        return ReleasedScore(model, place, name, None, said, NO_KEYS)
    return ReleasedScore(model, place, name, value, said)


def _number(value: Any) -> Any:
    """A text that is a number as that number, as the released summary takes it."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


def _places(entries: Sequence[Mapping[str, Any]], known: Mapping[str, Sample]) -> list[str]:
    """The sample of each entry; a name that no sample has where there is none, or more than one."""
    by_record: dict[tuple[str, str], list[Sample]] = {}
    by_number: dict[tuple[str, str], list[Sample]] = {}
    for sample in known.values():
        folder, number = sample.id.split("/")[-2:]
        record = str(sample.attributes.get("record_id", ""))
        by_record.setdefault((bare(folder), record), []).append(sample)
        by_number.setdefault((bare(folder), number.lstrip("0")), []).append(sample)
    fitting = []
    for entry in entries:
        task, category = str(entry.get("task_id", "")), bare(str(entry.get("category", "")))
        fitting.append(
            by_record.get((category, task)) or by_number.get((category, _last(task)), [])
        )
    split = _split(fitting)
    found = []
    for entry, samples in zip(entries, fitting, strict=True):
        if split is not None:
            samples = [sample for sample in samples if sample.split == split] or samples
        name = f"{entry.get('category')}/{entry.get('task_id')}"
        if len(samples) == 1:
            found.append(samples[0].id)
        elif samples:
            found.append(f"{name} (fits {', '.join(sample.id for sample in samples)})")
        else:
            found.append(name)
    return found


def _split(fitting: Sequence[Sequence[Sample]]) -> str | None:
    """The only split that has a sample for every entry that is known at all; None where there are
    several.
    """
    splits: set[str] | None = None
    for samples in fitting:
        if samples:
            here = {sample.split for sample in samples}
            splits = here if splits is None else splits & here
    return next(iter(splits)) if splits and len(splits) == 1 else None


def bare(name: str) -> str:
    """A topic's folder as its scripts may write it: letters and digits, a known misspelling mended."""
    return "".join(letter for letter in name.lower() if letter.isalnum()).replace(
        "digtial", "digital"
    )


def _last(task: str) -> str:
    digits = "".join(letter if letter.isdigit() else " " for letter in task).split()
    return digits[-1].lstrip("0") if digits else task

"""Scores that the released scripts wrote, taken in as rows: money that was spent before is not
lost.

Four formats: TextEditBench ``<model>.json`` (one split), TextEdit's answers (JSON lines or a list),
MedEBench's ``gpt4o_detailed_scores.json`` (all models), KRIS-Bench's ``metrics.json`` below
``<model>/<category>/``. The files hold scores and reasons but no replies, so the rows say
*imported* in their source and cannot be read again. Faithful rows have the number as it is in the
file, recorded failures as the released summaries count them; corrected rows have an integer in
range or the reason why there is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import DataError
from editgauge.store.run_folder import RunFolder, digest
from editgauge.types import Row, Sample, Status, Variant

SCORER = "judge"
FAILED_WORDS = ("json parsing failed", "api call failed")


@dataclass(frozen=True, slots=True)
class Found:
    """One score in a file: the editor, sample and metric it is about, the value as written, and
    what was said.
    """

    editor: str
    sample: str
    metric: str
    value: Any
    rationale: str = ""
    failed: str = ""
    """Why the released script had no score (it wrote 0 or -1), empty where it had one."""
    recorded: float | None = None
    """What the released summary counts for such a failure: 0 for TextEditBench, nothing elsewhere.
    """


@dataclass(slots=True)
class Imported:
    """What an import did: rows written, rows that were there, entries about samples that are not in
    the data.
    """

    rows: int = 0
    kept: int = 0
    unknown: list[str] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)


RANGES: Mapping[str, tuple[int, int]] = {
    "texteditbench": (0, 5),
    "textedit": (1, 5),
    "medebench": (0, 10),
    "krisbench": (1, 5),
}


def import_scores(
    run: RunFolder,
    benchmark: str,
    path: Path,
    samples: Sequence[Sample],
    *,
    judge: str,
    editor: str | None = None,
) -> Imported:
    """Take the scores of a released script's file or folder into the run as rows of the judge
    `judge`.

    `editor` names the model where the file does not. A score about a sample that `samples` has not
    is reported and left out. Importing the same file again changes nothing. Raises `DataError` when
    the file is not of this benchmark's format, naming what was wanted.
    """
    if benchmark not in READERS:
        raise DataError(
            f"{benchmark}: no released judge format is known; there are: {', '.join(READERS)}"
        )
    known = {sample.id: sample for sample in samples}
    done = run.done(benchmark, [SCORER])
    result = Imported()
    source = f"{judge}#imported"
    rows: list[Row] = []
    seen: dict[tuple[str, str, str], Any] = {}
    for found in READERS[benchmark](path, known, editor):
        if found.sample not in known:
            result.unknown.append(f"{found.editor}: {found.sample}")
            continue
        key = (found.editor, found.sample, found.metric)
        if seen.setdefault(key, found.value) != found.value:
            raise DataError(
                f"{path.name}: {found.sample} has two values of {found.metric}; remove one of the "
                f"entries"
            )
        for row in _rows(benchmark, found, source):
            if row.fingerprint in done.get(row.key, {}):
                result.kept += 1
            else:
                rows.append(row)
            result.statuses[row.status.value] += 1
    unique = {(row.key, row.fingerprint): row for row in rows}
    with run.writer("judge-import") as writer:
        result.rows = writer.write(unique.values())
    return result


def _rows(benchmark: str, found: Found, source: str) -> Iterator[Row]:
    low, high = RANGES[benchmark]
    mark = digest("import-1", found.editor, found.sample, found.metric, found.value, found.failed)
    detail = {"rationale": found.rationale[:1000]} if found.rationale else {}
    origin = {"imported": True, "judge": source.partition("#")[0]}
    number = _number(found.value)
    good = number is not None and number.is_integer() and low <= number <= high and not found.failed
    corrected: tuple[float | None, Status, str] = (number, Status.SCORED, "")
    if found.failed:
        corrected = (None, Status.FAILED, found.failed)
    elif not good:
        corrected = (
            None,
            Status.UNPARSABLE,
            f"not an integer from {low} to {high}: {str(found.value)[:40]}",
        )
    faithful: tuple[float | None, Status, str] = (number, Status.SCORED, "")
    if found.failed and found.recorded is not None:
        faithful = (
            found.recorded,
            Status.SCORED,
            f"as the released summary counts it: {found.failed}",
        )
    elif found.failed:
        faithful = (None, Status.FAILED, found.failed)
    elif number is None:
        faithful = (None, Status.UNPARSABLE, f"no number: {str(found.value)[:40]}")
    variants: tuple[tuple[Variant, tuple[float | None, Status, str]], ...] = (
        ("faithful", faithful),
        ("corrected", corrected),
    )
    for variant, (value, status, reason) in variants:
        yield Row(
            benchmark,
            found.sample,
            found.editor,
            SCORER,
            found.metric,
            variant,
            value,
            status,
            reason,
            mark,
            source,
            0,
            detail,
            origin,
        )


# --- the four formats ---------------------------------------------------------------------------


def _texteditbench(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[Found]:
    """A list of {"task_id", "category", "evaluation_results": {"IF": {"IF": 4, "rationale": …}}};
    ids repeat between splits, so `known` must be the samples of the file's split.
    """
    value = _load(path)
    if not isinstance(value, list):
        raise _format(path, 'a list of {"task_id", "category", "evaluation_results"}', value)
    by_place: dict[tuple[str, str], list[str]] = {}
    for sample in known.values():
        folder, number = sample.id.split("/")[-2:]
        for task in (str(sample.attributes.get("task_id", number)), number, number.lstrip("0")):
            by_place.setdefault((_bare(folder), task), []).append(sample.id)
    for entry in value:
        if not isinstance(entry, dict) or not isinstance(entry.get("evaluation_results"), dict):
            raise _format(path, 'entries with "evaluation_results"', entry)
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


def _textedit(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[Found]:
    """Lines or a list of {"id", "category" or "original_image", "score": {"Q1": 5, …} or null,
    "reason"}.
    """
    files = sorted(path.rglob("*.json*")) if path.is_dir() else [path]
    for file in files:
        for entry in _lines(file):
            if not isinstance(entry, dict) or "score" not in entry:
                raise _format(file, 'entries {"id", "category", "score", "reason"}', entry)
            category = str(
                entry.get("category")
                or str(entry.get("original_image", "")).lstrip("./").split("/")[0]
            )
            sample = f"{category}/{entry.get('id')}"
            scores = entry["score"] if isinstance(entry["score"], dict) else {}
            said = entry.get("reason")
            for name in ("Q1", "Q2", "Q3", "Q4", "Q5"):
                failed = "" if name in scores else "the released script has no answer"
                yield Found(
                    editor or path.stem, sample, name, scores.get(name), str(said or ""), failed
                )


def _medebench(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[Found]:
    """{model: {id: {"gpt4o_editing_accuracy_detailed": 7.0, …}}}; -1 is a failure."""
    value = _load(path)
    if not isinstance(value, dict) or not all(isinstance(inner, dict) for inner in value.values()):
        raise _format(path, '{model: {id: {"gpt4o_editing_accuracy_detailed": n}}}', value)
    names = {"editing_accuracy_detailed": "EA", "visual_quality_detailed": "VQ",
             "editing_accuracy": "EA_P", "visual_quality": "VQ_P"}  # fmt: skip
    for model, entries in value.items():
        if editor is not None and model != editor:
            continue
        for sample, scores in entries.items():
            for key, score in (scores if isinstance(scores, dict) else {}).items():
                metric = names.get(str(key).removeprefix("gpt4o_"))
                if metric is not None:
                    failed = "the released script recorded -1" if score in (-1, -1.0, None) else ""
                    yield Found(str(model), str(sample), metric, score, "", failed)


def _krisbench(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[Found]:
    """``<model>/<category>/metrics.json`` = {id: {"consistency_score": 4, "consistency_reasoning":
    …}}.

    `path` is the file, the model's folder, or the results' folder.
    """
    files = [path] if path.is_file() else sorted(path.rglob("metrics.json"))
    if not files:
        raise DataError(f"{path}: wanted <model>/<category>/metrics.json, found none")
    names = {"consistency": "VC", "quality": "VQ", "instruction": "IF", "knowledge": "KP"}
    for file in files:
        value = _load(file)
        if not isinstance(value, dict):
            raise _format(file, '{id: {"consistency_score": n}}', value)
        category, model = file.parent.name, editor or file.parent.parent.name
        for number, scores in value.items():
            for name, metric in names.items():
                if not isinstance(scores, dict) or f"{name}_score" not in scores:
                    continue
                score = scores[f"{name}_score"]
                failed = "the released script has no score" if score is None else ""
                said = str(scores.get(f"{name}_reasoning") or "")
                yield Found(model, f"{category}/{number}", metric, score, said, failed)


READERS: Mapping[str, Callable[[Path, Mapping[str, Sample], str | None], Iterator[Found]]] = {
    "texteditbench": _texteditbench,
    "textedit": _textedit,
    "medebench": _medebench,
    "krisbench": _krisbench,
}


def _load(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{path}: cannot be read as JSON ({error})") from error


def _lines(path: Path) -> list[Any]:
    try:
        data = path.read_bytes()
        value = orjson.loads(data) if data.lstrip()[:1] == b"[" else [
            orjson.loads(line) for line in data.splitlines() if line.strip()
        ]  # fmt: skip
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{path}: cannot be read as JSON lines ({error})") from error
    return value if isinstance(value, list) else [value]


def _format(path: Path, wanted: str, found: Any) -> DataError:
    return DataError(f"{path}: wanted {wanted}, found {type(found).__name__} {str(found)[:60]!r}")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e9 else None


def _bare(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum()).replace(
        "digtial", "digital"
    )


def _last(task: str) -> str:
    digits = "".join(letter if letter.isdigit() else " " for letter in task).split()
    return digits[-1].lstrip("0") if digits else task

"""Reads judges' scores of KRIS-Bench: ``metrics.json`` below ``<model>/<category>/`` as the released
script wrote it, and the logged samples of lmms-eval's task ``kris_bench``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from editgauge.benchmarks.krisbench.judge import FAILED, IMPLAUSIBLE, RULE
from editgauge.errors import DataError
from editgauge.scoring.imports import ReleasedScore, read_json, read_lines, wrong_format
from editgauge.types import Sample, Status

NAMES = {"consistency": "VC", "quality": "VQ", "instruction": "IF", "knowledge": "KP"}
"""What a dimension is called in files -> our metric."""
_TASK = "kris_bench"


def read(path: Path, known: Mapping[str, Sample], editor: str | None) -> Iterator[ReleasedScore]:
    """``<model>/<category>/metrics.json`` = {id: {"consistency_score": 4, "consistency_reasoning":
    …}}.

    `path` is the file, the model's folder, or the results' folder.
    """
    files = [path] if path.is_file() else sorted(path.rglob("metrics.json"))
    if not files:
        raise DataError(f"{path}: wanted <model>/<category>/metrics.json, found none")
    for file in files:
        value = read_json(file)
        if not isinstance(value, dict):
            raise wrong_format(file, '{id: {"consistency_score": n}}', value)
        category, model = file.parent.name, editor or file.parent.parent.name
        for number, scores in value.items():
            for name, metric in NAMES.items():
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
    settled = replace(found, strict=(IMPLAUSIBLE, Status.SCORED, RULE))
    return replace(settled, value=IMPLAUSIBLE, failed="") if found.value is None else settled


def read_lmms_eval(
    path: Path, known: Mapping[str, Sample], editor: str | None
) -> Iterator[ReleasedScore]:
    """``<model>/<date>_samples_kris_bench.jsonl``, which lmms-eval 0.7 writes with
    ``--log_samples``: a line for each sample, in it ``kris_bench_<dimension>_score`` =
    ``{"category", "image_id", "score", "reasoning", "valid"}``. A score that is not valid stands as
    -1 there; of a sample without knowledge KP is not valid and not wanted.

    `path` is the file, or the model's folder with one such file.
    """
    files = [path] if path.is_file() else sorted(path.rglob(f"*_samples_{_TASK}.jsonl"))
    if len(files) != 1 or files[0].suffix != ".jsonl":
        raise DataError(f"{path}: wanted one file *_samples_{_TASK}.jsonl, found {len(files)}")
    model = editor or files[0].parent.name
    for line in read_lines(files[0]):
        if not isinstance(line, dict) or f"{_TASK}_instruction_score" not in line:
            raise wrong_format(files[0], f'lines {{"{_TASK}_instruction_score": …}}', line)
        numbers = {name: _logged(line, name, files[0]) for name in NAMES}
        good = {name: entry for name, entry in numbers.items() if entry.get("valid") is True}
        scores = {f"{name}_score": entry.get("score") for name, entry in good.items()}
        for name, metric in NAMES.items():
            entry = numbers[name]
            sample = f"{entry.get('category')}/{entry.get('image_id')}"
            valid = name in good
            wanted = sample in known and known[sample].knowledge is not None
            if not entry or (metric == "KP" and not valid and not wanted):
                continue
            said = str(entry.get("reasoning") or "")
            failed = "" if valid else "lmms-eval has no score"
            value = entry.get("score") if valid else None
            found = ReleasedScore(model, sample, metric, value, said, failed)
            yield _settled(found, scores) if metric == "KP" else found


def _logged(line: Mapping[str, Any], name: str, path: Path) -> Mapping[str, Any]:
    """What lmms-eval logged of one dimension; empty where it has none."""
    entry = line.get(f"{_TASK}_{name}_score", {})
    if not isinstance(entry, dict):
        raise wrong_format(path, f'"{_TASK}_{name}_score": {{"score": n}}', entry)
    return entry

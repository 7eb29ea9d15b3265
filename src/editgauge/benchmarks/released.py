"""What the released scripts of the four benchmarks wrote, read as `scoring.imports.ReleasedScore`s.

Each function is a `scoring.imports.Reader`: it takes a file (or a folder, where it says so), the
samples by id, and the editor's name where the user gave one, and raises `DataError` for a file of
another format. A sample that cannot be told apart from others is refused by name and not guessed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from editgauge.benchmarks.textedit.facts import HIGH, LOW, QUESTIONS
from editgauge.benchmarks.texteditbench.facts import DIMENSIONS
from editgauge.errors import DataError
from editgauge.scoring.imports import (
    ReleasedScore,
    is_failure,
    read_json,
    read_lines,
    wrong_format,
)
from editgauge.types import Sample, Status

Known = Mapping[str, Sample]
Scores = Iterator[ReleasedScore]


# -- TextEditBench ---------------------------------------------------------------------------------

_SIMILARITY = {"ssim": "ssim_similarity_outside_mask", "lpips": "lpips_similarity_outside_mask"}


def texteditbench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>.json``, one split: a list of {"task_id", "category", "evaluation_results": {"IF":
    {"IF": 4, "rationale": …}}}.

    As the released summary reads it: a result may be a bare number, a score may be a text that is a
    number, null is left out (of SE without a word, where the sample has no knowledge prompt: it was
    not asked). A failed call (its rationale begins with ``API Error``) is recorded as 0, which the
    faithful variant keeps.
    """
    value = read_json(path)
    entries = value.get("tasks") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise wrong_format(path, 'a list of {"task_id", "category", "evaluation_results"}', value)
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("evaluation_results"), dict):
            raise wrong_format(path, 'entries with "evaluation_results"', entry)
    places = _meant([(entry.get("category"), entry.get("task_id")) for entry in entries], known)
    for entry, place in zip(entries, places, strict=True):
        model = editor or str(entry.get("model") or path.stem)
        for name, result in entry["evaluation_results"].items():
            asked = name != "SE" or place not in known or known[place].knowledge
            if name in DIMENSIONS and (asked or result is not None):
                yield _judged(model, place, name, result)


def _judged(model: str, place: str, name: str, result: Any) -> ReleasedScore:
    if not isinstance(result, dict | None):
        return ReleasedScore(model, place, name, _as_number(result))
    result = result or {}
    value = _as_number(result.get(name, result.get("score")))
    said = str(result.get("rationale") or "")
    if is_failure(said):
        return ReleasedScore(model, place, name, value, said, said, 0.0)
    lacking = "the released script found no score and no rationale in three replies"
    return ReleasedScore(model, place, name, value, said, lacking if value is None else "")


def _as_number(value: Any) -> Any:
    """A text that is a number as that number, as the released summary takes it."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def texteditbench_similarity(path: Path, known: Known, editor: str | None) -> Scores:
    """``lipis_ssim.py``: a list of {"topic", "id", "ssim_similarity_outside_mask", …}, of one
    model. A null is a sample that the script could not score (another size).
    """
    value = read_json(path)
    if not isinstance(value, list):
        raise wrong_format(path, 'a list of {"topic", "id", "ssim_similarity_outside_mask"}', value)
    yield from _measured(path, value, "topic", _SIMILARITY, "lipis_ssim.py", known, editor)


def texteditbench_error(path: Path, known: Known, editor: str | None) -> Scores:
    """``mse_psnr.py``: {"summary", "details": [{"id", "filename", "mse", "psnr"}]}, of one model and
    one topic, which the file does not name: its path may.
    """
    value = read_json(path)
    details = value.get("details") if isinstance(value, dict) else None
    if not isinstance(details, list):
        raise wrong_format(path, '{"details": [{"id", "mse", "psnr"}]}', value)
    keys = {"mse": "mse", "psnr": "psnr"}
    yield from _measured(path, details, "", keys, "mse_psnr.py", known, editor)


def _measured(
    path: Path, entries: Sequence[Any], topic: str, keys: Mapping[str, str], script: str,
    known: Known, editor: str | None,
) -> Scores:  # fmt: skip
    """The values under `keys` (metric -> key) of entries with an ``id`` and, under `topic`, a topic."""
    for entry in entries:
        if not isinstance(entry, dict) or not set(keys.values()) & set(entry):
            raise wrong_format(path, f'entries {{"id", "{next(iter(keys.values()))}"}}', entry)
    places = _meant([(entry.get(topic), entry.get("id")) for entry in entries], known, path)
    for entry, place in zip(entries, places, strict=True):
        for metric in filter(lambda name: keys[name] in entry, keys):
            value = entry[keys[metric]]
            yield ReleasedScore(editor or path.stem, place, metric, value, script=script)


def _meant(named: Sequence[tuple[Any, Any]], known: Known, path: Path = Path()) -> list[str]:
    """The sample of each topic and id; where there is none, or more than one, what to say of it.

    An id is a record's, or it ends in the number of a folder. Where it fits several samples, the
    path of the file may name the topic and then the split; else the file's split is the one that
    has all of its entries.
    """
    places: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in known.values():
        record = str(sample.attributes.get("record_id", ""))
        for topic in ("", _topic(sample)):
            for name in {record, _number(sample.id)}:
                places[topic, name].append(sample)
    fitting = []
    for topic, name in named:
        here, text = bare(str(topic or "")), str(name or "")
        fitting.append(places.get((here, text)) or places.get((here, _number(text)), []))
    fitting = [_named_by(path, samples) for samples in fitting]
    splits = [{sample.split for sample in samples} for samples in fitting if samples]
    common = set.intersection(*splits) if splits else set()
    if len(common) == 1:
        fitting = [[s for s in some if s.split in common] or some for some in fitting]
    return [
        samples[0].id if len(samples) == 1 else _unclear(topic, name, samples)
        for (topic, name), samples in zip(named, fitting, strict=True)
    ]


def _unclear(topic: Any, name: Any, samples: Sequence[Sample]) -> str:
    told = "/".join(str(word) for word in (topic, name) if word)
    if not samples:
        return told
    some = ", ".join(sample.id for sample in samples[:3])
    return f"{told} (fits {some}{' …' if len(samples) > 3 else ''}: narrow the samples to one split or topic)"


def _named_by(path: Path, samples: list[Sample]) -> list[Sample]:
    """Of several samples those whose topic, then those whose split a file's path names."""
    text = "/".join(path.with_suffix("").parts[-3:]).lower() if path.name else ""
    if len(samples) > 1:
        samples = [one for one in samples if _topic(one) in bare(text)] or samples
    if len(samples) > 1:
        words = re.split("[/_]", text)
        samples = [s for s in samples if s.output_stems[0].split("/")[0] in words] or samples
    return samples


def _topic(sample: Sample) -> str:
    """The folder of a sample's topic, bare."""
    return bare("".join(sample.id.split("/")[-2:][:1]))


def bare(name: str) -> str:
    """A topic's folder as its scripts may write it: letters and digits, a known misspelling mended."""
    letters = "".join(letter for letter in name.lower() if letter.isalnum())
    return letters.replace("digtial", "digital")


def _number(name: str) -> str:
    """The last number in a name, without leading zeros; the name where there is none."""
    digits = re.findall(r"\d+", name)
    return (digits[-1].lstrip("0") or "0") if digits else name


# -- TextEdit --------------------------------------------------------------------------------------

_SCORE = ("gemini_eval_score", "score")
_REASON = ("gemini_eval_reason", "reason")
_CLASSIC = {
    "ocr_accuracy": "OA",
    "ocr_precision": "OP",
    "ocr_recall": "OR",
    "ocr_f1": "F1",
    "ned_score": "NED",
    "clip_score": "CLIP",
    "aesthetic_score": "AES",
}
"""The script's name of a score -> ours."""
_GROUPS = '{"summary_by_model": {MODEL: {"Virtual": {"detailed_results": […]}, "Real": …}}}'


def textedit_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """The first step's answers: ``<model>/<category>.jsonl``, such a folder's parent, or one file;
    lines hold ``gemini_eval_score``, ``gemini_eval_reason``, ``gemini_raw_response`` and
    ``path.original_image``. Collected answers with ``category`` (or ``original_image``), ``score``
    and ``reason`` are read as well.

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
            category = str(entry.get("category") or "") or _category(entry) or file.stem
            yield from _answers(model, f"{category}/{entry.get('id')}", entry)


def _answers(model: str, sample: str, entry: Mapping[str, Any]) -> Scores:
    from editgauge.judging.protocol import Call, Range
    from editgauge.judging.reading import read as read_reply

    scores, reasons = (
        next((entry[name] for name in names if name in entry), None) for names in (_SCORE, _REASON)
    )
    scores = scores if isinstance(scores, dict) else {}
    readings: Mapping[str, Any] = {}
    if isinstance(reply := entry.get("gemini_raw_response"), str):
        ranges = dict.fromkeys(QUESTIONS, Range(LOW, HIGH))
        form: dict[str, Any] = {"score": ranges, "reason": object}
        call = Call(name="Q", parts=(), reply=form, metrics={}, rubric="")
        readings = read_reply(call, reply).readings
    for name in QUESTIONS:
        said = reasons.get(name) if isinstance(reasons, dict) else reasons
        yield ReleasedScore(
            model,
            sample,
            name,
            scores.get(name),
            str(said or ""),
            "" if name in scores else "the released script has no answer",
            strict=readings.get(name),
        )


def textedit_classic(path: Path, known: Known, editor: str | None) -> Scores:
    """``classic_metrics_eval.py``: ``<model>.json`` with the OCR, CLIP and aesthetic scores of every
    sample of both groups.
    """
    value = read_json(path)
    models = value.get("summary_by_model") if isinstance(value, dict) else None
    if not isinstance(models, dict):
        raise wrong_format(path, _GROUPS, value)
    for model, groups in models.items():
        for group in groups.values() if isinstance(groups, dict) else [groups]:
            entries = group.get("detailed_results") if isinstance(group, dict) else None
            if not isinstance(entries, list):
                raise wrong_format(path, _GROUPS, group)
            for entry in entries:
                scores = entry.get("score") if isinstance(entry, dict) else None
                if not isinstance(scores, dict):
                    raise wrong_format(path, 'entries {"id", "path", "score"}', entry)
                sample, maker = f"{_category(entry)}/{entry.get('id')}", editor or str(model)
                for name in filter(scores.__contains__, _CLASSIC):
                    script = "classic_metrics_eval.py"
                    yield ReleasedScore(maker, sample, _CLASSIC[name], scores[name], script=script)


def _category(entry: Mapping[str, Any]) -> str:
    """The innermost folder in the path of an entry's pictures that is a category's number:
    ``…/1.1.1/image/original/x.jpg``; "" where there is none.
    """
    paths = entry.get("path")
    named = paths if isinstance(paths, dict) else entry
    for key in ("original_image", "edited_image"):
        folders = str(named.get(key) or "").replace("\\", "/").split("/")[:-1]
        for folder in reversed(folders):
            if re.fullmatch(r"\d+\.\d+(\.\d+)?", folder):
                return folder
    return ""


# -- MedEBench -------------------------------------------------------------------------------------

_MEDICAL = {
    "editing_accuracy": "EA", "visual_quality": "VQ", "contextual_preservation": "Context",
}  # fmt: skip


def medebench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``gpt4o_detailed_scores.json``, all models: {model: {id: {"gpt4o_editing_accuracy_detailed":
    7.0, …}}}; without ``_detailed`` it was judged by the prompt. -1 is a failure.
    """
    value = read_json(path)
    if not isinstance(value, dict) or not all(isinstance(inner, dict) for inner in value.values()):
        raise wrong_format(path, '{model: {id: {"gpt4o_editing_accuracy_detailed": n}}}', value)
    for model, entries in value.items():
        for sample, scores in entries.items() if editor in (None, model) else ():
            for key, score in (scores if isinstance(scores, dict) else {}).items():
                name, detailed = str(key).removeprefix("gpt4o_"), str(key).endswith("_detailed")
                metric = _MEDICAL.get(name.removesuffix("_detailed"))
                if metric is not None:
                    failed = "the released script recorded -1" if score in (-1, None) else ""
                    named = metric if detailed else f"{metric}_P"
                    yield ReleasedScore(str(model), str(sample), named, score, "", failed)


# -- KRIS-Bench ------------------------------------------------------------------------------------

_KRIS = {"consistency": "VC", "quality": "VQ", "instruction": "IF", "knowledge": "KP"}
"""What a dimension is called in files -> our metric."""
_TASK = "kris_bench"


def krisbench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>/<category>/metrics.json`` = {id: {"consistency_score": 4, "consistency_reasoning":
    …}}: the file, the model's folder, or the results' folder.
    """
    files = [path] if path.is_file() else sorted(path.rglob("metrics.json"))
    if not files:
        raise DataError(f"{path}: wanted <model>/<category>/metrics.json, found none")
    for file in files:
        value = read_json(file)
        if not isinstance(value, dict):
            raise wrong_format(file, '{id: {"consistency_score": n}}', value)
        model = editor or file.parent.parent.name
        for number, scores in value.items():
            for name, metric in _KRIS.items():
                if not isinstance(scores, dict) or f"{name}_score" not in scores:
                    continue
                score, said = scores[f"{name}_score"], str(scores.get(f"{name}_reasoning") or "")
                failed = "the released script has no score" if score is None else ""
                place = f"{file.parent.name}/{number}"
                found = ReleasedScore(model, place, metric, score, said, failed)
                yield _plausible(found, scores.get("instruction_score"))


def krisbench_lmms_eval(path: Path, known: Known, editor: str | None) -> Scores:
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
        logged = {name: line.get(f"{_TASK}_{name}_score", {}) for name in _KRIS}
        for name, entry in logged.items():
            if not isinstance(entry, dict):
                raise wrong_format(files[0], f'"{_TASK}_{name}_score": {{"score": n}}', entry)
        followed = logged["instruction"]
        for name, entry in logged.items():
            sample, valid = f"{entry.get('category')}/{entry.get('image_id')}", _valid(entry)
            wanted = sample in known and known[sample].knowledge is not None
            if not entry or (name == "knowledge" and not valid and not wanted):
                continue
            value, failed = (entry.get("score"), "") if valid else (None, "lmms-eval has no score")
            said = str(entry.get("reasoning") or "")
            found = ReleasedScore(model, sample, _KRIS[name], value, said, failed)
            yield _plausible(found, followed.get("score") if _valid(followed) else None)


def _valid(entry: Mapping[str, Any]) -> bool:
    return entry.get("valid") is True


def _plausible(found: ReleasedScore, followed: Any) -> ReleasedScore:
    """A KP by the paper's rule: 1 beside an IF of 1 or 2. A number that the file has there stays
    what the released script recorded, in the faithful variant.
    """
    from editgauge.benchmarks.krisbench.judge import FAILED, IMPLAUSIBLE, RULE

    if found.metric != "KP" or not isinstance(followed, int | float) or followed > FAILED:
        return found
    settled = replace(found, strict=(IMPLAUSIBLE, Status.SCORED, RULE))
    return replace(settled, value=IMPLAUSIBLE, failed="") if found.value is None else settled

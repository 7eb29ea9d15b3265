"""What the released scripts of the four benchmarks wrote, read as `scoring.imports.ReleasedScore`s.

Each function is a `scoring.imports.Reader`. A sample that cannot be told apart from others is
refused by name and not guessed.
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from editgauge.benchmarks.textedit.facts import HIGH, LOW, QUESTIONS
from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, FOLDERS, OTHER_FOLDERS, TOPICS
from editgauge.scoring.imports import ReleasedScore, WrongFormat, read_json
from editgauge.types import Sample, Status

Known = Mapping[str, Sample]
Scores = Iterator[ReleasedScore]
Entry = Mapping[str, Any]


def _entries(path: Path, values: Any, wanted: str, keys: Collection[str]) -> list[Entry]:
    """A list of objects which have one of the `keys` each. Raises `WrongFormat`."""
    if not isinstance(values, list):
        raise WrongFormat(path, f"a list of {wanted}", values)
    for value in values:
        if not isinstance(value, dict) or not set(keys) & set(value):
            raise WrongFormat(path, f"entries {wanted}", value)
    return values


def _files(path: Path, pattern: str, wanted: str) -> list[Path]:
    """The file, or those below the folder. Raises `WrongFormat` where there is none."""
    files = [path] if path.is_file() else sorted(path.rglob(pattern))
    if not files:
        raise WrongFormat(path, wanted, "no such file")
    return files


# -- TextEditBench ---------------------------------------------------------------------------------


def texteditbench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>.json``, one split: a list of {"task_id", "category", "evaluation_results": {"IF":
    {"IF": 4, "rationale": …}}}.

    As the released summary reads it: a result may be a bare number, a score a text that is a
    number, null is left out (of SE without a word, where it was not asked). A failed call is
    recorded as 0, which the faithful variant keeps.
    """
    value = read_json(path)
    values = value.get("tasks", value) if isinstance(value, dict) else value
    wanted = '{"task_id", "category", "evaluation_results": {…}}'
    entries = _entries(path, values, wanted, ["evaluation_results"])
    places = _meant([(entry.get("category"), entry.get("task_id")) for entry in entries], known)
    for entry, place in zip(entries, places, strict=True):
        model, results = editor or str(entry.get("model") or path.stem), entry["evaluation_results"]
        if not isinstance(results, dict):
            raise WrongFormat(path, f"entries {wanted}", entry)
        for name, result in results.items():
            asked = name != "SE" or place not in known or known[place].knowledge
            if name in DIMENSIONS and (asked or result is not None):
                yield _judged(model, place, name, result)


def _judged(model: str, place: str, name: str, result: Any) -> ReleasedScore:
    given = result if isinstance(result, dict) else {}
    rationale = str(given.get("rationale") or "")
    value = given.get(name, given.get("score")) if isinstance(result, dict | None) else result
    with contextlib.suppress(ValueError):  # a text that is no number stays one
        value = float(value) if isinstance(value, str) else value
    calls = ("api error", "json parsing failed", "api call failed")
    if rationale.strip().lower().startswith(calls):
        return ReleasedScore(model, place, name, value, rationale, rationale, 0.0)
    lacking = "the released script found no score and no rationale in three replies"
    return ReleasedScore(model, place, name, value, rationale, lacking if value is None else "")


def texteditbench_similarity(path: Path, known: Known, editor: str | None) -> Scores:
    """``lipis_ssim.py``: a list of {"topic", "id", "ssim_similarity_outside_mask", …}, of one
    model.
    """
    keys = {f"{name}_similarity_outside_mask": name for name in ("ssim", "lpips")}
    wanted = '{"topic", "id", "ssim_similarity_outside_mask"}'
    entries = _entries(path, read_json(path), wanted, keys)
    yield from _measured(path, entries, keys, "lipis_ssim.py", known, editor)


def texteditbench_error(path: Path, known: Known, editor: str | None) -> Scores:
    """``mse_psnr.py``: {"summary", "details": [{"id", "filename", "mse", "psnr"}]}, of one model and
    one topic, which the file does not name: its path may.
    """
    value = read_json(path)
    details = value.get("details") if isinstance(value, dict) else None
    if details is None:
        raise WrongFormat(path, '{"details": [{"id", "mse", "psnr"}]}', value)
    keys = {"mse": "mse", "psnr": "psnr"}
    entries = _entries(path, details, '{"id", "mse", "psnr"}', keys)
    yield from _measured(path, entries, keys, "mse_psnr.py", known, editor)


def _measured(
    path: Path, entries: Sequence[Entry], keys: Mapping[str, str], script: str,
    known: Known, editor: str | None,
) -> Scores:  # fmt: skip
    """The values under `keys` (key -> metric)."""
    places = _meant([(entry.get("topic"), entry.get("id")) for entry in entries], known, path)
    for entry, place in zip(entries, places, strict=True):
        for key in filter(entry.__contains__, keys):
            yield ReleasedScore(editor or path.stem, place, keys[key], entry[key], script=script)


def _meant(named: Sequence[tuple[Any, Any]], known: Known, path: Path = Path()) -> list[str]:
    """The sample of each topic and id; where there is none, or more than one, what to say of it.

    An id is a record's, or it ends in the number of a folder. The path of the file may name the
    topic, the split or both: then only their samples fit, also where the data lack them. Else the
    split is the one that has all entries.
    """
    places: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in _of_path(list(known.values()), path):
        for topic in ("", _topic(sample)):
            for name in {str(sample.attributes.get("record_id", "")), _number(sample.id)}:
                places[topic, name].append(sample)
    fitting = []
    for topic, name in named:
        here, text = _bare(str(topic or "")), str(name or "")
        fitting.append(places.get((here, text)) or places.get((here, _number(text)), []))
    splits = [{sample.split for sample in some} for some in fitting if some]
    if len(common := set.intersection(*splits) if splits else set()) == 1:
        fitting = [[one for one in some if one.split in common] for some in fitting]
    meant = []
    for (topic, name), some in zip(named, fitting, strict=True):
        said = "/".join(str(word) for word in (topic or path.stem, name) if word)
        ids = ", ".join(one.id for one in some[:3]) + " …" * (len(some) > 3)
        unclear = f"{said} (fits {ids}: narrow the samples to one split or topic)" if some else said
        meant.append(some[0].id if len(some) == 1 else unclear)
    return meant


def _of_path(samples: list[Sample], path: Path) -> list[Sample]:
    """Those of the topics and the split that the path names, if it does."""
    text = "/".join(path.with_suffix("").parts[-3:]).lower() if path.name else ""
    bare, words = _bare(text), {*re.split("[/_]", text)}
    topics = {_OTHERS.get(one, one) for one in (*map(_bare, TOPICS), *_OTHERS) if one in bare}
    if topics:
        samples = [one for one in samples if _OTHERS.get(_topic(one), _topic(one)) in topics]
    halves = [{split, *names} for split, names in FOLDERS.items() if words & {split, *names}]
    if len(halves) == 1:
        samples = [one for one in samples if one.output_stems[0].split("/")[0] in halves[0]]
    return [one for one in samples if _topic(one) in bare] or samples


def _topic(sample: Sample) -> str:
    return _bare("".join(sample.id.split("/")[-2:][:1]))


def _bare(name: str) -> str:
    """A topic's folder as its scripts may write it: letters and digits, a known misspelling mended."""
    letters = "".join(letter for letter in name.lower() if letter.isalnum())
    return letters.replace("digtial", "digital")


_OTHERS = {_bare(other): _bare(name) for other, name in OTHER_FOLDERS.items()}


def _number(name: str) -> str:
    """The last number in a name, without leading zeros; the name where there is none."""
    digits = re.findall(r"\d+", name)
    return (digits[-1].lstrip("0") or "0") if digits else name


# -- TextEdit --------------------------------------------------------------------------------------

_SCORE = ("gemini_eval_score", "score")
_REASON = ("gemini_eval_reason", "reason")
_CLASSIC = {
    "ocr_accuracy": "OA", "ocr_precision": "OP", "ocr_recall": "OR", "ocr_f1": "F1",
    "ned_score": "NED", "clip_score": "CLIP", "aesthetic_score": "AES",
}  # fmt: skip
"""The script's name of a score -> ours."""
_GROUPS = '{"summary_by_model": {MODEL: {"Virtual": {"detailed_results": […]}, "Real": …}}}'


def textedit_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """The first step's answers: ``<model>/<category>.jsonl``, such a folder's parent, or one file.
    Collected answers with ``category`` (or ``original_image``), ``score`` and ``reason`` are read
    as well. Faithful is what the file says; corrected reads the raw reply again where the file has
    it.
    """
    for file in _files(path, "*.json*", "files <model>/<category>.jsonl"):
        model = editor or (path.stem if path == file else file.parent.name)
        wanted = f'{{"id", "{_SCORE[0]}"}}'
        for entry in _entries(file, read_json(file, lines=True), wanted, _SCORE):
            category = str(entry.get("category") or "") or _category(entry) or file.stem
            yield from _answers(model, f"{category}/{entry.get('id')}", entry)


def _answers(model: str, sample: str, entry: Entry) -> Scores:
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
        rationale = reasons.get(name) if isinstance(reasons, dict) else reasons
        failed = "" if name in scores else "the released script has no answer"
        value, strict = scores.get(name), readings.get(name)
        yield ReleasedScore(model, sample, name, value, str(rationale or ""), failed, strict=strict)


def textedit_classic(path: Path, known: Known, editor: str | None) -> Scores:
    """``classic_metrics_eval.py``: ``<model>.json`` with the OCR, CLIP and aesthetic scores of every
    sample of both groups.
    """
    value = read_json(path)
    models = value.get("summary_by_model") if isinstance(value, dict) else None
    if not isinstance(models, dict) or not all(isinstance(one, dict) for one in models.values()):
        raise WrongFormat(path, _GROUPS, value)
    for model, groups in models.items():
        for group in groups.values():
            results = group.get("detailed_results") if isinstance(group, dict) else None
            for entry in _entries(path, results, '{"id", "path", "score"}', ["score"]):
                sample, scores = f"{_category(entry)}/{entry.get('id')}", entry["score"] or {}
                for name in filter(scores.__contains__, _CLASSIC):
                    metric, script = _CLASSIC[name], "classic_metrics_eval.py"
                    maker = editor or str(model)
                    yield ReleasedScore(maker, sample, metric, scores[name], script=script)


def _category(entry: Entry) -> str:
    """The innermost folder in the path of an entry's pictures that is a category's number."""
    paths = entry.get("path")
    named = paths if isinstance(paths, dict) else entry
    folders = [
        folder
        for key in ("edited_image", "original_image")
        for folder in str(named.get(key) or "").replace("\\", "/").split("/")[:-1]
        if re.fullmatch(r"\d+\.\d+(\.\d+)?", folder)
    ]
    return folders[-1] if folders else ""


# -- MedEBench -------------------------------------------------------------------------------------

_MEDICAL = {
    "editing_accuracy": "EA", "visual_quality": "VQ", "contextual_preservation": "Context",
}  # fmt: skip


def medebench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``gpt4o_detailed_scores.json``, all models: {model: {id: {"gpt4o_editing_accuracy_detailed":
    7.0, …}}}; without ``_detailed`` it was judged by the prompt. -1 is a failure.
    """
    value = read_json(path)
    inner = [value] + (list(value.values()) if isinstance(value, dict) else [])
    inner += [scores for one in inner[1:] if isinstance(one, dict) for scores in one.values()]
    if not all(isinstance(one, dict) for one in inner):
        raise WrongFormat(path, '{model: {id: {"gpt4o_editing_accuracy_detailed": n}}}', value)
    for model, entries in value.items():
        for sample, scores in entries.items() if editor in (None, model) else ():
            for key, score in scores.items():
                name, detailed = key.removeprefix("gpt4o_"), key.endswith("_detailed")
                metric = _MEDICAL.get(name.removesuffix("_detailed"))
                if metric is not None:
                    failed = "the released script recorded -1" if score in (-1, None) else ""
                    named = metric if detailed else f"{metric}_P"
                    yield ReleasedScore(model, sample, named, score, "", failed)


# -- KRIS-Bench ------------------------------------------------------------------------------------

_KRIS = {"consistency": "VC", "quality": "VQ", "instruction": "IF", "knowledge": "KP"}
"""What a dimension is called in files -> our metric."""
_TASK = "kris_bench"


def krisbench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>/<category>/metrics.json`` = {id: {"consistency_score": 4, "consistency_reasoning":
    …}}: the file, the model's folder, or the results' folder.
    """
    for file in _files(path, "metrics.json", "<model>/<category>/metrics.json"):
        value = read_json(file)
        if not isinstance(value, dict) or not all(isinstance(v, dict) for v in value.values()):
            raise WrongFormat(file, '{id: {"consistency_score": n}}', value)
        model = editor or file.parent.parent.name
        for number, scores in value.items():
            for name in (name for name in _KRIS if f"{name}_score" in scores):
                value, rationale = scores[f"{name}_score"], scores.get(f"{name}_reasoning")
                failed = "the released script has no score" if value is None else ""
                about = model, f"{file.parent.name}/{number}", _KRIS[name], value
                score = ReleasedScore(*about, str(rationale or ""), failed)
                yield _plausible(score, scores.get("instruction_score"))


def krisbench_lmms_eval(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>/<date>_samples_kris_bench.jsonl`` of lmms-eval 0.7: a line for each sample, in it
    ``kris_bench_<dimension>_score`` = ``{"category", "image_id", "score", "reasoning", "valid"}``.
    Of a sample without knowledge KP is not valid and not wanted.
    """
    wanted = f"*_samples_{_TASK}.jsonl"
    for file in _files(path, wanted, wanted):
        followed = f"{_TASK}_instruction_score"
        for line in _entries(file, read_json(file, lines=True), f'{{"{followed}": …}}', [followed]):
            logged = {name: line.get(f"{_TASK}_{name}_score") for name in _KRIS}
            entries = {name: entry for name, entry in logged.items() if isinstance(entry, dict)}
            values = {
                name: entry.get("score") if entry.get("valid") is True else None
                for name, entry in entries.items()
            }
            for name, entry in entries.items():
                sample, value = f"{entry.get('category')}/{entry.get('image_id')}", values[name]
                asked = sample in known and known[sample].knowledge is not None
                if value is None and name == "knowledge" and not asked:
                    continue
                failed = "lmms-eval has no score" if value is None else ""
                about = editor or file.parent.name, sample, _KRIS[name], value
                score = ReleasedScore(*about, str(entry.get("reasoning") or ""), failed)
                yield _plausible(score, values.get("instruction"))


def _plausible(found: ReleasedScore, followed: Any) -> ReleasedScore:
    """A KP by the paper's rule: 1 beside an IF of 1 or 2. A number that the file has there stays in
    the faithful variant.
    """
    from editgauge.benchmarks.krisbench.judge import FAILED, IMPLAUSIBLE, RULE

    if found.metric != "KP" or not isinstance(followed, int | float) or followed > FAILED:
        return found
    settled = replace(found, strict=(IMPLAUSIBLE, Status.SCORED, RULE))
    return replace(settled, value=IMPLAUSIBLE, failed="") if found.value is None else settled

"""What the released scripts wrote, by one `scoring.imports.Reader` each. A sample that cannot be
told apart from others is refused by name and not guessed.
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct

from editgauge.benchmarks.textedit.facts import HIGH, LOW, QUESTIONS
from editgauge.benchmarks.texteditbench.facts import DIMENSIONS, FOLDERS, OTHER_FOLDERS, TOPICS
from editgauge.scoring.imports import ReleasedScore, WrongFormat, read_json
from editgauge.types import JsonObject, Sample, Status

Known = Mapping[str, Sample]
Scores = Iterator[ReleasedScore]
T = TypeVar("T")


def _shaped(path: Path, shape: type[T], wanted: str, *, lines: bool = False) -> T:
    """The JSON value of a file as a shape. Raises `WrongFormat`."""
    value = read_json(path, lines=lines)
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise WrongFormat(path, wanted, value) from error


def _files(path: Path, pattern: str, wanted: str) -> list[Path]:
    """The file, or those below the folder. Raises `WrongFormat` where there is none."""
    files = [path] if path.is_file() else sorted(path.rglob(pattern))
    if not files:
        raise WrongFormat(path, wanted, "no such file")
    return files


# -- TextEditBench ---------------------------------------------------------------------------------


class _Judged(Struct):
    evaluation_results: JsonObject
    task_id: Any = ""
    category: Any = ""
    model: Any = ""


class _Similar(Struct):
    topic: str
    id: Any
    ssim_similarity_outside_mask: Any
    lpips_similarity_outside_mask: Any = UNSET


class _Errors(Struct):
    """Of one model and one topic, which the file does not name: its path may."""

    class Entry(Struct):
        id: Any
        mse: Any
        psnr: Any

    details: list[Entry]


def texteditbench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>.json``, one split: a list of {"task_id", "category", "evaluation_results": {"IF":
    {"IF": 4, "rationale": …}}}. Entries of several models say by ``model`` whose they are.

    As the released summary reads it: a result may be a bare number, a score a text that is a
    number, null is left out (of SE without a word, where it was not asked). A failed call is
    recorded as 0, which the faithful variant keeps.
    """
    wanted = '{"task_id", "category", "evaluation_results": {…}}'
    entries = _shaped(path, list[_Judged], f"a list of {wanted}")
    models = {str(entry.model) for entry in entries if entry.model}
    if len(models) > 1:
        entries = [entry for entry in entries if _is_wanted(str(entry.model), models, editor)]
    places = _places([(entry.category, entry.task_id) for entry in entries], known, path)
    for entry, place in zip(entries, places, strict=True):
        model = str(entry.model) if len(models) > 1 else editor or ""
        for name, result in entry.evaluation_results.items():
            asked = name != "SE" or place not in known or known[place].knowledge
            if name in DIMENSIONS and (asked or result is not None):
                yield _judged(model, place, name, result)


def _judged(model: str, place: str, name: str, result: Any) -> ReleasedScore:
    given = result if isinstance(result, dict) else {name: result}
    value, rationale = given.get(name, given.get("score")), str(given.get("rationale") or "")
    with contextlib.suppress(ValueError):  # a text that is no number stays one
        value = float(value) if isinstance(value, str) else value
    calls = ("api error", "json parsing failed", "api call failed")
    if rationale.strip().lower().startswith(calls):
        return ReleasedScore(model, place, name, value, rationale, rationale, 0.0)
    lacking = "the released script found no score and no rationale in three replies"
    return ReleasedScore(model, place, name, value, rationale, lacking if value is None else "")


def texteditbench_similarity(path: Path, known: Known, editor: str | None) -> Scores:
    """``lipis_ssim.py`` of a model: a list of {"topic", "id", "ssim_similarity_outside_mask", …}."""
    wanted = 'a list of {"topic", "id", "ssim_similarity_outside_mask"}'
    entries = _shaped(path, list[_Similar], wanted)
    places = _places([(entry.topic, entry.id) for entry in entries], known, path)
    for entry, place in zip(entries, places, strict=True):
        for metric in ("ssim", "lpips"):
            value = getattr(entry, f"{metric}_similarity_outside_mask")
            if value is not UNSET:
                about = (editor or "", place, metric, value)
                yield ReleasedScore(*about, script="lipis_ssim.py")


def texteditbench_error(path: Path, known: Known, editor: str | None) -> Scores:
    """``mse_psnr.py``: {"summary", "details": [{"id", "filename", "mse", "psnr"}]}."""
    entries = _shaped(path, _Errors, '{"details": [{"id", "mse", "psnr"}]}').details
    places = _meant([("", entry.id) for entry in entries], _of_path(known, path))
    for entry, place in zip(entries, places, strict=True):
        for metric, value in (("mse", entry.mse), ("psnr", entry.psnr)):
            yield ReleasedScore(editor or "", place, metric, value, script="mse_psnr.py")


def _is_wanted(model: str, models: Collection[str], editor: str | None) -> bool:
    """Whether scores of one of a file's models are taken: all, or those of the editor that was
    named. Another name is that of a file's only model.
    """
    return not editor or model == editor or len(models) == 1


def _places(named: Sequence[tuple[Any, Any]], known: Known, path: Path) -> list[str]:
    """As `_meant`; of entries that fit several samples, those of the path's topics and split."""
    places = _meant(named, known)
    if all(place in known for place in places):
        return places
    narrowed = _meant(named, _of_path(known, path))
    return [
        place if place in known else other for place, other in zip(places, narrowed, strict=True)
    ]


def _meant(named: Sequence[tuple[Any, Any]], known: Known) -> list[str]:
    """The sample of each topic and id; where there is none, or more than one, what to say of it.

    An id is a record's, or it ends in the number of a folder. The split is the one that has all
    entries.
    """
    places: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    for sample in known.values():
        for topic in ("", _topic(sample)):
            for name in {str(sample.attributes.get("record_id", "")), _number(sample.id)}:
                places[topic, name].append(sample)
    fitting = []
    for topic, name in named:
        here, text = _bare(str(topic)), str(name)
        fitting.append(places.get((here, text)) or places.get((here, _number(text)), []))
    splits = [{sample.split for sample in some} for some in fitting if some]
    common = set.intersection(*splits) if splits else set()
    meant = []
    for (topic, name), every in zip(named, fitting, strict=True):
        some = [one for one in every if len(common) != 1 or one.split in common]
        ids, said = ", ".join(one.id for one in some[:3]), f"{topic}/{name}".lstrip("/")
        unclear = f"{said} (fits {ids}: narrow the samples to one split or topic)" if some else said
        meant.append(some[0].id if len(some) == 1 else unclear)
    return meant


def _of_path(known: Known, path: Path) -> Known:
    """The samples of the topics and of the split that a file's path names, if it does."""
    text = "/".join(path.with_suffix("").parts[-3:]).lower()
    topics = {_bare(topic) for topic in (*TOPICS, *OTHER_FOLDERS)} | {*map(_topic, known.values())}
    named = {topic for topic in topics if topic in _bare(text)}
    tokens = set(re.split("[/_]", text))
    splits = set()
    for split, names in FOLDERS.items():
        # a name of several words may stand anywhere; "real" must stand alone
        if any(name in (text if "_" in name else tokens) for name in names):
            splits.add(split)
    return {
        one.id: one
        for one in known.values()
        if not named or _topic(one) in named
        if len(splits) != 1 or {*FOLDERS[min(splits)]} & {one.output_stems[0].split("/")[0]}
    }


def _topic(sample: Sample) -> str:
    return _bare("".join(sample.id.split("/")[-2:][:1]))


def _bare(name: str) -> str:
    """A topic's folder as its scripts may write it: letters and digits alone."""
    return re.sub(r"[\W_]", "", name.lower())


def _number(name: str) -> str:
    """The last number in a name, without leading zeros; the name where there is none."""
    digits = re.findall(r"\d+", name)
    return str(int(digits[-1][:9])) if digits else name


# -- TextEdit --------------------------------------------------------------------------------------


class _Answer(Struct):
    """Of the first step's file, or collected (the second names of some)."""

    id: Any = ""
    category: str = ""
    original_image: str = ""
    path: JsonObject = {}
    gemini_eval_score: Any = UNSET
    score: Any = UNSET
    gemini_eval_reason: Any = None
    reason: Any = None
    gemini_raw_response: Any = None


class _Classic(Struct):
    """`summary_by_model`: model -> group (Virtual, Real) -> its samples."""

    class Group(Struct):
        detailed_results: list[_Answer]

    summary_by_model: dict[str, dict[str, Group]]


_CLASSIC = {
    "ocr_accuracy": "OA", "ocr_precision": "OP", "ocr_recall": "OR", "ocr_f1": "F1",
    "ned_score": "NED", "clip_score": "CLIP", "aesthetic_score": "AES",
}  # fmt: skip
"""The script's name of a score -> ours."""


def textedit_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """The first step's answers: ``<model>/<category>.jsonl``, such a folder's parent, or one file.
    Collected answers with ``category`` (or ``original_image``), ``score`` and ``reason`` are read
    as well. Faithful is what the file says; corrected reads the raw reply again where the file has
    it.
    """
    wanted = 'lines {"id", "gemini_eval_score"}'
    for file in _files(path, "*.json*", "files <model>/<category>.jsonl"):
        model = editor or ("" if path == file else file.parent.name)
        entries = _shaped(file, list[_Answer], wanted, lines=True)
        if any(entry.gemini_eval_score is entry.score for entry in entries):
            raise WrongFormat(file, wanted, "no score")
        for entry in entries:
            category = entry.category or _category(entry) or file.stem
            yield from _answers(model, f"{category}/{entry.id}", entry)


def _answers(model: str, sample: str, entry: _Answer) -> Scores:
    from editgauge.judging.protocol import Call, Range
    from editgauge.judging.reading import read as read_reply

    written = entry.score if entry.gemini_eval_score is UNSET else entry.gemini_eval_score
    scores = written if isinstance(written, dict) else {}
    reasons, readings = entry.gemini_eval_reason or entry.reason, {}
    if isinstance(entry.gemini_raw_response, str):
        ranges = dict.fromkeys(QUESTIONS, Range(LOW, HIGH))
        form: JsonObject = {"score": ranges, "reason": object}
        call = Call(name="Q", parts=(), reply=form, metrics={}, rubric="")
        readings = dict(read_reply(call, entry.gemini_raw_response).readings)
    for name in QUESTIONS:
        rationale = reasons.get(name) if isinstance(reasons, dict) else reasons
        failed = "" if name in scores else "the released script has no answer"
        value, strict = scores.get(name), readings.get(name)
        yield ReleasedScore(model, sample, name, value, str(rationale or ""), failed, strict=strict)


def textedit_classic(path: Path, known: Known, editor: str | None) -> Scores:
    """``classic_metrics_eval.py``: ``<model>.json`` with the OCR, CLIP and aesthetic scores of every
    sample of both groups.
    """
    wanted = '{"summary_by_model": {MODEL: {"Virtual": {"detailed_results": […]}, "Real": …}}}'
    every = _shaped(path, _Classic, wanted).summary_by_model
    for model, groups in every.items():
        if not _is_wanted(model, every, editor):
            continue
        for entry in (entry for group in groups.values() for entry in group.detailed_results):
            sample, scores = f"{_category(entry)}/{entry.id}", entry.score or {}
            for name in filter(scores.__contains__, _CLASSIC):
                about = (editor or model, sample, _CLASSIC[name], scores[name])
                yield ReleasedScore(*about, script="classic_metrics_eval.py")


def _category(entry: _Answer) -> str:
    """The innermost folder in the path of an entry's pictures that is a category's number."""
    paths = (entry.path.get("edited_image"), entry.path.get("original_image"), entry.original_image)
    found = (re.findall(r"\d+\.\d+(?:\.\d+)?(?=/)", str(path or "")) for path in paths)
    return next((names[-1] for names in found if names), "")


# -- MedEBench -------------------------------------------------------------------------------------

_MEDICAL = {
    "editing_accuracy": "EA", "visual_quality": "VQ", "contextual_preservation": "Context",
}  # fmt: skip


def medebench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``gpt4o_detailed_scores.json``, all models: {model: {id: {"gpt4o_editing_accuracy_detailed":
    7.0, …}}}; without ``_detailed`` it was judged by the prompt. -1 is a failure.
    """
    wanted = '{model: {id: {"gpt4o_editing_accuracy_detailed": n}}}'
    for model, entries in _shaped(path, dict[str, dict[str, JsonObject]], wanted).items():
        for sample, scores in entries.items() if editor in (None, model) else ():
            for key, score in scores.items():
                name, detailed = key.removeprefix("gpt4o_"), key.endswith("_detailed")
                if metric := _MEDICAL.get(name.removesuffix("_detailed")):
                    failed = "the released script recorded -1" if score in (-1, None) else ""
                    named = metric if detailed else f"{metric}_P"
                    yield ReleasedScore(model, sample, named, score, "", failed)


# -- KRIS-Bench ------------------------------------------------------------------------------------

_KRIS = {"consistency": "VC", "quality": "VQ", "instruction": "IF", "knowledge": "KP"}
"""What a dimension is called in files -> our metric."""


class _Logged(Struct):
    """A dimension of a sample in lmms-eval's log."""

    category: str
    image_id: Any
    score: Any = None
    reasoning: Any = ""
    valid: bool = False


def krisbench_judge(path: Path, known: Known, editor: str | None) -> Scores:
    """``<model>/<category>/metrics.json`` = {id: {"consistency_score": 4, "consistency_reasoning":
    …}}: the file, the model's folder, or the results' folder.
    """
    wanted = '{id: {"consistency_score": n}}'
    for file in _files(path, "metrics.json", "<model>/<category>/metrics.json"):
        model = editor or file.parent.parent.name
        for number, scores in _shaped(file, dict[str, JsonObject], wanted).items():
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
    wanted = "*_samples_kris_bench.jsonl"
    keys = {name: f"kris_bench_{name}_score" for name in _KRIS}
    for file in _files(path, wanted, wanted):
        lines = _shaped(file, list[JsonObject], wanted, lines=True)
        for line in lines:
            if keys["instruction"] not in line:
                raise WrongFormat(file, f'lines {{"{keys["instruction"]}": …}}', line)
            given = {name: line[key] for name, key in keys.items() if key in line}
            try:
                entries = msgspec.convert(given, dict[str, _Logged])
            except msgspec.ValidationError as error:
                raise WrongFormat(file, wanted, line) from error
            yield from _logged(editor or file.parent.name, entries, known)


def _logged(model: str, entries: Mapping[str, _Logged], known: Known) -> Scores:
    followed = entries["instruction"]
    for name, entry in entries.items():
        sample = f"{entry.category}/{entry.image_id}"
        asked = sample in known and known[sample].knowledge is not None
        if entry.valid or name != "knowledge" or asked:
            value = entry.score if entry.valid else None
            failed = "lmms-eval has no score" if value is None else ""
            about = model, sample, _KRIS[name], value, str(entry.reasoning or ""), failed
            yield _plausible(ReleasedScore(*about), followed.score if followed.valid else None)


def _plausible(found: ReleasedScore, followed: Any) -> ReleasedScore:
    """KP is 1 beside an IF of 1 or 2 (paper); faithful keeps a number that the file has there."""
    from editgauge.benchmarks.krisbench.judge import FAILED, IMPLAUSIBLE, RULE

    if found.metric != "KP" or not isinstance(followed, int | float) or followed > FAILED:
        return found
    settled = replace(found, strict=(IMPLAUSIBLE, Status.SCORED, RULE))
    return replace(settled, value=IMPLAUSIBLE, failed="") if found.value is None else settled


TEXTEDITBENCH = (texteditbench_judge, texteditbench_similarity, texteditbench_error)
TEXTEDIT = (textedit_judge, textedit_classic)
MEDEBENCH = (medebench_judge,)
KRISBENCH = (krisbench_judge, krisbench_lmms_eval)

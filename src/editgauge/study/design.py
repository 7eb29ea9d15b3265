"""The design of a study: one TOML file that says what is shown to whom and what is asked.

::

    name = "first"
    mode = "rank"                      # rank, rate, grade (good/fair/poor) or pairwise
    benchmark = "medebench"            # needed where the run has several
    editors = ["model-a", "model-b"]   # default: every editor with outputs
    annotators_per_sample = 2
    seed = 1
    hint = false                       # show the sample's knowledge
    reference = true                   # show the reference, if there is one
    labels = ["anatomy", "artefact"]   # marking a region as damaged; none: not offered
    time_limit = 300                   # seconds a sample; slower answers are marked as late
    return_after = 86400               # seconds without a sign of life, then others take over

    [[questions]]
    id = "EA"
    text = "Does the output follow the instruction?"

    [samples]
    by = "organ"                       # a stratified draw: `each` of every value …
    each = 20
    # count = 50                       # … or so many at random, or
    # ids = ["a", "b"]                 # … these

    [training]
    samples = ["c"]                    # shown first, not counted
    feedback = { c = "The second output leaves the old text visible." }

    [checks]
    every = 10                         # an attention check after so many samples

    [repeats]
    share = 0.1                        # of an annotator's samples come again at the end
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson

from editgauge import toml
from editgauge.errors import DataError
from editgauge.escape import plain
from editgauge.store.labels import Samples
from editgauge.store.run_folder import plain_name
from editgauge.study.scales import SCALES, Scale

_TOP = {
    "name": str,
    "mode": str,
    "benchmark": str,
    "editors": list,
    "annotators_per_sample": int,
    "seed": int,
    "hint": bool,
    "reference": bool,
    "labels": list,
    "time_limit": int,
    "return_after": int,
    "questions": list,
    "samples": dict,
    "training": dict,
    "checks": dict,
    "repeats": dict,
}
_INNER: Mapping[str, Mapping[str, type]] = {
    "samples": {"by": str, "each": int, "count": int, "ids": list},
    "training": {"samples": list, "feedback": dict},
    "checks": {"every": int},
    "repeats": {"share": float},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its short name (the metric of the rows) and its words."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A study as its file says; see the module. `samples` are drawn, `strata` is what by."""

    name: str
    mode: Scale
    benchmark: str
    editors: tuple[str, ...]
    questions: tuple[Asked, ...]
    samples: tuple[str, ...]
    strata: str = ""
    annotators_per_sample: int = 2
    seed: int = 0
    hint: bool = False
    reference: bool = True
    labels: tuple[str, ...] = ()
    time_limit: int = 0
    return_after: int = 86400
    training: tuple[str, ...] = ()
    feedback: Mapping[str, str] = field(default_factory=dict)
    check_every: int = 0
    repeat_share: float = 0.0


_TUPLES = ("editors", "samples", "labels", "training")


def stored_text(design: Design) -> str:
    """A design as the study's file keeps it."""
    return orjson.dumps(asdict(design)).decode()


def of_text(text: str) -> Design:
    """The design that `stored_text` gave. Raises `ValueError` for any other text."""
    facts = orjson.loads(text)
    if not isinstance(facts, dict) or set(facts) != {one.name for one in fields(Design)}:
        raise ValueError("wanted a mapping with the fields of a design")
    for name in _TUPLES:
        if not isinstance(facts[name], list) or not all(isinstance(v, str) for v in facts[name]):
            raise ValueError(f"{name}: wanted texts")
        facts[name] = tuple(facts[name])
    if not isinstance(facts["feedback"], dict):
        raise ValueError("feedback: wanted a mapping")
    asked = facts["questions"]
    if not isinstance(asked, list) or not all(
        isinstance(one, dict) and list(map(type, one.values())) == [str, str] for one in asked
    ):
        raise ValueError("questions: wanted an id and a text each")
    try:
        facts["questions"] = tuple(Asked(**one) for one in asked)
        design = Design(**facts)
    except TypeError as error:
        raise ValueError(str(error)) from error
    texts = (design.name, design.benchmark, design.strata, *design.feedback.values())
    if design.mode not in SCALES or not all(isinstance(one, str) for one in texts):
        raise ValueError("wanted a known mode, a name and a benchmark")
    numbers = [design.annotators_per_sample, design.seed, design.time_limit, design.return_after]
    numbers += [design.check_every, design.repeat_share]  # type: ignore[list-item]
    if not all(isinstance(one, int | float) for one in (*numbers, design.hint, design.reference)):
        raise ValueError("wanted numbers")
    return design


def read_design(
    path: Path, samples: Samples, outputs: Mapping[str, Sequence[str]], benchmark: str
) -> Design:
    """The design in a file, checked against a run: `outputs` maps a sample to its editors.

    Raises `DataError` that names the key, what was wanted and what was found.
    """
    try:
        facts = toml.read(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except ValueError as error:
        raise DataError(f"{path.name}: no valid TOML ({error})") from error
    return make_design(facts, samples, outputs, benchmark, where=path.name)


def make_design(
    facts: Mapping[str, Any],
    samples: Samples,
    outputs: Mapping[str, Sequence[str]],
    benchmark: str,
    *,
    where: str = "design",
) -> Design:
    """As `read_design`, from a mapping."""
    _check_keys(facts, where)
    mode = facts.get("mode", "")
    if mode not in SCALES:
        raise DataError(f"{where}: mode {mode!r}: wanted one of {', '.join(SCALES)}")
    if facts.get("benchmark", benchmark) != benchmark:
        raise DataError(
            f"{where}: benchmark {facts['benchmark']!r}: the samples are of {benchmark!r}"
        )
    editors = _editors(facts.get("editors"), outputs, where)
    shown = [name for name in samples.ids if set(outputs.get(name, ())) & set(editors)]
    least = 2 if mode in ("rank", "pairwise") else 1
    shown = [name for name in shown if len(set(outputs[name]) & set(editors)) >= least]
    training = _training(facts.get("training", {}), shown, where)
    seed = facts.get("seed", 0)
    rest = [name for name in shown if name not in training]
    drawn = _drawn(facts.get("samples", {}), samples, rest, seed, where)
    design = Design(
        name=plain_name(str(facts.get("name", "study"))),
        mode=cast(Scale, mode),
        benchmark=benchmark,
        editors=editors,
        questions=_questions(facts.get("questions", []), where),
        samples=drawn,
        strata=facts.get("samples", {}).get("by", ""),
        annotators_per_sample=facts.get("annotators_per_sample", 2),
        seed=seed,
        hint=facts.get("hint", False),
        reference=facts.get("reference", True),
        labels=_texts(facts.get("labels", []), "labels", where),
        time_limit=facts.get("time_limit", 0),
        return_after=facts.get("return_after", 86400),
        training=training,
        feedback={str(k): str(v) for k, v in facts.get("training", {}).get("feedback", {}).items()},
        check_every=facts.get("checks", {}).get("every", 0),
        repeat_share=float(facts.get("repeats", {}).get("share", 0.0)),
    )
    _check_numbers(design, where)
    return design


def _check_keys(facts: Mapping[str, Any], where: str) -> None:
    _check_types(facts, _TOP, where, "")
    for name, wanted in _INNER.items():
        _check_types(facts.get(name, {}), wanted, where, f"{name}.")


def _check_types(
    facts: Mapping[str, Any], wanted: Mapping[str, type], where: str, before: str
) -> None:
    for key, value in facts.items():
        kind = wanted.get(key)
        if kind is None:
            raise DataError(
                f"{where}: {before}{plain(key)}: unknown; there are: {', '.join(wanted)}"
            )
        good = isinstance(value, (int, float) if kind is float else kind)
        if not good or (kind is not bool and isinstance(value, bool)):
            raise DataError(f"{where}: {before}{key}: wanted {kind.__name__}, found {value!r}")


def _texts(values: Sequence[Any], key: str, where: str) -> tuple[str, ...]:
    for value in values:
        if not isinstance(value, str) or not value.strip() or len(value) > 100:
            raise DataError(f"{where}: {key}: wanted texts of 1 to 100 letters, found {value!r}")
    if len(set(values)) != len(values):
        raise DataError(f"{where}: {key}: one is named twice")
    return tuple(values)


def _editors(
    wanted: Sequence[Any] | None, outputs: Mapping[str, Sequence[str]], where: str
) -> tuple[str, ...]:
    there = sorted({editor for editors in outputs.values() for editor in editors})
    chosen = tuple(there) if wanted is None else _texts(wanted, "editors", where)
    unknown = [name for name in chosen if name not in there]
    if unknown or len(chosen) < 1:
        raise DataError(
            f"{where}: editors: {unknown or 'none'}: wanted editors with outputs in the run: "
            f"{', '.join(there) or 'none'}"
        )
    return chosen


def _questions(entries: Sequence[Any], where: str) -> tuple[Asked, ...]:
    found = []
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            raise DataError(f"{where}: questions: wanted tables with id and text, found {entry!r}")
        name = entry["id"]
        if not name or "." in name or len(name) > 80 or plain(name) != name:
            raise DataError(f"{where}: question {name!r}: wanted a short name without dots")
        found.append(Asked(name, str(entry.get("text", name))[:2000]))
    if not found or len({item.id for item in found}) != len(found):
        raise DataError(f"{where}: questions: wanted one or more [[questions]] with different ids")
    return tuple(found)


def _training(facts: Mapping[str, Any], shown: Sequence[str], where: str) -> tuple[str, ...]:
    names = _texts(facts.get("samples", []), "training.samples", where)
    unknown = [name for name in (*names, *facts.get("feedback", {})) if name not in shown]
    if unknown:
        raise DataError(f"{where}: training: sample {unknown[0]!r} has no outputs to show")
    return names


def _drawn(
    facts: Mapping[str, Any], samples: Samples, shown: Sequence[str], seed: int, where: str
) -> tuple[str, ...]:
    """The samples of the study, in the benchmark's order."""
    random = np.random.default_rng(seed)
    if "ids" in facts:
        names = _texts(facts["ids"], "samples.ids", where)
        unknown = [name for name in names if name not in shown]
        if unknown:
            raise DataError(f"{where}: samples.ids: {unknown[0]!r} has no outputs to show")
        return names
    groups: dict[str, list[str]] = {"": list(shown)}
    size = facts.get("count", len(shown))
    if "by" in facts:
        labels = dict(zip(samples.ids, samples.labels(facts["by"]).tolist(), strict=True))
        groups = {}
        for name in shown:
            groups.setdefault(labels[name], []).append(name)
        size = facts.get("each", size)
    short = [label for label, names in groups.items() if len(names) < size]
    if short or size < 1:
        there = len(groups[short[0]]) if short else len(shown)
        part = f" of {plain(short[0])!r}" if short and short[0] else ""
        raise DataError(
            f"{where}: samples: wanted {size}{part}, but {there} have outputs to be rated"
        )
    chosen = {
        names[k]
        for names in groups.values()
        for k in random.permutation(len(names))[:size].tolist()
    }
    return tuple(name for name in shown if name in chosen)


def _check_numbers(design: Design, where: str) -> None:
    rules = (
        ("annotators_per_sample", design.annotators_per_sample, 2, 100),
        ("time_limit", design.time_limit, 0, 86400),
        ("return_after", design.return_after, 1, 10**8),
        ("checks.every", design.check_every, 0, 10**6),
        ("repeats.share", design.repeat_share, 0, 1),
    )
    for name, value, low, high in rules:
        if not low <= value <= high:
            raise DataError(f"{where}: {name}: wanted {low} to {high}, found {value}")
    if design.mode in ("rank", "pairwise") and len(design.editors) < 2:
        raise DataError(f"{where}: editors: mode {design.mode} needs two or more")

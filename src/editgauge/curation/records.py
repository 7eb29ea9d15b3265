"""What a sample of a data set may hold; and a released set's two files, ``dataset.json`` and a
sample a line in ``samples.jsonl``, whose errors name the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from editgauge.errors import DataError, RunError
from editgauge.escape import plain
from editgauge.json_text import uncrowded
from editgauge.store import paths

DATASET = "dataset.json"
SAMPLES = "samples.jsonl"
FORMAT = 1
PROTOCOLS: tuple[str, ...] = ("texteditbench", "textedit", "medebench", "krisbench")
STATES: tuple[str, ...] = ("draft", "refined", "verified", "withdrawn")
"""TextEditBench's three stages (section 3.4), and a sample that was taken out."""
TEXTS: tuple[str, ...] = (
    "instruction",
    "source_text",
    "target_text",
    "caption",
    "knowledge",
    "change",
    "concept",
    "rephrased",
)
"""Fields of `types.Sample` that are texts, under the same names."""
CONTENT = frozenset(
    {
        *TEXTS,
        "images",
        "reference",
        "masks",
        "category",
        "split",
        "protocol",
        "attributes",
        "source",
    }
)
"""What a reviewer accepts: a review is of these fields as they were."""
SOURCE: tuple[str, ...] = ("url", "licence", "consent")
"""Where a picture comes from, and what allows its use; a policy may ask for each before export."""
VERDICTS: tuple[str, ...] = ("accept", "reject", "flag")
"""What a reviewer says; ``flag``: an expert must look."""
MASKS: tuple[str, ...] = ("input", "second", "roi")
LONGEST_TEXT = 20_000
MOST_PICTURES = 16
MOST_STEPS = 32
"""Of a category, and paraphrases of an instruction."""
MOST_BYTES = 1 << 28
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SPLIT = re.compile(r"\w[\w.-]{0,59}")
_KEYS = {
    "id", "version", "state", "split", "protocol", "category", "images", "reference", "masks",
    "paraphrases", "attributes", "source", "pictures", "reviews", "comments", "ratings", "proposed",
    "alike", *TEXTS,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What an export asks of every sample."""

    required: tuple[str, ...] = ()
    """Of `SOURCE`: what a sample must say."""
    reviews: int = 0
    """How many people must have accepted a sample as it is."""
    expert: tuple[str, ...] = ()
    """Categories (the broadest step) whose samples one of the accepting people must be an expert
    for.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """``dataset.json``: what is said of the whole set."""

    name: str
    title: str = ""
    description: str = ""
    licence: str = ""
    version: str = "0.1.0"
    protocol: str = ""
    """The benchmark by whose scorers, tables and judge the set is measured; empty: each sample by
    its own, with the metrics that all share.
    """
    policy: Policy = field(default_factory=Policy)

    def as_dict(self) -> dict[str, Any]:
        policy = {
            "required": list(self.policy.required),
            "reviews": self.policy.reviews,
            "expert": list(self.policy.expert),
        }
        texts = {name: getattr(self, name) for name in _ABOUT_TEXTS}
        return {"format": FORMAT, **texts, "policy": policy}


_ABOUT_TEXTS = ("name", "title", "description", "licence", "version", "protocol")


def name_from(folder: Path) -> str:
    """A name for the set in a folder: the folder's own, as far as a name may be it."""
    letters = re.sub(r"[^a-z0-9_-]+", "-", folder.absolute().name.lower()).strip("-_")
    return letters[:40] if letters[:1].isalpha() else f"set-{letters}"[:40].strip("-")


def read_about(folder: Path) -> About:
    """The ``dataset.json`` of a released set. Raises `DataError` where it is not there or not what
    it should be.
    """
    path = folder / DATASET
    return about_of(_json(_bytes(path), f"{path}"), f"{path}")


def about_of(value: Any, where: str) -> About:
    """What is said of a set, from its JSON. Raises `DataError` for anything else."""
    if not isinstance(value, Mapping):
        raise DataError(f"{where}: wanted an object, found {type(value).__name__}")
    if value.get("format") != FORMAT:
        raise DataError(f"{where}: format {value.get('format')!r}, wanted {FORMAT}")
    if odd := sorted(set(value) - {"format", "policy", *_ABOUT_TEXTS}):
        raise DataError(f"{where}: {plain(odd[0])!r} is no field of a data set; take it out")
    texts = {name: value.get(name, getattr(_EMPTY, name)) for name in _ABOUT_TEXTS}
    for name, text in texts.items():
        if not isinstance(text, str) or len(text) > LONGEST_TEXT:
            raise DataError(f"{where}: {name}: wanted a text, found {str(text)[:60]!r}")
    policy = _policy(value.get("policy", {}), where)
    return checked_about(About(**{**texts, "policy": policy}), where)


def checked_about(about: About, where: str) -> About:
    """The same. Raises `DataError` for a name, protocol or policy that there is not."""
    if not _NAME.fullmatch(about.name):
        raise DataError(
            f"{where}: name {plain(about.name)!r}: wanted 1 to 40 small letters, digits, - and _, "
            f"a letter first"
        )
    if about.protocol and about.protocol not in PROTOCOLS:
        raise DataError(
            f"{where}: protocol {plain(about.protocol)!r}: wanted one of {', '.join(PROTOCOLS)}, "
            f"or none"
        )
    for name in about.policy.required:
        if name not in SOURCE:
            raise DataError(
                f"{where}: policy: required {plain(name)!r}: wanted some of {', '.join(SOURCE)}"
            )
    return about


def _policy(value: Any, where: str) -> Policy:
    known = {"required", "reviews", "expert"}
    if not isinstance(value, dict) or set(value) - known:
        raise DataError(f"{where}: policy: wanted an object of {', '.join(sorted(known))}")
    reviews = value.get("reviews", 0)
    lists = [value.get(name, []) for name in ("required", "expert")]
    if type(reviews) is not int or not 0 <= reviews <= 9:
        raise DataError(f"{where}: policy: reviews: wanted 0 to 9, found {str(reviews)[:40]!r}")
    if not all(isinstance(one, list) and all(isinstance(x, str) for x in one) for one in lists):
        raise DataError(f"{where}: policy: required and expert: wanted lists of texts")
    return Policy(required=tuple(lists[0]), reviews=reviews, expert=tuple(lists[1]))


def read_samples(folder: Path) -> list[dict[str, Any]]:
    """The records of ``samples.jsonl`` in order. Raises `DataError` with the number of the first
    line that is none.
    """
    path = folder / SAMPLES
    found: list[dict[str, Any]] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(_bytes(path).split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        record = checked(_json(line, where), where)
        if record["id"] in lines:
            raise DataError(
                f"{where}: the id {record['id']!r} is that of line {lines[record['id']]}; give "
                f"each sample an id of its own"
            )
        lines[record["id"]] = number
        found.append(record)
    return found


def written(records: Iterable[Mapping[str, Any]]) -> bytes:
    """``samples.jsonl`` of these records."""
    return b"".join(
        orjson.dumps(record, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        for record in records
    )


def checked(value: Any, where: str) -> dict[str, Any]:
    """A sample's record with every field in its place. Raises `DataError` for anything else.

    Wanted: ``id`` and ``images``; all else may be left out.
    """
    if not isinstance(value, dict):
        raise DataError(f"{where}: wanted an object, found {type(value).__name__}")
    for key in value:
        if key not in _KEYS:
            raise DataError(
                f"{where}: {plain(str(key))!r} is no field of a sample; further facts go into "
                f"'attributes'. There are: {', '.join(sorted(_KEYS))}"
            )
    identity = value.get("id")
    if not isinstance(identity, str) or not _ID.fullmatch(identity) or ".." in identity:
        raise DataError(
            f"{where}: id {str(identity)[:60]!r}: wanted 1 to 100 letters, digits, dot, - and _"
        )
    where = f"{where} ({identity})"
    _check_plain(value, where)
    _check_paths(value, where)
    _check_lists(value, where)
    _check_facts(value, where)
    return dict(value)


def _check_plain(value: Mapping[str, Any], where: str) -> None:
    split = value.get("split")
    if split not in (None, "") and not (isinstance(split, str) and _SPLIT.fullmatch(split)):
        raise DataError(
            f"{where}: split {plain(str(split)[:60])!r}: wanted at most 60 letters, digits, dot, - "
            f"and _"
        )
    for name in TEXTS:
        text = value.get(name)
        if text is not None and (not isinstance(text, str) or len(text) > LONGEST_TEXT):
            raise DataError(
                f"{where}: {name}: wanted a text of at most {LONGEST_TEXT:,} characters, found "
                f"{str(text)[:60]!r}"
            )
    if not isinstance(value.get("version", 1), int) or value.get("version", 1) < 1:
        raise DataError(f"{where}: version: wanted a whole number above 0")
    if value.get("state", "draft") not in STATES:
        raise DataError(f"{where}: state: wanted one of {', '.join(STATES)}")
    if value.get("protocol") not in (None, "", *PROTOCOLS):
        raise DataError(f"{where}: protocol: wanted one of {', '.join(PROTOCOLS)}")


def _check_paths(value: Mapping[str, Any], where: str) -> None:
    images = value.get("images")
    if not isinstance(images, list) or not 1 <= len(images) <= MOST_PICTURES:
        raise DataError(f"{where}: images: wanted a list of 1 to {MOST_PICTURES} paths")
    masks = value.get("masks") or {}
    if not isinstance(masks, dict) or set(masks) - set(MASKS):
        raise DataError(f"{where}: masks: wanted an object with some of {', '.join(MASKS)}")
    reference = value.get("reference")
    for path in (*images, *masks.values(), *([reference] if reference is not None else [])):
        why = paths.misplaced(path)
        if why is None and any(part.startswith(".") for part in path.split("/")):
            why = "a hidden file"
        if why is not None:
            raise DataError(f"{where}: {str(path)[:80]!r}: {why}; pictures lie in the data set")


def _check_lists(value: Mapping[str, Any], where: str) -> None:
    for name in ("category", "paraphrases"):
        found = value.get(name, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise DataError(f"{where}: {name}: wanted a list of texts, found {str(found)[:60]!r}")
        if len(found) > MOST_STEPS or any(len(item) > LONGEST_TEXT for item in found):
            raise DataError(
                f"{where}: {name}: wanted at most {MOST_STEPS} texts of {LONGEST_TEXT:,} characters"
            )
    comments = value.get("comments", [])
    if not isinstance(comments, list) or not all(
        isinstance(one, dict)
        and isinstance(one.get("who"), str)
        and isinstance(one.get("text"), str)
        for one in comments
    ):
        raise DataError(f"{where}: comments: wanted a list of objects with 'who' and 'text'")


def _check_facts(value: Mapping[str, Any], where: str) -> None:
    attributes = value.get("attributes") or {}
    if not isinstance(attributes, dict) or not all(
        isinstance(item, str | int | float) for item in attributes.values()
    ):
        raise DataError(f"{where}: attributes: wanted an object of texts and numbers")
    if sum(len(name) + len(str(item)) for name, item in attributes.items()) > LONGEST_TEXT:
        raise DataError(f"{where}: attributes: wanted at most {LONGEST_TEXT:,} characters together")
    source = value.get("source") or {}
    if not isinstance(source, dict) or not all(
        name in SOURCE and isinstance(text, str) for name, text in source.items()
    ):
        raise DataError(f"{where}: source: wanted texts for some of {', '.join(SOURCE)}")
    proposed = value.get("proposed") or {}
    texts = (*TEXTS, "paraphrases", "by")
    if not isinstance(proposed, dict) or set(proposed) - set(texts):
        raise DataError(f"{where}: proposed: wanted an object of texts")
    several = proposed.get("paraphrases", [])
    single = [text for name, text in proposed.items() if name != "paraphrases"]
    if not isinstance(several, list) or not all(isinstance(x, str) for x in (*single, *several)):
        raise DataError(f"{where}: proposed: wanted an object of texts")
    for name, fits in _WRITTEN.items():
        found = value.get(name) or {}
        if not isinstance(found, dict):
            raise DataError(f"{where}: {name}: wanted an object of objects")
        for key, one in found.items():
            if not isinstance(one, dict) or not fits(one):
                raise DataError(f"{where}: {name}: {plain(key)!r}: not what this tool writes there")


def _is_picture(value: Mapping[str, Any]) -> bool:
    lists = [value.get("proposals", []), value.get("hidden", [])]
    return all(isinstance(one, list) and all(map(_is_box, one)) for one in lists)


def _is_box(value: Any) -> bool:
    box = value.get("box") if isinstance(value, dict) else None
    return (
        isinstance(box, list)
        and len(box) == 4
        and all(type(number) is int for number in box)
        and isinstance(value.get("kind"), str)
    )


def _is_review(value: Mapping[str, Any]) -> bool:
    return value.get("verdict") in VERDICTS and isinstance(value.get("content"), str)


def _is_rating(value: Mapping[str, Any]) -> bool:
    return all(type(number) is int for number in value.values())


def _is_alike(value: Mapping[str, Any]) -> bool:
    return all(isinstance(value.get(name), str) for name in ("why", "pictures"))


_WRITTEN: Mapping[str, Callable[[Mapping[str, Any]], bool]] = {
    "pictures": _is_picture,
    "reviews": _is_review,
    "ratings": _is_rating,
    "alike": _is_alike,
}
"""Fields that hold objects of this tool's own, by the name of a picture, a person, a sample."""


def pictures_of(record: Mapping[str, Any]) -> list[str]:
    """Every file that a record names, each once: inputs, reference, masks."""
    masks: Sequence[str] = list((record.get("masks") or {}).values())
    reference = [record["reference"]] if record.get("reference") else []
    return list(dict.fromkeys([*record["images"], *reference, *masks]))


def _bytes(path: Path) -> bytes:
    try:
        return paths.read(path, limit=MOST_BYTES)
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: not there; wanted the folder of a data set: editgauge new dataset DIR "
            f"makes one"
        ) from error
    except (OSError, RunError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error


def _json(data: bytes, where: str) -> Any:
    try:
        return orjson.loads(uncrowded(data))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: no JSON ({error}); fix the line") from error


_EMPTY = About(name="set")

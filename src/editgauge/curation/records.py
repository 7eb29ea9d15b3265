"""What a sample of a data set may hold, and a released set's two files: ``dataset.json``, and a
sample a line in ``samples.jsonl``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec
import orjson
from msgspec import Meta, Struct

from editgauge import schema
from editgauge.errors import DataError, RunError
from editgauge.store import paths
from editgauge.types import JsonMapping, JsonObject

DATASET, SAMPLES = "dataset.json", "samples.jsonl"
Protocol = Literal["texteditbench", "textedit", "medebench", "krisbench"]
State = Literal["draft", "refined", "verified", "withdrawn", "erased"]
"""TextEditBench's three stages (section 3.4), and samples that were taken out."""
Verdict = Literal["accept", "reject", "flag"]
"""What a reviewer says; ``flag``: an expert must look."""
MaskName = Literal["input", "second", "roi"]
SourceName = Literal["url", "licence", "consent"]
PROTOCOLS: tuple[str, ...] = get_args(Protocol)
VERDICTS: tuple[str, ...] = get_args(Verdict)
MASKS: tuple[str, ...] = get_args(MaskName)
SOURCE: tuple[str, ...] = get_args(SourceName)
TEXTS: tuple[str, ...] = (
    "instruction", "source_text", "target_text", "caption", "knowledge", "change", "concept",
    "rephrased",
)  # fmt: skip
"""Fields of `types.Sample` that are texts, under the same names."""
CONTENT = frozenset(
    {*TEXTS, "images", "reference", "masks", "category", "split", "protocol", "attributes",
     "source"}
)  # fmt: skip
"""What a reviewer accepts: a review is of these fields as they were."""
_NO_ORIGIN = ("id", "pictures")
_MOST_BYTES = 1 << 28
Text = Annotated[str, Meta(max_length=20_000)]
_Word = Annotated[str, Meta(max_length=200)]


class Box(Struct, frozen=True, forbid_unknown_fields=True):
    """An area of a picture that may tell who somebody is: left, top, width, height in pixels."""

    kind: Literal["text", "face", "other"]
    box: tuple[int, int, int, int]


class Picture(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What is known of one picture: what machines propose to hide, what was hidden, who has looked,
    whether machines have searched, whether a person must look (every scan), DICOM's facts…
    `originals` are the pictures as they were before somebody other than the owner hid something;
    they stay on the disk until the owner deletes them, and leave with no export.
    """

    proposals: list[Box] = []
    hidden: list[Box] = []
    looked: str = ""
    searched: bool = False
    needs_look: bool = False
    scan: JsonObject = {}
    alignment: JsonObject = {}
    originals: list[str] = []


class Review(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What one person said of a sample as it was: `content` is `review.content_of` it."""

    verdict: Verdict
    content: str
    comment: Text = ""
    expert: bool = False


class Record(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A sample. Pictures are paths below the set's folder; `pictures` are known by them."""

    id: Annotated[str, Meta(pattern=r"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")]
    images: Annotated[list[str], Meta(min_length=1, max_length=16)]
    version: int = 1
    state: State = "draft"
    split: Annotated[str, Meta(pattern=r"^(\w[\w.-]{0,59})?$")] = ""
    protocol: Protocol | Literal[""] = ""
    category: Annotated[list[Text], Meta(max_length=32)] = []
    """Broad to narrow."""
    instruction: Text = ""
    source_text: Text = ""
    target_text: Text = ""
    caption: Text = ""
    knowledge: Text = ""
    change: Text = ""
    concept: Text = ""
    rephrased: Text = ""
    reference: str = ""
    masks: dict[MaskName, str] = {}
    attributes: Annotated[dict[_Word, int | float | Text], Meta(max_length=100)] = {}
    source: dict[SourceName, Text] = {}
    pictures: dict[str, Picture] = {}
    reviews: dict[str, Review] = {}

    def __post_init__(self) -> None:
        for path in [*self.files, *self.originals]:
            hidden = path[:1] == "." or "/." in path
            if why := paths.misplaced(path) or ("a hidden file" if hidden else None):
                raise ValueError(f"{self.id}: {path[:80]!r}: {why}; pictures lie in the data set")

    @property
    def shown(self) -> list[str]:
        """Its inputs and its reference, each once."""
        return list(dict.fromkeys([*self.images, *([self.reference] if self.reference else [])]))

    @property
    def files(self) -> list[str]:
        """Every file that it names, each once: inputs, reference, masks."""
        return list(dict.fromkeys([*self.shown, *self.masks.values()]))

    @property
    def unseen(self) -> list[str]:
        """The pictures that a person must look at before they leave the house: those with open
        proposals, every scan, and those that were not searched for texts and faces.
        """
        facts = {path: self.facts(path) for path in self.shown}
        wanting = {p: f.proposals or f.needs_look or not f.searched for p, f in facts.items()}
        return [path for path, wanted in wanting.items() if wanted and not facts[path].looked]

    @property
    def originals(self) -> list[str]:
        """The pictures as they were, which wait for the owner to delete them."""
        kept: list[str] = []
        for about in self.pictures.values():
            kept.extend(about.originals)
        return kept

    def facts(self, path: str) -> Picture:
        """What is known of one of its pictures."""
        return self.pictures.get(path) or Picture()

    def data(self) -> JsonObject:
        """JSON values of every field that says something, but the version."""
        facts: JsonObject = msgspec.json.decode(msgspec.json.encode(self))  # lists, as stored
        facts.pop("version", None)
        return facts


class Policy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What an export asks of every sample: what is said of its source, how many people have
    accepted it as it is, and the categories (the broadest step) of which one must be an expert.
    """

    required: tuple[SourceName, ...] = ()
    reviews: Annotated[int, Meta(ge=0, le=9)] = 0
    expert: tuple[Text, ...] = ()


class About(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is said of the whole set. `protocol` is the benchmark by which it is measured; empty:
    each sample by its own, with the metrics that all share.
    """

    name: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]{0,39}$")]
    title: Text = ""
    description: Text = ""
    licence: Text = ""
    version: _Word = "0.1.0"
    protocol: Protocol | Literal[""] = ""
    policy: Policy = Policy()

    def as_dict(self) -> JsonObject:
        facts: JsonObject = msgspec.to_builtins(self)
        return facts


def about_of(value: object, where: str) -> About:
    """What is said of a set, from its JSON. Raises `DataError` for anything else."""
    return schema.convert(value, About, where)


def record_of(value: JsonMapping, where: str) -> Record:
    """A sample's record; a field of None is left out. Raises `DataError` for anything else."""
    given: Any = msgspec.to_builtins(value)
    kept = {k: v for k, v in given.items() if v is not None} if isinstance(given, dict) else given
    return schema.convert(kept, Record, where)


def origin_of(fields: JsonMapping) -> bytes:
    """What tells samples apart as they are taken in: their pictures and what is said of them."""
    given = {name: value for name, value in fields.items() if value and name not in _NO_ORIGIN}
    return orjson.dumps(given, option=orjson.OPT_SORT_KEYS)


def name_from(folder: Path) -> str:
    """A name for the set in a folder: the folder's own, as far as a name may be it."""
    letters = re.sub(r"[^a-z0-9_-]+", "-", folder.absolute().name.lower())
    return re.sub(r"^[^a-z]+", "", letters)[:40].strip("-") or "set"


def read_about(folder: Path) -> About:
    """The ``dataset.json`` of a released set. Raises `DataError` where it is none."""
    path = folder / DATASET
    return about_of(_json(_bytes(path), f"{path}"), f"{path}")


def read_samples(folder: Path) -> list[Record]:
    """The records of ``samples.jsonl``. Raises `DataError` that names a line that is none."""
    path = folder / SAMPLES
    records: dict[str, Record] = {}
    for number, line in enumerate(_bytes(path).split(b"\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            record = record_of(_json(line, where), where)
            if records.setdefault(record.id, record) is not record:
                raise DataError(f"{where}: the id {record.id!r} is that of an earlier line")
    return list(records.values())


def _bytes(path: Path) -> bytes:
    try:
        return paths.read(path, limit=_MOST_BYTES)
    except FileNotFoundError as error:
        raise DataError(
            f"{path}: not there; wanted the folder of a data set: editgauge new dataset DIR "
            f"makes one"
        ) from error
    except (OSError, RunError) as error:
        raise DataError(f"{path}: cannot be read ({error})") from error


def _json(data: bytes, where: str) -> Any:
    try:
        return orjson.loads(data)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where}: no JSON ({error}); fix the line") from error

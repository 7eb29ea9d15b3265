"""A data set as a benchmark: ``dir:DIR``, in a run ``dir.<name>`` (measured as the built-in one,
judged by each sample's own protocol) or ``dir.<name>.<protocol>``: that benchmark on its samples.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from editgauge import catalog
from editgauge.benchmarks.base import Note, Samples
from editgauge.benchmarks.krisbench.facts import FOLDERS, FRAMES, temporal_task
from editgauge.benchmarks.medebench.samples import depth_of, organ_of
from editgauge.benchmarks.textedit.facts import split_of
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, TOPICS, tier_of
from editgauge.benchmarks.texteditbench.samples import folder_name
from editgauge.benchmarks.tree import Tree
from editgauge.curation.dataset import FILE, OUT, DataSet
from editgauge.curation.records import (
    PROTOCOLS,
    SAMPLES,
    TEXTS,
    About,
    Record,
    read_about,
    read_samples,
)
from editgauge.errors import DataError, UsageError
from editgauge.escape import file_name
from editgauge.images import upright
from editgauge.tables.results import Results
from editgauge.tables.spec import PaperTable, generic
from editgauge.types import Benchmark, Finding, JsonObject, Plot, Sample

_TEXTS = tuple(name for name in TEXTS if name != "instruction")
_UNSEEN = Finding(
    "not-looked-at", FILE, "a picture that nobody has looked at for names and faces",
    "sent to no service; look: editgauge curate DIR", False, "service",
)  # fmt: skip
_BASE = "mini"
"""What measures a set without a protocol."""
Attributes = dict[str, str | int | float | bool]
Shaped = tuple[dict[str, Path], tuple[str, ...], Attributes, str]
"""Masks, category, attributes and split as a benchmark has them."""


def named(name: str) -> Benchmark:
    """The benchmark of a name: ``dir:DIR``, or ``dir.<set>[.<protocol>]`` as runs have it. Raises
    `DataError` for a folder that is no data set, `UsageError` for an unknown protocol.
    """
    folder = None
    if name.startswith("dir:"):
        folder = Path(name.removeprefix("dir:")).absolute()
        about = _about(folder)
        name = f"dir.{about.name}.{about.protocol}".rstrip(".")
    _, set_name, *rest = name.split(".")
    protocol = rest[0] if rest else ""
    if len(rest) > 1 or (rest and protocol not in PROTOCOLS):
        raise UsageError(
            f"benchmark {name!r}: wanted dir.<set> or dir.<set>.<protocol>, the protocol one of "
            f"{', '.join(PROTOCOLS)}"
        )
    base: Benchmark = catalog.find("benchmarks", protocol or _BASE)
    title = f"The data set {set_name}" + (f", measured as {base.title}" if protocol else "")
    return replace(
        base,
        name=name,
        title=title,
        citation=f"{title}: see its card (README.md in an export)",
        about=f"{title}.",
        published_counts={},
        data=None,
        load=partial(_load, folder, name),
        tables=partial(_tables, base, name),
        audits=tuple,
        figures=(Plot("bars", "category", "by category"),),
    )


def _load(own: Path | None, name: str, root: Path | None, *, split: str | None = None) -> Samples:
    """The samples of the folder. Raises `DataError` for one that is no data set, or another one."""
    folder = root or own
    if folder is None:
        raise DataError(f"{name}: wanted the folder of the data set; name it: dir:DIR")
    _, set_name, protocol = (*name.split("."), "")[:3]
    about, every = _contents(folder)
    if about.name != set_name:
        raise DataError(
            f"{folder}: wanted the data set {set_name!r}, found {about.name!r}; name it as "
            f"dir.{about.name} or dir:{folder}"
        )
    records = [
        record for record in every if record.state not in OUT and split in (None, record.split)
    ]
    if split is not None and not records:
        there = sorted({record.split for record in every})
        raise UsageError(f"split {split!r}: the set has {', '.join(there) or 'no samples'}")
    making = (folder / FILE).is_file()  # what was released was looked at

    def read(_: Note) -> Iterator[Sample]:
        tree = Tree(folder)
        for record in records:
            shy = [_UNSEEN] if making and record.unseen else []
            yield sample_of(record, tree, name, protocol, shy)

    return Samples(name, folder.absolute(), read, split or "")


def _about(folder: Path) -> About:
    if (folder / FILE).is_file():
        with DataSet(folder) as data:
            return data.about
    return read_about(folder)


def _contents(folder: Path) -> tuple[About, list[Record]]:
    """Of a set that is being made, or of a released one."""
    if (folder / FILE).is_file():
        with DataSet(folder) as data:
            return data.about, data.records()
    return read_about(folder), read_samples(folder)


def _tables(base: Benchmark, name: str, frame: Results) -> Sequence[PaperTable]:
    """The base's own tables without what its paper published; without a protocol, every metric."""
    if base.name == _BASE or base.tables is None:
        return generic(frame)
    layouts = base.tables(frame) if callable(base.tables) else base.tables
    return [
        replace(
            table, name=f"{name}.{table.name.rpartition('.')[2]}", title=f"{name}: {table.title}",
            size=None, published=(), alone=False, published_repeats=None,
        )
        for table in layouts
    ]  # fmt: skip


def sample_of(
    record: Record, tree: Tree, benchmark: str, protocol: str = "", known: Sequence[Finding] = ()
) -> Sample:
    """The sample of a record of the set in the folder of `tree`, as `benchmark` has it. With a
    protocol its masks, category and attributes are those that the protocol reads. A picture that is
    not there, or not a file of the set, is found when it is read; `known` was found before.
    """
    findings = [*known]
    if not record.instruction.strip():
        missing = ("no instruction", "nothing can be asked")
        findings.append(Finding("instruction-missing", f"{SAMPLES} ({record.id})", *missing, False))
    place = partial(_placed, tree, findings)
    masks: dict[str, Path] = {name: place(path, "mask") for name, path in record.masks.items()}
    category, split = tuple(record.category or ("unsorted",)), record.split or "all"
    facts = _facts(record)
    if protocol:
        masks, category, more, official = _CONVENTIONS[protocol](record, masks)
        facts.update(more)
        split = official or split
    texts: JsonObject = {name: getattr(record, name) or None for name in _TEXTS}
    return Sample(
        benchmark=benchmark,
        id=record.id,
        split=split,
        category=category,
        instruction=record.instruction,
        images=tuple(place(path, "") for path in record.images),
        output_stems=(record.id, f"{record.id}_0", f"{record.id}_edited"),
        reference=place(record.reference, "reference") if record.reference else None,
        masks=masks,
        attributes=facts,
        findings=tuple(findings),
        **texts,
    )


def _placed(tree: Tree, findings: list[Finding], relative: str, part: str) -> Path:
    """Where a picture of the set lies, or nowhere."""
    path = Path(f"{tree.root}{os.sep}{relative}")
    if tree.inside(path):
        return upright(path)
    found = f"{relative!r} leads out of the data set"
    findings.append(Finding("picture-outside", SAMPLES, found, "not read", False, part))
    return tree.nowhere(part or "input")


def _facts(record: Record) -> Attributes:
    level = tier(record)
    return {
        "state": record.state,
        **record.attributes,
        "protocol": record.protocol or "textedit",
        "image_count": len(record.images),
        "multi_image": len(record.images) > 1,
        "has_knowledge": bool(record.knowledge),
        **({"difficulty": level} if level else {}),
    }


def tier(record: Record) -> str:
    """Easy, medium, hard: by the sum of TextEditBench's ten, else ``difficulty``; "" for none."""
    there = record.attributes
    values = [there[name] for name in ATTRIBUTES if name in there]
    numbers = [value for value in values if isinstance(value, int) and 0 <= value <= 2]
    if len(numbers) == len(ATTRIBUTES):
        return tier_of(sum(numbers))
    return str(there.get("difficulty", ""))


def kris_folder(record: Record) -> str:
    """KRIS-Bench's folder: the attribute ``kris_task``, or the broadest category."""
    return file_name(_said(record, "kris_task", 0).replace(" ", "_").lower())


def _said(record: Record, name: str, depth: int, otherwise: str = "Other") -> str:
    """An attribute, or else a step of the category, 0 the broadest."""
    step = record.category[depth] if depth < len(record.category) else ""
    return str(record.attributes.get(name, "")).strip() or step.strip() or otherwise


def _texteditbench(record: Record, masks: dict[str, Path]) -> Shaped:
    written = _said(record, "topic", 0)
    by_topic = {topic: folder for folder, topic in TOPICS.items()}
    folder = by_topic.get(written) or folder_name(file_name(written.replace(" ", "_")))
    first = masks.get("input") or masks.get("roi")
    both = {"input": first, "second": masks.get("second") or first}
    operation = _said(record, "operation", 1, "text_change")
    topic = TOPICS.get(folder, folder.replace("_", " "))
    facts: Attributes = {"topic": topic, "operation": operation}
    split = "synthetic" if record.reference else "real"
    return {name: path for name, path in both.items() if path}, (folder,), facts, split


def _textedit(record: Record, _: dict[str, Path]) -> Shaped:
    category = file_name(_said(record, "textedit_category", 0).replace(" ", "_"))
    return {}, (category,), {"category": category}, split_of(category)


def _medebench(record: Record, masks: dict[str, Path]) -> Shaped:
    organ, task = organ_of(_said(record, "organ", 0)), _said(record, "task", 1, "edit")
    facts: Attributes = {"organ": organ, "task": task, "url": record.source.get("url", "")}
    if depth := depth_of(organ):
        facts["organ_depth"] = depth
    region = masks.get("roi") or masks.get("input")
    return ({"roi": region} if region else {}), (organ, task), facts, "all"


def _krisbench(record: Record, _: dict[str, Path]) -> Shaped:
    folder = kris_folder(record)
    knowledge, dimension = FOLDERS.get(folder, ("Other", "Other"))
    facts: Attributes = {
        "task": folder, "folder": folder, "dimension": dimension, "knowledge_type": knowledge,
    }  # fmt: skip
    if folder == "temporal_prediction":
        number = record.attributes.get("missing_frame")  # the last where it does not say
        missing = number if isinstance(number, int) and 1 <= number <= FRAMES else FRAMES
        frames = ",".join(str(n) for n in range(1, FRAMES + 1) if n != missing)
        facts |= {"task": temporal_task(missing), "missing_frame": missing, "frames": frames}
    return {}, (knowledge, dimension, str(facts["task"])), facts, "all"


_CONVENTIONS: Mapping[str, Callable[[Record, dict[str, Path]], Shaped]] = {
    "texteditbench": _texteditbench,
    "textedit": _textedit,
    "medebench": _medebench,
    "krisbench": _krisbench,
}

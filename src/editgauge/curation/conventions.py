"""A record as a sample, in the conventions of the benchmark that measures it.

What a benchmark calls the mask, which attributes its tables read, what its categories are: the
importers of the official layouts give samples of the same shape, so that a set and its exports have
the same scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from editgauge.benchmarks.krisbench.facts import FOLDERS, FRAMES, temporal_task
from editgauge.benchmarks.medebench.samples import depth_of, organ_of
from editgauge.benchmarks.textedit.facts import split_of
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, TOPICS, tier_of
from editgauge.benchmarks.texteditbench.samples import folder_name as topic_folder
from editgauge.benchmarks.tree import Tree
from editgauge.curation.records import SAMPLES, TEXTS, Record
from editgauge.escape import file_name
from editgauge.images import upright
from editgauge.types import Finding, Sample

Attributes = dict[str, str | int | float | bool]
OTHER = "Other"
READ: Mapping[str, tuple[str, ...]] = {
    "texteditbench": ("topic", "operation", *ATTRIBUTES),
    "textedit": ("textedit_category",),
    "medebench": ("organ", "task"),
    "krisbench": ("kris_task", "missing_frame"),
}
"""Protocol -> the attributes that its scorers and tables read."""
ASKED: Mapping[str, tuple[str, ...]] = {
    "texteditbench": ("source_text", "target_text", "knowledge"),
    "textedit": ("source_text", "target_text", "caption"),
    "medebench": ("change", "concept", "rephrased"),
    "krisbench": ("knowledge",),
}
"""Protocol -> the texts besides the instruction that its prompts, scorers and layout read."""


def sample_of(
    record: Record, root: Path, benchmark: str, protocol: str = "", tree: Tree | None = None
) -> Sample:
    """The sample of a record in the folder `root`, as `benchmark` has it. `tree`: the folder's, for
    many samples.

    With a protocol its masks, category and attributes are those that the protocol's scorers and
    tables read. A picture that is not there, or not a file of the set, is found when it is read.
    """
    findings: list[Finding] = []
    if not record.instruction.strip():
        where = f"{SAMPLES} ({record.id})"
        missing = ("no instruction", "nothing can be asked")
        findings.append(Finding("instruction-missing", where, *missing, False))
    tree = tree or Tree(root)

    def place(relative: str, part: str) -> Path:
        path = root / relative
        if tree.inside(path):
            return upright(path)
        found = f"{relative!r} leads out of the data set"
        findings.append(Finding("picture-outside", SAMPLES, found, "not read", False, part))
        return tree.nowhere(part or "input")

    masks: dict[str, Path] = {name: place(path, "mask") for name, path in record.masks.items()}
    facts: Attributes = {
        "state": record.state,
        **record.attributes,
        "protocol": record.protocol or "textedit",
        "image_count": len(record.images),
        "multi_image": len(record.images) > 1,
        "has_knowledge": bool(record.knowledge),
        **({"difficulty": tier(record)} if tier(record) else {}),
    }
    category, split = tuple(record.category or ("unsorted",)), record.split or "all"
    if protocol:
        masks, category, more, official = _CONVENTIONS[protocol](record, masks)
        facts.update(more)
        split = official or split
    texts: dict[str, Any] = {
        name: getattr(record, name) or None for name in TEXTS if name != "instruction"
    }
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


def attribute(record: Record, name: str) -> str:
    """One of the record's own attributes as text, "" where there is none."""
    return str(record.attributes.get(name, "")).strip()


def level(record: Record, depth: int) -> str:
    """One step of the record's category, 0 the broadest; "" where it has none."""
    return record.category[depth] if depth < len(record.category) else ""


def total_of(record: Record) -> int | None:
    """The sum of the ten, 0 to 20; None where the sample does not say all of them."""
    values = [record.attributes.get(name) for name in ATTRIBUTES]
    numbers = [value for value in values if isinstance(value, int) and 0 <= value <= 2]
    return sum(numbers) if len(numbers) == len(ATTRIBUTES) else None


def tier(record: Record) -> str:
    """Easy, medium or hard: by the ten, else as the attribute ``difficulty`` says; "" for none."""
    total = total_of(record)
    return tier_of(total) if total is not None else str(record.attributes.get("difficulty", ""))


# -- what each benchmark calls it ------------------------------------------------------------------


def topic_of(record: Record) -> tuple[str, str]:
    """TextEditBench's folder and topic: the attribute ``topic``, or the broadest category."""
    written = attribute(record, "topic") or level(record, 0) or OTHER
    by_topic = {topic: folder for folder, topic in TOPICS.items()}
    folder = by_topic.get(written) or topic_folder(file_name(written.replace(" ", "_")))
    return folder, TOPICS.get(folder, folder.replace("_", " "))


def operation_of(record: Record) -> str:
    """TextEditBench's operation: the attribute, or the category's second step."""
    return attribute(record, "operation") or level(record, 1) or "text_change"


def organ_and_task(record: Record) -> tuple[str, str]:
    """MedEBench's organ and task: the attributes, or the category's two steps."""
    organ = attribute(record, "organ") or level(record, 0) or OTHER
    return organ_of(organ), attribute(record, "task") or level(record, 1) or "edit"


def task_folder(record: Record) -> str:
    """KRIS-Bench's folder: the attribute ``kris_task``, or the broadest category."""
    written = attribute(record, "kris_task") or level(record, 0) or OTHER
    return file_name(written.strip().replace(" ", "_").lower())


def text_category(record: Record) -> str:
    """TextEdit's category: the attribute ``textedit_category``, or the broadest category."""
    written = attribute(record, "textedit_category") or level(record, 0) or OTHER
    return file_name(written.replace(" ", "_"))


Shaped = tuple[dict[str, Path], tuple[str, ...], Attributes, str]


def _texteditbench(record: Record, masks: dict[str, Path]) -> Shaped:
    folder, topic = topic_of(record)
    first = masks.get("input") or masks.get("roi")
    second = masks.get("second") or first
    both = {"input": first, "second": second}
    facts: Attributes = {"topic": topic, "operation": operation_of(record)}
    split = "synthetic" if record.reference else "real"
    return {name: path for name, path in both.items() if path}, (folder,), facts, split


def _textedit(record: Record, masks: dict[str, Path]) -> Shaped:
    category = text_category(record)
    return {}, (category,), {"category": category}, split_of(category)


def _medebench(record: Record, masks: dict[str, Path]) -> Shaped:
    organ, task = organ_and_task(record)
    facts: Attributes = {"organ": organ, "task": task, "url": record.source.get("url", "")}
    if depth := depth_of(organ):
        facts["organ_depth"] = depth
    region = masks.get("roi") or masks.get("input")
    return ({"roi": region} if region else {}), (organ, task), facts, "all"


def _krisbench(record: Record, masks: dict[str, Path]) -> Shaped:
    folder = task_folder(record)
    knowledge, dimension = FOLDERS.get(folder, (OTHER, OTHER))
    facts: Attributes = {
        "task": folder, "folder": folder, "dimension": dimension, "knowledge_type": knowledge,
    }  # fmt: skip
    if folder == "temporal_prediction":
        missing = missing_frame(record)
        facts["task"] = temporal_task(missing)
        facts["missing_frame"] = missing
        facts["frames"] = ",".join(str(n) for n in range(1, FRAMES + 1) if n != missing)
    return {}, (knowledge, dimension, str(facts["task"])), facts, "all"


def missing_frame(record: Record) -> int:
    """Which frame of a temporal sample is to be made, 1 to 4; the last where it does not say."""
    text = attribute(record, "missing_frame")
    return int(text) if text.isdecimal() and 1 <= int(text) <= FRAMES else FRAMES


_CONVENTIONS: Mapping[str, Callable[[Record, dict[str, Path]], Shaped]] = {
    "texteditbench": _texteditbench,
    "textedit": _textedit,
    "medebench": _medebench,
    "krisbench": _krisbench,
}

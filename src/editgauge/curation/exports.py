"""A data set in the layouts of others: the four benchmarks' official ones, and Hugging Face's two.

Files are written anew into an empty folder: nothing of the set's process (reviews, comments, links,
trail) is in them, and pictures carry no metadata. The hidden file `OWN_SET` says that the folder is
a set of one's own in that layout, and how its samples are called there.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from editgauge import temporary
from editgauge.benchmarks.texteditbench.facts import ATTRIBUTES, tier_of
from editgauge.benchmarks.texteditbench.facts import FOLDERS as SPLITS
from editgauge.benchmarks.tree import OWN_SET
from editgauge.curation import card, conventions
from editgauge.curation.dataset import DataSet
from editgauge.curation.leaving import png_file
from editgauge.curation.readiness import Fault, faults, of_set
from editgauge.curation.records import TEXTS
from editgauge.errors import DataError, UsageError
from editgauge.escape import file_name, plain
from editgauge.images import write_bytes
from editgauge.store import paths

Record = Mapping[str, Any]
LAYOUTS: tuple[str, ...] = (
    "texteditbench",
    "textedit",
    "medebench",
    "krisbench",
    "imagefolder",
    "parquet",
)


class Exported(NamedTuple):
    """What an export wrote, and which samples it left out."""

    folder: Path
    samples: int
    left_out: list[Fault]


def export(
    data: DataSet, to: Path, layout: str, *, ready_only: bool = False, engine: Any = None,
    who: str = "command-line",
) -> Exported:  # fmt: skip
    """Write the set to the folder `to` in one of `LAYOUTS`; all or nothing.

    Raises `DataError` when a sample may not leave (with `ready_only` those are left out), and
    `UsageError` for another layout or a folder in use.
    """
    if layout not in LAYOUTS:
        raise UsageError(f"--layout {layout!r}: wanted one of {', '.join(LAYOUTS)}")
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UsageError(f"{to}: there is something already; name a new or an empty folder")
    numbered = numbers(data)
    records = data.records()
    found = faults(data, records, layout, engine=engine)
    if found and not ready_only:
        raise DataError(refusal(found, layout))
    if whole := of_set(data):
        raise DataError(f"{whole[0]}; change it with: editgauge curate about DIR")
    kept_back = {fault.sample for fault in found}
    records = [record for record in records if record["id"] not in kept_back]
    if not records:
        raise DataError(refusal(found, layout) if found else "the set has no sample")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        temporary.sweep(to.parent)
        with temporary.folder(to.parent) as made:
            names = _WRITERS[layout](data, made, [(numbered[r["id"]], r) for r in records])
            mark = {
                "layout": layout,
                "name": data.about.name,
                "version": data.about.version,
                "samples": names,
            }
            write_bytes(made / "README.md", card.card(data, records).encode())
            write_bytes(made / OWN_SET, orjson.dumps(mark, option=orjson.OPT_INDENT_2))
            made.chmod(0o755)
            if to.exists():
                to.rmdir()
            made.rename(to)
    except OSError as error:
        raise paths.unwritable(to, error) from error
    data.note(who, "exported", layout=layout, samples=len(records))
    return Exported(to, len(records), found)


def refusal(found: Sequence[Fault], layout: str = "") -> str:
    """What an error says of samples that may not leave, and the command that names them all."""
    first = "; ".join(f"{fault.sample}: {fault.why}" for fault in found[:5])
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    count = len({fault.sample for fault in found})
    command = "editgauge curate ready DIR" + (f" --layout {layout}" if layout else "")
    return (
        f"{count} samples are not ready: {first}{more}. Nothing was written; fix them (all of "
        f"them: {command}), or leave them out with --ready-only"
    )


def numbers(data: DataSet) -> dict[str, int]:
    """A number for each sample that ever was, in the order in which they were made: it stays the
    same in later versions.
    """
    return {record["id"]: n for n, record in enumerate(data.records(withdrawn=True), start=1)}


Numbered = Sequence[tuple[int, Record]]


def _copy(data: DataSet, relative: str, to: Path) -> None:
    write_bytes(to, png_file(data, relative))


def _json(path: Path, value: Any) -> None:
    write_bytes(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _texteditbench(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``<split>/<Topic>/<NNN>/`` with ``N.png``, ``N_mask.png``, the reference and its mask."""
    names: dict[str, str] = {}
    for number, record in samples:
        masks = {name: Path(path) for name, path in record["masks"].items()}
        topic_folder, topic = conventions.topic_of(record)
        operation = conventions.operation_of(record)
        first = masks.get("input") or masks["roi"]
        second = masks.get("second") or first
        split = SPLITS["synthetic" if record.get("reference") else "real"][0]
        folder = root / split / topic_folder / f"{number:03d}"
        edited = (
            f"{file_name(operation)}_{number}" if record.get("reference") else f"{number}_edited"
        )
        _copy(data, record["images"][0], folder / f"{number}.png")
        _copy(data, first.as_posix(), folder / f"{number}_mask.png")
        _copy(data, second.as_posix(), folder / f"{edited}_mask.png")
        if record.get("reference"):
            _copy(data, record["reference"], folder / f"{edited}.png")
        tier, score = _difficulty(record)
        told = {
            "id": f"TextEditing_{topic}_{number:03d}",
            "topic": topic,
            "prompt": record["instruction"],
            "editing_method": operation,
            "difficulty": tier,
            "difficulty_score": score,
            "input_image": f"{number}.png",
            "output_image": f"{edited}.png" if record.get("reference") else None,
            "source_tag": "human_annotation",
            "knowledge_prompt": record.get("knowledge"),
        }
        told = {key: value for key, value in told.items() if value is not None}
        _json(folder / f"{topic_folder}_{number:03d}.json", [told])
        names[record["id"]] = f"{split}/{topic_folder}/{number:03d}"
    return names


def _difficulty(record: Record) -> tuple[str | None, str | None]:
    """Tier and ``total(a,b,…)``; None where nobody has said all ten."""
    facts = record.get("attributes") or {}
    values = [facts.get(name) for name in ATTRIBUTES]
    if not all(isinstance(value, int) for value in values):
        return (str(facts["difficulty"]) if facts.get("difficulty") else None), None
    total = sum(int(value or 0) for value in values)
    return tier_of(total), f"{total}({','.join(str(value) for value in values)})"


def _textedit(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``eval_prompts/fullset/<category>.jsonl`` and the pictures below ``data``."""
    names: dict[str, str] = {}
    lines: dict[str, list[bytes]] = {}
    for number, record in samples:
        category = conventions.text_category(record)
        places = {
            kind: f"{category}/image/{kind}/{1000 + number}.0.png" for kind in ("original", "gt")
        }
        _copy(data, record["images"][0], root / "data" / places["original"])
        _copy(data, record["reference"], root / "data" / places["gt"])
        told = {
            "id": number,
            "prompt": record["instruction"],
            "original_image": places["original"],
            "gt_image": places["gt"],
            "source_text": record["source_text"],
            "target_text": record["target_text"],
            "gt_caption": record["caption"],
        }
        lines.setdefault(category, []).append(orjson.dumps(told) + b"\n")
        names[record["id"]] = f"{category}/{number}"
    for category, every in lines.items():
        path = root / "eval_prompts" / "fullset" / f"{category}.jsonl"
        write_bytes(path, b"".join(every))
    return names


def _medebench(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``editing/editing_metadata.json`` and the three folders of pictures beside it."""
    names: dict[str, str] = {}
    told = []
    for number, record in samples:
        organ, task = conventions.organ_and_task(record)
        masks = record["masks"]
        files = {
            "previous": record["images"][0],
            "changed": record["reference"],
            "previous_mask": masks.get("roi") or masks["input"],
        }
        places = {kind: f"editing/{kind}/{number}.png" for kind in files}
        for kind, place in places.items():
            _copy(data, files[kind], root / place)
        entry = {
            "id": number,
            "Organ": organ,
            "Task": task,
            "prompt": record["instruction"],
            "rephrased_prompt": record.get("rephrased"),
            "detailed_prompt": record["change"],
            "concept": record.get("concept"),
            "previous_image": places["previous"],
            "changed_image": places["changed"],
            "previous_mask": places["previous_mask"],
            "url": (record.get("source") or {}).get("url", ""),
        }
        told.append({key: value for key, value in entry.items() if value is not None})
        names[record["id"]] = str(number)
    _json(root / "editing" / "editing_metadata.json", {"samples": told})
    return names


def _krisbench(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``KRIS_Bench/<category>/annotation.json`` and the pictures beside it."""
    names: dict[str, str] = {}
    told: dict[str, dict[str, Any]] = {}
    for number, record in samples:
        folder = conventions.task_folder(record)
        place = root / "KRIS_Bench" / folder
        files, reference = _frames(number, record, folder)
        for name, path in zip(files, record["images"], strict=True):
            _copy(data, path, place / name)
        if record.get("reference"):
            _copy(data, record["reference"], place / reference)
        told.setdefault(folder, {})[str(number)] = {
            "ori_img": files[0] if len(files) == 1 else files,
            "gt_img": reference if record.get("reference") else "",
            "ins_en": record["instruction"],
            "explain_en": record.get("knowledge") or "",
        }
        names[record["id"]] = f"{folder}/{number}"
    for folder, entries in told.items():
        _json(root / "KRIS_Bench" / folder / "annotation.json", entries)
    return names


def _frames(number: int, record: Record, folder: str) -> tuple[list[str], str]:
    """The names of a record's pictures and of its reference: frames say which one is left out."""
    if folder == "temporal_prediction":
        missing = conventions.missing_frame(record)
        given = [frame for frame in range(1, 5) if frame != missing]
        return [f"{number}-{frame}.png" for frame in given], f"{number}-{missing}.png"
    count = len(record["images"])
    names = [f"{number}.png"] if count == 1 else [f"{number}-{n + 1}.png" for n in range(count)]
    return names, f"{number}_gt.png"


def _facts(record: Record) -> dict[str, Any]:
    """A record as one flat line of a table."""
    texts = {name: record.get(name) for name in TEXTS}
    source = {f"source_{name}": text for name, text in (record.get("source") or {}).items()}
    return {
        "id": record["id"],
        "category": "/".join(record.get("category") or ()),
        **texts,
        **{f"attribute_{name}": v for name, v in (record.get("attributes") or {}).items()},
        **source,
    }


def _named(record: Record) -> dict[str, str]:
    """Column -> picture."""
    images = record["images"]
    made = {"input": images[0]}
    made |= {f"input_{n}": path for n, path in enumerate(images[1:], start=2)}
    made |= {f"mask_{name}": path for name, path in (record.get("masks") or {}).items()}
    return made | ({"reference": record["reference"]} if record.get("reference") else {})


def _imagefolder(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``<split>/metadata.jsonl`` beside the pictures that its ``…file_name`` columns name."""
    names: dict[str, str] = {}
    lines: dict[str, list[bytes]] = {}
    for _, record in samples:
        split = _split(record)
        line = _facts(record)
        for column, path in _named(record).items():
            place = f"{column}/{record['id']}.png"
            _copy(data, path, root / split / place)
            line["file_name" if column == "input" else f"{column}_file_name"] = place
        lines.setdefault(split, []).append(orjson.dumps(line) + b"\n")
        names[record["id"]] = record["id"]
    for split, every in lines.items():
        write_bytes(root / split / "metadata.jsonl", b"".join(every))
    return names


def _parquet(data: DataSet, root: Path, samples: Numbered) -> dict[str, str]:
    """``data/<split>.parquet``: a line a sample, pictures as {bytes, path}."""
    import duckdb

    by_split: dict[str, list[Record]] = {}
    for _, record in samples:
        by_split.setdefault(_split(record), []).append(record)
    (root / "data").mkdir()
    for split, records in by_split.items():
        pictures = list(dict.fromkeys(c for r in records for c in _named(r)))
        facts = list(dict.fromkeys(c for r in records for c in _facts(r)))
        columns = [f'"{name}" VARCHAR' for name in _columns(facts)]
        columns += [f'"{c}" STRUCT(bytes BLOB, path VARCHAR)' for c in pictures]
        with duckdb.connect() as db:
            db.execute(f"CREATE TABLE samples ({', '.join(columns)})")
            for record in records:
                told, named = _facts(record), _named(record)
                values: list[Any] = [None if told.get(c) is None else str(told[c]) for c in facts]
                values += [_picture(data, record["id"], c, named.get(c)) for c in pictures]
                db.execute(f"INSERT INTO samples VALUES ({', '.join('?' * len(values))})", values)
            place = str(root / "data" / f"{split}.parquet").replace("'", "''")
            try:
                db.execute(f"COPY samples TO '{place}' (FORMAT parquet)")
            except duckdb.IOException as error:
                why = str(error).rpartition(": ")[2].partition('"')[0]
                raise OSError(errno.EIO, f"{split}.parquet: {why}") from error
    return {record["id"]: record["id"] for _, record in samples}


def _split(record: Record) -> str:
    """The split as a name of a folder."""
    return file_name(record.get("split") or "test")


def _columns(names: Sequence[str]) -> list[str]:
    """Names of columns for facts: a database takes those that differ in case only as one, so each
    further one has a number.
    """
    made: list[str] = []
    taken: set[str] = set()
    for name in names:
        stem = plain(name).replace('"', "_") or "_"
        column, number = stem, 1
        while column.casefold() in taken:
            number += 1
            column = f"{stem}_{number}"
        taken.add(column.casefold())
        made.append(column)
    return made


def _picture(data: DataSet, identity: str, column: str, path: str | None) -> Any:
    if path is None:
        return None
    return {"bytes": png_file(data, path), "path": f"{identity}_{column}.png"}


_WRITERS: Mapping[str, Callable[[DataSet, Path, Numbered], dict[str, str]]] = {
    "texteditbench": _texteditbench,
    "textedit": _textedit,
    "medebench": _medebench,
    "krisbench": _krisbench,
    "imagefolder": _imagefolder,
    "parquet": _parquet,
}

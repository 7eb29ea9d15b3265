"""The fields of a sample that people write, as one table: the page's form and ``NAME=VALUE`` at the
command line are made of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from editgauge.curation import intake, masks, privacy, review
from editgauge.curation.dataset import DataSet
from editgauge.curation.records import MASKS, PROTOCOLS, SOURCE, TEXTS, VERDICTS, About, Record
from editgauge.errors import UsageError, meant
from editgauge.images import read_mask
from editgauge.types import JsonMapping, JsonObject
from editgauge.web.log import Act

WHOLE = "."
"""In place of a sample's id: what is said of the whole set."""
_ABOUT = ("title", "description", "licence", "protocol")
_TEB, _TE, _MED, _KRIS = PROTOCOLS


class Field(NamedTuple):
    """What a field is for, and the protocols whose scorers, prompts, tables or layout read it."""

    help: str
    protocols: Sequence[str]


_FIELDS: Sequence[tuple[Sequence[str], Mapping[str, str]]] = [
    (PROTOCOLS, {
        "instruction": "What the model is asked, as a person would say it.",
        "protocol": "Whose metrics, tables and judge measure the sample.",
    }),
    ((_TEB, _TE), {
        "source_text": "The words that are replaced, as they stand in the input.",
        "target_text": "The words that are to stand there afterwards.",
    }),
    ((_TE,), {
        "caption": "What the edited picture shows, in one sentence.",
        "textedit_category": "TextEdit's class: 2.1.",
    }),
    ((_TEB, _KRIS), {"knowledge": "What one must know to judge the edit; judges read it."}),
    ((_MED,), {
        "change": "What the right edit changes: modality, action, entity, region.",
        "concept": "What is edited, in a word or two: pneumothorax.",
        "rephrased": "The instruction once more, in other words.",
        "organ": "Else the category's first step.",
        "task": "Else the category's second step.",
    }),
    ((_TEB,), {
        "topic": "Data & Analytics…; else the category's first step.",
        "operation": "text_change…; else the category's second step.",
        "num_text_regions": "0, 1 or 2.",
        "text_length": "0, 1 or 2.",
        "font_complexity": "0: plain, 1: styled, 2: artistic.",
        "language": "0: English, 1: another, 2: several.",
        "surface_geometry": "0: flat, 1: in perspective, 2: curved.",
        "occlusion": "0: none, 1: partly, 2: heavy.",
        "context_dependency": "0: no, 2: other texts must change, too.",
        "background_clutter": "0: clean, 1: some, 2: much.",
        "task_category": "0, 1 or 2.",
        "semantic_linkage": "0, 1 or 2.",
    }),
    ((_KRIS,), {
        "kris_task": "KRIS-Bench's folder: color_change, temporal_prediction…",
        "missing_frame": "Which of four frames is to be made: 1 to 4.",
    }),
    (PROTOCOLS, {
        "category": "Broad to narrow, with /: Lung/remove nodule.",
        "split": "train, dev, test…",
        "url": "Where the picture comes from.",
        "licence": "Under which it may be handed on.",
        "consent": "Who agreed, how and when.",
    }),
]  # fmt: skip
FIELDS: Mapping[str, Field] = {
    name: Field(said, protocols) for protocols, fields in _FIELDS for name, said in fields.items()
}
_ACTS = ("reference", "mask", "originals", "review", "state", "rename")
"""What `set_words` does besides setting fields."""
_PLAIN = (*TEXTS, "split", "protocol")


def texts_of(record: Record) -> dict[str, str]:
    """Every field of a record as text, those that it has of its own included."""
    facts: JsonObject = dict.fromkeys(FIELDS, "")
    facts.update(record.attributes, **record.source, category="/".join(record.category))
    facts.update((name, getattr(record, name)) for name in _PLAIN)
    return {name: str(value) for name, value in facts.items()}


def patch_of(record: Record, given: Mapping[str, str]) -> JsonObject:
    """The fields of a record that are set by a name of `FIELDS`, of an attribute that it has, or
    ``attribute.NAME``. An empty value takes one out. Raises `UsageError` for any other name.
    """
    patch: JsonObject = {}
    for name, value in given.items():
        room, _, rest = name.partition(".")
        if name in _PLAIN:
            patch[name] = value or None
        elif name == "category":
            patch[name] = [step.strip() for step in value.split("/") if step.strip()]
        elif name in SOURCE:
            patch["source"] = _with(patch.get("source", record.source), name, value)
        elif (room == "attribute" and rest) or name in record.attributes or name in FIELDS:
            facts = patch.get("attributes", record.attributes)
            patch["attributes"] = _with(facts, rest or name, _value(value))
        else:
            known = [
                *FIELDS,
                "reference",
                "mask",
                "review",
                "state",
                "rename",
                "originals",
                *record.attributes,
            ]
            hint = meant(name, known, f"fields are: {', '.join(known)};")
            new = f"a new attribute is attribute.{name}=VALUE"
            raise UsageError(f"{name!r}: no field of a sample; {hint} {new}")
    return patch


def fields_of(given: Mapping[str, str]) -> JsonObject:
    """Fields of new samples. Raises `UsageError` as `patch_of`."""
    return patch_of(Record("new", ["new.png"]), {name: v for name, v in given.items() if v})


def set_words(
    data: DataSet, sample: str, pairs: Sequence[str], who: str, *, note: str = ""
) -> Record | About:
    """Do what ``NAME=VALUE`` pairs say of a sample, in this order: its fields (see `patch_of`),
    ``reference=FILE`` (with ``align=none`` as it is), ``mask=difference`` or ``mask=FILE``
    (``mask.roi=…``), ``originals=delete``, ``review=VERDICT``, ``state=…``,
    ``rename=ID`` (empty: a neutral one); or (`WHOLE`) of the set and its policy. Returns it as it
    is then. Raises `UsageError` for a name that there is not, `DataError` for a value that is none.
    """
    given = dict(map(_split, pairs))
    if sample == WHOLE:
        return data.describe(who, **_about(data.about, given))
    state, verdict = given.pop("state", ""), given.pop("review", "")
    new = given.pop("rename", None)
    originals = given.pop("originals", "")
    reference, align = given.pop("reference", ""), given.pop("align", "affine")
    if originals not in ("", "delete"):
        raise UsageError(f"originals {originals!r}: wanted originals=delete")
    drawn = {n: given.pop(n) for n in list(given) if n.partition(".")[0] == "mask"}
    if verdict not in ("", *VERDICTS):
        raise UsageError(f"review {verdict!r}: wanted one of {', '.join(VERDICTS)}")
    if state == "verified":
        raise UsageError("state 'verified': reviews verify a sample; wanted review=accept")
    record, act = data.record(sample), Act(who, note=note)
    record = data.change(sample, record.version, patch_of(record, given), act)
    if reference:
        how = intake.Intake(who=who, align=align)
        record = intake.give_reference(data, sample, Path(reference), how)
    for name, source in drawn.items():
        record = _masked(data, record, name, source, who)
    if originals:
        record = privacy.delete_originals(data, sample, who)
    if verdict:
        expert = any((p.name, p.role) == (who, review.EXPERT) for p in data.log.people())
        seen = review.content_of(record)
        record = review.review(data, sample, seen, verdict, who, comment=note, expert=expert)
    if state:
        record = data.change(sample, record.version, {"state": state}, Act(who, state, note))
    return record if new is None else data.rename(sample, new, who)


def _masked(data: DataSet, record: Record, name: str, source: str, who: str) -> Record:
    """Give a sample the mask ``mask`` or ``mask.NAME`` from the difference of its pair, or from a
    file of the input's size in which the area that may change is bright.
    """
    mask = name.partition(".")[2] or "input"
    if mask not in MASKS:
        raise UsageError(f"{name}: wanted mask, or mask.{', mask.'.join(MASKS)}")
    if source == "difference":
        drawing = masks.propose(data, record)
        note = "from difference"
    else:
        drawing = read_mask(Path(source))
        note = "from a file"
    return masks.save(data, record.id, record.version, mask, drawing, who, note=note)


def _about(about: About, given: Mapping[str, str]) -> JsonObject:
    policy = msgspec.to_builtins(about.policy)
    for name, value in given.items():
        if name == "reviews":
            policy[name] = _value(value)
        elif name in policy:
            policy[name] = [word.strip() for word in value.split(",") if word.strip()]
        elif name not in _ABOUT:
            there = ", ".join((*_ABOUT, *policy))
            raise UsageError(f"{name!r}: said of no set; wanted some of {there}")
    return {name: given[name] for name in _ABOUT if name in given} | {"policy": policy}


def _split(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not sign or not name.strip():
        raise UsageError(f"{pair!r}: wanted NAME=VALUE")
    return name.strip(), value.strip()


def _value(text: str) -> str | int:
    return int(text) if text.lstrip("-").isdecimal() and len(text) < 16 else text


def _with(facts: JsonMapping, name: str, value: Any) -> JsonObject:
    return {key: one for key, one in {**facts, name: value}.items() if key != name or one != ""}

"""What edit records say of how an editor was varied: swept settings, and what it had learned from.

`editors.tracks` writes it into the settings of every edit, so that tables need not read names::

    "swept":    {"of": "instructpix2pix", "values": {"guidance_scale": 3, "seed": 1}}
    "learning": {"of": "instructpix2pix", "kind": "tuned", "samples": 8}
    "template": "Edit this image: {instruction}"

A run may come from anybody: what has another shape is no variant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

LEARNING = ("tuned", "shots")
"""How an editor can learn from samples: fine-tuned on them, or shown them before each sample."""
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Swept:
    """One variant of a sweep: the editor that it is a variant of, and the settings that differ."""

    of: str
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Learned:
    """How many samples an editor learned from: `kind` is one of `LEARNING`."""

    of: str
    kind: str
    samples: int


@dataclass(frozen=True, slots=True)
class Variants:
    """What the records of edits say, by the editors' names."""

    swept: Mapping[str, Swept] = field(default_factory=dict)
    learned: Mapping[str, Learned] = field(default_factory=dict)


def variants(records: Iterable[tuple[str, Mapping[str, Any]]]) -> Variants:
    """From (editor, settings) of edit records: of each editor the first record that says so."""
    swept: dict[str, Swept] = {}
    learned: dict[str, Learned] = {}
    for editor, settings in records:
        if editor not in swept and (one := _swept(settings.get("swept"))) is not None:
            swept[editor] = one
        if editor not in learned and (other := _learned(settings.get("learning"))) is not None:
            learned[editor] = other
    return Variants(swept, learned)


def row_detail(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the detail of a row says of how its output was asked for: the ids of the demonstrations
    and the template of the prompt, where there were any.
    """
    found: dict[str, Any] = {}
    if shown := settings.get("demonstrations"):
        found["demonstrations"] = list(shown)
    if template := settings.get("template"):
        found["template"] = str(template)
    return found


def marks(settings: Mapping[str, Any]) -> list[str]:
    """What of the asking is part of a row's fingerprint: nothing without a template, so that rows
    of earlier versions keep theirs.
    """
    template = settings.get("template")
    return [f"template {template}"] if template else []


def _swept(value: Any) -> Swept | None:
    if not isinstance(value, Mapping):
        return None
    of, values = value.get("of"), value.get("values")
    if not isinstance(of, str) or not isinstance(values, Mapping) or not values:
        return None
    plain = all(v is None or isinstance(v, str | int | float | bool) for v in values.values())
    return Swept(of, {str(name): v for name, v in values.items()}) if plain else None


def _learned(value: Any) -> Learned | None:
    if not isinstance(value, Mapping):
        return None
    of, kind, samples = (value.get(name) for name in ("of", "kind", "samples"))
    if not isinstance(of, str) or kind not in LEARNING:
        return None
    whole = isinstance(samples, int) and not isinstance(samples, bool) and samples >= 0
    return Learned(of, str(kind), samples) if whole and isinstance(samples, int) else None

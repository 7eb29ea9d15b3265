"""What edit records say of how an editor was asked: what it had learned from, and the words around
its instruction.

`editors.tracks` writes it into the settings of every edit, so that tables need not read names::

    "learning": {"of": "instructpix2pix", "kind": "tuned", "samples": 8}
    "template": "Edit this image: {instruction}"

A run may come from anybody: what has another shape says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LEARNING = ("tuned", "shots")
"""How an editor can learn from samples: fine-tuned on them, or shown them before each sample."""


@dataclass(frozen=True, slots=True)
class Learned:
    """How many samples an editor learned from: `kind` is one of `LEARNING`."""

    of: str
    kind: str
    samples: int


def learned(records: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Learned]:
    """Editor -> what it learned from, by (editor, settings) of edit records: of each editor the
    first record that says so.
    """
    told: dict[str, Learned] = {}
    for editor, settings in records:
        if editor not in told and (one := _learned(settings.get("learning"))) is not None:
            told[editor] = one
    return told


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


def _learned(value: Any) -> Learned | None:
    if not isinstance(value, Mapping):
        return None
    of, kind, samples = (value.get(name) for name in ("of", "kind", "samples"))
    if not isinstance(of, str) or kind not in LEARNING:
        return None
    whole = isinstance(samples, int) and not isinstance(samples, bool) and samples >= 0
    return Learned(of, str(kind), samples) if whole and isinstance(samples, int) else None

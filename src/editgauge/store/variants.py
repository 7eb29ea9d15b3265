"""What edit records say of how an editor was asked: what it had learned from, and the words around
its instruction.

`editors.tracks` writes it into the settings of every edit, so that tables need not read names::

    "learning": {"of": "instructpix2pix", "kind": "tuned", "samples": 8}
    "template": "Edit this image: {instruction}"

A run may come from anybody: what has another shape says nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from editgauge.types import JsonMapping, JsonObject


class Learned(msgspec.Struct, frozen=True):
    """How many samples an editor learned from: fine-tuned on them, or shown them before each."""

    of: str
    kind: Literal["tuned", "shots"]
    samples: Annotated[int, msgspec.Meta(ge=0)]


def learned(records: Iterable[tuple[str, JsonMapping]]) -> dict[str, Learned]:
    """Editor -> what it learned from, by (editor, settings) of edit records: of each editor the
    first record that says so.
    """
    known: dict[str, Learned] = {}
    for editor, settings in records:
        with contextlib.suppress(msgspec.ValidationError):
            if editor not in known and "learning" in settings:
                known[editor] = msgspec.convert(settings["learning"], Learned)
    return known


def row_detail(settings: JsonMapping) -> JsonObject:
    """What the detail of a row says of how its output was asked for: the ids of the demonstrations
    and the template of the prompt, where there were any.
    """
    return {name: settings[name] for name in ("demonstrations", "template") if settings.get(name)}


def marks(settings: JsonMapping) -> list[str]:
    """What of the asking is part of a row's fingerprint: nothing without a template."""
    return [f"template {settings['template']}"] if settings.get("template") else []

"""What is known of a benchmark's samples, and the labels by which tables are sliced."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UnknownName

Mask = NDArray[np.bool_]
_HAS = ("knowledge", "reference")


class Samples:
    """What is known of a benchmark's samples, in the benchmark's order: the records of
    `RunFolder.samples`.
    """

    def __init__(self, records: Iterable[Mapping[str, Any]]) -> None:
        merged: dict[str, Mapping[str, Any]] = {}
        for record in records:
            if isinstance(record.get("id"), str):
                merged.setdefault(record["id"], record)
        self.records: dict[str, Mapping[str, Any]] = merged
        self.ids: tuple[str, ...] = tuple(merged)
        self._labels: dict[str, NDArray[np.str_]] = {}
        self._names: list[str] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def names(self) -> list[str]:
        """What samples can be sliced by: split, category and its levels, and every attribute any
        sample has.
        """
        if self._names is None:
            deepest = max((len(_levels(record)) for record in self.records.values()), default=0)
            levels = [f"category{level + 1}" for level in range(deepest)]
            found = ["split", "category", *levels, *(f"has_{name}" for name in _HAS)]
            attributes = {
                name
                for record in self.records.values()
                for name in mapping(record.get("attributes"))
            }
            self._names = found + sorted(attributes - set(found))
        return list(self._names)

    def labels(self, by: str) -> NDArray[np.str_]:
        """One text for each sample, "" where it has none: shape (S,).

        `by` is ``split``, ``category`` (its levels joined by ``/``), ``category1``… (one level,
        broad to narrow), ``has_knowledge`` or ``has_reference`` (true, false), or an attribute.
        Raises `UnknownName` when no sample has it, naming what there is.
        """
        if by not in self._labels:
            names = self.names()
            if by not in names:
                near = difflib.get_close_matches(by, names, n=3, cutoff=0.5)
                hint = (
                    f"did you mean {' or '.join(near)}?"
                    if near
                    else f"there are: {', '.join(names)}"
                )
                raise UnknownName(f"samples have no attribute {by!r}; {hint}")
            self._labels[by] = np.array(
                [_label(record, by) for record in self.records.values()], dtype=np.str_
            )
        return self._labels[by]

    def where(self, conditions: Mapping[str, str]) -> Mask:
        """Which samples have all these labels: shape (S,). An unknown attribute raises
        `UnknownName`.
        """
        mask = np.ones(len(self), dtype=np.bool_)
        for by, wanted in conditions.items():
            mask &= self.labels(by) == wanted
        return mask


def mapping(value: Any) -> Mapping[str, Any]:
    """A run folder may come from anybody: what is no mapping is none."""
    return value if isinstance(value, Mapping) else {}


def _levels(record: Mapping[str, Any]) -> list[Any]:
    value = record.get("category")
    return list(value) if isinstance(value, list | tuple) else []


def _label(record: Mapping[str, Any], by: str) -> str:
    category = _levels(record)
    if by == "split":
        return str(record.get("split") or "")
    if by == "category":
        return "/".join(map(str, category))
    if by in {f"has_{name}" for name in _HAS}:
        return "true" if record.get(by[4:]) else "false"
    if (
        by.startswith("category")
        and by[8:].isdigit()
        and by not in mapping(record.get("attributes"))
    ):
        level = int(by[8:]) - 1
        return str(category[level]) if level < len(category) else ""
    value = mapping(record.get("attributes")).get(by)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)

"""What is known of a benchmark's samples, and the labels by which commands are narrowed and tables
sliced: ``--where`` has one meaning for those that read the data and those that read a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UnknownName, UsageError, meant
from editgauge.types import JsonMapping

Mask = NDArray[np.bool_]
_HAS = ("has_knowledge", "has_reference")


class Samples:
    """What is known of a benchmark's samples, in its order: the records of `Run.samples`."""

    def __init__(self, records: Iterable[JsonMapping]) -> None:
        self.records: dict[str, JsonMapping] = {}
        for record in records:
            self.records.setdefault(record["id"], record)
        self.ids: tuple[str, ...] = tuple(self.records)
        self._labels: dict[str, NDArray[Any]] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return len(self.ids)

    def names(self) -> list[str]:
        """What samples can be sliced by: split, category and its levels, any attribute."""
        if not self._names:
            every = self.records.values()
            deepest = max((len(one.get("category", ())) for one in every), default=0)
            levels = [f"category{level + 1}" for level in range(deepest)]
            names = ["split", "category", *levels, *_HAS]
            attributes = {name for one in every for name in one.get("attributes", ())}
            self._names = names + sorted(attributes - set(names))
        return list(self._names)

    def labels(self, by: str) -> NDArray[Any]:
        """One text for each sample, "" where it has none: objects of shape (S,).

        `by` is ``split``, ``category`` (its levels joined by ``/``), ``category1``… (one level,
        broad to narrow), ``has_knowledge`` or ``has_reference`` (true, false), or an attribute.
        Raises `UnknownName` when no sample has it, naming what there is.
        """
        if by not in self._labels:
            if by not in (names := self.names()):
                offered = meant(by, names, f"there are: {', '.join(names)}")
                raise UnknownName(f"samples have no attribute {by!r}; {offered}")
            values = [_label(record, by) for record in self.records.values()]
            self._labels[by] = np.array(values, dtype=object)
        return self._labels[by]

    def matching(self, clauses: Sequence[str]) -> Mask:
        """Which samples have all labels of ``name=value`` clauses: shape (S,).

        Raises `UsageError` for a clause without ``=`` and where no sample is left, `UnknownName`
        for a name or a value that no sample has, with the nearest ones.
        """
        mask = np.ones(len(self), dtype=np.bool_)
        for clause in clauses:
            name, sign, value = clause.partition("=")
            if not sign or not name:
                why = f"{clause!r}: wanted attribute=value, for example split=real"
                raise UsageError(why, argument="where")
            values = sorted({*self.labels(name).tolist()} - {""})
            if value not in values:
                offered = meant(value, values, f"there are: {', '.join(values[:12])}")
                raise UnknownName(
                    f"{clause!r}: no sample has this value; {offered}", argument="where"
                )
            mask &= self.labels(name) == value
        if clauses and not mask.any():
            why = f"leaves no sample: {' and '.join(map(repr, clauses))} have none in common"
            raise UsageError(why, argument="where")
        return mask

    def where(self, conditions: Mapping[str, str]) -> Mask:
        """Which samples have all these labels: shape (S,); raises as `labels`."""
        mask = np.ones(len(self), dtype=np.bool_)
        for by, wanted in conditions.items():
            mask &= self.labels(by) == wanted
        return mask


def mapping(value: Any) -> JsonMapping:
    """A run folder may come from anybody: what is no mapping is none."""
    return value if isinstance(value, Mapping) else {}


def _label(record: JsonMapping, by: str) -> str:
    category, attributes = record.get("category", ()), record.get("attributes", {})
    value: Any = attributes.get(by)
    if by == "split":
        value = record.get("split")
    elif by == "category":
        value = "/".join(category)
    elif by in _HAS:  # a run keeps a reference only where the sample was chosen, and says so
        value = bool(record.get(by, record.get(by[4:])))
    elif by.startswith("category") and by[8:].isdigit() and by not in attributes:
        value = (*category, *[""] * int(by[8:]))[int(by[8:]) - 1]
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)

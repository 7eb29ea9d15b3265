"""What is known of a benchmark's samples, and the labels by which commands are narrowed and tables
sliced: ``--where`` has one meaning for those that read the data and those that read a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editgauge.errors import UnknownName, UsageError, meant

Mask = NDArray[np.bool_]
_HAS = ("has_knowledge", "has_reference")
_ROOM = 1 << 24
"""Letters of all labels of one name in an array of NumPy's own texts at the most: it gives each of
them the room of the longest.
"""


class Samples:
    """What is known of a benchmark's samples, in the benchmark's order: the records of
    `Run.samples`.
    """

    def __init__(self, records: Iterable[Mapping[str, Any]]) -> None:
        self.records: dict[str, Mapping[str, Any]] = {}
        for record in records:
            self.records.setdefault(record["id"], record)
        self.ids: tuple[str, ...] = tuple(self.records)
        self._labels: dict[str, NDArray[Any]] = {}
        self._names: list[str] = []

    def __len__(self) -> int:
        return len(self.ids)

    def names(self) -> list[str]:
        """What samples can be sliced by: split, category and its levels, and every attribute any
        sample has.
        """
        if not self._names:
            every = self.records.values()
            deepest = max((len(one.get("category", ())) for one in every), default=0)
            levels = [f"category{level + 1}" for level in range(deepest)]
            names = ["split", "category", *levels, *_HAS]
            attributes = {name for one in every for name in one.get("attributes", ())}
            self._names = names + sorted(attributes - set(names))
        return list(self._names)

    def labels(self, by: str) -> NDArray[Any]:
        """One text for each sample, "" where it has none: shape (S,); of `str` objects where one of
        the texts is very long.

        `by` is ``split``, ``category`` (its levels joined by ``/``), ``category1``… (one level,
        broad to narrow), ``has_knowledge`` or ``has_reference`` (true, false), or an attribute.
        Raises `UnknownName` when no sample has it, naming what there is.
        """
        if by not in self._labels:
            names = self.names()
            if by not in names:
                offered = _near(by, names) or f"there are: {', '.join(names)}"
                raise UnknownName(f"samples have no attribute {by!r}; {offered}")
            values = [_label(record, by) for record in self.records.values()]
            room = len(values) * max(map(len, values), default=0)
            self._labels[by] = np.array(values, dtype=np.str_ if room <= _ROOM else object)
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
            try:
                labels = self.labels(name)
            except UnknownName as error:
                raise UnknownName(f"{clause!r}: {error}", argument="where") from error
            if value not in labels:
                values = sorted(set(labels.tolist()) - {""})
                why = (
                    f"{clause!r}: no sample has this value; {_near(value, values)}{name} "
                    f"is one of: {', '.join(values[:12])}{', …' if len(values) > 12 else ''}"
                )
                raise UnknownName(why, argument="where")
            mask &= labels == value
        if clauses and not mask.any():
            message = " and ".join(map(repr, clauses))
            why = f"leaves no sample: {message} have none in common"
            raise UsageError(why, argument="where")
        return mask

    def where(self, conditions: Mapping[str, str]) -> Mask:
        """Which samples have all these labels: shape (S,); raises as `labels`."""
        mask = np.ones(len(self), dtype=np.bool_)
        for by, wanted in conditions.items():
            mask &= self.labels(by) == wanted
        return mask


def mapping(value: Any) -> Mapping[str, Any]:
    """A run folder may come from anybody: what is no mapping is none."""
    return value if isinstance(value, Mapping) else {}


def _near(given: str, known: Sequence[str]) -> str:
    hint = meant(given, known)
    return f"{hint} " if hint else ""


def _label(record: Mapping[str, Any], by: str) -> str:
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

"""What a command is narrowed to: samples by id and attribute, statuses, ``key=value`` words."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

from editgauge.errors import UsageError
from editgauge.types import Sample, Status


def choose(
    samples: Sequence[Sample],
    *,
    limit: int | None = None,
    ids: Sequence[str] = (),
    where: Sequence[str] = (),
) -> list[Sample]:
    """The samples that a command is narrowed to, in order: by id, by ``attribute=value``, then the
    first `limit`.

    ``split`` and ``category`` (joined by ``/``) may be named like attributes. Raises `UsageError`
    for an id, an attribute or a value that no sample has, naming some that there are, and when no
    sample is left.
    """
    chosen = list(samples)
    if ids:
        known = {sample.id for sample in samples}
        unknown = [name for name in ids if name not in known]
        if unknown:
            some = ", ".join(sorted(known)[:5])
            raise UsageError(
                f"--sample {unknown[0]!r}: there is no such sample; ids look like: {some}"
            )
        chosen = [sample for sample in chosen if sample.id in set(ids)]
    for clause in where:
        name, sign, value = clause.partition("=")
        if not sign:
            raise UsageError(
                f"--where {clause!r}: wanted attribute=value, for example --where split=real"
            )
        names = sorted(
            {key for sample in samples for key in sample.attributes} | {"split", "category"}
        )
        if name not in names:
            raise UsageError(
                f"--where {clause!r}: no sample has {name!r}; there are: {', '.join(names)}"
            )
        values = sorted({str(_text(sample, name)) for sample in samples} - {"None", ""})
        if value not in values:
            raise UsageError(
                f"--where {clause!r}: no sample has this value; {name} is one of: "
                f"{', '.join(values[:12])}"
            )
        chosen = [sample for sample in chosen if _text(sample, name) == value]
    if not chosen:
        raise UsageError(
            f"no sample is left: {' and '.join(map(repr, (*ids, *where)))} have none in common"
        )
    return chosen if limit is None else chosen[:limit]


def _text(sample: Sample, name: str) -> Any:
    if name == "split":
        return sample.split
    if name == "category":
        return "/".join(sample.category)
    value = sample.attributes.get(name)
    return (
        str(value).lower() if isinstance(value, bool) else (None if value is None else str(value))
    )


def one_of(option: str, given: str, known: Sequence[str]) -> str:
    """`given` if it is one of the known words. Raises `UsageError` naming them."""
    if given not in known:
        near = difflib.get_close_matches(given, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{option} {given!r}: wanted one of {', '.join(known)}{hint}")
    return given


def conditions(given: Sequence[str] | None) -> dict[str, str]:
    """``attribute=value`` words as a mapping. Raises `UsageError` for one without ``=``."""
    found = {}
    for word in given or ():
        name, sign, value = word.partition("=")
        if not sign or not name:
            raise UsageError(f"--where {word!r}: wanted attribute=value, such as topic=Posters")
        found[name] = value
    return found


def statuses(text: str) -> frozenset[Status]:
    """``failed,refused`` as statuses. Raises `UsageError` for a word that is none."""
    found = set()
    for word in filter(None, (part.strip() for part in text.split(","))):
        try:
            found.add(Status(word))
        except ValueError:
            raise UsageError(
                f"--retry {word!r}: wanted one of {', '.join(s.value for s in Status)}"
            ) from None
    return frozenset(found)


def settings(pairs: Sequence[str]) -> dict[str, str]:
    """``key=value`` options as a mapping. Raises `UsageError` for one without a sign."""
    found = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise UsageError(f"--set {pair!r}: wanted key=value")
        found[name] = value
    return found

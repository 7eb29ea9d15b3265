"""What a command is narrowed to: samples by id and attribute, statuses, ``key=value`` words."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editgauge.errors import UsageError
from editgauge.store.labels import Samples
from editgauge.store.measured import measured, names_of
from editgauge.store.schema import sample_record
from editgauge.types import Sample, Status

_MOST_BYTES = 64 * 2**20


def choose(
    samples: Sequence[Sample],
    *,
    limit: int | None = None,
    ids: Sequence[str] = (),
    where: Sequence[str] = (),
) -> list[Sample]:
    """The samples that a command is narrowed to, in order: by id, by ``name=value`` clauses (see
    `labels.Samples.matching`), then the first `limit`. ``@FILE`` stands for the ids in a file, one
    a line, as a report writes them.

    An attribute that only pictures tell (`measured`) is measured where a clause asks for it. Raises
    `UsageError` for an id that no sample has, for a clause that means nothing here, and when no
    sample is left.
    """
    chosen = list(samples)
    ids = listed(ids)
    if ids:
        known = {sample.id for sample in samples}
        unknown = [name for name in ids if name not in known]
        if unknown:
            some = ", ".join(sorted(known)[:5])
            why = f"{unknown[0]!r}: there is no such sample; ids look like: {some}"
            raise UsageError(why, argument="samples")
        wanted = set(ids)
        chosen = [sample for sample in chosen if sample.id in wanted]
    if where:
        mask = Samples(_records(samples, where)).matching(where)
        kept = {sample.id for sample, keep in zip(samples, mask, strict=True) if keep}
        chosen = [sample for sample in chosen if sample.id in kept]
    if not chosen:
        raise UsageError(
            f"no sample is left: {' and '.join(map(repr, (*ids, *where)))} have none in common"
        )
    return chosen if limit is None else chosen[:limit]


def listed(ids: Sequence[str]) -> list[str]:
    """The ids, those of the files among them (``@FILE``) in their place; empty lines are passed
    over. Raises `UsageError` for a file that cannot be read or has none.
    """
    found = []
    for given in ids:
        if not given.startswith("@"):
            found.append(given)
            continue
        path = Path(given[1:])
        try:
            if path.stat().st_size > _MOST_BYTES:
                why = f"{given}: wanted a list of ids, found a file of over 64 MB"
                raise UsageError(why, argument="samples")
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else "no UTF-8 text"
            why = f"{given}: wanted a file of ids, one a line ({told})"
            raise UsageError(why, argument="samples") from None
        named = [line.strip() for line in lines if line.strip()]
        if not named:
            why = f"{given}: no id in the file; wanted one a line"
            raise UsageError(why, argument="samples")
        found += named
    return found


def _records(samples: Sequence[Sample], where: Sequence[str]) -> list[dict[str, Any]]:
    """The samples as a run's index has them, as far as labels go."""
    asked = {clause.partition("=")[0] for clause in where}
    if samples and asked & set(names_of(samples[0].benchmark)):
        samples = measured(samples)
    return [sample_record(sample, {}) for sample in samples]


def one_of(argument: str, given: str, known: Sequence[str]) -> str:
    """`given` if it is one of the known words. Raises `UsageError` naming them; of an option
    (``--from-file``) the argument that it stands for.
    """
    if given not in known:
        near = difflib.get_close_matches(given, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        why = f"{given!r}: wanted one of {', '.join(known)}{hint}"
        raise UsageError(why, argument=argument.lstrip("-").replace("-", "_"))
    return given


def statuses(text: str) -> frozenset[Status]:
    """``failed,refused`` as statuses. Raises `UsageError` for a word that is none."""
    found = set()
    for word in filter(None, (part.strip() for part in text.split(","))):
        try:
            found.add(Status(word))
        except ValueError:
            why = f"{word!r}: wanted one of {', '.join(s.value for s in Status)}"
            raise UsageError(why, argument="retry") from None
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

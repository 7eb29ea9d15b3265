"""What a command is narrowed to: samples by id and attribute, statuses, ``key=value`` words."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence, Set
from pathlib import Path

from editgauge.errors import UsageError, meant
from editgauge.store.derived import benchmark_of
from editgauge.store.labels import Samples
from editgauge.store.samples import measured
from editgauge.store.schema import sample_record
from editgauge.types import Sample, Status


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
    if limit is not None and limit < 1:
        raise UsageError(f"{limit}: wanted 1 or more", argument="limit")
    where = several(where)
    known, wanted = {sample.id for sample in samples}, listed(several(ids))
    if unknown := [name for name in wanted if name not in known]:
        some = ", ".join(sorted(known)[:5])
        why = f"{unknown[0]!r}: there is no such sample; ids look like: {some}"
        raise UsageError(why, argument="samples")
    kept = set(wanted) or known
    if where and samples:
        kept &= _matching(samples, where)
    chosen = [sample for sample in samples if sample.id in kept]
    if not chosen:
        clauses = " and ".join(map(repr, (*wanted, *where)))
        raise UsageError(f"no sample is left: {clauses} have none in common")
    return chosen if limit is None else chosen[:limit]


def random_order(sample: str, seed: int = 0) -> bytes:
    """The place of a sample in an order that is random, and the same on every machine."""
    key = f"judge order {seed}".encode()
    return hashlib.blake2b(sample.encode(), digest_size=8, key=key).digest()


def draw(samples: Collection[str], count: int, delivered: Set[str], seed: int = 0) -> set[str]:
    """Draw `count` sample ids at random, the same every time: those that are judged with a limit,
    and those that a judge's ``JUDGE@N`` counts. Samples without any output (not in `delivered`)
    come last: nothing could be judged.
    """
    order = sorted(samples, key=lambda name: (name not in delivered, random_order(name, seed)))
    return set(order[:count])


def _matching(samples: Sequence[Sample], clauses: Sequence[str]) -> set[str]:
    """The ids of the samples that have what all clauses say."""
    benchmark = benchmark_of(samples[0].benchmark)
    told = benchmark.measured if benchmark is not None else ()
    if {clause.partition("=")[0] for clause in clauses} & {*told}:
        samples = measured(samples)
    stored = Samples(sample_record(sample, {}) for sample in samples)
    mask = stored.matching(clauses)
    return {name for name, keep in zip(stored.ids, mask, strict=True) if keep}


def several(names: str | Sequence[str]) -> list[str]:
    """The names; a text alone is one of them."""
    return [names] if isinstance(names, str) else list(names)


def listed(ids: Sequence[str]) -> list[str]:
    """The ids, those of the files among them (``@FILE``) in their place; empty lines are passed
    over. Raises `UsageError` for a file that cannot be read or has none.
    """
    words = []
    for given in ids:
        named = [given]
        if given.startswith("@"):
            try:
                # not `splitlines`: an id may hold a line end of another kind, such as U+2028
                lines = Path(given[1:]).read_text(encoding="utf-8-sig").split("\n")
                named = [line.strip() for line in lines if line.strip()]
            except (OSError, ValueError):
                named = []
        if not named:
            why = f"{given}: wanted a file of ids, one a line, in UTF-8"
            raise UsageError(why, argument="samples")
        words += named
    return words


def one_of(argument: str, given: str, known: Sequence[str]) -> str:
    """`given` if it is one of the known words. Raises `UsageError` naming them."""
    if given not in known:
        wanted = f"wanted one of {', '.join(known)}"
        hint = meant(given, known)
        raise UsageError("; ".join((f"{given!r}: {wanted}", hint)).rstrip("; "), argument=argument)
    return given


def statuses(text: str) -> frozenset[Status]:
    """``failed,refused`` as statuses. Raises `UsageError` for a word that is none."""
    words = filter(None, (part.strip() for part in text.split(",")))
    known = [status.value for status in Status]
    return frozenset(Status(one_of("retry", word, known)) for word in words)


def settings(pairs: Sequence[str]) -> dict[str, str]:
    """``key=value`` options as a mapping. Raises `UsageError` for one without a sign."""
    values = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise UsageError(f"{pair!r}: wanted NAME=VALUE", argument="set")
        values[name] = value
    return values

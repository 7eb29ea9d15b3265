"""Who may work on a data set: personal links, kept as the human study keeps them."""

from __future__ import annotations

from editgauge.curation.dataset import PRIVATE, DataSet
from editgauge.errors import UsageError
from editgauge.study.store import StudyStore

_EXPERT = "-expert"
"""How the pseudonym of an expert ends, in the trail as on the page."""
_OWNER = "owner"


def people(data: DataSet) -> StudyStore:
    """The people of a set, with links as hashes only; a context manager."""
    return StudyStore(data.root / PRIVATE / "people.sqlite")


def invite(data: DataSet, store: StudyStore, name: str, *, expert: bool = False) -> str:
    """Add somebody; returns the token of their link. Raises `UsageError` for no pseudonym, or one
    that is there.
    """
    if name.endswith(_EXPERT) and not expert:
        raise UsageError(f"{name!r}: names that end in {_EXPERT} are those of --expert")
    called = f"{name}{_EXPERT}" if expert and not name.endswith(_EXPERT) else name
    token = store.invite(called)
    data.note(called, "invited")
    return token


def revoke(data: DataSet, store: StudyStore, name: str) -> None:
    """Make a link useless. Raises `UsageError` for somebody who is not there."""
    there = {item.pseudonym for item in store.annotators()}
    called = name if name in there else f"{name}{_EXPERT}"
    store.revoke(called)
    data.note(called, "revoked")


def first_link(store: StudyStore, base: str) -> str:
    """A link for the owner, where nobody was invited yet; else nothing."""
    if store.annotators():
        return ""
    return f"{base}/a/{store.invite(_OWNER)}"


def is_expert(name: str) -> bool:
    """Whether somebody was invited as an expert."""
    return name.endswith(_EXPERT)

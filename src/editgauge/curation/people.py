"""Who may work on a data set: personal links, of which the set keeps hashes only."""

from __future__ import annotations

from editgauge.curation.dataset import DataSet
from editgauge.web.log import Person

EXPERT = "expert"
"""The role of who may accept samples that need an expert."""
_OWNER = "owner"


def invite(data: DataSet, name: str, *, expert: bool = False) -> str:
    """Add somebody; returns the token of their link. Raises `UsageError` for no pseudonym, or one
    that is there.
    """
    return data.log.invite(name, EXPERT if expert else "")


def owner_link(data: DataSet, base: str) -> str:
    """A new link for the owner, who starts the server; an older one of theirs ends with it."""
    if any(person.name == _OWNER and not person.revoked for person in data.log.people()):
        data.log.revoke(_OWNER)
    return f"{base}/a/{data.log.invite(_OWNER)}"


def is_expert(person: Person) -> bool:
    """Whether somebody was invited as an expert."""
    return person.role == EXPERT

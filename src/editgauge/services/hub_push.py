"""A folder sent to a hub as one commit of a data set; what came of it is the commit's id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import DownloadError, MissingExtra, UsageError
from editgauge.services import hub

CARD = "README.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What lies on the hub now."""

    repo: str
    commit: str
    files: int
    bytes: int


def push(
    folder: Path, files: Iterable[str], repo: str, *, card: str, private: bool, message: str
) -> Pushed:
    """Send files of a folder, by their paths below it, and a card as one commit on the branch
    ``main`` of a data set, which is made where it is not there. Files of an earlier push that are
    not among them stay.

    Raises `UsageError` without a key or for a name that is none, and `DownloadError` where the hub
    refuses.
    """
    hub.checked(repo)
    client = hub.client()
    if not client.token:
        raise UsageError("HF_TOKEN is not set: a hub takes files from known users only")
    try:
        from huggingface_hub import CommitOperationAdd
    except ImportError:
        raise MissingExtra("sending a run", "huggingface_hub", "hub") from None
    names = sorted(files)
    sizes = [(folder / name).stat().st_size for name in names]
    operations = [CommitOperationAdd(name, str(folder / name)) for name in names]
    operations.append(CommitOperationAdd(CARD, card.encode()))
    with hub.answering(repo):
        client.create_repo(repo, repo_type="dataset", private=private, exist_ok=True)
        done = client.create_commit(repo, operations, commit_message=message, repo_type="dataset")
    if not hub.is_commit(done.oid):
        raise DownloadError(f"{repo}: wanted the new commit's id, found {str(done.oid)[:60]!r}")
    return Pushed(repo=repo, commit=done.oid, files=len(names), bytes=sum(sizes))

"""Data sets on a hub (huggingface.co's interface): fetched at one commit with the hub's own
checksums.

The library `huggingface_hub` talks to the hub: pages, resuming, mirrors, its large-file store. Ours
is what a measurement needs beyond that. A data set is fetched at a **commit**: a branch or tag that
is asked for is resolved first, and what it was is written into the folder (`LOCK_FILE`), so that a
later call continues or checks the same state whatever the branch has become. Every file is verified
after it came, large ones by SHA-256, small ones by git's blob id, as the hub lists them. Nothing is
written outside the folder or through a link.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec
import orjson

from editgauge import machine
from editgauge.errors import DataError, DownloadError, EditgaugeError, MissingExtra, UsageError
from editgauge.images import write_bytes
from editgauge.services.download import HINTS
from editgauge.store import paths
from editgauge.types import DataSource

ENDPOINT = "https://huggingface.co"
LOCK_FILE = ".editgauge-source.json"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\\\ud800-\udfff]{1,1024}")
_HIDDEN = re.compile(r"(?:^|/)\.(?!\.?/)[^/]*/")
"""Within a hidden folder: what a data set has of it is for other programs. A planted ``.git`` would
be obeyed by git, and ``.cache`` is where the library keeps what it knows.
"""
_AT_ONCE = 4
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar")
Progress = Callable[[int, int], None]
"""Called with files that are there and files wanted."""


class HubFile(NamedTuple):
    """One file at a commit: path, size, and the checksum that the hub has for it."""

    path: str
    size: int
    sha256: str | None
    git_sha1: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What is in the folder now. `new`: files that this call brought; `archives`: files that have
    to be unpacked before a loader can read them.
    """

    repo: str
    commit: str
    files: int
    bytes: int
    new: int
    archives: tuple[str, ...]


def fetch_dataset(
    source: DataSource,
    target: Path,
    *,
    revision: str | None = None,
    repo: str | None = None,
    progress: Progress | None = None,
) -> Fetched:
    """Bring a data set's files at one commit into `target`; files that are there and right are
    kept.

    `revision` is a commit, branch or tag; without it the folder's lock file decides, then the
    source's own pin. Raises `UsageError` when there is neither, `DataError` when the folder holds
    another commit or repository, and `DownloadError` when the hub does not answer, lists an unsafe
    path, or gives other bytes than it lists. Files in hidden folders are passed over.
    """
    repo = repo or source.repo
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo) or ".." in repo:
        raise UsageError(f"{repo!r}: wanted owner/name")
    lock = _read_lock(target)
    wanted = revision or lock.get("commit") or source.revision
    if wanted is None:
        raise UsageError(
            f"{repo}: no revision is pinned; name a commit, or main (what it is now is written to "
            f"{LOCK_FILE} and used from then on)",
            argument="revision",
        )
    commit = wanted if _COMMIT.fullmatch(wanted) else _resolved(repo, wanted)
    if lock and (lock.get("repo"), lock.get("commit")) != (repo, commit):
        raise DataError(
            f"{target}: holds {lock.get('repo')} at {lock.get('commit')}, wanted {repo} at "
            f"{commit}; give another folder"
        )
    files = [file for file in list_files(repo, commit) if not _HIDDEN.search(file.path)]
    for file in files:
        _check_path(repo, file.path)
    target.mkdir(parents=True, exist_ok=True)
    write_bytes(target / LOCK_FILE, orjson.dumps({"repo": repo, "commit": commit, "asked": wanted}))
    return Fetched(
        repo=repo,
        commit=commit,
        files=len(files),
        bytes=sum(file.size for file in files),
        new=_fetch_all(repo, commit, files, target, progress),
        archives=tuple(file.path for file in files if file.path.lower().endswith(_ARCHIVES)),
    )


def _resolved(repo: str, revision: str) -> str:
    """The commit that a branch or tag of a data set is now."""
    with answering(f"{repo} at {revision}"):
        commit = str(_client().dataset_info(repo, revision=revision).sha)
    if not _COMMIT.fullmatch(commit):
        raise DownloadError(f"{repo} at {revision}: wanted a commit, found {commit[:60]!r}")
    return commit


def list_files(repo: str, commit: str) -> Iterator[HubFile]:
    """Every file of a data set at a commit, however many pages the list has. Raises `DownloadError`
    for an entry without a checksum.
    """
    with answering(f"{repo} at {commit}"):
        for entry in _client().list_repo_tree(
            repo, repo_type="dataset", revision=commit, recursive=True
        ):
            if not hasattr(entry, "blob_id"):  # a folder
                continue
            large = entry.lfs.sha256 if entry.lfs else None
            blob = None if large else entry.blob_id
            size = entry.lfs.size if entry.lfs else entry.size
            if not isinstance(entry.path, str) or not isinstance(size, int) or not (large or blob):
                why = f"an entry without path, size or checksum: {str(entry)[:120]}"
                raise DownloadError(f"{repo}: {why}")
            yield HubFile(entry.path, size, large, blob)


def _check_path(repo: str, path: str) -> None:
    parts = path.split("/")
    bad = not _PLAIN.fullmatch(path) or ":" in parts[0] or parts[-1] == LOCK_FILE
    if bad or {"", "..", "."} & set(parts):
        raise DownloadError(
            f"{repo}: lists the file {path[:120]!r}, which does not stay in its folder; nothing "
            f"was fetched"
        )


def _fetch_all(
    repo: str, commit: str, files: Sequence[HubFile], target: Path, progress: Progress | None
) -> int:
    """Bring the files; how many were not there."""
    new = 0
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fetch") as pool:
        jobs = [pool.submit(_fetch, repo, commit, file, target) for file in files]
        try:
            for done, job in enumerate(jobs, start=1):
                new += job.result()
                if progress is not None:
                    progress(done, len(files))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return new


def _fetch(repo: str, commit: str, file: HubFile, target: Path) -> bool:
    """Bring one file; False where it was there."""
    path = target / file.path
    if _is_right(file, path):
        return False
    for place in [path, *path.parents][: len(PurePosixPath(file.path).parts)]:
        if place.is_symlink():
            raise DownloadError(f"{place}: is a link; nothing is written through it, remove it")
    path.unlink(missing_ok=True)
    with answering(f"{repo}: {file.path}", path):
        _client().hf_hub_download(
            repo, file.path, repo_type="dataset", revision=commit, local_dir=target
        )
    if not _is_right(file, path):
        path.unlink(missing_ok=True)
        kind = "SHA-256" if file.sha256 else "git blob id"
        raise DownloadError(
            f"{repo}: {file.path} is not what the hub lists ({kind} or size differ); removed"
        )
    return True


def _is_right(file: HubFile, path: Path) -> bool:
    from huggingface_hub.utils.sha import git_hash, sha_fileobj

    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256 is None:
        return bool(git_hash(path.read_bytes()) == file.git_sha1)
    with path.open("rb") as opened:
        return bool(sha_fileobj(opened).hex() == file.sha256)


def _read_lock(target: Path) -> dict[str, str]:
    path = target / LOCK_FILE
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error}); remove it and fetch again") from error


# -- the library -----------------------------------------------------------------------------------


def endpoint() -> str:
    """The hub's address: ``HF_ENDPOINT`` (a mirror), else huggingface.co."""
    return (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")


def _client() -> Any:
    """The library's client, for `endpoint` and the key of the environment alone."""
    try:
        import huggingface_hub
        from huggingface_hub.utils import disable_progress_bars
    except ImportError:
        raise MissingExtra("a hub of data sets", "huggingface_hub", "hub") from None
    disable_progress_bars()
    token = os.environ.get("HF_TOKEN") or False  # False: none is looked for elsewhere
    return huggingface_hub.HfApi(endpoint=endpoint(), token=token, library_name="editgauge")


@contextlib.contextmanager
def answering(what: str, place: Path | None = None) -> Iterator[None]:
    """Turns whatever the library raises into one `DownloadError` that says what to do; a full disk
    where `place` is to be written, into a `RunError` that names it.
    """
    try:
        yield
    except EditgaugeError:
        raise
    except Exception as error:  # also those of its transport, whose package has had several names
        full = machine.fault(error) if place is not None else None
        if place is not None and full is not None:
            raise paths.unwritable(place, full) from error
        status = getattr(getattr(error, "response", None), "status_code", None)
        if status is not None:
            hint = HINTS.get(status, "try again later; what has arrived is kept")
            raise DownloadError(f"{what}: the hub answered {status}; {hint}") from error
        raise DownloadError(
            f"{what}: the hub's answer cannot be used ({type(error).__name__}: {str(error)[:200]})"
        ) from error

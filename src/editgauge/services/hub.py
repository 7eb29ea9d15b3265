"""Data sets from a hub (huggingface.co's interface): listed at one commit, fetched with the hub's
own checksums.

A data set is fetched at a **commit**: a branch or tag that is asked for is resolved first, and what
it was is written into the folder (`LOCK_FILE`), so that a later call continues or checks the same
state whatever the branch has become. Large files are checked by SHA-256, small ones by git's blob
id, as the hub lists them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import orjson

from editgauge.errors import DataError, DownloadError, UsageError
from editgauge.images import write_bytes
from editgauge.services.download import Remote, download, get_json, git_blob_sha1, sha256
from editgauge.types import DataSource

ENDPOINT = "https://huggingface.co"
LOCK_FILE = ".editgauge-source.json"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar")
Progress = Callable[[int, int], None]
"""Called with files that are there and files wanted."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file at a commit: path, size, and the checksum that the hub has for it."""

    path: str
    size: int
    sha256: str | None
    git_sha1: str | None


@dataclass(frozen=True, slots=True)
class Fetched:
    """What is in the folder now."""

    repo: str
    commit: str
    files: int
    bytes: int
    new: int
    """Files that this call brought."""
    archives: tuple[str, ...]
    """Files that have to be unpacked before a loader can read them."""


def fetch_dataset(
    source: DataSource,
    target: Path,
    *,
    revision: str | None = None,
    repo: str | None = None,
    progress: Progress | None = None,
    workers: int = 4,
) -> Fetched:
    """Bring a data set's files at one commit into `target`; files that are there and right are
    kept.

    `revision` is a commit, branch or tag; without it the folder's lock file decides, then the
    source's own pin. Raises `UsageError` when there is neither, `DataError` when the folder holds
    another commit or repository, and `DownloadError` when the hub does not answer, lists an unsafe
    path, or gives other bytes than it lists.
    """
    repo = repo or source.repo
    lock = _read_lock(target)
    wanted = revision or (lock or {}).get("commit") or source.revision
    if wanted is None:
        raise UsageError(
            f"{repo}: no revision is pinned; say which with --revision (a commit, or main: what it "
            f"is now is written "
            f"to {LOCK_FILE} and used from then on)"
        )
    commit = wanted if _COMMIT.fullmatch(wanted) else resolve(repo, wanted)
    if lock is not None and (lock.get("repo"), lock.get("commit")) != (repo, commit):
        raise DataError(
            f"{target}: holds {lock.get('repo')} at {lock.get('commit')}, wanted {repo} at "
            f"{commit}; give another --to"
        )
    files = list(list_files(repo, commit))
    for file in files:
        _check_path(repo, file.path)
    target.mkdir(parents=True, exist_ok=True)
    write_bytes(target / LOCK_FILE, orjson.dumps({"repo": repo, "commit": commit, "asked": wanted}))
    new = _fetch_all(repo, commit, files, target, progress, workers)
    archives = tuple(file.path for file in files if file.path.lower().endswith(_ARCHIVES))
    return Fetched(repo, commit, len(files), sum(file.size for file in files), new, archives)


def resolve(repo: str, revision: str) -> str:
    """The commit that a branch or tag of a data set is now."""
    url = f"{endpoint()}/api/datasets/{_quoted(repo)}/revision/{quote(revision, safe='')}"
    found, _ = get_json(url, token=_token())
    commit = found.get("sha") if isinstance(found, dict) else None
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise DownloadError(f"{url}: wanted a commit, found {str(commit)[:60]!r}")
    return commit


def list_files(repo: str, commit: str) -> Iterator[HubFile]:
    """Every file of a data set at a commit, however many pages the list has."""
    url: str | None = f"{endpoint()}/api/datasets/{_quoted(repo)}/tree/{commit}?recursive=true"
    while url:
        page, headers = get_json(url, token=_token())
        if not isinstance(page, list):
            raise DownloadError(f"{url}: wanted a list of files, found something else")
        for entry in page:
            if isinstance(entry, dict) and entry.get("type") == "file":
                yield _file(url, entry)
        url = _next_page(headers.get("Link", ""))


def endpoint() -> str:
    """The hub's address: ``HF_ENDPOINT`` (a mirror), else huggingface.co."""
    return (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")


def _file(url: str, entry: dict[str, Any]) -> HubFile:
    large = entry.get("lfs") or {}
    path, size, blob = entry.get("path"), large.get("size", entry.get("size")), entry.get("oid")
    if not isinstance(path, str) or not isinstance(size, int):
        raise DownloadError(f"{url}: an entry without path or size: {str(entry)[:120]}")
    checksum = large.get("oid")
    return HubFile(path, size, checksum, None if checksum else blob)


def _next_page(link: str) -> str | None:
    found = re.search(r'<([^>]+)>;\s*rel="next"', link)
    if found is None:
        return None
    if not found.group(1).startswith(endpoint() + "/"):
        raise DownloadError(
            f"{found.group(1)[:120]}: the next page of the list lies on another host"
        )
    return found.group(1)


def _check_path(repo: str, path: str) -> None:
    parts = PurePosixPath(path).parts
    bad = not parts or path.startswith("/") or "\\" in path or ":" in parts[0] or "\0" in path
    if bad or any(part in ("..", ".") for part in path.split("/")) or parts[-1] == LOCK_FILE:
        raise DownloadError(
            f"{repo}: lists the file {path[:120]!r}, which does not stay in its folder; nothing "
            f"was fetched"
        )


def _fetch_all(
    repo: str,
    commit: str,
    files: Sequence[HubFile],
    target: Path,
    progress: Progress | None,
    workers: int,
) -> int:
    token, base = _token(), f"{endpoint()}/datasets/{_quoted(repo)}/resolve/{commit}"
    new = 0

    def one(file: HubFile) -> bool:
        path = target / file.path
        if _is_right(file, path):
            return False
        if path.is_file():
            path.unlink()
        remote = Remote(f"{base}/{quote(file.path)}", file.sha256, file.git_sha1, file.size, token)
        download(remote, path)
        return True

    with ThreadPoolExecutor(max(1, workers), thread_name_prefix="fetch") as pool:
        jobs = [pool.submit(one, file) for file in files]
        try:
            for done, job in enumerate(jobs, start=1):
                new += job.result()
                if progress is not None:
                    progress(done, len(files))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return new


def _is_right(file: HubFile, path: Path) -> bool:
    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.sha256 is not None:
        return sha256(path) == file.sha256
    return file.git_sha1 is not None and git_blob_sha1(path) == file.git_sha1


def _read_lock(target: Path) -> dict[str, Any] | None:
    path = target / LOCK_FILE
    if not path.is_file():
        return None
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error}); remove it and fetch again") from error
    if not isinstance(found, dict):
        raise DataError(f"{path}: wanted a mapping; remove it and fetch again")
    return found


def _quoted(repo: str) -> str:
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo) or ".." in repo:
        raise UsageError(f"--repo {repo!r}: wanted owner/name")
    return repo


def _token() -> str | None:
    return os.environ.get("HF_TOKEN") or None

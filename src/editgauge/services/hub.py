"""Data sets on a hub (huggingface.co's interface), by the library `huggingface_hub`. A branch or
tag is resolved to a **commit**, written into the folder (`LOCK_FILE`): a later call continues or
checks the same state. Every file is verified (large ones by SHA-256, small ones by git's blob id);
nothing is written outside the folder or through a link.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
import orjson

from editgauge import machine
from editgauge.errors import DataError, DownloadError, EditgaugeError, MissingExtra, UsageError
from editgauge.images import write_bytes
from editgauge.store import paths
from editgauge.types import DataSource

ENDPOINT = "https://huggingface.co"
LOCK_FILE = ".editgauge-source.json"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_PLAIN = re.compile(r"[^\x00-\x1f\x7f\\\ud800-\udfff]{1,1024}")
_HIDDEN = re.compile(r"(?:^|/)\.(?!\.?/)[^/]*/")
"""Within a hidden folder: a planted ``.git`` would be obeyed by git, and ``.cache`` is where the
library keeps what it knows.
"""
_AT_ONCE = 4
HINTS: Mapping[int, str] = {
    401: "set HF_TOKEN",
    403: "set HF_TOKEN, or accept the terms on the page",
    404: "check the name",
}
_ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".7z", ".rar")
Progress = Callable[[int, int], None]
"""Called with files that are there and files wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What is in the folder now. `new`: brought by this call; `archives`: to be unpacked."""

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
    """Bring a data set's files at one commit into `target`; those that are right are kept.

    `revision` is a commit, branch or tag; without it the folder's lock file decides, then the
    source's own pin. Raises `UsageError` when there is neither, `DataError` when the folder holds
    something else, and `DownloadError` when the hub does not answer, lists an unsafe path, or gives
    other bytes than it lists.
    """
    repo = repo or source.repo
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repo) or ".." in repo:
        raise UsageError(f"{repo!r}: wanted owner/name")
    wanted, commit = _pinned(repo, revision, source.revision, target)
    files = [file for file in _listed(repo, commit) if not _HIDDEN.search(file.path)]
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


def _pinned(repo: str, asked: str | None, usual: str | None, target: Path) -> tuple[str, str]:
    """The revision that is wanted in a folder, and its commit."""
    lock = _read_lock(target)
    wanted = asked or lock.get("commit") or usual
    if wanted is None:
        raise UsageError(
            f"{repo}: no revision is pinned; name a commit, or main (what it is now is written to "
            f"{LOCK_FILE} and used from then on)",
            argument="revision",
        )
    commit = wanted
    if not _COMMIT.fullmatch(wanted):
        with answering(f"{repo} at {wanted}"):
            commit = str(_client().dataset_info(repo, revision=wanted).sha)
    if lock and (lock.get("repo"), lock.get("commit")) != (repo, commit):
        raise DataError(
            f"{target}: holds {lock.get('repo')} at {lock.get('commit')}, wanted {repo} at "
            f"{commit}; give another folder"
        )
    return wanted, commit


def _listed(repo: str, commit: str) -> Iterator[Any]:
    """A data set's file records. Raises `DownloadError` for a path that leaves its folder."""
    with answering(f"{repo} at {commit}"):
        for file in _client().list_repo_tree(
            repo, repo_type="dataset", revision=commit, recursive=True
        ):
            if not hasattr(file, "blob_id"):  # a folder
                continue
            parts = file.path.split("/")
            bad = not _PLAIN.fullmatch(file.path) or ":" in parts[0] or parts[-1] == LOCK_FILE
            if bad or {"", "..", "."} & set(parts):
                raise DownloadError(
                    f"{repo}: lists the file {file.path[:120]!r}, which does not stay in its "
                    f"folder; nothing was fetched"
                )
            yield file


def _fetch_all(
    repo: str, commit: str, files: Sequence[Any], target: Path, progress: Progress | None
) -> int:
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


def _fetch(repo: str, commit: str, file: Any, target: Path) -> bool:
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
        kind = "SHA-256" if file.lfs else "git blob id"
        raise DownloadError(
            f"{repo}: {file.path} is not what the hub lists ({kind} or size differ); removed"
        )
    return True


def _is_right(file: Any, path: Path) -> bool:
    from huggingface_hub.utils.sha import git_hash, sha_fileobj

    if not path.is_file() or path.stat().st_size != file.size:
        return False
    if file.lfs is None:
        return bool(git_hash(path.read_bytes()) == file.blob_id)
    with path.open("rb") as opened:
        return bool(sha_fileobj(opened).hex() == file.lfs.sha256)


def _read_lock(target: Path) -> dict[str, str]:
    path = target / LOCK_FILE
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error}); remove it and fetch again") from error


def endpoint() -> str:
    """The hub's address: ``HF_ENDPOINT`` (a mirror), else huggingface.co."""
    return (os.environ.get("HF_ENDPOINT") or ENDPOINT).rstrip("/")


def _client() -> Any:
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
    """Turns the library's errors into `DownloadError`; a full disk at `place` into `RunError`."""
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

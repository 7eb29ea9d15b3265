"""Fetching single files over HTTP: resumed, checked, and put in place only when whole.

The usual library for this, `pooch`, starts an interrupted file again from its first byte and has no
bound on its size; weights of 1.7 GB over a clinic's line need both. Data sets come through `hub`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any

from editgauge import __version__
from editgauge.errors import DownloadError
from editgauge.services import policy
from editgauge.store import paths

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes wanted (None where unknown)."""
CHUNK = 1 << 20
TIMEOUT = 60.0
ATTEMPTS = 5
HINTS: Mapping[int, str] = {
    401: "set HF_TOKEN",
    403: "set HF_TOKEN, or accept the terms on the page",
    404: "check the name",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A file elsewhere: where it is and what is known about it.

    `sha256` is hexadecimal, `git_sha1` git's blob id (what the hub gives for small files); either
    may be None. `size` is in bytes. With both checksums None nothing is verified, which only the
    first, recorded fetch may do.
    """

    url: str
    sha256: str | None = None
    git_sha1: str | None = None
    size: int | None = None
    token: str | None = None
    """Sent as a bearer token to the host of `url` alone, never to a host that it redirects to."""


def download(
    remote: Remote,
    target: Path,
    *,
    progress: Progress | None = None,
    attempts: int = ATTEMPTS,
    wait: float = 1.0,
) -> str:
    """Fetch a file to `target`; returns its SHA-256.

    The bytes go to ``<target>.part`` first, which a later call continues; the file appears at
    `target` only when its size and checksums are right. A connection that breaks is retried
    `attempts` times, `wait`, 2 `wait`… seconds apart, from where it stopped. Raises `DownloadError`
    with the URL when there is no such file, the server refuses, or the bytes are not the wanted
    ones (the part file is then removed).
    """
    if urllib.parse.urlsplit(remote.url).scheme not in ("http", "https"):
        raise DownloadError(f"{remote.url}: wanted an http or https address")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    for attempt in range(1, attempts + 1):
        try:
            _continue(remote, part, progress)
            break
        except _Interrupted as error:
            if isinstance(error, _Useless):
                part.unlink(missing_ok=True)
            if attempt == attempts:
                raise DownloadError(
                    f"{remote.url}: {error}; tried {attempts} times, what arrived is kept: run the "
                    f"same command again"
                ) from error
            time.sleep(wait * 2 ** (attempt - 1))
    digest = _verify(remote, part)
    os.replace(part, target)
    return digest


class _Interrupted(Exception):
    """Worth another attempt."""


class _Useless(_Interrupted):
    """Worth another attempt, but not with this part file: it is as long as the file, or longer."""


def _continue(remote: Remote, part: Path, progress: Progress | None) -> None:
    """Append what is missing to the part file."""
    have = part.stat().st_size if part.exists() else 0
    if remote.size is not None and have > remote.size:
        part.unlink()
        have = 0
    if remote.size is not None and have == remote.size and have:
        return
    try:
        with _open(remote, have) as response:
            if have and response.status != 206:
                have = 0  # the server does not continue: from the start
            total = _total(response.headers, have, remote.size)
            with part.open("ab" if have else "wb") as file:
                while chunk := response.read(CHUNK):
                    _write(file, chunk, part)
                    have += len(chunk)
                    _not_too_long(remote, have, total)
                    if progress is not None:
                        progress(have, total)
    except (OSError, HTTPException) as error:
        raise _Interrupted(_words(error)) from error
    if total is not None and have < total:
        raise _Interrupted(f"the connection ended after {have:,} of {total:,} bytes")


def _write(file: IO[bytes], chunk: bytes, part: Path) -> None:
    """A full disk is no interrupted connection: nobody asks the server again."""
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:
        raise paths.unwritable(part, error) from error


def _open(remote: Remote, have: int) -> Any:
    request = urllib.request.Request(remote.url, headers={"User-Agent": f"editgauge/{__version__}"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    if remote.token:
        request.add_unredirected_header("Authorization", f"Bearer {remote.token}")
    try:
        return urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        with contextlib.closing(error):
            if error.code == 416:
                raise _Useless("the server has no more bytes than the part file") from error
            if policy.may_pass(error.code):
                raise _Interrupted(f"HTTP {error.code}") from error
            hint = HINTS.get(error.code, "nothing was kept")
            raise DownloadError(f"{remote.url}: HTTP {error.code}; {hint}") from error


def _total(headers: Message, have: int, size: int | None) -> int | None:
    length = headers.get("Content-Length")
    announced = have + int(length) if length and length.isdigit() else None
    return announced if size is None else size


def _not_too_long(remote: Remote, have: int, total: int | None) -> None:
    if total is not None and have > total:
        raise DownloadError(f"{remote.url}: more bytes than announced ({have:,} > {total:,})")


def _words(error: Exception) -> str:
    reason = getattr(error, "reason", None)
    return str(reason or error) or type(error).__name__


def _verify(remote: Remote, part: Path) -> str:
    size = part.stat().st_size
    found = sha256(part)
    problem = None
    if remote.size is not None and size != remote.size:
        problem = f"wanted {remote.size:,} bytes, found {size:,}"
    elif remote.sha256 is not None and found != remote.sha256:
        problem = f"wanted SHA-256 {remote.sha256}, found {found}"
    elif remote.git_sha1 is not None and (blob := git_blob_sha1(part)) != remote.git_sha1:
        problem = f"wanted git blob {remote.git_sha1}, found {blob}"
    if problem:
        part.unlink()
        raise DownloadError(f"{remote.url}: {problem}; nothing was kept")
    return found


def sha256(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def git_blob_sha1(path: Path) -> str:
    """The id git gives a file's content, which is what a hub lists for files outside its large-file
    store.
    """

    def start() -> Any:
        digest = hashlib.sha1(usedforsecurity=False)
        digest.update(b"blob %d\0" % path.stat().st_size)
        return digest

    with path.open("rb") as file:
        return hashlib.file_digest(file, start).hexdigest()

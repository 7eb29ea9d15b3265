"""Fetching single files over HTTP: resumed, checked, and put in place only when whole. For files
that lie on no hub, such as weights on somebody's page; data sets come through `hub`.
"""

from __future__ import annotations

import hashlib
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO

from editgauge import __version__
from editgauge.errors import DownloadError
from editgauge.services import policy
from editgauge.store import paths

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are there and the bytes wanted (None where unknown)."""
ATTEMPTS = 5
_CHUNK = 1 << 20
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A file elsewhere: its address, SHA-256 (hexadecimal) and bytes, where they are known."""

    url: str
    sha256: str | None = None
    size: int | None = None


def download(
    remote: Remote, target: Path, *, progress: Progress | None = None, wait: float = 1.0
) -> str:
    """Fetch a file to `target`; returns its SHA-256.

    The bytes go to ``<target>.part`` first, which a later call continues; the file appears only
    when its size and checksum are right. A connection that breaks is continued `ATTEMPTS` times,
    `wait`, 2 `wait`… seconds apart. Raises `DownloadError` with the URL.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part, tries = target.with_name(target.name + ".part"), 1
    while why := _continue(remote, part, progress):
        if tries == ATTEMPTS:
            raise DownloadError(
                f"{remote.url}: {why}; tried {tries} times, what arrived is kept: run the same "
                f"command again"
            )
        time.sleep(wait * 2 ** (tries - 1))
        tries += 1
    size, digest = part.stat().st_size, sha256(part)
    if remote.size not in (None, size) or remote.sha256 not in (None, digest):
        part.unlink()
        raise DownloadError(
            f"{remote.url}: wanted {remote.size or 'any'} bytes with SHA-256 "
            f"{remote.sha256 or 'any'}, found {size} with {digest}; nothing was kept"
        )
    os.replace(part, target)
    return digest


def _continue(remote: Remote, part: Path, progress: Progress | None) -> str:
    """Append what is missing to the part file; why it ended early, "" where all is there."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": f"editgauge/{__version__}", "Range": f"bytes={have}-"}
    try:
        request = urllib.request.Request(remote.url, headers=headers)
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            have = have if response.status == 206 else 0  # else it does not continue
            total = have + int(response.headers.get("Content-Length") or 0)
            with part.open("ab" if have else "wb") as file:
                while chunk := response.read(_CHUNK):
                    _write(file, chunk, part)
                    have += len(chunk)
                    if progress is not None:
                        progress(have, max(total, remote.size or 0) or None)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # nothing is left: the checksum says whether it is this file
            return ""
        if policy.may_pass(error.code):
            return f"HTTP {error.code}"
        raise DownloadError(f"{remote.url}: HTTP {error.code}; nothing was kept") from error
    except (OSError, HTTPException) as error:
        return str(getattr(error, "reason", "") or error)
    return f"the connection ended after {have:,} of {total:,} bytes" if have < total else ""


def _write(file: IO[bytes], chunk: bytes, part: Path) -> None:
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:  # a full disk is no interrupted connection
        raise paths.unwritable(part, error) from error


def sha256(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Fetching single files over HTTP: resumed, checked, and put in place only when whole. For files
that lie on no hub, such as weights on somebody's page; data sets come through `hub`.
"""

from __future__ import annotations

import hashlib
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path

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


class _Interrupted(Exception):
    """Worth another attempt."""


def download(
    remote: Remote, target: Path, *, progress: Progress | None = None, wait: float = 1.0
) -> str:
    """Fetch a file to `target`; returns its SHA-256.

    The bytes go to ``<target>.part`` first, which a later call continues; the file appears only
    when its size and checksum are right. A connection that breaks is continued `ATTEMPTS` times,
    `wait`, 2 `wait`… seconds apart. Raises `DownloadError` with the URL.
    """
    if urllib.parse.urlsplit(remote.url).scheme not in ("http", "https"):
        raise DownloadError(f"{remote.url}: wanted an http or https address")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _continue(remote, part, progress)
            break
        except _Interrupted as error:
            if attempt == ATTEMPTS:
                raise DownloadError(
                    f"{remote.url}: {error}; tried {attempt} times, what arrived is kept: run the "
                    f"same command again"
                ) from error
            time.sleep(wait * 2 ** (attempt - 1))
    size, digest = part.stat().st_size, sha256(part)
    if remote.size not in (None, size) or remote.sha256 not in (None, digest):
        part.unlink()
        raise DownloadError(
            f"{remote.url}: wanted {remote.size or 'any'} bytes with SHA-256 "
            f"{remote.sha256 or 'any'}, found {size} with {digest}; nothing was kept"
        )
    os.replace(part, target)
    return digest


def _continue(remote: Remote, part: Path, progress: Progress | None) -> None:
    """Append what is missing to the part file."""
    have = part.stat().st_size if part.exists() else 0
    if have and have == remote.size:
        return
    headers = {"User-Agent": f"editgauge/{__version__}"}
    headers |= {"Range": f"bytes={have}-"} if have else {}
    try:
        request = urllib.request.Request(remote.url, headers=headers)
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as response:
            have = have if response.status == 206 else 0  # else it does not continue
            length = response.headers.get("Content-Length") or ""
            total = have + int(length) if length.isdigit() else remote.size
            with part.open("ab" if have else "wb") as file:
                while chunk := response.read(_CHUNK):
                    try:
                        file.write(chunk)
                        file.flush()
                    except OSError as error:  # a full disk is no interrupted connection
                        raise paths.unwritable(part, error) from error
                    have += len(chunk)
                    if remote.size is not None and have > remote.size:
                        break  # more than there should be: it is not this file
                    if progress is not None:
                        progress(have, total)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # the part file is as long as the file, or longer
            part.unlink()
        if error.code == 416 or policy.may_pass(error.code):
            raise _Interrupted(f"HTTP {error.code}") from error
        raise DownloadError(f"{remote.url}: HTTP {error.code}; nothing was kept") from error
    except (OSError, HTTPException) as error:
        raise _Interrupted(str(getattr(error, "reason", "") or error)) from error
    if total is not None and have < total:
        raise _Interrupted(f"the connection ended after {have:,} of {total:,} bytes")


def sha256(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

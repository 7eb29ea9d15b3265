"""Secrets of studies, which stay on the machine that made them.

A run is zipped and handed on, so it holds the public name of a secret and never the secret itself.
"""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from editgauge import machine
from editgauge.errors import RunError


def new_name() -> str:
    """Return a random name for a secret. The name may be known to everybody."""
    return secrets.token_hex(8)


def secret_here(name: str) -> str | None:
    """Return the secret of this name, or None where this machine does not have it."""
    try:
        return _place(name).read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{_place(name)}: this secret cannot be read ({error})") from error


def keep_secret(name: str, secret: str) -> str:
    """Keep a secret under a name on this machine. Return it, or the one that is there already.

    Raises `RunError` where it cannot be written.
    """
    place = _place(name)
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        known = secret_here(name)
        assert known is not None
        return known
    except OSError as error:
        raise RunError(
            f"{place}: a secret cannot be kept ({error.strerror}); name another folder with "
            f"EDITGAUGE_PRIVATE"
        ) from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secret)
    return secret


def new_secret() -> str:
    """Return a fresh secret: 64 hexadecimal digits."""
    return secrets.token_hex(32)


def _place(name: str) -> Path:
    if not re.fullmatch(r"[0-9a-f]{16}", name):
        raise RunError(f"{name[:40]!r}: wanted the name of a secret, 16 hexadecimal digits")
    return machine.user_private() / "secrets" / name

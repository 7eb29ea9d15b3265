"""Keys: where they come from, and out of what they are kept. A server that echoes one must not
bring it into a row or a terminal; one that disguises it (JSON escapes) has it already.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote, urlsplit

from editgauge.errors import UsageError

HIDDEN = "[key]"
SHORTEST = 6
"""Letters of a secret: cutting out ``x``, which one's own server is given, would destroy replies.
"""
_PLACEHOLDERS = frozenset({"empty", "none", "null", "dummy", "unused", "placeholder", "not-needed"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")


class Secrets:
    """Cuts secrets out of texts and bytes: as they are, escaped for an address or for JSON."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {
            form
            for secret in secrets
            if len(secret) >= SHORTEST and secret.lower() not in _PLACEHOLDERS
            for form in _forms(secret)
        }
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None

    def __repr__(self) -> str:
        return "Secrets(…)"

    def text(self, text: str) -> str:
        """The text with `HIDDEN` in place of every secret."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)

    def data(self, data: bytes) -> bytes:
        """The bytes with `HIDDEN` in place of every secret."""
        if self._pattern is None:
            return data
        text = data.decode("utf-8", "surrogateescape")
        clean = self.text(text)
        return data if clean == text else clean.encode("utf-8", "surrogateescape")

    def line(self, text: str, limit: int = 300) -> str:
        """One clean line without control characters, cut after no part of a secret is left."""
        clean = self.text(text).encode("utf-8", "replace").decode()
        return _CONTROL.sub(" ", clean).strip()[:limit]


def _forms(secret: str) -> set[str]:
    escaped = json.dumps(secret)[1:-1]
    return {secret, escaped, escaped.replace("/", "\\/"), quote(secret, safe="")}


words = Secrets().line
"""`Secrets.line` where there is no secret to hide."""


def key_for(base: str, homes: Sequence[str], names: Sequence[str], *, needed: bool = False) -> str:
    """The key for an address, or "": the first of these variables of the environment is for any
    service, the others for the hosts of `homes` alone. Raises `UsageError` when `needed` and none
    of a home is set, and for a key with letters that no HTTP header can carry.
    """
    at_home = urlsplit(base).hostname in [urlsplit(home).hostname for home in homes]
    for name in names if at_home else names[:1]:
        if value := os.environ.get(name, "").strip():
            if not value.isascii() or not value.isprintable():
                raise UsageError(f"the key in {name} holds letters that no key has")
            return value
    if needed and at_home:
        raise UsageError(f"no key: set {' or '.join(names)} in the environment")
    return ""


def address(text: str, *, argument: str = "") -> str:
    """A service's address as it is given, which ends before the path of a request. Raises
    `UsageError`, which shows no secret, for one that is none, or that holds a name, a password or a
    query: keys come from the environment alone.
    """
    base = text.strip().rstrip("/")
    try:
        parts = urlsplit(base)
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        fine = False
    if not fine or base != shown(base):
        why = f"{shown(base)!r}: wanted http(s)://host/… without user, password and query"
        raise UsageError(why, argument=argument)
    return base


def shown(text: str) -> str:
    """An address as it may be written down: without query, user's name and password."""
    bare = text.partition("?")[0].partition("#")[0]
    scheme, sign, rest = bare.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{sign}{host.rpartition('@')[2]}{slash}{path}"

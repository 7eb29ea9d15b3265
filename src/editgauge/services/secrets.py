"""Keys: where they come from, and how they are kept out of all that is stored or shown. A server
that echoes a key must not bring it into a row or a terminal; one that disguises it on purpose (in
JSON's \\u escapes, say) has it already, and is not defended against.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, urlsplit
from weakref import WeakSet

from editgauge.errors import UsageError

HIDDEN = "[key]"
SHORTEST = 6
"""Letters of a secret: cutting out ``x``, which one's own server is given, would destroy replies.
"""
_PLACEHOLDERS = frozenset({"empty", "none", "null", "dummy", "unused", "placeholder", "not-needed"})
_PUBLIC = frozenset({"api-version", "version", "region", "deployment", "alt", "format"})
"""Names of query parameters of service addresses whose values are no secrets."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\s]+")


class Secrets:
    """Cuts given secrets out of texts and bytes: as they are, escaped for an address or for JSON,
    and in base64, alone or inside a longer text.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {
            form
            for secret in secrets
            if len(secret) >= SHORTEST and secret.lower() not in _PLACEHOLDERS
            for form in _forms(secret)
        }
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        if forms:
            _ALIVE.add(self)

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


def _forms(secret: str) -> Iterator[str]:
    """The ways to write a secret that are looked for."""
    escaped = json.dumps(secret)[1:-1]
    address = quote(secret, safe="")
    yield from (secret, escaped, escaped.replace("/", "\\/"), address)
    yield re.sub("%..", lambda code: code[0].lower(), address)
    for lead in range(3):  # where it begins in a longer text
        coded = base64.b64encode(b"\0" * lead + secret.encode()).decode().rstrip("=")
        middle = coded[lead + 1 if lead else 0 : len(coded) - 1]
        yield from (middle, middle.replace("+", "-").replace("/", "_"))


_ALIVE: WeakSet[Secrets] = WeakSet()


def clean(text: str) -> str:
    """The text without any secret that this process knows of: for what libraries log."""
    for secrets in list(_ALIVE):
        text = secrets.text(text)
    return text


words = Secrets().line
"""`Secrets.line` where there is no secret to hide."""


def key_from(names: Sequence[str], *, needed: bool = False) -> str:
    """The first of these environment variables that is set, or "". Raises `UsageError` when
    `needed` and none is, and for a key with letters that no HTTP header can carry.
    """
    for name in names:
        if value := os.environ.get(name, "").strip():
            if not value.isascii() or not value.isprintable():
                raise UsageError(f"the key in {name} holds letters that no key has")
            return value
    if needed:
        raise UsageError(f"no key: set {' or '.join(names)} in the environment")
    return ""


def key_for(base: str, homes: Sequence[str], names: Sequence[str], *, needed: bool = False) -> str:
    """The key for an address: the first of the variables is for any service, the others for the
    hosts of `homes` alone, which want one where `needed`. Raises as `key_from`.
    """
    at_home = urlsplit(base).hostname in [urlsplit(home).hostname for home in homes]
    return key_from(names if at_home else names[:1], needed=needed and at_home)


@dataclass(frozen=True, slots=True)
class Address:
    """A service's address: `base`, which may be shown, ends before the path of a request; `query`
    is added to every one; `secrets` are the values of the query that must not be shown.
    """

    base: str
    query: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def host(self) -> str:
        """Its host, with the port where one is given."""
        return urlsplit(self.base).netloc

    def of(self, path: str) -> str:
        """The address of a request to `path`, which may have a query of its own."""
        joint = "&" if "?" in path else "?"
        return self.base + path + (f"{joint}{self.query}" if self.query else "")


def address(text: str, setting: str = "", *, argument: str = "") -> Address:
    """A service's address as a setting or an argument gives it. Raises `UsageError`, which shows no
    secret, for one that is none, or that holds a user's name or password.
    """
    place = f"{setting}: " if setting else ""
    if "@" in text:
        why = f"{place}put no key into the address; keys come from the environment alone"
        raise UsageError(why, argument=argument)
    try:
        parts = urlsplit(text.strip())
        fine = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        raise UsageError(f"{place}wanted http(s)://host/…", argument=argument) from None
    if not fine:
        why = f"{place}{shown(text)!r}: wanted http(s)://host/…"
        raise UsageError(why, argument=argument)
    query = parse_qsl(parts.query, keep_blank_values=True)
    hidden = tuple(value for name, value in query if name.lower() not in _PUBLIC)
    return Address(shown(text.strip()).rstrip("/"), parts.query, hidden)


def shown(text: str) -> str:
    """An address as it may be written down: without query, user's name and password."""
    bare = text.partition("?")[0].partition("#")[0]
    scheme, sign, rest = bare.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{sign}{host.rpartition('@')[2]}{slash}{path}"

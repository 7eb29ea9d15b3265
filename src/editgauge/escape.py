"""Untrusted text (names of editors, slices, files, samples) made harmless for each format."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Sequence
from itertools import count

_LIMIT = 200
_ODD = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Control, invisible and direction-turning characters, and what XML does not take."""
_STEERS = re.compile(rf"(?![\t\n]|\r\n){_ODD.pattern}")
"""As `_ODD`, but for what makes lines and columns."""
_SPACES = re.compile(r"[\t\n\r\x0b\x0c\u0085\u2028\u2029]+")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"''", "·": r"$\cdot$", "…": r"\ldots{}",
    "×": r"$\times$", "±": r"$\pm$", "≤": r"$\leq$", "≥": r"$\geq$",
    "ρ": r"$\rho$", "κ": r"$\kappa$",
    "∞": r"$\infty$", "↑": r"$\uparrow$", "↓": r"$\downarrow$",
    "–": "--", "−": "$-$", "†": r"$\dagger$", "‡": r"$\ddagger$",
}  # fmt: skip
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+.!|~$-])")


def plain(text: str, limit: int | None = _LIMIT) -> str:
    """One line without control, invisible or direction characters (shown as ``\\u202e``), at most
    `limit` long.
    """
    line = _ODD.sub(_as_json, _SPACES.sub(" ", text))
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def counted(number: int, noun: str) -> str:
    """``1 sample``, ``2 samples``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def terminal(text: str) -> str:
    """Text that steers no terminal: lines and tabs stay, every other control, invisible or
    direction character is shown as JSON writes it, ``\\u009b``.

    JSON text stays valid and keeps its value. Everything that a command prints goes through here:
    see `cli.output`.
    """
    return _STEERS.sub(_as_json, text)


def _as_json(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def markdown(text: str, limit: int | None = _LIMIT) -> str:
    """Text that markdown shows as it is: no table cell, emphasis, link, image or HTML."""
    line = plain(text, limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", line)


def markup(text: str, limit: int | None = None) -> str:
    """Text that HTML, SVG and other XML show as it is, in an element and in a quoted attribute: no
    element comes out of it, and no character that XML does not take.
    """
    import html

    return html.escape(plain(text, limit), quote=True)


def latex(text: str, limit: int | None = _LIMIT) -> str:
    """Text that LaTeX sets as it is: no command, comment or alignment character is left in it.

    A leading ``[`` or ``*`` is set apart: after the ``\\\\`` that ends a line it would be read as
    its argument.
    """
    line = plain(text, limit)
    apart = "{}" if line[:1] in ("[", "*") else ""
    return apart + "".join(_LATEX.get(letter, letter) for letter in line)


def csv_text(text: str) -> str:
    """Text that no spreadsheet takes for a formula: a ``'`` before a leading = + - @ (CWE-1236)."""
    line = plain(text, None)
    return "'" + line if line.lstrip()[:1] in ("=", "+", "-", "@", "|", "%") else line


_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*]+')
"""What Windows takes in no file name; the others leave out ``/`` alone."""
_DEVICES = re.compile(
    r"(CON(?:IN\$|OUT\$)?|PRN|AUX|NUL|(?:COM|LPT)[\d¹²³])\s*(\.|$)", re.IGNORECASE
)
"""Names that Windows keeps for itself, whatever ending they have: "Naming Files, Paths, and
Namespaces" of its documentation.
"""


def file_name(name: str) -> str:
    """A name that every system takes as one file's: no separator, no name of a device, no dot or
    blank at the end, no dash or dot at the beginning, at most 200 bytes. Never empty.

    Two names may become one: `apart` keeps them apart.
    """
    stem, ending = os.path.splitext(_ODD.sub("_", _FORBIDDEN.sub("_", name)))
    line = stem.encode()[:150].decode("utf-8", "ignore") + ending[:10]
    line = line.rstrip(" .").lstrip("-. ")
    return f"_{line}" if not line or _DEVICES.match(line) else line


def apart(names: Sequence[str]) -> list[str]:
    """The names in their order; one that some system takes for an earlier one has a number."""
    taken: set[str] = set()
    pieces = []
    for name in names:
        every = (f"{name}-{number}" if number > 1 else name for number in count(1))
        free = next(one for one in every if alike(one) not in taken)
        taken.add(alike(free))
        pieces.append(free)
    return pieces


def alike(name: str) -> str:
    """Equal for file names that some system takes for one: another case, or composed accents."""
    return unicodedata.normalize("NFC", name).casefold()

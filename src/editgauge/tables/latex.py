r"""A drawn table as LaTeX that fits a column or a page: booktabs, a label, no ``\resizebox``.

The width of what TeX will set is estimated with the widths of Computer Modern's letters, which are
about those of other text faces. The largest size that fits is taken, down to ``\scriptsize``;
headings break into lines, long names too; columns that still do not fit go into a further part
below, which repeats the names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from editgauge import escape
from editgauge.tables.drawn import NOTHING, Drawn, Item

Place = Literal["auto", "column", "text"]
PLACES: tuple[Place, ...] = ("auto", "column", "text")
COLUMN, TEXT = 219.0, 455.0
r"""``\columnwidth`` and ``\textwidth`` of the narrowest usual two-column style (ACL), in points."""
_SIZES = {"small": 9.0, "footnotesize": 8.0, "scriptsize": 7.0}
"""In points, where the text is set in 10."""
_SEPARATION = 3.0
"""On each side of a column, in points."""
_NAMES_AT_MOST = (0.42, 0.34, 0.27)
"""Of the width: longer names break into lines. The least narrow that lets the columns fit."""
_PAGE = 560.0
"""The height in points that tabulars below each other and their notes may take."""
_SAFETY = 1.06
_WIDTHS = {
    **dict.fromkeys(".,:;!'|ijl", 0.29),
    **dict.fromkeys(" -‐", 0.34),
    **dict.fromkeys("[]()frstIJ/", 0.41),
    **dict.fromkeys("0123456789–aceozvxyk", 0.53),
    **dict.fromkeys("bdhnpqug", 0.56),
    **dict.fromkeys("mwMWQO%@", 0.95),
    **dict.fromkeys("↑↓∞…", 1.0),
}
"""Of letters, in ems; capitals and all others are `_OTHER`."""
_OTHER = 0.75
_BOLD = 1.16
_ARROWS = ("↑", "↓", "†", "‡")
_PIECES = re.compile(r"[^\s\-_/]*[\-_/]?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What stands around the numbers: texts that are not yet escaped."""

    label: str
    caption: str
    notes: Sequence[str]
    origin: str = ""
    """A comment: what made the numbers, in full."""


def latex(drawn: Drawn, words: Words, place: Place = "auto") -> str:
    r"""The table as a ``table`` (as wide as a column) or ``table*`` (as the page).

    `place`: which of the two; ``auto`` is the column where all columns fit into one part at a size
    of ``\scriptsize`` or more, else the page.
    """
    rooms = {"column": [COLUMN], "text": [TEXT]}.get(place, [COLUMN, TEXT])
    frames = [
        _Frame(room, size, share) for room in rooms for size in _SIZES for share in _NAMES_AT_MOST
    ]
    whole = next((one for one in frames if len(one.parts(drawn)) == 1), None)
    frame = whole or min(
        (one for one in frames if one.room == rooms[-1]), key=lambda one: len(one.parts(drawn))
    )
    room, size = frame.room, frame.size
    environment = "table*" if room == TEXT else "table"
    cut = [piece for part in frame.parts(drawn) for piece in frame.cut(part)]
    parts = ["\n".join(_tabular(piece, frame)) for piece in cut]
    lines: list[str] = []
    below = _notes(words.notes)
    high = max(map(frame.height, cut))
    under = sum(map(len, words.notes)) * 3.7 / room * 8.4
    floats = [parts] if high * len(parts) + under <= _PAGE else [[part] for part in parts]
    apart = len(floats[-1]) * high + under > _PAGE
    for number, float_parts in enumerate(floats, start=1):
        told = f" Part {number} of {len(floats)}." if len(floats) > 1 else ""
        lines += [
            rf"\begin{{{environment}}}[tbp]",
            r"\centering",
            rf"\{size}",
            rf"\setlength{{\tabcolsep}}{{{_SEPARATION:g}pt}}",
            rf"\caption{{{escape.latex(words.caption + told, None)}}}",
            *([rf"\label{{{_label(words.label)}}}"] if number == 1 else []),
            "\n\\par\\medskip\n".join(float_parts),
            *(below if number == len(floats) and not apart else []),
            rf"\end{{{environment}}}",
        ]
    if apart and below:
        lines += [
            rf"\begin{{{environment}}}[tbp]",
            rf"\scriptsize Notes to Table~\ref{{{_label(words.label)}}}.",
            *below,
            rf"\end{{{environment}}}",
        ]
    text = "\n".join(lines) + "\n"
    said = [r"needs \usepackage{booktabs}"]
    said += [f"scored by {escape.plain(words.origin, None)}"] if words.origin else []
    if not re.fullmatch("[\x00-\u024f]*", text):
        said.append("has letters that pdfLaTeX does not know: compile with LuaLaTeX or XeLaTeX")
    return f"% {'; '.join(said)}\n{text}"


def _notes(notes: Sequence[str]) -> list[str]:
    """What stands below the numbers, in one paragraph."""
    if not notes:
        return []
    told = " ".join(escape.latex(note, None) for note in notes)
    return [
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\scriptsize\raggedright",
        told,
        r"\end{minipage}",
    ]


def _label(name: str) -> str:
    return "tab:" + re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()


def width(text: str, points: float, *, bold: bool = False) -> float:
    """About how wide a line of text is at a size, in points."""
    ems = sum(_WIDTHS.get(letter, _OTHER) for letter in text)
    return ems * points * _SAFETY * (_BOLD if bold else 1.0)


def pieces(text: str) -> list[str]:
    """The parts of a text between which a line may end: after blanks, hyphens, underscores
    and slashes.
    """
    found: list[str] = []
    for word in text.split():
        parts = [part for part in _PIECES.findall(word) if part]
        if found and word in _ARROWS:  # stays beside its word
            found[-1] += f"{word} "
        else:
            found += [*parts[:-1], *(f"{part} " for part in parts[-1:])]
    return found or [text]


def broken(text: str, most: float, points: float) -> list[str]:
    """The text in lines of at most that width, where its pieces allow it."""
    lines = [""]
    for piece in pieces(text):
        if lines[-1] and width((lines[-1] + piece).rstrip(), points) > most:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


@dataclass(frozen=True, slots=True)
class _Frame:
    """A width to fill, in points, and a size of type."""

    room: float
    size: str
    share: float
    """Of the width, for names."""

    @property
    def points(self) -> float:
        return _SIZES[self.size]

    def parts(self, drawn: Drawn) -> list[Drawn]:
        """The drawn table in as many parts as it takes, about equally wide."""
        units: list[list[int]] = []
        for place in range(drawn.names, len(drawn.headings)):
            if units and _counts(drawn, place):  # a count stays beside its number
                units[-1].append(place)
            else:
                units.append([place])
        widths = [sum(self._column(drawn, p) + 2 * _SEPARATION for p in unit) for unit in units]
        free = self.room - sum(self.name_widths(drawn)) - 2 * _SEPARATION * (drawn.names - 1)
        groups = _packed(widths, free)
        fair = sum(widths) / max(1, len(groups))
        for more in (1.0, 1.05, 1.15, 1.3):
            tried = _packed(widths, min(free, fair * more))
            if len(tried) == len(groups):
                groups = tried
                break
        return [_chosen(drawn, [p for unit in group for p in units[unit]]) for group in groups]

    def height(self, drawn: Drawn) -> float:
        """About how high the lines of one part are, in points."""
        names = self.name_widths(drawn)
        lines = 1.0 + len(drawn.breaks)
        for level in range(len(drawn.headings[0])):
            lines += max(
                (len(self.heading(drawn, n, level)) for n in range(drawn.names, len(drawn.headings))
                 if level < len(drawn.headings[n])), default=1,
            )  # fmt: skip
        for line in drawn.lines:
            lines += max(
                -(-width(line[place].text, self.points) // names[place]) or 1.0
                for place in range(drawn.names)
            )
        return lines * self.points * 1.2

    def cut(self, drawn: Drawn) -> list[Drawn]:
        """The drawn table in pieces that follow each other, none higher than a page: cut where the
        first name begins anew.
        """
        starts = [n for n, line in enumerate(drawn.lines) if n and line[0].text]
        found: list[Drawn] = []
        begin = 0
        for start, end in zip([0, *starts], [*starts, len(drawn.lines)], strict=True):
            if start > begin and self.height(_cut(drawn, begin, end)) > _PAGE:
                found.append(_cut(drawn, begin, start))
                begin = start
        return [*found, _cut(drawn, begin, len(drawn.lines))]

    def name_widths(self, drawn: Drawn) -> list[float]:
        """The widths of the columns of names: as they are, or a share each where that is too
        wide.
        """
        wide = [
            max(
                [width(level, self.points) for level in drawn.headings[place]]
                + [width(line[place].text, self.points) for line in drawn.lines]
            )
            for place in range(drawn.names)
        ]
        longest = [self._longest_piece(drawn, place) for place in range(drawn.names)]
        most = max(self.room * self.share, sum(longest))
        if sum(wide) <= most:
            return wide
        free = most - sum(longest)
        wanted = sum(wide) - sum(longest)
        return [
            least + (item - least) * free / wanted
            for item, least in zip(wide, longest, strict=True)
        ]

    def _longest_piece(self, drawn: Drawn, place: int) -> float:
        """What a column of names cannot be narrower than; its hanging indent included."""
        texts = [*drawn.headings[place], *(line[place].text for line in drawn.lines)]
        return self.points + max(
            width(piece.rstrip(), self.points) for text in texts for piece in pieces(text)
        )

    def _column(self, drawn: Drawn, place: int) -> float:
        """The width of a column of numbers, a fair share of the headings above it included."""
        body = self.body(drawn, place)
        return max(
            [body]
            + [
                max(width(line, self.points) for line in self.heading(drawn, place, level))
                / _span(drawn, place, level)
                for level in range(len(drawn.headings[place]))
            ]
        )

    def body(self, drawn: Drawn, place: int) -> float:
        return max(
            (width(i.text, self.points, bold=i.mark == "best") for i in _items(drawn, place)),
            default=0.0,
        )

    def heading(self, drawn: Drawn, place: int, level: int) -> list[str]:
        """A heading in lines, as wide as the numbers below it or as its longest piece."""
        text = drawn.headings[place][level]
        span = _span(drawn, place, level)
        most = (self.body(drawn, place) + 2 * _SEPARATION) * span - 2 * _SEPARATION
        longest = max(width(piece.rstrip(), self.points) for piece in pieces(text))
        return broken(text, max(most, longest), self.points)


def _counts(drawn: Drawn, place: int) -> bool:
    return all(line[place].mark == "count" for line in drawn.lines)


def _packed(widths: Sequence[float], room: float) -> list[list[int]]:
    """The places of widths in order, as many together as the room takes; at least one."""
    groups: list[list[int]] = [[]]
    used = 0.0
    for place, wide in enumerate(widths):
        if groups[-1] and used + wide > room:
            groups.append([])
            used = 0.0
        groups[-1].append(place)
        used += wide
    return groups


def _items(drawn: Drawn, place: int) -> list[Item]:
    return [line[place] for line in drawn.lines]


def _span(drawn: Drawn, place: int, level: int) -> int:
    """How many neighbouring columns stand below a heading; the narrowest level has one each."""
    heading = drawn.headings[place]
    if level >= len(heading) - 1:
        return 1
    own = heading[: level + 1]
    count = 1
    for step in (-1, 1):
        other = place + step
        while (
            drawn.names <= other < len(drawn.headings)
            and drawn.headings[other][: level + 1] == own
            and len(drawn.headings[other]) > level + 1
        ):
            count += 1
            other += step
    return count


def _chosen(drawn: Drawn, places: Sequence[int]) -> Drawn:
    """Some of the columns; without the lines of counts that none of them has (papers' models)."""
    kept = [*range(drawn.names), *places]
    full = [
        number
        for number, line in enumerate(drawn.lines)
        if any(line[place].mark != "count" or line[place].text != NOTHING for place in places)
    ]
    return replace(
        drawn,
        headings=[drawn.headings[place] for place in kept],
        lines=[[drawn.lines[number][place] for place in kept] for number in full],
        breaks={place for place, number in enumerate(full) if number in drawn.breaks},
    )


def _cut(drawn: Drawn, begin: int, end: int) -> Drawn:
    return replace(
        drawn,
        lines=drawn.lines[begin:end],
        breaks={number - begin for number in drawn.breaks if begin < number < end},
    )


# -- one part --------------------------------------------------------------------------------------


def _tabular(drawn: Drawn, frame: _Frame) -> list[str]:
    names = frame.name_widths(drawn)
    wide = [
        max((width(i.text, frame.points) for i in _items(drawn, place)), default=0.0)
        for place in range(drawn.names)
    ]
    broken_up = [room < needed for room, needed in zip(names, wide, strict=True)]
    columns = "".join(
        f"p{{{room:.0f}pt}}" if narrow else "l"
        for room, narrow in zip(names, broken_up, strict=True)
    )
    columns += "r" * (len(drawn.headings) - drawn.names)
    lines = [rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}", r"\toprule", *_heads(drawn, frame)]
    lines.append(r"\midrule")
    for number, line in enumerate(drawn.lines):
        if number in drawn.breaks:
            lines.append(r"\midrule")
        cells = [
            "" if _said_above(drawn, number, place)
            else _breaking(item.text) if place < drawn.names and broken_up[place]
            else _cell(item)
            for place, item in enumerate(line)
        ]  # fmt: skip
        lines.append(" & ".join(cells) + r" \\")
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _said_above(drawn: Drawn, number: int, place: int) -> bool:
    """Whether a name of a group stands in the line above, in the same block."""
    if number == 0 or number in drawn.breaks or place >= drawn.names - 1:
        return False
    return drawn.lines[number][place].text == drawn.lines[number - 1][place].text


def _cell(item: Item) -> str:
    text = escape.latex(item.text)
    return {"best": rf"\textbf{{{text}}}", "second": rf"\underline{{{text}}}"}.get(item.mark, text)


def _breaking(text: str) -> str:
    """A name that may break after each of its pieces, set ragged."""
    parts = [escape.latex(piece) for piece in pieces(escape.plain(text))]
    joined = "".join(part if part.endswith(" ") else rf"{part}\allowbreak{{}}" for part in parts)
    return r"\raggedright\hangindent=1em " + joined.removesuffix(r"\allowbreak{}").rstrip()


def _stacked(lines: Sequence[str], side: str = "r") -> str:
    texts = [escape.latex(line) for line in lines]
    joined = r"\\ ".join(texts)
    return joined if len(texts) == 1 else rf"\shortstack[{side}]{{{joined}}}"


def _heads(drawn: Drawn, frame: _Frame) -> list[str]:
    """One line for each level of heading; neighbours with the same broad heading share a centred
    one and a rule.
    """
    levels = max(len(heading) for heading in drawn.headings)
    padded = [("",) * (levels - len(heading)) + heading for heading in drawn.headings]
    lines = []
    for level in range(levels):
        cells, rules, column = [], [], 0
        while column < len(padded):
            text, span = padded[column][level], 1
            own = level - (levels - len(drawn.headings[column]))
            while (
                level < levels - 1
                and text
                and column + span < len(padded)
                and padded[column + span][: level + 1] == padded[column][: level + 1]
            ):
                span += 1
            if column < drawn.names or not text:
                cells.append(escape.latex(text))
            elif level == levels - 1:
                cells.append(_stacked(frame.heading(drawn, column, own)))
            else:
                stacked = _stacked(frame.heading(drawn, column, own), "c")
                cells.append(rf"\multicolumn{{{span}}}{{c}}{{{stacked}}}")
                rules.append(rf"\cmidrule(lr){{{column + 1}-{column + span}}}")
            column += span
        lines.append(" & ".join(cells) + r" \\")
        lines.append("".join(rules))
    return [line for line in lines if line]

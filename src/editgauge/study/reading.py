"""Ratings from a file that was made elsewhere: a spreadsheet, Label Studio, Prolific, a script.

Three shapes, told apart by their headings (any order, any case, further columns are passed over):

- **long**: sample, annotator, editor, value – and question, repeat, comment, scale if wanted;
- **wide**: sample, annotator – and one column for each editor, with its name as the heading;
- **pairwise**: sample, annotator, editor_a, editor_b, winner (an editor's name, a, b, tie,
  both_bad).

Nothing is written when anything does not fit: every problem is listed with its line.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from editgauge.errors import DataError, UsageError
from editgauge.escape import csv_text, plain
from editgauge.store import csv_files
from editgauge.store.schema import digest
from editgauge.study.scales import OUTCOMES, Rating, Scale, value_of

_SHOWN = 20
_WORDS: Mapping[str, tuple[str, ...]] = {
    "sample": ("sample", "sample_id", "sampleid", "item", "task_id", "id"),
    "annotator": ("annotator", "rater", "participant", "participant_id", "user", "worker"),
    "editor": ("editor", "model", "system"),
    "value": ("value", "rank", "rating", "score", "grade"),
    "question": ("question", "metric", "dimension", "criterion"),
    "editor_a": ("editor_a", "model_a", "left"),
    "editor_b": ("editor_b", "model_b", "right"),
    "winner": ("winner", "preferred", "outcome", "choice"),
    "repeat": ("repeat",),
    "comment": ("comment", "comments"),
    "scale": ("scale",),
    "benchmark": ("benchmark",),
}
"""What a column may be called, ours first."""
_SCALE_WORDS: Mapping[str, Scale] = {
    "rank": "rank",
    "ranking": "rank",
    "rate": "rate",
    "rating": "rate",
    "1-5": "rate",
    "grade": "grade",
    "good-fair-poor": "grade",
    "pairwise": "pairwise",
}


class Known(NamedTuple):
    """What a file is checked against: the samples and editors of one benchmark of the run."""

    benchmark: str
    samples: frozenset[str]
    editors: frozenset[str]


class Line(NamedTuple):
    """One record of the file: the number of its first line, and its cells by our column names
    (wide: editors' columns by their names).
    """

    number: int
    cells: Mapping[str, str]

    @property
    def group(self) -> tuple[str, ...]:
        """What was said together: of one sample, by one annotator, to one question, at once."""
        names = ("sample", "annotator", "question", "repeat")
        return tuple(self.cells.get(name, "") for name in names)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as it was read: its shape, the columns that are values, and its lines."""

    name: str
    shape: str
    values: tuple[str, ...]
    """Wide: names of editors; long: ``value``; pairwise: none."""
    heading: str
    """Of the values' column in a long file, in small letters."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The ratings of a file, the scale they are on, and how the scale became known."""

    ratings: list[Rating]
    scale: Scale
    told: str
    annotators: tuple[str, ...] = ()


class _Wrong(Exception):
    """What is wrong with one thing that a line says."""


@dataclass(slots=True)
class _Problems:
    name: str
    said: list[str] = field(default_factory=list)

    def add(self, line: int, text: object) -> None:
        self.said.append(f"line {line}: {text}")

    def raise_any(self) -> None:
        if not self.said:
            return
        more = f"\n  and {len(self.said) - _SHOWN} more" if len(self.said) > _SHOWN else ""
        lines = "\n  ".join(self.said[:_SHOWN])
        raise DataError(
            f"{self.name}: {len(self.said)} things do not fit, nothing was taken in:\n  "
            f"{lines}{more}\nfix these lines and import the file again"
        )


def scale_named(word: str) -> Scale:
    """The scale that a word of the command line or of a file means. Raises `UsageError`."""
    found = _SCALE_WORDS.get(word.strip().casefold())
    if found is None:
        raise UsageError(f"scale {plain(word)!r}: wanted one of {', '.join(_SCALE_WORDS)}")
    return found


def columns_of(words: Sequence[str]) -> dict[str, str]:
    """``OURS=HEADING`` words as a mapping. Raises `UsageError`."""
    pairs = [word.partition("=") for word in words]
    for ours, sign, theirs in pairs:
        if not sign or ours not in _WORDS:
            raise UsageError(
                f"--column {plain(ours + sign + theirs)}: wanted OURS=HEADING with one of "
                f"{', '.join(_WORDS)}"
            )
    return {ours: theirs for ours, _, theirs in pairs}


def read_ratings(
    path: Path,
    known: Known,
    *,
    scale: str = "",
    question: str = "overall",
    columns: Mapping[str, str] | None = None,
    salt: str = "",
) -> Parsed:
    """The ratings in a file. `question` is used where the file has no such column; `columns` maps
    our names to the file's own headings; with a `salt` annotators are replaced by a keyed hash,
    ``rater-3f9a01``, the same for the same salt.

    Raises `DataError` with the line of everything that does not fit, and `UsageError` where
    numbers could be ranks as well as ratings and nothing says which.
    """
    sheet = read_sheet(path, known, columns or {})
    chosen, told = _scale(sheet, scale)
    problems = _Problems(sheet.name)
    found = list(_ratings(sheet, known, chosen, question, problems))
    names = {
        name: f"rater-{digest(salt, name)[:6]}" if salt else name
        for name in dict.fromkeys(rating.annotator for _, rating in found)
    }
    _check_once(found, problems)
    _check_names(found, names, problems)
    problems.raise_any()
    if not found:
        raise DataError(f"{sheet.name}: no rating in it; every value is empty")
    ratings = [replace(rating, annotator=names[rating.annotator]) for _, rating in found]
    return Parsed(ratings, chosen, told, tuple(dict.fromkeys(names.values())))


# -- the file --------------------------------------------------------------------------------------


def read_sheet(path: Path, known: Known, columns: Mapping[str, str]) -> Sheet:
    """The lines of a file with our names for its columns. Raises `DataError`."""
    found = csv_files.records(path, strict=True)
    headings = [cell.strip() for cell in next(found, csv_files.Record(1, [])).cells]
    places, editors = _places(path.name, headings, known, columns)
    shape = _shape(path.name, headings, places, editors)
    wanted = {**places, **editors} if shape == "wide" else places
    lines = []
    for number, cells in found:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(headings):
            raise DataError(
                f"{path.name}, line {number}: {len(cells)} cells, but {len(headings)} "
                f"headings; quote cells that hold the separator"
            )
        lines.append(Line(number, {key: _cell(cells[at]) for key, at in wanted.items()}))
    values = {"wide": tuple(editors), "long": ("value",)}.get(shape, ())
    heading = headings[places["value"]].casefold() if "value" in places else ""
    return Sheet(path.name, shape, values, heading, tuple(lines))


def _cell(text: str) -> str:
    """A cell without the apostrophe that `escape.csv_text` sets before a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and csv_text(text[1:]) == text else text


def _places(
    name: str, headings: Sequence[str], known: Known, columns: Mapping[str, str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Our columns and the editors' columns -> their places."""
    twice = [heading for heading, times in Counter(headings).items() if heading and times > 1]
    if twice:
        raise DataError(f"{name}, line 1: two columns are called {plain(twice[0])!r}; rename one")
    for ours, theirs in columns.items():
        if ours not in _WORDS or theirs not in headings:
            raise UsageError(
                f"--column {ours}={theirs}: wanted one of ours ({', '.join(_WORDS)}) = a heading "
                f"of {name} ({', '.join(map(plain, headings))})"
            )
    places = {ours: headings.index(theirs) for ours, theirs in columns.items()}
    lower = [heading.casefold() for heading in headings]
    for ours, words in _WORDS.items():
        there = [word for word in words if word in lower]
        if ours not in places and there:
            places[ours] = lower.index(there[0])
    taken = set(places.values())
    editors = {h: k for k, h in enumerate(headings) if h in known.editors and k not in taken}
    return places, editors


def _shape(
    name: str, headings: Sequence[str], places: Mapping[str, int], editors: Mapping[str, int]
) -> str:
    if {"sample", "annotator"} <= places.keys():
        if {"editor_a", "editor_b", "winner"} <= places.keys():
            return "pairwise"
        if {"editor", "value"} <= places.keys():
            return "long"
        if editors:
            return "wide"
    shown = ", ".join(plain(heading) for heading in headings)[:300] or "nothing"
    raise DataError(
        f"{name}, line 1: wanted the columns sample, annotator and either editor, value (long), or "
        f"one column named after each editor (wide), or editor_a, editor_b, winner (pairwise); "
        f"found {shown}; rename columns, or say --column sample=HEADING"
    )


# -- the scale -------------------------------------------------------------------------------------


def _scale(sheet: Sheet, given: str) -> tuple[Scale, str]:
    """The scale of a file, and how it became known."""
    if given:
        chosen = scale_named(given)
        if (chosen == "pairwise") != (sheet.shape == "pairwise"):
            raise UsageError(
                f"--scale {given}: {sheet.name} has the columns of the shape {sheet.shape}"
            )
        return chosen, "as asked"
    if sheet.shape == "pairwise":
        return "pairwise", "from its columns"
    named = sorted({line.cells["scale"] for line in sheet.lines if line.cells.get("scale")})
    if len(named) > 1:
        raise UsageError(
            f"{sheet.name}: two scales in one file ({', '.join(map(plain, named))}); import one at "
            f"a time"
        )
    if named:
        return scale_named(named[0]), "from its column scale"
    if sheet.heading in ("rank", "rating", "grade"):
        return scale_named(sheet.heading), f"from its heading {sheet.heading!r}"
    return _scale_of_values(sheet)


def _scale_of_values(sheet: Sheet) -> tuple[Scale, str]:
    groups: dict[tuple[str, ...], list[float]] = {}
    words = False
    for line in sheet.lines:
        for text in (line.cells[name] for name in sheet.values):
            number = _number(text)
            words |= bool(text) and number is None
            if number is not None:
                groups.setdefault(line.group, []).append(number)
    if words and not groups:
        return "grade", "its values are words"
    ranks = all(  # a first place in every group of outputs, and none beyond the last
        min(group) in (1.0, (len(group) + 1) / 2) and max(group) <= len(group)
        for group in groups.values()
    )
    if ranks and all(value in (1, 2, 3, 4, 5) for group in groups.values() for value in group):
        raise UsageError(
            f"{sheet.name}: the values could be ranks (1 = best) or ratings (5 = best); "
            f"say --scale rank or --scale 1-5"
        )
    told = f"{'every' if ranks else 'not every'} group of outputs has ranks from 1 on"
    return ("rank" if ranks else "rate"), told


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if number == number else None


# -- ratings ---------------------------------------------------------------------------------------


def _ratings(
    sheet: Sheet, known: Known, scale: Scale, question: str, problems: _Problems
) -> Iterator[tuple[int, Rating]]:
    sizes = Counter(line.group for line in sheet.lines)
    for line in sheet.lines:
        shown = len(sheet.values) if sheet.shape == "wide" else sizes[line.group]
        try:
            common = _common(sheet, line, known, scale, question, problems)
            if sheet.shape == "pairwise":
                made = _comparison(line, known, common, problems)
                if made is not None:
                    yield line.number, made
        except _Wrong as why:
            problems.add(line.number, why)
            continue
        for column in sheet.values:
            editor = line.cells["editor"] if column == "value" else column
            try:
                _need_known("editor", editor, known.editors, problems)
                if text := line.cells[column]:
                    value = value_of(scale, text, shown)
                    if isinstance(value, str):
                        raise _Wrong(f"{plain(editor)}: {value}, found {plain(text)!r}")
                    yield line.number, replace(common, editor=editor, value=value)
            except _Wrong as why:
                problems.add(line.number, why)


def _common(
    sheet: Sheet, line: Line, known: Known, scale: Scale, question: str, problems: _Problems
) -> Rating:
    """A rating with everything but what was said about which editor. Raises `_Wrong`."""
    cells = line.cells
    if cells.get("benchmark") not in (None, "", known.benchmark):
        raise _Wrong(
            f"benchmark {plain(cells['benchmark'])!r}: the run's samples are of "
            f"{known.benchmark}; import one benchmark at a time with --benchmark"
        )
    _need_known("sample", cells["sample"], known.samples, problems)
    if not cells["annotator"]:
        raise _Wrong("annotator: empty; wanted a pseudonym")
    asked = cells.get("question") or question
    if any(letter in asked for letter in ".\n") or len(asked) > 80:
        raise _Wrong(f"question {plain(asked)!r}: wanted a short name without dots")
    repeat = cells.get("repeat") or "0"
    if not repeat.isascii() or not repeat.isdigit() or int(repeat) > 99:
        raise _Wrong(f"repeat {plain(repeat)!r}: wanted 0, 1, 2…")
    comment = cells.get("comment")
    return Rating(
        benchmark=known.benchmark,
        sample=cells["sample"],
        editor="",
        question=asked,
        annotator=cells["annotator"],
        scale=scale,
        value=None,
        repeat=int(repeat),
        detail={"comment": comment[:4000]} if comment else {},
        origin={"file": sheet.name},
    )


def _comparison(line: Line, known: Known, common: Rating, problems: _Problems) -> Rating | None:
    """A comparison; None where nobody won. Raises `_Wrong`."""
    first, second, word = (line.cells[name] for name in ("editor_a", "editor_b", "winner"))
    for editor in (first, second):
        _need_known("editor", editor, known.editors, problems)
    if first == second:
        raise _Wrong(f"{plain(first)!r} is compared with itself")
    if not word:
        return None
    outcome = {first: "a", second: "b"}.get(word, word.casefold().replace(" ", "_"))
    if outcome not in OUTCOMES:
        wanted = f"{plain(first)}, {plain(second)}, a, b, tie or both_bad"
        raise _Wrong(f"winner: wanted {wanted}, found {plain(word)!r}")
    detail = {"outcome": outcome, **common.detail}
    value = OUTCOMES[outcome]
    return replace(common, editor=first, against=second, value=value, detail=detail)


def _need_known(what: str, name: str, known: frozenset[str], problems: _Problems) -> None:
    """Raise `_Wrong` for a name that is not in the run, with the one that may be meant; of lines
    that are not shown it is not looked for.
    """
    if name in known:
        return
    if not name:
        raise _Wrong(f"{what}: empty")
    said = ""
    if len(problems.said) < _SHOWN:
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
        here = f", which has {', '.join(sorted(map(plain, known))[:4])}…"
        said = f"; did you mean {' or '.join(map(plain, near))}?" if near else here
    raise _Wrong(f"{what} {plain(name)!r}: not in the run{said}")


def _check_once(ratings: Sequence[tuple[int, Rating]], problems: _Problems) -> None:
    first: dict[tuple[object, ...], int] = {}
    for number, one in ratings:
        pair = tuple(sorted((one.editor, one.against)))
        key = (one.sample, pair, one.question, one.annotator, one.repeat)
        if first.setdefault(key, number) != number:
            problems.add(
                number,
                f"{plain(one.annotator)} rated {plain(one.editor)} on sample {plain(one.sample)!r} "
                f"in line {first[key]} already; number repeats in a column repeat (0, 1…)",
            )


def _check_names(
    ratings: Sequence[tuple[int, Rating]], names: Mapping[str, str], problems: _Problems
) -> None:
    lines = {names[rating.annotator]: number for number, rating in reversed(ratings)}
    for name, number in lines.items():
        if "@" in name or ":" in name or len(name) > 60 or plain(name) != name:
            problems.add(
                number,
                f"annotator {plain(name)!r}: wanted a pseudonym (no @ or colon, at most 60 "
                f"characters); say --anonymise to replace all of them",
            )

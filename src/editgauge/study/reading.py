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
_SCALE_OF_HEADING: Mapping[str, Scale] = {"rank": "rank", "rating": "rate", "grade": "grade"}
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


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file as it was read: its shape, the columns that are editors (wide), and its lines."""

    name: str
    shape: str
    editors: tuple[str, ...]
    value_heading: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The ratings of a file, the scale they are on, and how the scale became known."""

    ratings: list[Rating]
    scale: Scale
    told: str
    annotators: tuple[str, ...] = ()


@dataclass(slots=True)
class _Problems:
    name: str
    said: list[str] = field(default_factory=list)

    def add(self, line: int, text: str) -> None:
        self.said.append(f"line {line}: {text}")

    def near(self, name: str, known: frozenset[str]) -> str:
        """Which of the known names is meant, in words; of lines that are not shown it is not
        asked.
        """
        if len(self.said) >= _SHOWN:
            return "not in the run"
        if not name:
            return "empty"
        near = difflib.get_close_matches(name, known, n=2, cutoff=0.6)
        if near:
            return f"not in the run; did you mean {' or '.join(map(plain, near))}?"
        return f"not in the run, which has {', '.join(sorted(map(plain, known))[:4])}…"

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
    found = {}
    for word in words:
        ours, sign, theirs = word.partition("=")
        if not sign or ours not in _WORDS:
            raise UsageError(
                f"--column {plain(word)}: wanted OURS=HEADING with one of {', '.join(_WORDS)}"
            )
        found[ours] = theirs
    return found


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
    ratings = list(_ratings(sheet, known, chosen, question, problems))
    _no_duplicates(ratings, problems)
    names = _names([rating.annotator for _, rating in ratings], salt)
    _plain_names(ratings, names, problems)
    problems.raise_any()
    if not ratings:
        raise DataError(f"{sheet.name}: no rating in it; every value is empty")
    done = [_renamed(rating, names[rating.annotator]) for _, rating in ratings]
    return Parsed(done, chosen, told, tuple(dict.fromkeys(names.values())))


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
    heading = headings[places["value"]].casefold() if "value" in places else ""
    return Sheet(path.name, shape, tuple(editors), heading, tuple(lines))


def _cell(text: str) -> str:
    """A cell without the apostrophe that `escape.csv_text` sets before a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and csv_text(text[1:]) == text else text


def _places(
    name: str, headings: Sequence[str], known: Known, columns: Mapping[str, str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Our columns and the editors' columns -> their places."""
    lower = [heading.casefold() for heading in headings]
    twice = sorted(heading for heading, times in Counter(headings).items() if heading and times > 1)
    if twice:
        raise DataError(f"{name}, line 1: two columns are called {plain(twice[0])!r}; rename one")
    places: dict[str, int] = {}
    for ours, theirs in columns.items():
        if ours not in _WORDS or theirs not in headings:
            raise UsageError(
                f"--column {ours}={theirs}: wanted one of ours ({', '.join(_WORDS)}) = a heading "
                f"of {name} ({', '.join(map(plain, headings))})"
            )
        places[ours] = headings.index(theirs)
    for ours, words in _WORDS.items():
        found = [word for word in words if word in lower]
        if ours not in places and found:
            places[ours] = lower.index(found[0])
    taken = set(places.values())
    editors = {
        heading: place
        for place, heading in enumerate(headings)
        if heading in known.editors and place not in taken
    }
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
    if sheet.value_heading in _SCALE_OF_HEADING:
        return _SCALE_OF_HEADING[sheet.value_heading], f"from its heading {sheet.value_heading!r}"
    return _scale_of_values(sheet)


def _scale_of_values(sheet: Sheet) -> tuple[Scale, str]:
    groups: dict[tuple[str, ...], list[str]] = {}
    for line in sheet.lines:
        key = tuple(line.cells.get(name, "") for name in ("sample", "annotator", "question"))
        values = groups.setdefault(key, [])
        values += [line.cells[name] for name in _value_columns(sheet) if line.cells[name]]
    every = [value for values in groups.values() for value in values]
    if every and not any(_is_number(value) for value in every):
        return "grade", "its values are words"
    numbers = [[float(text) for text in values if _is_number(text)] for values in groups.values()]
    ranks = all(_ranks(values) for values in numbers if values)
    rates = all(value in (1, 2, 3, 4, 5) for values in numbers for value in values)
    if ranks and rates:
        raise UsageError(
            f"{sheet.name}: the values could be ranks (1 = best) or ratings (5 = best); "
            f"say --scale rank or --scale 1-5"
        )
    if ranks:
        return "rank", "every group of outputs has ranks from 1 on"
    return "rate", "not every group of outputs has ranks from 1 on"


def _ranks(values: Sequence[float]) -> bool:
    """Whether these could be the ranks of one group of outputs: a first place, none beyond the
    last.
    """
    return min(values) in (1.0, (len(values) + 1) / 2) and max(values) <= len(values)


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False


def _value_columns(sheet: Sheet) -> tuple[str, ...]:
    return sheet.editors if sheet.shape == "wide" else ("value",)


# -- ratings ---------------------------------------------------------------------------------------


def _ratings(
    sheet: Sheet, known: Known, scale: Scale, question: str, problems: _Problems
) -> Iterator[tuple[int, Rating]]:
    counts = _group_sizes(sheet, question)
    for line in sheet.lines:
        if not _line_fits(line, known, problems):
            continue
        asked = line.cells.get("question") or question
        if any(letter in asked for letter in ".\n") or len(asked) > 80:
            problems.add(
                line.number, f"question {plain(asked)!r}: wanted a short name without dots"
            )
            continue
        repeat = line.cells.get("repeat") or "0"
        if not repeat.isascii() or not repeat.isdigit() or int(repeat) > 99:
            problems.add(line.number, f"repeat {plain(repeat)!r}: wanted 0, 1, 2…")
            continue
        if sheet.shape == "pairwise":
            found = _pairwise(sheet.name, line, known, asked, int(repeat), problems)
        else:
            key = (line.cells["sample"], line.cells["annotator"], asked, repeat)
            size = len(sheet.editors) if sheet.shape == "wide" else counts.get(key, 1)
            found = _scores(sheet, line, known, scale, asked, int(repeat), size, problems)
        for rating in found:
            yield line.number, rating


def _group_sizes(sheet: Sheet, question: str) -> dict[tuple[str, str, str, str], int]:
    """How many lines of a long file belong to one sample, annotator, question and repeat."""
    counts: dict[tuple[str, str, str, str], int] = {}
    for line in sheet.lines:
        cells = line.cells
        key = (
            cells["sample"],
            cells["annotator"],
            cells.get("question") or question,
            cells.get("repeat") or "0",
        )
        counts[key] = counts.get(key, 0) + 1
    return counts


def _line_fits(line: Line, known: Known, problems: _Problems) -> bool:
    benchmark = line.cells.get("benchmark")
    if benchmark and benchmark != known.benchmark:
        problems.add(
            line.number,
            f"benchmark {plain(benchmark)!r}: the run's samples are of {known.benchmark}; import "
            f"one benchmark at a time with --benchmark",
        )
        return False
    sample = line.cells["sample"]
    if sample not in known.samples:
        problems.add(
            line.number, f"sample {plain(sample)!r}: {problems.near(sample, known.samples)}"
        )
        return False
    if not line.cells["annotator"]:
        problems.add(line.number, "annotator: empty; wanted a pseudonym")
        return False
    return True


def _scores(
    sheet: Sheet,
    line: Line,
    known: Known,
    scale: Scale,
    question: str,
    repeat: int,
    size: int,
    problems: _Problems,
) -> Iterator[Rating]:
    for column in _value_columns(sheet):
        text = line.cells[column]
        editor = line.cells["editor"] if column == "value" else column
        if editor not in known.editors:
            problems.add(
                line.number, f"editor {plain(editor)!r}: {problems.near(editor, known.editors)}"
            )
            continue
        if not text:
            continue
        value = value_of(scale, text, size)
        if isinstance(value, str):
            problems.add(line.number, f"{plain(editor)}: {value}, found {plain(text)!r}")
            continue
        yield Rating(
            benchmark=known.benchmark,
            sample=line.cells["sample"],
            editor=editor,
            question=question,
            annotator=line.cells["annotator"],
            scale=scale,
            value=value,
            repeat=repeat,
            detail=_comment(line),
            origin={"file": sheet.name},
        )


def _pairwise(
    name: str, line: Line, known: Known, question: str, repeat: int, problems: _Problems
) -> Iterator[Rating]:
    first, second = line.cells["editor_a"], line.cells["editor_b"]
    for editor in (first, second):
        if editor not in known.editors:
            problems.add(
                line.number, f"editor {plain(editor)!r}: {problems.near(editor, known.editors)}"
            )
            return
    if first == second:
        problems.add(line.number, f"{plain(first)!r} is compared with itself")
        return
    word = line.cells["winner"]
    if not word:
        return
    outcome = {first: "a", second: "b"}.get(word, word.casefold().replace(" ", "_"))
    if outcome not in OUTCOMES:
        wanted = f"{plain(first)}, {plain(second)}, a, b, tie or both_bad"
        problems.add(line.number, f"winner: wanted {wanted}, found {plain(word)!r}")
        return
    yield Rating(
        benchmark=known.benchmark,
        sample=line.cells["sample"],
        editor=first,
        against=second,
        question=question,
        annotator=line.cells["annotator"],
        scale="pairwise",
        value=OUTCOMES[outcome],
        repeat=repeat,
        detail={"outcome": outcome, **_comment(line)},
        origin={"file": name},
    )


def _comment(line: Line) -> dict[str, str]:
    comment = line.cells.get("comment")
    return {"comment": comment[:4000]} if comment else {}


def _no_duplicates(ratings: Sequence[tuple[int, Rating]], problems: _Problems) -> None:
    first: dict[tuple[object, ...], int] = {}
    for number, rating in ratings:
        pair = tuple(sorted((rating.editor, rating.against)))
        key = (rating.sample, pair, rating.question, rating.annotator, rating.repeat)
        if key in first:
            problems.add(
                number,
                f"{plain(rating.annotator)} rated {plain(rating.editor)} on sample "
                f"{plain(rating.sample)!r} in line {first[key]} already; number repeats in a "
                f"column repeat (0, 1…)",
            )
        first.setdefault(key, number)


def _names(found: Sequence[str], salt: str) -> dict[str, str]:
    names = list(dict.fromkeys(found))
    if salt:
        return {name: f"rater-{digest(salt, name)[:6]}" for name in names}
    return {name: name for name in names}


def _plain_names(
    ratings: Sequence[tuple[int, Rating]], names: Mapping[str, str], problems: _Problems
) -> None:
    seen: set[str] = set()
    for number, rating in ratings:
        name = names[rating.annotator]
        if name in seen:
            continue
        seen.add(name)
        if "@" in name or ":" in name or len(name) > 60 or plain(name) != name:
            problems.add(
                number,
                f"annotator {plain(name)!r}: wanted a pseudonym (no @ or colon, at most 60 "
                f"characters); say --anonymise to replace all of them",
            )


def _renamed(rating: Rating, name: str) -> Rating:
    return replace(rating, annotator=name)

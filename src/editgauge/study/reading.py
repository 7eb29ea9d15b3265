"""Ratings from a file that was made elsewhere: a spreadsheet, Label Studio, Prolific, a script.

Three shapes, told apart by their headings (any order, any case, further columns are passed over):

- **long**: sample, annotator, editor, value – and question, repeat, comment, scale if wanted;
- **wide**: sample, annotator – and one column for each editor, with its name as the heading;
- **pairwise**: sample, annotator, editor_a, editor_b, winner (an editor's name, a, b, tie,
  both_bad).

Nothing is written when anything does not fit: every problem is listed with its line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from editgauge.errors import DataError, UsageError, meant
from editgauge.escape import csv_text, plain
from editgauge.store import csv_files
from editgauge.store.schema import RowKey, digest
from editgauge.study.scales import OUTCOMES, Scale, rating_row, value_of
from editgauge.types import Row
from editgauge.web.log import check_pseudonym

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
}
"""What a column may be called, ours first."""
_SCALES: Mapping[str, Scale] = {
    "rank": "rank", "rate": "rate", "rating": "rate", "1-5": "rate", "grade": "grade",
    "good-fair-poor": "grade", "pairwise": "pairwise",
}  # fmt: skip


class Known(NamedTuple):
    """What a file is checked against: the samples and editors of one benchmark of the run."""

    benchmark: str
    samples: frozenset[str]
    editors: frozenset[str]


class Sheet(NamedTuple):
    """A file as it was read: its shape (long, wide, pairwise), the columns that are values (wide:
    names of editors; long: ``value``; pairwise: none), the heading of a long file's values, its
    records by our column names with the number of each one's first line, and what is wrong with
    others.
    """

    shape: str
    values: tuple[str, ...]
    heading: str
    lines: Sequence[tuple[int, Mapping[str, str]]]
    problems: list[str]


class Parsed(NamedTuple):
    """The ratings of a file as rows, the scale they are on, and who gave them."""

    rows: list[Row]
    scale: Scale
    annotators: tuple[str, ...]


def scale_named(word: str) -> Scale:
    """The scale that a word of the command line or of a file means. Raises `UsageError`."""
    scale = _SCALES.get(word.strip().casefold())
    if scale is None:
        raise UsageError(f"scale {plain(word)!r}: wanted one of {', '.join(_SCALES)}")
    return scale


def read_ratings(
    path: Path, known: Known, *, scale: str = "", question: str = "overall", salt: str = ""
) -> Parsed:
    """The ratings in a file. `question` is used where the file has no such column; with a `salt`
    annotators are replaced by a keyed hash, ``rater-3f9a01``, the same for the same salt.

    Raises `DataError` with the line of everything that does not fit, and `UsageError` where
    nothing says whether numbers are ranks or ratings.
    """
    sheet = read_sheet(path, known)
    chosen = _scale(path.name, sheet, scale)
    problems, rows, first = list(sheet.problems), list[Row](), dict[RowKey, int]()
    people: dict[str, None] = {}
    sizes = Counter(_group(cells) for _, cells in sheet.lines)
    for number, cells in sheet.lines:
        shown = len(sheet.values) if sheet.shape == "wide" else sizes[_group(cells)]
        said = cells["annotator"]
        who = f"rater-{digest(salt, said)[:6]}" if salt else said
        facts = {
            "benchmark": known.benchmark, "sample": cells["sample"], "scale": chosen,
            "question": cells.get("question") or question, "annotator": who,
            "origin": {"file": path.name},
            "detail": {"comment": cells["comment"][:4000]} if cells.get("comment") else {},
        }  # fmt: skip
        try:
            check_pseudonym(who)
            for row in _rows(sheet, facts, cells, known, shown):
                if first.setdefault(row.key, number) != number:
                    raise ValueError(
                        f"{who} rated {row.editor} on {row.sample!r} in line {first[row.key]} "
                        f"already; number repeats in a column repeat (0, 1…)"
                    )
                rows.append(row)
                people[who] = None
        except (ValueError, UsageError) as why:
            problems.append(f"line {number}: {plain(str(why), 400)}")
    if problems:
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        message = "\n  ".join(problems[:_SHOWN])
        raise DataError(
            f"{path.name}: {len(problems)} things do not fit, nothing was taken in:\n  {message}"
            f"{more}\nfix these lines and import the file again"
        )
    if not rows:
        raise DataError(f"{path.name}: no rating in it; every value is empty")
    return Parsed(rows, chosen, tuple(people))


def read_sheet(path: Path, known: Known) -> Sheet:
    """The lines of a file with our names for its columns. Raises `DataError`."""
    records = csv_files.records(path, strict=True)
    headings = [cell.strip() for cell in next(records, csv_files.Record(1, [])).cells]
    twice = [heading for heading, times in Counter(headings).items() if heading and times > 1]
    if twice:
        raise DataError(f"{path.name}, line 1: two columns are called {plain(twice[0])!r}")
    lower = [heading.casefold() for heading in headings]
    places = {
        ours: lower.index(there[0])
        for ours, words in _WORDS.items()
        if (there := [word for word in words if word in lower])
    }
    taken = set(places.values())
    editors = {h: k for k, h in enumerate(headings) if h in known.editors and k not in taken}
    shape = _shape(path.name, headings, {*places}, bool(editors))
    wanted = {**places, **editors} if shape == "wide" else places
    lines, problems = [], []
    for number, cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) == len(headings):
            lines.append((number, {key: _cell(cells[at]) for key, at in wanted.items()}))
        else:
            problems.append(
                f"line {number}: {len(cells)} cells, but {len(headings)} headings; quote cells "
                f"that hold the separator"
            )
    values = {"wide": tuple(editors), "long": ("value",)}.get(shape, ())
    return Sheet(shape, values, lower[places["value"]] if shape == "long" else "", lines, problems)


def _cell(text: str) -> str:
    """A cell without the apostrophe that `escape.csv_text` sets before a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and csv_text(text[1:]) == text else text


def _shape(name: str, headings: Sequence[str], there: set[str], editors: bool) -> str:
    wanted = {"pairwise": {"editor_a", "editor_b", "winner"}, "long": {"editor", "value"}}
    shapes = [shape for shape, columns in wanted.items() if columns <= there]
    shapes += ["wide"] if editors else []
    if shapes and {"sample", "annotator"} <= there:
        return shapes[0]
    shown = ", ".join(plain(heading) for heading in headings)[:300] or "nothing"
    raise DataError(
        f"{name}, line 1: wanted the columns sample, annotator and either editor, value (long), or "
        f"one column named after each editor (wide), or editor_a, editor_b, winner (pairwise); "
        f"found {shown}; rename columns"
    )


def _scale(name: str, sheet: Sheet, given: str) -> Scale:
    """The scale of a file: as asked, or as its columns say."""
    named = sorted({cells["scale"] for _, cells in sheet.lines if cells.get("scale")})
    values = {cells[column] for _, cells in sheet.lines for column in sheet.values}
    if given:
        chosen = scale_named(given)
    elif sheet.shape == "pairwise":
        chosen = "pairwise"
    elif len(named) > 1:
        raise UsageError(f"{name}: two scales ({', '.join(map(plain, named))}) in one file")
    elif named or sheet.heading in ("rank", "rating", "grade"):
        chosen = scale_named(named[0] if named else sheet.heading)
    elif values and not any(letter.isdigit() for text in values for letter in text):
        chosen = "grade"
    else:
        raise UsageError(
            f"{name}: the values could be ranks (1 = best) or ratings (5 = best); "
            f"say which: rank, or 1-5",
            argument="scale",
        )
    if (chosen == "pairwise") != (sheet.shape == "pairwise"):
        raise UsageError(f"scale {chosen}: {name} has the columns of the shape {sheet.shape}")
    return chosen


def _group(cells: Mapping[str, str]) -> tuple[str, ...]:
    """What was said together: of one sample, by one annotator, to one question, at once."""
    return tuple(cells.get(name, "") for name in ("sample", "annotator", "question", "repeat"))


def _rows(
    sheet: Sheet, facts: Mapping[str, Any], cells: Mapping[str, str], known: Known, shown: int
) -> Iterator[Row]:
    """The ratings of a record. `shown`: how many outputs were rated together. Raises `ValueError`
    for what does not fit.
    """
    _need_known("sample", facts["sample"], known.samples)
    question, repeat = facts["question"], cells.get("repeat") or "0"
    if any(letter in question for letter in ".\n") or len(question) > 80:
        raise ValueError(f"question {question!r}: wanted a short name without dots")
    if not repeat.isascii() or not repeat.isdigit() or int(repeat) > 99:
        raise ValueError(f"repeat {repeat!r}: wanted 0, 1, 2…")
    facts = {**facts, "repeat": int(repeat)}
    if sheet.shape == "pairwise" and cells["winner"]:
        yield _comparison(facts, cells, known)
    faults = []
    for column in sheet.values:
        editor = cells["editor"] if column == "value" else column
        try:
            _need_known("editor", editor, known.editors)
            if cells[column]:
                value = value_of(facts["scale"], cells[column], shown)
                yield rating_row(**facts, editor=editor, value=value)
        except ValueError as why:
            faults.append(str(why))
    if faults:
        raise ValueError("; ".join(faults))


def _comparison(facts: Mapping[str, Any], cells: Mapping[str, str], known: Known) -> Row:
    first, second, word = (cells[name] for name in ("editor_a", "editor_b", "winner"))
    for editor in (first, second):
        _need_known("editor", editor, known.editors)
    outcome = {first: "a", second: "b"}.get(word, word.casefold().replace(" ", "_"))
    if first == second or outcome not in OUTCOMES:
        wanted = f"two editors, and {first}, {second}, a, b, tie or both_bad"
        raise ValueError(f"winner: wanted {wanted}, found {word!r}")
    detail, value = {"outcome": outcome, **facts["detail"]}, OUTCOMES[outcome]
    return rating_row(**{**facts, "detail": detail}, editor=first, against=second, value=value)


def _need_known(what: str, name: str, known: frozenset[str]) -> None:
    """Raise `ValueError` for a name that is not in the run, with the one that may be meant."""
    if name not in known:
        hint = meant(name, known, f"there are {', '.join(sorted(known)[:4])}…")
        raise ValueError(f"{what} {name!r}: not in the run; {hint}")

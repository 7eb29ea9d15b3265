"""Ratings from a csv file that was made elsewhere: a spreadsheet, Label Studio, a script.

Two shapes, told apart by their headings (any order, any case; further columns are passed over):

- **long**: sample, annotator, editor, value; of comparisons editor_a, editor_b, winner (an editor's
  name, a, b, tie, both_bad);
- **wide**: sample, annotator, and one column for each editor with its name as the heading.

Each may have question, repeat, comment and scale. Nothing is written when anything does not fit:
every problem is listed with its line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from editgauge.errors import DataError, UsageError, meant
from editgauge.escape import csv_text, plain
from editgauge.store import csv_files
from editgauge.store.schema import RowKey, digest
from editgauge.study.scales import Scale, rating_row, value_of
from editgauge.types import JsonMapping, JsonObject, Row
from editgauge.web.log import check_pseudonym

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "editor": ("editor", "editor_a"),
    "against": ("against", "editor_b"),
    "value": ("value", "rank", "rating", "grade", "winner"),
    **{name: (name,) for name in ("sample", "annotator", "question", "repeat", "comment", "scale")},
}
"""What a column may be called."""
_SCALES: Mapping[str, Scale] = {
    "rank": "rank",
    **dict.fromkeys(("rate", "rating", "1-5"), "rate"),
    **dict.fromkeys(("grade", "good-fair-poor"), "grade"),
}


class Known(NamedTuple):
    """What a file is checked against: the samples and editors of one benchmark of the run."""

    benchmark: str
    samples: frozenset[str]
    editors: frozenset[str]


_Cells = Mapping[str, str]


def read_ratings(
    path: Path, known: Known, *, scale: str = "", question: str = "overall", salt: str = ""
) -> list[Row]:
    """The ratings in a file. `scale` and `question` are those of lines that do not name their own;
    with a `salt` annotators are replaced by a keyed hash, ``rater-3f9a01``.

    Raises `DataError` with the line of everything that does not fit, and `UsageError` where nothing
    says whether numbers are ranks or ratings.
    """
    problems: list[str] = []
    lines = list(_lines(path, known, problems))
    together = Counter(_group(cells) for _, cells in lines)
    rows: dict[RowKey, tuple[int, Row]] = {}
    for number, cells in lines:
        who = cells["annotator"]
        facts: JsonObject = {
            "benchmark": known.benchmark, "origin": {"file": path.name},
            "annotator": f"rater-{digest(salt, who)[:6]}" if salt else who,
            "question": cells.get("question") or question,
            "scale": _scale(path.name, cells, scale),
        }  # fmt: skip
        try:
            row = _row(facts, cells, known, together[_group(cells)])
            if row is not None and (first := rows.setdefault(row.key, (number, row)))[1] is not row:
                raise ValueError(
                    f"{who} rated {row.editor} on {row.sample!r} in line {first[0]} already; "
                    f"number repeats in a column repeat (0, 1…)"
                )
        except (ValueError, UsageError) as why:
            problems.append(f"line {number}: {plain(str(why), 400)}")
    if problems:
        raise _misfit(path.name, [*dict.fromkeys(problems)])
    if not rows:
        raise DataError(f"{path.name}: no rating in it; every value is empty")
    return [row for _, row in rows.values()]


def _misfit(name: str, problems: list[str]) -> DataError:
    told = "\n  ".join(problems[:20])
    return DataError(
        f"{name}: {len(problems)} things do not fit, nothing was taken in:\n  {told}\n"
        f"fix these lines and import the file again"
    )


def _lines(path: Path, known: Known, problems: list[str]) -> Iterator[tuple[int, _Cells]]:
    """Cells by our names of columns, with line numbers; bad lines are added to `problems`."""
    records = csv_files.records(path, strict=True)
    headings = [cell.strip() for cell in next(records, csv_files.Record(1, [])).cells]
    places, editors = _columns(f"{path.name}, line 1", headings, known.editors)
    heading = headings[places["value"]].casefold() if "value" in places else ""
    for number, cells in records:
        if len(cells) == len(headings):
            line = {"heading": heading, **{k: _cell(cells[at]) for k, at in places.items()}}
            if not editors:
                yield number, line
            for editor, at in editors.items():
                yield number, {**line, "editor": editor, "value": _cell(cells[at])}
        elif any(cell.strip() for cell in cells):
            problems.append(
                f"line {number}: {len(cells)} cells, but {len(headings)} headings; quote cells "
                f"that hold the separator"
            )


def _columns(
    where: str, headings: Sequence[str], known: frozenset[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Where our columns stand, and in the wide shape the editors'. Raises `DataError`."""
    twice = [heading for heading, times in Counter(headings).items() if heading and times > 1]
    if twice:
        raise DataError(f"{where}: two columns are called {plain(twice[0])!r}")
    lower = [heading.casefold() for heading in headings]
    named = {ours: next((w for w in words if w in lower), "") for ours, words in _COLUMNS.items()}
    places = {ours: lower.index(word) for ours, word in named.items() if word}
    if {"sample", "annotator", "editor", "value"} <= {*places}:
        return places, {}
    names = {name.casefold(): name for name in known} | {name: name for name in known}
    found = [names.get(heading) or names.get(heading.casefold(), "") for heading in headings]
    editors = {name: at for at, name in enumerate(found) if name}
    if not {"sample", "annotator"} <= {*places} or not editors:
        shown = ", ".join(plain(heading) for heading in headings)[:300] or "nothing"
        raise DataError(
            f"{where}: wanted the columns sample, annotator and either editor, value, "
            f"or one column named after each editor, or editor_a, editor_b, winner; found {shown}; "
            f"rename columns"
        )
    for at in {*range(len(headings))} - {*places.values(), *editors.values()}:
        if hint := meant(headings[at], known - {*editors}):
            raise DataError(f"{where}: column {plain(headings[at])!r}: {hint} rename or remove it")
    return places, editors


def _cell(text: str) -> str:
    """A cell without the apostrophe that `escape.csv_text` sets before a formula."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and csv_text(text[1:]) == text else text


def _group(cells: _Cells) -> tuple[str, ...]:
    """What was said together: of one sample, by one annotator, to one question, at once."""
    return tuple(cells.get(name, "") for name in ("sample", "annotator", "question", "repeat"))


def _scale(name: str, cells: _Cells, given: str) -> Scale:
    """The scale of a line: of two editors, as its column says, as asked, or as the heading says."""
    if cells.get("against"):
        return "pairwise"
    words = (word.casefold() for word in (cells.get("scale", ""), given, cells["heading"]))
    if (scale := next((_SCALES[word] for word in words if word in _SCALES), None)) is None:
        raise UsageError(
            f"is wanted: the values of {name} could be ranks (1 = best) or ratings (5 = best); one "
            f"of rank, 1-5, good-fair-poor (comparisons: columns editor_a, editor_b, winner)",
            argument="scale",
        )
    return scale


def _row(facts: JsonMapping, cells: _Cells, known: Known, shown: int) -> Row | None:
    """A line's rating; None if empty; `shown`: outputs rated together. Raises `ValueError`."""
    sample, editor, other = cells["sample"], cells["editor"], cells.get("against", "")
    _need_known("sample", sample, known.samples)
    for name in (editor, other or editor):
        _need_known("editor", name, known.editors)
    check_pseudonym(facts["annotator"])
    question, repeat = facts["question"], cells.get("repeat") or "0"
    if any(letter in question for letter in ".\n") or len(question) > 80:
        raise ValueError(f"question {question!r}: wanted a short name without dots")
    if not repeat.isascii() or not repeat.isdigit() or int(repeat) > 99:
        raise ValueError(f"repeat {repeat!r}: wanted 0, 1, 2…")
    text = cells["value"]
    if not text:
        return None
    detail = {"comment": cells["comment"][:4000]} if cells.get("comment") else {}
    if other:
        if editor == other:
            raise ValueError(f"{editor!r} is compared with itself")
        text = {editor: "a", other: "b"}.get(text, text).casefold().replace(" ", "_")
        detail["outcome"] = text
    value = value_of(facts["scale"], text, shown)
    return rating_row(**facts, sample=sample, editor=editor, against=other, repeat=int(repeat),
                      value=value, detail=detail)  # fmt: skip


def _need_known(what: str, name: str, known: frozenset[str]) -> None:
    """Raise `ValueError` for a name that is not in the run, with the one that may be meant."""
    if name not in known:
        hint = meant(name, known, f"there is {min(known, default='none')}…")
        raise ValueError(f"{what} {name!r}: not in the run; {hint}")

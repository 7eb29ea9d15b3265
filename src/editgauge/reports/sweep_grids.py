"""The grid of one sample over the values of two swept settings, as MedEBench's Figure 7 has it: a
line for each value of one, a column for each value of the other.

Where variants differ in a third setting (a seed), one of its values is to be named: no picture is
chosen for the reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from editgauge.errors import UsageError
from editgauge.reports import grids
from editgauge.reports.grids import Line, Panel
from editgauge.store.run import Run
from editgauge.store.variants import Swept, Value
from editgauge.tables.results import Results


def lines(
    runs: Sequence[Run],
    frame: Results,
    sample: str,
    metrics: Sequence[str] = (),
    *,
    across: str,
    down: str = "",
    model: str = "",
    at: Sequence[str] = (),
) -> list[Line]:
    """Input and reference, then the outputs of a model's variants: `across` and `down` are the
    settings whose values are columns and lines (without `down` there is one line).

    `model` is the editor that was swept, needed where there are several; `at` (``seed=0``) names
    the value of each further setting. Raises `UsageError` for what no variant has, and where one
    place would have several pictures.
    """
    variants = {
        editor: one
        for editor, one in frame.variants_of.swept.items()
        if one.of == _model(frame.variants_of.swept, model)
    }
    fixed = _fixed(variants, at, (across, down))
    mine = {
        editor: one.values
        for editor, one in variants.items()
        if all(_word(one.values.get(name)) == value for name, value in fixed.items())
    }
    axes = [name for name in (across, down) if name]
    for name in axes:
        if not any(name in values for values in mine.values()):
            there = sorted({name for values in mine.values() for name in values})
            raise UsageError(f"--across, --down: {name!r} was not swept; {', '.join(there)} were")
    places: dict[tuple[str, str], str] = {}
    for editor, values in mine.items():
        place = (_word(values.get(down)) if down else "", _word(values.get(across)))
        if place in places:
            other = sorted(set(values) - set(axes) - set(fixed))
            raise UsageError(
                f"--at: {places[place]} and {editor} have the same place; name one value, such as "
                + ", ".join(f"--at {name}={_word(values[name])}" for name in other)
            )
        places[place] = editor
    (whole,) = grids.lines(runs, frame, [sample], metrics, editors=list(places.values()))
    count = len(whole.panels) - len(places)
    panels = dict(zip(places, whole.panels[count:], strict=True))
    given = Line(whole.sample, whole.instruction, whole.panels[:count])
    columns, rows = (_values(mine, name) for name in (across, down))
    return [
        given,
        *(
            Line(
                down or across,
                row or ", ".join(columns),
                tuple(_placed(panels, row, column, across) for column in columns),
            )
            for row in rows
        ),
    ]


def _placed(panels: Mapping[tuple[str, str], Panel], row: str, column: str, across: str) -> Panel:
    heading = f"{across} {column}"
    panel = panels.get((row, column))
    if panel is None:
        return Panel(heading, None, "no variant has these values")
    return Panel(heading, panel.picture, panel.words, panel.below)


def _model(swept: Mapping[str, Swept], wanted: str) -> str:
    """The model whose variants are drawn."""
    models = sorted({one.of for one in swept.values()})
    if not models:
        raise UsageError("--across: the run has no variants; make some with edit --sweep")
    if not wanted and len(models) > 1:
        raise UsageError(f"--across: variants of several models; --editor: {', '.join(models)}")
    if wanted and wanted not in models:
        raise UsageError(f"--editor {wanted}: has no variants here; {', '.join(models)} have")
    return wanted or models[0]


def _fixed(variants: Mapping[str, Swept], at: Sequence[str], axes: Sequence[str]) -> dict[str, str]:
    """Name and value of each ``--at``."""
    found = {}
    for text in at:
        name, equals, value = text.partition("=")
        known = {_word(one.values[name]) for one in variants.values() if name in one.values}
        if not equals or name in axes or value not in known:
            there = ", ".join(sorted(known)) or "none"
            raise UsageError(f"--at {text}: wanted a value of another setting; {name} has: {there}")
        found[name] = value
    return found


def _values(mine: Mapping[str, Mapping[str, Value]], name: str) -> list[str]:
    """The values of a setting, numbers by size, as words; one empty one without a setting."""
    if not name:
        return [""]
    found = {_word(values.get(name)): values.get(name) for values in mine.values()}

    def place(word: str) -> tuple[bool, float, str]:
        value = found[word]
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return (not number, float(value) if number and value is not None else 0.0, word)

    return sorted(found, key=place)


def _word(value: Value) -> str:
    return "not set" if value is None else str(value)

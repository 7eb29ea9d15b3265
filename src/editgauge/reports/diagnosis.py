"""Why edits failed, as pictures: for each output its input, the map, the region's mask and their
overlap (as MedEBench's Figure 6) with the output beside them, and the page of a report that shows
them by kind of failure.

Red is the mask alone, green the map's region alone, yellow where both are. The map is drawn from
the levels that its row keeps; the numbers beside it are those of the row.
"""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from editgauge import escape
from editgauge.diagnosis.failures import (
    BASES,
    KINDS,
    NONE,
    PREFIX,
    WORDS,
    WORST,
    Basis,
    Cutoffs,
    Read,
    one_source,
    read,
)
from editgauge.errors import ImageError
from editgauge.images import Array, Mask, read_image, read_mask, resize, write_bytes, write_png
from editgauge.metrics.grounding import Floats, enlarged
from editgauge.store import parquet
from editgauge.store.run import Run
from editgauge.tables.metrics import choose, metrics_of
from editgauge.tables.results import Results

PAGE = "diagnosis.html"
FOLDER = "diagnosis"
MOST = 24
"""Outputs that the page shows of each kind and editor, those with the least overlap first."""
SMALL, LARGE = 256, 512
"""The longer side of a picture in a figure: on the page, and in a file of its own."""
_MAP_SIDE = 256
_GAP = 6
HEAD = 18
"""Rows of pixels above a figure, for its headings."""
HEADINGS: Mapping[Basis, tuple[str, ...]] = {
    "attention": ("input", "looked", "mask", "overlap", "output"),
    "pixels": ("input", "changed", "mask", "overlap", "output"),
}
_RED, _GREEN, _YELLOW = (214, 40, 40), (30, 160, 70), (250, 210, 40)
_HEAT = cv2.COLORMAP_INFERNO


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One output by one basis: what it was read as, its numbers, and its map."""

    basis: Basis
    editor: str
    sample: str
    kind: str
    """One of `failures.KINDS`; empty where it could not be told."""
    numbers: Mapping[str, float]
    """By the metric's name, those that are there."""
    titles: Mapping[str, str]
    """What the metrics are called."""
    detail: Mapping[str, Any]
    record: Mapping[str, Any]
    """Of the sample."""
    output: str | None
    """The output's path in the run."""

    @property
    def iou(self) -> float:
        return self.numbers[f"{PREFIX[self.basis]}_iou"]


def every(runs: Sequence[Run], frame: Results, cutoffs: Cutoffs) -> list[Shown]:
    """Every output of the frame that has an IoU, by basis and kind (`failures.WORST` first), then
    by editor and IoU.
    """
    frame = one_source(frame)
    told_by = {basis: told for basis in BASES if (told := read(frame, basis, cutoffs)) is not None}
    if not told_by:
        return []
    details = _details(runs, frame.benchmark)
    outputs = {
        (record.sample, record.editor): record.path
        for run in runs
        for record in run.edits(frame.benchmark)
    }
    found: list[Shown] = []
    for told in told_by.values():
        found += _of_basis(frame, told, cutoffs, details, outputs)
    order = {kind: number for number, kind in enumerate((*WORST, ""))}
    return sorted(found, key=lambda s: (s.basis, order[s.kind], s.editor, s.iou, s.sample))


def _of_basis(
    frame: Results,
    told: Read,
    cutoffs: Cutoffs,
    details: Mapping[tuple[str, str, str], Any],
    outputs: Mapping[tuple[str, str], str | None],
) -> Iterator[Shown]:
    prefix = PREFIX[told.basis]
    names = [m for m in metrics_of(frame) if m.startswith(f"{prefix}_")]
    names += [name for name in (cutoffs.accuracy, cutoffs.preservation) if name in frame.metrics]
    grids = {name: frame.grid(name, choose(frame, name, "corrected")[0]).values for name in names}
    titles = {name: metric.title for name, metric in metrics_of(frame).items()}
    for editor, sample in np.argwhere(~np.isnan(told.iou)).tolist():
        code = int(told.kinds[editor, sample])
        identity = frame.samples.ids[sample]
        numbers = {name: float(grid[editor, sample]) for name, grid in grids.items()}
        yield Shown(
            basis=told.basis,
            editor=frame.editors[editor],
            sample=identity,
            kind="" if code == NONE else KINDS[code],
            numbers={name: value for name, value in numbers.items() if np.isfinite(value)},
            titles=titles,
            detail=details.get((told.basis, frame.editors[editor], identity), {}),
            record=frame.samples.records[identity],
            output=outputs.get((identity, frame.editors[editor])),
        )


def _details(runs: Sequence[Run], benchmark: str) -> dict[tuple[str, str, str], Mapping[str, Any]]:
    """(basis, editor, sample) -> the detail of the row of its IoU."""
    bases = {f"{prefix}_iou": basis for basis, prefix in PREFIX.items()}
    found: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for run in runs:
        rows = parquet.fetch_tuples(
            run.parquet(),
            "SELECT metric, editor, sample, detail FROM rows WHERE benchmark = ? AND metric IN "
            "(SELECT unnest(?)) AND status = 'scored'",
            [benchmark, list(bases)],
        )
        for metric, editor, sample, detail in rows:
            found.setdefault((bases[metric], editor, sample), parquet.mapping(detail))
    return found


# -- figures ---------------------------------------------------------------------------------------


def map_of(detail: Mapping[str, Any]) -> tuple[Floats, float] | None:
    """The map that a row keeps, shape (h, w), 0 to 1, and its cut; None where there is none that
    can be read.
    """
    kept, cut = detail.get("map"), detail.get("cut")
    if not isinstance(kept, Mapping) or not isinstance(cut, int | float) or isinstance(cut, bool):
        return None
    height, width, text = kept.get("height"), kept.get("width"), kept.get("levels")
    if not isinstance(height, int) or not isinstance(width, int) or not isinstance(text, str):
        return None
    if not 0 < height <= _MAP_SIDE or not 0 < width <= _MAP_SIDE:
        return None
    try:
        levels = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
    except (binascii.Error, ValueError):
        return None
    if levels.size != height * width:
        return None
    return levels.reshape(height, width).astype(np.float64) / 255, float(cut)


def figure(
    picture: Array, values: Floats, cut: float, mask: Mask, output: Array | None = None
) -> Array:
    """Input, map, mask and overlap beside each other, and the output where there is one, each of
    the picture's size (H, W, 3).
    """
    size = (picture.shape[0], picture.shape[1])
    fine = cv2.resize(values, (size[1], size[0]), interpolation=cv2.INTER_LINEAR)
    top = fine.max()
    heat = cv2.applyColorMap(np.rint(255 * fine / (top or 1)).astype(np.uint8), _HEAT)[..., ::-1]
    region = np.asarray(enlarged(values > cut, size), dtype=np.bool_)
    dim = (picture * 0.45).astype(np.uint8)
    panels = [
        picture,
        _mixed(picture, heat, 0.65),
        _tinted(dim, mask, (255, 255, 255)),
        _tinted(
            _tinted(_tinted(dim, mask & ~region, _RED), region & ~mask, _GREEN),
            mask & region,
            _YELLOW,
        ),
    ]
    panels += [] if output is None else [output]
    gap = np.full((size[0], _GAP, 3), 255, dtype=np.uint8)
    pieces = [piece for panel in panels for piece in (panel, gap)][:-1]
    return np.concatenate(pieces, axis=1)


def headed(panels: Array, basis: Basis, wide: int) -> Array:
    """The panels of `figure`, each `wide` pixels, with a word above each that says what it is."""
    strip = Image.new("RGB", (panels.shape[1], HEAD), "white")
    draw = ImageDraw.Draw(strip)
    for number, word in enumerate(HEADINGS[basis]):
        draw.text((number * (wide + _GAP) + 1, 0), word, "black", ImageFont.load_default(12))
    return np.concatenate([np.asarray(strip), panels])


def _mixed(one: Array, other: npt.NDArray[np.uint8], share: float) -> Array:
    return np.rint(one * (1 - share) + other * share).astype(np.uint8)


def _tinted(picture: Array, where: Mask, colour: tuple[int, int, int]) -> Array:
    made = picture.copy()
    made[where] = np.rint(picture[where] * 0.35 + np.array(colour) * 0.65).astype(np.uint8)
    return made


def drawn(runs: Sequence[Run], shown: Shown, side: int) -> Array | None:
    """The figure of an output, its pictures `side` pixels at most; None where a picture is not in
    the run or its map is not kept.
    """
    found = map_of(shown.detail)
    images = shown.record.get("images") or [None]
    path = _file(runs, images[0])
    masks = [_file(runs, place) for place in (shown.record.get("masks") or {}).values()]
    if found is None or path is None or not masks or None in masks:
        return None
    try:
        picture = read_image(path)
        share = min(1.0, side / max(picture.shape[:2]))
        size = (max(1, round(picture.shape[1] * share)), max(1, round(picture.shape[0] * share)))
        union = np.zeros((size[1], size[0]), dtype=np.bool_)
        for mask in masks:
            assert mask is not None
            marked = read_mask(mask).astype(np.uint8)
            union |= resize(marked, size, "nearest").astype(np.bool_)
        panels = figure(resize(picture, size, "bicubic"), *found, union, _output(runs, shown, size))
        return headed(panels, shown.basis, size[0])
    except ImageError:
        return None


def _output(runs: Sequence[Run], shown: Shown, size: tuple[int, int]) -> Array | None:
    places = (run.picture(shown.output, "edits") for run in runs)
    path = next((path for path in places if path is not None), None)
    return None if path is None else resize(read_image(path), size, "bicubic")


def _file(runs: Sequence[Run], relative: object) -> Path | None:
    places = (run.picture(relative, "inputs") for run in runs)
    return next((path for path in places if path is not None), None)


def draw_all(runs: Sequence[Run], frame: Results, cutoffs: Cutoffs, to: Path) -> int:
    """A PNG ``<basis>-<editor>-<sample>.png`` of every output in the folder `to`, named as
    `escape.file_name` says; how many.
    """
    count = 0
    found = list(every(runs, frame, cutoffs))
    stems = [escape.file_name(f"{one.basis}-{one.editor}-{one.sample}") for one in found]
    for shown, name in zip(found, escape.apart(stems), strict=True):
        made = drawn(runs, shown, LARGE)
        if made is not None:
            write_png(to / f"{name}.png", made)
            count += 1
    return count


# -- the page --------------------------------------------------------------------------------------

_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' file:; \
img-src 'self' file: data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Why edits failed – editgauge report</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="static/style.css">
</head>
<body>
<header class="top"><p class="brand"><a href="index.html">editgauge</a></p></header>
<main id="main">
<h1>Why edits failed</h1>
<p>Each figure: the input, the map over it, the region's mask, their overlap – red is the mask \
alone, green the map's region alone, yellow where both are – and the output. The cut-offs are \
stated; they are not a paper's.</p>
"""
_TAIL = "</main>\n</body>\n</html>\n"


def write_page(
    parts: Sequence[tuple[str, int, list[Shown], Cutoffs]], runs: Sequence[Run], to: Path
) -> bool:
    """Write the page and its figures into a report's folder. `parts`: title, number in the report,
    outputs and cut-offs of each benchmark. False, and nothing, where no part has any output.
    """
    if not any(shown for _, _, shown, _ in parts):
        return False
    text = [_HEAD]
    for title, number, shown, cutoffs in parts:
        if shown:
            text += _part(title, number, shown, cutoffs, runs, to)
    write_bytes(to / PAGE, ("".join(text) + _TAIL).encode())
    return True


def _part(
    title: str,
    number: int,
    shown: Sequence[Shown],
    cutoffs: Cutoffs,
    runs: Sequence[Run],
    to: Path,
) -> Iterator[str]:
    yield f"<h2>{_text(title)}</h2>\n"
    count = 0
    for (basis, kind), group in groupby(shown, key=lambda s: (s.basis, s.kind)):
        words = WORDS[basis].get(kind, "not read: a score is missing")
        of_kind = list(group)
        yield f"<section><h3>By {basis}: {_text(words)} ({len(of_kind)})</h3>\n"
        yield f"<p>{_text(cutoffs.words(basis))}</p>\n"
        for editor, mine in groupby(of_kind, key=lambda s: s.editor):
            every_one = list(mine)
            yield f"<h4>{_text(editor)} ({len(every_one)})</h4>\n"
            for one in every_one[:MOST]:
                yield from _figure(one, f"{FOLDER}/{number}-{count}.webp", runs, to)
                count += 1
            if len(every_one) > MOST:
                yield f"<p>and {len(every_one) - MOST} more with larger overlap</p>\n"
        yield "</section>\n"


def _figure(one: Shown, place: str, runs: Sequence[Run], to: Path) -> Iterator[str]:
    made = drawn(runs, one, SMALL)
    told = [f"{one.titles.get(name, name)} {value:.3f}" for name, value in one.numbers.items()]
    token = one.detail.get("token")
    if isinstance(token, list) and one.detail.get("concept"):
        found = ", ".join(str(part) for part in token[:8])
        told.append(f"concept “{one.detail['concept']}”, token {found} ({one.detail.get('found')})")
    caption = _text(f"{one.sample}: {one.record.get('instruction') or ''}")
    numbers = _text(" · ".join(told))
    yield "<figure>"
    if made is not None:
        buffer = io.BytesIO()
        Image.fromarray(made).save(buffer, format="WEBP", quality=80, method=2)
        write_bytes(to / place, buffer.getvalue())
        alt = _text(f"Input, map, mask, overlap and output: {one.sample} by {one.editor}")
        yield f'<img src="{place}" alt="{alt}" width="{made.shape[1]}" height="{made.shape[0]}" '
        yield 'loading="lazy">'
    else:
        yield "<p>Its pictures or its map are not in the run.</p>"
    yield f"<figcaption>{caption}<br><small>{numbers}</small></figcaption></figure>\n"


def _text(text: str) -> str:
    return escape.markup(" ".join(text.split()), 400)

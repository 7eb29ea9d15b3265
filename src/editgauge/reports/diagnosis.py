"""Why edits failed, as pictures: for each output its input, the map that its row keeps, the mask,
their overlap (as MedEBench's Figure 6) and the output, on a report's page of them by kind.
"""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import count, groupby
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from editgauge import escape
from editgauge.diagnosis import failures
from editgauge.diagnosis.failures import BASES, KINDS, NONE, PREFIX, WORDS, WORST, Basis, Cutoffs
from editgauge.errors import ImageError
from editgauge.images import Array, Mask, read_image, read_mask, resize, write_bytes
from editgauge.metrics import Floats
from editgauge.metrics.grounding import enlarged
from editgauge.store import parquet, schema
from editgauge.store.run import Run
from editgauge.tables.results import Results
from editgauge.types import JsonMapping

PAGE = "diagnosis.html"
FOLDER = "diagnosis"
MOST = 24
"""Outputs that the page shows of each kind and editor, those with the least overlap first."""
SIDE = 384
"""The longer side of a picture in a figure."""
_MAP_SIDE = 256
_GAP = 6
HEAD = 18
"""Rows of pixels above a figure, for its headings."""
_MIDDLE: Mapping[Basis, str] = {"attention": "looked", "pixels": "changed"}
_RED, _GREEN, _YELLOW, _WHITE = (214, 40, 40), (30, 160, 70), (250, 210, 40), (255, 255, 255)


class Shown(NamedTuple):
    """One output by one basis: what it was read as ("" where that cannot be told), its IoU, its
    row's detail, its sample's record, and its path in the run.
    """

    basis: Basis
    kind: str
    editor: str
    iou: float
    sample: str
    detail: JsonMapping
    record: JsonMapping
    output: str | None


def every(runs: Sequence[Run], frame: Results, cutoffs: Cutoffs) -> list[Shown]:
    """Every output of the frame that has an IoU, by basis, kind (the worst first), IoU."""
    frame = failures.one_source(frame)
    readings = [*filter(None, (failures.read(frame, basis, cutoffs) for basis in BASES))]
    edits = (edit for run in runs for edit in run.edits(frame.benchmark)) if readings else ()
    outputs = {(edit.sample, edit.editor): edit.path for edit in edits}
    listed = []
    for reading in readings:
        details = _details(runs, frame.benchmark, f"{PREFIX[reading.basis]}_iou")
        for row, at in np.argwhere(~np.isnan(reading.iou)).tolist():
            editor, sample = frame.editors[row], frame.samples.ids[at]
            listed.append(
                Shown(
                    reading.basis,
                    ("", *KINDS)[reading.kinds[row, at] - NONE],
                    editor,
                    float(reading.iou[row, at]),
                    sample,
                    details.get((editor, sample), {}),
                    frame.samples.records[sample],
                    outputs.get((sample, editor)),
                )
            )
    order = (*WORST, "")
    return sorted(listed, key=lambda one: (one.basis, order.index(one.kind), one.iou, *one[2:5:2]))


def _details(
    runs: Sequence[Run], benchmark: str, metric: str
) -> dict[tuple[str, str], JsonMapping]:
    """(editor, sample) -> the detail of its row."""
    sql = (
        "SELECT editor, sample, detail FROM rows WHERE benchmark = ? AND metric = ? AND "
        "status = 'scored'"
    )
    asked = [benchmark, metric]
    rows = [r for run in reversed(runs) for r in parquet.fetch_tuples(run.parquet(), sql, asked)]
    return {(editor, sample): schema.known(detail) for editor, sample, detail in rows}


# -- figures ---------------------------------------------------------------------------------------


def map_of(detail: JsonMapping) -> tuple[Floats, float] | None:
    """The map that a row keeps, shape (h, w), 0 to 1, and its cut; None without a readable one."""
    try:
        kept, cut = detail["map"], float(detail["cut"])
        shape = (int(kept["height"]), int(kept["width"]))
        if not 0 < min(shape) <= max(shape) <= _MAP_SIDE:
            return None
        levels = np.frombuffer(base64.b64decode(kept["levels"], validate=True), dtype=np.uint8)
        return levels.reshape(shape).astype(np.float64) / 255, cut
    except (LookupError, TypeError, ValueError):  # anything may stand in a row
        return None


def figure(
    picture: Array, values: Floats, cut: float, mask: Mask, output: Array | None = None
) -> Array:
    """Input, map, mask, overlap and output beside each other, each of the picture's size (H, W, 3).
    In the overlap red is the mask alone, green the map's region alone, yellow where both are.
    """
    size = (picture.shape[0], picture.shape[1])
    fine = cv2.resize(values, (size[1], size[0]), interpolation=cv2.INTER_LINEAR)
    levels = np.rint(255 * fine / (fine.max() or 1)).astype(np.uint8)
    heat = cv2.applyColorMap(levels, cv2.COLORMAP_INFERNO)[..., ::-1]
    region = np.asarray(enlarged(values > cut, size), dtype=np.bool_)
    dim = (picture * 0.45).astype(np.uint8)
    overlap = _tinted(_tinted(dim, mask & ~region, _RED), region & ~mask, _GREEN)
    mixed = np.rint(picture * 0.35 + heat * 0.65).astype(np.uint8)
    overlap = _tinted(overlap, mask & region, _YELLOW)
    panels = [picture, mixed, _tinted(dim, mask, _WHITE), overlap]
    panels += [] if output is None else [output]
    gap = np.full((size[0], _GAP, 3), 255, dtype=np.uint8)
    return np.concatenate([one for panel in panels for one in (panel, gap)][:-1], axis=1)


def _tinted(picture: Array, where: Mask, colour: tuple[int, int, int]) -> Array:
    shaded = picture.copy()
    shaded[where] = np.rint(picture[where] * 0.35 + np.array(colour) * 0.65).astype(np.uint8)
    return shaded


def drawn(runs: Sequence[Run], shown: Shown, side: int = SIDE) -> Array | None:
    """The figure of an output with a word above each panel, its pictures `side` pixels at most;
    None where something of it is not there.
    """
    values, record = map_of(shown.detail), shown.record
    pictures = ((record.get("images") or [None])[0], *(record.get("masks") or {}).values())
    path, *masks = (_file(runs, at, "inputs") for at in pictures)
    if values is None or path is None or not masks or None in masks:
        return None
    try:
        picture = read_image(path)
        share = min(1.0, side / max(picture.shape[:2]))
        size = (max(1, round(picture.shape[1] * share)), max(1, round(picture.shape[0] * share)))
        areas = (read_mask(mask).astype(np.uint8) for mask in masks if mask)
        union = np.logical_or.reduce([resize(area, size, "nearest") for area in areas])
        edited = _file(runs, shown.output, "edits")
        output = None if edited is None else resize(read_image(edited), size, "bicubic")
    except ImageError:
        return None
    panels = figure(resize(picture, size, "bicubic"), *values, union, output)
    strip = Image.new("RGB", (panels.shape[1], HEAD), "white")
    draw, font = ImageDraw.Draw(strip), ImageFont.load_default(12)
    for number, word in enumerate(("input", _MIDDLE[shown.basis], "mask", "overlap", "output")):
        draw.text((number * (size[0] + _GAP) + 1, 0), word, "black", font)
    return np.concatenate([np.asarray(strip), panels])


def _file(runs: Sequence[Run], relative: object, room: str) -> Path | None:
    places = (run.picture(relative, room) for run in runs)
    return next((path for path in places if path is not None), None)


# -- the page --------------------------------------------------------------------------------------


def write_page(parts: Sequence[tuple[str, Results]], runs: Sequence[Run], to: Path) -> bool:
    """Write the page and figures of benchmarks (by title) into a folder; whether any had output."""
    places = (f"{FOLDER}/{number}.webp" for number in count())
    text = [line for part in parts for line in _part(*part, runs, to, places)]
    if text:
        page = files("editgauge.reports").joinpath("templates", PAGE).read_text("utf-8")
        write_bytes(to / PAGE, page.replace("{{outputs}}", "\n".join(text)).encode())
    return bool(text)


def _part(
    title: str, frame: Results, runs: Sequence[Run], to: Path, places: Iterator[str]
) -> Iterator[str]:
    cutoffs = failures.recorded(runs, frame.benchmark)
    for (basis, kind), group in groupby(every(runs, frame, cutoffs), key=lambda one: one[:2]):
        outputs, counts = list(group), Counter[str]()
        words = WORDS[basis].get(kind, "not read: a score is missing")
        yield f"<h2>{_text(title)}, by {basis}: {_text(words)} ({len(outputs)})</h2>"
        yield f"<p>{_text(cutoffs.words(basis))} At most {MOST} of an editor are shown.</p>"
        for one in outputs:
            counts[one.editor] += 1
            if counts[one.editor] <= MOST:
                yield f"<figure>{_figure(one, next(places), runs, to)}{_caption(one)}</figure>"


def _figure(one: Shown, place: str, runs: Sequence[Run], to: Path) -> str:
    panel = drawn(runs, one)
    if panel is None:
        return "<p>Its pictures or its map are not in the run.</p>"
    buffer = io.BytesIO()
    Image.fromarray(panel).save(buffer, format="WEBP", quality=80, method=2)
    write_bytes(to / place, buffer.getvalue())
    alt = _text(f"Input, map, mask, overlap and output: {one.sample} by {one.editor}")
    size = f'width="{panel.shape[1]}" height="{panel.shape[0]}"'
    return f'<img src="{place}" alt="{alt}" {size} loading="lazy">'


def _caption(one: Shown) -> str:
    concept = f" · concept “{one.detail['concept']}”" if one.detail.get("concept") else ""
    about = _text(f"{one.editor}, {one.sample}: {one.record.get('instruction') or ''}")
    return (
        f"<figcaption>{about}<br><small>{_text(f'IoU {one.iou:.3f}{concept}')}</small></figcaption>"
    )


def _text(text: str) -> str:
    return escape.markup(" ".join(text.split()), 400)

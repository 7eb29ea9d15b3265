"""How the OCR scores of one edit came about, drawn: boxes, the edited region, lines matched or not,
the five scores.

Colours: orange the edited region; blue what was read in it; green a line that is as it was; yellow
one that was read differently; red a line of the original that is gone, or one of the output that is
new. A number joins a line of the original with the line of the output that it took.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from editgauge import images
from editgauge.ocr import Text
from editgauge.ocr.engine import box_of
from editgauge.scoring.ocr.scores import METRICS, Match, Trace, ocr_scores
from editgauge.types import VARIANTS, Edit, Sample, Variant

Colour = tuple[int, int, int]
REGION: Final[Colour] = (230, 120, 0)
EDITED: Final[Colour] = (30, 90, 220)
SAME: Final[Colour] = (20, 140, 60)
CHANGED: Final[Colour] = (200, 150, 0)
GONE: Final[Colour] = (210, 30, 40)
INK: Final[Colour] = (25, 25, 30)
QUIET: Final[Colour] = (95, 95, 105)
PAPER: Final[Colour] = (255, 255, 255)
BAND: Final[Colour] = (243, 243, 246)
WIDTH: Final = 900
"""Each picture is drawn at this width, or less where it would be higher than `HEIGHT`."""
HEIGHT: Final = 900
GAP: Final = 24
LINE: Final = 26
SIZE: Final = 18
LEGEND: Final[tuple[tuple[str, Colour], ...]] = (
    ("edited region", REGION),
    ("read in it", EDITED),
    ("line as it was", SAME),
    ("read differently", CHANGED),
    ("gone or new", GONE),
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A group of boxes of one picture that is drawn as one line."""

    boxes: tuple[int, ...]
    colour: Colour
    label: str


def draw(
    sample: Sample, edit: Edit, original: Sequence[Text], edited: Sequence[Text], source: str
) -> images.Array:
    """Original and output side by side with their marks, a list of the lines below, both variants'
    scores above.

    Returns an ndarray of shape (H, W, 3), uint8, RGB. `original` and `edited` are in pixels of the
    original.
    """
    traces: dict[Variant, Trace] = {}
    values: dict[Variant, Mapping[str, float | None]] = {}
    for variant in VARIANTS:
        traces[variant] = Trace()
        texts = sample.source_text or "", sample.target_text or ""
        values[variant] = ocr_scores(
            original, edited, *texts, variant=variant, trace=traces[variant]
        )
    trace = traces["faithful"]
    before = images.read_image(sample.image)
    height, width = before.shape[:2]
    after = (
        images.resize(images.read_image(edit.path), (width, height), "lanczos")
        if edit.path
        else before
    )
    scale = min(WIDTH / width, HEIGHT / height)
    left, right = _marks(trace, len(original), len(edited))
    panels = [
        _panel(before, original, left, trace.region, scale),
        _panel(after, edited, right, trace.region, scale),
    ]
    legend: Row = [(0.16 * i, f"• {words}", colour) for i, (words, colour) in enumerate(LEGEND)]
    head = _head(sample, edit, values, traces, source)
    foot = [legend, *_foot(trace, original, edited)]
    return _assembled(panels, head, foot)


def _marks(trace: Trace, before: int, after: int) -> tuple[list[Mark], list[Mark]]:
    left: list[Mark] = [Mark(trace.edit_line, EDITED, "edit")] if trace.edit_line else []
    right: list[Mark] = [Mark((number,), EDITED, "edit") for number in trace.region_boxes]
    for number, match in enumerate(trace.matches, start=1):
        colour = _colour(match)
        left.append(Mark(match.original, colour, str(number)))
        if match.output is not None:
            right.append(Mark(match.output, colour, str(number)))
    right += [Mark(boxes, GONE, "new") for boxes in trace.extra]
    for marks, count in ((left, before), (right, after)):
        known = {number for mark in marks for number in mark.boxes}
        marks += [Mark((number,), QUIET, "") for number in range(count) if number not in known]
    return left, right


def _colour(match: Match) -> Colour:
    if match.output is None or match.similarity < 0.01:
        return GONE
    return SAME if match.similarity == 1 else CHANGED


def _panel(
    pixels: images.Array,
    texts: Sequence[Text],
    marks: Sequence[Mark],
    region: tuple[float, float, float, float] | None,
    scale: float,
) -> Image.Image:
    height, width = pixels.shape[:2]
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    # a white veil lets the marks stand out from any picture
    picture = Image.blend(Image.fromarray(pixels).resize(size), Image.new("RGB", size, PAPER), 0.25)
    pen = ImageDraw.Draw(picture)
    for mark in marks:
        for number in mark.boxes:
            corners = [(x * scale, y * scale) for x, y in texts[number].polygon]
            pen.line([*corners, corners[0]], fill=mark.colour, width=3)
    if region is not None:
        _dashed(pen, [value * scale for value in region], size)
    for mark in marks:
        if mark.label:
            boxes = [box_of(texts[number]) for number in mark.boxes]
            place = (
                min(b[0] for b in boxes) * scale,
                min(b[1] for b in boxes) * scale - (mark.colour == EDITED) * 7,
            )
            _tag(pen, mark, *place, size)
    return picture


def _tag(pen: ImageDraw.ImageDraw, mark: Mark, x: float, y: float, size: tuple[int, int]) -> None:
    """The mark's number on a patch of its colour, above its line where there is room, never
    outside.
    """
    font = _font(17)
    width, height = pen.textlength(mark.label, font=font) + 8, 21
    x = min(max(0.0, x - 1), size[0] - width)
    y = y - height if y >= height else y
    pen.rectangle((x, y, x + width, y + height), fill=mark.colour)
    pen.text((x + 4, y + 1), mark.label, fill=PAPER, font=font)


def _dashed(pen: ImageDraw.ImageDraw, region: Sequence[float], size: tuple[int, int]) -> None:
    left, top, right, bottom = region[0] - 5, region[1] - 5, region[2] + 5, region[3] + 5
    left, top = max(left, 1), max(top, 1)
    right, bottom = min(right, size[0] - 2), min(bottom, size[1] - 2)
    for start in np.arange(left, right, 16):
        for y in (top, bottom):
            pen.line((start, y, min(start + 9, right), y), fill=REGION, width=4)
    for start in np.arange(top, bottom, 16):
        for x in (left, right):
            pen.line((x, start, x, min(start + 9, bottom)), fill=REGION, width=4)


Row = list[tuple[float, str, Colour]]
"""Pieces of one line of print: where each starts, as a share of the width, its text and its colour.
"""


def _head(
    sample: Sample,
    edit: Edit,
    values: Mapping[Variant, Mapping[str, float | None]],
    traces: Mapping[Variant, Trace],
    source: str,
) -> list[Row]:
    title = f"{sample.benchmark}  {sample.id}  by {edit.editor}"
    asked: Row = [(0, f"source  “{sample.source_text}”", INK)]
    asked += [(0.3, f"target  “{sample.target_text}”", INK)]
    at = [0.16 + 0.09 * number for number in range(len(METRICS) + 1)]
    names: Row = [(x, name, QUIET) for x, name in zip(at, METRICS, strict=False)]
    rows = [[(0, title, INK), (0.62, f"read by {source}", QUIET)], asked, names]
    for variant in VARIANTS:
        trace, told = traces[variant], values[variant]
        cells = [(x, _number(told[n]), INK) for x, n in zip(at, METRICS, strict=False)]
        penalised = "source still there: x 0.2" if trace.penalised else ""
        note = "; ".join(filter(None, [trace.reason, penalised, ", ".join(trace.rules)]))
        rows.append([(0, variant, INK), *cells, (at[-1], note, GONE)])
    return rows


def _foot(trace: Trace, original: Sequence[Text], edited: Sequence[Text]) -> list[Row]:
    def words(texts: Sequence[Text], boxes: Sequence[int]) -> str:
        return "  ".join(texts[number].text for number in boxes)

    def row(first: str, before: str, after: str, last: str = "", *colours: Colour) -> Row:
        """A line of the list: number, original, output, how alike; the colours of these."""
        shades = [*colours, *[colours[-1]] * 4]
        pieces = ((0, first), (0.08, before), (0.5, after), (0.92, last))
        both = zip(pieces, shades, strict=False)
        return [(at, text, colour) for (at, text), colour in both if text]

    rows: list[Row] = [row("line", "original", "output", "alike", QUIET)]
    if trace.edit_line:
        read = words(edited, trace.region_boxes) or "(nothing read)"
        rows.append(row("edit", words(original, trace.edit_line), read, "", EDITED))
    for number, match in enumerate(trace.matches, start=1):
        colour = _colour(match)
        read = "(no line left)" if match.output is None else words(edited, match.output)
        alike = _number(match.similarity)
        line = words(original, match.original)
        rows.append(row(str(number), line, read, alike, colour, INK, INK, colour))
    rows += [row("new", "", words(edited, boxes), "", GONE, INK) for boxes in trace.extra]
    if not trace.edit_line:
        every = ["  ".join(text.text for text in texts) for texts in (original, edited)]
        rows.append(row("", every[0], every[1], "", INK))
    most = 40
    if len(rows) > most:
        rows = [*rows[:most], [(0.08, f"and {len(rows) - most} more lines", QUIET)]]
    return rows


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _assembled(
    panels: Sequence[Image.Image], head: Sequence[Row], foot: Sequence[Row]
) -> images.Array:
    inner = max(sum(panel.width for panel in panels) + GAP, 1100)
    top = GAP + LINE * len(head) + GAP
    middle = LINE + max(panel.height for panel in panels) + GAP
    picture = Image.new(
        "RGB", (inner + 2 * GAP, top + middle + LINE * (len(foot) + 1) + GAP), PAPER
    )
    ImageDraw.Draw(picture).rectangle((0, 0, picture.width, top - GAP // 2), fill=BAND)
    _print(picture, head, GAP, inner)
    x = GAP
    for panel, title in zip(panels, ("original", "output, at the original's size"), strict=True):
        _write(picture, (x, top), title, QUIET)
        picture.paste(panel, (x, top + LINE))
        x += panel.width + GAP
    _print(picture, foot, top + middle + LINE // 2, inner)
    return np.asarray(picture, dtype=np.uint8)


def _print(picture: Image.Image, rows: Sequence[Row], top: float, width: int) -> None:
    """Rows of print; a piece that would run into the next one is cut short."""
    for number, row in enumerate(rows):
        ends = [share for share, _, _ in row[1:]] + [1.0]
        for (share, text, colour), end in zip(row, ends, strict=True):
            if text:
                shown = _cut(text, (end - share) * width - 12)
                _write(picture, (GAP + share * width, top + number * LINE), shown, colour)


def _cut(text: str, width: float) -> str:
    if _length(text) <= width:
        return text
    while text and _length(text + "…") > width:
        text = text[:-1]
    return text + "…"


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont:
    """The font inside Pillow: no picture depends on what the system has installed."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font


def _is_latin(text: str) -> bool:
    return all(ord(character) < 0x250 or 0x2000 <= ord(character) < 0x2070 for character in text)


def _write(picture: Image.Image, place: tuple[float, float], text: str, colour: Colour) -> None:
    """A piece of print. Pillow's own font is Latin; OpenCV 5 brings one with Chinese and more,
    older ones none.
    """
    if _is_latin(text) or not hasattr(cv2, "FontFace"):
        ImageDraw.Draw(picture).text(place, text, fill=colour, font=_font(SIZE))
        return
    x, y = round(place[0]), round(place[1])
    strip = np.array(picture.crop((x, y, picture.width, y + LINE)))
    cv2.putText(strip, text, (0, SIZE), colour, cv2.FontFace("uni"), SIZE)
    picture.paste(Image.fromarray(strip), (x, y))


def _length(text: str) -> float:
    if _is_latin(text):
        return float(_font(SIZE).getlength(text))
    return sum(0.6 * SIZE if ord(character) < 0x2E80 else SIZE for character in text)

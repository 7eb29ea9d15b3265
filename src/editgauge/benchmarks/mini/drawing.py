"""A canvas that draws twice as large as it delivers, remembers where it was changed, and adds grain
like a camera's.

Coordinates and sizes are pixels of the delivered picture, x to the right and y down. Everything is
deterministic: noise comes from seeded generators, and no step depends on the machine's fonts,
locale or number of cores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFilter

from editgauge.benchmarks.mini.faces import write
from editgauge.images import Array, Mask

Point = tuple[float, float]
Floats = npt.NDArray[np.float32]
SCALE = 2


class Canvas:
    """A picture being drawn. `marks` are the polygons of what an edit touches, in delivered
    pixels.
    """

    def __init__(self, width: int, height: int, colour: str = "#ffffff") -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), colour)
        self.shape = Image.new("L", self.image.size, 255)
        """Which part of this canvas is there at all, when it is placed on another one."""
        self.marks: list[list[Point]] = []
        self._camera: tuple[int, float, float, float] | None = None

    # ---- shapes ---------------------------------------------------------------------------------

    def rect(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        fill: str | None,
        *,
        radius: float = 0.0,
        outline: str | None = None,
        width: float = 0.0,
    ) -> None:
        """A rectangle from its left upper corner, with rounded corners if wanted."""
        box = (x * SCALE, y * SCALE, (x + w) * SCALE - 1, (y + h) * SCALE - 1)
        self._pen().rounded_rectangle(
            box, radius * SCALE, fill, outline, max(1, round(width * SCALE))
        )

    def ellipse(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        fill: str | None,
        *,
        outline: str | None = None,
        width: float = 0.0,
    ) -> None:
        """An ellipse from its centre and half axes."""
        box = ((x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE)
        self._pen().ellipse(box, fill, outline, max(1, round(width * SCALE)))

    def polygon(self, points: Sequence[Point], fill: str) -> None:
        self._pen().polygon([(x * SCALE, y * SCALE) for x, y in points], fill)

    def line(self, points: Sequence[Point], colour: str, width: float) -> None:
        """A line through points, with round ends."""
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self._pen().line(scaled, colour, round(width * SCALE), joint="curve")
        radius = width * SCALE / 2
        if radius > 2:
            for x, y in (scaled[0], scaled[-1]):
                self._pen().ellipse((x - radius, y - radius, x + radius, y + radius), colour)

    def blob(
        self, points: Sequence[Point], fill: str, *, soft: float = 0.0, opacity: float = 1.0
    ) -> None:
        """A closed smooth curve through points (Catmull-Rom), its edge blurred by `soft` pixels."""
        layer = Image.new("L", self.image.size, 0)
        ImageDraw.Draw(layer).polygon([(x * SCALE, y * SCALE) for x, y in smooth(points)], 255)
        self._ink(layer, fill, soft, opacity)

    def glow(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        fill: str,
        *,
        soft: float,
        opacity: float = 1.0,
    ) -> None:
        """An ellipse with a blurred edge: light, shadow, tissue."""
        layer = Image.new("L", self.image.size, 0)
        box = ((x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE)
        ImageDraw.Draw(layer).ellipse(box, 255)
        self._ink(layer, fill, soft, opacity)

    def shade(
        self, x: float, y: float, w: float, h: float, *, radius: float, soft: float, opacity: float
    ) -> None:
        """A soft dark rectangle: the shadow of what is drawn over it next."""
        layer = Image.new("L", self.image.size, 0)
        box = (x * SCALE, y * SCALE, (x + w) * SCALE, (y + h) * SCALE)
        ImageDraw.Draw(layer).rounded_rectangle(box, radius * SCALE, 255)
        self._ink(layer, "#000000", soft, opacity)

    def shadow(self, points: Sequence[Point], *, soft: float, opacity: float) -> None:
        """A soft dark polygon: as `shade`, for what does not stand upright."""
        layer = Image.new("L", self.image.size, 0)
        ImageDraw.Draw(layer).polygon([(x * SCALE, y * SCALE) for x, y in points], 255)
        self._ink(layer, "#000000", soft, opacity)

    def ramp(self, top: str, bottom: str, box: tuple[int, int, int, int] | None = None) -> None:
        """A gradient from `top` to `bottom`, over the whole canvas or `box` = (x, y, w, h)."""
        x, y, w, h = box or (0, 0, self.width, self.height)
        share = np.linspace(0.0, 1.0, h * SCALE, dtype=np.float32)[:, None, None]
        colours = rgb(top) * (1 - share) + rgb(bottom) * share
        strip = np.repeat(np.rint(colours).astype(np.uint8), w * SCALE, axis=1)
        self.image.paste(Image.fromarray(strip), (x * SCALE, y * SCALE))

    def texture(
        self, field: Floats, strength: float, box: tuple[int, int, int, int] | None = None
    ) -> None:
        """Make the picture lighter and darker by `field` (H, W), about -1 to 1, times `strength`
        grey levels.
        """
        x, y, w, h = box or (0, 0, self.width, self.height)
        area = (x * SCALE, y * SCALE, (x + w) * SCALE, (y + h) * SCALE)
        pixels = np.asarray(self.image.crop(area), dtype=np.float32)
        fitted = cv2.resize(field, (w * SCALE, h * SCALE), interpolation=cv2.INTER_LINEAR)[
            :, :, None
        ]
        changed = np.clip(np.rint(pixels + fitted * strength), 0, 255).astype(np.uint8)
        self.image.paste(Image.fromarray(changed), area[:2])

    # ---- text -----------------------------------------------------------------------------------

    def text(
        self,
        x: float,
        y: float,
        text: str,
        face: str,
        cap: float,
        colour: str,
        *,
        align: str = "centre",
        weight: int = 500,
        spacing: float = 0.0,
        angle: float = 0.0,
        opacity: float = 1.0,
        mark: bool = False,
        soft: float = 0.0,
    ) -> None:
        """One line of text: `x` its left end, centre or right end, `y` the middle of its capital
        letters.

        `cap` is the height of the capitals, `angle` turns it about (x, y), degrees anticlockwise.
        `mark` adds the area of the text to `marks`.
        """
        written = write(text, face, cap * SCALE, weight=weight, spacing=spacing * SCALE)
        width = written.pixels.shape[1]
        left = x * SCALE - {"left": 0.0, "centre": width / 2, "right": float(width)}[align]
        top = y * SCALE + cap * SCALE / 2 - written.baseline
        layer = Image.new("L", self.image.size, 0)
        layer.paste(Image.fromarray(written.pixels), (round(left), round(top)))
        if angle:
            layer = layer.rotate(angle, Image.Resampling.BICUBIC, center=(x * SCALE, y * SCALE))
        self._ink(layer, colour, soft, opacity)
        if mark:
            rows = np.flatnonzero(written.pixels.max(axis=1) > 16)
            pad = 4 + cap * 0.18
            box = (left / SCALE - pad, (top + rows[0]) / SCALE - pad,
                   (left + width) / SCALE + pad, (top + rows[-1] + 1) / SCALE + pad)  # fmt: skip
            self.marks.append([turn(p, (x, y), angle) for p in corners(*box)])

    def mark(self, x: float, y: float, w: float, h: float) -> None:
        """Say that an edit touches this rectangle."""
        self.marks.append(list(corners(x, y, x + w, y + h)))

    # ---- pictures in the picture ----------------------------------------------------------------

    def place(self, other: Canvas, quad: Sequence[Point]) -> None:
        """Put another canvas here, its corners (left upper, right upper, right lower, left lower)
        at `quad`.
        """
        source = np.array(
            corners(0, 0, other.width * SCALE, other.height * SCALE), dtype=np.float32
        )
        target = np.array([(x * SCALE, y * SCALE) for x, y in quad], dtype=np.float32)
        matrix = cv2.getPerspectiveTransform(source, target)
        pixels = cv2.warpPerspective(
            np.asarray(other.image),
            matrix,
            self.image.size,
            flags=cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_REPLICATE,
        )
        shape = cv2.warpPerspective(
            np.asarray(other.shape), matrix, self.image.size, flags=cv2.INTER_CUBIC
        )
        self.image.paste(Image.fromarray(pixels), mask=Image.fromarray(shape))
        for polygon in other.marks:
            points = np.array([[(x * SCALE, y * SCALE) for x, y in polygon]], dtype=np.float32)
            moved = cv2.perspectiveTransform(points, matrix)[0] / SCALE
            self.marks.append([(float(x), float(y)) for x, y in moved])

    def place_turned(
        self, other: Canvas, x: float, y: float, angle: float, zoom: float = 1.0
    ) -> None:
        """Put another canvas here with its centre at (x, y), turned by `angle` degrees
        anticlockwise.
        """
        w, h = other.width * zoom / 2, other.height * zoom / 2
        self.place(other, [turn(p, (x, y), angle) for p in corners(x - w, y - h, x + w, y + h)])

    def round_off(self, radius: float) -> None:
        """Give this canvas rounded corners when it is placed on another one."""
        self.shape = Image.new("L", self.image.size, 0)
        box = (0, 0, self.image.width - 1, self.image.height - 1)
        ImageDraw.Draw(self.shape).rounded_rectangle(box, radius * SCALE, 255)

    # ---- delivery -------------------------------------------------------------------------------

    def camera(self, seed: int, *, grain: float, vignette: float = 0.0, blur: float = 0.0) -> None:
        """Finish like a photograph: blurred by `blur` pixels, darker corners, and grain of `grain`
        grey levels.
        """
        self._camera = (seed, grain, vignette, blur)

    def pixels(self) -> Array:
        """The delivered picture, (H, W, 3) uint8."""
        small = self.image.reduce(SCALE)
        if self._camera is None:
            return np.asarray(small, dtype=np.uint8)
        seed, grain, vignette, blur = self._camera
        if blur:
            small = small.filter(ImageFilter.GaussianBlur(blur))
        values = np.asarray(small, dtype=np.float32)
        y, x = np.mgrid[-1 : 1 : self.height * 1j, -1 : 1 : self.width * 1j].astype(np.float32)
        values = values * (1 - vignette * (x * x + y * y) / 2)[:, :, None]
        random = np.random.default_rng(seed)
        shared = random.standard_normal((self.height, self.width, 1), dtype=np.float32)
        own = random.standard_normal((self.height, self.width, 3), dtype=np.float32)
        values = values + grain * (0.8 * shared + 0.5 * own)
        levels: Array = np.clip(np.rint(values), 0, 255).astype(np.uint8)
        return levels

    def mask(self) -> Mask:
        """The marked area, (H, W) bool."""
        image = Image.new("L", (self.width, self.height), 0)
        pen = ImageDraw.Draw(image)
        for polygon in self.marks:
            pen.polygon([(round(x), round(y)) for x, y in polygon], 255)
        return np.asarray(np.asarray(image, dtype=np.uint8) > 0, dtype=np.bool_)

    def _pen(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    def _ink(self, layer: Image.Image, colour: str, soft: float, opacity: float) -> None:
        box = layer.getbbox()
        if box is None:
            return
        reach = math.ceil(4 * soft * SCALE)
        box = (max(0, box[0] - reach), max(0, box[1] - reach),
               min(layer.width, box[2] + reach), min(layer.height, box[3] + reach))  # fmt: skip
        layer = layer.crop(box)
        if soft:
            layer = layer.filter(ImageFilter.GaussianBlur(soft * SCALE))
        if opacity < 1:
            layer = layer.point([round(level * opacity) for level in range(256)])
        self.image.paste(colour, box, layer)


def corners(
    left: float, top: float, right: float, bottom: float
) -> tuple[Point, Point, Point, Point]:
    """The corners of a box, clockwise from the left upper one."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def turn(point: Point, centre: Point, angle: float) -> Point:
    """`point` turned about `centre` by `angle` degrees anticlockwise (as seen, y pointing down)."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    x, y = point[0] - centre[0], point[1] - centre[1]
    return centre[0] + x * cos + y * sin, centre[1] - x * sin + y * cos


def smooth(points: Sequence[Point], steps: int = 12) -> list[Point]:
    """A closed Catmull-Rom curve through points."""
    curve: list[Point] = []
    count = len(points)
    for i in range(count):
        a, b, c, d = (np.array(points[(i + k) % count]) for k in (-1, 0, 1, 2))
        for t in np.arange(steps) / steps:
            p = 0.5 * (
                2 * b
                + (c - a) * t
                + (2 * a - 5 * b + 4 * c - d) * t**2
                + (3 * b - a - 3 * c + d) * t**3
            )
            curve.append((float(p[0]), float(p[1])))
    return curve


def rgb(colour: str) -> Floats:
    """``#rrggbb`` as three floats, 0 to 255."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float32)


def clouds(
    width: int,
    height: int,
    seed: int,
    *,
    cell: float = 120.0,
    octaves: int = 4,
    stretch: float = 1.0,
) -> Floats:
    """Smooth noise (H, W), float32, mean 0, about -1 to 1: sums of ever finer random grids.

    `cell` is the size of the coarsest blotches in pixels, `stretch` makes them that much longer to
    the right (wood).
    """
    random = np.random.default_rng(seed)
    total = np.zeros((height, width), dtype=np.float32)
    for octave in range(octaves):
        size = cell / 2**octave
        grid = (max(2, round(height / size) + 2), max(2, round(width / (size * stretch)) + 2))
        values = random.uniform(-1, 1, grid).astype(np.float32)
        total += cv2.resize(values, (width, height), interpolation=cv2.INTER_CUBIC) / 2**octave
    return np.asarray(total - total.mean(), dtype=np.float32)

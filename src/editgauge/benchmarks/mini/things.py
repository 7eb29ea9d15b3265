"""Drawn scenes: scans, faces, a laboratory, and samples of several pictures. Before (`new` False)
and after.
"""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from editgauge.benchmarks.mini.drawing import Canvas, clouds


def liver(new: bool) -> Canvas:
    c = Canvas(512, 512, "#050505")
    c.glow(256, 262, 226, 176, "#8a8a8a", soft=3)
    c.glow(256, 262, 214, 163, "#4b4b4b", soft=4)
    for i in range(9):
        a = math.pi * (0.16 + i * 0.21)
        for side in (-1, 1):
            c.glow(
                256 + side * 200 * abs(math.cos(a)),
                262 - 150 * math.sin(a - 0.3),
                9,
                6,
                "#dedede",
                soft=2,
            )
    c.blob([(74, 226), (120, 148), (214, 128), (290, 150), (300, 186), (248, 232), (232, 300), (160, 352), (92, 318)],
           "#8f8f8f", soft=2.5)  # fmt: skip
    vessels = (
        (176, 202, 30, 4),
        (204, 214, 20, 4),
        (140, 236, 22, 4),
        (216, 176, 22, 3),
        (196, 250, 14, 4),
    )
    for x, y, rx, ry in vessels:
        c.glow(x, y, rx, ry, "#a8a8a8", soft=2.5)
    c.blob(
        [(318, 150), (392, 150), (434, 208), (420, 268), (368, 262), (330, 214)], "#6a6a6a", soft=3
    )
    c.glow(372, 188, 26, 14, "#161616", soft=4)
    c.glow(412, 300, 34, 42, "#9b9b9b", soft=3)
    for x in (176, 336):
        c.glow(x, 370, 34, 27, "#b4b4b4", soft=3)
        c.glow(x, 374, 14, 10, "#7c7c7c", soft=3)
    c.glow(256, 366, 36, 31, "#e6e6e6", soft=2.5)
    c.glow(256, 402, 15, 12, "#55585a", soft=3)
    c.line([(256, 414), (256, 432)], "#dddddd", 10)
    c.glow(236, 320, 15, 15, "#a8a8a8", soft=2)
    c.glow(278, 318, 13, 13, "#989898", soft=2)
    if not new:
        c.glow(150, 296, 27, 24, "#565656", soft=3)
        c.glow(148, 295, 14, 12, "#3e3e3e", soft=4)
    c.mark(104, 252, 92, 88)
    c.text(30, 34, "AXIAL 5 mm", "plain", 13, "#c8c8c8", align="left")
    c.text(16, 256, "R", "plain", 16, "#c8c8c8")
    c.text(496, 256, "L", "plain", 16, "#c8c8c8")
    c.camera(201, grain=6, blur=0.6)
    return c


def teeth(new: bool) -> Canvas:
    c = Canvas(512, 400, "#e3b18f")
    c.ramp("#e8b999", "#d59f7c")
    c.glow(256, 60, 60, 18, "#c88f6c", soft=14, opacity=0.6)
    c.blob([(66, 190), (150, 132), (222, 112), (256, 124), (290, 112), (362, 132), (446, 190), (372, 282), (256, 314),
            (140, 282)], "#c25b60")  # fmt: skip
    c.glow(256, 292, 90, 10, "#e08a8a", soft=9, opacity=0.7)
    c.blob(
        [
            (92, 192),
            (170, 162),
            (256, 158),
            (342, 162),
            (420, 192),
            (352, 248),
            (256, 266),
            (160, 248),
        ],
        "#5a1f26",
    )
    enamel, edge = ("#fbf9f3", "#dedbd2") if new else ("#e7cf86", "#c2a55c")
    for side in (-1, 1):
        inner = 0.0
        for width, height in ((38, 60), (34, 54), (30, 47), (26, 37)):
            left = 256 + inner if side > 0 else 256 - inner - width
            c.rect(left, 166, width, height, enamel, radius=9, outline=edge, width=1.5)
            inner += width - 1
    for i in range(7):
        centre = 256 + (i - 3) * 31
        c.rect(centre - 14, 230 - abs(i - 3) * 5, 28, 22, enamel, radius=7, outline=edge, width=1.5)
    c.blob(
        [
            (92, 192),
            (170, 156),
            (256, 150),
            (342, 156),
            (420, 192),
            (342, 172),
            (256, 168),
            (170, 172),
        ],
        "#c25b60",
    )
    c.blob(
        [
            (110, 216),
            (170, 246),
            (256, 258),
            (342, 246),
            (402, 216),
            (360, 280),
            (256, 310),
            (152, 280),
        ],
        "#c9666a",
    )
    c.mark(92, 150, 328, 116)
    c.camera(202, grain=3.5, blur=0.7)
    return c


def eye(new: bool) -> Canvas:
    c = Canvas(512, 400, "#dcab89")
    c.ramp("#d9a683", "#e5b899")
    c.glow(256, 128, 190, 30, "#b97f5c", soft=16, opacity=0.6)
    c.blob(
        [(60, 76), (150, 40), (280, 34), (420, 66), (450, 92), (400, 84), (280, 64), (150, 74)],
        "#4a3022",
        soft=3,
    )
    c.blob(
        [
            (66, 232),
            (140, 164),
            (256, 138),
            (372, 164),
            (450, 236),
            (372, 288),
            (256, 304),
            (140, 284),
        ],
        "#f6f1ec",
    )
    c.glow(80, 236, 18, 14, "#e09c93", soft=6)
    for i, (x, y) in enumerate(((110, 236), (128, 250), (410, 240), (392, 254))):
        c.line([(x, y), (x + (26 if i < 2 else -26), y - 6 + 4 * i)], "#e3b7b0", 1.2)
    c.ellipse(256, 222, 82, 82, "#2f5d62")
    c.ellipse(256, 222, 76, 76, "#4f9aa0")
    for i in range(72):
        a = 2 * math.pi * i / 72
        inner, outer = 40, 66 + 8 * math.sin(i * 2.3)
        ends = [
            (256 + radius * math.cos(a), 222 + radius * math.sin(a)) for radius in (inner, outer)
        ]
        c.line(ends, "#77bcbd" if i % 2 else "#3f858b", 2)
    c.ellipse(256, 222, 42, 42, "#3f858b")
    radius = 50 if new else 25
    c.ellipse(256, 222, radius, radius, "#0b0d10")
    c.glow(230, 196, 11, 13, "#ffffff", soft=2)
    c.mark(196, 162, 120, 120)
    c.blob(
        [
            (66, 230),
            (140, 160),
            (256, 132),
            (372, 160),
            (450, 234),
            (372, 142),
            (256, 110),
            (140, 142),
        ],
        "#d3a07c",
    )
    c.line([(66, 232), (140, 164), (256, 138), (372, 164), (450, 236)], "#3a241a", 5)
    for i in range(13):
        x = 100 + i * 26
        y = 152 + abs(x - 256) ** 1.7 / 190
        c.line([(x, y), (x + (x - 256) * 0.12, y - 26)], "#3a241a", 2.6)
    c.camera(203, grain=3.5, blur=0.7)
    return c


def litmus(new: bool) -> Canvas:
    c = Canvas(560, 640)
    c.ramp("#f3f6f8", "#d7e0e6")
    c.rect(0, 540, 560, 100, "#8c6b4f")
    c.rect(0, 540, 560, 10, "#a9876a")
    c.glow(290, 566, 170, 16, "#000000", soft=9, opacity=0.4)
    liquid, deep = ("#e4485a", "#c22f45") if new else ("#4a78d6", "#3558b0")
    c.polygon([(148, 300), (432, 300), (430, 520), (400, 552), (180, 552), (150, 520)], liquid)
    c.ellipse(290, 300, 142, 18, deep)
    if new:
        c.ellipse(290, 300, 40, 7, "#f0808c")
    c.mark(136, 268, 308, 296)
    c.line([(146, 190), (150, 520), (180, 554), (400, 554), (430, 520), (434, 190)], "#8fa6b5", 7)
    c.line([(132, 184), (150, 196)], "#8fa6b5", 7)
    c.ellipse(290, 192, 144, 18, None, outline="#8fa6b5", width=5)
    for i, level in enumerate(("300", "200", "100")):
        y = 330 + i * 42
        c.line([(372, y), (424, y)], "#f5f8fa", 4)
        c.text(348, y, level, "plain", 14, "#f5f8fa")
    c.rect(272, 20, 36, 74, "#6b3fa0", radius=14)
    c.polygon([(278, 92), (302, 92), (295, 168), (285, 168)], "#dce8ef")
    c.blob([(290, 182), (298, 200), (290, 210), (282, 200)], "#cfe3ee")
    c.text(392, 70, "acid", "sans", 26, "#6b3fa0", weight=600)
    c.rect(196, 446, 188, 62, "#ffffff", radius=8)
    c.text(290, 477, "Litmus", "sans", 26, "#22313f", weight=600)
    return c


def mug(new: bool) -> Canvas:
    c = Canvas(600, 540)
    c.ramp("#e9dccb", "#d8c5ab")
    c.rect(0, 410, 600, 130, "#a77b52")
    c.texture(clouds(600, 130, 221, cell=34, stretch=12), 12, (0, 410, 600, 130))
    c.glow(290, 452, 190, 20, "#000000", soft=12, opacity=0.4)
    c.ellipse(442, 280, 66, 78, None, outline="#f2f0ec", width=24)
    c.polygon([(150, 142), (430, 142), (414, 436), (166, 436)], "#fbfaf8")
    c.ellipse(290, 436, 124, 20, "#fbfaf8")
    c.ellipse(290, 142, 140, 21, "#e4e0d8")
    c.ellipse(290, 146, 126, 16, "#5b3a24")
    c.glow(190, 300, 12, 100, "#ffffff", soft=8, opacity=0.8)
    c.glow(400, 300, 8, 100, "#cfc8bb", soft=8, opacity=0.7)
    if new:
        c.place_turned(badge(), 290, 304, 0, 0.46)
    c.mark(190, 204, 200, 200)
    c.camera(222, grain=3)
    return c


def badge() -> Canvas:
    """The logo that goes onto the mug: a canvas of its own, round when it is placed."""
    c = Canvas(400, 400, "#ffffff")
    c.ellipse(200, 200, 186, 186, "#1f6f5c")
    c.ellipse(200, 200, 168, 168, None, outline="#f2d8a7", width=5)
    c.polygon([(70, 236), (150, 120), (202, 192), (246, 144), (330, 236)], "#f2d8a7")
    c.line([(128, 152), (150, 166), (164, 150), (178, 160)], "#1f6f5c", 5)
    c.ellipse(282, 112, 24, 24, "#f2d8a7")
    c.text(200, 276, "ALPINE", "sans", 34, "#f2d8a7", weight=700, spacing=4)
    c.text(200, 328, "coffee", "serif-italic", 24, "#f2d8a7")
    c.shape = Image.new("L", c.image.size, 0)
    ImageDraw.Draw(c.shape).ellipse((28, 28, 771, 771), 255)
    return c


def shelf(new: bool) -> Canvas:
    c = Canvas(720, 460, "#cfdcd6")
    c.ramp("#d9e5df", "#c0d0c8")
    c.shade(50, 342, 630, 40, radius=4, soft=10, opacity=0.35)
    c.rect(44, 328, 632, 30, "#b07b4a", radius=3)
    c.texture(clouds(632, 30, 231, cell=20, stretch=12), 12, (44, 328, 632, 30))
    for x in (110, 590):
        c.polygon([(x, 358), (x + 22, 358), (x + 22, 402), (x + 14, 402)], "#8a5d35")
    if new:
        apple(c, 170, 328)
        teapot(c, 360, 328)
        plant(c, 560, 328)
    c.mark(88, 100, 558, 234)
    return c


def single(draw: str) -> Canvas:
    """One object on a plain ground, as a picture of its own: ``apple``, ``teapot`` or ``plant``."""
    c = Canvas(400, 400)
    c.ramp("#fdfdfb", "#ececea")
    c.glow(200, 326, 100, 12, "#000000", soft=9, opacity=0.3)
    {"apple": apple, "teapot": teapot, "plant": plant}[draw](c, 200, 326)
    return c


def apple(c: Canvas, x: float, y: float) -> None:
    for side in (-1, 1):
        c.ellipse(x + side * 24, y - 60, 40, 52, "#cf2e2e")
        c.ellipse(x + side * 16, y - 32, 30, 32, "#cf2e2e")
    c.ellipse(x, y - 108, 14, 5, "#a82222")
    c.glow(x - 26, y - 82, 10, 17, "#ffffff", soft=4, opacity=0.6)
    c.line([(x, y - 102), (x + 6, y - 134)], "#5b3a1e", 6)
    c.blob([(x + 6, y - 122), (x + 28, y - 144), (x + 54, y - 138), (x + 32, y - 120)], "#4d9a3f")


def teapot(c: Canvas, x: float, y: float) -> None:
    c.ellipse(x - 72, y - 66, 32, 36, None, outline="#2d5fa8", width=13)
    c.polygon(
        [(x + 50, y - 66), (x + 108, y - 110), (x + 118, y - 104), (x + 62, y - 28)], "#2d5fa8"
    )
    c.ellipse(x, y - 58, 74, 58, "#3a74c8")
    c.rect(x - 44, y - 14, 88, 14, "#2d5fa8", radius=4)
    c.ellipse(x, y - 110, 44, 13, "#2d5fa8")
    c.ellipse(x, y - 128, 10, 10, "#2d5fa8")
    c.glow(x - 28, y - 80, 11, 20, "#ffffff", soft=5, opacity=0.55)


def plant(c: Canvas, x: float, y: float) -> None:
    for dx, height, lean in (
        (-44, 96, -26),
        (-20, 136, -12),
        (6, 150, 4),
        (30, 128, 18),
        (50, 92, 30),
    ):
        tip = (x + dx + lean, y - 62 - height)
        c.blob([(x + dx / 3 - 7, y - 60), (x + dx + lean / 3 - 13, y - 62 - height / 2), tip,
                (x + dx + lean / 3 + 13, y - 62 - height / 2), (x + dx / 3 + 7, y - 60)],
               "#3f8f4f" if dx % 4 else "#5aa864")  # fmt: skip
    c.polygon([(x - 50, y - 70), (x + 50, y - 70), (x + 38, y), (x - 38, y)], "#c8693f")
    c.rect(x - 56, y - 80, 112, 18, "#b55a33", radius=3)


def candle(burnt: float) -> Canvas:
    """A candle of which the share `burnt` has gone, 0 to 1."""
    c = Canvas(420, 560, "#1c1a24")
    c.ramp("#221f2e", "#14121a")
    top = 150 + 240 * burnt
    c.glow(210, top - 46, 66, 74, "#a8641e", soft=20, opacity=0.45)
    c.rect(168, top, 84, 470 - top, "#efe6d2", radius=6)
    c.ellipse(210, top + 3, 42, 8, "#fbf4e2")
    drip = min(60.0, 40 + 60 * burnt)
    c.rect(176, top, 12, min(drip, 460 - top), "#fbf4e2", radius=6)
    c.line([(210, top + 2), (211, top - 15)], "#3a2a1c", 4)
    c.blob([(210, top - 82), (222, top - 44), (221, top - 20), (210, top - 11), (199, top - 20), (198, top - 44)],
           "#ffb13d", soft=1)  # fmt: skip
    c.blob([(210, top - 56), (216, top - 34), (210, top - 18), (204, top - 34)], "#fff0b8", soft=1)
    c.rect(110, 470, 200, 16, "#8d7442", radius=8)
    c.blob([(126, 486), (294, 486), (264, 514), (156, 514)], "#735d33")
    c.text(210, 538, "EVENING", "plain", 14, "#8d7442", spacing=4)
    c.mark(60, 0, 300, 476)
    return c


def candle_frame(frame: int | str) -> Canvas:
    """Frame 1 to 4 of the burning candle."""
    return candle((0.0, 0.3, 0.6, 0.9)[int(frame) - 1])


def candle_before_after(new: bool) -> Canvas:
    """Frame 1, and frame 3, which is to be found."""
    return candle_frame(3 if new else 1)

"""Drawn scenes: posters, cards, tickets, labels and screens. Each draws itself before (`new` False)
and after.
"""

from __future__ import annotations

import math

from editgauge.benchmarks.mini.drawing import Canvas, clouds, turn


def bakery(new: bool) -> Canvas:
    c = Canvas(560, 720, "#f7ead3")
    for i in range(8):
        colour = "#c8553d" if i % 2 == 0 else "#fff8ec"
        c.rect(i * 70, 0, 70, 84, colour)
        c.ellipse(i * 70 + 35, 84, 35, 26, colour)
    c.text(280, 172, "Sunny Bakery", "serif-bold", 42, "#5b3a29")
    c.line([(150, 222), (410, 222)], "#c8553d", 3)
    c.text(
        280,
        290,
        "WARM ROLLS" if new else "FRESH BREAD",
        "sans",
        46,
        "#c8553d",
        weight=800,
        mark=True,
    )
    c.glow(280, 570, 180, 26, "#5b3a29", soft=12, opacity=0.35)
    c.blob(
        [
            (110, 520),
            (160, 430),
            (280, 402),
            (400, 430),
            (450, 520),
            (400, 572),
            (280, 584),
            (160, 572),
        ],
        "#b9733a",
    )
    c.blob(
        [
            (130, 508),
            (176, 436),
            (280, 412),
            (384, 436),
            (430, 508),
            (380, 540),
            (280, 550),
            (180, 540),
        ],
        "#d9954f",
    )
    for x in (200, 280, 360):
        c.line([(x - 26, 500), (x + 26, 442)], "#f3d3a0", 11)
    c.rect(0, 640, 560, 80, "#5b3a29")
    c.text(280, 680, "every day from 7 am", "serif-italic", 26, "#f7ead3")
    return c


def concert(new: bool) -> Canvas:
    c = Canvas(560, 720)
    c.ramp("#1d1a4b", "#d5577a")
    for step in range(6):
        radius = 150 - step * 22
        c.ellipse(280, 330, radius, radius, ["#f9c784", "#f7a072"][step % 2])
    for i in range(4):
        y = 420 + i * 22
        points = [(x, y + 12 * math.sin(x / 46 + i)) for x in range(-20, 600, 10)]
        c.polygon(
            [*points, (600, 760), (-20, 760)], ["#8b3f76", "#6d3270", "#4f2867", "#2b1b4f"][i]
        )
    c.text(280, 92, "NIGHT WAVES", "round", 52, "#fff4e0")
    c.text(280, 150, "open air by the harbour", "plain", 20, "#f9c784")
    c.text(280, 590, "Friday 18 June", "sans", 34, "#fff4e0", weight=600)
    c.text(280, 648, "doors open 19:15", "sans", 22, "#f9c784", weight=400)
    if not new:
        stamp = Canvas(330, 110)
        stamp.round_off(16)
        stamp.rect(0, 0, 330, 110, "#e02b2b")
        stamp.rect(8, 8, 314, 94, None, radius=12, outline="#ffffff", width=4)
        stamp.text(165, 55, "SOLD OUT", "sans", 36, "#ffffff", weight=900)
        stamp.mark(-6, -6, 342, 122)
        c.place_turned(stamp, 290, 340, 12)
    return c


def birthday(new: bool) -> Canvas:
    c = Canvas(680, 500, "#fdf1ee")
    colours = ["#f28482", "#84a59d", "#f6bd60", "#7fb7d6", "#c39bd3"]
    for i in range(70):
        x, y = (i * 197) % 680, (i * 331) % 500
        if 110 < x < 590 and 90 < y < 470:
            continue
        angle = i * 37
        points = [
            turn((x + dx, y + dy), (x, y), angle) for dx, dy in ((-8, -4), (8, -4), (8, 4), (-8, 4))
        ]
        c.polygon(points, colours[i % 5])
    for x, y, colour in (
        (70, 150, "#f28482"),
        (128, 108, "#f6bd60"),
        (612, 138, "#7fb7d6"),
        (560, 100, "#84a59d"),
    ):
        c.line([(x, y + 40), (x + 6, y + 120), (x - 4, y + 200)], "#b8a9a4", 2)
        c.ellipse(x, y, 36, 44, colour)
        c.polygon([(x, y + 42), (x - 7, y + 54), (x + 7, y + 54)], colour)
        c.glow(x - 12, y - 16, 7, 11, "#ffffff", soft=3, opacity=0.7)
    c.text(340, 190, "Happy Birthday", "hand", 78, "#3d405b")
    if new:
        c.text(340, 320, "Anna", "hand", 78, "#f28482", mark=True)
    else:
        c.mark(225, 258, 230, 124)
    c.text(340, 440, "with love from all of us", "serif-italic", 20, "#84a59d")
    if new:
        c.mark(225, 258, 230, 124)
    return c


def ticket(new: bool) -> Canvas:
    c = Canvas(760, 420)
    c.ramp("#2f4858", "#22313c")
    c.shade(48, 64, 672, 300, radius=18, soft=14, opacity=0.5)
    c.rect(40, 52, 680, 300, "#fbf3df", radius=18)
    c.rect(40, 52, 150, 300, "#b3392f", radius=18)
    c.rect(160, 52, 30, 300, "#b3392f")
    for i in range(14):
        c.ellipse(540, 66 + i * 21, 4, 4, "#d8c9a5")
    c.ellipse(540, 52, 16, 16, "#2f4858")
    c.ellipse(540, 352, 16, 16, "#283b48")
    c.text(115, 202, "THEATRE", "sans", 30, "#fbf3df", weight=800, angle=90)
    c.text(220, 112, "CITY STAGE", "sans", 20, "#b3392f", weight=700, align="left", spacing=3)
    c.text(220, 172, "The Winter", "serif-bold", 36, "#2b2b2b", align="left")
    c.text(220, 232, "Garden", "serif-bold", 36, "#2b2b2b", align="left")
    c.text(220, 306, "Saturday 20:00", "plain", 22, "#6b5b4b", align="left")
    c.text(630, 120, "Row F", "sans", 26, "#2b2b2b", weight=600)
    c.rect(562, 168, 136, 72, "#ffffff", radius=8, outline="#b3392f", width=3)
    if new:
        c.text(630, 204, "Seat 24", "sans", 19, "#2b2b2b", weight=600)
    c.mark(568, 174, 124, 60)
    for i in range(26):
        c.rect(570 + i * 4.6, 272, 1.2 + (i * 7 % 3), 50, "#2b2b2b")
    return c


def museum(new: bool) -> Canvas:
    c = Canvas(600, 740)
    c.ramp("#0f2a3f", "#1f5f6b")
    c.ellipse(440, 250, 58, 58, "#f4e9cd")
    c.ellipse(462, 236, 50, 50, "#143548")
    c.polygon([(90, 350), (300, 236), (510, 350)], "#e4d5b7")
    c.rect(90, 354, 420, 26, "#cdbb95")
    for i in range(6):
        c.rect(112 + i * 70, 384, 30, 132, "#e4d5b7")
        c.rect(134 + i * 70, 384, 8, 132, "#bfae8a")
    c.rect(80, 518, 440, 20, "#cdbb95")
    c.rect(64, 540, 472, 20, "#e4d5b7")
    c.text(300, 656 if new else 104, "MUSEUM NIGHT", "sans", 44, "#f2b84b", weight=800, mark=True)
    c.text(300, 164, "all halls open until midnight", "plain", 18, "#d7e4e0")
    return c


def sale(new: bool) -> Canvas:
    c = Canvas(600, 600, "#ffd23f")
    rays = 24
    for i in range(rays):
        a, b = 2 * math.pi * i / rays, 2 * math.pi * (i + 0.5) / rays
        c.polygon([(300, 300), (300 + 500 * math.cos(a), 300 + 500 * math.sin(a)),
                   (300 + 500 * math.cos(b), 300 + 500 * math.sin(b))], "#ffdc66")  # fmt: skip
    star = [(300 + r * math.cos(math.pi * i / 20), 290 + r * math.sin(math.pi * i / 20))
            for i, r in enumerate([250, 218] * 20)]  # fmt: skip
    c.polygon([(x + 8, y + 10) for x, y in star], "#e0a800")
    c.polygon(star, "#ee4266")
    c.text(300, 220, "SALE", "sans", 78, "#ffffff", weight=900)
    c.text(300, 366, "25% OFF", "sans", 56 if new else 28, "#fff3b0", weight=800, mark=True)
    c.text(300, 564, "this weekend only", "plain", 20, "#7a3b00")
    return c


def bottle(new: bool) -> Canvas:
    c = Canvas(520, 720)
    c.ramp("#dff3ee", "#a9d8c8")
    c.glow(262, 676, 130, 18, "#2f5d50", soft=10, opacity=0.5)
    c.rect(220, 36, 80, 44, "#d9a441", radius=8)
    c.blob([(222, 84), (298, 84), (304, 170), (372, 240), (378, 330), (378, 640), (350, 682), (170, 682), (142, 640),
            (142, 330), (148, 240), (216, 170)], "#f2d15c")  # fmt: skip
    c.glow(176, 460, 12, 190, "#ffffff", soft=8, opacity=0.5)
    label = Canvas(236, 320, "#fffdf4")
    label.rect(0, 0, 236, 14, "#4f9d69")
    label.rect(0, 306, 236, 14, "#4f9d69")
    label.text(118, 62, "CITRUS", "round", 36, "#4f9d69")
    label.text(118, 124, "Lemonade", "serif-italic", 28, "#d08c1d")
    label.ellipse(118, 190, 34, 34, "#f6d743")
    label.ellipse(118, 190, 27, 27, "#fdf3b5")
    for i in range(8):
        x, y = 118 + 26 * math.cos(i * math.pi / 4), 190 + 26 * math.sin(i * math.pi / 4)
        label.line([(118, 190), (x, y)], "#f6d743", 3)
    if not new:
        label.text(118, 250, "Sugar Free", "sans", 21, "#c0392b", weight=600, mark=True)
    label.text(118, 291, "330 ml", "plain", 13, "#6b6b6b")
    c.place(label, [(143, 320), (377, 320), (377, 638), (143, 638)])
    return c


def weather(new: bool) -> Canvas:
    c = Canvas(460, 720)
    c.ramp("#3a7bd5", "#8fc1f0")
    c.text(24, 32, "9:41", "sans", 14, "#ffffff", align="left", weight=600)
    c.rect(396, 24, 38, 16, None, radius=4, outline="#ffffff", width=2)
    c.rect(399, 27, 26, 10, "#ffffff", radius=2)
    c.text(230, 100, "Lisbon", "sans", 34, "#ffffff", weight=400)
    if new:
        for i in range(12):
            a = 2 * math.pi * i / 12
            c.line([(230 + 62 * math.cos(a), 222 + 62 * math.sin(a)), (230 + 78 * math.cos(a), 222 + 78 * math.sin(a))],
                   "#ffd84d", 7)  # fmt: skip
        c.ellipse(230, 222, 46, 46, "#ffd84d")
    else:
        for x in (190, 222, 254, 282):
            c.line([(x, 258), (x - 10, 286)], "#d8ecff", 6)
        for x, y, r in ((188, 226, 30), (228, 204, 42), (268, 224, 32)):
            c.ellipse(x, y, r, r, "#f3f7fb")
        c.rect(180, 222, 96, 34, "#f3f7fb", radius=16)
    c.mark(136, 134, 188, 176)
    c.text(230, 344, "Sunny" if new else "Rainy", "sans", 30, "#ffffff", weight=500, mark=True)
    c.text(238, 428, "18°", "sans", 58, "#ffffff", weight=300)
    c.rect(24, 500, 412, 190, "#5a96dd", radius=20)
    for i, (day, low, high) in enumerate(
        (("Tue", "14°", "19°"), ("Wed", "15°", "21°"), ("Thu", "13°", "18°"))
    ):
        y = 536 + i * 58
        c.text(52, y, day, "sans", 19, "#ffffff", align="left", weight=500)
        c.rect(190, y - 4, 110, 8, "#8fbbea", radius=4)
        c.rect(206 + i * 12, y - 4, 66, 8, "#ffd84d", radius=4)
        c.text(170, y, low, "sans", 17, "#d8e8fb", align="right", weight=400)
        c.text(390, y, high, "sans", 17, "#ffffff", align="right", weight=500)
    return c


def chart(new: bool) -> Canvas:
    c = Canvas(720, 500, "#ffffff")
    c.text(48, 48, "Visitors per month", "sans", 24, "#22313f", align="left", weight=600)
    for i in range(5):
        y = 400 - i * 70
        c.line([(92, y), (680, y)], "#e3e8ee", 2)
        c.text(78, y, str(i * 20), "plain", 15, "#66788a", align="right")
    bars = ((140, "Jan", 118), (255, "Feb", 164), (370, "Mar" if new else "Feb", 207), (485, "Apr", 256),
            (600, "May", 235))  # fmt: skip
    for i, (x, month, height) in enumerate(bars):
        c.rect(x - 36, 400 - height, 72, height, "#2a9d8f" if i != 2 else "#e9a23b", radius=4)
        c.rect(x - 36, 392, 72, 8, "#2a9d8f" if i != 2 else "#e9a23b")
        c.text(x, 438, month, "sans", 21, "#22313f", weight=500, mark=i == 2)
    c.line([(92, 400), (680, 400)], "#66788a", 3)
    return c


def book(new: bool) -> Canvas:
    c = Canvas(680, 640, "#8a5a3b")
    c.texture(clouds(680, 640, 41, cell=60, stretch=14), 22)
    for y in (150, 330, 512):
        c.line([(0, y), (680, y + 3)], "#5d3a25", 3)
    c.glow(560, 130, 92, 92, "#000000", soft=12, opacity=0.35)
    c.ellipse(550, 116, 88, 88, "#e9e4da")
    c.ellipse(550, 116, 62, 62, "#d9d2c4")
    c.ellipse(550, 116, 54, 54, "#4a2c1b")
    cover = Canvas(330, 440, "#1f3a5f")
    cover.texture(clouds(330, 440, 42, cell=26), 9)
    cover.rect(0, 0, 18, 440, "#162b47")
    cover.rect(38, 22, 272, 396, None, outline="#d9b65d", width=3)
    cover.text(174, 118, "Silent" if new else "Quiet", "serif-bold", 46, "#f0dfae", mark=True)
    cover.text(174, 190, "Rivers", "serif-bold", 46, "#f0dfae")
    for i in range(4):
        y = 268 + i * 22
        cover.line([(x, y + 7 * math.sin(x / 19 + i)) for x in range(84, 266, 6)], "#6fa3c8", 4)
    cover.text(174, 388, "M. LAURENT", "plain", 16, "#d9b65d", spacing=3)
    angle = 9.0
    frame = [turn(p, (270, 350), angle) for p in ((116, 144), (446, 144), (446, 584), (116, 584))]
    c.shadow([(x + 9, y + 12) for x, y in frame], soft=8, opacity=0.5)
    c.place_turned(cover, 270, 350, angle)
    c.camera(43, grain=5, vignette=0.35, blur=0.6)
    return c

"""Drawn scenes: signs, boards, maps and boxes. Each draws itself before (`new` False) and after."""

from __future__ import annotations

from editgauge.benchmarks.mini.drawing import Canvas, clouds, turn


def motorway(new: bool) -> Canvas:
    c = Canvas(760, 520)
    c.ramp("#7db7e8", "#e6f1f8", (0, 0, 760, 380))
    for x, y, r in (
        (110, 90, 26),
        (146, 80, 34),
        (186, 92, 24),
        (620, 52, 18),
        (646, 46, 24),
        (676, 54, 16),
    ):
        c.ellipse(x, y, r, r * 0.7, "#ffffff")
    c.blob(
        [
            (-60, 380),
            (80, 318),
            (240, 352),
            (420, 306),
            (600, 346),
            (820, 310),
            (820, 460),
            (-60, 460),
        ],
        "#7fa66b",
    )
    c.rect(0, 400, 760, 120, "#6f9a5c")
    c.polygon([(352, 372), (408, 372), (640, 520), (120, 520)], "#5c6068")
    for a, b, w in ((384, 396, 3), (412, 432, 5), (456, 492, 8)):
        c.line([(380, a), (380, b)], "#f0f0f0", w)
    for x in (170, 580):
        c.rect(x, 120, 14, 300, "#8d949c")
    c.rect(112, 74, 536, 220, "#ffffff", radius=18)
    c.rect(119, 81, 522, 206, "#0b6b3a", radius=13)
    c.text(
        158,
        142,
        "Nice" if new else "Lyon",
        "sans",
        40,
        "#ffffff",
        align="left",
        weight=500,
        mark=True,
    )
    c.text(600, 142, "24 km", "sans", 32, "#ffffff", align="right", weight=500)
    c.text(158, 230, "Dijon", "sans", 40, "#ffffff", align="left", weight=500)
    c.text(600, 230, "185 km", "sans", 32, "#ffffff", align="right", weight=500)
    return c


def blackboard(new: bool) -> Canvas:
    c = Canvas(680, 500, "#9a6b3f")
    c.texture(clouds(680, 500, 51, cell=40, stretch=10), 14)
    c.rect(24, 24, 632, 440, "#2c4a3e")
    c.texture(clouds(632, 440, 52, cell=160), 11, (24, 24, 632, 440))
    c.text(340, 112, "8 + 9 = 17", "round", 50, "#eef3ea", opacity=0.93)
    c.text(262, 234, "12 + 30 =", "round", 50, "#eef3ea", opacity=0.93)
    c.text(
        418,
        234,
        "42" if new else "41",
        "round",
        50,
        "#eef3ea",
        align="left",
        opacity=0.93,
        mark=True,
    )
    c.text(340, 356, "25 - 5 = 20", "round", 50, "#eef3ea", opacity=0.93)
    c.rect(60, 462, 560, 20, "#7d5430", radius=4)
    c.rect(120, 454, 62, 12, "#f4f4f0", radius=5)
    c.rect(200, 456, 40, 10, "#f2c6c0", radius=5)
    c.rect(500, 446, 84, 20, "#3d4b5c", radius=4)
    return c


def tea_house(new: bool) -> Canvas:
    c = Canvas(720, 500, "#b9b2a6")
    c.texture(clouds(720, 500, 61, cell=120, octaves=5), 13)
    for row in range(7):
        for column in range(-1, 8):
            x, y = column * 110 + (row % 2) * 55, 12 + row * 70
            c.rect(x, y, 108, 2, "#a49c90")
            c.rect(x, y, 2, 70, "#a49c90")
    c.shade(84, 112, 560, 236, radius=10, soft=14, opacity=0.5)
    c.rect(78, 98, 564, 240, "#c9993b", radius=10)
    c.rect(90, 110, 540, 216, "#8e1c1c", radius=5)
    c.rect(102, 122, 516, 192, None, radius=3, outline="#c9993b", width=3)
    c.text(360, 196, "山水茶馆" if new else "清香茶馆", "chinese", 66, "#f3d48a", mark=True)
    c.text(360, 284, "TEA HOUSE", "serif-bold", 20, "#f3d48a", spacing=7)
    for x in (44, 676):
        c.line([(x, 0), (x, 150)], "#5b4a2e", 3)
        c.glow(x, 210, 42, 54, "#ff9f50", soft=14, opacity=0.5)
        c.ellipse(x, 208, 30, 42, "#d8322a")
        c.rect(x - 16, 160, 32, 9, "#c9993b")
        c.rect(x - 16, 247, 32, 9, "#c9993b")
        c.line([(x, 256), (x, 300)], "#c9993b", 4)
    c.camera(62, grain=3, vignette=0.2)
    return c


def menu(new: bool) -> Canvas:
    c = Canvas(560, 700, "#3a3a3c")
    c.texture(clouds(560, 700, 71, cell=180, octaves=5), 12)
    c.rect(0, 0, 560, 700, None, outline="#a9793f", width=16)
    c.text(280, 100, "Coffee", "serif-italic", 50, "#f4e3c1")
    c.line([(150, 158), (410, 158)], "#d9a441", 3)
    rows = (
        ("Espresso", "2.45"),
        ("Mocha" if new else "Latte", "3.75"),
        ("Cappuccino", "3.55"),
        ("Hot Cocoa", "4.25"),
    )
    for i, (drink, price) in enumerate(rows):
        y = 230 + i * 88
        c.text(66, y, drink, "sans", 31, "#f7f3ea", align="left", weight=400, mark=i == 1)
        c.text(494, y, price, "sans", 31, "#d9a441", align="right", weight=400)
    c.polygon([(238, 590), (322, 590), (312, 650), (248, 650)], "#f4e3c1")
    c.ellipse(328, 612, 18, 16, None, outline="#f4e3c1", width=6)
    for x in (262, 282, 302):
        c.line([(x, 580), (x + 6, 570), (x - 2, 560), (x + 4, 550)], "#cbbd9f", 3)
    c.camera(72, grain=3)
    return c


def notice(new: bool) -> Canvas:
    c = Canvas(600, 560, "#4d7f86")
    c.ramp("#5b939a", "#3f6c73")
    c.rect(60, 0, 480, 560, "#35595f")
    c.rect(84, 0, 432, 560, "#c7dde0")
    c.texture(clouds(432, 560, 81, cell=260, octaves=3), 16, (84, 0, 432, 560))
    for x in (196, 404):
        c.line([(300, 40), (x, 150)], "#5d4a36", 4)
    c.ellipse(300, 40, 9, 9, "#5d4a36")
    c.shade(134, 158, 344, 270, radius=16, soft=12, opacity=0.4)
    board = Canvas(344, 270, "#caa472")
    board.texture(clouds(344, 270, 82, cell=36, stretch=8), 16)
    board.round_off(16)
    board.rect(12, 12, 320, 246, None, radius=10, outline="#7b5530", width=4)
    board.text(172, 92, "欢迎光临", "chinese", 46, "#4a2f17")
    if new:
        board.text(172, 188, "营业中", "chinese", 46, "#b3261e")
    board.mark(66, 136, 212, 106)
    c.place(board, [(128, 146), (472, 146), (472, 416), (128, 416)])
    c.camera(83, grain=3, vignette=0.15)
    return c


def area_map(new: bool) -> Canvas:
    c = Canvas(760, 560, "#e8eddc")
    c.texture(clouds(760, 560, 91, cell=200), 5)
    c.blob(
        [(40, 60), (180, 20), (330, 70), (350, 190), (240, 260), (90, 230), (20, 150)], "#b5d49a"
    )
    for x, y in ((96, 92), (134, 66), (176, 84), (214, 58), (258, 82), (300, 96), (60, 150), (92, 206), (136, 224),
                 (180, 212), (226, 234), (262, 210), (300, 196), (328, 166), (150, 44), (250, 48)):  # fmt: skip
        c.polygon([(x, y - 16), (x - 9, y + 7), (x + 9, y + 7)], "#7fae62")
    c.blob(
        [(430, 330), (540, 280), (680, 310), (720, 410), (640, 490), (500, 480), (420, 410)],
        "#9fcbe8",
    )
    c.line([(760, 90), (640, 150), (560, 230), (545, 300)], "#9fcbe8", 12)
    c.line([(0, 420), (160, 400), (300, 330), (420, 220), (520, 140), (600, 0)], "#c9b99a", 15)
    c.line([(0, 420), (160, 400), (300, 330), (420, 220), (520, 140), (600, 0)], "#fff3d1", 10)
    for x, y in ((120, 440), (150, 474), (92, 482), (188, 446), (170, 510)):
        c.rect(x, y, 22, 18, "#c97b5a")
        c.polygon([(x - 4, y), (x + 26, y), (x + 11, y - 13)], "#a4553a")
    c.text(242, 480, "Oak Village", "sans", 19, "#4c4033", weight=500, align="left")
    x, y = (572, 392) if new else (204, 144)
    c.text(x, y, "Blue Lake", "italic", 26, "#1f5e8c", weight=500, mark=True)
    c.text(700, 60, "N", "serif-bold", 22, "#4c4033")
    c.polygon([(700, 82), (690, 116), (700, 108), (710, 116)], "#4c4033")
    return c


def exit_sign(new: bool) -> Canvas:
    c = Canvas(680, 440, "#3b3f46")
    c.ramp("#50555d", "#2a2d33")
    c.texture(clouds(680, 440, 101, cell=140, octaves=5), 7)
    colour = "#1db954" if new else "#e23b3b"
    c.line([(250, 0), (250, 130)], "#22252a", 7)
    c.line([(430, 0), (430, 130)], "#22252a", 7)
    c.rect(150, 126, 380, 178, "#1e2126", radius=14)
    c.rect(160, 136, 360, 158, "#f2f4f3", radius=9)
    c.text(340, 215, "EXIT", "sans", 84, colour, weight=800, spacing=6, mark=True)
    c.rect(0, 372, 680, 68, "#22252a")
    c.camera(102, grain=4, vignette=0.4)
    return c


def fragile(new: bool) -> Canvas:
    c = Canvas(700, 540, "#d8d5cf")
    c.ramp("#e8e5df", "#c9c4ba")
    c.glow(350, 500, 300, 22, "#000000", soft=12, opacity=0.45)
    c.rect(70, 70, 560, 420, "#c2925e", radius=4)
    c.texture(clouds(560, 420, 111, cell=30, stretch=9), 9, (70, 70, 560, 420))
    c.rect(70, 70, 560, 60, "#d3a774")
    c.rect(318, 70, 64, 420, "#dcc59d")
    c.texture(clouds(64, 420, 112, cell=90), 5, (318, 70, 64, 420))
    c.line([(70, 130), (630, 130)], "#9c7142", 3)
    label = Canvas(340, 150, "#fdfdfb")
    label.rect(8, 8, 324, 134, None, outline="#d62828", width=6)
    label.text(170, 60, "FRAGILE", "sans", 44, "#d62828", weight=800)
    label.text(170, 116, "handle with care", "plain", 18, "#303030")
    label.mark(-14, -14, 368, 178)
    angle = 0.0 if new else 20.0
    frame = [turn(p, (350, 310), angle) for p in ((180, 235), (520, 235), (520, 385), (180, 385))]
    c.shadow([(x + 3, y + 4) for x, y in frame], soft=2, opacity=0.25)
    c.place_turned(label, 350, 310, angle)
    c.camera(113, grain=4, vignette=0.15)
    return c


def lake_photo(new: bool) -> Canvas:
    c = Canvas(760, 520)
    c.ramp("#f3b27a", "#f7e3c8", (0, 0, 760, 290))
    c.glow(540, 128, 40, 40, "#fff2cf", soft=7)
    for i, (base, colour) in enumerate(((250, "#9aa5b8"), (272, "#6f7f97"), (292, "#46566e"))):
        ridge = clouds(780, 2, 121 + i, cell=150 - 30 * i, octaves=5)[0]
        points = [(x, base - 55 - 45 * float(ridge[x])) for x in range(0, 770, 6)]
        c.polygon([*points, (770, 330), (-10, 330)], colour)
    c.ramp("#c99a7d", "#3e5770", (0, 300, 760, 220))
    ripples = clouds(760, 220, 125, cell=24, stretch=9)
    c.texture(ripples, 13, (0, 300, 760, 220))
    for i in range(18):
        x = 18 + i * 14 + (i * 29) % 11
        h = 60 + (i * 53) % 60
        c.polygon([(x, 352 - h), (x - 12, 356), (x + 12, 356)], "#24332f")
    c.blob([(-30, 350), (120, 344), (290, 356), (300, 372), (120, 380), (-30, 384)], "#1d2825")
    if not new:
        c.text(724, 478, "12.08.2024", "plain", 26, "#ffa64d", align="right", mark=True)
    c.camera(126, grain=6, vignette=0.3, blur=0.5)
    return c

"""Colours by name: what a name is painted with, and which inks it may mean."""

from __future__ import annotations

import colorsys

Colour = tuple[int, int, int]

COLOURS: dict[str, Colour] = {
    "black": (0, 0, 0), "white": (255, 255, 255), "red": (220, 20, 30), "green": (20, 140, 50),
    "blue": (30, 70, 210), "yellow": (250, 215, 20), "orange": (245, 130, 30),
    "purple": (125, 40, 160),
    "violet": (125, 40, 160), "pink": (240, 110, 170), "brown": (120, 70, 35),
    "grey": (128, 128, 128),
    "gray": (128, 128, 128), "cyan": (0, 180, 200), "teal": (0, 128, 128), "magenta": (210, 0, 160),
    "gold": (212, 165, 30), "golden": (212, 165, 30), "silver": (192, 192, 192),
    "navy": (15, 30, 95),
    "beige": (235, 220, 190), "maroon": (128, 0, 20), "turquoise": (50, 200, 190),
    "crimson": (200, 15, 50),
    "lime": (140, 220, 20), "indigo": (65, 0, 130), "scarlet": (220, 35, 20),
    "burgundy": (110, 10, 40), "lilac": (190, 150, 210), "lavender": (180, 160, 220),
    "olive": (115, 120, 30), "cream": (250, 240, 215), "ivory": (250, 245, 225),
    "coral": (245, 110, 90), "salmon": (245, 140, 120), "mint": (140, 220, 180),
}  # fmt: skip
"""Colours by their common English names, RGB."""
COLOUR = r"((?:(?:dark|light|bright|deep|pale) )?(?:" + "|".join(COLOURS) + r"))\b"
"""The pattern of a colour's name, with its shade; one group."""

_HUES: dict[str, tuple[float, float]] = {
    "red": (340, 16), "crimson": (335, 12), "maroon": (335, 16), "orange": (14, 44),
    "brown": (8, 44), "beige": (25, 60), "gold": (32, 58), "golden": (32, 58), "yellow": (40, 70),
    "lime": (65, 105), "green": (70, 172), "teal": (160, 200), "turquoise": (155, 200),
    "cyan": (165, 205), "blue": (190, 258), "navy": (200, 258), "indigo": (235, 285),
    "scarlet": (345, 16), "burgundy": (325, 16), "lilac": (250, 320), "lavender": (235, 300),
    "olive": (45, 85), "cream": (30, 65), "ivory": (30, 65), "coral": (345, 25),
    "salmon": (345, 25), "mint": (120, 175), "purple": (252, 318),
    "violet": (252, 318), "magenta": (290, 335), "pink": (300, 355),
}  # fmt: skip
"""From which hue to which, in degrees, a pixel may be called so; neighbours overlap."""
_PALE = ("beige", "cream", "ivory", "lilac", "lavender")
_FAINT = 0.22
"""The saturation below which a pixel has no hue of its own."""


def shade(name: str) -> Colour:
    """The colour that a name (``dark blue``) is painted with."""
    *told, base = name.split()
    red, green, blue = COLOURS[base]
    if not told or told[0] == "bright":
        return red, green, blue
    to = 0 if told[0] in ("dark", "deep") else 255
    return (red + to) // 2, (green + to) // 2, (blue + to) // 2


def may_be_called(colour: Colour, name: str) -> bool:
    """Whether people may call `colour` (RGB, 0 to 255) by `name`: two names may fit one colour."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(c / 255 for c in colour))
    base = name.split()[-1]
    if base == "black":
        return value < 0.3
    if base == "white":
        return value > 0.85 and saturation < 0.15
    if base in ("grey", "gray", "silver"):
        return saturation < _FAINT and 0.25 < value < 0.9
    if saturation < (0.05 if base in _PALE else _FAINT) or value < 0.15:
        return False
    if base == "brown" and value > 0.75:
        return False
    if base == "orange" and value < 0.6:
        return False
    if base in _PALE and (saturation > 0.4 or value < 0.6):
        return False
    low, high = _HUES[base]
    degrees = 360 * hue
    return low <= degrees <= high if low <= high else degrees >= low or degrees <= high

"""The corpus, made by code: one good file of each kind, and the ways in which files are spoilt."""

from __future__ import annotations

import io
import json
import os
import random
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from PIL import Image

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "40"))
"""Examples a target: about a minute for all of them. `make fuzz` asks for as many as hours hold."""
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    print_blob=True,
)

NASTY: tuple[Any, ...] = (
    None, True, -1, 0, 1e308, float("nan"), 2**70, "", " ", "\0", "a\x1b]52;c;aGk=\x07b", "\ud800",
    "../../etc/passwd", "/etc/passwd", "C:\\con", "con.", "a" * 5000, "'" * 3000, "=1+1", "<script>",
    "\\input{x}", "| a | b |", "\u202eabc", [], {}, [[]], {"a": {"a": {}}}, ["x"] * 500,
)  # fmt: skip
"""Values that have broken readers."""


def spoilt_bytes(data: bytes, seed: int) -> bytes:
    """`data` after one to four accidents: flips, cuts, repeats, insertions, whole zeros."""
    chance = random.Random(seed)
    out = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        if not out:
            break
        at = chance.randrange(len(out))
        to = min(len(out), at + chance.choice((1, 2, 7, 64, 1000)))
        accident = chance.randrange(7)
        if accident == 0:
            out[at] ^= 1 << chance.randrange(8)
        elif accident == 1:
            del out[at:]
        elif accident == 2:
            del out[at:to]
        elif accident == 3:
            out[at:at] = out[at:to] * chance.choice((1, 3))
        elif accident == 4:
            out[at:to] = bytes(to - at)
        elif accident == 5:
            out[at:at] = chance.randbytes(chance.choice((1, 4, 50)))
        else:
            out[at:to] = chance.randbytes(to - at)
    return bytes(out)


def spoilt_value(value: Any, seed: int) -> Any:
    """A JSON value in which one to three parts are something else, missing, or under another name."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 3)):
        value = _spoil(value, chance)
    return value


def _spoil(value: Any, chance: random.Random) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(sorted(value, key=str))
        changed = dict(value)
        if (what := chance.random()) < 0.15:
            del changed[name]
        elif what < 0.25:
            changed[str(chance.choice(NASTY))[:50]] = changed.pop(name)
        else:
            changed[name] = _spoil(value[name], chance)
        return changed
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], _spoil(value[at], chance), *value[at + 1 :]]
    if isinstance(value, str) and chance.random() < 0.3:
        return value + str(chance.choice(NASTY))
    return chance.choice(NASTY)


def spoilt_json(data: bytes, seed: int) -> bytes:
    """A JSON file (or JSON lines) spoilt as bytes or, as often, as a value."""
    if seed % 2:
        return spoilt_bytes(data, seed)
    try:
        value = json.loads(data)
    except ValueError:
        lines = data.splitlines()
        at = random.Random(seed).randrange(len(lines))
        lines[at] = json.dumps(spoilt_value(json.loads(lines[at]), seed)).encode()
        return b"\n".join(lines)
    return json.dumps(spoilt_value(value, seed)).encode()


def _saved(image: Image.Image, form: str, **options: Any) -> bytes:
    for further in options.get("append_images", ()):
        further.encoderconfig = ()  # Pillow forgets to: a JPEG's would be left on it
    buffer = io.BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


def pictures() -> dict[str, bytes]:
    """A picture of every format, mode and kind that the reader knows."""
    y, x = np.mgrid[:40, :52]
    base = Image.fromarray(np.stack([x * 4, y * 6, x * y % 256], -1).astype(np.uint8))
    grey, wide = base.convert("L"), Image.fromarray((x * 1000).astype(np.uint16))
    frames = [
        base.convert("P"),
        grey.convert("P"),
        base.transpose(Image.Transpose.ROTATE_180).convert("P"),
    ]
    exif = Image.Exif()
    exif[0x0112] = 6
    return {
        "png": _saved(base, "PNG"),
        "png-rgba": _saved(base.convert("RGBA"), "PNG"),
        "png-p": _saved(base.convert("P"), "PNG"),
        "png-1": _saved(base.convert("1"), "PNG"),
        "png-16": _saved(wide, "PNG"),
        "png-exif": _saved(base, "PNG", exif=exif),
        "png-frames": _saved(base, "PNG", save_all=True, append_images=[base] * 9),
        "jpeg": _saved(base, "JPEG", exif=exif),
        "jpeg-progressive": _saved(base, "JPEG", progressive=True),
        "jpeg-grey": _saved(grey, "JPEG"),
        "jpeg-cmyk": _saved(base.convert("CMYK"), "JPEG"),
        "jpeg-several": _saved(base, "MPO", save_all=True, append_images=[base]),
        "webp": _saved(base, "WEBP"),
        "webp-lossless": _saved(base.convert("RGBA"), "WEBP", lossless=True),
        "webp-frames": _saved(base, "WEBP", save_all=True, append_images=[base] * 5),
        "gif": _saved(frames[0], "GIF"),
        "gif-frames": _saved(frames[0], "GIF", save_all=True, append_images=frames[1:]),
        "bmp": _saved(base, "BMP"),
        "bmp-p": _saved(base.convert("P"), "BMP"),
        "tiff": _saved(base, "TIFF"),
        "tiff-lzw": _saved(base, "TIFF", compression="tiff_lzw"),
        "tiff-deflate-cmyk": _saved(base.convert("CMYK"), "TIFF", compression="tiff_adobe_deflate"),
        "tiff-float": _saved(Image.fromarray((x / 3).astype(np.float32)), "TIFF"),
        "tiff-16": _saved(wide, "TIFF"),
        "tiff-frames": _saved(
            base, "TIFF", save_all=True, append_images=[grey], compression="tiff_lzw"
        ),
    }

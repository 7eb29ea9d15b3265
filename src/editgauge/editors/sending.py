"""What editors send to services: pictures as files or as text, masks, sizes, and settings that are
passed on as they are.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editgauge.editors.delivery import typed
from editgauge.errors import UsageError
from editgauge.images import need_readable, read_file, read_header

EXTRA = "extra."
"""How the name of a setting begins that is passed to the model as it is."""
_MEDIA = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}


def as_file(path: Path, index: int) -> tuple[str, bytes, str]:
    """A picture as (name, bytes, media type): the file's own bytes where the service knows the
    format, else PNG.
    """
    header = read_header(path)
    need_readable(header, path)  # what we could not score is not sent, and not paid
    media = _MEDIA.get(header.format)
    if media is not None:
        return f"image-{index + 1}{header.extension}", read_file(path), media
    return f"image-{index + 1}.png", _as_png(path), "image/png"


def _as_png(path: Path) -> bytes:
    import io

    from PIL import Image

    from editgauge.images import read_image

    buffer = io.BytesIO()
    Image.fromarray(read_image(path)).save(buffer, "PNG")
    return buffer.getvalue()


def encoded(file: tuple[str, bytes, str]) -> str:
    return base64.b64encode(file[1]).decode()


def data_url(file: tuple[str, bytes, str]) -> str:
    """A picture as a ``data:`` address."""
    return f"data:{file[2]};base64,{encoded(file)}"


def transparent_where_editable(mask: Path) -> bytes:
    """A mask file of ours (>= 128 = may change) as the PNG that the service wants: transparent =
    may change.
    """
    import io

    import numpy as np
    from PIL import Image

    from editgauge.images import read_mask

    editable = read_mask(mask)
    pixels = np.zeros((*editable.shape, 4), np.uint8)
    pixels[..., 3] = np.where(editable, 0, 255)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def data_address(path: Path) -> str:
    """A picture as a ``data:`` address. Raises `ImageError` for a file that is none."""
    _, data, media = as_file(path, 0)
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


def passed_through(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings ``extra.NAME=VALUE`` by NAME, values as JSON would have them. Raises
    `UsageError` for one without a name.
    """
    found = {}
    for name, value in settings.items():
        if name.startswith(EXTRA):
            if not name.removeprefix(EXTRA):
                raise UsageError(f"setting {name!r}: wanted {EXTRA}NAME=VALUE")
            found[name.removeprefix(EXTRA)] = typed(value)
    return found


def sized(path: Path, step: int = 16, most: int = 4096) -> tuple[int, int]:
    """Width and height of a picture, each to the nearest multiple of `step`, the longer at most
    `most`; the shape is kept as far as that allows.
    """
    header = read_header(path)
    scale = min(1.0, most / max(header.width, header.height))
    width, height = (
        max(step, round(side * scale / step) * step) for side in (header.width, header.height)
    )
    return width, height


def nearest_shape(path: Path, sizes: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """Of some sizes (width, height) the one whose shape is nearest to the picture's."""
    import math

    header = read_header(path)
    wanted = math.log(header.width / header.height)
    return min(sizes, key=lambda size: abs(math.log(size[0] / size[1]) - wanted))

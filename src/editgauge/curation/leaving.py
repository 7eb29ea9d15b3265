"""A picture's bytes as they leave a data set: without what they tell of people.

Pictures that were taken in are PNG without metadata already; those of a set that was written by
hand may be anything.
"""

from __future__ import annotations

import io

from PIL import Image

from editgauge.curation.dataset import DataSet
from editgauge.errors import ImageError
from editgauge.images import read_file, read_header, read_image
from editgauge.judging.metadata import bare


def bare_file(data: DataSet, relative: str) -> bytes:
    """The file in its own format, its coded pixels untouched. Raises `ImageError` for a format
    whose metadata cannot be taken out.
    """
    path = data.path(relative)
    form = read_header(path).format
    try:
        return bare(read_file(path), form)
    except ValueError as error:
        raise ImageError(
            f"{relative}: its metadata cannot be taken out ({error}); take the picture in with: "
            f"editgauge curate add",
            path=path,
        ) from error


def png_file(data: DataSet, relative: str) -> bytes:
    """The file as PNG: its own bytes where it is one, else its pixels as stored."""
    path = data.path(relative)
    if read_header(path).format == "PNG":
        return bare_file(data, relative)
    buffer = io.BytesIO()
    Image.fromarray(read_image(path)).save(buffer, "PNG")
    return buffer.getvalue()

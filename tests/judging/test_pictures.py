"""Pictures as they are sent: without metadata, with their own pixels, encoded once."""

from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from editgauge.judging.pictures import PictureStore, bare
from editgauge.judging.protocol import Picture
from editgauge.store.hashes import HashStore
from editgauge.testing import make_picture

SECRET = b"patient 4711"


def file(kind: str, *, turned: int = 1) -> bytes:
    """A picture with a name, a place and a comment wherever its format has room for them."""
    image = Image.fromarray(make_picture((40, 30)))
    exif = image.getexif()
    exif[0x010E] = SECRET.decode()
    exif.get_ifd(0x8825)[1] = "N"
    if turned != 1:
        exif[0x0112] = turned
    text = PngInfo()
    text.add_text("Comment", SECRET.decode())
    buffer = io.BytesIO()
    image.save(buffer, kind, exif=exif, comment=SECRET, pnginfo=text, quality=90)
    return buffer.getvalue()


def shown(data: bytes) -> tuple[np.ndarray, dict[int, object]]:
    """Pixels, and what EXIF tells."""
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB")), dict(image.getexif())


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_pixels_stay_and_words_go_and_a_broken_file_is_a_value_error(kind: str) -> None:
    data = file(kind)
    assert SECRET in data
    found = bare(data, kind)
    assert SECRET not in found
    assert (shown(found)[0] == shown(data)[0]).all()
    assert shown(found)[1] == {}
    assert bare(found, kind) == found
    for end in [0, 1, 2, 9, 13, 30, len(data) // 2]:
        with pytest.raises(ValueError, match=r"."):
            bare(data[:end], kind)


def test_a_picture_that_exif_turns_goes_as_it_is_meant_to_be_seen(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(file("JPEG", turned=6))
    sent = PictureStore(HashStore(None)).encode(Picture(tmp_path / "a.jpg", "x"))
    kind, _, data = sent.partition(b";base64,")
    assert kind == b"data:image/png"
    assert shown(base64.b64decode(data))[0].shape == (40, 30, 3)

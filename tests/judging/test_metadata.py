"""Pictures lose their metadata and nothing else."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, PngImagePlugin

from editgauge.judging.calls import Picture
from editgauge.judging.metadata import bare, orientation
from editgauge.judging.pictures import PictureStore
from editgauge.store.hashes import HashStore
from editgauge.testing import make_picture

SECRET = b"Jane Author"


def made(kind: str, turned: int = 1, **more: object) -> bytes:
    """A picture with an author, a place and an orientation."""
    image = Image.fromarray(make_picture((61, 47)))
    exif = Image.Exif()
    exif[0x013B] = SECRET.decode()
    exif[0x0112] = turned
    exif.get_ifd(0x8825)[2] = (48.0, 8.0, 1.0)
    buffer = io.BytesIO()
    options: dict[str, object] = {"exif": exif, **more}
    if kind == "PNG":
        info = PngImagePlugin.PngInfo()
        info.add_text("Author", SECRET.decode())
        info.add_itxt("XML:com.adobe.xmp", SECRET.decode())
        options["pnginfo"] = info
    if kind == "JPEG":
        options |= {"comment": SECRET, "quality": 93}
    if kind == "WEBP":
        options |= {"xmp": SECRET, "lossless": True}
    if kind == "GIF":
        options = {"comment": SECRET}
    image.save(buffer, kind, **options)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
@pytest.mark.parametrize("turned", [1, 6])
def test_the_pixels_and_the_orientation_stay(kind: str, turned: int) -> None:
    data = made(kind, turned)
    assert SECRET in data
    clean = bare(data, kind)
    assert SECRET not in clean
    assert len(clean) < len(data)
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(clean)) as after:
        assert np.array_equal(np.asarray(before.convert("RGB")), np.asarray(after.convert("RGB")))
        wanted = 1 if kind == "GIF" else turned
        assert after.getexif().get(0x0112, 1) == wanted
        assert not after.getexif().get_ifd(0x8825)
        assert (before.format, before.size) == (after.format, after.size)
    assert bare(clean, kind) == clean


@pytest.mark.parametrize("progressive", [False, True])
def test_jpegs_keep_profile_and_scans_and_lose_what_follows(progressive: bool) -> None:
    profile = b"\x00" * 128
    data = made("JPEG", icc_profile=profile, progressive=progressive) + b"TRAILER " + SECRET
    clean = bare(data, "JPEG")
    assert clean.endswith(b"\xff\xd9")
    with Image.open(io.BytesIO(clean)) as image:
        assert image.info["icc_profile"] == profile
        assert bool(image.info.get("progressive")) is progressive
        image.load()


@given(
    st.binary(max_size=200), st.sampled_from(["JPEG", "PNG", "WEBP", "GIF"]), st.integers(0, 400)
)
def test_broken_files_are_told(data: bytes, kind: str, cut: int) -> None:
    """Whatever the bytes, it is a ValueError, or a file of the format from which nothing more can
    be taken; it grows by the block of its orientation at most.
    """
    for broken in (data, made(kind)[:cut], made(kind)[:cut] + data):
        try:
            clean = bare(broken, kind)
        except ValueError:
            continue
        assert clean[:2] == made(kind)[:2]
        assert len(clean) <= len(broken) + 100
        assert bare(clean, kind) == clean


@given(st.binary(max_size=60))
def test_odd_exif_is_no_orientation(data: bytes) -> None:
    assert 1 <= orientation(b"Exif\0\0" + data) <= 8


def test_what_is_sent_is_bare_unless_asked_otherwise(tmp_path: Path) -> None:
    """And both are another reply's key; a file that is not built as it should be goes as PNG."""
    import base64

    path = tmp_path / "p.jpg"
    path.write_bytes(made("JPEG"))
    picture = Picture(path, "input")
    with HashStore(None) as hashes:
        plain, whole = PictureStore(hashes), PictureStore(hashes, metadata=True)
        sent = base64.b64decode(plain.encode(picture).url.partition(b",")[2])
        assert sent == bare(path.read_bytes(), "JPEG")
        assert base64.b64decode(whole.encode(picture).url.partition(b",")[2]) == path.read_bytes()
        assert plain.identity(picture) != whole.identity(picture)
        assert PictureStore(hashes, png=True).encode(picture).url.startswith(b"data:image/png")

"""Pictures lose their metadata and nothing else."""

from __future__ import annotations

import base64
import io
import struct
import time
from pathlib import Path

import numpy as np
import pytest
from editgauge.judging.profiles import nameless
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from editgauge.judging.metadata import bare, orientation
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Picture
from editgauge.store.hashes import HashStore
from editgauge.testing import make_picture

SECRET = b"Jane Author"


def profile() -> bytes:
    """A colour profile with its owner's name in the description."""
    made = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    for number in range(struct.unpack_from(">I", made, 128)[0]):
        name, start, size = struct.unpack_from(">4sII", made, 132 + 12 * number)
        if name == b"desc":
            words = SECRET.decode().encode("utf-16-be")
            made[start + 28 : start + size] = words.ljust(size - 28, b"\0")[: size - 28]
    assert SECRET.decode().encode("utf-16-be") in made
    return bytes(made)


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
def test_jpegs_keep_scans_and_lose_what_follows(progressive: bool) -> None:
    data = made("JPEG", progressive=progressive) + b"TRAILER " + SECRET
    clean = bare(data, "JPEG")
    assert clean.endswith(b"\xff\xd9")
    with Image.open(io.BytesIO(clean)) as image:
        assert bool(image.info.get("progressive")) is progressive
        image.load()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_colour_profile_keeps_its_colours_and_loses_its_names(kind: str) -> None:
    clean = bare(made(kind, icc_profile=profile()), kind)
    with Image.open(io.BytesIO(clean)) as image:
        found = image.info["icc_profile"]
        assert len(found) == len(profile())
        assert SECRET.decode().encode("utf-16-be") not in found
        shown = [
            np.asarray(
                ImageCms.profileToProfile(
                    image.convert("RGB"), io.BytesIO(one), ImageCms.createProfile("LAB"),
                    outputMode="LAB",
                )
            )
            for one in (found, profile())
        ]  # fmt: skip
    assert np.array_equal(*shown)
    assert bare(clean, kind) == clean
    damaged = bare(made(kind, icc_profile=b"\0" * 128 + SECRET), kind)
    assert SECRET not in damaged
    with Image.open(io.BytesIO(damaged)) as image:
        assert "icc_profile" not in image.info
        image.load()


def test_a_long_profile_in_parts_stays_whole() -> None:
    """JPEG holds 64 KB in a segment; a name may lie across two of them."""
    long = profile() + bytes(70_000)
    clean = bare(made("JPEG", icc_profile=long), "JPEG")
    with Image.open(io.BytesIO(clean)) as image:
        assert image.info["icc_profile"] == nameless(long)


@given(st.binary(max_size=200), st.integers(0, 600))
def test_a_profile_of_any_bytes_is_blanked_or_dropped(data: bytes, cut: int) -> None:
    for odd in (data, profile()[:cut] + data, profile()[:128] + data):
        assert len(nameless(odd)) in (0, len(odd))


def test_a_profile_of_tags_in_one_place_is_dropped_at_once() -> None:
    """A million tags that each hold the whole profile: hours of work for nothing."""
    head = profile()[:128]
    tags = b"".join(
        struct.pack(">4sII", b"desc", 128 + number % 50, 1_000_000) for number in range(100_000)
    )
    hostile = head + struct.pack(">I", 100_000) + tags
    assert nameless(hostile) == b""


def segment(marker: int, body: bytes) -> bytes:
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


def test_words_in_odd_places_go() -> None:
    """Application segments that are neither JFIF nor Adobe's, JFIF's thumbnail, chunks of WebP that
    nobody knows.
    """
    jpeg = made("JPEG")
    thumbnail = b"JFIF\0\x01\x02\0\0\1\0\1\x01\x03" + SECRET[:9]
    odd = [segment(0xE0, thumbnail), segment(0xE0, b"AVI1" + SECRET), segment(0xEE, b"No" + SECRET)]
    clean = bare(jpeg[:2] + b"".join(odd) + jpeg[2:], "JPEG")
    assert SECRET[:9] not in clean
    assert b"JFIF" in clean
    webp = made("WEBP")
    body = webp[12:] + b"NOTE" + struct.pack("<I", len(SECRET)) + SECRET + b"\0" * (len(SECRET) % 2)
    assert SECRET not in bare(b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body, "WEBP")


@pytest.mark.parametrize("turned", [1, 6])
def test_a_picture_sent_as_png_is_shown_as_the_file_is(tmp_path: Path, turned: int) -> None:
    """Where it is brought to another's size it is not: the released script does not look at it."""
    path, other = tmp_path / "p.webp", tmp_path / "o.png"
    path.write_bytes(made("WEBP", turned))
    Image.new("RGB", (20, 10)).save(other)
    with HashStore(None) as hashes:
        store = PictureStore(hashes, png=True)
        sent = [
            Image.open(io.BytesIO(base64.b64decode(store.encode(p).url.partition(b",")[2])))
            for p in (Picture(path, "input"), Picture(path, "input", size_of=other))
        ]
    with Image.open(path) as file:
        assert np.array_equal(
            np.asarray(ImageOps.exif_transpose(sent[0]).convert("RGB")),
            np.asarray(ImageOps.exif_transpose(file).convert("RGB")),
        )
    assert sent[1].size == (20, 10)
    assert 0x0112 not in sent[1].getexif()


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


def test_many_parts_are_read_in_one_go() -> None:
    """Copying what was there for each part took a minute for a file of 2 MB; a second profile of a
    PNG may unpack to as much as the first.
    """
    part = b"ALPH" + bytes(4)
    head = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + bytes(10)
    data = b"RIFF" + struct.pack("<I", len(head) + 200_000 * 8) + head + part * 200_000
    began = time.process_time()
    assert bare(data, "WEBP") == data
    assert time.process_time() - began < 5
    image = made("PNG", icc_profile=profile())
    at = image.index(b"iCCP") - 4
    chunk = image[at : at + 12 + int.from_bytes(image[at : at + 4], "big")]
    with pytest.raises(ValueError, match="more than one colour profile"):
        bare(image[:at] + chunk + image[at:], "PNG")

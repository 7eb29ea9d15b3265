"""Reading pictures: the one pixel convention, and files that mean harm."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from editgauge.errors import ImageError, ImageTooLarge, UsageError
from editgauge.images import (
    fingerprint,
    max_pixels,
    read_grey,
    read_header,
    read_image,
    read_mask,
    resize,
    write_png,
)


@pytest.fixture
def picture() -> np.ndarray:
    y, x = np.mgrid[:48, :64]
    return np.stack([x * 4, y * 5, (x * y) % 256], axis=-1).astype(np.uint8)


def save(path: Path, image: Image.Image, **options: object) -> Path:
    image.save(path, **options)  # type: ignore[arg-type]
    return path


def test_png_round_trip(tmp_path: Path, picture: np.ndarray) -> None:
    write_png(tmp_path / "deep" / "a.png", picture)
    assert np.array_equal(read_image(tmp_path / "deep" / "a.png"), picture)
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["a.png"]


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "LA", "CMYK", "1"])
def test_every_mode_reads_as_pillow_converts_it(
    tmp_path: Path, picture: np.ndarray, mode: str
) -> None:
    image = Image.fromarray(picture).convert(mode)
    path = save(tmp_path / "a", image, format="TIFF" if mode == "CMYK" else "PNG")
    assert np.array_equal(read_image(path), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("progressive", [False, True])
def test_jpeg_is_the_same_to_the_bit_as_through_pillow(
    tmp_path: Path, picture: np.ndarray, mode: str, progressive: bool
) -> None:
    path = save(
        tmp_path / "a.jpg",
        Image.fromarray(picture).convert(mode),
        quality=87,
        progressive=progressive,
    )
    assert np.array_equal(read_image(path), np.asarray(Image.open(path).convert("RGB")))


def test_sixteen_bits_keep_their_high_byte(tmp_path: Path) -> None:
    values = (np.arange(64 * 64, dtype=np.uint32).reshape(64, 64) * 16).astype(np.uint16)
    path = save(tmp_path / "a.png", Image.fromarray(values))
    assert np.array_equal(read_image(path)[..., 0], (values >> 8).astype(np.uint8))
    assert np.array_equal(read_grey(path), (values >> 8).astype(np.uint8))


def test_a_dark_sixteen_bit_picture_is_not_mistaken_for_an_eight_bit_one(tmp_path: Path) -> None:
    values = np.full((8, 8), 200, np.uint16)  # high byte 0: almost black
    path = save(tmp_path / "a.png", Image.fromarray(values))
    assert read_image(path).max() == 0


def test_exif_orientation_is_not_applied(tmp_path: Path, picture: np.ndarray) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = save(tmp_path / "a.jpg", Image.fromarray(picture), exif=exif, quality=95)
    assert read_image(path).shape == picture.shape
    assert read_header(path).orientation == 6


@pytest.mark.parametrize("behind", [False, True])
def test_a_header_is_read_without_decoding(
    tmp_path: Path, picture: np.ndarray, monkeypatch: pytest.MonkeyPatch, behind: bool
) -> None:
    """Also the orientation of a PNG whose EXIF comes behind its pixels: a bomb must not go off to
    find it.
    """
    exif = Image.Exif()
    exif[0x0112] = 6
    path = save(tmp_path / "a.png", Image.fromarray(picture), exif=exif)
    if behind:
        data = path.read_bytes()
        start = data.index(b"eXIf") - 4
        end = start + 12 + int.from_bytes(data[start : start + 4], "big")
        path.write_bytes(data[:start] + data[end:-12] + data[start:end] + data[-12:])

    def decode(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load", decode)
    assert read_header(path).orientation == 6


def test_several_pictures_in_a_jpeg_are_the_first(tmp_path: Path) -> None:
    """What some phones write, as a container with a name of its own."""
    path = tmp_path / "a.jpg"
    first, second = Image.new("RGB", (64, 48), (200, 90, 30)), Image.new("RGB", (64, 48), (0, 0, 0))
    first.save(path, "MPO", save_all=True, append_images=[second], quality=98)
    header = read_header(path)
    assert (header.format, header.extension) == ("JPEG", ".jpg")
    assert np.abs(read_image(path).astype(int) - (200, 90, 30)).max() < 3


def test_the_content_decides_not_the_extension(tmp_path: Path, picture: np.ndarray) -> None:
    path = save(tmp_path / "a.jpg", Image.fromarray(picture), format="PNG")
    header = read_header(path)
    assert (header.format, header.extension, header.width, header.height) == ("PNG", ".png", 64, 48)
    assert np.array_equal(read_image(path), picture)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF", "BMP"])
@pytest.mark.parametrize("share", [0.15, 0.5, 0.9])
def test_a_truncated_file_is_never_filled_up(tmp_path: Path, form: str, share: float) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (96, 96, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, format=form)
    path = tmp_path / "a.img"
    path.write_bytes(buffer.getvalue()[: int(len(buffer.getvalue()) * share)])
    with pytest.raises(ImageError, match=r"a\.img"):
        read_image(path)


def test_a_truncated_jpeg_with_a_whole_thumbnail_is_truncated(tmp_path: Path) -> None:
    """The end marker of an EXIF thumbnail is not the end of the picture."""
    noise = np.random.default_rng(0).integers(0, 256, (96, 96, 3), dtype=np.uint8)
    thumb, whole = io.BytesIO(), io.BytesIO()
    Image.fromarray(noise[:32, :32]).save(thumb, format="JPEG")
    Image.fromarray(noise).save(whole, format="JPEG", exif=b"Exif\0\0" + thumb.getvalue())
    path = tmp_path / "a.jpg"
    path.write_bytes(whole.getvalue())
    assert read_image(path).shape == (96, 96, 3)
    path.write_bytes(whole.getvalue()[: int(len(whole.getvalue()) * 0.7)])
    with pytest.raises(ImageError, match="truncated"):
        read_image(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>502 Bad Gateway</html>",
        b"\xff\xd8\xff",
        b"\x89PNG\r\n\x1a\n",
        b"%!PS-Adobe-3.0 EPSF",
    ],
)
def test_what_is_no_picture_is_one_error_that_names_the_file(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    for read in (read_image, read_header, read_mask):
        with pytest.raises(ImageError, match=r"a\.jpg") as caught:
            read(path)
        assert caught.value.path == path


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="gone"):
        read_image(tmp_path / "gone.png")
    with pytest.raises(ImageError):
        read_image(tmp_path)


def bomb(width: int, height: int) -> bytes:
    """A PNG of some kilobytes that decodes to width x height."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    row = zlib.compress(b"\0" * ((width // 8 + 1) * 64), 9)
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", row) + chunk(b"IEND", b"")


def test_a_bomb_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(bomb(20_000, 20_000))
    with pytest.raises(
        ImageTooLarge, match=r"20000 x 20000 = 400,000,000 pixels.*EDITGAUGE_MAX_PIXELS"
    ):
        read_image(path)
    with pytest.raises(ImageTooLarge):
        read_mask(path)
    assert (read_header(path).width, read_header(path).height) == (20_000, 20_000)


def test_the_limit_can_be_moved(
    tmp_path: Path, picture: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_png(tmp_path / "a.png", picture)
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "3071")
    with pytest.raises(ImageTooLarge):
        read_image(tmp_path / "a.png")
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "3_072")
    assert read_image(tmp_path / "a.png").shape == (48, 64, 3)
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "many")
    with pytest.raises(UsageError, match="many"):
        max_pixels()


def test_one_pixel(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png", np.array([[[1, 2, 3]]], np.uint8))
    assert read_image(tmp_path / "a.png").tolist() == [[[1, 2, 3]]]


def test_mask_is_true_from_128(tmp_path: Path) -> None:
    write_png(tmp_path / "m.png", np.array([[0, 127, 128, 255]], np.uint8))
    assert read_mask(tmp_path / "m.png").tolist() == [[False, False, True, True]]


def test_resize_is_pillows(picture: np.ndarray) -> None:
    for method in ("nearest", "bilinear", "bicubic", "lanczos"):
        wanted = np.asarray(
            Image.fromarray(picture).resize((20, 31), getattr(Image.Resampling, method.upper()))
        )
        assert np.array_equal(resize(picture, (20, 31), method), wanted)
    assert resize(picture, (64, 48), "lanczos") is picture


def test_fingerprint_tells_files_apart(tmp_path: Path) -> None:
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(text)
    a, b, c = (fingerprint(tmp_path / name) for name in "abc")
    assert a == b != c
    assert len(a) == 32

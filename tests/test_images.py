"""Reading pictures: the one pixel convention, and files that mean harm."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from editgauge import images
from editgauge.errors import ImageError, ImageTooLarge, RunError, UsageError
from editgauge.images import (
    max_pixels,
    read_grey,
    read_header,
    read_image,
    read_luma,
    read_mask,
    write_png,
)


@pytest.fixture
def picture() -> np.ndarray:
    y, x = np.mgrid[:48, :64]
    return np.stack([x * 4, y * 5, (x * y) % 256], axis=-1).astype(np.uint8)


def save(path: Path, image: Image.Image, **options: object) -> Path:
    image.save(path, **options)  # type: ignore[arg-type]
    return path


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "LA", "CMYK", "1"])
def test_every_mode_reads_as_pillow_converts_it(
    tmp_path: Path, picture: np.ndarray, mode: str
) -> None:
    image = Image.fromarray(picture).convert(mode)
    path = save(tmp_path / "a", image, format="TIFF" if mode == "CMYK" else "PNG")
    assert np.array_equal(read_image(path), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("size", [(1, 1), (7, 9), (131, 97)])
def test_every_reader_of_a_jpeg_gives_the_usual_pixels(
    tmp_path: Path, mode: str, subsampling: int, size: tuple[int, int]
) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    image, more = Image.fromarray(noise).convert(mode), {"subsampling": subsampling}
    path = save(tmp_path / "a.jpg", image, quality=80, progressive=size[0] == 131, **more)
    usual = Image.open(path)
    assert np.array_equal(read_image(path), np.asarray(usual.convert("RGB")))
    assert np.array_equal(read_grey(path), np.asarray(usual.convert("L")))
    if mode != "CMYK":
        assert np.array_equal(read_luma(path), cv2.imread(str(path), cv2.IMREAD_GRAYSCALE))


def test_sixteen_bits_keep_their_high_byte(tmp_path: Path) -> None:
    values = (np.arange(64 * 64, dtype=np.uint32).reshape(64, 64) * 16).astype(np.uint16)
    path = save(tmp_path / "a.png", Image.fromarray(values))
    assert np.array_equal(read_image(path)[..., 0], (values >> 8).astype(np.uint8))
    assert np.array_equal(read_grey(path), (values >> 8).astype(np.uint8))


def test_exif_orientation_is_not_applied(tmp_path: Path, picture: np.ndarray) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    path = save(tmp_path / "a.jpg", Image.fromarray(picture), exif=exif, quality=95)
    assert read_image(path).shape == picture.shape
    assert read_header(path).orientation == 6


def test_several_pictures_in_a_jpeg_are_the_first(tmp_path: Path) -> None:
    """What some phones write, as a container with a name of its own."""
    path = tmp_path / "a.jpg"
    first, second = Image.new("RGB", (64, 48), (200, 90, 30)), Image.new("RGB", (64, 48), (0, 0, 0))
    first.save(path, "MPO", save_all=True, append_images=[second], quality=98)
    header = read_header(path)
    assert (header.format, header.extension) == ("JPEG", ".jpg")
    assert np.abs(read_image(path).astype(int) - (200, 90, 30)).max() < 3


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "TIFF", "BMP"])
def test_a_truncated_file_is_never_filled_up(tmp_path: Path, form: str) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (96, 96, 3), dtype=np.uint8)
    path = save(tmp_path / "a.img", Image.fromarray(noise), format=form)
    data = path.read_bytes()
    for share in (0.15, 0.5, 0.9):
        path.write_bytes(data[: int(len(data) * share)])
        with pytest.raises(ImageError, match=r"a\.img"):
            read_image(path)


NO_PICTURES = (b"", b"<html>502</html>", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"%!PS-Adobe EPSF")


@pytest.mark.parametrize("content", NO_PICTURES)
@pytest.mark.parametrize("read", [read_image, read_header, read_mask])
def test_what_is_no_picture_is_one_error_that_names_the_file(
    tmp_path: Path, content: bytes, read: Callable[[Path], object]
) -> None:
    (tmp_path / "a.jpg").write_bytes(content)
    with pytest.raises(ImageError, match=r"a\.jpg") as caught:
        read(tmp_path / "a.jpg")
    assert caught.value.path == tmp_path / "a.jpg"


def png(width: int, height: int, bits: int, kind: int, rows: bytes, palette: bytes = b"") -> bytes:
    """A PNG of these rows, with whole chunks, right checksums and an end marker."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0))
    colours = chunk(b"PLTE", palette) if palette else b""
    body = head + colours + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def test_a_bomb_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(png(20_000, 20_000, 1, 0, b"\0" * (2501 * 64)))
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
    path = tmp_path / "deep" / "a.png"
    write_png(path, picture)
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "3071")
    with pytest.raises(ImageTooLarge):
        read_image(path)
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "3_072")
    assert np.array_equal(read_image(path), picture)
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "many")
    with pytest.raises(UsageError, match="many"):
        max_pixels()


@pytest.mark.parametrize(
    ("kind", "bits", "samples"),
    [(0, 1, 1), (0, 8, 1), (3, 8, 1), (2, 8, 3), (6, 8, 4), (4, 8, 2), (0, 16, 1)],
)
def test_a_png_whose_rows_end_early_is_refused(
    tmp_path: Path, kind: int, bits: int, samples: int
) -> None:
    """Pillow alone leaves the rest black."""
    rows = (b"\0" + b"\7" * ((21 * bits * samples + 7) // 8)) * 19
    palette = bytes(range(30)) if kind == 3 else b""
    path = tmp_path / "a.png"
    path.write_bytes(png(21, 19, bits, kind, rows, palette))
    assert read_image(path).shape == (19, 21, 3)
    for missing in (1, len(rows) // 2):
        path.write_bytes(png(21, 19, bits, kind, rows[:-missing], palette))
        for read in (read_image, read_grey, read_luma):
            with pytest.raises(ImageError, match=r"a\.png"):
                read(path)


@pytest.mark.parametrize("mode", ["RGB", "P"])
def test_a_damaged_picture_of_frames_or_a_palette_is_never_pixels(
    tmp_path: Path, picture: np.ndarray, mode: str
) -> None:
    image = Image.fromarray(picture).convert(mode)
    more = {"save_all": True, "append_images": [image.rotate(180)]} if mode == "RGB" else {}
    path = save(tmp_path / "a.png", image, **more)
    data, whole = path.read_bytes(), read_image(path)
    assert np.array_equal(whole, np.asarray(image.convert("RGB")))
    random = np.random.default_rng(0)
    for place in random.integers(60, len(data) - 20, 60):
        path.write_bytes(data[:place] + bytes(8) + data[place + 8 :])
        if path.read_bytes() != data:
            with pytest.raises(ImageError, match=r"a\.png"):
                read_image(path)


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_a_damaged_jpeg_is_never_filled_up(tmp_path: Path, mode: str, progressive: bool) -> None:
    """Cut off with an end marker put behind, or with a piece missing in the middle."""
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).convert(mode).save(buffer, "JPEG", progressive=progressive, quality=90)
    data, path = buffer.getvalue(), tmp_path / "a.jpg"
    for bad in (data[: len(data) * 2 // 3] + b"\xff\xd9", data[:-3000] + b"\xff\xd9"):
        path.write_bytes(bad)
        for read in (read_image, read_grey, read_luma):
            with pytest.raises(ImageError, match=r"a\.jpg.*truncated or damaged"):
                read(path)


def test_a_file_is_sent_only_where_it_fits(tmp_path: Path) -> None:
    """A header says nothing of what comes behind the picture: a hole of gigabytes."""
    path = tmp_path / "a.png"
    images.write_png(path, np.zeros((8, 8, 3), np.uint8))
    assert images.read_file(path) == path.read_bytes()
    with path.open("ab") as file:
        file.truncate(1 << 33)
    assert images.read_header(path).width == 8
    with pytest.raises(ImageTooLarge, match=r"8,589,934,592 bytes, wanted at most"):
        images.read_file(path)
    with pytest.raises(ImageError, match="cannot be read"):
        images.read_file(tmp_path / "none.png")


def test_a_turned_picture_is_never_taken_as_it_lies_for_want_of_a_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exif = Image.Exif()
    exif[274] = 6
    Image.new("RGB", (40, 20)).save(tmp_path / "a.jpg", exif=exif)
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "cache"))
    assert images.upright(tmp_path / "a.jpg").is_relative_to(tmp_path / "cache")
    monkeypatch.setenv("EDITGAUGE_CACHE", str(tmp_path / "a.jpg"))  # no folder
    with pytest.raises(RunError, match="set EDITGAUGE_CACHE"):
        images.upright(tmp_path / "a.jpg")

"""Reading, writing and identifying pictures: the one pixel convention, and the limits.

Convention: a picture is an ndarray of shape (H, W, 3), uint8, sRGB, in R, G, B order; a mask is an
ndarray of shape (H, W), bool, True = the area that may change. Pixels are **as stored**: an EXIF
orientation is not applied (Pillow's rule, and with it that of the released scripts that read
through Pillow; see `upright`), alpha is dropped, not composed, a palette is looked up, CMYK is
converted without a profile, and 16-bit samples keep their high byte. The first bytes of a file
decide what it is. Nothing is decoded before its header said how large it is (`max_pixels`); what
cannot be decoded to its end is refused, and never filled up.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import logging
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import simplejpeg
from PIL import Image, UnidentifiedImageError

from editgauge import machine, temporary
from editgauge.errors import ImageError, ImageTooLarge, RunError, UsageError
from editgauge.types import MAX_FILE_BYTES

Array = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

DEFAULT_MAX_PIXELS = 50_000_000
"""About 7,000 x 7,000: up to 20 bytes each while it is read. `EDITGAUGE_MAX_PIXELS` changes it."""
MAX_SENT_BYTES = 1 << 27
"""A file that is larger is not sent on: it goes out as text."""
EXTENSIONS: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp")
"""What an output may be called, in the order of preference."""
_EXTENSION_OF = {
    "PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "BMP": ".bmp", "GIF": ".gif", "TIFF": ".tif",
}  # fmt: skip
_ORIENTATION = 0x0112
_DAMAGE = ("Corrupt JPEG data", "Premature end of JPEG")
"""How libjpeg's warnings begin after which it fills up what is missing."""
logging.getLogger("PIL").addHandler(logging.NullHandler())
Image.MAX_IMAGE_PIXELS = None  # the limit is `max_pixels`

write_bytes = temporary.write


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What the first bytes of a picture say: its format (a key of `_EXTENSION_OF`), Pillow's mode
    (``RGB``, ``L``, ``P``, ``I;16``…), and its EXIF orientation, 1 to 8, not applied when reading.
    """

    format: str
    mode: str
    width: int
    height: int
    orientation: int = 1

    @property
    def extension(self) -> str:
        return _EXTENSION_OF[self.format]


# -- limits ----------------------------------------------------------------------------------------


def max_pixels() -> int:
    """The largest width x height that is decoded: `EDITGAUGE_MAX_PIXELS`, or 50 million."""
    text = os.environ.get("EDITGAUGE_MAX_PIXELS", "").replace("_", "")
    if not text:
        return DEFAULT_MAX_PIXELS
    if not text.isdecimal() or int(text) == 0:
        raise UsageError(f"EDITGAUGE_MAX_PIXELS: wanted a whole number above 0, found {text!r}")
    return int(text)


def need_readable(header: Header, path: Path) -> None:
    """Raises `ImageTooLarge` for a picture over the limit of pixels; nothing is decoded."""
    limit, pixels = max_pixels(), header.width * header.height
    if pixels > limit:
        size = f"{header.width} x {header.height} = {pixels:,} pixels"
        why = f"{path}: {size}, the limit is {limit:,}; raise it with EDITGAUGE_MAX_PIXELS"
        raise ImageTooLarge(why, path=path)


# -- reading ---------------------------------------------------------------------------------------


def read_header(path: Path) -> Header:
    """What the first bytes say, whatever the limits. Raises `ImageError` for what is no picture."""
    with _named_errors(path), _file(path, None) as file, _pillow(file) as image:
        return _header(image)


def read_image(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W, 3), uint8, RGB, pixels as stored.

    Raises `ImageTooLarge` over the limit of pixels, before decoding, and `ImageError` when there is
    no file, it is no picture, its data end early, or libjpeg calls them corrupt.
    """
    return _read(path, "RGB", "RGB")


def read_grey(path: Path) -> Array:
    """The picture as (H, W), uint8: Pillow's ``convert("L")``. Raises as `read_image` does."""
    return _read(path, "L", "RGB")


def read_luma(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W), uint8, grey as OpenCV reads it: a JPEG's stored
    luma channel (`read_grey` may be a level away). Raises as `read_image` does.
    """
    return _read(path, "L", "GRAY")


def read_mask(path: Path) -> Mask:
    """A mask as (H, W), bool: True where grey is 128 or more. Raises as `read_image` does."""
    return read_grey(path) >= 128


def read_small(path: Path, side: int) -> Image.Image:
    """The picture in RGB, at most `side` pixels long, to be looked at. Raises as `read_image`."""
    shown = Image.fromarray(read_image(path))
    shown.thumbnail((side, side), Image.Resampling.BILINEAR, reducing_gap=2.0)
    return shown


_SAME_COLOUR = 2
"""Levels by which pixels of one colour may differ after JPEG."""


def same_pixels(one: Path, other: Path) -> bool:
    """Whether two files hold equal pixels, as `read_image` gives them. Raises `ImageError`."""
    return bool(np.array_equal(read_image(one), read_image(other)))


def one_colour(pixels: Array) -> tuple[int, int, int] | None:
    """The colour (RGB) of a picture ((H, W, 3), uint8) that has the same one all over, as far as
    JPEG keeps it; None for any other picture.
    """
    low, high = pixels.min(axis=(0, 1)), pixels.max(axis=(0, 1))
    if int((high.astype(int) - low).max()) > _SAME_COLOUR:
        return None
    red, green, blue = np.median(pixels, axis=(0, 1)).astype(int).tolist()
    return red, green, blue


def read_file(path: Path) -> bytes:
    """A file's bytes, to be sent on; at most `MAX_SENT_BYTES`. Raises as `read_image` does."""
    with _named_errors(path), _file(path, MAX_SENT_BYTES) as file:
        return file.read()


picture_hash = functools.partial(hashlib.blake2b, digest_size=16)
"""The hash of `fingerprint`, empty."""


def fingerprint(path: Path) -> str:
    """Hash of a file's bytes: 32 hexadecimal digits (BLAKE2b, 128 bits). Raises `ImageError`."""
    with _named_errors(path), path.open("rb") as file:
        return hashlib.file_digest(file, picture_hash).hexdigest()


# -- turning, resizing, writing --------------------------------------------------------------------


def oriented(pixels: Array, orientation: int) -> Array:
    """A picture of shape (H, W, 3), uint8, turned as its EXIF orientation (1 to 8) says."""
    if orientation in (5, 6, 7, 8):
        pixels = pixels.swapaxes(0, 1)
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return np.ascontiguousarray(pixels)


def upright(path: Path) -> Path:
    """The file, or, where its EXIF orientation turns it, a PNG of it as it is meant to be seen, in
    the user's cache: for sets made by hand, which are read once and then are what every editor,
    service and scorer sees. A file that cannot be read is given back: whoever reads it says so.
    Raises `RunError` where the cache cannot be written.
    """
    try:
        if _plain(path) or (turn := read_header(path).orientation) == 1:
            return path
        kept = machine.user_cache() / "upright" / f"{fingerprint(path)}.png"
        pixels = None if os.path.isfile(kept) else oriented(read_image(path), turn)
    except (ImageError, OSError):
        return path
    try:
        if pixels is not None:
            write_png(kept, pixels)
    except OSError as error:
        why = f"cannot be written ({error.strerror}); set EDITGAUGE_CACHE to a folder that can be"
        raise RunError(f"{kept}: {why}") from error
    return kept


def _plain(path: Path) -> bool:
    """Whether the first bytes say that nothing turns it: reading each header takes seconds."""
    with path.open("rb", buffering=0) as file:
        head = file.read(1 << 16)
    known = head[:3] == b"\xff\xd8\xff" or (head[:4] == b"\x89PNG" and b"IDAT" in head)
    return known and not any(word in head for word in (b"xif", b"XIf", b"rientation"))


def resize(pixels: Array, size: tuple[int, int], method: str) -> Array:
    """Resize to `size` = (width, height) with Pillow's filter `method`: nearest, bilinear, bicubic
    or lanczos, as the released scripts do; OpenCV's of the same names give other values. `pixels`
    has shape (H, W, 3) or (H, W), uint8; so has the result. The same size gives the same array.
    """
    height, width = pixels.shape[:2]
    if (width, height) == size:
        return pixels
    resample = Image.Resampling[method.upper()]
    return np.asarray(Image.fromarray(pixels).resize(size, resample), dtype=np.uint8)


def write_png(path: Path, pixels: Array | Mask) -> None:
    """Write a picture as PNG, whole or not at all. `pixels` has shape (H, W, 3) or (H, W), uint8 or
    bool (written as 0 and 255). Folders are made as needed.
    """
    array = pixels.astype(np.uint8) * 255 if pixels.dtype == np.bool_ else pixels
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(buffer, format="PNG", compress_level=4)
    write_bytes(path, buffer.getvalue())


# -- decoding --------------------------------------------------------------------------------------


def _read(path: Path, mode: str, colours: str) -> Array:
    """Pixels in a Pillow mode, the header first; `colours`: of a JPEG, read and converted then."""
    with _named_errors(path), _file(path) as file:
        with _pillow(file) as image:
            header = _header(image)
        need_readable(header, path)
        file.seek(0)
        data = file.read()
        if header.format == "PNG":
            with _pillow(io.BytesIO(data)) as image:
                image.verify()  # the checksums of all frames, which nobody looks at later
        if header.format == "JPEG" and (pixels := _strict_jpeg(data, header, colours)) is not None:
            if (pixels.ndim == 2) == (mode == "L"):
                return pixels
            return np.array(Image.fromarray(pixels).convert(mode), dtype=np.uint8)
        with _pillow(io.BytesIO(data)) as image:
            image.load()
            return np.asarray(eight_bits(image).convert(mode), dtype=np.uint8)


@contextlib.contextmanager
def _file(path: Path, most: int | None = MAX_FILE_BYTES) -> Iterator[BinaryIO]:
    """A file of at most so many bytes, opened. A pipe or a device would be read for ever."""
    if path.exists() and not path.is_file():
        raise ImageError(f"{path}: not a file", path=path)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if most is not None and size > most:
            why = f"{path}: {size:,} bytes, wanted at most {most:,}; shrink the file"
            raise ImageTooLarge(why, path=path)
        yield file


@contextlib.contextmanager
def _pillow(file: BinaryIO) -> Iterator[Image.Image]:
    """`Image.open` restricted to formats we know, without warnings of odd EXIF, palettes, sizes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with Image.open(file, formats=tuple(_EXTENSION_OF)) as image:
            yield image


def _header(image: Image.Image) -> Header:
    orientation = 1
    with contextlib.suppress(Exception):  # EXIF is decoration: broken, it does not make a picture
        exif = Image.Image.getexif(image).get(_ORIENTATION)  # unreadable; PNG's own would decode
        orientation = int(exif or 1)
    # Several pictures in one JPEG (what some phones write) are read as the first: an ordinary JPEG
    form = "JPEG" if image.format == "MPO" else str(image.format)
    size = {"width": image.width, "height": image.height}
    return Header(format=form, mode=image.mode, orientation=orientation, **size)


def _strict_jpeg(data: bytes, header: Header, colours: str) -> Array | None:
    """A JPEG by libjpeg-turbo, strict: other readers fill up; None for what it does not know."""
    known = {"RGB": colours, "L": "GRAY"}.get(header.mode)
    try:
        pixels = simplejpeg.decode_jpeg(data, colorspace=known or "CMYK", strict=True)
    except ValueError as error:
        if str(error).startswith(_DAMAGE):
            raise OSError(f"truncated or damaged: {error}") from error
        return None
    if known is None or pixels.shape[:2] != (header.height, header.width):
        return None
    return np.asarray(pixels[..., 0] if known == "GRAY" else pixels, dtype=np.uint8)


def eight_bits(image: Image.Image) -> Image.Image:
    """16-bit samples keep their high byte; other wide samples are cut to 0..255."""
    if not image.mode.startswith("I") and image.mode != "F":
        return image
    values = np.asarray(image)
    if image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG"):
        values = values // 256
    return Image.fromarray(np.clip(np.nan_to_num(values), 0, 255).astype(np.uint8))


@contextlib.contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Turn whatever a decoder throws at hostile bytes into one `ImageError` that names the file."""
    try:
        yield
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        what = f"not a picture (wanted {', '.join(_EXTENSION_OF)} by content)"
        raise ImageError(f"{path}: {what}", path=path) from error
    except MemoryError as error:
        why = f"{path}: takes more memory to read than there is"
        raise ImageTooLarge(why, path=path) from error
    except Exception as error:  # OSError, SyntaxError, struct.error, ValueError…
        if isinstance(error, OSError) and error.strerror:  # of the system, not of a decoder
            raise ImageError(f"{path}: cannot be read ({error.strerror})", path=path) from error
        why = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ImageError(f"{path}: cannot be decoded ({why})", path=path) from error

"""Reading, writing and identifying pictures: the one pixel convention, and the limits.

Convention: a picture is an ndarray of shape (H, W, 3), uint8, sRGB, in R, G, B order; a mask is an
ndarray of shape (H, W), bool, True = the area that may change. Pixels are **as stored**: an EXIF
orientation is not applied (Pillow's rule, and with it that of the released scripts that read
through Pillow; see `upright`), alpha is dropped, not composed, a palette is looked up, CMYK is
converted without a profile, and 16-bit samples keep their high byte. The first bytes of a file
decide what it is. Nothing is decoded before its header said how large it is (`max_pixels`,
`memory_limit`); what cannot be decoded to its end is refused, and never filled up.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeVar

import cv2
import numpy as np
import numpy.typing as npt
import simplejpeg
from PIL import Image, UnidentifiedImageError

from editgauge import temporary
from editgauge.errors import ImageError, ImageTooLarge, UsageError
from editgauge.types import MAX_FILE_BYTES

Array = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
T = TypeVar("T")

DEFAULT_MAX_PIXELS = 100_000_000
"""10,000 x 10,000: 300 MB decoded. `EDITGAUGE_MAX_PIXELS` raises or lowers it."""
EXTENSIONS: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp")
"""What an output may be called, in the order of preference."""
_EXTENSION_OF = {
    "PNG": ".png", "JPEG": ".jpg", "WEBP": ".webp", "BMP": ".bmp", "GIF": ".gif", "TIFF": ".tif",
}  # fmt: skip
_ORIENTATION = 0x0112
_PIXEL_BYTES = {"WEBP": 20}
"""Bytes a pixel at the peak of decoding, 16 for other formats; measured with 16 million pixels."""
_LOOK = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DAMAGE = ("Corrupt JPEG data", "Premature end of JPEG")
"""How libjpeg's warnings begin after which it fills up what is missing."""
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
logging.getLogger("PIL").addHandler(logging.NullHandler())
Image.MAX_IMAGE_PIXELS = None  # the limit is `max_pixels`
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # what it cannot read is an error

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
    """The largest width x height that is decoded: `EDITGAUGE_MAX_PIXELS`, or 100 million."""
    text = os.environ.get("EDITGAUGE_MAX_PIXELS", "").replace("_", "")
    if not text:
        return DEFAULT_MAX_PIXELS
    if not text.isdecimal() or int(text) == 0:
        raise UsageError(f"EDITGAUGE_MAX_PIXELS: wanted a whole number above 0, found {text!r}")
    return int(text)


def memory_limit() -> int:
    """Bytes that a process may hold while it reads a picture: `EDITGAUGE_MEMORY`, a size such as
    ``1.5 GiB`` (letters are powers of 1024; at least 1 MB), or 1 GiB.
    """
    text = os.environ.get("EDITGAUGE_MEMORY") or "1GB"
    match = _SIZE.fullmatch(text)
    size = int(float(match[1]) * 1024 ** " kmgt".index(match[2].lower() or " ")) if match else 0
    if size < 1 << 20:
        raise UsageError(f"EDITGAUGE_MEMORY: wanted a size such as 2GB, found {text!r}")
    return size


def free_memory() -> int:
    """Bytes of `memory_limit` that are left for pictures: a quarter is the libraries' own."""
    return memory_limit() * 3 // 4


def need_readable(header: Header, path: Path) -> None:
    """Raises `ImageTooLarge` for a picture over the pixel or memory limit; nothing is decoded."""
    limit, pixels = max_pixels(), header.width * header.height
    wanted = pixels * _PIXEL_BYTES.get(header.format, 16) + path.stat().st_size
    if pixels > limit:
        why = f"= {pixels:,} pixels, the limit is {limit:,}; raise it with EDITGAUGE_MAX_PIXELS"
    elif wanted > free_memory():
        why = (
            f"({header.format}) takes up to {wanted >> 20:,} MB to read, a process may use "
            f"{memory_limit() >> 20:,} MB, its libraries included; raise it with EDITGAUGE_MEMORY"
        )
    else:
        return
    raise ImageTooLarge(f"{path}: {header.width} x {header.height} {why}", path=path)


# -- reading ---------------------------------------------------------------------------------------


def read_header(path: Path) -> Header:
    """What the first bytes of a picture say, whatever the limits. Raises `ImageError` when there is
    no file or it is no picture.
    """
    with _named_errors(path), _file(path, None) as file, _pillow(file) as image:
        return _header(image)


def read_image(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W, 3), uint8, RGB, pixels as stored.

    Raises `ImageTooLarge` over the pixel or memory limit, before decoding, and `ImageError` when
    there is no file, it is no picture, its data end early, or libjpeg calls them corrupt.
    """
    return _reading(path, lambda data, header: _decoded(data, header, "RGB", cv2.IMREAD_COLOR_RGB))


def read_grey(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W), uint8: Pillow's ``convert("L")`` (ITU-R 601 luma
    of RGB). Raises as `read_image` does.
    """

    def grey(data: bytes, header: Header) -> Array:
        if (header.format, header.mode) != ("JPEG", "RGB"):
            return _decoded(data, header, "L", None)
        rgb = Image.fromarray(_decoded(data, header, "RGB", None))
        return np.array(rgb.convert("L"), dtype=np.uint8)

    return _reading(path, grey)


def read_luma(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W), uint8, grey as OpenCV reads it: a JPEG's stored
    luma channel (`read_grey` may be a level away). Raises as `read_image` does.
    """
    return _reading(path, lambda data, header: _decoded(data, header, "L", cv2.IMREAD_GRAYSCALE))


def read_mask(path: Path) -> Mask:
    """A mask as an ndarray of shape (H, W), bool: True where the stored grey value is 128 or more.
    Raises as `read_image` does.
    """
    return read_grey(path) >= 128


def read_small(path: Path, side: int) -> Image.Image:
    """The picture in RGB, at most `side` pixels long, for people to look at: a JPEG is decoded at a
    fraction of its size. Raises as `read_image` does, perhaps not for what ends early.
    """

    def small(data: bytes, header: Header) -> Image.Image:
        with _pillow(io.BytesIO(data)) as image:
            image.draft("RGB", (side * 2, side * 2))
            shown = image.convert("RGB")
            shown.thumbnail((side, side), Image.Resampling.BILINEAR, reducing_gap=2.0)
            return shown

    return _reading(path, small)


def same_pixels(one: Path, other: Path) -> bool:
    """Whether two files hold equal pixels, as `read_image` gives them. Raises `ImageError`."""
    first, second = read_header(one), read_header(other)
    if (first.width, first.height) != (second.width, second.height):
        return False
    return bool(np.array_equal(read_image(one), read_image(other)))


def read_file(path: Path) -> bytes:
    """The bytes of a picture file, for who sends them on. Raises `ImageTooLarge` for more than a
    quarter of the free memory, since they go out as text, and `ImageError` when it cannot be read.
    """
    with _named_errors(path), _file(path, min(MAX_FILE_BYTES, free_memory() // 4)) as file:
        return file.read()


picture_hash = functools.partial(hashlib.blake2b, digest_size=16)
"""The hash of `fingerprint`, empty."""


def fingerprint(path: Path) -> str:
    """Hash of a file's bytes: 32 hexadecimal digits (BLAKE2b, 128 bits). Raises `ImageError` if it
    cannot be read.
    """
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
    """
    try:
        if not _may_be_turned(path) or (header := read_header(path)).orientation == 1:
            return path
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        place = cache / "editgauge" / "upright" / f"{fingerprint(path)}.png"
        if not place.is_file():
            write_png(place, oriented(read_image(path), header.orientation))
        return place
    except (ImageError, OSError):
        return path


def _may_be_turned(path: Path) -> bool:
    """Whether a look at the header is worth its time (20,000 pictures: seconds): a JPEG or PNG says
    early that it has EXIF.
    """
    handle = os.open(path, _LOOK)
    try:
        head = os.read(handle, 1 << 16)
    finally:
        os.close(handle)
    plain = head[:3] == b"\xff\xd8\xff" or (head[:4] == b"\x89PNG" and b"IDAT" in head)
    return not plain or b"xif" in head or b"XIf" in head or b"rientation" in head


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


def _reading(path: Path, decode: Callable[[bytes, Header], T]) -> T:
    """What `decode` makes of a file, within all limits: the header is looked at before the rest."""
    with _named_errors(path):
        with _file(path) as file:
            with _pillow(file) as image:
                header = _header(image)
            need_readable(header, path)
            file.seek(0)
            data = file.read()
        return decode(data, header)


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


def _decoded(data: bytes, header: Header, mode: str, opencv: int | None) -> Array:
    """The pixels of a file by the fastest reader that refuses what is damaged."""
    pixels = None
    if header.format == "PNG":
        with _pillow(io.BytesIO(data)) as image:
            image.verify()  # the checksums of all frames, which nobody looks at later
    if header.format == "JPEG":
        pixels = _strict_jpeg(data, header, "GRAY" if mode == "L" else mode)
    elif opencv is not None and _plain_png(data, header):
        flags = opencv | cv2.IMREAD_IGNORE_ORIENTATION
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    if pixels is not None and pixels.shape[:2] == (header.height, header.width):
        return np.asarray(pixels, dtype=np.uint8)
    with _pillow(io.BytesIO(data)) as image:
        image.load()
        return np.asarray(_eight_bits(image).convert(mode), dtype=np.uint8)


def _plain_png(data: bytes, header: Header) -> bool:
    """Whether OpenCV may decode this: a whole PNG of 8 bits, one frame, no transparent colour."""
    plain = header.mode in ("RGB", "RGBA", "L") and data[24:25] == b"\x08"
    odd = any(name in data[:4096] for name in (b"tRNS", b"acTL", b"iCCP"))
    whole = data[-12:-4] == b"\x00\x00\x00\x00IEND"
    return header.format == "PNG" and plain and whole and not odd


def _strict_jpeg(data: bytes, header: Header, colours: str) -> Array | None:
    """A JPEG by libjpeg-turbo, strict: other readers fill up; None for what it does not know."""
    known = header.mode in ("RGB", "L")
    try:
        pixels = simplejpeg.decode_jpeg(data, colorspace=colours if known else "CMYK", strict=True)
    except ValueError as error:
        if str(error).startswith(_DAMAGE):
            raise OSError(f"truncated or damaged: {error}") from error
        return None
    if not known:
        return None
    return np.asarray(pixels[..., 0] if colours == "GRAY" else pixels, dtype=np.uint8)


def _eight_bits(image: Image.Image) -> Image.Image:
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
    except Exception as error:  # OSError, SyntaxError, struct.error, ValueError, cv2.error…
        if isinstance(error, OSError) and error.strerror:  # of the system, not of a decoder
            raise ImageError(f"{path}: cannot be read ({error.strerror})", path=path) from error
        why = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ImageError(f"{path}: cannot be decoded ({why})", path=path) from error

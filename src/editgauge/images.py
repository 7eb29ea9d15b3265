"""Reading, writing and identifying pictures: the one pixel convention, and the limits on hostile
files.

Convention: a picture is an ndarray of shape (H, W, 3), uint8, sRGB, in R, G, B order; a mask is an
ndarray of shape (H, W), bool, True = the area that may change. Pixels are **as stored**: an EXIF
orientation is not applied (Pillow's rule, and with it that of the released scripts that read
through Pillow; stated again where a benchmark differs), alpha is dropped, not composed, a palette
is looked up, CMYK is converted without a profile, and 16-bit samples keep their high byte. The
extension of a file says nothing: its first bytes decide what it is.

Nothing here decodes a file before its header said how large it is: see `max_pixels`.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import tempfile
import threading
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError

from editgauge.errors import ImageError, ImageTooLarge, UsageError

Array = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

DEFAULT_MAX_PIXELS = 100_000_000
"""10,000 x 10,000: 300 MB decoded. `EDITGAUGE_MAX_PIXELS` raises or lowers it."""
MAX_FILE_BYTES = 1 << 29
EXTENSIONS: tuple[str, ...] = (".png", ".jpg", ".jpeg", ".webp")
"""What an output may be called, in the order of preference."""
_FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF")
_EXTENSION_OF = {
    "PNG": ".png",
    "JPEG": ".jpg",
    "WEBP": ".webp",
    "BMP": ".bmp",
    "GIF": ".gif",
    "TIFF": ".tif",
}
_ORIENTATION = 0x0112
_PILLOW_LIMIT = threading.Lock()


@dataclass(frozen=True, slots=True)
class Header:
    """What the first bytes of a picture say: nothing has been decoded yet."""

    format: str
    """``PNG``, ``JPEG``, ``WEBP``, ``BMP``, ``GIF`` or ``TIFF``."""
    mode: str
    """Pillow's mode: ``RGB``, ``L``, ``P``, ``CMYK``, ``I;16``…"""
    width: int
    height: int
    orientation: int = 1
    """The EXIF orientation, 1 to 8; not applied when reading."""

    @property
    def extension(self) -> str:
        return _EXTENSION_OF[self.format]


def max_pixels() -> int:
    """The largest width x height that is decoded: `EDITGAUGE_MAX_PIXELS`, or 100 million."""
    text = os.environ.get("EDITGAUGE_MAX_PIXELS", "")
    if not text:
        return DEFAULT_MAX_PIXELS
    try:
        value = int(text.replace("_", ""))
    except ValueError:
        value = 0
    if value <= 0:
        raise UsageError(f"EDITGAUGE_MAX_PIXELS: wanted a whole number above 0, found {text!r}")
    return value


def read_header(path: Path) -> Header:
    """Format, mode and size of a picture, from its first bytes alone.

    Raises `ImageError` when there is no file or it is no picture. Does not look at the pixel limit.
    """
    _need_file(path)
    with _named_errors(path), path.open("rb") as file:
        return _header(file)


def read_image(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W, 3), uint8, RGB, pixels as stored (see the module's
    convention).

    Raises `ImageTooLarge` over the pixel limit, before decoding, and `ImageError` when there is no
    file, it is no picture, or its data end early: a truncated file is never filled up with grey.
    """
    data = _read_bytes(path)
    with _named_errors(path):
        header = _header(io.BytesIO(data))
        _check_size(header, path)
        if _complete(data, header):
            decoded = cv2.imdecode(
                np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
            )
            if decoded is not None and decoded.shape[:2] == (header.height, header.width):
                return np.asarray(decoded, dtype=np.uint8)
        return _decode_with_pillow(data, "RGB")


def same_pixels(one: Path, other: Path) -> bool:
    """Whether two files hold the same picture: equal size, and equal pixels as `read_image` gives
    them.

    Format, compression and metadata do not matter. Pictures of two sizes are told apart by their
    first bytes, without decoding. Raises `ImageError` for a file that is no picture.
    """
    first, second = read_header(one), read_header(other)
    if (first.width, first.height) != (second.width, second.height):
        return False
    return bool(np.array_equal(read_image(one), read_image(other)))


def read_grey(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W), uint8: Pillow's ``convert("L")`` (ITU-R 601 luma
    of RGB).

    Raises as `read_image` does.
    """
    data = _read_bytes(path)
    with _named_errors(path):
        header = _header(io.BytesIO(data))
        _check_size(header, path)
        return _decode_with_pillow(data, "L")


def read_luma(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W), uint8, grey as OpenCV reads it: a JPEG's stored
    luma channel.

    `read_grey` converts a colour JPEG to RGB first and may be a level away from it. Raises as
    `read_image` does.
    """
    data = _read_bytes(path)
    with _named_errors(path):
        header = _header(io.BytesIO(data))
        _check_size(header, path)
        if _complete(data, header):
            flags = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION
            decoded = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
            if decoded is not None and decoded.shape == (header.height, header.width):
                return np.asarray(decoded, dtype=np.uint8)
        return _decode_with_pillow(data, "L")


def read_mask(path: Path) -> Mask:
    """A mask as an ndarray of shape (H, W), bool: True where the stored grey value is 128 or more.

    Raises as `read_image` does. The size is the file's own; whoever needs another one says how it
    is resized.
    """
    return read_grey(path) >= 128


def oriented(pixels: Array, orientation: int) -> Array:
    """The picture as a viewer shows it that obeys EXIF: turned and mirrored as `Header.orientation`
    says.

    `pixels` has shape (H, W, 3) or (H, W); so has the result, with H and W exchanged for 5 to 8.
    Numbers other than 2 to 8 change nothing. Reading never does this by itself (see the module's
    convention).
    """
    if 5 <= orientation <= 8:
        pixels = np.swapaxes(pixels, 0, 1)
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    return np.ascontiguousarray(pixels)


def write_png(path: Path, pixels: Array | Mask) -> None:
    """Write a picture as PNG under a temporary name beside `path`, then rename: a reader never sees
    half a file.

    `pixels` has shape (H, W, 3) or (H, W), uint8 or bool (written as 0 and 255). Folders are made
    as needed.
    """
    array = np.asarray(pixels)
    if array.dtype == np.bool_:
        array = array.astype(np.uint8) * 255
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array)).save(buffer, format="PNG", compress_level=4)
    write_bytes(path, buffer.getvalue())


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file under a temporary name beside `path`, then rename it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".tmp-", suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def resize(pixels: Array, size: tuple[int, int], method: str) -> Array:
    """Resize to `size` = (width, height) with Pillow's filter `method`: nearest, bilinear, bicubic
    or lanczos.

    `pixels` has shape (H, W, 3) or (H, W), uint8; so has the result. The same size gives the same
    array back. Pillow's filters are what the released scripts use; OpenCV's of the same names give
    other values.
    """
    height, width = pixels.shape[:2]
    if (width, height) == size:
        return pixels
    resample = Image.Resampling[method.upper()]
    return np.asarray(Image.fromarray(pixels).resize(size, resample), dtype=np.uint8)


def fingerprint(path: Path) -> str:
    """Hash of a file's bytes: 32 hexadecimal digits (BLAKE2b, 128 bits). Raises `ImageError` if it
    cannot be read.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
    except OSError as error:
        raise ImageError(
            f"{path}: cannot be read ({error.strerror or error})", path=path
        ) from error
    return digest.hexdigest()


def _read_bytes(path: Path) -> bytes:
    _need_file(path)
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise ImageTooLarge(
                f"{path}: {size:,} bytes, wanted at most {MAX_FILE_BYTES:,}; shrink the file",
                path=path,
            )
        return path.read_bytes()
    except OSError as error:
        raise ImageError(
            f"{path}: cannot be read ({error.strerror or error})", path=path
        ) from error


def _need_file(path: Path) -> None:
    """A pipe or a device would be read for ever: only files are opened. One that is not there is
    found on opening.
    """
    if path.exists() and not path.is_file():
        raise ImageError(f"{path}: not a file", path=path)


def _check_size(header: Header, path: Path) -> None:
    limit = max_pixels()
    if header.width * header.height > limit:
        raise ImageTooLarge(
            f"{path}: {header.width} x {header.height} = {header.width * header.height:,} pixels, "
            f"the limit is "
            f"{limit:,}; set EDITGAUGE_MAX_PIXELS to raise it",
            path=path,
        )


@contextlib.contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Turn whatever a decoder throws at hostile bytes into one `ImageError` that names the file."""
    try:
        yield
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        raise ImageError(
            f"{path}: not a picture (wanted {', '.join(_FORMATS)} by content)", path=path
        ) from error
    except MemoryError:
        raise
    except (
        Exception
    ) as error:  # decoders raise OSError, SyntaxError, struct.error, ValueError, cv2.error…
        if isinstance(error, OSError) and error.strerror:  # of the system, not of a decoder
            raise ImageError(f"{path}: cannot be read ({error.strerror})", path=path) from error
        text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ImageError(f"{path}: cannot be decoded ({text})", path=path) from error


@contextlib.contextmanager
def _pillow(file: Any) -> Iterator[Image.Image]:
    """`Image.open` restricted to formats we know, with our pixel limit in place of Pillow's."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # Pillow warns of odd EXIF, palettes and sizes; we decide ourselves
        with _PILLOW_LIMIT:
            before, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
            try:
                image = Image.open(file, formats=_FORMATS)
            finally:
                Image.MAX_IMAGE_PIXELS = before
        with image:
            yield image


def _header(file: Any) -> Header:
    with _pillow(file) as image:
        try:
            orientation = int(_exif(image, file).get(_ORIENTATION, 1))
        except Exception:  # EXIF is decoration: broken EXIF does not make a picture unreadable
            orientation = 1
        # Several pictures in one JPEG (what some phones write) are read as the first: an ordinary
        # JPEG
        form = "JPEG" if image.format == "MPO" else str(image.format)
        return Header(form, image.mode, image.width, image.height, orientation)


def _exif(image: Image.Image, file: Any) -> Image.Exif:
    """EXIF without decoding: Pillow's own `getexif` of a PNG decodes all of it, to see what comes
    behind the pixels.
    """
    exif = Image.Image.getexif(image)
    if image.format == "PNG" and _ORIENTATION not in exif:
        file.seek(8)
        while len(head := file.read(8)) == 8 and head[4:] != b"IEND":
            size = int.from_bytes(head[:4], "big")
            if head[4:] == b"eXIf":
                exif.load(file.read(min(size, 1 << 16)))
                break
            file.seek(size + 4, os.SEEK_CUR)
    return exif


def _complete(data: bytes, header: Header) -> bool:
    """Whether OpenCV may decode this: 8-bit grey or RGB, and the end is there (OpenCV fills up what
    is missing).
    """
    if header.format == "JPEG" and header.mode in ("RGB", "L"):
        return data.find(b"\xff\xd9", _jpeg_scan(data)) >= 0
    if header.format == "PNG" and header.mode in ("RGB", "RGBA", "L"):
        return (
            data[-12:-4] == b"\x00\x00\x00\x00IEND"
            and data[24:25] == b"\x08"
            and b"tRNS" not in data[:4096]
        )
    return False


def _jpeg_scan(data: bytes) -> int:
    """Where the first scan of a JPEG starts: an EXIF thumbnail before it has an end marker of its
    own.
    """
    position = 2
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker = data[position + 1]
        if marker == 0xDA:
            return position
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:
            position += 1 if marker == 0xFF else 2
            continue
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return len(data)


def _decode_with_pillow(data: bytes, mode: str) -> Array:
    with _pillow(io.BytesIO(data)) as image:
        image.load()
        if image.mode.startswith("I") or image.mode == "F":
            values = np.asarray(image, dtype=np.float64)
            # 16-bit samples keep their high byte; other wide samples have no known range and are
            # cut to 0..255
            sixteen = image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG")
            eight = np.clip(np.floor(values / 256.0) if sixteen else np.nan_to_num(values), 0, 255)
            image = Image.fromarray(eight.astype(np.uint8))
        return np.array(image.convert(mode), dtype=np.uint8)

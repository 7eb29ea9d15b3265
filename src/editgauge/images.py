"""Reading, writing and identifying pictures: the one pixel convention, and the limits on hostile
files.

Convention: a picture is an ndarray of shape (H, W, 3), uint8, sRGB, in R, G, B order; a mask is an
ndarray of shape (H, W), bool, True = the area that may change. Pixels are **as stored**: an EXIF
orientation is not applied (Pillow's rule, and with it that of the released scripts that read
through Pillow; stated again where a benchmark differs), alpha is dropped, not composed, a palette
is looked up, CMYK is converted without a profile, and 16-bit samples keep their high byte. The
extension of a file says nothing: its first bytes decide what it is.

Nothing here decodes a file before its header said how large it is: see `max_pixels` and
`memory_limit`. What cannot be decoded to its end is refused, and never filled up.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import logging
import os
import re
import threading
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import simplejpeg
from PIL import Image, UnidentifiedImageError

from editgauge import confinement, temporary
from editgauge.errors import ImageError, ImageTooLarge, UsageError

Array = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

DEFAULT_MAX_PIXELS = 100_000_000
"""10,000 x 10,000: 300 MB decoded. `EDITGAUGE_MAX_PIXELS` raises or lowers it."""
DEFAULT_MEMORY = 1 << 30
"""1 GiB: what a process may hold while it reads or aligns a picture. `EDITGAUGE_MEMORY` (the
option `--memory`) raises or lowers it.
"""
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
logging.getLogger("PIL").addHandler(logging.NullHandler())
"""Or Python would print what Pillow logs of a file that is damaged."""
_ORIENTATION = 0x0112
_TILE_WIDTH, _TILE_HEIGHT = 322, 323
_PILLOW_LIMIT = threading.Lock()
_LIBRARIES = 1 << 28
"""Bytes that a process has in use before it reads anything: interpreter, NumPy, OpenCV, DuckDB."""
_WORKING = 16
"""Bytes a pixel that whoever reads a picture needs at the least: the array, and a resized copy."""
_DECODING = {"WEBP": 20, "TIFF": 16, "GIF": 16, "BMP": 16, "JPEG": 16, "PNG": 16}
"""Bytes a pixel at the peak of decoding, by format; measured with 16 million pixels."""
_ROWS = 256
"""Rows that are converted at once: as floating point numbers they take eight times their bytes."""
_DAMAGE = ("Corrupt JPEG data", "Premature end of JPEG")
"""How libjpeg's warnings begin after which it fills up what is missing."""
_BEFORE_PIXELS = 1 << 25
"""Bytes of a file that are read to learn its header: 32 MB. Profiles, EXIF and XMP of cameras take
a few; what is longer is copied again and again by Pillow, and its texts are kept decoded.
"""
_READS = 1 << 18
"""Pieces in which they are read: each chunk, segment or comment is work for Python."""
_BEYOND_PIXELS = 1 << 20
"""Bytes of a PNG beside its pixels as they are that OpenCV is given."""
_LONGEST_SIDE = (1 << 31) - 1
"""Pixels, by the specification of PNG; no other format has more."""
_SCANS = 500
"""Scans of a JPEG, as fuzzers of libjpeg-turbo have it; ten are usual."""
_MARKER = re.compile(rb"\xff[^\x00\x01\xd0-\xd8\xff]")
"""A marker of JPEG that a segment follows, or its end."""
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
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
    tile: tuple[int, int] = (0, 0)
    """Width and height of the tiles of a TIFF, which may be larger than it; 0 without tiles."""

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


def memory_limit() -> int:
    """Bytes that a process may hold while it reads or aligns a picture: `EDITGAUGE_MEMORY`, or
    1 GiB.
    """
    return memory_size(os.environ.get("EDITGAUGE_MEMORY") or str(DEFAULT_MEMORY))


def memory_size(text: str, of: str = "--memory (EDITGAUGE_MEMORY)") -> int:
    """A size such as ``800MB``, ``1.5 GiB`` or ``1073741824`` in bytes; letters are powers of 1024.
    `of` names the setting in an error.

    Raises `UsageError` for another text, and for less than 1 MB.
    """
    found = _SIZE.fullmatch(text)
    size = int(float(found[1]) * 1024 ** " kmgt".index(found[2].lower() or " ")) if found else 0
    if size < 1 << 20:
        raise UsageError(f"{of}: wanted a size such as 2GB, found {text!r}")
    return size


def decoding_bytes(header: Header) -> int:
    """Bytes that reading a picture of this header takes at its peak, and using it afterwards."""
    tile = header.tile[0] * header.tile[1]
    return max(header.width * header.height, tile) * max(_WORKING, _DECODING[header.format])


def limited_memory() -> contextlib.AbstractContextManager[None]:
    """Within a `with` block this process gets no more than `memory_limit` on top of what it has: a
    decoder that was lied to ends with an error, and not with the machine's memory. Linux only.
    """
    return confinement.limited(free_memory())


def confined() -> contextlib.AbstractContextManager[None]:
    """Within a `with` block a decoder takes no more than `memory_limit`, and writes nothing to
    standard error, where this process is a command's or a worker's: see `confinement`.
    """
    return confinement.confined(free_memory())


class MemoryBudget:
    """Lets threads of one process hold pictures up to `memory_limit` together.

    Who wants more than all of it gets it alone.
    """

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._held = 0

    @contextlib.contextmanager
    def hold(self, size: int) -> Iterator[None]:
        """Wait until `size` bytes are free, and hold them for the length of a `with` block."""
        with self._free:
            self._free.wait_for(lambda: self._held == 0 or self._held + size <= free_memory())
            self._held += size
        try:
            yield
        finally:
            with self._free:
                self._held -= size
                self._free.notify_all()


def free_memory() -> int:
    """Bytes of `memory_limit` that are left for pictures and for what is computed of them."""
    limit = memory_limit()
    return limit - min(_LIBRARIES, limit // 4)


def read_header(path: Path) -> Header:
    """Format, mode and size of a picture, from its first bytes alone.

    Raises `ImageError` when there is no file or it is no picture. Does not look at the pixel limit.
    """
    with _named_errors(path), confined():
        _need_file(path)
        with _File(io.FileIO(path)) as file:
            return _header(file)


def read_image(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W, 3), uint8, RGB, pixels as stored (see the module's
    convention).

    Raises `ImageTooLarge` over the pixel or memory limit, before decoding, and `ImageError` when
    there is no file, it is no picture, its data end early, or libjpeg calls them corrupt: what is
    missing is never filled up with grey.
    """
    with _named_errors(path), confined():
        data, header = _read(path)
        if header.format == "JPEG":
            decoded = _strict_jpeg(data, header, "RGB")
            if decoded is not None:
                return decoded
        if _plain_png(data, header):
            flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
            found = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
            if found is not None and found.shape[:2] == (header.height, header.width):
                return np.asarray(found, dtype=np.uint8)
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
    with _named_errors(path), confined():
        data, header = _read(path)
        if header.format == "JPEG":
            decoded = _strict_jpeg(data, header, "RGB" if header.mode == "RGB" else "GRAY")
            if decoded is not None:
                return np.array(Image.fromarray(decoded).convert("L"), dtype=np.uint8)
        return _decode_with_pillow(data, "L")


def read_luma(path: Path) -> Array:
    """The picture as an ndarray of shape (H, W), uint8, grey as OpenCV reads it: a JPEG's stored
    luma channel.

    `read_grey` converts a colour JPEG to RGB first and may be a level away from it. Raises as
    `read_image` does.
    """
    with _named_errors(path), confined():
        data, header = _read(path)
        if header.format == "JPEG":
            decoded = _strict_jpeg(data, header, "GRAY")
            if decoded is not None:
                return decoded
        if _plain_png(data, header):
            flags = cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION
            found = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
            if found is not None and found.shape == (header.height, header.width):
                return np.asarray(found, dtype=np.uint8)
        return _decode_with_pillow(data, "L")


def read_small(path: Path, side: int) -> Image.Image:
    """The picture in RGB, at most `side` pixels long, for people to look at: a JPEG is decoded at a
    fraction of its size, and what ends early shows what is there or raises. Raises as `read_image`
    does.
    """
    with _named_errors(path), confined():
        data, _ = _read(path)
        with _opened(data) as image:
            image.draft("RGB", (side * 2, side * 2))
            small = image.convert("RGB")
            small.thumbnail((side, side), Image.Resampling.BILINEAR, reducing_gap=2.0)
            return small


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


def write_bytes(path: Path, data: bytes, *, sync: bool = False) -> None:
    """Write a file whole or not at all, see `temporary.write`; folders are made as needed. An
    `OSError` (a full disk, no rights) names `path`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    temporary.write(path, data, sync=sync)


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


def picture_hash() -> hashlib.blake2b:
    """The hash of `fingerprint`, empty: for who has the bytes in hand."""
    return hashlib.blake2b(digest_size=16)


def read_file(path: Path) -> bytes:
    """The bytes of a picture file as they are, for who sends them on. Raises `ImageTooLarge` for
    more than a quarter of what is free of the memory limit, since they go out as text inside a
    request, and `ImageError` when it cannot be read.
    """
    with _named_errors(path):
        _need_file(path)
        with path.open("rb") as file:
            most = min(MAX_FILE_BYTES, free_memory() // 4)
            _need_small(path, os.fstat(file.fileno()).st_size, most)
            return file.read(most)


def fingerprint(path: Path) -> str:
    """Hash of a file's bytes: 32 hexadecimal digits (BLAKE2b, 128 bits). Raises `ImageError` if it
    cannot be read.
    """
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, picture_hash)
    except OSError as error:
        raise ImageError(
            f"{path}: cannot be read ({error.strerror or error})", path=path
        ) from error
    return digest.hexdigest()


def _read(path: Path) -> tuple[bytes, Header]:
    """A file's bytes and header, within all limits: the header is looked at before the rest."""
    _need_file(path)
    with _File(io.FileIO(path)) as file:
        size = os.fstat(file.fileno()).st_size
        _need_small(path, size, MAX_FILE_BYTES)
        header = _header(file)
        _check_size(header, size, path)
        file.metered = False
        file.seek(0)
        data = file.read(size)
    if header.format == "JPEG":
        _need_few_scans(data)
    if header.format == "PNG" and b"acTL" in data[: max(0, data.find(b"IDAT"))]:
        _need_sound_chunks(data)
    return data, header


def _need_file(path: Path) -> None:
    """A pipe or a device would be read for ever: only files are opened. One that is not there is
    found on opening.
    """
    if path.exists() and not path.is_file():
        raise ImageError(f"{path}: not a file", path=path)


def _need_small(path: Path, size: int, most: int) -> None:
    if size > most:
        raise ImageTooLarge(
            f"{path}: {size:,} bytes, wanted at most {most:,}; shrink the file", path=path
        )


def need_readable(header: Header, path: Path) -> None:
    """Raises `ImageTooLarge` for a picture over the pixel or memory limit; nothing is decoded."""
    _check_size(header, path.stat().st_size, path)


def _check_size(header: Header, size: int, path: Path) -> None:
    limit = max_pixels()
    pixels = header.width * header.height
    shape = f"{path}: {header.width} x {header.height}"
    if pixels > limit:
        raise ImageTooLarge(
            f"{shape} = {pixels:,} pixels, the limit is {limit:,}; set EDITGAUGE_MAX_PIXELS to "
            f"raise it",
            path=path,
        )
    wanted = decoding_bytes(header) + size
    if wanted > free_memory():
        raise ImageTooLarge(
            f"{shape} ({header.format}) takes up to {wanted >> 20:,} MB to read, a process may use "
            f"{memory_limit() >> 20:,} MB, its libraries included; raise it with --memory or "
            f"EDITGAUGE_MEMORY",
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
    except MemoryError as error:
        raise ImageTooLarge(
            f"{path}: takes more than {memory_limit() >> 20:,} MB to read; raise the limit with "
            f"--memory or EDITGAUGE_MEMORY",
            path=path,
        ) from error
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


class _TooMuch(Exception):
    """More than `_BEFORE_PIXELS` comes before the pixels. No `OSError`: Pillow goes on after those,
    without what it could not read.
    """


class _Metered:
    """A file that gives `_BEFORE_PIXELS` in `_READS` pieces, and no more while it is `metered`."""

    metered = True
    _bytes = _pieces = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data: bytes = super().read(size)  # type: ignore[misc]
        if self.metered:
            self._bytes += len(data)
            self._pieces += 1
            if self._bytes > _BEFORE_PIXELS or self._pieces > _READS:
                raise _TooMuch(
                    f"more than {_BEFORE_PIXELS >> 20} MB or {_READS:,} pieces of metadata before "
                    f"its pixels; save it without them"
                )
        return data


class _File(_Metered, io.BufferedReader):
    """A metered file of the disk."""


class _Bytes(_Metered, io.BytesIO):
    """A metered file in memory."""


def _header(file: _File) -> Header:
    with _pillow(file) as image:
        try:
            orientation = int(_exif(image, file).get(_ORIENTATION, 1))
        except Exception:  # EXIF is decoration: broken EXIF does not make a picture unreadable
            orientation = 1
        if max(image.size) > _LONGEST_SIDE:
            raise OSError(f"{image.width:,} x {image.height:,} is no picture's size")
        # Several pictures in one JPEG (what some phones write) are read as the first: an ordinary
        # JPEG
        form = "JPEG" if image.format == "MPO" else str(image.format)
        return Header(
            format=form,
            mode=image.mode,
            width=image.width,
            height=image.height,
            orientation=orientation,
            tile=_tile(image),
        )


def _tile(image: Image.Image) -> tuple[int, int]:
    """Width and height of the tiles that a decoder of this TIFF makes room for, each at a time."""
    tags = getattr(image, "tag_v2", {})
    sides = [tags.get(tag) for tag in (_TILE_WIDTH, _TILE_HEIGHT)]
    width, height = (side if isinstance(side, int) else 0 for side in sides)
    return width, height


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


def _plain_png(data: bytes, header: Header) -> bool:
    """Whether OpenCV may decode this: a PNG of 8-bit grey or RGB whose end is there (OpenCV fills
    up what is missing), and not much larger than its pixels (it inflates all texts, and all data
    behind the last row).
    """
    return (
        header.format == "PNG"
        and len(data) <= header.width * header.height * 4 + _BEYOND_PIXELS
        and header.mode in ("RGB", "RGBA", "L")
        and data[-12:-4] == b"\x00\x00\x00\x00IEND"
        and data[24:25] == b"\x08"
        and b"tRNS" not in data[:4096]
    )


def _need_few_scans(data: bytes) -> None:
    """Raise `OSError` for a JPEG of more than `_SCANS`: each is work for all pixels, and takes a
    few bytes.
    """
    at, scans = 2, 0
    while (found := _MARKER.search(data, at)) is not None and found[0] != b"\xff\xd9":
        at = found.end() + int.from_bytes(data[found.end() : found.end() + 2], "big")
        scans += found[0] == b"\xff\xda"
        if scans > _SCANS:
            raise OSError(f"more than {_SCANS} scans")


def _strict_jpeg(data: bytes, header: Header, colours: str) -> Array | None:
    """A JPEG decoded by libjpeg-turbo, which stops at its first warning; None for one that it does
    not know (lossless, 12 bits) or that is kept in other colours (CMYK), but is not damaged.

    Every other reader goes on after such a warning and fills up. The pixels are the same.
    """
    known = header.mode in ("RGB", "L")
    try:
        found = simplejpeg.decode_jpeg(data, colorspace=colours if known else "CMYK", strict=True)
    except ValueError as error:
        if str(error).startswith(_DAMAGE):
            raise OSError(f"truncated or damaged: {error}") from error
        return None
    if not known or found.shape[:2] != (header.height, header.width):
        return None
    return np.asarray(found[..., 0] if colours == "GRAY" else found, dtype=np.uint8)


def _need_sound_chunks(data: bytes) -> None:
    """Raise `OSError` for an animated PNG of which a chunk is not what was written: its readers go
    on with what there is, and give other pixels.
    """
    at = 8
    while data[at + 4 : at + 8] != b"IEND":
        end = at + 8 + int.from_bytes(data[at : at + 4], "big")
        if zlib.crc32(data[at + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
            raise OSError(f"truncated or damaged: the chunk at byte {at:,}")
        at = end + 4


_PNG_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
               (0, 1, 1, 2))  # fmt: skip
"""Where the rows of an interlaced PNG lie: first column and row, steps between columns and rows."""
_PNG_SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Samples a pixel, by PNG's colour type."""


def _need_all_rows(data: bytes) -> None:
    """Raise `OSError` when the rows of a PNG end early, though its end marker is there: Pillow
    leaves the rest black.
    """
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    bits = data[24] * _PNG_SAMPLES.get(data[25], 1)
    passes = _PNG_PASSES if data[28] else ((0, 0, 1, 1),)
    wanted = 0
    for left, top, across, down in passes:
        columns, rows = -(-(width - left) // across), -(-(height - top) // down)
        if columns > 0 and rows > 0:
            wanted += rows * (1 + (columns * bits + 7) // 8)
    inflate, found, at = zlib.decompressobj(), 0, 8
    while at + 8 <= len(data) and found < wanted:
        size = int.from_bytes(data[at : at + 4], "big")
        part = data[at + 8 : at + 8 + size] if data[at + 4 : at + 8] == b"IDAT" else b""
        while part and found < wanted:
            found += len(inflate.decompress(part, 1 << 20))
            part = inflate.unconsumed_tail
        at += 12 + size
    if found < wanted:
        raise OSError(f"truncated: {found:,} bytes of pixels, wanted {wanted:,}")


@contextlib.contextmanager
def _opened(data: bytes) -> Iterator[Image.Image]:
    """Pillow's picture of a file's bytes, metered until it is to be decoded."""
    file = _Bytes(data)
    with _pillow(file) as image:
        file.metered = False
        yield image


def _decode_with_pillow(data: bytes, mode: str) -> Array:
    with _opened(data) as image:
        image.load()
        if image.format == "PNG":
            _need_all_rows(data)
        shape = (image.height, image.width) if mode == "L" else (image.height, image.width, 3)
        pixels = np.empty(shape, dtype=np.uint8)
        for top in range(0, image.height, _ROWS):
            end = min(top + _ROWS, image.height)
            rows = image.crop((0, top, image.width, end))
            pixels[top:end] = np.asarray(_eight_bits(rows, image.format).convert(mode))
        return pixels


def _eight_bits(image: Image.Image, form: str | None) -> Image.Image:
    """16-bit samples keep their high byte; other wide samples have no known range and are cut to
    0..255.
    """
    if not image.mode.startswith("I") and image.mode != "F":
        return image
    values = np.asarray(image, dtype=np.float64)
    sixteen = image.mode.startswith("I;16") or (image.mode == "I" and form == "PNG")
    eight = np.clip(np.floor(values / 256.0) if sixteen else np.nan_to_num(values), 0, 255)
    return Image.fromarray(eight.astype(np.uint8))

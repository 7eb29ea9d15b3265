"""Blind copies of a sample's pictures in the run's cache: PNG of one size (the input's frame, grey
bars), without metadata. They may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from editgauge.errors import EditgaugeError, ImageError
from editgauge.images import Array, read_file, read_header, read_image
from editgauge.store import paths
from editgauge.store.hashes import file_state
from editgauge.store.run import Run
from editgauge.store.schema import digest
from editgauge.types import Status

LONGEST = 1600
"""The longest side of a copy in pixels."""
GREY = 127
_QUICK = (cv2.IMWRITE_PNG_COMPRESSION, 1, cv2.IMWRITE_PNG_STRATEGY, cv2.IMWRITE_PNG_STRATEGY_RLE)


Outputs = dict[str, dict[str, str]]


def outputs_of(run: Run, benchmark: str) -> Outputs:
    """Sample -> editor, by name -> path in the run, of outputs that are there and are pictures."""
    outputs: Outputs = {}
    for record in sorted(run.edits(benchmark), key=lambda one: one.editor):
        if record.status is Status.SCORED and record.path and run.picture(record.path):
            outputs.setdefault(record.sample, {})[record.editor] = record.path
    return outputs


class Pictures:
    """Blind copies of the pictures of one benchmark of a run, from any thread."""

    def __init__(self, run: Run, benchmark: str) -> None:
        self.run, self.outputs = run, outputs_of(run, benchmark)
        self.records = {str(record["id"]): record for record in run.samples(benchmark)}

    def files(self, sample: str) -> dict[str, list[str]]:
        """What there is beside the outputs: ``input0``…, ``reference``, ``mask``, each with its
        paths. Pictures are served from inside the run only, and through no link.
        """
        record = self.records[sample]
        masks = [path for _, path in sorted((record.get("masks") or {}).items())]
        inputs = record.get("images") or []
        named = {**{f"input{k}": [path] for k, path in enumerate(inputs)},
                 "reference": [record.get("reference")], "mask": masks}  # fmt: skip
        there = {name: [p for p in paths if self.run.picture(p)] for name, paths in named.items()}
        return {name: paths for name, paths in there.items() if paths}

    def png(self, sample: str, name: str = "", *, editor: str = "") -> bytes:
        """A picture of `files`, or an editor's output. Raises `ImageError` if it cannot be made."""
        given = self.files(sample)
        output = self.outputs[sample].get(editor, "")
        files = given.get(name, []) if not editor else [output] if self.run.picture(output) else []
        if not files or "input0" not in given:
            raise ImageError(f"sample {sample!r}: the run has no such picture, or no input, of it")
        frame = self._frame(given["input0"][0])
        stats = [(path, (self.run.path / path).stat()) for path in files]
        marks = [(path, file_state(stat).decode()) for path, stat in stats]
        place = f"cache/study/{digest(name == 'mask', frame, marks)}.png"
        if paths.fault(self.run.path, place) is None:
            return read_file(paths.inside(self.run.path, place))
        fitted = [placed(read_image(self.run.path / path), *frame) for path in files]
        if name == "mask":
            data = encode(outline(np.any([one[..., 0] >= 128 for one in fitted], axis=0)))
        else:
            data = encode(fitted[0])
        paths.write(self.run.path, place, data)
        return data

    def make(self, samples: Iterable[str]) -> None:
        """Make the copies of these samples beforehand, as far as they can be made."""
        for sample in samples:
            with suppress(EditgaugeError, OSError):
                for name in self.files(sample):
                    self.png(sample, name)
                for editor in self.outputs[sample]:
                    self.png(sample, editor=editor)

    def _frame(self, path: str) -> tuple[int, int]:
        """The common frame: the first input's shape, no side longer than `LONGEST`."""
        header = read_header(self.run.path / path)
        scale = min(1.0, LONGEST / max(header.width, header.height))
        return max(1, round(header.width * scale)), max(1, round(header.height * scale))


def placed(pixels: Array, width: int, height: int) -> Array:
    """A picture (H, W, 3) fitted into a frame of the given size, with grey bars."""
    way, bars = Image.Resampling.BICUBIC, (GREY,) * 3
    return np.asarray(ImageOps.pad(Image.fromarray(pixels), (width, height), way, bars))


def outline(mask: NDArray[np.bool_]) -> Array:
    """The edge of a mask (H, W) in red, transparent elsewhere: (H, W, 4)."""
    size = max(1, round(max(mask.shape) / 300))
    kernel = np.ones((2 * size + 1, 2 * size + 1), np.uint8)
    grey = mask.astype(np.uint8)
    out = np.zeros((*mask.shape, 4), dtype=np.uint8)
    out[(cv2.dilate(grey, kernel) - cv2.erode(grey, kernel)) > 0] = (255, 40, 40, 255)
    return out


def encode(pixels: Array) -> bytes:
    """A picture (H, W, 3 or 4), RGB(A), as a PNG without metadata."""
    code = cv2.COLOR_RGBA2BGRA if pixels.shape[2] == 4 else cv2.COLOR_RGB2BGR
    good, data = cv2.imencode(".png", cv2.cvtColor(pixels, code), _QUICK)
    if not good:
        raise ImageError(f"a picture of shape {pixels.shape} could not be encoded as PNG")
    return bytes(data.tobytes())

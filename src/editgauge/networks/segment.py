"""Masks from a box, a click or words: Segment Anything, and Grounding DINO before it.

Segment Anything (Kirillov et al., arXiv 2304.02643) gives three masks for a place in a picture –
the whole, a part, a part of that – each with the overlap that it expects with what was meant.
Grounding DINO (Liu et al., arXiv 2303.05499) finds the place that words mean; both together are
Grounded-SAM (Ren et al., arXiv 2401.14159), whose three proposals MedEBench (section 2.1) had
people choose from.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PIL import Image

from editgauge.errors import WeightsError
from editgauge.networks.pretrained import pretrained, transformers_for
from editgauge.networks.runtime import Runtime, torch_for
from editgauge.networks.weights import locate

SAM = "sam-vit-base"
DINO = "grounding-dino-tiny"
Pixels = npt.NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
LEAST_SCORE = 0.25
"""Of a place that words are said to mean: Grounding DINO's own threshold for boxes."""
_SHORT, _LONG = 800, 1333
"""Sides in pixels that Grounding DINO was trained on: the short one, and the most of the long."""
_MEAN, _DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
"""Of ImageNet: both networks were trained on pictures normalised by it."""


class Segment(NamedTuple):
    """A mask that the network proposes."""

    mask: npt.NDArray[np.bool_]
    """Shape (H, W)."""
    score: float
    """The overlap (intersection over union) that the network expects; its own guess."""


class SegmentAnything:
    """A Segment Anything checkpoint in transformers' layout (config.json, model.safetensors).

    What the last picture looked like to the network is kept: a second click in it is answered at
    once. Raises `WeightsError` when files do not fit, `MissingExtra` without transformers.
    """

    def __init__(self, folder: Path, runtime: Runtime | None = None) -> None:
        self.runtime = runtime or Runtime()
        self._model = pretrained(folder, "SamModel", "Segment Anything", self.runtime)
        self._side = int(self._model.config.vision_config.image_size)
        self._seen: tuple[str, Any] | None = None

    def segments(
        self, pixels: Pixels, *, box: Box | None = None, point: tuple[float, float] | None = None
    ) -> list[Segment]:
        """The three masks of what is in a box, or at a point (x, y), surest first.

        `pixels`: ndarray of shape (H, W, 3), uint8, RGB. Wanted is one of `box` and `point`.
        """
        if (box is None) == (point is None):
            raise ValueError("wanted a box or a point")
        torch = torch_for("Segment Anything")
        height, width = pixels.shape[:2]
        scale = self._side / max(height, width)
        size = (int(width * scale + 0.5), int(height * scale + 0.5))
        ratio = np.array([size[0] / width, size[1] / height])
        if box is not None:
            corners = np.array(box, dtype=np.float32).reshape(2, 2) * ratio
            prompt = {"input_boxes": self._tensor(corners.reshape(1, 1, 4))}
        else:
            place = np.array(point, dtype=np.float32) * ratio
            labels = torch.ones((1, 1, 1), dtype=torch.long, device=self.runtime.device)
            prompt = {"input_points": self._tensor(place.reshape(1, 1, 1, 2)),
                      "input_labels": labels}  # fmt: skip
        with torch.inference_mode():
            found = self._model(
                image_embeddings=self._embedded(pixels, size), multimask_output=True, **prompt
            )
            # from the decoder's grid to the padded square, without its padding, to the picture
            square = torch.nn.functional.interpolate(
                found.pred_masks[0].float(), (self._side, self._side), mode="bilinear"
            )
            cut = square[..., : size[1], : size[0]]
            whole = torch.nn.functional.interpolate(cut, (height, width), mode="bilinear")
        masks = (whole[0] > 0).cpu().numpy()
        scores = found.iou_scores[0, 0].float().cpu().numpy()
        order = np.argsort(-scores, kind="stable")
        return [Segment(np.asarray(masks[n], dtype=np.bool_), float(scores[n])) for n in order]

    def _embedded(self, pixels: Pixels, size: tuple[int, int]) -> Any:
        key = hashlib.blake2b(
            f"{pixels.shape}".encode() + np.ascontiguousarray(pixels).tobytes(), digest_size=16
        ).hexdigest()
        if self._seen is None or self._seen[0] != key:
            padded = np.zeros((3, self._side, self._side), np.float32)
            padded[:, : size[1], : size[0]] = _normalised(pixels, size)
            self._seen = key, self._model.get_image_embeddings(self._tensor(padded[None]))
        return self._seen[1]

    def _tensor(self, values: Any) -> Any:
        torch = torch_for("Segment Anything")
        made = torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
        return made.to(self.runtime.device, getattr(torch, self.runtime.precision))


class GroundingDino:
    """A Grounding DINO checkpoint in transformers' layout (config.json, model.safetensors,
    tokenizer.json). Raises as `SegmentAnything` does.
    """

    def __init__(self, folder: Path, runtime: Runtime | None = None) -> None:
        self.runtime = runtime or Runtime()
        what = "Grounding DINO"
        self._model = pretrained(folder, "GroundingDinoForObjectDetection", what, self.runtime)
        try:
            self._tokenizer = transformers_for(what).PreTrainedTokenizerFast(
                tokenizer_file=str(folder / "tokenizer.json")
            )
        except Exception as error:  # the Rust tokenizer raises plain Exception
            raise WeightsError(f"{folder}: its tokenizer cannot be loaded ({error})") from error
        self._most_tokens = int(self._model.config.max_text_len)

    def boxes(self, pixels: Pixels, words: str) -> list[tuple[Box, float]]:
        """The places that words mean, surest first, each with the network's score, 0 to 1; none
        below `LEAST_SCORE`.
        """
        torch = torch_for("Grounding DINO")
        height, width = pixels.shape[:2]
        scale = min(_SHORT / min(height, width), _LONG / max(height, width))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        # it was trained on small letters, and on names that end in a dot
        told = words.strip().lower().rstrip(".") + "."
        ids = self._tokenizer(told, truncation=True, max_length=self._most_tokens)["input_ids"]
        tokens = torch.tensor([ids], device=self.runtime.device)
        values = torch.from_numpy(_normalised(pixels, size)[None]).to(self.runtime.device)
        with torch.inference_mode():
            found = self._model(
                pixel_values=values.to(getattr(torch, self.runtime.precision)),
                input_ids=tokens,
                token_type_ids=torch.zeros_like(tokens),
                attention_mask=torch.ones_like(tokens),
            )
        scores = found.logits[0].float().sigmoid().max(dim=-1).values.cpu().numpy()
        centres = found.pred_boxes[0].float().cpu().numpy()
        made = []
        for n in np.argsort(-scores, kind="stable"):
            if scores[n] < LEAST_SCORE:
                break
            x, y, w, h = (float(part) for part in centres[n])
            box = _inside((x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width,
                          (y + h / 2) * height, pixels)  # fmt: skip
            made.append((box, float(scores[n])))
        return made


def _inside(left: float, top: float, right: float, bottom: float, pixels: Pixels) -> Box:
    height, width = pixels.shape[:2]
    return (max(0.0, left), max(0.0, top), min(float(width), right), min(float(height), bottom))


def _normalised(pixels: Pixels, size: tuple[int, int]) -> npt.NDArray[np.float32]:
    """The picture at another size (bilinear, Pillow's filter), less the mean: (3, H, W)."""
    image = Image.fromarray(pixels).resize(size, Image.Resampling.BILINEAR)
    values = np.array(image, dtype=np.float32)
    values /= np.float32(255.0)
    values -= np.asarray(_MEAN, np.float32)
    values /= np.asarray(_DEVIATION, np.float32)
    return np.ascontiguousarray(values.transpose(2, 0, 1))


def segment_anything(folder: Path | None, runtime: Runtime) -> SegmentAnything:
    """The published network, loaded once in a process. Raises `WeightsError` with the command that
    fetches what is not here.
    """
    return _sam(locate(SAM, folder).folder, runtime)


def grounding_dino(folder: Path | None, runtime: Runtime) -> GroundingDino:
    """The published network, loaded once in a process. Raises as `segment_anything` does."""
    return _dino(locate(DINO, folder).folder, runtime)


@functools.lru_cache(maxsize=1)
def _sam(folder: Path, runtime: Runtime) -> SegmentAnything:
    return SegmentAnything(folder, runtime)


@functools.lru_cache(maxsize=1)
def _dino(folder: Path, runtime: Runtime) -> GroundingDino:
    return GroundingDino(folder, runtime)

"""Masks from a box, a click or words: Segment Anything, and Grounding DINO before it.

Segment Anything (Kirillov et al., arXiv 2304.02643) gives three masks for a place in a picture –
the whole, a part, a part of that – each with the overlap that it expects with what was meant.
Grounding DINO (Liu et al., arXiv 2303.05499) finds the place that words mean; both together are
Grounded-SAM (Ren et al., arXiv 2401.14159), whose three proposals MedEBench (section 2.1) had
people choose from. Sizes before and after are transformers' own processors'.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editgauge.errors import WeightsError
from editgauge.networks.loading import pretrained, transformers_for
from editgauge.networks.runtime import Runtime, torch_for
from editgauge.networks.weights import locate

SAM = "sam-vit-base"
DINO = "grounding-dino-tiny"
Pixels = npt.NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
LEAST_SCORE = 0.25
"""Of a place that words are said to mean: Grounding DINO's own threshold for boxes."""


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
        side = int(self._model.config.vision_config.image_size)
        self._pad = {"height": side, "width": side}
        self._processor = transformers_for("Segment Anything").SamImageProcessorPil(
            size={"longest_edge": side}, pad_size=self._pad
        )
        self._seen: tuple[str, Any, Any] | None = None

    def segments(
        self, pixels: Pixels, *, box: Box | None = None, point: tuple[float, float] | None = None
    ) -> list[Segment]:
        """The three masks of what is in a box, or at a point (x, y), surest first.

        `pixels`: ndarray of shape (H, W, 3), uint8, RGB. Wanted is one of `box` and `point`.
        """
        if (box is None) == (point is None):
            raise ValueError("wanted a box or a point")
        torch = torch_for("Segment Anything")
        seen, given = self._embedded(pixels)
        sizes, scaled = given["original_sizes"], given["reshaped_input_sizes"]
        ratio = np.asarray(scaled[0], np.float32)[::-1] / np.asarray(sizes[0], np.float32)[::-1]
        if box is not None:
            corners = np.array(box, dtype=np.float32).reshape(2, 2) * ratio
            prompt = {"input_boxes": self._tensor(corners.reshape(1, 1, 4))}
        else:
            place = np.array(point, dtype=np.float32) * ratio
            labels = torch.ones((1, 1, 1), dtype=torch.long, device=self.runtime.device)
            prompt = {"input_points": self._tensor(place.reshape(1, 1, 1, 2))}
            prompt["input_labels"] = labels
        with torch.inference_mode():
            found = self._model(image_embeddings=seen, multimask_output=True, **prompt)
        (masks,) = self._processor.post_process_masks(
            found.pred_masks.float().cpu(), sizes, scaled, pad_size=self._pad
        )
        scores = found.iou_scores[0, 0].float().cpu().numpy()
        order = np.argsort(-scores, kind="stable")
        return [Segment(masks[0][n].numpy().astype(np.bool_), float(scores[n])) for n in order]

    def _embedded(self, pixels: Pixels) -> tuple[Any, Any]:
        content = f"{pixels.shape}".encode() + np.ascontiguousarray(pixels).tobytes()
        key = hashlib.blake2b(content, digest_size=16).hexdigest()
        if self._seen is None or self._seen[0] != key:
            given = self._processor(pixels, return_tensors="pt")
            values = self._tensor(given["pixel_values"])
            self._seen = key, self._model.get_image_embeddings(values), given
        return self._seen[1:]

    def _tensor(self, values: Any) -> Any:
        torch = torch_for("Segment Anything")
        dtype = getattr(torch, self.runtime.precision)
        return torch.as_tensor(np.asarray(values)).to(self.runtime.device, dtype)


class GroundingDino:
    """A Grounding DINO checkpoint in transformers' layout (config.json, model.safetensors,
    tokenizer.json). Raises as `SegmentAnything` does.
    """

    def __init__(self, folder: Path, runtime: Runtime | None = None) -> None:
        self.runtime = runtime or Runtime()
        what = "Grounding DINO"
        transformers = transformers_for(what)
        self._model = pretrained(folder, "GroundingDinoForObjectDetection", what, self.runtime)
        self._processor = transformers.GroundingDinoImageProcessorPil()
        try:
            file = str(folder / "tokenizer.json")
            self._tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=file)
        except Exception as error:  # the Rust tokenizer raises plain Exception
            raise WeightsError(f"{folder}: its tokenizer cannot be loaded ({error})") from error

    def boxes(self, pixels: Pixels, words: str) -> list[tuple[Box, float]]:
        """The places that words mean, surest first, each with the network's score, 0 to 1; none
        below `LEAST_SCORE`.
        """
        torch = torch_for("Grounding DINO")
        device = self.runtime.device
        # it was trained on small letters, and on names that end in a dot
        told, most = words.strip().lower().rstrip(".") + ".", int(self._model.config.max_text_len)
        ids = self._tokenizer(told, truncation=True, max_length=most)["input_ids"]
        tokens = torch.tensor([ids], device=device)
        values = self._processor(pixels, return_tensors="pt")["pixel_values"]
        with torch.inference_mode():
            found = self._model(
                pixel_values=values.to(device, getattr(torch, self.runtime.precision)),
                input_ids=tokens,
                token_type_ids=torch.zeros_like(tokens),
                attention_mask=torch.ones_like(tokens),
            )
        (placed,) = self._processor.post_process_object_detection(
            found, threshold=LEAST_SCORE, target_sizes=[pixels.shape[:2]]
        )
        height, width = pixels.shape[:2]
        corners = np.clip(placed["boxes"].float().cpu().numpy(), 0, [width, height] * 2)
        scores = placed["scores"].float().cpu().numpy()
        return [
            ((float(box[0]), float(box[1]), float(box[2]), float(box[3])), float(score))
            for box, score in sorted(zip(corners, scores, strict=True), key=lambda one: -one[1])
        ]


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

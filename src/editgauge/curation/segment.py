"""Masks from a box, a click or words: Segment Anything, and Grounding DINO before it.

Segment Anything (Kirillov et al., arXiv 2304.02643) gives three masks for a place in a picture –
the whole, a part, a part of that – each with the overlap that it expects with what was meant.
Grounding DINO (Liu et al., arXiv 2303.05499) finds the place that words mean; both together are
Grounded-SAM (Ren et al., arXiv 2401.14159), whose three proposals MedEBench (section 2.1) had
people choose from. Sizes before and after are transformers' own processors'.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from editgauge.errors import WeightsError
from editgauge.networks.loading import pretrained, transformers_for
from editgauge.networks.runtime import Runtime, torch_for

SAM = "sam-vit-base"
DINO = "grounding-dino-tiny"
Pixels = npt.NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
LEAST_SCORE = 0.25
"""Of a place that words are said to mean: Grounding DINO's own threshold for boxes."""


class Segment(NamedTuple):
    """A mask (H, W) that the network proposes, and the overlap (intersection over union) that it
    expects: its own guess.
    """

    mask: npt.NDArray[np.bool_]
    score: float


def segments(
    folder: Path,
    runtime: Runtime,
    pixels: Pixels,
    *,
    box: Box | None = None,
    point: tuple[float, float] | None = None,
) -> list[Segment]:
    """The three masks of what is in a box, or else at a point (x, y), surest first, by the
    checkpoint in a folder (transformers' layout).

    `pixels`: ndarray of shape (H, W, 3), uint8, RGB. Raises `WeightsError` when files do not fit,
    `MissingExtra` without transformers.
    """
    torch = torch_for("Segment Anything")
    model, processor = _sam(folder, runtime)
    seen, sizes, scaled = _seen(folder, runtime, pixels.tobytes(), pixels.shape)
    ratio = np.asarray(scaled[0], np.float32)[::-1] / np.asarray(sizes[0], np.float32)[::-1]
    place = np.array(point if box is None else box, np.float32).reshape(-1, 2) * ratio
    tensor = torch.as_tensor(place).to(runtime.device, getattr(torch, runtime.precision))
    if box is None:
        labels = torch.ones((1, 1, 1), dtype=torch.long, device=runtime.device)
        prompt = {"input_points": tensor.reshape(1, 1, 1, 2), "input_labels": labels}
    else:
        prompt = {"input_boxes": tensor.reshape(1, 1, 4)}
    with torch.inference_mode():
        found = model(image_embeddings=seen, multimask_output=True, **prompt)
    (masks,) = processor.post_process_masks(
        found.pred_masks.float().cpu(), sizes, scaled, pad_size=processor.pad_size
    )
    scores = found.iou_scores[0, 0].float().cpu().numpy()
    order = np.argsort(-scores, kind="stable")
    return [Segment(masks[0][n].numpy().astype(np.bool_), float(scores[n])) for n in order]


def places(folder: Path, runtime: Runtime, pixels: Pixels, words: str) -> list[tuple[Box, float]]:
    """The places that words mean by Grounding DINO, surest first, each with the network's score,
    0 to 1; none below `LEAST_SCORE`. Raises as `segments` does.
    """
    torch = torch_for("Grounding DINO")
    model, processor, tokenizer = _dino(folder, runtime)
    # it was trained on small letters, and on names that end in a dot
    told, most = words.strip().lower().rstrip(".") + ".", int(model.config.max_text_len)
    ids = tokenizer(told, truncation=True, max_length=most)["input_ids"]
    tokens = torch.tensor([ids], device=runtime.device)
    values = processor(pixels, return_tensors="pt")["pixel_values"]
    with torch.inference_mode():
        found = model(
            pixel_values=values.to(runtime.device, getattr(torch, runtime.precision)),
            input_ids=tokens,
            token_type_ids=torch.zeros_like(tokens),
            attention_mask=torch.ones_like(tokens),
        )
    (placed,) = processor.post_process_object_detection(
        found, threshold=LEAST_SCORE, target_sizes=[pixels.shape[:2]]
    )
    height, width = pixels.shape[:2]
    corners = np.clip(placed["boxes"].float().cpu().numpy(), 0, [width, height] * 2).tolist()
    scores = placed["scores"].float().cpu().numpy().tolist()
    every = sorted(zip(corners, scores, strict=True), key=lambda one: -one[1])
    return [((x0, y0, x1, y1), score) for (x0, y0, x1, y1), score in every]


@functools.lru_cache(maxsize=1)
def _sam(folder: Path, runtime: Runtime) -> tuple[Any, Any]:
    model = pretrained(folder, "SamModel", "Segment Anything", runtime)
    side = int(model.config.vision_config.image_size)
    made = transformers_for("Segment Anything").SamImageProcessorPil(
        size={"longest_edge": side}, pad_size={"height": side, "width": side}
    )
    return model, made


@functools.lru_cache(maxsize=1)
def _seen(
    folder: Path, runtime: Runtime, data: bytes, shape: tuple[int, ...]
) -> tuple[Any, Any, Any]:
    """What the last picture looks like to the network: a second click is answered at once."""
    torch = torch_for("Segment Anything")
    model, processor = _sam(folder, runtime)
    pixels = np.frombuffer(data, np.uint8).reshape(shape)
    given = processor(pixels, return_tensors="pt")
    values = given["pixel_values"].to(runtime.device, getattr(torch, runtime.precision))
    with torch.inference_mode():
        seen = model.get_image_embeddings(values)
    return seen, given["original_sizes"], given["reshaped_input_sizes"]


@functools.lru_cache(maxsize=1)
def _dino(folder: Path, runtime: Runtime) -> tuple[Any, Any, Any]:
    what = "Grounding DINO"
    transformers = transformers_for(what)
    model = pretrained(folder, "GroundingDinoForObjectDetection", what, runtime)
    try:
        file = str(folder / "tokenizer.json")
        tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=file)
    except Exception as error:  # the Rust tokenizer raises plain Exception
        raise WeightsError(f"{folder}: its tokenizer cannot be loaded ({error})") from error
    return model, transformers.GroundingDinoImageProcessorPil(), tokenizer

"""CLIP: image and text features with the official weights, and the three things that go wrong with
it without an error: another activation than QuickGELU, x·sigmoid(1.702·x), with which the weights
were trained; a caption over 77 tokens that loses its end token, where the features are read; and
preprocessing. That is transformers' `CLIPImageProcessorPil` (Pillow's bicubic, crop at (side - 224)
// 2) or, with `crop` "round", torchvision's, on which open_clip and the package ``clip`` rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson
from PIL import Image

from editgauge.errors import WeightsError
from editgauge.images import Array
from editgauge.metrics import Singles
from editgauge.metrics.native import on_device
from editgauge.networks.loading import pretrained, transformers_for
from editgauge.networks.runtime import Runtime, torch_for
from editgauge.types import JsonObject

Crop = Literal["floor", "round"]
MEAN = np.asarray((0.48145466, 0.4578275, 0.40821073), np.float32)
DEVIATION = np.asarray((0.26862954, 0.26130258, 0.27577711), np.float32)


def preprocess(pixels: Array, side: int = 224, crop: Crop = "floor") -> Singles:
    """A picture (H, W, 3), uint8, RGB as the network's input: (3, side, side), float32."""
    height, width = pixels.shape[:2]
    short = min(height, width)
    size = (int(side * width / short), int(side * height / short))
    size = (side if width == short else size[0], side if height == short else size[1])
    image = Image.fromarray(pixels)
    if image.size != size:
        image = image.resize(size, Image.Resampling.BICUBIC)
    left, top = (_offset(length - side, crop) for length in size)
    array = np.array(image.crop((left, top, left + side, top + side)), dtype=np.float32)
    array /= np.float32(255.0)
    array -= MEAN
    array /= DEVIATION
    return np.ascontiguousarray(array.transpose(2, 0, 1))


def crops_agree(width: int, height: int, side: int = 224) -> bool:
    """Whether both rules cut the same crop out of a picture of this size."""
    surplus = int(side * max(width, height) / min(width, height)) - side
    return _offset(surplus, "floor") == _offset(surplus, "round")


def _offset(surplus: int, crop: Crop) -> int:
    return surplus // 2 if crop == "floor" else round(surplus / 2.0)


class Tokens(NamedTuple):
    """Token ids and mask (N, limit), and how many tokens each text had before it was cut."""

    ids: Any
    mask: Any
    lengths: tuple[int, ...]


class ClipModel:
    """A CLIP checkpoint in transformers' layout (config.json, model.safetensors, vocab.json,
    merges.txt).

    Features are **as the model projects them**, float32, not scaled to length 1. The two towers are
    loaded when first used. Raises `WeightsError` when the configuration names another activation
    than `activation`, when the built network does not compute it, or when files do not fit;
    `MissingExtra` without transformers.
    """

    def __init__(
        self, folder: Path, *, activation: str | None = "quick_gelu", runtime: Runtime | None = None
    ) -> None:
        self.folder, self.runtime = folder, runtime or Runtime()
        self._activation = activation
        vision, text = (_config(folder, name) for name in ("vision_config", "text_config"))
        self.side = int(vision.get("image_size", 224))
        self.limit = int(text.get("max_position_embeddings", 77))
        for tower in (text, vision):
            hidden_act = tower.get("hidden_act", "quick_gelu")
            if activation not in (None, hidden_act):
                raise WeightsError(
                    f"{folder}: config.json names the activation {hidden_act!r}, these weights "
                    f"were trained with {activation!r}: with another every score is silently wrong"
                )
        self._towers: JsonObject = {}
        self._tokenizer: Any = None

    def image_features(self, inputs: Sequence[Singles]) -> Singles:
        """Features (N, D) of preprocessed pictures (3, side, side)."""
        tower = self._tower("CLIPVisionModelWithProjection")
        batch = on_device(np.stack(list(inputs)), self.runtime.device).float()
        with torch_for("CLIP").inference_mode():
            embeds = tower(pixel_values=batch).image_embeds
        return np.asarray(embeds.float().cpu().numpy(), np.float32)

    def text_features(self, tokens: Tokens) -> Singles:
        """Features (N, D) of tokenised texts."""
        tower, device = self._tower("CLIPTextModelWithProjection"), self.runtime.device
        ids, mask = tokens.ids.to(device), tokens.mask.to(device)
        with torch_for("CLIP").inference_mode():
            embeds = tower(input_ids=ids, attention_mask=mask).text_embeds
        return np.asarray(embeds.float().cpu().numpy(), np.float32)

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        """Token ids, padded to the limit; a text that is too long loses words at its end, never the
        end token. Padding is id 0, as in the original code.
        """
        torch = torch_for("CLIP")
        if self._tokenizer is None:
            self._tokenizer = _load_tokenizer(self.folder)
        whole = [self._tokenizer(text, verbose=False)["input_ids"] for text in texts]
        end, limit = int(self._tokenizer.eos_token_id), self.limit
        ids = torch.zeros((len(whole), limit), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for row, numbers in enumerate(whole):
            kept = numbers if len(numbers) <= limit else [*numbers[: limit - 1], end]
            ids[row, : len(kept)] = torch.tensor(kept)
            mask[row, : len(kept)] = 1
        return Tokens(ids, mask, tuple(map(len, whole)))

    def _tower(self, kind: str) -> Any:
        if kind not in self._towers:
            model = pretrained(self.folder, kind, "CLIP", self.runtime)
            if self._activation == "quick_gelu":
                self._probe(model)
            self._towers[kind] = model
        return self._towers[kind]

    def _probe(self, model: Any) -> None:
        """Check the activation that was built: the configuration may say another."""
        torch = torch_for("CLIP")
        numbers = torch.linspace(-4, 4, 33)
        wanted = numbers * torch.sigmoid(1.702 * numbers)
        for name, module in model.named_modules():
            function = getattr(module, "activation_fn", None)
            if function is not None and not torch.allclose(function(numbers), wanted, atol=1e-5):
                why = f"{name} computes another activation than quick_gelu"
                raise WeightsError(f"{self.folder}: {why}; with it every score is silently wrong")


def _config(folder: Path, tower: str) -> JsonObject:
    try:
        return dict(orjson.loads((folder / "config.json").read_bytes()).get(tower, {}))
    except (OSError, ValueError, TypeError, AttributeError) as error:
        why = f"wanted a CLIP configuration, found none that can be read ({error})"
        raise WeightsError(f"{folder / 'config.json'}: {why}") from error


def _load_tokenizer(folder: Path) -> Any:
    transformers = transformers_for("CLIP")
    try:
        vocabulary = orjson.loads((folder / "vocab.json").read_bytes())
        lines = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()
        merges = [tuple(line.split()) for line in lines if line and not line.startswith("#version")]
        return transformers.CLIPTokenizer(vocab=vocabulary, merges=merges)
    except Exception as error:  # the Rust tokenizer raises plain Exception
        raise WeightsError(f"{folder}: the CLIP tokenizer cannot be loaded ({error})") from error

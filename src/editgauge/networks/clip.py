"""CLIP: image and text features with the official weights, and the three things that go wrong with
it.

*Activation.* OpenAI's weights were trained with QuickGELU, x·sigmoid(1.702·x). Loaded into a
network with the ordinary GELU they give other features without any error (scores move by up to a
point of the aesthetic scale). Here the configuration must name it, and the built network is probed
with numbers: see `ClipModel`.

*Long captions.* The text tower takes 77 tokens, the last of which must be the end token, because
the features are read there. Cutting the token list at 77 drops it. Here the text is cut so that the
end token stays, and the caller is told.

*Preprocessing.* Bicubic resize of the short side to 224 with Pillow's filter, centre crop, mean and
deviation of the training set: equal to transformers' `CLIPImageProcessorPil`, and like it the crop
is cut at (side - 224) // 2. torchvision, on which open_clip's transform rests, rounds that to the
nearest even number instead, one pixel further where the surplus leaves remainder 3 by 4; `crop`
chooses. "round" is what the released package ``clip`` gives, to the bit (with clip-anytorch 2.6.0
on 1,938 sizes, of which the two rules differ on 448).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import orjson
from PIL import Image

from editgauge.errors import WeightsError
from editgauge.native import on_device
from editgauge.networks.loading import pretrained, transformers_for
from editgauge.networks.runtime import Runtime, torch_for

Floats = npt.NDArray[np.float32]
Crop = Literal["floor", "round"]
MEAN = (0.48145466, 0.4578275, 0.40821073)
DEVIATION = (0.26862954, 0.26130258, 0.27577711)


def preprocess(pixels: npt.NDArray[np.uint8], side: int = 224, crop: Crop = "floor") -> Floats:
    """A picture (H, W, 3), uint8, RGB as the network's input: (3, side, side), float32."""
    height, width = pixels.shape[:2]
    short = min(height, width)
    size = (
        side if width == short else int(side * width / short),
        side if height == short else int(side * height / short),
    )
    image = Image.fromarray(pixels)
    if image.size != size:
        image = image.resize(size, Image.Resampling.BICUBIC)
    left, top = (_offset(length - side, crop) for length in size)
    array = np.array(image.crop((left, top, left + side, top + side)), dtype=np.float32)
    array /= np.float32(255.0)
    array -= np.asarray(MEAN, np.float32)
    array /= np.asarray(DEVIATION, np.float32)
    return np.ascontiguousarray(array.transpose(2, 0, 1))


def crops_agree(width: int, height: int, side: int = 224) -> bool:
    """Whether both rules cut the same crop out of a picture of this size."""
    short = min(width, height)
    surplus = int(side * max(width, height) / short) - side
    return _offset(surplus, "floor") == _offset(surplus, "round")


def _offset(surplus: int, crop: Crop) -> int:
    return surplus // 2 if crop == "floor" else round(surplus / 2.0)


@dataclass(frozen=True)
class Tokens:
    """Token ids (N, 77) and, for each text, how many tokens it had before it was cut (with start
    and end).
    """

    ids: Any
    mask: Any
    lengths: tuple[int, ...]
    limit: int


class ClipModel:
    """A CLIP checkpoint in transformers' layout (config.json, model.safetensors, vocab.json,
    merges.txt).

    Features are **as the model projects them**, float32, not scaled to length 1. The two towers are
    loaded when first used: scoring pictures against pictures never loads the text tower.

    Raises `WeightsError` when the configuration names another activation than `activation`, when
    the built network does not compute it, or when files do not fit; `MissingExtra` without
    transformers.
    """

    def __init__(
        self, folder: Path, *, activation: str | None = "quick_gelu", runtime: Runtime | None = None
    ) -> None:
        self.folder = folder
        self.runtime = runtime or Runtime()
        self._activation = activation
        self._config = _read_config(folder)
        self._check_config()
        self._vision: Any = None
        self._text: Any = None
        self._tokenizer: Any = None

    @property
    def side(self) -> int:
        """The input's side in pixels."""
        return int(self._config.get("vision_config", {}).get("image_size", 224))

    @property
    def limit(self) -> int:
        """Tokens that the text tower takes, start and end token included."""
        return int(self._config.get("text_config", {}).get("max_position_embeddings", 77))

    def _check_config(self) -> None:
        if self._activation is None:
            return
        for tower in ("text_config", "vision_config"):
            found = self._config.get(tower, {}).get("hidden_act", "quick_gelu")
            if found != self._activation:
                raise WeightsError(
                    f"{self.folder}: {tower} names the activation {found!r}, these weights were "
                    f"trained with "
                    f"{self._activation!r}; with another one every score is silently wrong"
                )

    def image_features(self, inputs: Sequence[Floats]) -> Floats:
        """Features (N, D) of preprocessed pictures (3, side, side)."""
        torch = torch_for("CLIP")
        if self._vision is None:
            self._vision = self._load("CLIPVisionModelWithProjection")
        batch = on_device(np.stack(list(inputs)), self.runtime.device).to(self._dtype)
        with torch.inference_mode():
            return np.asarray(
                self._vision(pixel_values=batch).image_embeds.float().cpu().numpy(), np.float32
            )

    def text_features(self, tokens: Tokens) -> Floats:
        """Features (N, D) of tokenised texts."""
        torch = torch_for("CLIP")
        if self._text is None:
            self._text = self._load("CLIPTextModelWithProjection")
        device = self.runtime.device
        with torch.inference_mode():
            found = self._text(
                input_ids=tokens.ids.to(device), attention_mask=tokens.mask.to(device)
            ).text_embeds
        return np.asarray(found.float().cpu().numpy(), np.float32)

    def tokenize(self, texts: Sequence[str]) -> Tokens:
        """Token ids, padded to the limit; a text that is too long loses words at its end, never the
        end token.

        Padding is id 0, as in the original code: padded with the end token (transformers' way) the
        features are the same, but the place of the end token is then found by the first of several
        equal maxima.
        """
        torch = torch_for("CLIP")
        if self._tokenizer is None:
            self._tokenizer = _load_tokenizer(self.folder)
        limit = self.limit
        whole = [self._tokenizer(text, verbose=False)["input_ids"] for text in texts]
        end = int(self._tokenizer.eos_token_id)
        ids = torch.zeros((len(whole), limit), dtype=torch.long)
        mask = torch.zeros((len(whole), limit), dtype=torch.long)
        for row, found in enumerate(whole):
            kept = found if len(found) <= limit else [*found[: limit - 1], end]
            ids[row, : len(kept)] = torch.tensor(kept)
            mask[row, : len(kept)] = 1
        return Tokens(ids, mask, tuple(len(found) for found in whole), limit)

    @property
    def _dtype(self) -> Any:
        return getattr(torch_for("CLIP"), self.runtime.precision)

    def _load(self, kind: str) -> Any:
        model = pretrained(self.folder, kind, "CLIP", self.runtime)
        self._probe(model)
        return model

    def _probe(self, model: Any) -> None:
        """Give the network's own activation numbers: what the configuration says is not what may
        have been built.
        """
        if self._activation != "quick_gelu":
            return
        torch = torch_for("CLIP")
        numbers = torch.linspace(-4, 4, 33)
        wanted = numbers * torch.sigmoid(1.702 * numbers)
        for name, module in model.named_modules():
            function = getattr(module, "activation_fn", None)
            if function is not None and not torch.allclose(function(numbers), wanted, atol=1e-5):
                raise WeightsError(
                    f"{self.folder}: {name} computes another activation than quick_gelu; with it "
                    f"every score is "
                    "silently wrong"
                )


def _read_config(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        found = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise WeightsError(
            f"{path}: wanted a CLIP configuration, found none that can be read ({error})"
        ) from error
    if not isinstance(found, dict):
        raise WeightsError(f"{path}: wanted a CLIP configuration, found no mapping")
    return found


def _load_tokenizer(folder: Path) -> Any:
    transformers = transformers_for("CLIP")
    try:
        vocabulary = orjson.loads((folder / "vocab.json").read_bytes())
        lines = (folder / "merges.txt").read_text(encoding="utf-8").splitlines()
        merges = [tuple(line.split()) for line in lines if line and not line.startswith("#version")]
        return transformers.CLIPTokenizer(vocab=vocabulary, merges=merges)
    except Exception as error:  # the Rust tokenizer raises plain Exception
        raise WeightsError(f"{folder}: the CLIP tokenizer cannot be loaded ({error})") from error

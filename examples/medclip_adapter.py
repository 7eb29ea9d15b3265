"""MedCLIP for editgauge: a program of its own, for an environment of its own.

The package `medclip` needs transformers of 2022. Make an environment for it and name this program to editgauge:

    python -m venv medclip-env
    medclip-env/bin/pip install medclip "transformers<4.25" "setuptools<81"
    export EDITGAUGE_MEDCLIP="$PWD/medclip-env/bin/python $PWD/examples/medclip_adapter.py"
    editgauge score medebench DATA --tracks embedding --run RUN

The value is the cosine of MedCLIP's picture and text embeddings (vision tower: Swin, `MedCLIPVisionModelViT`). The
weights are downloaded by the package at the first start. The conversation is described in `editgauge.scoring.adapter`.
"""

from __future__ import annotations

import argparse
import functools
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from imagereward_adapter import serve


def embeddings(model: Any, inputs: Any, device: str) -> tuple[Any, Any]:
    """The picture's and the text's embedding of one pair, from the model's two towers.

    Not through `forward` and `encode_text` of the package, which move their inputs to CUDA whatever
    the model is on. The towers themselves are the same; a cosine does not mind their length.
    """
    at = {name: value.to(device) for name, value in inputs.items()}
    picture = model.encode_image(at["pixel_values"])[0]
    return picture, model.text_model(at["input_ids"], at["attention_mask"])[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()

    import medclip
    import torch
    from medclip import MedCLIPModel, MedCLIPProcessor, MedCLIPVisionModelViT
    from PIL import Image

    model = MedCLIPModel(vision_cls=MedCLIPVisionModelViT)
    load = torch.load  # the package loads what a GPU saved, without saying onto which device
    torch.load = functools.partial(load, map_location=args.device)
    try:
        model.from_pretrained()
    finally:
        torch.load = load
    model.to(args.device).eval()
    processor = MedCLIPProcessor()

    def score(image: str, text: str) -> float:
        inputs = processor(text=[text], images=Image.open(image).convert("RGB"), return_tensors="pt", padding=True)
        with torch.no_grad():
            picture, words = embeddings(model, inputs, args.device)
        return float(torch.nn.functional.cosine_similarity(picture, words, dim=0))

    serve("MedCLIP-ViT", getattr(medclip, "__version__", "unknown version"), score)


if __name__ == "__main__":
    main()

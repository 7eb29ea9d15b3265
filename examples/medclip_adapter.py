"""MedCLIP for editgauge: a program of its own, for an environment of its own.

The package `medclip` needs transformers of 2022. Make an environment for it and name this program to editgauge:

    python -m venv medclip-env
    medclip-env/bin/pip install medclip "transformers<4.25" "setuptools<81"
    export EDITGAUGE_MEDCLIP="$PWD/medclip-env/bin/python $PWD/examples/medclip_adapter.py"
    editgauge score medebench DATA --tracks embedding --run RUN

The value is the cosine of MedCLIP's picture and text embeddings (vision tower: Swin, `MedCLIPVisionModelViT`). The
weights are downloaded by the package at the first start. The conversation is described in `editgauge.networks.adapter`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from imagereward_adapter import serve


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()

    import medclip
    import torch
    from medclip import MedCLIPModel, MedCLIPProcessor, MedCLIPVisionModelViT
    from PIL import Image

    model = MedCLIPModel(vision_cls=MedCLIPVisionModelViT)
    model.from_pretrained()
    model.to(args.device).eval()
    processor = MedCLIPProcessor()

    def score(image: str, text: str) -> float:
        inputs = processor(text=[text], images=Image.open(image).convert("RGB"), return_tensors="pt", padding=True)
        with torch.no_grad():
            found = model(**{name: value.to(args.device) for name, value in inputs.items()})
        picture, words = found["img_embeds"][0], found["text_embeds"][0]
        return float(torch.nn.functional.cosine_similarity(picture, words, dim=0))

    serve("MedCLIP-ViT", getattr(medclip, "__version__", "unknown version"), score)


if __name__ == "__main__":
    main()

"""ImageReward for editgauge: a program of its own, for an environment of its own.

The package `image-reward` needs an older transformers than editgauge has. Make an environment for it and name this
program to editgauge:

    python -m venv imagereward-env
    imagereward-env/bin/pip install image-reward "transformers<4.40" "setuptools<81"
    export EDITGAUGE_IMAGEREWARD="$PWD/imagereward-env/bin/python $PWD/examples/imagereward_adapter.py"
    editgauge score medebench DATA --tracks embedding --run RUN

The first start downloads ImageReward-v1.0 (1.8 GB); `--checkpoint FILE` takes a local copy, and its SHA-256 becomes
part of every row. The conversation is described in `editgauge.scoring.adapter`: one JSON object a line.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path


def serve(model: str, identity: str, score: Callable[[str, str], float]) -> None:
    """Introduce the model, then answer every question with a value or an error, until the input is closed."""
    replies = sys.stdout
    sys.stdout = sys.stderr  # libraries print; only answers may go to the real standard output
    print(json.dumps({"adapter": 1, "model": model, "identity": identity}), file=replies, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            reply = {"id": asked["id"], "value": float(score(asked["image"], asked["text"]))}
        except Exception as error:  # one picture's fault: it becomes the status and reason of its row
            reply = {"id": asked["id"], "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), file=replies, flush=True)


def checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, help="ImageReward.pt; default: downloaded by the package")
    parser.add_argument("--med-config", help="med_config.json, needed with --checkpoint")
    parser.add_argument("--device", default=None)
    args = parser.parse_args()

    import ImageReward

    name = str(args.checkpoint) if args.checkpoint else "ImageReward-v1.0"
    model = ImageReward.load(name, device=args.device or "cpu", med_config=args.med_config)
    identity = checksum(args.checkpoint) if args.checkpoint else "ImageReward-v1.0 as the package downloads it"
    serve("ImageReward-v1.0", identity, lambda image, text: model.score(text, image))


if __name__ == "__main__":
    main()

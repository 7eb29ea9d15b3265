"""A model as a program, as `--editor command` wants it: JSON lines in, JSON lines out. Here it mirrors the picture.

    editgauge edit mini --editor command --set program="python examples/command_editor.py" --set name=mirror
"""

import json
import sys

from PIL import Image, ImageOps


def main() -> None:
    print("loaded", file=sys.stderr, flush=True)  # load the model here, once; logs go to standard error
    for line in sys.stdin:
        asked = json.loads(line)
        with Image.open(asked["images"][0]) as image:
            ImageOps.mirror(image.convert("RGB")).save(asked["output"])
        print(json.dumps({"id": asked["id"], "image": asked["output"]}), flush=True)


if __name__ == "__main__":
    main()

"""Research code that lives in its own folder and environment, joined as a program. Made for repositories such as
BAGEL, Step1X-Edit or Emu, whose inference is a class with one call; change the three marked places for yours.

    git clone … ~/code/their-model          with its own environment in ~/code/their-model/.venv
    editgauge edit texteditbench DATA --editor command --run runs/first --set name=their-model --set timeout=1800 \
        --set program="$HOME/code/their-model/.venv/bin/python examples/research_repository.py $HOME/code/their-model"

Nothing of editgauge is imported here: this file runs in their environment.
"""

import contextlib
import importlib
import json
import sys
import traceback
from pathlib import Path
from typing import Any


def load(repository: Path) -> Any:
    """Load the model once. (1) Their module and class, (2) their weights."""
    sys.path.insert(0, str(repository))
    inferencer = importlib.import_module("inferencer")  # (1)
    return inferencer.Inferencer(str(repository / "weights"))  # (2)


def answer(model: Any, asked: dict[str, Any]) -> dict[str, Any]:
    """One sample. (3) Their call: what it is named, and what it wants."""
    try:
        with contextlib.redirect_stdout(sys.stderr):  # whatever they print must not be taken for an answer
            image = model.edit(asked["images"][0], asked["instruction"], seed=asked["seed"])  # (3)
        image.save(asked["output"])
    except MemoryError:
        raise  # let the process die: it is started afresh and asked again
    except Exception as error:
        traceback.print_exc()
        return {"id": asked["id"], "error": f"{type(error).__name__}: {error}"}
    return {"id": asked["id"], "image": asked["output"]}


def main() -> None:
    with contextlib.redirect_stdout(sys.stderr):
        model = load(Path(sys.argv[1]).expanduser())
    for line in sys.stdin:
        print(json.dumps(answer(model, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

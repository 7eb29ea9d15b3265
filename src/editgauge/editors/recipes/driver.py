"""A recipe's program: speaks the protocol of ``--editor command``, runs a model's own repository.

Stands alone: it needs nothing but Python's library, so that it runs in the environment of the
model, whatever that holds. Called as ::

    python driver.py RECIPE.json

where the file says what is run (see `editgauge.editors.recipes`). Two kinds of recipe:

``script``
    The repository has a command that takes a picture and an instruction. It is called once a
    sample; the weights are loaded every time.
``function``
    It has none. A short file of the user's in the repository, ``editgauge_entry.py``, defines
    ``load(settings)``, which returns ``edit(image, instruction, seed)``; that returns a picture of
    Pillow. It is loaded once.

Not run with any model's weights by its authors: tested against stand-ins for the repositories.
"""

from __future__ import annotations

import glob
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        recipe = json.load(file)
    answer = sys.stdout
    sys.stdout = sys.stderr  # whatever the model's code prints is its log
    os.chdir(recipe["folder"])
    print(f"recipe {recipe['name']} at commit {commit() or 'not known'}", flush=True)
    edit = by_function(recipe) if recipe["kind"] == "function" else by_script(recipe)
    for line in sys.stdin:
        asked = json.loads(line)
        told = {"id": asked["id"]}
        try:
            if len(asked["images"]) != 1:
                told |= {"error": "the model takes one picture", "status": "not_applicable"}
            else:
                told["image"] = edit(asked)
        except Exception as error:
            told["error"] = f"{type(error).__name__}: {error}"[:400]
        answer.write(json.dumps(told) + "\n")
        answer.flush()


def commit() -> str:
    """The commit of the repository that is run; empty where git does not tell."""
    try:
        words = ["git", "rev-parse", "HEAD"]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def by_function(recipe: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    sys.path.insert(0, os.getcwd())
    load = importlib.import_module("editgauge_entry").load
    made = load(dict(recipe["settings"]))

    def edit(asked: dict[str, Any]) -> str:
        picture = made(asked["images"][0], instruction_of(recipe, asked), asked.get("seed", 0))
        picture.save(asked["output"])
        return str(asked["output"])

    return edit


def by_script(recipe: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    def edit(asked: dict[str, Any]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return called(recipe, asked, folder)

    return edit


def called(recipe: dict[str, Any], asked: dict[str, Any], folder: str) -> str:
    """Call the repository's command for one sample; returns the path of its picture."""
    image = os.path.join(folder, "in", "input.png")
    output = os.path.join(folder, "out", "output.png")
    for place in (image, output):
        os.makedirs(os.path.dirname(place))
    shutil.copyfile(asked["images"][0], image)
    instruction = instruction_of(recipe, asked)
    task = os.path.join(folder, "task.json")
    with open(task, "w", encoding="utf-8") as file:
        json.dump({"input.png": instruction}, file)
    words = {
        "python": sys.executable,
        "image": image,
        "output": output,
        "in": os.path.dirname(image),
        "out": os.path.dirname(output),
        "task": task,
        "instruction": instruction,
        "seed": str(asked.get("seed", 0)),
        **{name: str(value) for name, value in recipe["settings"].items()},
    }
    # Filled in word by word: an instruction is one argument, whatever it holds.
    argv = joined([fill(word, words) for word in recipe["argv"]], instruction)
    done = subprocess.run(argv, stdout=sys.stderr, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        last = ((done.stderr or "").strip().splitlines() or [""])[-1]
        forgiven = recipe.get("forgives") and last.startswith(recipe["forgives"])
        if not forgiven:
            raise RuntimeError(f"the repository's command ended with {done.returncode}: {last}")
    return delivered(folder, os.path.dirname(image), asked["output"])


def fill(word: str, values: dict[str, str]) -> str:
    """A word of the command with ``{name}`` replaced, once; the value is not looked at again."""
    if word.startswith("{") and word.endswith("}") and word[1:-1] in values:
        return values[word[1:-1]]
    for name in ("out", "in"):
        word = word.replace("{" + name + "}", values[name])
    return word


def joined(argv: list[str], instruction: str) -> list[str]:
    """The command with an instruction that begins with a dash written as ``--option=-5 %``: by
    itself it would be taken for an option.
    """
    if not instruction.startswith("-") or instruction not in argv[1:]:
        return argv
    at = argv.index(instruction)
    return [*argv[: at - 1], f"{argv[at - 1]}={instruction}", *argv[at + 1 :]]


def instruction_of(recipe: dict[str, Any], asked: dict[str, Any]) -> str:
    return str(recipe.get("prefix", "")) + str(asked["instruction"])


def delivered(folder: str, given: str, target: str) -> str:
    """The one picture that the command left, under the name that was asked for.

    Looked for in all of the temporary folder but what was `given`: some commands add to the name of
    the folder that they are told to write to.
    """
    found = [
        path
        for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True))
        if path.lower().endswith((".png", ".jpg", ".jpeg", ".webp"))
        and os.path.dirname(path) != given
    ]
    if not found:
        raise RuntimeError("the repository's command left no picture")
    if len(found) > 1:
        raise RuntimeError(f"the repository's command left {len(found)} pictures, one was wanted")
    shutil.copyfile(found[0], target)
    return target


if __name__ == "__main__":
    main(sys.argv[1])

"""Recipes: how the papers' models that live in repositories of their own are joined as editors.

A recipe is data (a TOML file here): the repository and its licence, what its environment needs, the
command that it documents, and presets with their origin. `driver` runs it in the model's own
environment and speaks the protocol of ``--editor command``. No recipe was run with weights by its
authors; each says so, and each is tested against a stand-in for its repository's entry point. A
commit is not invented: a recipe names the one at which its entry point was read, the driver says
which one it runs, and ``recipe run`` writes it down.
"""

from __future__ import annotations

import difflib
import json
import subprocess
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from editgauge.errors import DataError, UnknownName, UsageError

NOT_RUN = "Written from the repository's documentation; not run with its weights by our authors."


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One model. `argv` is the documented command, ``{image}``, ``{instruction}`` and the like
    being filled in; `presets` are settings by name, `origins` where each comes from.
    """

    name: str
    title: str
    repository: str
    paper: str
    source: str
    """Where the entry point is documented."""
    kind: Literal["script", "function"]
    commit: str = ""
    """The commit at which the entry point was read; empty where it was not."""
    licence: str = ""
    weights: str = ""
    python: str = "3.10"
    install: tuple[str, ...] = ("pip install -r requirements.txt",)
    argv: tuple[str, ...] = ()
    prefix: str = ""
    """Put before every instruction, as the paper does."""
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    entry: str = ""
    """What ``editgauge_entry.py`` is to hold, where the repository's documentation tells."""
    forgives: str = ""
    """An error after which the command's picture counts all the same."""


def names() -> list[str]:
    """The recipes there are, in alphabetical order."""
    place = resources.files(__name__)
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in place.iterdir()
        if entry.name.endswith(".toml")
    )


def load(name: str) -> Recipe:
    """A recipe by its name. Raises `UnknownName` with the nearest ones."""
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(names())}"
        raise UnknownName(f"recipe {name!r} is not known; {hint}")
    told = tomllib.loads(resources.files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))
    for key in ("install", "argv"):
        if key in told:
            told[key] = tuple(told[key])
    return Recipe(name=name, **told)


def settings_of(recipe: Recipe, preset: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a preset with the user's own in their place. Raises `UsageError` for a preset
    or a setting that the recipe has not.
    """
    if preset not in recipe.presets:
        raise UsageError(
            f"recipe {recipe.name}: preset {preset!r}: wanted one of {', '.join(recipe.presets)}"
        )
    known = {"weights": recipe.weights, **recipe.presets[preset]}
    unknown = sorted(set(own) - set(known))
    if unknown and recipe.kind == "script":
        raise UsageError(
            f"recipe {recipe.name}: wanted the settings {', '.join(known)}; found "
            f"{', '.join(unknown)}"
        )
    return {**known, **own}


def commit_of(folder: Path) -> str:
    """The commit of a repository's folder; "" where git does not tell."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def prepare(recipe: Recipe, folder: Path, settings: Mapping[str, Any], to: Path) -> list[str]:
    """Write what the driver reads, and return its command without the interpreter.

    `folder` is a checkout of the repository. Raises `DataError` when it is none, or lacks the file
    that the recipe calls.
    """
    folder = folder.expanduser().resolve()
    script = next((word for word in recipe.argv if word.endswith(".py")), "editgauge_entry.py")
    if not (folder / script).is_file():
        found = "a folder without it" if folder.is_dir() else "no such folder"
        raise DataError(
            f"recipe {recipe.name}: wanted {script} in a checkout of {recipe.repository}, found "
            f"{found}; see: editgauge recipe show {recipe.name}"
        )
    to.parent.mkdir(parents=True, exist_ok=True)
    told = {
        "name": recipe.name,
        "kind": recipe.kind,
        "folder": str(folder),
        "argv": list(recipe.argv),
        "prefix": recipe.prefix,
        "forgives": recipe.forgives,
        "settings": dict(settings),
    }
    to.write_text(json.dumps(told, indent=1), encoding="utf-8")
    driver = resources.files(__name__).joinpath("driver.py")
    return [str(driver), str(to)]


TEMPLATE = '''"""Joins this repository to editgauge. Fill in the two places."""


def load(settings):
    model = ...  # load the weights once; `settings` are those of the recipe's preset

    def edit(image, instruction, seed):
        """The picture at the path `image`, edited; a picture of Pillow."""
        ...  # call the model

    return edit
'''
"""What ``editgauge_entry.py`` starts from, for recipes of kind ``function``."""

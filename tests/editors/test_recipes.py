"""Recipes against stand-ins for their repositories' entry points, through the editor ``command``:
each stand-in takes the arguments that the repository documents, and no others.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.command_line import invoke

from editgauge import catalog
from editgauge.editors import recipes
from editgauge.errors import DataError, UnknownName, UsageError
from editgauge.images import read_image
from editgauge.testing import make_sample
from editgauge.types import Edit, Status

WANTED = {
    "anyedit", "bagel", "bagel-think", "emu2", "emu3.5", "icedit", "instructdiffusion",
    "internvl-u", "lumina-dimoo", "omnigen2", "ovis-u1", "seed-x", "step1x-edit",
}  # fmt: skip
SCRIPTS = [name for name in recipes.names() if recipes.load(name).kind == "script"]
FUNCTIONS = [name for name in recipes.names() if recipes.load(name).kind == "function"]
_HEAD = """
import argparse, json, os, sys
from PIL import Image, ImageOps
p = argparse.ArgumentParser()
"""
_EDIT = """
def edit(source, target, instruction):
    if "crash" in instruction: sys.exit("out of luck")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    print("loading weights", instruction)
    if "nothing" not in instruction: ImageOps.invert(Image.open(source).convert("RGB")).save(target)
    if "twice" in instruction: Image.new("RGB", (4, 4)).save(target + ".2.png")
"""
STAND_INS = {
    "omnigen2": """
for n in ("model_path", "num_inference_step", "text_guidance_scale", "image_guidance_scale", "instruction",
          "num_images_per_prompt", "seed"):
    p.add_argument("--" + n, required=True)
p.add_argument("--input_image_path", nargs="+"); p.add_argument("--output_image_path")
a = p.parse_args(); assert float(a.text_guidance_scale) == 5.0 and int(a.num_inference_step) == 50
edit(a.input_image_path[0], a.output_image_path, a.instruction)
""",
    "step1x-edit": """
for n in ("input_dir", "model_path", "json_path", "output_dir"): p.add_argument("--" + n, required=True)
p.add_argument("--seed", type=int); p.add_argument("--size_level", type=int)
a = p.parse_args()
for name, instruction in json.load(open(a.json_path)).items():
    edit(os.path.join(a.input_dir, name), os.path.join(a.output_dir, name), instruction)
""",
    "icedit": """
p.add_argument("--image", required=True); p.add_argument("--instruction", required=True)
p.add_argument("--seed", type=int); p.add_argument("--output-dir")
a = p.parse_args()
edit(a.image, os.path.join(a.output_dir, os.path.basename(a.image)), a.instruction)
""",
    "instructdiffusion": """
for n in ("input", "edit", "config", "ckpt", "outdir"): p.add_argument("--" + n, required=True)
for n in ("resolution", "steps", "seed"): p.add_argument("--" + n, type=int)
for n in ("cfg-text", "cfg-image"): p.add_argument("--" + n, type=float)
a = p.parse_args(); assert (a.cfg_text, a.cfg_image) == (5.0, 1.25)
edit(a.input, os.path.join(a.outdir, "result.jpg" if False else "result.png"), a.edit)
""",
    "lumina-dimoo": """
for n in ("checkpoint", "prompt", "image_path", "vae_ckpt", "output_dir"): p.add_argument("--" + n, required=True)
p.add_argument("--edit_type", choices=["edit_add", "edit_remove", "edit_replace", "edit_background"])
p.add_argument("--timesteps", type=int); p.add_argument("--cfg_scale", type=float); p.add_argument("--cfg_img", type=float)
a = p.parse_args(); edit(a.image_path, os.path.join(a.output_dir, "edited.png"), a.prompt)
""",
}
_ENTRY = """
from PIL import Image, ImageOps
LOADED = []
def load(settings):
    LOADED.append(settings)
    def edit(image, instruction, seed):
        if "crash" in instruction: raise RuntimeError("out of luck")
        assert len(LOADED) == 1
        if %r: assert instruction.startswith(%r)
        return ImageOps.invert(Image.open(image).convert("RGB"))
    return edit
"""


def checkout(name: str, folder: Path) -> Path:
    """A repository of which only the entry point is there."""
    recipe = recipes.load(name)
    if recipe.kind == "function":
        path, text = folder / "editgauge_entry.py", _ENTRY % (recipe.prefix, recipe.prefix)
    else:
        path = folder / next(word for word in recipe.argv if word.endswith(".py"))
        text = _HEAD + _EDIT + STAND_INS[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return folder


def joined(name: str, tmp_path: Path, **settings: Any) -> Any:
    recipe = recipes.load(name)
    told = recipes.settings_of(recipe, "default", settings)
    words = recipes.prepare(recipe, checkout(name, tmp_path / "repo"), told, tmp_path / "r.json")
    program = " ".join([sys.executable, *words])
    return catalog.find("editors", "command")([], program=program, name=name)


def ask(made: Any, tmp_path: Path, instruction: str, seed: int = 0) -> Edit:
    sample = make_sample(tmp_path / "data", f"s{seed}", instruction=instruction)
    (tmp_path / "out").mkdir(exist_ok=True)
    edit: Edit = made(sample, tmp_path / "out")
    if edit.ok and edit.path is not None:
        inverted = 255 - read_image(sample.image).astype(int)
        assert np.abs(read_image(edit.path) - inverted).max() == 0
    return edit


def test_every_model_of_the_papers_has_one() -> None:
    assert set(recipes.names()) == WANTED
    assert set(SCRIPTS) == set(STAND_INS)


@pytest.mark.parametrize("name", sorted(WANTED))
def test_a_recipe_edits_through_its_entry_point(name: str, tmp_path: Path) -> None:
    made = joined(name, tmp_path)
    try:
        for seed in range(2):
            edit = ask(made, tmp_path, "Make it {image} 'red'; $(touch x)", seed)
            assert edit.ok, edit.reason
        assert not (tmp_path / "repo" / "x").exists(), "an instruction is no shell command"
    finally:
        made.close()


@pytest.mark.parametrize("name", [*SCRIPTS, "bagel"])
def test_a_sample_that_fails_does_not_end_the_others(name: str, tmp_path: Path) -> None:
    made = joined(name, tmp_path)
    try:
        failed = ask(made, tmp_path, "crash")
        assert failed.status is Status.FAILED
        assert "out of luck" in failed.reason
        if name in SCRIPTS:
            assert "left no picture" in ask(made, tmp_path, "nothing").reason
            assert "2 pictures" in ask(made, tmp_path, "twice").reason
        assert ask(made, tmp_path, "fine").ok
    finally:
        made.close()


@pytest.mark.parametrize("name", sorted(WANTED))
def test_a_recipe_says_where_it_is_from_and_that_it_was_not_run(name: str) -> None:
    recipe = recipes.load(name)
    assert recipe.source
    assert recipe.paper
    assert set(recipe.presets) == set(recipe.origins)
    shown = invoke(["recipe", "show", name])
    assert shown.exit_code == 0, shown.output
    assert recipes.NOT_RUN in shown.output
    assert "commit:     to be looked up" in shown.output
    assert ("editgauge_entry.py" in shown.output) == (recipe.kind == "function")


def test_run_writes_down_the_commit_and_prints_the_command(tmp_path: Path) -> None:
    folder = checkout("omnigen2", tmp_path / "repo")
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    words = ["recipe", "run", "omnigen2", str(folder), "--set", "steps=4"]
    told = invoke([*words, "--to", str(tmp_path / "r.json")])
    assert told.exit_code == 0, told.output
    commit = recipes.commit_of(folder)
    assert len(commit) == 40
    assert commit in told.output
    assert "--editor command" in told.output
    assert json.loads((tmp_path / "r.json").read_text())["settings"]["steps"] == "4"


def test_what_is_refused(tmp_path: Path) -> None:
    recipe = recipes.load("omnigen2")
    with pytest.raises(UnknownName, match="did you mean omnigen2"):
        recipes.load("omnigen")
    with pytest.raises(UsageError, match="found colour"):
        recipes.settings_of(recipe, "default", {"colour": 1})
    with pytest.raises(UsageError, match="wanted one of default"):
        recipes.settings_of(recipe, "best", {})
    with pytest.raises(DataError, match=r"wanted inference\.py in a checkout"):
        recipes.prepare(recipe, tmp_path, {}, tmp_path / "r.json")

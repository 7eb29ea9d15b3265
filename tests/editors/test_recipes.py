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
a = p.parse_args(); times = []
for name, instruction in json.load(open(a.json_path)).items():
    edit(os.path.join(a.input_dir, name), os.path.join(f"{a.output_dir}-{a.size_level}", name), instruction)
    times.append(1.0)
print(sum(times[1:]) / len(times[1:]))  # as the repository's script does, also for one picture
""",
    "icedit": """
p.add_argument("--image", required=True); p.add_argument("--instruction", required=True)
p.add_argument("--seed", type=int); p.add_argument("--output-dir")
p.add_argument("--lora-path")
a = p.parse_args(); assert a.lora_path == "RiverZ/normal-lora"
edit(a.image, os.path.join(a.output_dir, os.path.basename(a.image)), a.instruction)
""",
    "instructdiffusion": """
for n in ("input", "edit", "config", "ckpt", "outdir"): p.add_argument("--" + n, required=True)
for n in ("resolution", "steps", "seed"): p.add_argument("--" + n, type=int)
for n in ("cfg-text", "cfg-image"): p.add_argument("--" + n, type=float)
a = p.parse_args(); assert (a.cfg_text, a.cfg_image) == (5.0, 1.25)
edit(a.input, os.path.join(a.outdir, f"output_input_seed{a.seed}.jpg"), a.edit)
""",
    "lumina-dimoo": """
for n in ("checkpoint", "prompt", "image_path", "vae_ckpt", "output_dir"): p.add_argument("--" + n, required=True)
p.add_argument("--edit_type", choices=["edit_add", "edit_remove", "edit_replace", "edit_background"])
p.add_argument("--timesteps", type=int); p.add_argument("--cfg_scale", type=float); p.add_argument("--cfg_img", type=float)
a = p.parse_args(); edit(a.image_path, os.path.join(a.output_dir, "edited.png"), a.prompt)
""",
}
_TORCH = """
bfloat16 = "bfloat16"
class no_grad:
    def __enter__(self): pass
    def __exit__(self, *told): pass
class Generator:
    def __init__(self, device): assert device == "cuda"
    def manual_seed(self, seed): return self
def manual_seed(seed): assert isinstance(seed, int)
"""
_MADE = """
from PIL import Image, ImageOps
class Result:
    def __init__(self, picture): self.images = [ImageOps.invert(picture)]
    def __getitem__(self, index): return self.images[index]
def invert(picture, instruction):
    assert picture.mode == "RGB" and isinstance(instruction, str)
    if "crash" in instruction: raise RuntimeError("out of luck")
    return Result(picture)
"""
PACKAGES = {
    "internvl-u": {
        "torch.py": _TORCH,
        "internvlu.py": _MADE
        + """
class InternVLUPipeline:
    @classmethod
    def from_pretrained(cls, path, torch_dtype): assert path == "OpenGVLab/InternVL-U"; return cls()
    def to(self, device): assert device == "cuda"
    def __call__(self, prompt, image, generation_mode, width, height, generator):
        assert generation_mode == "image" and (width, height) == image.size
        return invert(image, prompt)
""",
    },
    "emu2": {
        "torch.py": _TORCH,
        "diffusers.py": _MADE
        + """
class DiffusionPipeline:
    @classmethod
    def from_pretrained(cls, path, custom_pipeline, torch_dtype, use_safetensors, variant):
        assert custom_pipeline == "pipeline_emu2_gen" and variant == "bf16"; return cls()
    def to(self, device): assert device == "cuda"
    def __call__(self, prompt): return invert(*prompt)
""",
    },
    "anyedit": {
        "torch.py": _TORCH,
        "anysd/src/model.py": _MADE
        + """
class AnySDPipeline:
    def __init__(self, adapters_list, task_embs_checkpoints):
        assert len(adapters_list) == 9 and task_embs_checkpoints == "experts/task_embs.bin"
        assert adapters_list["visual_depth"] == "experts/visual_dep.bin"
    def __call__(self, prompt, original_image, guidance_scale, num_inference_steps,
                 original_image_guidance_scale, adapter_name):
        assert (guidance_scale, num_inference_steps, adapter_name) == (3.0, 100, "general")
        return invert(original_image, prompt)
""",
        "anysd/src/utils.py": """
def get_experts_dir(repo_id): assert repo_id == "WeiChow/AnySD"; return "experts/"
""",
    },
}
"""The public entry points that a recipe's own file calls, by the file in which they stand."""
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
    for file, held in PACKAGES.get(name, {}).items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(held)
    if recipe.kind == "function":
        path = folder / "editgauge_entry.py"
        text = recipe.entry or _ENTRY % (recipe.prefix, recipe.prefix)
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
        away = np.abs(read_image(edit.path) - inverted)
        assert away.mean() < 20 if made.name == "instructdiffusion" else away.max() == 0  # a JPEG
    return edit


def test_every_model_of_the_papers_has_one() -> None:
    assert set(recipes.names()) == WANTED
    assert set(SCRIPTS) == set(STAND_INS)
    assert {name for name in FUNCTIONS if recipes.load(name).entry} == set(PACKAGES)


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


def test_an_instruction_that_begins_with_a_dash_is_no_option(tmp_path: Path) -> None:
    made = joined("icedit", tmp_path)
    try:
        edit = ask(made, tmp_path, "-50 % becomes -30 %")
        assert edit.ok, edit.reason
    finally:
        made.close()


@pytest.mark.parametrize("name", [*SCRIPTS, "bagel", "emu2"])
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
    assert recipe.licence
    assert set(recipe.presets) == set(recipe.origins)
    shown = invoke(["recipe", "show", name])
    assert shown.exit_code == 0, shown.output
    assert recipes.NOT_RUN in shown.output
    assert f"commit:     {recipe.commit or 'not known'}" in shown.output
    assert ("editgauge_entry.py" in shown.output) == (recipe.kind == "function")


@pytest.mark.parametrize("name", sorted(SCRIPTS))
def test_every_setting_of_a_command_is_a_word_of_it(name: str) -> None:
    recipe = recipes.load(name)
    places = " ".join(recipe.argv)
    for preset in recipe.presets:
        for setting in recipes.settings_of(recipe, preset, {}):
            assert f"{{{setting}}}" in places


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

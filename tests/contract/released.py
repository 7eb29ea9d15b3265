"""What the released scripts send, recorded: small data sets in the official layouts, the scripts of
../shared/released run on them with a client that keeps each request, and `released.json`, which
holds the requests as hashes. No word of the scripts is in this project.

    python -m tests.contract.released ../shared/released     # writes released.json anew
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import gc
import hashlib
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from PIL import Image

from tests.contract.datasets import (
    MANUAL,
    SIZE,
    WEB,
    instance,
    prompt_record,
    prompts,
    task_record,
    tasks,
)
from tests.contract.server import pixels_of
from tests.contract.support import picture, save

FILE = Path(__file__).with_suffix(".json")
ODD = 'Replace "A" with {B} — “{{C}}”, 100 % and \\n'
"""An instruction with everything that a template could trip over."""
Sent = dict[str, Any]
"""A request: its parameters, and its parts as hashes."""


def canonical(body: dict[str, Any], names: dict[str, str]) -> Sent:
    """Parameters by value, texts by hash, pictures by declared type and file (see `names_of`)."""
    parts = []
    for message in body["messages"]:
        content = message["content"]
        for part in content if isinstance(content, list) else [content]:
            parts.append([message["role"], *part_of(part, names)])
    told = {name: value for name, value in body.items() if name not in ("messages", "model")}
    return {"parameters": told, "messages": len(body["messages"]), "parts": parts}


def part_of(part: Any, names: dict[str, str]) -> Iterator[Any]:
    """A text's kind and hash, or a picture's declared type and file."""
    if isinstance(part, str):
        yield from ("words", _hash(part.encode()))
    elif part["type"] == "text":
        yield from ("text", _hash(part["text"].encode()))
    else:
        shown = part["image_url"]
        kind, data = re.fullmatch(r"data:([^;]*);base64,(.*)", shown["url"]).groups()  # type: ignore[union-attr]
        pixels = pixels_of(base64.b64decode(data))
        yield from (kind, names.get(_look(pixels), "another picture"))
        yield from sorted(name for name in shown if name != "url")


def names_of(root: Path) -> dict[str, str]:
    """Every picture of DATA and OUTPUTS by its pixels: as it is, in the size of the others, as JPEG of
    quality 85. Known by looking, so that no hash depends on a decoder's version.
    """
    names = {}
    for path in sorted([*root.glob("DATA/**/*.*"), *root.glob("OUTPUTS/**/*.*")]):
        if path.suffix in (".jpg", ".png"):
            name = path.relative_to(root).as_posix()
            with Image.open(path) as opened:
                shown = opened.convert("RGB")
            buffer = io.BytesIO()
            shown.save(buffer, "JPEG", quality=85)
            names[_look(pixels_of(buffer.getvalue()))] = f"{name} as JPEG 85"
            resized = shown.resize((64, 48), Image.Resampling.LANCZOS)
            names[_look(np.asarray(resized))] = f"{name} in 64 x 48"
            names[_look(np.asarray(shown))] = name
    return names


def _look(pixels: np.ndarray[Any, Any]) -> str:
    return f"{pixels.shape} {_hash(pixels.tobytes())}"


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:20]


def ordered(sent: Iterable[Sent]) -> list[Sent]:
    """Requests in an order that does not depend on who was first."""
    return sorted(sent, key=lambda one: json.dumps(one, sort_keys=True))


# -- data sets -------------------------------------------------------------------------------------


def texteditbench(root: Path) -> None:
    """A synthetic and a real sample with a knowledge prompt, and a real one that spells it wrong."""
    known, split, kind = "a {linked} fact", (MANUAL, WEB, WEB), ("canva", "real", "real")
    for number, name in ((4, "knowledge_prompt"), (5, "knowledge_prompt"), (6, "knoeledge_prompt")):
        folder = instance(
            root / "DATA", number, split=split[number - 4], prompt=ODD, **{name: known}
        )
        place = root / "OUTPUTS" / "m" / kind[number - 4] / folder.parent.name
        save(place / f"{number:03d}_edited.jpg", picture(number + 100, *SIZE))


def textedit(root: Path) -> None:
    """A Virtual and a Real sample, whose outputs have another size."""
    for number, category in ((1, "1.1.1"), (2, "2.3")):
        words = {"source_text": 'A "{x}"', "target_text": "B", "gt_caption": "A sign."}
        record = prompt_record(number, category, prompt=ODD, **words)
        prompts(root / "DATA", [record], part="miniset", category=category)
        save(root / "OUTPUTS" / "m" / category / f"{number}.0.png", picture(number + 100, 30, 40))


KRIS = {
    "color_change": ("1", ["1.jpg"], ""),
    "anomaly_correction": ("2", ["2.jpg"], ""),
    "chemistry": ("3", ["3.png"], ""),
    "abstract_reasoning": ("4", ["4.jpg"], "4-gt.jpg"),
    "viewpoint_change": ("5", ["5.jpg"], "5-gt.png"),
    "multi-element_composition": ("6", ["6-1.jpg", "6-2.png", "6-3.jpg"], ""),
}
TEMPORAL = {"temporal_prediction": ("7", ["7-1.png", "7-3.png", "7-4.png"], "7-2.png")}


def krisbench(root: Path, kinds: dict[str, tuple[str, list[str], str]]) -> None:
    """A sample of each kind of task."""
    for task, (number, inputs, truth) in kinds.items():
        shown = inputs if len(inputs) > 1 else inputs[0]
        words = {"ins_en": ODD, "explain_en": "because {so}"}
        record = task_record(ori_img=shown, gt_img=truth, **words)
        names = [*inputs, truth] if truth else inputs
        tasks(root / "DATA", {number: record}, category=task, names=names, seed=10 * int(number))
        save(root / "OUTPUTS" / "m" / task / f"{number}.png", picture(int(number) + 200, *SIZE))


DATA: dict[str, Callable[[Path], None]] = {
    "texteditbench": texteditbench,
    "textedit": textedit,
    "krisbench": lambda root: krisbench(root, KRIS),
    "krisbench temporal": lambda root: krisbench(root, TEMPORAL),
}
"""Makes the folders DATA and OUTPUTS, with outputs of the editor ``m``."""


# -- the scripts, as they run ----------------------------------------------------------------------


class Recorder:
    """A stand-in for the OpenAI client."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.chat = types.SimpleNamespace(completions=self)

    def create(self, **words: Any) -> Any:
        self.sent.append(words)
        content = '{"IF": 3, "TA": 3, "VC": 3, "LP": 3, "SE": 3, "rationale": "x"}'
        message = types.SimpleNamespace(content=content)
        choice = types.SimpleNamespace(message=message, finish_reason="stop")
        return types.SimpleNamespace(choices=[choice])


@contextlib.contextmanager
def script(path: Path, client: Recorder) -> Iterator[Any]:
    """A released script as a module, its libraries replaced by stand-ins."""

    def stand_in(name: str, **members: Any) -> types.ModuleType:
        module = types.ModuleType(name)
        vars(module).update(members)
        return module

    modules = {
        "openai": stand_in("openai", OpenAI=lambda **_: client),
        "dotenv": stand_in("dotenv", load_dotenv=lambda: None),
        "tqdm": stand_in("tqdm", tqdm=lambda items, **_: items),
        "requests": stand_in("requests"),
        "json_repair": stand_in("json_repair", loads=json.loads),
        "utils": stand_in("utils"),
    }
    texts = path.parent / "prompts.py"
    if texts.is_file():
        modules["utils.prompts"] = _module("utils.prompts", texts)
    with (
        mock.patch.dict(sys.modules, modules),
        mock.patch.object(sys, "path", [str(path.parent), *sys.path]),
        mock.patch.object(sys, "argv", ["script"]),
        mock.patch.object(sys, "dont_write_bytecode", True),
        mock.patch.dict(os.environ, {"OPENAI_API_KEY": "none"}),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        yield _module(path.stem, path)


def _module(name: str, path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(benchmark: str, scripts: Path, root: Path) -> list[Sent]:
    """What the benchmark's scripts send for the data below `root`."""
    client = Recorder()
    with contextlib.chdir(root / "DATA"):
        if benchmark == "texteditbench":
            for record in sorted(Path().glob("*/*/*/*.json")):
                (task,) = json.loads(record.read_text(encoding="utf-8"))
                real = "web" in record.parts[0]
                file = "gpt_eval_no_refer.py" if real else "gpt_eval.py"
                place = root / "OUTPUTS" / "m" / ("real" if real else "canva") / record.parts[1]
                with script(scripts / benchmark / file, client) as module:
                    module.evaluate_task(task, record.parent, place)
        elif benchmark == "textedit":
            with script(scripts / benchmark / "vlm_metrics_eval_step1.py", client) as module:
                told = argparse.Namespace(
                    input_data_dir="eval_prompts/miniset",
                    gt_data_root="data",
                    model_output_root=str(root / "OUTPUTS"),
                    output_base_dir=str(root / "scores"),
                    debug=False,
                )
                wrapper = module.GeminiInferenceWrapper("key", "url", max_workers=1)
                module.process_model("m", told, wrapper, module.GlobalProgress(2))
        else:
            for folder in sorted(Path("KRIS_Bench").iterdir()):
                file, function = _KRIS_SCRIPTS.get(folder.name, ("metrics_common.py", _COMMON))
                (number,) = json.loads((folder / "annotation.json").read_text(encoding="utf-8"))
                with script(scripts / "krisbench" / file, client) as module:
                    module.RESULTS_DIR = str(root / "OUTPUTS")
                    getattr(module, function)("m", folder.name, number)
    names = names_of(root)
    return ordered(canonical(sent, names) for sent in client.sent)


_COMMON = "evaluate_images"
_KRIS_SCRIPTS = {
    "chemistry": ("metrics_knowledge.py", _COMMON),
    "abstract_reasoning": ("metrics_knowledge.py", _COMMON),
    "viewpoint_change": ("metrics_view_change.py", _COMMON),
    "multi-element_composition": ("metrics_multi_element.py", "evaluate_multi_element_images"),
    "temporal_prediction": ("metrics_temporal_prediction.py", "evaluate_temporal_images"),
}


def record_all(scripts: Path) -> dict[str, list[Sent]]:
    """Every benchmark's requests."""
    found = {}
    for benchmark, make in DATA.items():
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            make(root)
            warnings.simplefilter("ignore", ResourceWarning)  # the scripts leave files open
            found[benchmark] = recorded(benchmark, scripts.resolve(), root)
            gc.collect()
    return found


if __name__ == "__main__":
    text = json.dumps(record_all(Path(sys.argv[1])), indent=None, separators=(",", ":"))
    FILE.write_text(re.sub(r'(\{"parameters")', r"\n\1", text) + "\n", encoding="utf-8")

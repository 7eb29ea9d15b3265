"""The papers' requests: equal to what the released scripts send, message by message.

Where the released scripts are beside the project, their own functions are run with a client that
records the request. Nothing of their text is in this file.
"""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import io
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editgauge.benchmarks.krisbench import paper as kris
from editgauge.benchmarks.medebench import paper as medebench
from editgauge.benchmarks.textedit import paper as textedit
from editgauge.benchmarks.texteditbench import paper as texteditbench
from editgauge.errors import DataError, UsageError
from editgauge.judging import paper, prompts
from editgauge.judging.chat import pieces, skeleton
from editgauge.judging.dialect import Dialect
from editgauge.judging.pictures import PictureStore
from editgauge.judging.protocol import Call
from editgauge.judging.rubrics import RubricFolder
from editgauge.store.hashes import HashStore
from editgauge.types import Edit, Sample

ODD = 'Replace "A" with {B} — “{{C}}”, 100 % and \\n'
"""An instruction with everything that a template could trip over."""


class Recorder:
    """A stand-in for the OpenAI client: keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.chat = types.SimpleNamespace(completions=self)

    def create(self, **words: Any) -> Any:
        self.sent.append(words)
        message = types.SimpleNamespace(content='{"x": 1}')
        choice = types.SimpleNamespace(message=message, finish_reason="stop")
        return types.SimpleNamespace(choices=[choice])


@contextlib.contextmanager
def script(path: Path, client: Recorder) -> Iterator[Any]:
    """A released script as a module, with its libraries replaced by stand-ins."""

    def stand_in(name: str, **members: Any) -> types.ModuleType:
        module = types.ModuleType(name)
        for key, value in members.items():
            setattr(module, key, value)
        return module

    texts = path.parent / "prompts.py"
    modules = {
        "openai": stand_in("openai", OpenAI=lambda **_: client),
        "dotenv": stand_in("dotenv", load_dotenv=lambda: None),
        "tqdm": stand_in("tqdm", tqdm=lambda items, **_: items),
        "requests": stand_in("requests"),
        "json_repair": stand_in("json_repair", loads=lambda text: None),
        "utils": stand_in("utils"),
    }
    if texts.is_file():
        modules["utils.prompts"] = load_module("utils.prompts", texts)
    before = {name: sys.modules.get(name) for name in (*modules, "metrics_common")}
    argv = sys.argv
    sys.modules.update(modules)
    sys.argv = ["script"]
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", "none")
            patch.syspath_prepend(str(path.parent))  # scripts import each other
            yield load_module(path.stem, path)
    finally:
        sys.argv = argv
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module


def load_module(name: str, path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def picture(path: Path, seed: int, size: tuple[int, int] = (24, 18)) -> Path:
    noise = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(noise).save(path)
    return path


def b64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def body(call: Call, hashes: Path) -> dict[str, Any]:
    """The request as it leaves the machine."""
    import orjson

    with HashStore(hashes) as store:
        pictures = PictureStore(store)
        words = skeleton(call, "gpt-4o", Dialect())
        built = pieces(words, [pictures.encode(p) for p in call.pictures])
    found: dict[str, Any] = orjson.loads(b"".join(built))
    return found


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Equal texts, order, declared types, parameters; pictures equal in their pixels."""
    assert {k: v for k, v in ours.items() if k not in ("messages", "model")} == {
        k: v for k, v in theirs.items() if k not in ("messages", "model")
    }
    assert unfolded(ours["messages"]) == unfolded(theirs["messages"])


def unfolded(messages: list[dict[str, Any]]) -> list[Any]:
    found: list[Any] = []
    for message in messages:
        content = message["content"]
        for part in content if isinstance(content, list) else [content]:
            address = part.get("image_url", {}).get("url") if isinstance(part, dict) else None
            if address is None:
                found.append((message["role"], part))
            else:
                kind, data = re.fullmatch(r"data:([^;]*);base64,(.*)", address).groups()  # type: ignore[union-attr]
                with Image.open(io.BytesIO(base64.b64decode(data))) as shown:
                    pixels = np.asarray(shown.convert("RGB"))
                found.append((message["role"], kind, pixels.shape, pixels.tobytes()))
    return found


def sample(tmp_path: Path, benchmark: str, **words: Any) -> Sample:
    given: dict[str, Any] = {
        "benchmark": benchmark,
        "id": "1",
        "split": "",
        "category": (),
        "instruction": ODD,
        "images": (picture(tmp_path / "in.png", 1),),
        "output_stems": ("1",),
        "reference": picture(tmp_path / "ref.jpg", 2),
    }
    return Sample(**{**given, **words})


def asked(
    declared: paper.ReleasedPrompts, source: Path, tmp_path: Path, item: Sample, **options: Any
) -> dict[str, Call]:
    built = paper.fetch(declared, tmp_path / "set", clone=source)
    again = prompts.load(tmp_path / "set", declared.benchmark)
    assert again == built
    edit = Edit(sample="1", editor="m", path=picture(tmp_path / "out.png", 3, (30, 40)))
    rubrics = RubricFolder("editgauge.benchmarks.mini")
    calls = declared.judging(again).calls(item, edit, rubrics, options)
    return {call.name: call for call in calls}


class TestTextEditBench:
    @pytest.mark.parametrize("reference", [True, False])
    @pytest.mark.parametrize("knowledge", ["a {linked} fact", None])
    def test_requests_are_the_scripts(
        self, shared: Path, tmp_path: Path, reference: bool, knowledge: str | None
    ) -> None:
        source = shared / "released" / "texteditbench"
        item = sample(
            tmp_path,
            "texteditbench",
            knowledge=knowledge,
            attributes={"operation": "text_change"},
            **({} if reference else {"reference": None}),
        )
        calls = asked(texteditbench.PROMPTS, source, tmp_path, item)
        assert ("SE" in calls) == (knowledge is not None)
        images = [b64(item.image), b64(tmp_path / "out.png")]
        for name, call in calls.items():
            client = Recorder()
            file = "gpt_eval.py" if reference else "gpt_eval_no_refer.py"
            with script(source / file, client) as module:
                if reference:
                    assert item.reference is not None
                    module.call_llm_evaluation(
                        name,
                        *images,
                        b64(item.reference),
                        ODD,
                        editing_method="text_change",
                        knowledge_prompt=knowledge,
                        retry_count=1,
                    )
                else:  # as its evaluate_task calls it
                    more = {"IF": {"editing_method": "text_change"}}.get(name, {})
                    more |= {"SE": {"knowledge_prompt": knowledge}}.get(name, {})  # type: ignore[dict-item]
                    module.call_llm_evaluation(name, *images, ODD, retry_count=1, **more)
            same(body(call, tmp_path / "h.sqlite"), client.sent[0])

    def test_se_is_asked_only_under_the_right_spelling(self, shared: Path, tmp_path: Path) -> None:
        item = sample(
            tmp_path,
            "texteditbench",
            knowledge="fact",
            attributes={"operation": "text_change", "knowledge_key": "knowledge prompt"},
        )
        source = shared / "released" / "texteditbench"
        assert "SE" not in asked(texteditbench.PROMPTS, source, tmp_path, item)


class TestTextEdit:
    def test_the_request_is_the_scripts(self, shared: Path, tmp_path: Path) -> None:
        source = shared / "released" / "textedit"
        item = sample(tmp_path, "textedit", source_text='A "{x}"', target_text="B")
        call = asked(textedit.PROMPTS, source, tmp_path, item)["Q"]
        client = Recorder()
        with script(source / "vlm_metrics_eval_step1.py", client) as module:
            wrapper = module.GeminiInferenceWrapper("key", "url", model_name="m")
            with Image.open(item.image) as original:
                resized = module.resize_image_to_target(str(tmp_path / "out.png"), original.size)
            assert item.reference is not None
            messages = wrapper.build_chat_messages(
                [str(item.image), str(item.reference), resized],
                module.PROMPT_MAIN_EVAL.format(raw_text='A "{x}"', target_text="B"),
            )
            wrapper.generate_single(messages)
            Path(resized).unlink()
        same(body(call, tmp_path / "h.sqlite"), client.sent[0])


class TestKrisBench:
    @pytest.mark.parametrize("task", ["color_change", "anomaly_correction"])
    def test_common_tasks(self, shared: Path, tmp_path: Path, task: str) -> None:
        module = "metrics_common.py"
        item = sample(tmp_path, "krisbench", attributes={"task": task}, knowledge="because")
        calls, source = self.made(shared, tmp_path, item)
        pair = {"original_base64": b64(item.image), "edited_base64": b64(tmp_path / "out.png")}
        for name, constant, given in (
            ("VC", "prompt_consist", pair),
            ("IF", "prompt_instruction_following", pair),
            ("VQ", "prompt_quality", {"edited_base64": pair["edited_base64"]}),
        ):
            client = Recorder()
            with script(source / module, client) as ran:
                text = getattr(ran, constant)
                text = text if name == "VQ" else text.format(instruct=ODD)
                ran.evaluate_with_gpt(text, **given)
            same(body(calls[name], tmp_path / "h.sqlite"), client.sent[0])

    def test_the_anomaly_hint_is_an_option(self, shared: Path, tmp_path: Path) -> None:
        item = sample(
            tmp_path, "krisbench", attributes={"task": "anomaly_correction"}, knowledge="because"
        )
        hinted, source = self.made(shared, tmp_path, item, anomaly_hint=True)
        client = Recorder()
        with script(source / "metrics_common.py", client) as ran:
            text = ran.prompt_abnormal_instruction_following
            ran.evaluate_with_gpt(
                text.format(instruct=ODD, explanation="because"),
                b64(item.image),
                b64(tmp_path / "out.png"),
            )
        same(body(hinted["IF"], tmp_path / "h.sqlite"), client.sent[0])

    @pytest.mark.parametrize("hint", [True, False])
    def test_knowledge_tasks(self, shared: Path, tmp_path: Path, hint: bool) -> None:
        attributes = {"task": "chemistry", "dimension": "Natural Science"}
        item = sample(tmp_path, "krisbench", attributes=attributes, knowledge="because {so}")
        calls, source = self.made(shared, tmp_path, item, hint=hint)
        client = Recorder()
        with script(source / "metrics_knowledge.py", client) as ran:
            explanation = "because {so}" if hint else ""
            text = ran.prompt_dual_evaluation.format(instruct=ODD, explanation=explanation)
            ran.evaluate_with_gpt(text, b64(item.image), b64(tmp_path / "out.png"))
            ran.evaluate_with_gpt(
                ran.prompt_consist.format(instruct=ODD),
                b64(item.image),
                b64(tmp_path / "out.png"),
            )
        same(body(calls["IF+KP"], tmp_path / "h.sqlite"), client.sent[0])
        same(body(calls["VC"], tmp_path / "h.sqlite"), client.sent[1])

    def test_viewpoint_shows_the_ground_truth_last(self, shared: Path, tmp_path: Path) -> None:
        item = sample(tmp_path, "krisbench", attributes={"task": "viewpoint_change"})
        calls, source = self.made(shared, tmp_path, item)
        assert item.reference is not None
        client = Recorder()
        with script(source / "metrics_view_change.py", client) as ran:
            text = ran.prompt_view_instruction_following.format(instruct=ODD)
            ran.evaluate_with_gpt(
                text, b64(item.image), b64(tmp_path / "out.png"), b64(item.reference)
            )
            ran.evaluate_with_gpt(ran.prompt_quality, None, b64(tmp_path / "out.png"))
        same(body(calls["IF"], tmp_path / "h.sqlite"), client.sent[0])
        same(body(calls["VQ"], tmp_path / "h.sqlite"), client.sent[1])

    def test_several_elements_in_order(self, shared: Path, tmp_path: Path) -> None:
        images = tuple(picture(tmp_path / f"e{n}.png", n) for n in range(3))
        attributes = {"task": "multi-element_composition"}
        item = sample(tmp_path, "krisbench", attributes=attributes, images=images)
        calls, source = self.made(shared, tmp_path, item)
        client = Recorder()
        with script(source / "metrics_multi_element.py", client) as ran:
            for constant in (ran.prompt_consist_multi, ran.prompt_instruction_multi):
                ran.evaluate_multi_element_with_gpt(
                    constant.format(instruct=ODD),
                    [b64(path) for path in images],
                    b64(tmp_path / "out.png"),
                )
            ran.evaluate_with_gpt(ran.prompt_quality, edited_base64=b64(tmp_path / "out.png"))
        for name, sent in zip(("VC", "IF", "VQ"), client.sent, strict=True):
            same(body(calls[name], tmp_path / "h.sqlite"), sent)

    @pytest.mark.parametrize("missing", [1, 2, 4])
    def test_frames_in_their_order(self, shared: Path, tmp_path: Path, missing: int) -> None:
        numbers = [n for n in (1, 2, 3, 4) if n != missing]
        images = tuple(picture(tmp_path / f"f{n}.png", n) for n in numbers)
        attributes = {
            "task": "temporal_prediction (forward)",
            "frames": ",".join(map(str, numbers)),
            "missing_frame": missing,
        }
        item = sample(tmp_path, "krisbench", attributes=attributes, images=images)
        calls, source = self.made(shared, tmp_path, item)
        client = Recorder()
        with script(source / "metrics_temporal_prediction.py", client) as ran:
            for constant in (ran.prompt_consist_temporal, ran.prompt_instruction_temporal):
                ran.evaluate_temporal_with_gpt(
                    constant.format(N=missing, instruct=ODD),
                    [ran.encode_image_to_base64(path) for path in images],
                    ran.encode_image_to_base64(tmp_path / "out.png"),
                    numbers,
                    missing,
                )
        for name, sent in zip(("VC", "IF"), client.sent, strict=True):
            same(body(calls[name], tmp_path / "h.sqlite"), sent)

    @staticmethod
    def made(
        shared: Path, tmp_path: Path, item: Sample, **options: Any
    ) -> tuple[dict[str, Call], Path]:
        source = shared / "released" / "krisbench"
        return asked(kris.PROMPTS, source, tmp_path, item, **options), source


MEDICAL = """
def build_gpt4o_prompt(editing_prompt, prev_img, edited_img, gt_img):
    return [
        {"role": "user", "content": [{"type": "text", "text": f"Wanted: {editing_prompt}"}]},
        {"role": "user", "content": [
            {"type": "text", "text": "Before"},
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{prev_img}"}}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{gt_img}"}}]},
        {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{edited_img}"}}]},
        {"role": "user", "content": [{"type": "text", "text": ("Two " "steps")}]},
    ]

def evaluate_sample(prompt, prev_path, edit_path, gt_path):
    client.chat.completions.create(model="gpt-4o", messages=build(), max_tokens=400)
"""


DESCRIBING = """
def generate_detailed_prompt(sample):
    prev_image_b64, changed_image_b64 = load(sample)
    instruction = sample["prompt"]
    system_instruction = ("Say what " "changed.")
    messages = [{"role": "user", "content": [
        {"type": "text", "text": f"{system_instruction}\\n\\nInstruction: {instruction}"},
        {"type": "image_url", "image_url": {
            "url": f"data:image/jpeg;base64,{prev_image_b64}", "detail": "high"}},
        {"type": "image_url", "image_url": {
            "url": f"data:image/jpeg;base64,{changed_image_b64}", "detail": "high"}},
    ]}]
    return client.chat.completions.create(model="m", messages=messages, max_tokens=150)
"""


class TestMedEBench:
    def test_the_template_of_descriptions_is_in_the_set(self, tmp_path: Path) -> None:
        (tmp_path / "evaluate_gpt4o.py").write_text(MEDICAL)
        (tmp_path / "augment_prompt.py").write_text(DESCRIBING)
        built = paper.fetch(medebench.PROMPTS, tmp_path / "set", clone=tmp_path)
        assert prompts.load(tmp_path / "set", "medebench") == built
        call = built.call("description")
        assert call.parameters == {"max_tokens": 150}
        words, before, after = call.messages[0].parts
        assert words.text is not None
        assert words.text[0] == "Say what changed.\n\nInstruction: "
        assert (before.picture, after.picture) == ("input", "reference")
        assert {before.detail, after.detail} == {"high"}

    def test_five_messages_in_the_scripts_order(self, tmp_path: Path) -> None:
        """A script of the released one's shape, in words of our own."""
        clone = tmp_path / "clone"
        clone.mkdir()
        (clone / "evaluate_gpt4o.py").write_text(MEDICAL)
        (clone / "augment_prompt.py").write_text(DESCRIBING)
        item = sample(tmp_path, "medebench", change="the change")
        for kind, wanted in (("D", "the change"), ("P", ODD)):
            call = asked(medebench.PROMPTS, clone, tmp_path, item, text=kind)[f"EA+VQ {kind}"]
            sent = body(call, tmp_path / "h.sqlite")
            assert (sent["max_tokens"], "temperature" in sent) == (400, False)
            found = unfolded(sent["messages"])
            assert len(sent["messages"]) == 5
            assert found[0] == ("user", {"type": "text", "text": f"Wanted: {wanted}"})
            assert found[-1] == ("user", {"type": "text", "text": "Two steps"})
            shown = [entry[1] for entry in found if len(entry) == 4]
            assert shown == ["image/jpeg"] * 3


class TestSets:
    def test_a_script_of_another_version_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "vlm_metrics_eval_step1.py").write_text("PROMPT_MAIN_EVAL = 'x'")
        with pytest.raises(DataError, match="is not the pinned"):
            paper.fetch(textedit.PROMPTS, tmp_path / "set", clone=tmp_path)

    def test_a_script_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"looked for evaluation/gpt_eval\.py"):
            paper.fetch(texteditbench.PROMPTS, tmp_path / "set", clone=tmp_path)

    def test_an_address_that_is_not_recorded_asks_for_a_clone(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="--from DIR"):
            paper.fetch(textedit.PROMPTS, tmp_path / "set")

    def test_no_set_says_how_to_get_one(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="editgauge fetch prompts textedit"):
            prompts.load(tmp_path, "textedit")

    @pytest.mark.parametrize(
        "content", ["{", "[]", '{"format": 9}', '{"format": 1, "benchmark": "other"}']
    )
    def test_a_damaged_set_is_one_clear_error(self, tmp_path: Path, content: str) -> None:
        (tmp_path / prompts.FILE).write_text(content)
        with pytest.raises(DataError, match=r"set\.json"):
            prompts.load(tmp_path, "textedit")

    def test_every_paper_prompt_is_readable(self, shared: Path, tmp_path: Path) -> None:
        built = paper.fetch(kris.PROMPTS, tmp_path, clone=shared / "released" / "krisbench")
        lines = list(prompts.readable(built))
        assert sum(line.startswith("== ") for line in lines) == len(built.calls) == 16
        assert any("{explanation}" in line for line in lines)

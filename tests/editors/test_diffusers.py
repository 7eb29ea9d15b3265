"""Diffusion editors end to end, on tiny random pipelines that the tests save to disk themselves."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("diffusers", reason="diffusion editors need the extra neural")
pytest.importorskip("transformers", reason="diffusion editors need the extra neural")
pytest.importorskip("torch", reason="diffusion editors need the extra neural")

import diffusers
import torch
from tests.editors import tiny_pipelines

from editgauge import catalog
from editgauge.editors.loading import call_of, content_hash, why_no_editor
from editgauge.editors.models import MODELS
from editgauge.editors.tracks import Track, on_track
from editgauge.errors import Unavailable, UsageError
from editgauge.images import read_image
from editgauge.run.edit import Limits
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.testing import make_sample
from editgauge.types import Status

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries warn of each other's renamings


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Pipelines on disk, each made once."""
    folder = tmp_path_factory.mktemp("pipelines")
    makers = {
        "pix2pix": tiny_pipelines.instructpix2pix,
        "kontext": tiny_pipelines.kontext,
        "qwen": tiny_pipelines.qwen,
        "plus": lambda path: tiny_pipelines.qwen(path, plus=True),
    }
    return lambda name: folder / name if (folder / name).is_dir() else makers[name](folder / name)


@pytest.fixture
def small_qwen(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_pipelines.small_qwen(monkeypatch)


def editor(family_name: str, path: Path, **settings: Any) -> Any:
    given = {"num_inference_steps": "2", "device": "cpu", **settings}
    return catalog.find("editors", family_name)([], model=str(path), **given)


def test_what_an_edit_says_of_how_it_was_made(saved: Any, tmp_path: Path) -> None:
    samples = [make_sample(tmp_path / "data", f"s{n}", size=(64, 48)) for n in range(2)]
    made = editor("instructpix2pix", saved("pix2pix"), side="64")
    run = Run.create(tmp_path / "run")
    assert edit_all(run, "mini", samples, made).counts == {"scored": 2}
    record = run.edits("mini")[0]
    assert (record.seed, record.width, record.height) == (0, 64, 48)
    assert record.settings["num_inference_steps"] == 2
    assert record.settings["image_guidance_scale"] == 1.5
    assert record.settings["model"] == "pix2pix", "no path of this machine"
    assert str(record.settings["revision"]).startswith("folder-")


SMALL: dict[str, tuple[str, dict[str, Any]]] = {
    "instructpix2pix": ("pix2pix", {"side": "64"}),
    "magicbrush": ("pix2pix", {"side": "64"}),
    "paint-by-inpaint": ("pix2pix", {"side": "64"}),
    "flux-kontext": ("kontext", {"max_area": "3072", "_auto_resize": "false"}),
    "qwen-image-edit": ("qwen", {}),
    "qwen-image-edit-plus": ("plus", {"height": "64", "width": "64"}),
    "diffusers": ("pix2pix", {}),
}
"""A tiny pipeline and settings for an editor of each family."""
PIX2PIX = "StableDiffusionInstructPix2PixPipeline"


@pytest.mark.parametrize(
    ("name", "more", "facts"),
    [
        ("flux-kontext", {}, {"guidance_scale": 2.5}),
        ("qwen-image-edit", {}, {"true_cfg_scale": 4.0}),
        ("diffusers", {}, {"pipeline": PIX2PIX, "num_inference_steps": 2}),
        ("diffusers", {"pipeline": PIX2PIX}, {"pipeline": PIX2PIX}),
    ],
)
def test_a_model_of_each_kind_edits_one_picture(
    name: str, more: Any, facts: Any, saved: Any, small_qwen: None, tmp_path: Path
) -> None:
    pipeline, settings = SMALL[name]
    made = editor(name, saved(pipeline), **settings, **more)
    sample = make_sample(tmp_path, size=(64, 48))
    edit = made(sample, tmp_path)
    assert edit.ok, edit.reason
    assert edit.settings.items() >= facts.items()
    assert name == "qwen-image-edit" or (edit.width, edit.height) == (64, 48)
    assert name != "diffusers" or made.name == "pix2pix"
    several = replace(sample, images=(sample.image, sample.image))
    assert made(several, tmp_path).status is Status.NOT_APPLICABLE


def test_qwen_plus_takes_several_pictures_and_demonstrations(
    saved: Any, small_qwen: None, tmp_path: Path
) -> None:
    samples = [make_sample(tmp_path / "data", f"s{n}", size=(64, 48)) for n in range(3)]
    several = replace(samples[0], images=(samples[0].image, samples[1].image))
    made = editor("qwen-image-edit-plus", saved("plus"), height="64", width="64")
    assert made(several, tmp_path).ok
    one, two = (
        on_track(made, Track(shots=count), pool=samples)(samples[0], tmp_path) for count in (1, 2)
    )
    assert one.ok, one.reason
    assert len(one.settings["demonstrations"]) == 1
    assert two.status is Status.NOT_APPLICABLE
    assert "demonstrations make it 5" in two.reason


def test_a_revision_that_is_not_pinned_is_looked_up_and_recorded(
    saved: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    pipeline = diffusers.StableDiffusionInstructPix2PixPipeline
    real = pipeline.from_pretrained
    hub = SimpleNamespace(model_info=lambda model: SimpleNamespace(sha="c0ffee"))
    monkeypatch.setattr("huggingface_hub.HfApi", lambda: hub)

    def load(source: str, *, revision: str, **options: Any) -> Any:
        asked.update(source=source, revision=revision)
        return real(str(saved("pix2pix")), **options)

    monkeypatch.setattr(pipeline, "from_pretrained", load)
    for name, source, revision in (
        ("magicbrush", "vinesmsuic/magicbrush-jul7", "c0ffee"),
        ("instructpix2pix", "timbrooks/instruct-pix2pix", MODELS["instructpix2pix"].revision),
    ):
        made = catalog.find("editors", name)([], num_inference_steps=1, side=64, device="cpu")
        edit = made(make_sample(tmp_path), tmp_path)
        assert asked == {"source": source, "revision": revision}
        assert edit.settings["revision"] == revision


def test_the_table_names_pipelines_and_arguments_that_exist() -> None:
    for name, line in MODELS.items():
        assert catalog.EDITORS[name].startswith("editgauge.editors.diffusers:")
        assert line.origin
        pipeline = getattr(diffusers, line.pipeline)
        accepted = inspect.signature(pipeline.__call__).parameters
        assert set(line.defaults) <= set(accepted), name
        assert call_of(name, pipeline)[0] in accepted


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"strenght": "1"}, "found strenght"),
        ({"pipeline": "Flux2Kleinpipeline"}, "no pipeline Flux2Kleinpipeline"),
        ({"pipeline": "FluxPipeline"}, "wants a picture and a prompt"),
        ({"pipeline": "FluxPipeline"}, "pipeline=FluxImg2ImgPipeline or FluxKontextPipeline"),
        ({"pipeline": "StableDiffusionInpaintPipeline"}, "such as a mask"),
        ({"pipeline": "WanImageToVideoPipeline"}, "makes a video.* FILE.py:function"),
        ({"pipeline": "SanaImageToVideoPipeline"}, "makes a video"),
        ({"pipeline": "StableDiffusionControlNetPipeline"}, "a map that guides it"),
        ({"pipeline": "FluxControlImg2ImgPipeline"}, "a map that guides it"),
        ({"pipeline": "StableDiffusionUpscalePipeline"}, "does not edit its picture"),
        ({"pipeline": "KandinskyImg2ImgPipeline"}, "also needs image_embeds"),
    ],
)
def test_what_is_refused_by_name(saved: Any, settings: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        editor("diffusers", saved("pix2pix"), **settings)


def test_no_class_of_the_library_that_makes_a_video_or_enlarges_is_an_editor() -> None:
    accepted = set()
    for name in dir(diffusers):
        pipeline = getattr(diffusers, name, None) if name.endswith("Pipeline") else None
        if inspect.isclass(pipeline) and not why_no_editor(pipeline):
            accepted.add(name)
            parameters = inspect.signature(pipeline.__call__).parameters
            assert "num_frames" not in parameters, name
            assert "control_image" not in parameters, name
    assert {line.pipeline for line in MODELS.values()} <= accepted
    assert {"Flux2Pipeline", "QwenImageEditPlusPipeline", "FluxImg2ImgPipeline"} <= accepted
    assert not [name for name in accepted if "Video" in name or "Upscale" in name]


@pytest.mark.parametrize("family", sorted(MODELS))
def test_a_model_given_by_its_name_is_run_as_by_its_short_name(family: str) -> None:
    line = MODELS[family]
    short = catalog.find("editors", family)([], device="cpu")
    long = catalog.find("editors", "diffusers")([], model=line.hub, device="cpu")
    assert long.line == short.line
    assert long.arguments == short.arguments
    assert (long.told.side, long.told.pictures, long.told.dtype) == (
        short.told.side, short.told.pictures, short.told.dtype,
    )  # fmt: skip


def test_a_copy_of_a_known_model_in_a_folder_keeps_the_shape_of_its_input(saved: Any) -> None:
    made = editor("diffusers", saved("kontext"))
    assert made.line.sized
    assert made.arguments["guidance_scale"] == MODELS["flux-kontext"].defaults["guidance_scale"]


# -- loading, memory, devices ----------------------------------------------------------------------


def too_large(**_: Any) -> Any:
    raise torch.cuda.OutOfMemoryError("CUDA out of memory")


def withheld(**_: Any) -> Any:
    return SimpleNamespace(images=[], nsfw_content_detected=[True])


@pytest.mark.parametrize(
    ("pipeline", "status", "said"),
    [
        (too_large, "failed", "out of memory: cpu does not hold it; keep its parts"),
        (too_large, "failed", "the setting offload=true"),
        (withheld, "refused", ""),
    ],
)
def test_what_does_not_fit_or_is_withheld_is_that_sample_s_alone(
    pipeline: Any, status: str, said: str, tmp_path: Path
) -> None:
    made = editor("instructpix2pix", tmp_path, side="64")
    made._loaded = pipeline, "made here"
    run = Run.create(tmp_path / "run")
    samples = [make_sample(tmp_path / "data", f"s{n}", size=(64, 48)) for n in range(2)]
    assert edit_all(run, "mini", samples, made, workers=0).counts == {status: 2}
    assert said in run.edits("mini")[0].reason


def test_a_worker_uses_the_gpu_that_it_is_given_whatever_its_number(tmp_path: Path) -> None:
    made = editor("instructpix2pix", tmp_path, device="cuda:3")
    assert made.num_gpus == 1
    assert pickle.loads(pickle.dumps(made)).device == "cuda"


def test_a_model_edits_in_a_process_of_its_own_within_the_time_limit(
    saved: Any, tmp_path: Path
) -> None:
    samples = [make_sample(tmp_path / "data", f"s{n}", size=(32, 32)) for n in range(2)]
    run = Run.create(tmp_path / "run")
    quick = editor("instructpix2pix", saved("pix2pix"), side="32", name="quick")
    assert edit_all(run, "mini", samples, quick, workers=1).counts == {"scored": 2}
    assert quick._loaded is None, "the process that edits loads it, and no other"
    endless = {"side": "32", "name": "endless", "num_inference_steps": "1000"}
    slow = editor("instructpix2pix", saved("pix2pix"), **endless)
    limits = Limits(seconds=0.5)
    assert edit_all(run, "mini", samples[:1], slow, workers=1, limits=limits).counts == {
        "failed": 1
    }
    (ended,) = [one for one in run.edits("mini") if one.editor == "endless"]
    assert ended.reason == "it took longer than the time limit"


# -- on a GPU --------------------------------------------------------------------------------------


@pytest.mark.gpu
@pytest.mark.parametrize("name", sorted(SMALL))
def test_on_a_gpu_an_output_depends_on_its_sample_alone(
    name: str, saved: Any, small_qwen: None, tmp_path: Path
) -> None:
    pipeline, settings = SMALL[name]
    samples = [make_sample(tmp_path / "data", f"s{n}", size=(64, 48)) for n in range(3)]
    made = editor(name, saved(pipeline), dtype="float32", **{"device": "cuda", **settings})
    orders = [
        {one.id: read_image(made(one, tmp_path).path).astype(int) for one in turn}
        for turn in (samples, samples[::-1])
    ]
    for sample in samples:
        assert abs(orders[0][sample.id] - orders[1][sample.id]).max() <= 2


def test_a_local_folder_is_told_by_its_bytes(tmp_path: Path) -> None:
    for name, data in (("a", b"0123"), ("b", b"0124"), ("c", b"0123")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.safetensors").write_bytes(data)
    first, other, same = (content_hash(tmp_path / name) for name in "abc")
    assert first == same != other


def test_a_torchvision_that_does_not_fit_torch_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Broken:
        def __getattr__(self, name: str) -> Any:
            try:
                raise RuntimeError("operator torchvision::nms does not exist")
            except RuntimeError as error:
                raise RuntimeError("Failed to import diffusers.pipelines") from error

    monkeypatch.setattr("editgauge.editors.loading.library", lambda feature: Broken())
    with pytest.raises(Unavailable, match="a torchvision that fits this torch: pip install") as one:
        editor("omnigen", tmp_path)
    assert "\n" not in str(one.value)

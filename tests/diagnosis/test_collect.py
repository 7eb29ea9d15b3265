"""Attention of tiny random pipelines leaves what the pipeline makes as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("diffusers", reason="attention needs the extra neural")
pytest.importorskip("transformers", reason="attention needs the extra neural")
pytest.importorskip("torch", reason="attention needs the extra neural")

import torch
from tests.editors import tiny_pipelines

from editgauge.diagnosis import collect
from editgauge.diagnosis.collect import NotWatched, watch
from editgauge.diagnosis.concepts import last_tokens
from editgauge.testing import make_picture

pytestmark = pytest.mark.filterwarnings("ignore")  # the libraries warn of each other's renamings
PROMPT = "remove the wisdom teeth"


@pytest.fixture(scope="module")
def pipes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Pipelines, each made once."""
    import diffusers

    folder = tmp_path_factory.mktemp("pipelines")
    made: dict[str, Any] = {}

    def get(name: str) -> Any:
        if name not in made:
            path = getattr(tiny_pipelines, name)(folder / name)
            made[name] = diffusers.DiffusionPipeline.from_pretrained(path, safety_checker=None)
            made[name].set_progress_bar_config(disable=True)
        return made[name]

    return get


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny_pipelines.small_qwen(monkeypatch)


def run(pipe: Any, steps: int = 2, prompt: str = PROMPT, **more: Any) -> Any:
    """The pixels that a pipeline makes; the same for the same arguments."""
    name = type(pipe).__name__
    picture = Image.fromarray(make_picture((32, 24) if "Kontext" in name else (64, 48)))
    options: dict[str, Any] = {}
    if "Kontext" in name:
        options = {"height": 24, "width": 32, "max_area": 32 * 24, "_auto_resize": False}
        options["max_sequence_length"] = 32
    if "Qwen" in name:
        options = {"negative_prompt": " ", "true_cfg_scale": 4.0}
    with torch.inference_mode():
        made = pipe(
            prompt=prompt,
            image=picture,
            num_inference_steps=steps,
            generator=torch.Generator().manual_seed(0),
            **(options | more),
        )
    return np.asarray(made.images[0])


def concept_in(pipe: Any, concept: str = "teeth", prompt: str = PROMPT) -> Any:
    kind = collect.kind_of(pipe)
    tokenizer = getattr(pipe, kind.tokenizer)
    return lambda given, seen: last_tokens(prompt, concept, tokenizer, given, seen).positions


@pytest.mark.parametrize("name", ["instructpix2pix", "kontext", "qwen"])
def test_the_output_is_the_same_to_the_last_bit(pipes: Any, name: str) -> None:
    pipe = pipes(name)
    plain = run(pipe)
    network = getattr(pipe, collect.kind_of(pipe).model)
    before = {key: id(value) for key, value in network.attn_processors.items()}
    with watch(pipe, concept_in(pipe)) as found:
        watched = run(pipe)
    assert (plain == watched).all()
    assert found.calls == 2, "one call a step is of the conditional branch"
    assert {key: id(value) for key, value in network.attn_processors.items()} == before
    assert not network._forward_pre_hooks
    assert (run(pipe) == plain).all()


def test_joint_attention_is_that_of_queries_and_keys_after_norms_and_positions(
    pipes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torch.nn import functional

    pipe = pipes("kontext")
    kept: list[Any] = []
    real = functional.scaled_dot_product_attention

    def spying(query: Any, key: Any, value: Any, **more: Any) -> Any:
        if query.shape[2] == 32 + 2 * 12 * 16:  # text, the new picture, the old one
            logits = query.double() @ key.double().transpose(-1, -2) / query.shape[-1] ** 0.5
            kept.append(logits.softmax(-1).mean(dim=1)[0])
        return real(query, key, value, **more)

    with monkeypatch.context() as patched:
        patched.setattr(functional, "scaled_dot_product_attention", spying)
        run(pipe)
    with watch(pipe, concept_in(pipe)) as found:
        run(pipe)
    (place,) = found.positions
    height, width = max(found.sums)
    text = 32
    wanted = torch.stack(kept).mean(dim=0)[text : text + height * width, place]
    np.testing.assert_allclose(found.map(), wanted.numpy().reshape(height, width), atol=1e-6)


def test_only_layers_of_the_wanted_resolution_count_and_others_are_named(pipes: Any) -> None:
    pipe = pipes("instructpix2pix")
    with watch(pipe, concept_in(pipe), resolution=4) as found:
        run(pipe)
    assert found.map().shape == (3, 4)
    with watch(pipe, concept_in(pipe), resolution=16) as found:
        run(pipe)
    with pytest.raises(NotWatched, match=r"there are 4x3 \(choose the longer side by"):
        found.map()


@pytest.mark.parametrize("masked", ["not", "added", "boolean", "of each query"])
def test_attention_is_what_the_library_computes_whatever_the_mask(masked: str) -> None:
    random = torch.Generator().manual_seed(0)
    query = torch.randn(2, 4, 5, 8, generator=random)
    key = torch.randn(2, 2, 7, 8, generator=random)  # half as many heads
    mask = {
        "not": None,
        "added": torch.randn(2, 1, 1, 7, generator=random),
        "boolean": torch.rand(2, 1, 1, 7, generator=random) < 0.6,
        "of each query": torch.randn(1, 4, 5, 7, generator=random),
    }[masked]
    value = torch.eye(7).expand(2, 2, 7, 7)
    for first, number in ((True, 0), (False, 1)):
        kind = collect.Kind("", "", "", joint=True, first=first)
        watching = collect._Watching(kind=kind, locate=lambda *_: (), resolution=None)
        watching.text, watching.size = torch.zeros(1, 1, 8), (1, 3)  # a text of one token
        watching.attention.positions = (2, 5)
        with collect._looking(watching.seen):
            made = torch.nn.functional.scaled_dot_product_attention(
                query, key, value, attn_mask=mask, scale=0.3, enable_gqa=True
            )
        wanted = made[number, :, 1:4][..., [2, 5]].mean(dim=0).T
        found = watching.attention.maps()[:, 0]
        np.testing.assert_allclose(found, wanted.numpy(), atol=1e-6)


@pytest.mark.gpu
def test_on_a_gpu_too_the_output_is_the_same_and_attention_sums_to_one(pipes: Any) -> None:
    pipe = pipes("instructpix2pix").to("cuda")
    try:
        plain = run(pipe)
        with watch(pipe, lambda given, seen: range(seen)) as found:
            assert (run(pipe) == plain).all()
        np.testing.assert_allclose(found.maps().sum(axis=0), 1.0, atol=1e-3)
    finally:
        pipe.to("cpu")

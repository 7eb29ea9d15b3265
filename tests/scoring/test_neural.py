"""The scorers from pictures on disk to scores, through the real loading code."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="neural metrics need torch")

from PIL import Image  # noqa: E402

from editgauge.benchmarks import medebench, textedit, texteditbench  # noqa: E402
from editgauge.images import read_image, read_mask, resize, write_png  # noqa: E402
from editgauge.metrics.frechet import frechet_distance, moments  # noqa: E402
from editgauge.networks import features, loading, runtime, weights  # noqa: E402
from editgauge.networks.inception import Inception, prepare  # noqa: E402
from editgauge.run.score import score  # noqa: E402
from editgauge.store import collect  # noqa: E402
from editgauge.store.hashes import HashStore  # noqa: E402
from editgauge.store.run import Run  # noqa: E402
from editgauge.testing import make_sample  # noqa: E402
from editgauge.types import Edit, Status  # noqa: E402
from tests.networks import tiny  # noqa: E402

BENCHMARKS = (texteditbench, textedit, medebench)


@pytest.fixture(autouse=True)
def nothing_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every test starts without networks in memory and with an empty weights folder."""
    for cached in (
        loading.lpips_network,
        features._clip_model,
        features._inception,
        features._cache,
    ):
        cached.cache_clear()
    (tmp_path / "weights").mkdir()
    monkeypatch.setenv(weights.ENVIRONMENT, str(tmp_path / "weights"))
    monkeypatch.setenv(runtime.THREADS, "1")
    for name in ("EDITGAUGE_IMAGEREWARD", "EDITGAUGE_MEDCLIP"):
        monkeypatch.delenv(name, raising=False)


def named(benchmark: Any, name: str, **options: Any) -> Any:
    scorers = benchmark.BENCHMARK.scorers(("pixel", "embedding"), **options)
    return next(scorer for scorer in scorers if scorer.name == name)


def pair(
    folder: Path, id: str = "one", *, alter: Callable[[Any], Any] = lambda p: p, **fields: Any
) -> Any:
    """A sample and an output that differs a little from its input everywhere."""
    sample = make_sample(folder, id, **fields)
    pixels = read_image(sample.image)
    noise = np.random.default_rng(len(id)).integers(-40, 41, pixels.shape)
    path = folder / id / "output.png"
    write_png(path, alter(np.clip(pixels.astype(int) + noise, 0, 255).astype(np.uint8)))
    return sample, Edit(sample=sample.id, editor="editor", path=path)


def many(scorer: Any, pairs: Any) -> list[Any]:
    """The scores of each pair, in order."""
    found = dict(scorer.score_many(pairs))
    return [found[index] for index in range(len(pairs))]


# -- LPIPS -----------------------------------------------------------------------------------------


def reference_lpips(net: str, monkeypatch: Any) -> Callable[[Any, Any], float]:
    """torchmetrics' LPIPS with the backbone that `tiny.install_lpips` wrote."""
    module = pytest.importorskip("torchmetrics.functional.image.lpips")

    def filled(name: str, pretrained: bool = False) -> Any:
        made = tiny.backbone(name)
        tiny.fill(made, 0)
        return made

    monkeypatch.setattr(module, "_get_tv_model_features", filled)
    network = module._LPIPS(pretrained=True, net=net, pnet_rand=True).eval()

    def value(*pictures: Any) -> float:
        tensors = (
            torch.from_numpy(p.copy()).permute(2, 0, 1)[None].float() / 127.5 - 1 for p in pictures
        )
        with torch.no_grad():
            return float(network(*tensors))

    return value


def test_texteditbench_lpips_is_torchmetrics_on_blackened_frames(
    monkeypatch: Any, tmp_path: Path
) -> None:
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "squeeze")
    sample, edit = pair(tmp_path)
    faithful, corrected = named(texteditbench, "lpips").score(sample, edit)
    black = read_mask(sample.masks["input"])[:, :, None]
    frames = [
        np.where(black, 0, read_image(path)).astype(np.uint8) for path in (sample.image, edit.path)
    ]
    expected = reference_lpips("squeeze", monkeypatch)(*frames)
    assert (faithful.variant, corrected.variant) == ("faithful", "corrected")
    assert faithful.value == pytest.approx(expected, abs=1e-5)
    assert corrected.value > faithful.value, "the black quarter is not counted as preserved"


def test_medebench_lpips_is_the_references_alexnet(monkeypatch: Any, tmp_path: Path) -> None:
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "alex")
    sample, edit = pair(tmp_path, size=(96, 80), alter=lambda p: resize(p, (120, 100), "bicubic"))
    (found,) = named(medebench, "lpips").score(sample, edit)
    output = resize(read_image(edit.path), (96, 80), "bicubic")
    expected = reference_lpips("alex", monkeypatch)(read_image(sample.reference), output)
    assert found.value == pytest.approx(expected, abs=1e-5)
    assert found.detail == {"resized_from": "120x100"}


def test_faults_of_single_pairs_stay_with_them(monkeypatch: Any, tmp_path: Path) -> None:
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "squeeze")
    good = pair(tmp_path, "good")
    known = good[0].masks
    torn, no_input, masked = (pair(tmp_path, name) for name in ("torn", "no-input", "masked"))
    torn[1].path.write_bytes(torn[1].path.read_bytes()[:200])
    no_input[0].image.unlink()
    write_png(masked[0].masks["input"], np.ones((48, 64), np.bool_))
    one_mask = pair(tmp_path, "one-mask", masks={"input": known["input"]})
    lost_mask = pair(tmp_path, "lost-mask", masks={**known, "second": tmp_path / "nowhere.png"})
    small = pair(tmp_path, "small", size=(12, 12))
    pairs = [torn, good, no_input, one_mask, small, masked, lost_mask]
    found = many(named(texteditbench, "lpips"), pairs)
    fault, none, scored = Status.DATASET_FAULT, Status.NOT_APPLICABLE, Status.SCORED
    assert [[one.status for one in scores] for scores in found] == [
        [Status.UNREADABLE] * 2, [scored] * 2, [fault] * 2, [fault, scored], [none] * 2,
        [scored, fault], [fault] * 2,
    ]  # fmt: skip
    assert found[5][0].value == 0.0, "what is black in both frames is equal: the faithful defect"
    assert "sides of at least" in found[4][0].reason
    assert "no mask 'second'" in found[6][1].reason


# -- CLIP ------------------------------------------------------------------------------------------


@pytest.fixture
def clip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return tiny.install_clip(monkeypatch, tmp_path / "weights")


def as_vectors(found: Any) -> Any:
    return np.asarray(getattr(found, "pooler_output", found)).astype(np.float64)


def plainly(folder: Path, pictures: Sequence[Any], texts: Sequence[str]) -> tuple[Any, Any]:
    """Features by transformers alone: its processor (for paths), its tokenizer, its model."""
    import transformers

    model = transformers.CLIPModel.from_pretrained(folder).eval()
    processor = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    merges = (folder / "merges.txt").read_text().splitlines()[1:]
    tokenizer = transformers.CLIPTokenizer(
        vocab=json.loads((folder / "vocab.json").read_text()),
        merges=[tuple(line.split()) for line in merges],
    )
    with torch.no_grad():
        images = [
            processor(Image.open(one).convert("RGB"), return_tensors="pt")["pixel_values"]
            if isinstance(one, Path)
            else torch.from_numpy(one)[None]
            for one in pictures
        ]
        tokens = tokenizer(
            list(texts), padding="max_length", truncation=True, max_length=77, return_tensors="pt"
        )
        seen = model.get_image_features(pixel_values=torch.cat(images))
        return as_vectors(seen), as_vectors(model.get_text_features(**tokens))


def cos(a: Any, b: Any) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def as_the_clip_package(path: Path, side: int) -> Any:
    """The released preprocessing, by torchvision's documented arithmetic: `Resize` makes the long
    side ``int(side * long / short)``, `CenterCrop` starts at ``int(round((length - side) / 2.0))``.
    """
    image = Image.open(path).convert("RGB")
    short, long = sorted(image.size)
    grown = int(side * long / short)
    size = (side, grown) if image.width <= image.height else (grown, side)
    image = image.resize(size, Image.Resampling.BICUBIC)
    left, top = (int(round((length - side) / 2.0)) for length in size)  # noqa: RUF046
    pixels = np.asarray(image.crop((left, top, left + side, top + side)), np.float32) / 255
    mean, deviation = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
    return ((pixels - mean) / deviation).transpose(2, 0, 1).astype(np.float32)


@pytest.mark.parametrize(
    ("width", "apart", "words"), [(70, True, 1), (67, False, 1), (64, False, 1), (71, True, 99)]
)
def test_textedit_clip_crops_as_the_released_package_or_the_paper_and_aesthetics(
    clip: Path, monkeypatch: Any, tmp_path: Path, width: int, apart: bool, words: int
) -> None:
    weight, bias = tiny.install_aesthetic(monkeypatch, tmp_path / "weights")
    caption = "the red sign " * words
    sample, edit = pair(tmp_path, caption=caption, size=(width, 64))
    (scores,) = many(named(textedit, "clip"), [(sample, edit)])
    faithful, corrected, aes = scores
    pictures = [edit.path, as_the_clip_package(edit.path, 32)]
    (image, released), (text,) = plainly(clip, pictures, [caption])
    assert (faithful.variant, corrected.variant) == ("faithful", "corrected")
    assert faithful.value == pytest.approx(2.5 * max(0.0, cos(released, text)), abs=1e-5)
    assert corrected.value == pytest.approx(2.5 * max(0.0, cos(image, text)), abs=1e-5)
    assert (faithful.value != corrected.value) is apart
    assert aes.value == pytest.approx(released @ weight / np.linalg.norm(released) + bias, abs=1e-5)
    note = faithful.detail.get("note", "")
    assert ("tokens cut to 77, end token kept" in note) is (words > 1)


def test_medebench_similarities(clip: Path, tmp_path: Path) -> None:
    texts = ["remove the tube", "a sign, red"]
    sample, edit = pair(tmp_path, instruction=texts[0], change=texts[1])
    found = {s.metric: s.value for s in named(medebench, "clip").score(sample, edit)}
    pictures = [edit.path, sample.reference, sample.image]
    (out, ref, src), (prompt, change) = plainly(clip, pictures, texts)
    expected = {
        "isim": cos(out, ref), "talign_p": cos(out, prompt), "talign_d": cos(out, change),
        "dalign_p": cos(out - src, prompt), "dalign_d": cos(out - src, change),
        "clip_instruction": cos(src, prompt),
    }  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-5)
    sample, copied = replace(sample, change=None, reference=None), replace(edit, path=sample.image)
    scores = {s.metric: s for s in named(medebench, "clip").score(sample, copied)}
    reasons = {n: s.reason for n, s in scores.items() if s.status is Status.NOT_APPLICABLE}
    assert reasons == {
        "isim": "the sample has no reference",
        "talign_d": "the sample has no change",
        "dalign_d": "the sample has no change",
        "dalign_p": "the output has the input's features: no change has no direction",
    }


# -- FID -------------------------------------------------------------------------------------------


def test_fid_of_a_set(monkeypatch: Any, tmp_path: Path) -> None:
    tiny.install_inception(monkeypatch, tmp_path / "weights")
    pairs = [pair(tmp_path, f"s{n}", size=(48, 40)) for n in range(3)]
    broken = pair(tmp_path, "broken")
    broken[1].path.write_bytes(b"")
    scorer = named(medebench, "fid", cache=tmp_path / "cache")
    (fid,) = scorer.score_set([*pairs, broken])
    network = Inception(tiny.inception_state())

    def vectors(paths: Sequence[Path]) -> Any:
        prepared = [prepare(read_image(path)) for path in paths]
        return network.features_of(prepared).astype(np.float64)

    outputs = vectors([edit.path for _, edit in pairs])
    references = vectors([sample.reference for sample, _ in pairs])
    distance = frechet_distance(moments(outputs), moments(references))
    assert fid.value == pytest.approx(distance, rel=1e-4)
    assert (fid.detail["samples"], fid.detail["left_out"]) == (3, 1)
    assert "3 samples, fewer than 2048" in fid.detail["warning"]
    empty = scorer.score_set(pairs[:1])
    assert {s.status for s in empty} == {Status.NOT_APPLICABLE}
    assert "found 1 of 1" in empty[0].reason


# -- in a run --------------------------------------------------------------------------------------


def test_a_run_stores_them_and_computes_them_again_only_when_weights_arrive(
    monkeypatch: Any, tmp_path: Path
) -> None:
    samples = [make_sample(tmp_path / "data", f"s{n}", caption="a sign") for n in range(2)]
    for number, sample in enumerate(samples):
        write_png(tmp_path / "out" / f"{sample.id}.png", read_image(sample.image) // (number + 2))
    run = Run.create(tmp_path / "run")

    def once() -> Any:
        scorers = [*textedit.BENCHMARK.scorers(("embedding",), cache=run.cache_folder)]
        scorers.append(named(texteditbench, "lpips"))
        with HashStore(None) as hashes:
            records = collect.edits_of(run, "mini", tmp_path / "out", ["dark"], samples, hashes)
            return score(run, "mini", [(samples, records)], scorers, hashes=hashes, workers=0)

    assert once().without_score == 2 * 3 + 2 * 2
    assert {row.status for row in run.rows()} == {Status.NOT_MEASURED}
    assert all("editgauge fetch weights" in row.reason for row in run.rows())
    assert once().computed == 0, "what failed for want of weights is not tried again without them"
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "squeeze")
    tiny.install_clip(monkeypatch, tmp_path / "weights")
    tiny.install_aesthetic(monkeypatch, tmp_path / "weights")
    summary = once()
    assert (summary.computed, summary.without_score) == (10, 0)
    assert once().computed == 0
    rows = {(row.sample, row.metric, row.variant): row for row in run.rows()}
    assert len(rows) == 10
    assert rows["s1", "lpips", "corrected"].value > 0
    assert rows["s1", "CLIP", "faithful"].origin["clip-vit-large-patch14"]["model.safetensors"]
    assert str(tmp_path) not in repr(rows)


# -- on a GPU --------------------------------------------------------------------------------------

NETWORKS = sorted(
    (module.__name__, scorer.name)
    for module in BENCHMARKS
    for scorer in module.BENCHMARK.scorers(("embedding",))
    if hasattr(scorer, "folder")  # those of a network; other models are programs of their own
)


@pytest.mark.gpu
@pytest.mark.parametrize(("module", "name"), NETWORKS)
def test_every_metric_on_a_gpu_is_the_processor_s(
    module: str, name: str, monkeypatch: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "weights"
    for net in ("squeeze", "alex"):
        tiny.install_lpips(monkeypatch, folder, net)
    tiny.install_clip(monkeypatch, folder)
    tiny.install_aesthetic(monkeypatch, folder)
    tiny.install_inception(monkeypatch, folder)
    told = {"caption": "a red sign", "change": "a sign", "rephrased": "paint it"}
    pairs = [pair(tmp_path, f"s{n}", size=(48, 40), **told) for n in range(3)]
    found = []
    for device in ("cpu", "cuda"):
        scorer = named(sys.modules[module], name, device=device, cache=tmp_path / device)
        lists = many(scorer, pairs) if not scorer.whole_set else [scorer.score_set(pairs)]
        found.append([one.value for scores in lists for one in scores if one.value])
    assert found[0]
    assert found[1] == pytest.approx(found[0], rel=1e-3, abs=1e-5)

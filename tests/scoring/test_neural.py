"""The scorers from pictures on disk to scores, through the real loading code."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="neural metrics need torch")

from editgauge.benchmarks import medebench, textedit, texteditbench  # noqa: E402
from editgauge.errors import MissingExtra, WeightsError  # noqa: E402
from editgauge.images import read_image, read_mask, resize, write_png  # noqa: E402
from editgauge.metrics.frechet import frechet_distance, kernel_distance, moments  # noqa: E402
from editgauge.networks import features, loading, runtime, weights  # noqa: E402
from editgauge.networks.inception import Inception, prepare  # noqa: E402
from editgauge.scoring import failure  # noqa: E402
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
    (found,) = [
        s for s in benchmark.BENCHMARK.scorers(("pixel", "embedding"), **options) if s.name == name
    ]
    return found


def pair(
    folder: Path,
    id: str = "one",
    *,
    alter: Callable[[np.ndarray], np.ndarray] | None = None,
    **fields: Any,
) -> Any:
    """A sample and an output that differs a little from its input everywhere."""
    sample = make_sample(folder, id, **fields)
    pixels = read_image(sample.image)
    noisy = np.clip(
        pixels.astype(int) + np.random.default_rng(len(id)).integers(-40, 41, pixels.shape), 0, 255
    )
    output = noisy.astype(np.uint8) if alter is None else alter(noisy.astype(np.uint8))
    path = folder / id / "output.png"
    write_png(path, output)
    return sample, Edit(
        sample=sample.id, editor="editor", path=path, width=output.shape[1], height=output.shape[0]
    )


def many(scorer: Any, pairs: Any) -> list[Any]:
    """The scores of each pair, in order."""
    found = dict(scorer.score_many(pairs))
    return [found[index] for index in range(len(pairs))]


@pytest.mark.parametrize("module", BENCHMARKS)
def test_without_weights_the_reason_is_the_command(module: Any, tmp_path: Path) -> None:
    both = [pair(tmp_path, "one"), pair(tmp_path, "two")]
    for scorer in module.BENCHMARK.scorers(("embedding",)):
        before = scorer.origin()
        with pytest.raises(WeightsError, match=r"editgauge fetch weights|set EDITGAUGE_") as raised:
            scorer.score_set(both) if scorer.whole_set else many(scorer, both)
        assert failure(raised.value, both[0][1])[0] is Status.NOT_MEASURED
        assert scorer.origin() == before


@pytest.mark.parametrize(
    ("benchmark", "name", "package"),
    [(texteditbench, "lpips", "torch"), (textedit, "clip", "transformers")],
)
def test_weights_without_the_library_name_the_extra(
    monkeypatch: Any, tmp_path: Path, benchmark: Any, name: str, package: str
) -> None:
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "squeeze")
    tiny.install_clip(monkeypatch, tmp_path / "weights")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=f"{package}.*pip install 'editgauge.neural"):
        named(benchmark, name).score(*pair(tmp_path))


# -- LPIPS -----------------------------------------------------------------------------------------


def reference_lpips(
    net: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[[np.ndarray, np.ndarray], float]:
    """torchmetrics' LPIPS with the backbone that `tiny.install_lpips` wrote."""
    module = pytest.importorskip("torchmetrics.functional.image.lpips")

    def filled(name: str, pretrained: bool = False) -> Any:
        made = tiny.backbone(name)
        tiny.fill(made, 0)
        return made

    monkeypatch.setattr(module, "_get_tv_model_features", filled)
    network = module._LPIPS(pretrained=True, net=net, pnet_rand=True).eval()

    def value(a: np.ndarray, b: np.ndarray) -> float:
        first, second = (
            torch.from_numpy(x.copy()).permute(2, 0, 1)[None].float() / 127.5 - 1 for x in (a, b)
        )
        with torch.no_grad():
            return float(network(first, second))

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
    assert faithful.variant == "faithful"
    assert faithful.value == pytest.approx(
        reference_lpips("squeeze", monkeypatch)(*frames), abs=1e-5
    )
    assert corrected.variant == "corrected"
    assert corrected.value > faithful.value, "the black quarter is not counted as preserved"


def test_medebench_lpips_is_the_references_alexnet(monkeypatch: Any, tmp_path: Path) -> None:
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "alex")
    sample, edit = pair(tmp_path, size=(96, 80), alter=lambda p: resize(p, (120, 100), "bicubic"))
    (score,) = named(medebench, "lpips").score(sample, edit)
    output = resize(read_image(edit.path), (96, 80), "bicubic")
    expected = reference_lpips("alex", monkeypatch)(read_image(sample.reference), output)
    assert score.value == pytest.approx(expected, abs=1e-5)
    assert score.detail == {"resized_from": "120x100"}


def test_faults_of_single_pairs_stay_with_them(monkeypatch: Any, tmp_path: Path) -> None:
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "squeeze")
    good = pair(tmp_path, "good")
    torn = pair(tmp_path, "torn")
    torn[1].path.write_bytes(torn[1].path.read_bytes()[:200])
    no_input = pair(tmp_path, "no-input")
    no_input[0].image.unlink()
    one_mask = pair(tmp_path, "one-mask", masks={"input": good[0].masks["input"]})
    lost_mask = pair(
        tmp_path, "lost-mask", masks={**good[0].masks, "second": tmp_path / "nowhere.png"}
    )
    small = pair(tmp_path, "small", size=(12, 12))
    masked = pair(tmp_path, "masked")
    write_png(masked[0].masks["input"], np.ones((48, 64), np.bool_))
    found = many(
        named(texteditbench, "lpips"), [torn, good, no_input, one_mask, small, masked, lost_mask]
    )
    statuses = [[s.status for s in scores] for scores in found]
    assert statuses[:5] == [
        [Status.UNREADABLE] * 2, [Status.SCORED] * 2, [Status.DATASET_FAULT] * 2,
        [Status.DATASET_FAULT, Status.SCORED], [Status.NOT_APPLICABLE] * 2,
    ]  # fmt: skip
    assert statuses[6] == [Status.DATASET_FAULT] * 2
    assert "no mask 'second'" in found[6][1].reason
    assert statuses[5] == [Status.SCORED, Status.DATASET_FAULT]
    assert found[5][0].value == 0.0, (
        "what is black in both frames is equal: the defect of the faithful variant"
    )
    assert "sides of at least" in found[4][0].reason


def _count(monkeypatch: Any, owner: str, method: str) -> list[Any]:

    module, _, name = owner.rpartition(".")
    cls = getattr(importlib.import_module(module), name)
    calls: list[Any] = []
    original = getattr(cls, method)

    def counting(self: Any, *args: Any) -> Any:
        calls.append(args)
        return original(self, *args)

    monkeypatch.setattr(cls, method, counting)
    return calls


# -- CLIP ------------------------------------------------------------------------------------------


@pytest.fixture
def clip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return tiny.install_clip(monkeypatch, tmp_path / "weights")


def plainly(
    folder: Path, pictures: Sequence[Path], texts: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Features by transformers alone: its processor, its tokenizer, its model."""
    import json

    import transformers
    from PIL import Image

    model = transformers.CLIPModel.from_pretrained(folder).eval()
    processor = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}
    )
    tokenizer = transformers.CLIPTokenizer(
        vocab=json.loads((folder / "vocab.json").read_text()),
        merges=[
            tuple(line.split()) for line in (folder / "merges.txt").read_text().splitlines()[1:]
        ],
    )
    with torch.no_grad():
        images = [
            processor(Image.open(path).convert("RGB"), return_tensors="pt")["pixel_values"]
            for path in pictures
        ]
        tokens = tokenizer(
            list(texts), padding="max_length", truncation=True, max_length=77, return_tensors="pt"
        )
        found = (
            model.get_image_features(pixel_values=torch.cat(images)),
            model.get_text_features(**tokens),
        )
    a, b = (np.asarray(getattr(f, "pooler_output", f)).astype(np.float64) for f in found)
    return a, b


def cos(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_textedit_clip_and_aesthetics(clip: Path, monkeypatch: Any, tmp_path: Path) -> None:
    weight, bias = tiny.install_aesthetic(monkeypatch, tmp_path / "weights")
    long = "the red sign says remove a tube " * 20
    pairs = [
        pair(tmp_path, "one", caption="the red sign"),
        pair(tmp_path, "two", caption=long, size=(70, 40)),
    ]
    found = many(named(textedit, "clip"), pairs)
    images, texts = plainly(clip, [e.path for _, e in pairs], ["the red sign", long])
    for n, scores in enumerate(found):
        clip_score, corrected, aes = scores
        assert (clip_score.variant, corrected.variant) == ("faithful", "corrected")
        assert corrected.value == pytest.approx(2.5 * max(0.0, cos(images[n], texts[n])), abs=1e-5)
        assert aes.value == pytest.approx(
            images[n] @ weight / np.linalg.norm(images[n]) + bias, abs=1e-5
        )
    assert found[0][0].detail == {}
    assert "tokens cut to 77, end token kept" in found[1][0].detail["note"]


def as_the_clip_package(path: Path, side: int) -> np.ndarray:
    """The released preprocessing, written down from torchvision's documented arithmetic: `Resize`
    makes the long side ``int(side * long / short)``, `CenterCrop` starts at ``int(round((length -
    side) / 2.0))``, with Python's rounding of halves to even.
    """
    from PIL import Image

    image = Image.open(path).convert("RGB")
    width, height = image.size
    short, long = min(width, height), max(width, height)
    grown = int(side * long / short)
    size = (side, grown) if width <= height else (grown, side)
    image = image.resize(size, Image.Resampling.BICUBIC)
    left, top = (int(round((length - side) / 2.0)) for length in size)  # noqa: RUF046
    pixels = np.asarray(image.crop((left, top, left + side, top + side)), np.float32) / 255
    mean, deviation = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
    return ((pixels - mean) / deviation).transpose(2, 0, 1).astype(np.float32)


@pytest.mark.parametrize(("width", "apart"), [(70, True), (67, False), (64, False), (71, True)])
def test_textedit_s_faithful_clip_crops_as_the_released_package(
    clip: Path, tmp_path: Path, width: int, apart: bool
) -> None:
    """The network's side is 32; of a picture 64 high, `width` / 2 - 32 columns are surplus."""
    import transformers

    sample, edit = pair(tmp_path, caption="the red sign", size=(width, 64))
    faithful, corrected, _ = named(textedit, "clip").score(sample, edit)
    model = transformers.CLIPModel.from_pretrained(clip).eval()
    with torch.no_grad():
        batch = torch.from_numpy(as_the_clip_package(edit.path, 32))[None]
        found = model.get_image_features(pixel_values=batch)
    image = np.asarray(getattr(found, "pooler_output", found)).astype(np.float64)[0]
    _, texts = plainly(clip, [edit.path], ["the red sign"])
    expected = 2.5 * max(0.0, cos(image, texts[0]))
    assert faithful.value == pytest.approx(expected, abs=1e-5)
    assert (faithful.value != corrected.value) is apart


def test_medebench_similarities(clip: Path, tmp_path: Path) -> None:
    sample, edit = pair(tmp_path, instruction="remove the tube", change="a sign, red")
    found = {s.metric: s.value for s in named(medebench, "clip").score(sample, edit)}
    (out, ref, src), (prompt, change) = plainly(
        clip, [edit.path, sample.reference, sample.image], ["remove the tube", "a sign, red"]
    )
    expected = {
        "isim": cos(out, ref), "talign_p": cos(out, prompt), "talign_d": cos(out, change),
        "dalign_p": cos(out - src, prompt), "dalign_d": cos(out - src, change),
        "clip_instruction": cos(src, prompt),
    }  # fmt: skip
    assert found == pytest.approx(expected, abs=1e-5)


def test_what_a_sample_lacks_is_not_applicable(clip: Path, tmp_path: Path) -> None:
    sample, _ = pair(tmp_path, change=None, reference=None)
    copied = Edit(sample=sample.id, editor="editor", path=sample.image)
    found = {s.metric: s for s in named(medebench, "clip").score(sample, copied)}
    assert found["talign_p"].value is not None
    reasons = {
        name: score.reason for name, score in found.items() if score.status is Status.NOT_APPLICABLE
    }
    assert reasons == {
        "isim": "the sample has no reference",
        "talign_d": "the sample has no change",
        "dalign_d": "the sample has no change",
        "dalign_p": "the output has the input's features: no change has no direction",
    }


def test_features_are_computed_once_and_kept(clip: Path, monkeypatch: Any, tmp_path: Path) -> None:
    pairs = [pair(tmp_path, f"s{n}", instruction="remove the tube", change="red") for n in range(3)]
    seen = _count(monkeypatch, "editgauge.networks.clip.ClipModel", "image_features")
    read = _count(monkeypatch, "editgauge.networks.clip.ClipModel", "text_features")
    scorer = named(medebench, "clip", cache=tmp_path / "cache")
    first = many(scorer, pairs)
    assert sum(len(args[0]) for args in seen) == 9, "output, input and reference of three samples"
    assert sum(args[0].ids.shape[0] for args in read) == 2, (
        "two texts, however many samples share them"
    )
    features._cache.cache_clear()
    features._clip_model.cache_clear()
    assert [[s.value for s in r] for r in many(scorer, pairs)] == [
        [s.value for s in r] for r in first
    ]
    assert sum(len(args[0]) for args in seen) == 9, "the second run computes nothing"


# -- FID -------------------------------------------------------------------------------------------


def test_fid_and_kid_of_a_set(monkeypatch: Any, tmp_path: Path) -> None:
    tiny.install_inception(monkeypatch, tmp_path / "weights")
    pairs = [pair(tmp_path, f"s{n}", size=(48, 40)) for n in range(3)]
    broken = pair(tmp_path, "broken")
    broken[1].path.write_bytes(b"")
    scorer = named(medebench, "fid", cache=tmp_path / "cache")
    fid, kid = scorer.score_set([*pairs, broken])
    network = Inception(tiny.inception_state())
    outputs = network.features_of([prepare(read_image(e.path)) for _, e in pairs]).astype(
        np.float64
    )
    references = network.features_of([prepare(read_image(s.reference)) for s, _ in pairs]).astype(
        np.float64
    )
    assert fid.value == pytest.approx(
        frechet_distance(moments(outputs), moments(references)), rel=1e-4
    )
    assert fid.value > 0
    assert kid.value == pytest.approx(kernel_distance(outputs, references), rel=1e-4, abs=1e-7)
    assert (fid.detail["samples"], fid.detail["left_out"]) == (3, 1)
    assert "3 samples, fewer than 2048" in fid.detail["warning"]
    seen = _count(monkeypatch, "editgauge.networks.inception.Inception", "features_of")
    features._inception.cache_clear()
    features._cache.cache_clear()
    assert [s.value for s in scorer.score_set([*pairs, broken])] == [fid.value, kid.value]
    assert not seen, "an interrupted set goes on where it was"
    empty = scorer.score_set(pairs[:1])
    assert {s.status for s in empty} == {Status.NOT_APPLICABLE}
    assert "found 1 of 1" in empty[0].reason


# -- in a run --------------------------------------------------------------------------------------


class Corners:
    """Stands in for Inception: some pixels of a picture."""

    def features_of(self, prepared: Sequence[np.ndarray]) -> np.ndarray:
        return np.stack([picture[:, ::100, ::100].reshape(-1) for picture in prepared])


def test_a_run_stores_them_and_computes_them_again_only_when_weights_arrive(
    monkeypatch: Any, tmp_path: Path
) -> None:
    from editgauge.run.score import score
    from editgauge.store import collect
    from editgauge.store.hashes import HashStore
    from editgauge.store.run import Run

    samples = [
        make_sample(tmp_path / "data", f"s{n}", caption="a sign", change="red") for n in range(3)
    ]
    for number, sample in enumerate(samples):
        write_png(tmp_path / "out" / f"{sample.id}.png", read_image(sample.image) // (number + 2))
    run = Run.create(tmp_path / "run")

    def once() -> Any:
        scorers = [*textedit.BENCHMARK.scorers(("embedding",), cache=run.cache_folder)]
        scorers += [named(texteditbench, "lpips"), named(medebench, "fid", cache=run.cache_folder)]
        with HashStore(None) as hashes:
            records = collect.import_outputs(run, "mini", "dark", tmp_path / "out", samples, hashes)
            return score(run, "mini", samples, records, scorers, hashes=hashes, workers=0)

    assert once().without_score == 3 * 3 + 3 * 2 + 2
    assert once().computed == 0, "what failed for want of weights is not tried again without them"
    tiny.install_lpips(monkeypatch, tmp_path / "weights", "squeeze")
    tiny.install_clip(monkeypatch, tmp_path / "weights")
    tiny.install_aesthetic(monkeypatch, tmp_path / "weights")
    (tmp_path / "weights" / "inception.pth").write_bytes(b"a network of 8 features, played below")
    tiny.install(
        monkeypatch,
        tmp_path / "weights",
        "inception-fid",
        {"inception.pth": tmp_path / "weights/inception.pth"},
    )
    monkeypatch.setattr(features, "_inception", lambda path, runtime: Corners())
    summary = once()
    assert (summary.computed, summary.without_score) == (17, 0)
    assert once().computed == 0
    rows = {(row.sample, row.metric, row.variant): row for row in run.rows()}
    assert len(rows) == 17
    assert rows["*", "fid", "faithful"].detail["samples"] == 3
    assert rows["s1", "lpips", "corrected"].value > 0
    assert rows["s1", "CLIP", "faithful"].origin["clip-vit-large-patch14"]["model.safetensors"]
    assert str(tmp_path) not in repr(rows)


# -- on a GPU --------------------------------------------------------------------------------------

NETWORKS = sorted(
    (module.__name__, scorer.name)
    for module in BENCHMARKS
    for scorer in module.BENCHMARK.scorers(("embedding",))
    if hasattr(scorer, "precision")  # those of a network; other models are programs of their own
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
        assert {score.status for scores in lists for score in scores} <= {
            Status.SCORED,
            Status.NOT_APPLICABLE,
        }
        found.append([score.value for scores in lists for score in scores if score.value])
    assert found[0]
    assert found[1] == pytest.approx(found[0], rel=1e-3, abs=1e-5)

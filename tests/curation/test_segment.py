"""Segment Anything and Grounding DINO against transformers used plainly, on tiny random networks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the networks need torch")
transformers = pytest.importorskip("transformers", reason="the networks need transformers")

from editgauge.curation import segment  # noqa: E402
from editgauge.networks.runtime import Runtime  # noqa: E402
from editgauge.testing import make_picture  # noqa: E402
from tests.networks import tiny  # noqa: E402

PIXELS = make_picture((56, 40))
SIDE = tiny.SAM_SIDE


@pytest.fixture(scope="module")
def sam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_sam(tmp_path_factory.mktemp("sam"))


@pytest.fixture(scope="module")
def dino(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_dino(tmp_path_factory.mktemp("dino"))


def theirs(folder: Path, **prompt: Any) -> tuple[Any, Any]:
    """Masks and scores in transformers' own hands, in its order."""
    processor = transformers.SamImageProcessorPil(
        size={"longest_edge": SIDE}, pad_size={"height": SIDE, "width": SIDE}
    )
    given = processor(PIXELS, return_tensors="pt")
    scale = torch.tensor([56.0, 40.0])
    scaled = torch.tensor(given["reshaped_input_sizes"][0].tolist()[::-1]) / scale
    words = {name: (torch.tensor(value) * scaled.repeat(len(value[0][0]) // 2))
             if name == "input_boxes" else torch.tensor(value) * scaled
             for name, value in prompt.items()}  # fmt: skip
    with torch.inference_mode():
        found = transformers.SamModel.from_pretrained(folder).eval()(
            pixel_values=given["pixel_values"], **words
        )
    (masks,) = processor.post_process_masks(
        found.pred_masks, given["original_sizes"], given["reshaped_input_sizes"],
        pad_size={"height": SIDE, "width": SIDE},
    )  # fmt: skip
    return masks[0].numpy(), found.iou_scores[0, 0].numpy()


@pytest.mark.parametrize("place", ["box", "point"])
def test_three_masks_equal_transformers(sam: Path, place: str) -> None:
    if place == "box":
        ours = segment.segments(sam, Runtime(), PIXELS, box=(5, 6, 30, 31))
        masks, scores = theirs(sam, input_boxes=[[[5.0, 6.0, 30.0, 31.0]]])
    else:
        ours = segment.segments(sam, Runtime(), PIXELS, point=(20, 12))
        masks, scores = theirs(sam, input_points=[[[[20.0, 12.0]]]])
    assert len(ours) == 3
    order = np.argsort(-scores, kind="stable")
    assert [one.score for one in ours] == pytest.approx(scores[order], abs=1e-5)
    assert ours[0].score > ours[2].score
    for one, n in zip(ours, order, strict=True):
        assert one.mask.shape == PIXELS.shape[:2]
        assert (one.mask == masks[n]).mean() > 0.995
    assert len({one.mask.tobytes() for one in ours}) > 1


def test_a_picture_is_looked_at_once(sam: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    network, _ = segment._sam(sam, Runtime())
    look = network.get_image_embeddings
    monkeypatch.setattr(
        network, "get_image_embeddings", lambda values: looked.append(1) or look(values)
    )
    segment._seen.cache_clear()
    segment.segments(sam, Runtime(), PIXELS, point=(20, 12))
    segment.segments(sam, Runtime(), PIXELS, box=(5, 6, 30, 31))
    assert len(looked) == 1
    segment.segments(sam, Runtime(), PIXELS[:, ::-1], point=(20, 12))
    assert len(looked) == 2


def test_places_that_words_mean(dino: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment._dino(dino, Runtime())[1].size = {"shortest_edge": 80, "longest_edge": 1333}
    found = segment.places(dino, Runtime(), PIXELS, " The RED sign. ")
    given = transformers.GroundingDinoImageProcessorPil(
        size={"shortest_edge": 80, "longest_edge": 1333}
    )(PIXELS, return_tensors="pt")
    ids = torch.tensor([[101, 100, 1000, 1001, 1012, 102]])
    with torch.inference_mode():
        theirs = transformers.GroundingDinoForObjectDetection.from_pretrained(dino).eval()(
            pixel_values=given["pixel_values"], input_ids=ids, attention_mask=torch.ones_like(ids),
            token_type_ids=torch.zeros_like(ids),
        )  # fmt: skip
    scores = theirs.logits[0].sigmoid().max(dim=-1).values.numpy()
    wanted = np.sort(scores[scores >= segment.LEAST_SCORE])[::-1]
    assert len(wanted)
    assert [score for _, score in found] == pytest.approx(wanted, abs=1e-4)
    best = theirs.pred_boxes[0][int(scores.argmax())].numpy() * np.array([56, 40, 56, 40])
    x, y, w, h = best
    assert found[0][0] == pytest.approx((x - w / 2, y - h / 2, x + w / 2, y + h / 2), abs=0.01)
    monkeypatch.setattr(segment, "LEAST_SCORE", 1.1)
    assert segment.places(dino, Runtime(), PIXELS, "sign") == []

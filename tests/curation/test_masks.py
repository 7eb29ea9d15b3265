"""Masks that are proposed, and what a reference changes outside of one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from editgauge.curation import masks
from editgauge.curation.fields import set_words
from editgauge.errors import DataError, UsageError
from editgauge.images import Array, Mask, read_mask
from editgauge.ocr.engine import Text
from editgauge.web.log import Conflict
from tests.curation.made_set import BOX, SIZE, area, edited, make_set, scene


def overlap(one: Mask, two: Mask) -> float:
    return float((one & two).sum() / (one | two).sum())


def test_the_difference_of_a_pair(tmp_path: Path) -> None:
    pixels = scene(1)
    noisy = edited(pixels).astype(int) + np.random.default_rng(1).integers(-3, 4, pixels.shape)
    found = masks.from_difference(pixels, np.clip(noisy, 0, 255).astype(np.uint8))
    assert (found & area()).sum() / area().sum() > 0.97
    assert overlap(found, area()) > 0.8, "a margin of two or three pixels"
    assert not masks.from_difference(pixels, pixels).any()
    with pytest.raises(DataError, match="two sizes"):
        masks.from_difference(pixels, pixels[:50])


class Engine:
    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        corners = ((40.0, 30.0), (100.0, 30.0), (100.0, 60.0), (40.0, 60.0))
        far = tuple((x, y + 50) for x, y in corners)
        return [Text(corners, "The OLD shop", 0.9), Text(far, "Bakery", 0.9)]


def test_the_boxes_of_quoted_texts() -> None:
    found = masks.from_text(scene(1), 'Replace "old" with "NEW".', Engine())
    assert overlap(found, area()) > 0.8
    assert not masks.from_text(scene(1), 'Write "HELLO".', Engine()).any()
    with pytest.raises(DataError, match="quotes no text"):
        masks.from_text(scene(1), "Make it red.", Engine())


def test_an_object_in_a_box_and_by_a_click() -> None:
    pixels = np.full((120, 160, 3), 200, np.uint8)
    pixels[40:80, 60:110] = (180, 20, 20)
    wanted = np.zeros((120, 160), dtype=np.bool_)
    wanted[40:80, 60:110] = True
    assert overlap(masks.from_box(pixels, [50, 30, 75, 65]), wanted) > 0.9
    assert masks.from_box(pixels, [80, 60, 0, 0]).any()
    flat = np.full((50, 50, 3), 9, np.uint8)
    assert masks.from_box(flat, [5, 5, 20, 20]).sum() == 400
    for bad in ([500, 5, 20, 20], [1, 2, 3], [0.5, 1, 9, 9]):
        with pytest.raises(DataError, match="box"):
            masks.from_box(pixels, bad)  # type: ignore[arg-type]


def test_a_mask_is_saved_under_its_name_and_checked(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    record = masks.save(data, "s00", 1, "roi", area(), "ann")
    assert read_mask(data.path(record.masks["roi"])).sum() == area().sum()
    assert masks.faults(data, record) == []
    assert masks.share_of(data, record) == pytest.approx(area().mean())
    with pytest.raises(Conflict):
        masks.save(data, "s00", 1, "roi", area(), "ben")
    with pytest.raises(DataError, match="mask of"):
        masks.save(data, "s00", 2, "roi", np.ones((4, 4), bool), "ann")
    gone = masks.save(data, "s00", 2, "roi", np.zeros(SIZE[::-1], bool), "ann")
    assert set(gone.masks) == {"input"}
    small = area()
    small[:, BOX[0] + 20 :] = False
    record = masks.save(data, "s00", 3, "input", small, "ann")
    assert any("outside the mask differ" in why for why in masks.faults(data, record))


def test_a_way_that_there_is_not(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    record = data.record("s00")
    with pytest.raises(UsageError, match="wanted one of difference"):
        masks.propose(data, record, "magic")
    with pytest.raises(UsageError, match="needs an OCR engine"):
        masks.propose(data, record, "text")
    with pytest.raises(DataError, match="no reference"):
        masks.propose(data, structs.replace(record, reference=""), "difference")


def test_networks_propose_three_masks_of_which_one_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    from editgauge.curation import segment
    from editgauge.networks.weights import WEIGHTS
    from tests.networks import tiny

    tiny.install_folder(
        monkeypatch, tiny.write_sam(tmp_path / "weights" / segment.SAM), segment.SAM
    )
    assert masks.networks_here() == ("segment",)
    for file in WEIGHTS[segment.DINO].files:
        path = tmp_path / "weights" / segment.DINO / file.name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"no network")
    tiny.install_folder(monkeypatch, tmp_path / "weights" / segment.DINO, segment.DINO)
    places = [((40.0, 30.0, 100.0, 60.0), 0.9), ((0.0, 0.0, 5.0, 5.0), 0.3)]
    monkeypatch.setattr(segment, "places", lambda folder, runtime, pixels, words: places)
    data = make_set(tmp_path / "set", 1)
    record = data.record("s00")
    assert masks.networks_here() == ("segment", "words")
    of_box = masks.propose(data, record, "segment", box=[40, 30, 60, 30])
    of_click = masks.propose(data, record, "segment", box=[40, 30, 0, 0])
    of_words = masks.propose(data, record, "words")
    for found in (of_box, of_click, of_words):
        assert [one.mask.shape for one in found] == [(120, 160)] * 3
        scores = [one.score for one in found]
        assert None not in scores
        assert scores == sorted(scores, key=lambda score: -(score or 0.0))
    assert of_box[0].mask.tobytes() != of_click[0].mask.tobytes()
    assert of_box[0].mask.tobytes() == of_words[0].mask.tobytes(), "of the surest place"
    set_words(data, "s00", ["mask.roi=segment:40,30,60,30"], "ann")
    kept = read_mask(data.path(data.record("s00").masks["roi"]))
    assert np.array_equal(kept, of_box[0].mask), "the surest"
    places.clear()
    with pytest.raises(DataError, match=r"nothing in the picture is found for .*draw a box"):
        masks.propose(data, record, "words")
    with pytest.raises(DataError, match="outside of the picture"):
        masks.propose(data, record, "segment", box=[400, 30, 5, 5])

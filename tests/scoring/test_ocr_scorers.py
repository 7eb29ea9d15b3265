"""The track ``ocr`` from picture files to scores: statuses, sizes, engines in rows, the drawing."""

from __future__ import annotations

import importlib.util
import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.errors import MissingExtra, OcrError
from editgauge.images import Array, write_png
from editgauge.ocr import Identity, Reader, Text
from editgauge.scoring.ocr.scorers import TextScorer, language_for, ocr_scorers
from editgauge.scoring.scorer import Scorer
from editgauge.types import Edit, Sample, Status

Line = tuple[str, float, float]


def text(words: str, x: float = 0, y: float = 0, height: float = 20) -> Text:
    right = x + 10 * len(words)
    return Text(((x, y), (right, y), (right, y + height), (x, y + height)), words, 0.9)


@dataclass(frozen=True)
class Scripted:
    """An engine that knows its pictures by their first pixel: what it read is what the table
    says.
    """

    pages: Mapping[int, Sequence[Line]]
    name: str = "scripted"

    def identity(self) -> Identity:
        return Identity("scripted", "1", {"model": "abc"})

    def own_language(self, language: str) -> str | None:
        return None if language == "ko" else language

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        assert image.dtype == np.uint8
        assert image.shape[2] == 3
        factor = image.shape[1] / 200  # as on a picture 200 px wide
        found = [text(*line) for line in self.pages[int(image[0, 0, 0])]]
        return [
            t._replace(polygon=tuple((x * factor, y * factor) for x, y in t.polygon)) for t in found
        ]


ORIGINAL, DONE, UNTOUCHED, EMPTY = 10, 20, 30, 40
PAGES: dict[int, list[Line]] = {
    ORIGINAL: [("SALE", 0, 0), ("daily 9 to 5", 0, 40), ("free coffee", 0, 80)],
    DONE: [("OPEN", 0, 0), ("daily 9 to 5", 0, 40), ("free coffee", 0, 80)],
    UNTOUCHED: [("SALE", 0, 0), ("daily 9 to 5", 0, 40), ("free coffee", 0, 80)],
    EMPTY: [],
}
ENGINE = Scripted(PAGES)


def picture(path: Path, colour: int, size: tuple[int, int] = (200, 100)) -> Path:
    write_png(path, np.full((size[1], size[0], 3), colour, np.uint8))
    return path


def sample(
    tmp_path: Path, source: str | None = "SALE", target: str | None = "OPEN", **more: Any
) -> Sample:
    return Sample(
        benchmark="textedit",
        id="2.1/1",
        split="Real",
        category=("2.1",),
        instruction=f"Replace '{source}'…",
        images=(picture(tmp_path / "original.png", ORIGINAL),),
        output_stems=("2.1/1",),
        source_text=source,
        target_text=target,
        **more,
    )


def edit(path: Path) -> Edit:
    return Edit(sample="2.1/1", editor="m", path=path)


def five(engine: Scripted = ENGINE) -> TextScorer:
    label = engine.identity().label
    return TextScorer(reader=Reader(engine, label), source=label)


def values(scorer: Scorer, sample: Sample, edit: Edit) -> dict[tuple[str, str], float | None]:
    return {(score.metric, score.variant): score.value for score in scorer.score(sample, edit)}


def test_five_scores_in_two_variants(tmp_path: Path) -> None:
    done = values(five(), sample(tmp_path), edit(picture(tmp_path / "done.png", DONE)))
    assert set(done) == {
        (m, v) for m in ("OA", "OP", "OR", "F1", "NED") for v in ("faithful", "corrected")
    }
    assert set(done.values()) == {1.0}
    untouched = values(
        five(), sample(tmp_path), edit(picture(tmp_path / "untouched.png", UNTOUCHED))
    )
    assert untouched["OA", "faithful"] == pytest.approx(0, abs=1e-5)
    assert untouched["OR", "faithful"] == pytest.approx(0.5, abs=1e-5)


def test_the_row_says_who_read_and_what_was_read(tmp_path: Path) -> None:
    scorer = five()
    assert isinstance(scorer, Scorer)
    assert scorer.source == ENGINE.identity().label
    assert scorer.origin()["models"] == {"model": "abc"}
    (oa, *_) = scorer.score(sample(tmp_path), edit(picture(tmp_path / "u.png", UNTOUCHED)))
    boxes = oa.detail["boxes"]
    assert {k: v for k, v in oa.detail.items() if k != "boxes"} == {
        "read": "SALE",
        "penalised": True,
    }
    assert "SALE" in [box[4] for box in boxes["input"]]
    assert all(box[0] < box[2] and box[1] < box[3] for box in [*boxes["input"], *boxes["output"]])
    assert pickle.loads(pickle.dumps(scorer)) == scorer


def test_a_source_that_ocr_does_not_find_is_the_datasets_fault_in_corrected_only(
    tmp_path: Path,
) -> None:
    scores = five().score(
        sample(tmp_path, source="QQQQ"), edit(picture(tmp_path / "done.png", DONE))
    )
    assert {(s.variant, s.status, s.value) for s in scores} == {
        ("faithful", Status.SCORED, 0.0), ("corrected", Status.DATASET_FAULT, None),
    }  # fmt: skip
    assert all("does not find the source text in the original" in score.reason for score in scores)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"source_text": None}, "no source text is known of this sample"),
        ({"target_text": None}, "no target text is known of this sample"),
        ({"target_text": "  "}, "the target text is empty"),
        ({"source_text": ""}, "the source text is empty"),
        (
            {"attributes": {"operation": "text_relocation"}, "instruction": "Move it"},
            "the operation is move",
        ),
        ({"target_text": "할인"}, "the OCR engine 'scripted' cannot read the language 'ko'"),
    ],
)
def test_what_the_scores_do_not_apply_to(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    why = five().applies(replace(sample(tmp_path), **changes))
    assert why is not None
    assert why.startswith(reason)


def test_the_language_is_the_samples_own_where_it_is_known(tmp_path: Path) -> None:
    assert language_for(sample(tmp_path)) == "en"
    assert language_for(sample(tmp_path, "逆风", "顺风")) == "zh"
    assert language_for(sample(tmp_path, attributes={"language": "zh"})) == "zh"
    assert (
        language_for(sample(tmp_path, attributes={"language": 2})) == "en"
    )  # TextEditBench's difficulty


def test_without_the_default_engine_scores_fail_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editgauge.ocr import rapid

    rapid._identity.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    scorer = ocr_scorers()
    assert isinstance(scorer, Scorer)
    assert scorer.source.startswith("rapidocr-not-installed-")
    with pytest.raises(OcrError, match=r"pip install 'editgauge\[ocr\]'"):
        scorer.score(sample(tmp_path), edit(picture(tmp_path / "done.png", DONE)))
    with pytest.raises(MissingExtra):
        ocr_scorers(ocr_engine="rapidocr")


def test_runs_can_share_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr", reason="the extra 'ocr' is not installed")
    own = ocr_scorers(cache=tmp_path / "run")
    assert own.reader.store is not None
    assert own.reader.store.path.parent == tmp_path / "run"
    monkeypatch.setenv("EDITGAUGE_OCR_CACHE", str(tmp_path / "shared"))
    sharing = ocr_scorers(cache=tmp_path / "run")
    assert sharing.reader.store is not None
    assert sharing.reader.store.path.parent == tmp_path / "shared"

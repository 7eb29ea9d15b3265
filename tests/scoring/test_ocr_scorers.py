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
from editgauge.scoring.ocr.presence import deletion_scores, insertion_scores
from editgauge.scoring.ocr.scorers import PresenceScorer, TextScorer, language_for, ocr_scorers
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


def presence(engine: Scripted = ENGINE) -> PresenceScorer:
    return PresenceScorer(reader=Reader(engine, engine.identity().label), source="scripted")


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
    (scorer,) = ocr_scorers()
    assert isinstance(scorer, Scorer)
    assert scorer.source.startswith("rapidocr-not-installed-")
    with pytest.raises(OcrError, match=r"pip install 'editgauge\[ocr\]'"):
        scorer.score(sample(tmp_path), edit(picture(tmp_path / "done.png", DONE)))
    with pytest.raises(MissingExtra):
        ocr_scorers(ocr_engine="rapidocr")


def test_runs_can_share_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapidocr", reason="the extra 'ocr' is not installed")
    (own,) = ocr_scorers(cache=tmp_path / "run")
    assert own.reader.store is not None
    assert own.reader.store.path.parent == tmp_path / "run"
    monkeypatch.setenv("EDITGAUGE_OCR_CACHE", str(tmp_path / "shared"))
    (sharing,) = ocr_scorers(cache=tmp_path / "run")
    assert sharing.reader.store is not None
    assert sharing.reader.store.path.parent == tmp_path / "shared"


# --------------------------------------------------------------------------- deleted and inserted
def test_presence_scores_of_a_deletion(tmp_path: Path) -> None:
    pages = {**PAGES, DONE: PAGES[ORIGINAL][1:]}
    scorer = presence(Scripted(pages))
    deletion = replace(sample(tmp_path, target=None), instruction="Delete 'SALE'")
    assert scorer.applies(deletion) is None
    gone = scorer.score(deletion, edit(picture(tmp_path / "gone.png", DONE)))
    assert [(s.metric, s.value, s.status) for s in gone] == [
        ("deleted", 1.0, Status.SCORED), ("inserted", None, Status.NOT_APPLICABLE),
        ("kept", 1.0, Status.SCORED),
    ]  # fmt: skip
    still = values(scorer, deletion, edit(picture(tmp_path / "still.png", UNTOUCHED)))
    assert still["deleted", "corrected"] == 0.0
    lost = replace(deletion, source_text="QQQQ")
    unknown = scorer.score(lost, edit(picture(tmp_path / "still.png", UNTOUCHED)))
    fault, other = Status.DATASET_FAULT, Status.NOT_APPLICABLE
    assert [s.status for s in unknown] == [fault, other, fault]


@pytest.mark.parametrize(
    ("source", "target", "instruction", "why"),
    [
        ("SALE", "OPEN", "Replace 'SALE' with 'OPEN'", "is change"),
        ("SALE", None, "Enlarge 'SALE'", "is resize"),
        (None, None, "Delete the title", "the text to delete is not known of this sample"),
        ("!!", None, "Delete '!!'", "no letter or digit"),
    ],
)
def test_presence_does_not_apply_to_other_operations(
    tmp_path: Path, source: str | None, target: str | None, instruction: str, why: str
) -> None:
    asked = replace(sample(tmp_path, source, target), instruction=instruction)
    assert why in str(presence().applies(asked))


def test_half_deleted_text_counts_by_what_is_left() -> None:
    original = [text("MASTER GARDENER", 0, 0), text("since 1984", 0, 60)]
    left = [text("MASTER GARD", 0, 0), text("since 1984", 0, 60)]
    scores = deletion_scores(original, left, "MASTER GARDENER")
    assert scores is not None
    assert scores["deleted"] == pytest.approx(4 / 14, abs=1e-5)
    assert deletion_scores(original, [text("SNACKS", 0, 0)], "MASTER GARDENER") == {
        "deleted": 1.0, "kept": pytest.approx(0.3, abs=0.1),
    }  # fmt: skip


def test_a_word_deleted_from_a_line() -> None:
    original, edited = [text("risks & concerns", 0, 0)], [text("risks &", 0, 0)]
    assert deletion_scores(original, edited, "concerns") == {"deleted": 1.0}
    assert deletion_scores(original, original, "concerns") == {"deleted": 0.0}
    assert deletion_scores(original, original, "benefits") is None


def test_an_insertion_counts_what_is_new() -> None:
    original = [text("JAY LI", 0, 40)]
    whole = {"inserted": 1.0, "kept": 1.0}
    assert insertion_scores(original, [text("NAME", 0, 0), *original], "NAME") == whole
    assert insertion_scores(original, [text("NAME JAY LI", 0, 40)], "NAME") == whole
    assert insertion_scores(original, original, "NAME") == {"inserted": 0.0, "kept": 1.0}
    assert insertion_scores(original, original, "JAY")["inserted"] == 0.0  # it was there before
    assert insertion_scores(original, [*original, text("JAY", 0, 90)], "JAY")["inserted"] == 1.0
    wrapped = [text("a long sentence that", 0, 80), text("runs over two lines", 0, 110), *original]
    words = "A long sentence that runs over two lines"
    assert insertion_scores(original, wrapped, words)["inserted"] == 1.0
    misspelt = insertion_scores([], [text("WELCOM", 0, 0)], "WELCOME")
    assert misspelt == {"inserted": pytest.approx(6 / 7, abs=1e-5)}


def test_a_short_insertion_must_be_a_word() -> None:
    assert insertion_scores([text("JAY", 0, 0)], [text("JAYS", 0, 0)], "S")["inserted"] == 0.0
    assert insertion_scores([text("JAY", 0, 0)], [text("JAY S", 0, 0)], "S")["inserted"] == 1.0

"""The track ``ocr`` from picture files to scores: statuses, sizes, engines in rows."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.errors import MissingExtra
from editgauge.images import Array, write_png
from editgauge.ocr import Identity, Reader, Text
from editgauge.scoring.ocr.scorers import TextScorer, language_for, ocr_scorers
from editgauge.types import Edit, Sample

ORIGINAL, DONE = 10, 20
LINES = ("daily 9 to 5", "free coffee")
PAGES = {ORIGINAL: ("SALE", *LINES), DONE: ("OPEN", *LINES)}


@dataclass(frozen=True)
class Scripted:
    """An engine that knows its pictures by their first pixel."""

    pages: Mapping[int, Sequence[str]]
    name: str = "scripted"

    def identity(self) -> Identity:
        return Identity("scripted", "1", {"model": "abc"})

    def own_language(self, language: str) -> str | None:
        return None if language == "ko" else language

    def __call__(self, image: Array, language: str = "en") -> list[Text]:
        factor = image.shape[1] / 200  # as on a picture 200 px wide
        found = []
        for line, words in enumerate(self.pages[int(image[0, 0, 0])]):
            right, top = 10 * len(words), 40 * line
            corners = ((0, top), (right, top), (right, top + 20), (0, top + 20))
            found.append(Text(tuple((x * factor, y * factor) for x, y in corners), words, 0.9))
        return found


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    write_png(tmp_path / "original.png", np.full((100, 200, 3), ORIGINAL, np.uint8))
    return Sample(
        benchmark="textedit", id="2.1/1", split="Real", category=("2.1",),
        instruction="Replace it", images=(tmp_path / "original.png",), output_stems=("2.1/1",),
        source_text="SALE", target_text="OPEN",
    )  # fmt: skip


def output(folder: Path, colour: int, size: tuple[int, int] = (200, 100)) -> Edit:
    path = folder / f"{colour}.png"
    write_png(path, np.full((size[1], size[0], 3), colour, np.uint8))
    return Edit(sample="2.1/1", editor="m", path=path)


LABEL = Scripted(PAGES).identity().label
SCORER = TextScorer(reader=Reader(Scripted(PAGES), LABEL), source=LABEL)


def test_five_scores_in_two_variants(sample: Sample, tmp_path: Path) -> None:
    for size in ((200, 100), (400, 200)):
        scores = SCORER.score(sample, output(tmp_path, DONE, size))
        assert {score.value for score in scores} == {1.0}
        assert len({(score.metric, score.variant) for score in scores}) == 10


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"source_text": None}, "no source text is known of this sample"),
        ({"target_text": "  "}, "the target text is empty"),
        ({"attributes": {"operation": "text_relocation"}}, "the operation is move"),
        ({"target_text": "할인"}, "the OCR engine 'scripted' cannot read the language 'ko'"),
    ],
)
def test_what_the_scores_do_not_apply_to(
    sample: Sample, changes: dict[str, Any], reason: str
) -> None:
    assert str(SCORER.applies(replace(sample, **changes))).startswith(reason)


def test_the_language_is_the_samples_own_where_it_is_known(sample: Sample) -> None:
    chinese = replace(sample, source_text="逆风", target_text="顺风")
    difficulty, own = ({"attributes": {"language": known}} for known in (2, "zh"))
    assert [language_for(one) for one in (sample, chinese)] == ["en", "zh"]
    assert language_for(replace(sample, **own)) == "zh"
    assert language_for(replace(sample, **difficulty)) == "en", "TextEditBench's difficulty"


def test_without_the_default_engine_nothing_is_measured_and_the_reason_is_said(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editgauge.ocr import rapid

    rapid._identity.cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    scorer = ocr_scorers()
    assert (scorer.source, scorer.applies(sample)) == ("rapidocr-not-installed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'editgauge\[ocr\]'"):
        scorer.score(sample, output(tmp_path, DONE))
    with pytest.raises(MissingExtra):
        ocr_scorers(ocr_engine="rapidocr")

"""What a model proposes: asked once, never the sample's text before a person says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editgauge.curation import refining, review
from editgauge.curation.dataset import Conflict
from editgauge.errors import UsageError
from editgauge.judging.fakes import FaultServer, ScriptedJudge, request_pictures, request_words
from editgauge.judging.options import JudgeOptions
from editgauge.web.log import Act
from tests.curation.made_set import make_set

GOOD = {
    "instruction": 'Change the word "OLD" to "NEW".',
    "paraphrase_1": 'Let the sign read "NEW" where "OLD" stands.',
    "paraphrase_2": 'Put "NEW" in place of "OLD".',
}
PARTS = {"modality": "CT", "action": "removal", "entity": "the nodule", "region": "the left lobe",
         "context": "the ribs"}  # fmt: skip


def options(server: FaultServer, **facts: object) -> JudgeOptions:
    return JudgeOptions(model="m-2025-01-01", base_url=server.url, **facts)  # type: ignore[arg-type]


def test_a_proposal_waits_for_a_person(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    with FaultServer(answer=ScriptedJudge(replies=(json.dumps(GOOD),))) as server:
        made = refining.refine(data, options(server), "ann")
        again = refining.refine(data, options(server), "ann")
    assert (made.proposed, made.failed, made.asked) == (["s00"], {}, 1)
    assert again.asked == 0, "the reply is in the store"
    record = data.record("s00")
    assert record["instruction"] == 'Replace "OLD" with "NEW".'
    found = {one["field"]: one for one in refining.proposals(record)}
    assert set(found) == {"instruction", "paraphrases", "rephrased"}
    assert ("out", "Replace") in found["instruction"]["pieces"]
    taken = refining.decide(data, "s00", record["version"], "instruction", True, "ben")
    assert (taken["instruction"], taken["state"]) == (GOOD["instruction"], "refined")
    with pytest.raises(Conflict):
        refining.decide(data, "s00", record["version"], "rephrased", True, "ann")
    left = refining.decide(data, "s00", taken["version"], "rephrased", False, "ben")
    assert "rephrased" not in left
    with pytest.raises(UsageError, match="nothing is proposed"):
        refining.decide(data, "s00", left["version"], "rephrased", True, "ben")


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            '{"instruction": "Change it.", "paraphrase_1": "x", "paraphrase_2": "y"}',
            "lost the quoted",
        ),
        ("no JSON at all", "found none"),
        (json.dumps({**GOOD, "paraphrase_2": ""}), "no usable paraphrase_2"),
        (json.dumps({**GOOD, "paraphrase_2": 7}), "got `int` - at `$.paraphrase_2`"),
    ],
)
def test_a_reply_that_cannot_be_used_is_told(tmp_path: Path, reply: str, said: str) -> None:
    data = make_set(tmp_path / "set", 1)
    with FaultServer(answer=ScriptedJudge(replies=(reply,))) as server:
        made = refining.refine(data, options(server), "ann")
    assert made.proposed == []
    assert said in made.failed["s00"]
    assert "proposed" not in data.record("s00")


def test_a_change_is_described_from_both_pictures(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 2)
    data.change(
        "s01", 1, {"pictures": {data.record("s01")["images"][0]: {"needs_look": True}}}, Act("ann")
    )
    seen = []

    def answer(body: dict[str, object]) -> str:
        seen.append((len(request_pictures(body)), request_words(body)))
        return json.dumps(PARTS)

    with FaultServer(answer=answer) as server:
        made = refining.refine(data, options(server), "ann", describe=True)
    assert made.proposed == ["s00"]
    assert "nobody has looked at" in made.failed["s01"], "no unseen scan leaves the house"
    assert [count for count, _ in seen] == [2]
    assert "[[instruction" in seen[0][1]
    (one,) = refining.proposals(data.record("s00"))
    assert one["field"] == "change"
    for text in PARTS.values():
        assert text in data.record("s00")["proposed"]["change"]


def test_the_budget_is_the_judges(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 3)
    with FaultServer(answer=ScriptedJudge(replies=(json.dumps(GOOD),) * 3)) as server:
        with pytest.raises(UsageError, match="no budget can be kept"):
            refining.refine(data, options(server, budget=1.0), "ann")
        made = refining.refine(data, options(server, budget=1e-9, price="5/5"), "ann")
    assert made.stopped
    assert made.asked == 0


def test_a_seed_draws_the_same_words() -> None:
    texts = ["a", "b", "c"]
    first = [refining.drawn(texts, f"s{n}", 1) for n in range(30)]
    assert first == [refining.drawn(texts, f"s{n}", 1) for n in range(30)]
    assert set(first) == set(texts)
    assert first != [refining.drawn(texts, f"s{n}", 2) for n in range(30)]


def test_a_difference_reads_as_both_texts() -> None:
    pieces = refining.difference("Make the sky red now", "Paint the sky dark red")
    assert " ".join(text for kind, text in pieces if kind != "in") == "Make the sky red now"
    assert " ".join(text for kind, text in pieces if kind != "out") == "Paint the sky dark red"


def test_a_proposal_is_no_content(tmp_path: Path) -> None:
    data = make_set(tmp_path / "set", 1)
    before = review.content_of(data.record("s00"))
    with FaultServer(answer=ScriptedJudge(replies=(json.dumps(GOOD),))) as server:
        refining.refine(data, options(server), "ann")
    assert review.content_of(data.record("s00")) == before

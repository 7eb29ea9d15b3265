"""Instructions and replies: any text is read, in time that grows as the text does."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from editgauge.benchmarks.krisbench.judge import released_pair
from editgauge.benchmarks.krisbench.judge import released_score as kris
from editgauge.benchmarks.medebench.judge import released_scores as mede
from editgauge.benchmarks.texteditbench.judge import released_score as text
from editgauge.instructions import read_instruction
from editgauge.judging.protocol import Call, Range
from editgauge.judging.reading import read
from editgauge.types import Status
from tests.fuzz.corpus import fuzz, spoilt_bytes

CALL = Call(
    name="fuzz",
    parts=(),
    reply={"reason": str, "accuracy": Range(0, 5), "quality": Range(1, 5)},
    metrics={},
    rubric="",
)
REPLIES = (
    'Fine. {"accuracy": 4, "quality": 5, "reason": "it says \\"SALE\\""}',
    '```json\n{"accuracy": 3,\n "quality": 2}\n```',
    "<think>maybe 2?</think> accuracy: 5\nquality: 4",
    '{"scores": [4, 5]} **Accuracy**: 4/5',
    "I'm sorry, I can't help with that.",
)
PIECES = ("'", '"', "“", "”", "「", "{", "}", "[", "]", ":", ",", " ", "\n", "accuracy", "quality",
          "4", "-1", "1e999", "replace", "with", "to", "text", "\\", "\\u12", "<think>", "</think>", "```")  # fmt: skip
READERS: tuple[Callable[[str], object], ...] = (
    lambda reply: text(reply, "accuracy"),
    lambda reply: kris(reply, "accuracy"),
    released_pair,
    mede,
)
"""The released parsers: whatever they make of a reply, none raises."""
texts = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PIECES), max_size=80).map("".join),
    st.tuples(st.sampled_from(REPLIES), st.integers(0, 2**32)).map(
        lambda pair: spoilt_bytes(pair[0].encode(), pair[1]).decode("utf-8", "replace")
    ),
)


@fuzz
@given(text=texts)
def test_instructions(text: str) -> None:
    parsed = read_instruction(text)
    assert parsed.ok == (parsed.reason == "")
    end = 0
    for quote in parsed.quotes:
        assert end <= quote.start < quote.end <= len(text)
        assert quote.text in text
        end = quote.end


@fuzz
@given(reply=texts)
def test_replies(reply: str) -> None:
    verdict = read(CALL, reply)
    for name, reading in verdict.readings.items():
        scale = CALL.fields[name]
        assert (reading.value is None) == (reading.status is not Status.SCORED)
        assert reading.value is None or scale.low <= reading.value <= scale.high
        assert bool(reading.reason) == (reading.value is None)
    for reader in READERS:
        reader(reply)

"""What a server takes is found from its refusals, and a refused word costs a word, not the schema."""

from __future__ import annotations

import pytest

from editgauge.judging.chat import Dialect
from editgauge.judging.protocol import VISIBLE, Call, Range

CALL = Call(
    name="Q",
    parts=(),
    reply={**VISIBLE, "reason": str, "score": Range(1, 5)},
    metrics={},
    rubric="",
)
SCHEMA = CALL.schema()


def test_a_declaration_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="Q9 in metrics, but no number of the reply"):
        Call(name="Q", parts=(), reply={"Q1": Range(1, 5)}, metrics={"Q9": "Q9"}, rubric="")


@pytest.mark.parametrize(
    ("before", "reason", "after"),
    [
        (Dialect(), "Unsupported response_format", Dialect(form="json_object")),
        (Dialect(form="json_object"), "unknown response_format", Dialect(form="guided_json")),
        (Dialect(form="guided_json"), "guided_json: extra fields", Dialect(form="")),
        (Dialect(form=""), "response_format", None),
        (Dialect(), "schema: 'enum' is not permitted", Dialect(dropped=("enum",))),
        (
            Dialect(),
            'Unknown name "additionalProperties"',
            Dialect(dropped=("additionalProperties",)),
        ),
        (
            Dialect(),
            "use 'max_completion_tokens' instead",
            Dialect(tokens_field="max_completion_tokens"),
        ),
        (Dialect(), "temperature does not support 0.0", Dialect(temperature=False)),
        (Dialect(), "too many pictures", None),
    ],
)
def test_a_dialect_is_found_from_reasons(
    before: Dialect, reason: str, after: Dialect | None
) -> None:
    assert before.after(f"HTTP 400: {reason}") == after


def test_a_refused_keyword_is_left_out_of_the_schema() -> None:
    dropped = Dialect(dropped=("enum", "strict")).asks_for(SCHEMA)
    sent = dropped["response_format"]["json_schema"]
    assert "strict" not in sent
    score = {"type": "integer", "minimum": 1, "maximum": 5}
    assert sent["schema"]["properties"]["score"] == score


@pytest.mark.parametrize(
    ("form", "key"),
    [("json_schema", "response_format"), ("json_object", "response_format"),
     ("guided_json", "guided_json"), ("tool", "tool_choice")],
)  # fmt: skip
def test_each_form_carries_the_schema(form: str, key: str) -> None:
    dialect = Dialect.of("", Dialect(form=form).note)  # type: ignore[arg-type]
    sent = dialect.asks_for(SCHEMA)
    assert key in sent
    assert "pictures_visible" in str(sent)


def test_a_note_is_read_again_and_an_odd_one_is_none() -> None:
    dialect = Dialect(dropped=("strict",), temperature=False)
    assert Dialect.of("x", dialect.note) == dialect
    assert Dialect.of("x", '{"schema": true}') == Dialect()
    assert Dialect.of("api.anthropic.com").form == "tool"

"""Prompts are taken out of scripts by reading them: constants, messages, conditions, loops."""

from __future__ import annotations

import pytest

from editgauge.errors import DataError
from editgauge.judging import released
from editgauge.judging.released import Field

SCRIPT = '''
import does_not_exist
raise SystemExit("a script is read, never run")
TEXT = "Rate {what} as {{\\"score\\": n}}."
TEXTS = {"A": "first " + "half", "B": """second"""}
RAW = "sent as it is: {what}"
MADE = f"of {TEXT}"

def ask(dimension, kind, hint, a_b64, b_b64, more):
    system = TEXTS[dimension]
    prompt = TEXT.format(what="sky")
    for attempt in range(3):
        try:
            content = [{"type": "text", "text": f"Do: {prompt}"}]
            if kind:
                content.append({"type": "text", "text": f"Kind {kind}"})
            if hint and dimension == "B":
                content.append({"type": "text", "text": "Hint: " + hint})
            content.extend([
                {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{a_b64}"}},
            ])
            for number, (name, b64) in enumerate(more, start=1):
                content.append({"type": "text", "text": f"Picture {number}:"})
                content.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64}"}})
            return client.chat.completions.create(
                model=MODEL,
                messages=[{"role": "system", "content": system}, {"role": "user", "content": content}],
                temperature=0.0, max_tokens=500, stream=False, seed=SEED,
            )
        except Exception as error:
            return {"score": 0, "reason": f"{error}"}
'''
TREE = released.parse(SCRIPT, "script.py")


def test_constants_and_entries_of_dictionaries() -> None:
    assert released.constant(TREE, "script.py", "RAW") == "sent as it is: {what}"
    assert released.constant(TREE, "script.py", "TEXTS", "A") == "first half"
    assert released.constant(TREE, "script.py", "TEXTS", "B") == "second"


@pytest.mark.parametrize(
    ("wanted", "key", "words"),
    [
        ("PROMPT", "", "looked for the constant PROMPT"),
        ("TEXTS", "C", r"looked for TEXTS\['C'\]"),
        ("MADE", "", "wanted a text constant"),
        ("TEXTS", "", "wanted a text constant"),
    ],
)
def test_what_is_not_there_is_named(wanted: str, key: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        released.constant(TREE, "script.py", wanted, key)


def test_a_formatted_text_has_fields_and_single_braces() -> None:
    text = released.constant(TREE, "script.py", "TEXT")
    assert released.format_fields(text, "TEXT") == (
        "Rate ",
        Field("what"),
        ' as {"score": n}.',
    )
    assert released.is_formatted(TREE, "TEXT")
    assert not released.is_formatted(TREE, "RAW")


@pytest.mark.parametrize("text", ["{", "{a.b}", "{0}", "{a!r}", "{a:>3}", "{}"])
def test_a_text_that_format_would_read_otherwise_is_refused(text: str) -> None:
    with pytest.raises(DataError, match="fields cannot be read"):
        released.format_fields(text, "TEXT")


def test_messages_have_their_order_conditions_and_loops() -> None:
    system, user = released.messages(TREE, "script.py", "ask")
    assert (system.role, system.plain, system.parts[0].text) == (
        "system",
        True,
        (Field("system"),),
    )
    assert user.role == "user"
    texts = [part.text for part in user.parts]
    assert texts == [
        ("Do: ", Field("prompt")),
        ("Kind ", Field("kind")),
        ("Hint: ", Field("hint")),
        None,
        ("Picture ", Field("number"), ":"),
        None,
    ]
    assert [dict(part.when) for part in user.parts[:3]] == [
        {},
        {"kind": None},
        {"hint": None, "dimension": "B"},
    ]
    assert [(part.picture, part.mime, part.each) for part in user.parts[3:]] == [
        ("a_b64", "image/jpeg", ""),
        ("", "", "more"),
        ("b64", "image/png", "more"),
    ]


def test_parameters_are_the_constant_keywords() -> None:
    assert released.parameters(TREE, "script.py", "ask") == {
        "temperature": 0.0,
        "max_tokens": 500,
        "stream": False,
    }


@pytest.mark.parametrize(
    ("source", "function", "words"),
    [
        ("def other(): pass", "ask", r"the function ask\(\)"),
        ("def ask(): return 1", "ask", "builds none"),
        (
            "def ask(x): return [{'role': 'user', 'content': [{'type': 'text', 'text': x()}]}]",
            "ask",
            "put together in an unknown way",
        ),
        (
            (
                "def ask(x): return [{'role': 'user', 'content': [{'type': 'image_url', "
                "'image_url': {'url': x}}]}]"
            ),
            "ask",
            "sent in an unknown way",
        ),
    ],
)
def test_another_shape_is_one_clear_error(source: str, function: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        released.messages(released.parse(source, "s.py"), "s.py", function)


@pytest.mark.parametrize("source", ["def (", "\0", "x = " + "(" * 5000, "a" * 5_000_000])
def test_a_script_that_cannot_be_read_is_one_clear_error(source: str) -> None:
    with pytest.raises(DataError, match=r"s\.py"):
        released.parse(source, "s.py")

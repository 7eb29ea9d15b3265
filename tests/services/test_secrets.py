"""Keys are cut out of everything, in every form; addresses are shown without them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.errors import UsageError
from editgauge.services.secrets import HIDDEN, Secrets, address, key_from, shown

KEY = "sk-a/b+c=0123"


def test_every_form_of_a_key_is_cut_out() -> None:
    secrets = Secrets([KEY])
    for form in (KEY, "sk-a%2Fb%2Bc%3D0123", base64.b64encode(KEY.encode()).decode(),
                 KEY.encode().hex()):  # fmt: skip
        assert secrets.text(f"a {form} b") == f"a {HIDDEN} b"
        assert secrets.data(f"a {form} b".encode()) == f"a {HIDDEN} b".encode()
    assert secrets.value({KEY: [1, {"x": f"<{KEY}>"}]}) == {HIDDEN: [1, {"x": f"<{HIDDEN}>"}]}
    assert KEY not in repr(secrets)


def test_no_part_of_a_key_is_left_where_a_message_is_cut() -> None:
    line = Secrets([KEY]).line("x" * 295 + KEY, 300)
    assert line == "x" * 295 + HIDDEN


@pytest.mark.parametrize("word", ["", "x", "EMPTY", "none", "dummy"])
def test_words_that_are_no_secrets_stay(word: str) -> None:
    assert Secrets([word]).text("an EMPTY x dummy none") == "an EMPTY x dummy none"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters()) | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_whatever_comes_can_be_stored(value: object) -> None:
    import orjson

    orjson.dumps(Secrets([KEY]).value(value))


def test_addresses() -> None:
    found = address("https://host:8/v1/?api-version=2&code=hidden-one", "--base-url")
    assert found.of("/chat") == "https://host:8/v1/chat?api-version=2&code=hidden-one"
    assert found.shown == "https://host:8/v1"
    assert found.secrets == ("hidden-one",)
    assert "hidden" not in repr(found).replace(found.query, "")
    assert shown("https://me:pw@host/v1?key=1#2") == "https://host/v1"


@pytest.mark.parametrize(
    "text", ["ftp://h?k=hidden", "http://me:hidden@h", "hidden", "http://", "http://[hidden"]
)
def test_odd_addresses_are_turned_down_without_being_shown(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        address(text, "--base-url")
    if text != "hidden":
        assert "hidden" not in str(caught.value)


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_KEY", " abc ")
    assert key_from(["NO_KEY", "ONE_KEY"]) == "abc"
    assert key_from(["NO_KEY"]) == ""
    with pytest.raises(UsageError, match="NO_KEY"):
        key_from(["NO_KEY"], needed=True)
    monkeypatch.setenv("ONE_KEY", "schlüssel")
    with pytest.raises(UsageError) as caught:
        key_from(["ONE_KEY"])
    assert "schl" not in str(caught.value)

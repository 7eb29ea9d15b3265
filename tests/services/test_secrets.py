"""Keys are cut out of everything, in every form; addresses are shown without them."""

from __future__ import annotations

import base64
import codecs
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.errors import UsageError
from editgauge.services.secrets import HIDDEN, Secrets, address, clean, key_from, shown

KEY = "sk-a/b+c=0123"


def test_every_form_of_a_key_is_cut_out() -> None:
    secrets = Secrets([KEY])
    for form in (KEY, "sk-a%2Fb%2Bc%3D0123", base64.b64encode(KEY.encode()).decode(),
                 KEY.encode().hex()):  # fmt: skip
        assert secrets.text(f"a {form} b") == f"a {HIDDEN} b"
        assert secrets.data(f"a {form} b".encode()) == f"a {HIDDEN} b".encode()
    assert secrets.value({KEY: [1, {"x": f"<{KEY}>"}]}) == {HIDDEN: [1, {"x": f"<{HIDDEN}>"}]}
    assert KEY not in repr(secrets)


LONG = "sk-proj-" + "aB3_dE-fG7" * 15 + "T3BlbkFJ"
LONG_SECRETS = Secrets([LONG])
CODED = base64.b64encode(LONG.encode()).decode()
SPELLED = {
    "lines of base64": base64.encodebytes(LONG.encode()).decode(),
    "lines of a longer base64": base64.encodebytes(f"Bearer {LONG} x".encode()).decode(),
    "lines of base64 in a JSON text": "\\n".join(CODED[n : n + 64] for n in range(0, 222, 64)),
    "base32": base64.b32encode(LONG.encode()).decode(),
    "digits with blanks": LONG.encode().hex(" "),
    "digits with colons": LONG.encode().hex(":"),
    "a list of letters": str(list(LONG)),
    "large letters": LONG.upper(),
    "UTF-16": LONG.encode("utf-16-le").decode("latin-1"),
    "HTML": "".join(f"&#{ord(letter):04d};" for letter in LONG),
    "escaped twice": "".join(f"%25{ord(letter):02x}" for letter in LONG),
    "quoted lines": "\n> ".join(LONG[n : n + 40] for n in range(0, len(LONG), 40)),
    "quoted-printable": "=\r\n".join(LONG[n : n + 40] for n in range(0, len(LONG), 40)),
    "lines of HTML": "<br>".join(LONG[n : n + 40] for n in range(0, len(LONG), 40)),
    "soft hyphens": "\u00ad".join(LONG),
    "half of it": LONG[:80],
    "the other half": LONG[80:],
}


@pytest.mark.parametrize("name", SPELLED)
def test_a_long_key_is_cut_out_however_it_is_broken(name: str) -> None:
    secrets, form = LONG_SECRETS, SPELLED[name]
    for said in (secrets.text(f"a {form} b"), secrets.data(f"a {form} b".encode()).decode()):
        assert HIDDEN in said
        left = said.replace(HIDDEN, "")
        assert all(form[n : n + 16] not in left for n in range(len(form) - 15) if form[n].isalnum())


SHORT = "sk-very-secret"
TWICE = base64.b64encode(base64.b64encode(f"the key is {SHORT}, of {'x' * 60}".encode()))
HIDDEN_FORMS = {
    "base85": base64.b85encode(SHORT.encode()).decode(),
    "base85 of more": base64.b85encode(f"Bearer {SHORT} x".encode()).decode(),
    "ascii85": base64.a85encode(SHORT.encode(), adobe=True).decode(),
    "rot13": codecs.encode(SHORT, "rot13"),
    "rot13 backwards": codecs.encode(SHORT, "rot13")[::-1],
    "base64 twice": base64.b64encode(base64.b64encode(SHORT.encode())).decode(),
    "base64 twice of more": TWICE.decode(),
    "lines of base64 twice": base64.encodebytes(base64.b64decode(TWICE)).decode(),
    "backwards": SHORT[::-1],
    "base64 of it backwards": base64.b64encode(SHORT[::-1].encode()).decode(),
    "digits of base64": base64.b64encode(SHORT.encode()).hex(),
    "numbers": ", ".join(map(str, SHORT.encode())),
    "octal": "".join(f"\\{byte:03o}" for byte in SHORT.encode()),
    "bits": " ".join(f"{byte:08b}" for byte in SHORT.encode()),
    "escaped for addresses twice": "".join(f"%25{ord(letter):02X}" for letter in SHORT),
    "escaped thrice": "".join(f"%2525{ord(letter):02X}" for letter in SHORT),
    "HTML twice": "".join(f"&amp;#{ord(letter)};" for letter in SHORT),
    "JSON texts": '["sk-ve", "ry-se","cret"]',
    "JSON fields": '{"first": "sk-ve", "next": "ry-se", "n": 3, "last": "cret"}',
    "JSON objects": '[{"i":1,"t":"sk-ve"},{"i":2,"t":"ry-se"},{"i":3,"t":"cret"}]',
    "JSON in JSON": json.dumps(json.dumps({"a": "sk-ve", "b": "ry-secret"})),
    "string joints": '"sk-very" + "-secret"',
}


@pytest.mark.parametrize("name", HIDDEN_FORMS)
def test_a_short_key_is_cut_out_however_it_is_hidden(name: str) -> None:
    secrets, form = Secrets([SHORT]), HIDDEN_FORMS[name]
    said = secrets.text(f"before {form} behind")
    assert said.startswith("before ")
    assert said.endswith(" behind")
    assert HIDDEN in said
    left = [letter for letter in said[7:-7].replace(HIDDEN, "") if letter.isalnum()]
    assert len(left) + 8 <= len([letter for letter in form if letter.isalnum()]), said
    if form[0] in "[{":
        json.loads(secrets.text(form))


def test_a_key_that_holds_a_joint_is_cut_out_all_the_same() -> None:
    key = "cW1BearE.3TArBMU0XYG"
    for form in (key, f'{key[:3]}","n":"{key[3:]}', "\\n".join(key), key.encode().hex(" ")):
        assert Secrets([key]).text(f"<<{form}>> 0x41") == f"<<{HIDDEN}>> 0x41"
    numbers = ", ".join(f"0x{byte:02x}" for byte in key.encode())
    assert Secrets([key]).text(f"<{numbers}>") == f"<0x{HIDDEN}>"


@given(st.text(max_size=40), st.lists(st.integers(1, 13), max_size=3), st.text(max_size=40))
def test_a_key_in_any_text_is_cut_out(before: str, cuts: list[int], behind: str) -> None:
    """Broken anywhere, by anything without letters; what stands around stays."""
    secrets = Secrets([SHORT])
    broken = SHORT
    for cut in sorted(cuts, reverse=True):
        broken = broken[:cut] + '", "' + broken[cut:]
    said = secrets.text(f"{before} {broken} {behind}")
    assert "very" not in said.replace(before, "").replace(behind, "")
    assert said.startswith(before)
    assert said.endswith(behind)


def test_cleaning_takes_time_in_proportion() -> None:
    secrets = Secrets([LONG])
    for kind in ("a", '"', "%25", '\\"', '","b":"', "&amp;", SHORT, LONG, "\\u0073", "\\n"):
        times = []
        for length in (60_000, 240_000):
            text = kind * (length // len(kind))
            began = time.process_time()
            secrets.text(text)
            times.append(time.process_time() - began)
        assert times[1] < 12 * max(times[0], 0.005), (kind, times)


def test_what_looks_like_a_part_of_no_key_stays() -> None:
    text = "The sign reads 50%25 &amp; 0x41; a, b, c \u0041 <br> project"
    assert Secrets([LONG, KEY]).text(text) == text
    assert Secrets([LONG]).data(b"\xff\x00 sk") == b"\xff\x00 sk"


def test_what_libraries_log_is_clean() -> None:
    secrets = Secrets([LONG])
    assert clean(f"GET http://host/v1?code={LONG} 200") == f"GET http://host/v1?code={HIDDEN} 200"
    del secrets


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
    assert found.of("/batches?limit=9").endswith("?limit=9&api-version=2&code=hidden-one")
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


def test_backslashes_by_the_thousand_take_no_time() -> None:
    """Each of them could begin an escape that ends behind the last one: 125 kB took a minute."""
    key = "sk-aB3dE6gH9xyzW12"
    secrets = Secrets([key])
    escaped = "".join("\\" * 7 + f"u{ord(letter):04x}" for letter in key)
    assert secrets.text(f"a {escaped} b").count(HIDDEN) == 1
    began = time.process_time()
    for text in ("\\" * 60_000, "\\" * 60_000 + key, "\\" * 9_000 + escaped):
        assert key not in secrets.text(text)
    assert HIDDEN in secrets.text("\\" * 9_000 + escaped)
    assert time.process_time() - began < 2

"""What is taken from a chat model's message, whatever it is."""

from __future__ import annotations

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from editgauge.editors.chats import _contents

PLAIN = re.compile(r"!\[[^\]]*\]\((https?://[^\s()<>]+)\)")
"""The addresses in Markdown, in time that grows with the square of the text."""
PIECES = ("![", "[", "]", "](", "(", ")", "http://a.b/c", "https://", " ", "\n", "a", "<", "!")


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_addresses_in_markdown(text: str) -> None:
    assert _contents({"content": text}) == (text.strip(), PLAIN.findall(text))


def test_a_text_of_opened_brackets_takes_no_time() -> None:
    began = time.process_time()
    for piece in ("![", "![a](http://a", "![]("):
        assert _contents({"content": piece * 50_000})[1] == []
    assert time.process_time() - began < 3

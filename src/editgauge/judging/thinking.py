"""The judge's answer without its thinking: the marks that models and servers put around it.

A first idea is no verdict, so what lies inside thinking is never read, and thinking that never ends
leaves no answer at all. A server that sends thinking apart (``reasoning_content``) sends none of it
here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAME = (
    r"(?:seed:|mm:|ant)?(?:think(?:ing)?|thoughts?|reasoning|reflection|analysis|scratchpad"
    r"|inner[_ ](?:monologue|thoughts?)|internal[_ ]monologue|cot)"
)
_TAG = re.compile(
    # the look at the next letter keeps a text of nothing but brackets cheap
    r"[<\[◁](?=[/|abcimrstu])(?:"
    rf"(?:(?P<close>/){_NAME}|{_NAME}(?:\s[^<>\n]{{0,60}})?)[>\]▷]"
    rf"|(?<=<)\|(?:(?P<begin>begin_of_|start_)|(?P<end>end_of_|end_|/))?{_NAME}\|>"
    r"|(?<=<)unused9(?:4|(?P<last>5))>)",  # tokens that MedGemma thinks between
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"<(/?)(?:final_)?answer>|<\|(end|begin)_of_(?:solution|box)\|>", re.IGNORECASE
)
_TOKEN = re.compile(r"<\|[^|<>\s]{1,40}\|>")
"""Marks of chat templates that a server has left in the text."""
_SPOKEN = (
    ("Here is my thought process:", "Here is my response:"),
    ("Thinking...\n", "...done thinking."),
)
"""Marks in words: how the text begins, and where the answer does."""


def without_thinking(reply: str, protected: Iterable[tuple[int, int]] = ()) -> str | None:
    """The reply without the judge's thinking; None where thinking never ends.

    What lies before a closing mark that nothing opened is thinking too: chat templates often write
    the opening mark themselves. Text in front of ``<answer>`` is taken as thinking. Marks inside
    the `protected` spans (complete JSON objects) are text like any other.
    """
    if "<|channel|>" in reply:  # channels of some open models: only the final one is an answer
        _, final, reply = reply.rpartition("<|channel|>final<|message|>")
        if not final:
            return None
        protected = ()
    elif reply.startswith("analysis") and "assistantfinal" in reply:  # the same, marks stripped
        reply, protected = reply.rpartition("assistantfinal")[2], ()
    for opening, closing in _SPOKEN:
        if reply.lstrip().startswith(opening):
            _, found, reply = reply.rpartition(closing)
            if not found:
                return None
            protected = ()
    answer = _outside(reply, list(protected))
    if answer is None:
        return None
    if "<|" not in answer and "answer>" not in answer.casefold():
        return answer
    marks = [mark for mark in _ANSWER.finditer(answer) if mark[1] != "/" and mark[2] != "end"]
    if marks:
        answer = answer[marks[0].end() :]
    return _TOKEN.sub("\n", _ANSWER.sub("\n", answer))


_WORDS = (
    *("think", "thought", "reasoning", "reflection", "analysis", "scratchpad", "monologue", "cot"),
    "unused9",
)
"""One of these is in every mark of thinking."""


def _outside(reply: str, protected: list[tuple[int, int]]) -> str | None:
    """The text outside of tagged thinking, or None where a tag stays open."""
    plain = reply.casefold()
    if not any(word in plain for word in _WORDS):
        return reply
    pieces: list[str] = []
    begin, inside = 0, False
    spans = iter(protected)
    span = next(spans, None)
    for tag in _TAG.finditer(reply):
        while span is not None and span[1] <= tag.start():
            span = next(spans, None)
        if span is not None and span[0] <= tag.start():
            continue
        if tag["close"] or tag["end"] or tag["last"]:
            if not inside:
                pieces.clear()
            begin, inside = tag.end(), False
        elif not inside:
            pieces.append(reply[begin : tag.start()])
            inside = True
    if inside:
        return None
    return "\n".join([*pieces, reply[begin:]]) if pieces else reply[begin:]

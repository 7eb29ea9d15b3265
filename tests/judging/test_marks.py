"""Marks of other templates in a user's rubric are found, honest writing is left alone."""

from __future__ import annotations

import pytest

from editgauge.judging.marks import unfilled

KNOWN = frozenset({"source", "target"})


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("{{source}} became [INSTRUCTION]?", "[INSTRUCTION]"),
        ("{{source}} [Editing Instruction]", "[Editing Instruction]"),
        ("{{source}}: [insert the instruction here]", "[insert the instruction here]"),
        ("{{source}} Instruction:\n[PROMPT]\n\nScore it.", "[PROMPT]"),
        ("{{source}} Instruction:\n[PROMPT]\nScore it.", "[PROMPT]"),
        ("{{source}} and [target_text].", "[target_text]"),
        ("{{source}} Was <instruction> followed?", "<instruction>"),
        ("{{source}} <TARGET TEXT>", "<TARGET TEXT>"),
        ("{{source}} <instruction>\n</instruction>", "<instruction>"),
        ("{{source}} <<instruction>> <<x>>", "<<instruction>>"),
        ("{{source}} and <<NAME>>", "<<NAME>>"),
        ("{{source}} and <<<NAME>>>", "<<NAME>>"),
        ("{{source}} and $target", "$target"),
        ("{{source}} and $INSTRUCTION, then", "$INSTRUCTION"),
        ("{{source}} and $x", "$x"),
        ("{{source}} {{ x }}", "{{ x }}"),
        ("{{source}} {x}", "{x}"),
        ("{{source}} ${TARGET}", "${TARGET}"),
        ("[TARGET] {{source}} {x}", "[TARGET]"),
    ],
)
def test_a_mark_that_nobody_fills(text: str, mark: str) -> None:
    assert unfilled(text, KNOWN) == mark


@pytest.mark.parametrize(
    "text",
    [
        "Give a number in [0, 5] for {{source}}, or [1-5], or [0;5].",
        "See [the instruction](https://example.org/a) and ![source](a.png).",
        "See [the instruction][1] and [source].\n\n[source]: https://example.org\n[1]: b",
        "- [x] done\n- [ ] not done [1] [^2] [sic]",
        "[[source text 1a2b]] is material; [[instruction …]] too.",
        "[Instruction]\nPlease judge as a strict reader.\n\n[Question]\n{{source}} {{target}}",
        "**[INSTRUCTION]**\nJudge strictly.",
        "<instruction>\nJudge {{source}} strictly.\n</instruction>",
        "<source>{{source}}</source> <target>{{target}}</target> [SOURCE] [TARGET]",
        "[source text]: {{source}} is now [target text] {{target}}",
        'Answer {"score": <score>, "reason": "<reason>"} or [score] or <your reason>.',
        "[IMPORTANT] Be strict. [IF] [VC] <b>bold</b> <br> <think> [the first picture]",
        "[SOURCE IMAGE] is first, [INSTRUCTION IMAGE] second, <source picture> too.",
        "The price $5, US$20, $source + target$, \\$target, $$x$$ and $n$ stay.",
        "a << b, b >> c, 1 < source > 2, List<int>",
        '100% of it; {0.5}; a {1, 2}; {"score": 3}; { }',
    ],
)
def test_honest_writing_is_no_mark(text: str) -> None:
    assert unfilled(text, KNOWN) is None


def test_a_name_of_a_field_that_is_shown_is_a_name() -> None:
    assert unfilled("[INSTRUCTION] {{wanted}}", frozenset({"wanted"})) is None
    assert unfilled("[INSTRUCTION] {{#wanted}}x{{/wanted}}", frozenset({"wanted"})) is not None

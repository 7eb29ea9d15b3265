"""Replies as many models write them, and what a person reads in each.

Written by hand: the habits are those of chat models that are asked for a small JSON object or for
lines (a sentence before or behind it, fences, bold, single quotes, thinking, examples, …). `READ`
has one right reading each, as many low verdicts as high ones; `UNCLEAR` has none, because the reply
says two verdicts, a range, a fraction, a correction, or does not end.
"""

from __future__ import annotations

from typing import NamedTuple

from editgauge.judging.protocol import VISIBLE, Call, Kind, Range


def call(*, lines: bool = False, **reply: Kind) -> Call:
    return Call(name="Q", parts=(), reply=reply, metrics={}, rubric="", lines=lines)


QUESTIONS = dict.fromkeys(("Q1", "Q2", "Q3", "Q4", "Q5"), Range(1, 5))
CALLS = {
    "ours": call(**VISIBLE, rationale=str, IF=Range(0, 5)),
    "one": call(rationale=str, IF=Range(0, 5)),
    "consistency": call(reasoning=object, consistency_score=Range(1, 5)),
    "pair": call(
        instruction_reasoning=object, instruction_score=Range(1, 5),
        knowledge_reasoning=object, knowledge_score=Range(1, 5),
    ),
    "five": call(score=QUESTIONS, reason=object),
    "lines": call(
        lines=True,
        **dict.fromkeys(
            ("Editing Accuracy", "Visual Quality", "Contextual Preservation"), Range(0, 10)
        ),
    ),
}  # fmt: skip
"""The forms of the benchmarks' calls: ours, and those that the papers' prompts ask for."""


class Written(NamedTuple):
    """A reply to one of `CALLS`; `values`: its numbers in the order of the call's fields."""

    call: str
    text: str
    values: tuple[int, ...]


READ = [
    # -- the object as it was asked for, and what stands around it
    Written("one", '{"rationale": "The word is right.", "IF": 5}', (5,)),
    Written("one", '{"IF": 1, "rationale": "Nothing was changed."}', (1,)),
    Written("one", '```json\n{"IF": 2, "rationale": "Half of the letters are wrong."}\n```', (2,)),
    Written("one", '{"IF": 4, "rationale": "Good."}\n\nI hope this helps!', (4,)),
    Written("one", '{"IF": 1, "rationale": "Wrong word."}\n\nLet me know if you need more detail.', (1,)),
    Written("one", 'Sure! Here is my evaluation:\n\n{"IF": 5, "rationale": "Exact."}\n\nThe score reflects that all 3 requested words appear.', (5,)),
    Written("one", 'Here is the JSON you asked for:\n```json\n{"IF": 0, "rationale": "The text is untouched."}\n```\nThe edit fails because none of the 4 letters was replaced.', (0,)),
    Written("one", '```\n{"rationale": "Legible, as asked.", "IF": 5}\n```\n\n*Note: the scale runs from 0 to 5.*', (5,)),
    Written("one", '{"IF": 3, "rationale": "Half."}\n\n**Explanation:** The edit changed 2 of 3 words; the score of 3 is due to that.', (3,)),
    Written("ours", '{"pictures_visible": true, "rationale": "Two of five letters differ.", "IF": 2}\n\nIn short: a partly correct edit.', (2,)),
    Written("ours", 'Evaluation:\n\n```json\n{"pictures_visible": true, "rationale": "As asked.", "IF": 4}\n```\n\nOverall this is a strong edit with only 1 small flaw.', (4,)),
    Written("consistency", '**Evaluation**\n\n{"consistency_score": 2, "reasoning": "The background changed."}\n\n---\n', (2,)),
    Written("consistency", '{"consistency_score": 5, "reasoning": "Only the car was changed."}<|im_end|>', (5,)),
    Written("five", 'Based on the images provided, here is the assessment:\n\n```json\n{\n  "score": {"Q1": 5, "Q2": 5, "Q3": 4, "Q4": 4, "Q5": 5},\n  "reason": {"Q1": "Exact.", "Q2": "Kept.", "Q3": "Kept.", "Q4": "Soft edges.", "Q5": "Fine."}\n}\n```\n\nThe edited text matches the target in style.', (5, 5, 4, 4, 5)),
    Written("five", '{"score": {"Q1": 1, "Q2": 2, "Q3": 3, "Q4": 1, "Q5": 2}, "reason": {"Q1": "5 letters are wrong.", "Q2": "3 lines are gone.", "Q3": "Cropped.", "Q4": "Blurry.", "Q5": "Seams."}}\nPlease tell me if you would like a more detailed report.', (1, 2, 3, 1, 2)),
    # -- numbers as texts
    Written("one", '{"IF": "4", "rationale": "Nearly perfect."}', (4,)),
    Written("one", '{"IF": "1", "rationale": "Hardly anything was done."}', (1,)),
    Written("one", '{"IF": "4/5", "rationale": "One accent is missing."}', (4,)),
    Written("one", '{"IF": "1/5", "rationale": "Another word."}', (1,)),
    Written("one", '{"IF": 2/5, "rationale": "Smeared."}', (2,)),
    Written("one", '{"IF": "5 out of 5", "rationale": "Flawless."}', (5,)),
    Written("one", '{"IF": 3.0, "rationale": "Right word, wrong place."}', (3,)),
    Written("ours", '{"pictures_visible": "true", "rationale": "Not changed at all.", "IF": "0"}', (0,)),
    Written("consistency", '{"consistency_score": "2/5", "reasoning": "The pose differs."}', (2,)),
    Written("consistency", '{"consistency_score": "5 (excellent)", "reasoning": "Nothing else moved."}', (5,)),
    Written("five", '{"score": {"Q1": "2", "Q2": "1", "Q3": "2", "Q4": "1", "Q5": "1"}, "reason": "The sign is unreadable."}', (2, 1, 2, 1, 1)),
    Written("pair", '{"instruction_score": "4", "instruction_reasoning": "Done.", "knowledge_score": "5", "knowledge_reasoning": "Ice melts."}', (4, 5)),
    # -- JSON that is none
    Written("one", '{"IF": 4, "rationale": "Good.",}', (4,)),
    Written("one", '{\n  "rationale": "The logo is gone.",\n  "IF": 1,\n}', (1,)),
    Written("one", "{'IF': 5, 'rationale': 'The sign doesn\\'t differ from the request.'}", (5,)),
    Written("one", "{'rationale': \"It isn't there.\", 'IF': 0}", (0,)),
    Written("one", "{IF: 4, rationale: 'As asked, but darker.'}", (4,)),
    Written("one", '{"IF": 2, "rationale": "The sign says "SALE", and "SOLD" was asked for."}', (2,)),
    Written("one", '{"rationale": "It reads "OPEN" as wanted.", "IF": 5}', (5,)),
    Written("one", '{\n  "IF": 4  // one letter is thinner\n  "rationale": "Good overall."\n}', (4,)),
    Written("one", '{“IF”: 1, “rationale”: “The wrong word was replaced.”}', (1,)),
    Written("one", '{"IF"：5，"rationale"："文字正确，其余部分没有变化。"}', (5,)),
    Written("one", '{"rationale": "The old word\nis still there.", "IF": 1}', (1,)),
    Written("one", '{"IF": 3, "rationale": "The glyphs are right, the colour is not."', (3,)),
    Written("one", '{\\"IF\\": 4, \\"rationale\\": \\"Right word.\\"}', (4,)),
    Written("ours", "{'pictures_visible': True, 'rationale': 'Only the font differs.', 'IF': 4}", (4,)),
    Written("pair", '{"instruction_score": 1, "instruction_reasoning": "Not done", "knowledge_score": 1, "knowledge_reasoning": null,}', (1, 1)),
    Written("five", '{"score": {"Q1": 4, "Q2": 5, "Q3": 5, "Q4": 4, "Q5": 4,}, "reason": {"Q1": "Says "OPEN" now."},}', (4, 5, 5, 4, 4)),
    # -- Markdown around parts of it
    Written("one", '**{"IF": 4, "rationale": "Clean."}**', (4,)),
    Written("one", '{"IF": **1**, "rationale": "Missed."}', (1,)),
    Written("one", '{**"IF"**: 5, **"rationale"**: "Complete."}', (5,)),
    Written("one", '`{"IF": 2, "rationale": "Partly."}`', (2,)),
    Written("consistency", '> {"consistency_score": 4, "reasoning": "Minor drift."}', (4,)),
    # -- thinking
    Written("one", '<think>Perhaps a 4? No: {"IF": 4} is too generous, the word is wrong.</think>\n{"IF": 1, "rationale": "Wrong word."}', (1,)),
    Written("one", '<thinking>\nIF: 2? All letters are right, so more.\n</thinking>\n{"IF": 5, "rationale": "All right."} That is my verdict.', (5,)),
    Written("one", '<reasoning>The text has 3 errors. {"IF": 3}?</reasoning><answer>{"IF": 2, "rationale": "Three errors."}</answer>', (2,)),
    Written("consistency", 'Okay, so first I look at the two images...\n</think>\n\n```json\n{"consistency_score": 4, "reasoning": "ok"}\n```', (4,)),
    # -- keys, wrappings, lists, several objects
    Written("one", '{"if": 4, "Rationale": "Good."}', (4,)),
    Written("one", '{"score": 1, "reason": "Not done."}', (1,)),
    Written("one", '{"IF_score": 5, "rationale": "Done."}', (5,)),
    Written("one", '{"IF": 2, "rationale": "Half.", "confidence": 0.9}', (2,)),
    Written("one", '{"IF": 4}', (4,)),
    Written("one", '{"evaluation": {"IF": 1, "rationale": "Untouched."}}', (1,)),
    Written("one", '{"IF": {"score": 4, "rationale": "One letter is off."}}', (4,)),
    Written("one", '{"IF": {"score": 2, "max_score": 5, "explanation": "Two of 5 words."}}', (2,)),
    Written("one", '[{"IF": 5, "rationale": "Exact."}]', (5,)),
    Written("one", '{"dimension": "IF", "score": 0, "rationale": "No edit."}', (0,)),
    Written("one", '{"IF": 4, "rationale": "Good."}\n{"IF": 4, "rationale": "Good."}', (4,)),
    Written("one", 'The form is {"IF": <score 0-5>, "rationale": "<explanation>"}.\n\n{"IF": 1, "rationale": "No change."}', (1,)),
    Written("one", 'For example, a perfect edit would get {"IF": 5, "rationale": "Perfect."}.\n\nMy verdict:\n{"IF": 2, "rationale": "Two words are wrong."}', (2,)),
    Written("one", '{"IF": 3, "rationale": "..."}\n\nFilled in:\n{"IF": 5, "rationale": "The new word is there."}', (5,)),
    Written("consistency", '{"Consistency Score": 1, "Reasoning": "Another scene."}', (1,)),
    Written("consistency", '{"consistency": {"score": 5, "reasoning": "Unchanged but for the hat."}}', (5,)),
    Written("pair", '{"instruction": {"score": 2, "reasoning": "Half."}, "knowledge": {"score": 1, "reasoning": "Implausible."}}', (2, 1)),
    Written("pair", '{"instruction_score": 5, "instruction_reasoning": "Done."}\n{"knowledge_score": 4, "knowledge_reasoning": "Plausible."}', (5, 4)),
    Written("five", '{"Q1": 1, "Q2": 1, "Q3": 2, "Q4": 2, "Q5": 1, "reason": "Garbled."}', (1, 1, 2, 2, 1)),
    Written("five", '{"Q1": {"score": 5, "reason": "ok"}, "Q2": {"score": 4, "reason": "ok"}, "Q3": {"score": 5, "reason": "ok"}, "Q4": {"score": 5, "reason": "ok"}, "Q5": {"score": 4, "reason": "ok"}}', (5, 4, 5, 5, 4)),
    Written("five", '{"scores": [{"question": "Q1", "score": 2}, {"question": "Q2", "score": 2}, {"question": "Q3", "score": 1}, {"question": "Q4", "score": 1}, {"question": "Q5", "score": 2}]}', (2, 2, 1, 1, 2)),
    # -- no object, but nothing left open
    Written("one", "**IF: 5**\n\n**Rationale:** The word was replaced without a trace.", (5,)),
    Written("one", "IF: 1\nrationale: The old word is still there.", (1,)),
    Written("consistency", "Consistency Score: 4/5\nReasoning: Only 2 leaves moved.", (4,)),
    Written("consistency", "Score: 1/5. The room is another one.", (1,)),
    # -- MedEBench's lines
    Written("lines", "Editing Accuracy: 8/10, the lesion is gone.\nVisual Quality: 9/10, sharp.\nContextual Preservation: 9/10, as before.", (8, 9, 9)),
    Written("lines", "Editing Accuracy: [2]/10, nothing was removed.\nVisual Quality: [3]/10, blurred.\nContextual Preservation: [1]/10, another face.", (2, 3, 1)),
    Written("lines", "**Editing Accuracy:** 9/10 – precise.\n**Visual Quality:** 8/10 – slight noise.\n**Contextual Preservation:** 10/10 – identical.\n\nOverall a convincing result.", (9, 8, 10)),
    Written("lines", "Step 1:\n- 3 shades lighter\n- 1 tooth is missing\n\nStep 2:\n1. Editing Accuracy: 1/10, not what was asked.\n2. Visual Quality: 4/10, artefacts.\n3. Contextual Preservation: 2/10, the gum changed.", (1, 4, 2)),
    Written("lines", "### Editing Accuracy: 7 / 10\nThe polyp is smaller.\n### Visual Quality: 8 / 10\nFine.\n### Contextual Preservation: 8 / 10\nFine.", (7, 8, 8)),
    Written("lines", "| Criterion | Score |\n|---|---|\n| Editing Accuracy | 3/10 |\n| Visual Quality | 2/10 |\n| Contextual Preservation | 4/10 |", (3, 2, 4)),
    Written("lines", '{"Editing Accuracy": 9, "Visual Quality": 8, "Contextual Preservation": 9}', (9, 8, 9)),
    Written("lines", "Editing Accuracy: 0 out of 10, untouched.\nVisual Quality: 1 out of 10, a black frame.\nContextual Preservation: 2 out of 10.", (0, 1, 2)),
]  # fmt: skip

UNCLEAR = [
    ("one", '{"IF": 4, "rationale": "Good."}\nOn reflection: {"IF": 2, "rationale": "A letter is wrong."}'),
    ("one", '{"IF": 2, "rationale": "Bad."}\n{"IF": 5, "rationale": "Good."}'),
    ("one", '{"IF": "3-4", "rationale": "Between the two."}'),
    ("one", '{"IF": "2 or 3", "rationale": "Hard to say."}'),
    ("one", '{"IF": 3.5, "rationale": "Between the two."}'),
    ("one", '{"IF": "3,5", "rationale": "Between the two."}'),
    ("one", '{"IF": 7, "rationale": "Better than the scale."}'),
    ("one", '{"IF": "4/10", "rationale": "Another scale."}'),
    ("one", '{"IF": 4, "score": 2, "rationale": "Which one?"}'),
    ("one", '{"IF": 4, "IF": 1, "rationale": "Twice."}'),
    ("one", '{"initial": {"IF": 2}, "final": {"IF": 4}}'),
    ("one", '{"IF": 4, "rationale": "Good."}\nWait, the last letter is wrong: it should be 2.'),
    ("one", '{"IF": 4, "rationale": "Good."}\nEdit: 2'),
    ("one", '{"IF": 5, "rationale": "Good."}\n\nActually, the word is misspelled.'),
    ("one", '{"IF": 1, "rationale": "Bad."}\nFinal score: 3/5'),
    ("one", 'IF: 2\n\n{"score": 4, "rationale": "Good."}'),
    ("one", '{"IF": [2, 4], "rationale": "Two pictures."}'),
    ("one", '{"IF": null, "rationale": "I cannot tell."}'),
    ("one", '{"IF": "N/A", "rationale": "There is no text."}'),
    ("one", '{"rationale": "I like it."}'),
    ("one", '{"rationale": "It is good", "IF": 4'),
    ("one", '{"IF": 4, "rationale": "The sign is'),
    ("one", "I would give this edit something between 3 and 4."),
    ("one", "The 3 pictures look fine to me."),
    ("one", "<html><body>Score: 4/5</body></html>"),
    ("one", '<think>{"IF": 4, "rationale": "x"}'),
    ("consistency", '{"consistency_score": "4-5", "reasoning": "x"}'),
    ("consistency", "Score: 3/5, no, rather 4/5"),
    ("pair", '{"instruction_score": 4, "instruction_reasoning": "x"}'),
    ("five", '{"score": {"Q1": 4, "Q2": 4, "Q3": 4, "Q4": 4}, "reason": "x"}'),
    ("five", '{"score": [4, 4, 4, 4, 4], "reason": "x"}'),
    ("five", '{"score": 4, "reason": "x"}'),
    ("five", '{"score": {"Q1": 4, "Q2": 4, "Q3": 4, "Q4": 4, "Q5": 9}, "reason": "x"}'),
    ("lines", "Editing Accuracy: 7-8/10, good.\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 7–8/10, good.\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 7,5/10, good.\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 7.5/10, good.\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 8/10 -> 3/10, worse.\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 8/10 → 3/10\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 8 -> 3\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 8/10, no: 3/10\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 7 to 8 out of 10\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 7/100\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 70%\nVisual Quality: 8/10.\nContextual Preservation: 8/10."),
    ("lines", "Editing Accuracy: 8/10\nVisual Quality: 8/10.\nContextual Preservation: 8/10.\n\nEditing Accuracy: 3/10"),
]  # fmt: skip

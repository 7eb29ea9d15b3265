"""A sixth set of replies, written to break the reader after the fifth was mended."""

from __future__ import annotations

from tests.judging.reply_corpus import IF, KRIS, MED, PAIR, QS, SCORE, Case, Ranges

N = -1
"""Stands for a field that no number may be read for."""
LP: Ranges = {"LP": (0, 5)}
CLEAR: list[tuple[Ranges, str, list[int | None]]] = [
    (IF, 'The task was to translate the sign. The candidate shows "Ausgang" where "Exit" stood before.\n\n{"IF": 5, "rationale": "Only the requested translation was made."}',[5]),
    (IF, '{"IF": 3, "rationale": "Position shift was done, yet the text also became 10% larger."}',[3]),
    (IF, '<think>Let me weigh: 4? The reference shows 2 lines, the candidate shows 2 lines. Fine, 4.</think>\n\n**IF: 4/5**\n\nThe shift is a bit too far.',[4]),
    (IF, 'IF: 2\n\nWhat went wrong: the text was rotated by 90° rather than 45°.',[2]),
    (IF, 'IF: 2\n\nWhat went wrong:\n1. rotated too far\n2. colour changed\n3. shadow lost',[2]),
    (IF, '{"IF": 2, "rationale": "rotated by 90° rather than 45°"}\n\n*Note:* the reference was used for comparison.',[2]),
    (IF, '{"IF": 2, "rationale": "user said "rotate", model "scaled""}',[2]),
    (IF, '{IF: 2, rationale: "rotated too far"}',[2]),
    (IF, "{'IF': 2, 'rationale': 'the sign\\'s text'}",[2]),
    (IF, '**IF**\n\n**2**/5\n\nrotated too far',[2]),
    (IF, '### IF — 2/5',[2]),
    (IF, '#### IF\n\n- Score: 2\n- Why: rotated',[2]),
    (IF, 'The IF score: 2',[2]),
    (IF, 'Score for IF: 2/5',[2]),
    (IF, 'IF (Instruction Following) Score: 2/5',[2]),
    (IF, '{"IF": 2, "rationale": "If rotated by 45°, it would have been 5."}',[2]),
    (LP, '{"LP": 3, "rationale": "The background image of the poster was altered; 2 logos are missing."}',[3]),
    (LP, 'LP: 3/5 - 2 logos are missing in the edited image.',[3]),
    (SCORE, '**Score:** 4 out of 5\n\n**Reasoning:** The image is sharp.',[4]),
    (SCORE, 'I rate the edit as follows.\nScore: 4',[4]),
    (SCORE, '{"analysis": {"text": 5, "layout": 3}, "score": 4}',[4]),
    (SCORE, '{"score": 4, "reason": "Text 5/5, layout fine."}',[4]),
    (SCORE, '{"score": 4, "breakdown": {"text": 5, "layout": 3}}',[4]),
    (KRIS, '```json\n{"reasoning": "The dog\'s tail is shorter.\\nElse the same.", "consistency_score": 4}\n```',[4]),
    (KRIS, '**Consistency Score: 4**\n\nThe dog\'s tail is shorter.',[4]),
    (PAIR, '**Instruction Score:** 4\n**Reasoning:** x\n\n**Knowledge Score:** 5\n**Reasoning:** y',[4,5]),
    (MED, '**Step 1: Visible differences**\n\n| Region | Input | Edited |\n|---|---|---|\n| left lung | opaque | clear |\n\n**Step 2: Scores**\n\nEditing Accuracy: 9/10, clear.\nVisual Quality: 8/10, 1 seam.',[9,8]),
    (MED, 'Editing Accuracy: 9/10\n\nVisual Quality: 8/10\n\nOverall, the edit is convincing, though one of two nodules remains.',[9,8]),
    (QS, 'Scores: Q1=5; Q2=5; Q3=4; Q4=4; Q5=5.',[5,5,4,4,5]),
    (QS, '{"score":{"Q1":5,"Q2":5,"Q3":4,"Q4":4,"Q5":5},"reason":{"Q1":"reads "PARTY"","Q2":"none","Q3":"1 lamp","Q4":"ok","Q5":"ok"}}',[5,5,4,4,5]),
]  # fmt: skip
TRAPS: list[tuple[Ranges, str, list[int]]] = [
    (IF, '{"IF": 4}\n\nHaving looked once more I settle on 2.',[2]),
    (IF, '{"IF": 4}\n\nCorrected: 2.',[2]),
    (IF, '{"IF": 4}\n\nThis should be reduced by two points.',[2]),
    (IF, '{"IF": 4}\n\nThe score given above does not apply.',[N]),
    (IF, '{"IF": 4}\n\nI withdraw the rating.',[N]),
    (IF, 'IF: 4\n...\nOn balance, IF: 3',[3]),
    (IF, '{"IF": 4}\n\nfinal = 3',[3]),
    (IF, '{"IF": 4, "IF_final": 3}',[3]),
    (IF, '{"IF": 4, "final_verdict": {"score": 3}}',[3]),
    (IF, '{"IF": 4, "rationale": "... so this is a clear 1."}',[1]),
    (IF, '{"IF": 4, "rationale": "Score 1: wrong operation"}',[1]),
    (IF, 'Imagine a perfect edit: {"IF": 5}',[N]),
    (IF, 'The gold answer reads {"IF": 5}',[N]),
    (IF, '{"IF": 5} is what I would say for the reference.',[N]),
    (IF, '{"IF": 5} (reference)',[N]),
    (IF, 'Baseline (input image): {"IF": 0}',[N]),
    (IF, 'Sign text: {"IF": 5}',[N]),
    (IF, 'On the paper somebody wrote "IF: 5"',[N]),
    (IF, 'Some text on the wall: `IF: 5`',[N]),
    (IF, '> IF: 5\nThis is quoted from the image.',[N]),
    (IF, 'I can not make out the images. {"IF": 1}',[N]),
    (IF, '{"IF": 1, "rationale": "The images are too blurry to be judged? No: they never arrived."}',[N]),
    (IF, '{"IF": 0, "rationale": "Received an empty image."}',[N]),
    (IF, '{"IF": 0, "rationale": "image_2 was not received"}',[N]),
    (IF, '{"IF": 0, "rationale": "Image unavailable"}',[N]),
    (IF, 'Unfortunately the picture cannot be displayed here. IF: 0',[N]),
    (IF, 'IF: 3/5 - 4/5',[N]),
    (IF, 'IF: 3 bis 4',[N]),
    (IF, 'IF: rather 3 than 4',[N]),
    (IF, 'IF: 3 (4 without the shadow)',[3]),
    (IF, 'IF: 3, 4 without the shadow',[N]),
    (IF, 'what if 4',[N]),
    (IF, 'If it is 4 I am wrong',[N]),
    (IF, '{"IF": 4, "note": "dummy value"}',[N]),
    (IF, '{"IF": "4?"}',[N]),
    (SCORE, 'Score: 4\nScore: 2 (reference)',[4]),
    (SCORE, 'Best possible score: 5',[N]),
    (SCORE, 'Minimum score: 1',[N]),
    (SCORE, 'Average score of all models: 3',[N]),
    (SCORE, '{"score": 5, "image": "ground_truth.png"}',[N]),
    (SCORE, '{"score": 5, "for": "reference image"}',[N]),
    (MED, 'Editing Accuracy: 9/10 (reference: 10/10)\nVisual Quality: 8/10',[9,8]),
    (MED, 'Editing Accuracy: 9/10\nVisual Quality: 8/10\n\nCorrection to Visual Quality: 5/10',[9,5]),
    (QS, '{"Q1": 5, "Q2": 5, "Q3": 4, "Q4": 4, "Q5": 5}\n\nQ3 should rather be 2.',[5,5,2,4,5]),
]  # fmt: skip


def sixth_cases() -> list[Case]:
    """All of the sixth set."""
    clear = [
        Case("clear", reply, fields, tuple(frozenset({value}) for value in expected), True)
        for fields, reply, expected in CLEAR
    ]
    traps = [
        Case("trap", reply, fields, tuple(frozenset({value, None}) for value in allowed), False)
        for fields, reply, allowed in TRAPS
    ]
    return clear + traps

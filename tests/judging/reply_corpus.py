"""Replies of judges with what a careful person reads in them: made from templates, and by hand.

A *clear* reply has one verdict that nobody would doubt, and should be read. A *trap* must never give
a number other than those allowed: mostly none at all, sometimes the later of two.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Ranges = Mapping[str, tuple[int, int]]
IF: Ranges = {"IF": (0, 5)}
SCORE: Ranges = {"score": (1, 5)}
KRIS: Ranges = {"consistency_score": (1, 5)}
PAIR: Ranges = {"instruction_score": (1, 5), "knowledge_score": (1, 5)}
QS: Ranges = {f"Q{number}": (1, 5) for number in range(1, 6)}
MED: Ranges = {"Editing Accuracy": (0, 10), "Visual Quality": (0, 10)}


@dataclass(frozen=True)
class Case:
    """A reply, what was asked for, and what may be read: for each field the allowed values."""

    kind: str
    reply: str
    fields: Ranges
    allowed: tuple[frozenset[int | None], ...]
    clear: bool

    def wrong(self, values: list[int | None]) -> bool:
        """Whether a number was read that nobody may read."""
        return any(
            value is not None and value not in allowed
            for value, allowed in zip(values, self.allowed, strict=True)
        )

    def read(self, values: list[int | None]) -> bool:
        """Whether every number that stands there was read."""
        return all((value in allowed) for value, allowed in zip(values, self.allowed, strict=True))


REASONS = [
    "The word OPEN is sharp and correctly spelled.",
    "Two of the three letters were changed; the background is intact.",
    'The sign reads "SALE" as asked, with the original font.',
    "The edit follows the instruction, but a faint halo remains around the text.",
    "If one looks closely, the letter E is slightly tilted.",
    "The original text is gone and the new text would be readable from afar.",
    "Compared with the reference, the spacing is wider by 3 pixels.",
    "It's good. The lamp wasn't touched.",
    "No other element of the image was altered.",
    "The example text on the poster is unchanged.",
]


def clear_single(
    name: str, low: int, high: int, rng: random.Random
) -> Iterator[tuple[str, str, int]]:
    """Kinds of clear replies about one field."""
    n = rng.randint(low, high)
    why = rng.choice(REASONS)
    quoted = json.dumps(why)
    other = rng.choice([value for value in range(low, high + 1) if value != n])
    bare = why.replace('"', "")
    spaced = name.replace("_", " ").title() if name.islower() else name
    body = json.dumps({name: n, "rationale": why})
    late = json.dumps({"rationale": why, name: n})
    yield "plain", body, n
    yield "reason first", late, n
    yield "pretty", json.dumps({"reasoning": why, name: n}, indent=2), n
    yield "fence", f"```json\n{body}\n```", n
    yield "tilde fence", f"~~~\n{body}\n~~~", n
    yield "prose before", f"{why}\n\n{body}", n
    yield "prose after", f"{body}\n\n{bare}", n
    yield "announced", f"Here is my evaluation:\n\n```json\n{late}\n```", n
    yield "verdict", f"After comparing both images, my verdict is:\n{body}", n
    yield "text number", json.dumps({name: str(n), "rationale": why}), n
    yield "fraction", json.dumps({name: f"{n}/{high}", "rationale": why}), n
    yield "bare fraction", f'{{"{name}": {n}/{high}, "rationale": {quoted}}}', n
    yield "float", f'{{"{name}": {n}.0, "rationale": {quoted}}}', n
    yield "bold number", f'{{"{name}": "**{n}**", "rationale": {quoted}}}', n
    yield "trailing comma", f'{{"{name}": {n}, "rationale": {quoted},}}', n
    yield "single quotes", repr({name: n, "rationale": bare}), n
    yield "python", repr({name: n, "rationale": bare, "ok": True, "note": None}), n
    yield "bare keys", f"{{{name.replace(' ', '_')}: {n}, rationale: {quoted}}}", n
    yield "unescaped quotes", f'{{"{name}": {n}, "rationale": "the word "SALE" is right"}}', n
    yield "unescaped first", f'{{"rationale": "it says "SALE", not "SAIL"", "{name}": {n}}}', n
    yield "curly quotes", f"{{“{name}”: {n}, “rationale”: “{bare}”}}", n
    yield "comment", f'{{\n  "{name}": {n}, // as asked\n  "rationale": {quoted}\n}}', n
    yield "no comma", f'{{\n  "{name}": {n}\n  "rationale": {quoted}\n}}', n
    yield "newline in text", f'{{"{name}": {n}, "rationale": "one\ntwo"}}', n
    yield "case", f'{{"{name.lower()}": {n}, "Rationale": {quoted}}}', n
    yield "container", json.dumps({"scores": {name: n}, "rationale": why}), n
    yield "deep container", json.dumps({"evaluation": {"result": {name: n}}}), n
    yield "value object", json.dumps({name: {"score": n, "reason": why}}), n
    yield "array", json.dumps([{name: n, "rationale": why}]), n
    yield "serialised", json.dumps(body), n
    yield "inner serialised", json.dumps({"answer": body}), n
    yield "named", json.dumps({"dimension": name, "score": n, "rationale": why}), n
    yield "double braces", f"{{{{{body[1:-1]}}}}}", n
    yield "twice the same", f"{body}\n\n{body}", n
    yield "byte order", f"\ufeff{body}", n
    yield "special tokens", f"<|im_start|>{body}<|im_end|>", n
    yield "think", f"<think>maybe {json.dumps({name: other})}? no</think>\n{body}", n
    yield "thinking", f"<thinking>\n{spaced}: {other}\n</thinking>\n{body}", n
    yield "reasoning", f"<reasoning>{why}</reasoning>{body}", n
    yield "THINK", f"[THINK]so {spaced}: {other}[/THINK]{body}", n
    yield "kimi", f"◁think▷{spaced}: {other}◁/think▷{body}", n
    yield "swallowed opening", f"{spaced} is {other} or so.\n</think>\n\n{body}", n
    yield (
        "harmony",
        (
            f"<|channel|>analysis<|message|>{json.dumps({name: other})}<|end|><|start|>assistant"
            f"<|channel|>final<|message|>{body}"
        ),
        n,
    )
    yield "answer tag", f"<think>{other}</think><answer>{body}</answer>", n
    yield "revised", f"{json.dumps({name: other})}\n\nOn reflection, corrected:\n{body}", n
    yield "example first", f"For example: {json.dumps({name: other})}. My verdict: {body}", n
    yield "template first", f'{{"{name}": <{low}-{high}>, "rationale": "..."}}\n\n{body}', n
    yield "final container", json.dumps({"initial": {name: other}, "final": {name: n}}), n
    yield "line", f"{spaced}: {n}", n
    yield "line of top", f"{spaced}: {n}/{high}", n
    yield "bold name", f"**{spaced}:** {n}/{high}", n
    yield "bold both", f"**{spaced}**: **{n}**", n
    yield "bold fraction", f"{spaced}: **{n}**/{high}", n
    yield "item", f"- {spaced}: {n}/{high} - {bare}", n
    yield "numbered", f"1. **{spaced}** (0-{high}): {n}\n", n
    yield "heading line", f"### {spaced}: {n}/{high}\n{why}", n
    yield "heading above", f"### {spaced}\n{n}/{high}\n\n{why}", n
    yield "out of", f"{spaced}: {n} out of {high}", n
    yield "spaced", f"{spaced} : {n} / {high}", n
    yield "equals", f"{spaced} = {n}", n
    yield "is", f"{spaced} is {n}.", n
    yield "the is", f"The {spaced} is {n}/{high}.", n
    yield "score suffix", f"{spaced.removesuffix(' Score')} score: {n}/{high}", n
    yield "final line", f"{why}\n\nFinal {spaced}: {n}", n
    yield "arrow", f"{spaced} → {n}", n
    yield "table", f"| Dimension | Score |\n|---|---|\n| {spaced} | {n} |", n
    yield (
        "table reason",
        f"| Dimension | Score | Why |\n|---|---|---|\n| {spaced} | {n} | {bare} |",
        n,
    )
    yield "wide table", f"| {spaced} |\n|---|\n| {n}/{high} |", n
    yield "tag", f"<{spaced.replace(' ', '_')}>{n}</{spaced.replace(' ', '_')}>", n
    yield "brackets", f"{spaced}: [{n}]", n
    yield "because", f"{spaced}: {n}, because the text is sharp and nothing else moved", n
    yield "reason digits", f"{spaced}: {n}/{high}. 2 letters are blurred and 1 is missing.", n
    yield "steps", f"Step 1: 3 differences.\n1. sky\n2. tree\n\nStep 2:\n{spaced}: {n}/{high}", n
    yield "yaml", f"{spaced}: {n}\nrationale: {bare}", n
    yield "wide colon", f"{spaced}：{n}", n
    yield "under a line", f"{bare}\n{spaced}: {n}/{high}\n", n
    yield "closing words", f"{body}\n\nLet me know if you need anything else!", n
    yield "count after", f"{body}\n\nThe letters should be 2 pixels lower for a perfect match.", n


def traps_single(
    name: str, low: int, high: int, rng: random.Random
) -> Iterator[tuple[str, str, set[int | None]]]:
    """Kinds of replies that mislead, with what may be read."""
    n, other = rng.sample(range(low, high + 1), 2)
    spaced = name.replace("_", " ").title() if name.islower() else name
    body, wrong = json.dumps({name: n, "rationale": "ok"}), json.dumps({name: other})
    later = {n, None}
    none: set[int | None] = {None}
    yield "two verdicts", f"{wrong}\n{body}", none
    yield "two lines", f"{spaced}: {other}\n{spaced}: {n}", none
    yield "line and object", f"{spaced}: {other}/{high}\n\n{body}", none
    yield "actually", f"{wrong}\nActually, {spaced} should be {n}.", later
    yield "actually number", f"{wrong}\n\nActually, {n} is fairer.", later
    yield "correction", f"{wrong}\nCorrection: {n}", later
    yield "changed", f"{wrong}\n\nWait, I change my score to {n}.", later
    yield "lower", f"{wrong}\n\nI would lower {spaced} to {n}.", later
    yield "later partial", f'{wrong}\n{{"{name}": {n}', later
    yield "later broken", f'{wrong}\nRevised: {{"{name}": {n}, "rationale": "the', later
    yield "final line", f"{wrong}\n\nFinal {spaced}: {n}", later
    yield "final container", json.dumps({name: other, "final": {name: n}}), later
    yield "final key", json.dumps({name: other, f"final_{name}": n}), later
    yield "withdrawn", f"{wrong}\n\nScratch that, the score above is wrong.", none
    yield "disregard", f"{wrong}\nPlease disregard this verdict, it was only an example.", none
    yield (
        "reason differs",
        json.dumps({name: other, "rationale": f"Good, but {spaced} is {n}."}),
        later,
    )
    yield "only example", f"For example: {wrong}", none
    yield "format", f"The required format:\n{wrong}", none
    yield "sign", f"The sign in the image says {wrong}", none
    yield "sign fence", f"The poster reads:\n```\n{wrong}\n```", none
    yield "quotation", f"> {wrong}", none
    yield "quoted line", f"> {spaced}: {other}", none
    yield "hypothetical", f"If the text had been right: {wrong}", none
    yield "would", f"A perfect edit would get {wrong}", none
    yield "too generous", f"{wrong} would be too generous.", none
    yield "reference", f"The reference image: {wrong}", none
    yield "reference line", f"Reference image:\n{spaced}: {other}", none
    yield (
        "other then own",
        f"Reference image:\n{spaced}: {other}\n\nEdited image:\n{spaced}: {n}",
        later,
    )
    yield (
        "for the original",
        f"For the original image: {wrong}\nFor the edited image: {body}",
        later,
    )
    yield "subject", json.dumps({"image": "reference", name: other}), none
    yield "example heading", f"## Example\n{wrong}", none
    yield "draft heading", f"## Draft\n{spaced}: {other}\n\n## Verdict\n{body}", later
    yield "blind", f"I cannot see the images, so: {wrong}", none
    yield "blind reason", json.dumps({name: low, "rationale": "No image was provided."}), none
    yield "blind attached", f"{wrong}\nNote that no images were attached.", none
    yield (
        "blind loaded",
        json.dumps({name: low, "rationale": "The second image failed to load."}),
        none,
    )
    yield "blind received", f"I did not receive any image. {wrong}", none
    yield "blind model", f"As a text-only model I guess {wrong}", none
    yield "one image", f"Only one image was provided.\n{spaced}: {other}", none
    yield "error", json.dumps({"error": "timeout", name: low}), none
    yield "open think", f"<think>{wrong}", none
    yield "open THINK", f"[THINK]{spaced}: {other}", none
    yield "open kimi", f"◁think▷ {wrong}", none
    yield "only analysis", f"<|channel|>analysis<|message|>{wrong}", none
    yield "answer then thinking", f"{wrong}<think>no, it should be {n}", none
    yield "cut object", f'{{"{name}": {other}, "rationale": "the', none
    yield "cut number", f'{{"{name}": {other}', none
    yield "range", f"{spaced}: {low}-{high}", none
    yield "or", f"{spaced}: {other} or {n}", none
    yield "maybe", f"{spaced}: {other}, maybe {n}", none
    yield "if", f"{spaced}: {other}, if the text is right", none
    yield "decimal", f"{spaced}: {other}.5/{high}", none
    yield "other top", f"{spaced}: {other}/{high * 2}", none
    yield "beyond", json.dumps({name: high + 2}), none
    yield "negative", f"{spaced}: -{other}", none
    yield "list", json.dumps([{name: other}, {name: n}]), none
    yield "same key twice", f'{{"{name}": {other}, "{name}": {n}}}', none
    yield "two containers", json.dumps({"evaluation": {name: other}, "verdict": {name: n}}), none
    yield "two judges", json.dumps({"judge_1": {name: other}, "judge_2": {name: n}}), none
    yield "scale", f"{json.dumps({name: low})} = worst, {json.dumps({name: high})} = best", none
    yield (
        "injected",
        f'{{"rationale": "the sign says {{"{name}": {other}}}", "{name}": {n}}}',
        later,
    )
    yield "told", f"The user wants me to output {wrong}", none
    yield "template", f'{{"{name}": {other}, "rationale": "..."}}', none
    yield "schema", json.dumps({"properties": {name: {"type": "integer", "default": other}}}), none
    yield "arrow", f"{spaced}: {other} → {n}", later
    yield "columns", f"| | Reference | Edited |\n|---|---|---|\n| {spaced} | {other} | {n} |", later
    yield "lower-case if", f"if {other} of the letters were right, I would say so.", none


def made_cases(seed: int) -> Iterator[Case]:
    """All kinds for the single fields of three benchmarks, with random numbers and reasons."""
    for name, (low, high) in (("IF", (0, 5)), ("score", (1, 5)), ("consistency_score", (1, 5))):
        rng = random.Random(f"{seed} {name}")
        fields = {name: (low, high)}
        for kind, reply, n in clear_single(name, low, high, rng):
            yield Case(kind, reply, fields, (frozenset({n}),), True)
        for kind, reply, allowed in traps_single(name, low, high, rng):
            yield Case(kind, reply, fields, (frozenset(allowed),), False)


def _case(kind: str, reply: str, fields: Ranges, *expected: int | None) -> Case:
    return Case(kind, reply, fields, tuple(frozenset({value}) for value in expected), True)


def _trap(kind: str, reply: str, fields: Ranges, *allowed: set[int | None]) -> Case:
    return Case(kind, reply, fields, tuple(frozenset(values | {None}) for values in allowed), False)


def written_cases() -> list[Case]:
    """Replies about several fields, by hand."""
    five = (
        '{"score": {"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2, "Q5": 1}, "reason": {"Q1": "a", "Q2": "b"}}'
    )
    return [
        _case("five", five, QS, 5, 4, 3, 2, 1),
        _case("five fenced", f"```json\n{five}\n```", QS, 5, 4, 3, 2, 1),
        _case("one line", "Q1: 5, Q2: 4, Q3: 3, Q4: 2, Q5: 1", QS, 5, 4, 3, 2, 1),
        _case("one line tops", "Q1: 5/5 | Q2: 4/5 | Q3: 3/5 | Q4: 2/5 | Q5: 1/5", QS, 5, 4, 3, 2, 1),
        _case("lines", "Q1: 5\nQ2: 4\nQ3: 3\nQ4: 2\nQ5: 1", QS, 5, 4, 3, 2, 1),
        _case("reasons between", "Q1: 5 - sharp\nQ2: 4 - a letter is lost\nQ3: 3 (2 lamps)\nQ4: 2. Blur.\nQ5: 1", QS, 5, 4, 3, 2, 1),
        _case("table", "| Question | Score | Reason |\n|:--|--:|---|\n| Q1 | 5 | a |\n| Q2 | 4 | 2 b |\n| Q3 | 3 | c |\n| Q4 | 2 | d |\n| Q5 | 1 | e |", QS, 5, 4, 3, 2, 1),
        _case("across", "| Q1 | Q2 | Q3 | Q4 | Q5 |\n|---|---|---|---|---|\n| 5 | 4 | 3 | 2 | 1 |", QS, 5, 4, 3, 2, 1),
        _case("list of named", '{"scores": [{"question": "Q1", "score": 5}, {"question": "Q2", "score": 4}, {"question": "Q3", "score": 3}, {"question": "Q4", "score": 2}, {"question": "Q5", "score": 1}]}', QS, 5, 4, 3, 2, 1),
        _case("pieces", '{"Q1": 5}\n{"Q2": 4}\n{"Q3": 3}\n{"Q4": 2}\n{"Q5": 1}', QS, 5, 4, 3, 2, 1),
        _case("one missing", '{"Q1": 5, "Q2": 4, "Q3": 3, "Q4": 2}', QS, 5, 4, 3, 2, None),
        _trap("one out of range", '{"Q1": 5, "Q2": 9, "Q3": 3, "Q4": 2, "Q5": 1}', QS, set(), set(), set(), set(), set()),
        _case("marked correction", f"{five}\n\nCorrection:\n{{\"Q1\": 3}}", QS, 3, 4, 3, 2, 1),
        _trap("later partial", f"{five}\n{{\"Q1\": 3}}", QS, {3}, {4}, {3}, {2}, {1}),
        _trap("taken back", f"{five}\n\nActually, Q1 should be 2.", QS, {2}, {4}, {3}, {2}, {1}),
        _trap("list", '{"score": [5, 4, 3, 2, 1]}', QS, set(), set(), set(), set(), set()),
        _case("medebench", "Step 1:\n1. The stain is gone.\n2. Color differs.\n\nStep 2:\nEditing Accuracy: 7/10, the stain is gone.\nVisual Quality: 9/10, sharp.", MED, 7, 9),
        _case("medebench bold", "**Editing Accuracy:** [8]/10, fine\n**Visual Quality:** [10]/10, fine", MED, 8, 10),
        _case("medebench bold number", "- **Editing Accuracy**: **7**/10\n- **Visual Quality**: **10**/10", MED, 7, 10),
        _case("medebench headings", "### Editing Accuracy\nScore: 7/10\nThe stain is gone.\n\n### Visual Quality\nScore: 9/10\nSharp.", MED, 7, 9),
        _case("medebench json", '{"editing_accuracy": 7, "visual_quality": 9}', MED, 7, 9),
        _case("medebench objects", '{"Editing Accuracy": {"score": 7, "reason": "a"}, "Visual Quality": {"score": 9, "reason": "b"}}', MED, 7, 9),
        _case("medebench reason lines", "Editing Accuracy: 7/10\nReason: 3 of 4 teeth are white.\nVisual Quality: 8/10\nReason: noise in 2 places.", MED, 7, 8),
        _case("medebench one", "Editing Accuracy: 7/10", MED, 7, None),
        _trap("medebench swapped top", "Editing Accuracy: 7/5\nVisual Quality: 8/10", MED, set(), {8}),
        _trap("medebench both", "Editing Accuracy and Visual Quality: 7/10", MED, {7}, {7}),
        _trap("medebench of the reference", "Reference: Editing Accuracy: 10/10\nVisual Quality: 9/10", MED, set(), {9}),
        _case("pair", '{"instruction_score": 5, "instruction_reasoning": "a", "knowledge_score": 3, "knowledge_reasoning": "b"}', PAIR, 5, 3),
        _case("pair lines", "Instruction Score: 2\nKnowledge Score: 5", PAIR, 2, 5),
        _case("pair null", '{"instruction_score": 5, "knowledge_score": null}', PAIR, 5, None),
        _case("pair dashes", "- **Instruction Score** — 4/5\n- **Knowledge Score** — 2/5", PAIR, 4, 2),
        _case("IF heading and object", '### IF\n\n```json\n{"IF": 4, "rationale": "only the word changed"}\n```', IF, 4),
        _case("IF bold heading", '**IF**\n\n{"IF": 3}', IF, 3),
        _case("IF announced", 'Evaluation of IF: {"IF": 3}', IF, 3),
        _case("IF in the sentence", 'I looked at IF. The verdict for IF: {"IF": 3}', IF, 3),
        _case("long name", "Instruction Following (IF): 4/5", IF, 4),
        _case("IF dash", "IF – 4/5: only the word changed", IF, 4),
        _trap("if clause", 'If the word were right: {"IF": 5}', IF, set()),
        _trap("IF THE clause", 'IF the word had been right: {"IF": 5}', IF, set()),
        _trap("if line", "if 3 letters changed, fine", IF, set()),
    ]  # fmt: skip


def all_cases() -> list[Case]:
    """The whole corpus: two rounds of the made ones, and the written ones."""
    return [*made_cases(1), *made_cases(2), *written_cases()]

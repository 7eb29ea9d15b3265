"""Judges' replies: how long the reader takes over a megabyte of awkward input, and how it grows.

    python perf/bench_replies.py

For each grammar and each kind of question: seconds of processor time for a reply of 999,000
characters, and how many times those for a quarter of it. The slowest twenty are printed, then how
many take more than 0.2 s.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from editgauge.judging.answers import read_answer, read_reason

LENGTH = 999_000
LIMIT = 0.2
ASKED = {
    "IF": {"IF": (0, 5)},
    "Q1-Q5": {f"Q{number}": (1, 5) for number in range(1, 6)},
    "MedEBench": {"Editing Accuracy": (0, 10), "Visual Quality": (0, 10)},
    "score": {"score": (1, 5)},
}
# what stands before, what is repeated, what stands behind
GRAMMARS = [
    ("", piece, "")
    for piece in (
        "{", '{"', "}", "[", "[[", "(", "(4) ", "[4, ", '"', "“", "'a ", "`", "\\", "/", "-", "|", "*", "**4** ", "_", ";", ".", ". ",
        "?", ", ", " and ", "\n", "\t", "\x00", "\ud800", "😀", "a", "ab ", "IF ", "IF:", "IF\n", "IF: 4\n", "IF and ", "Q1 4 | ", "Q1 to Q5 ",
        "Visual Quality ", "Visual Quality: 8/10, good\n", "score ", "Score: ", "three ", "cuatro ", "4/5 ", "4 out of 5 ", "4 of ", "10 - 2 ",
        "10 - 2 (", "★", "★ ", "★★★☆☆\n", "- [ ] 5\n", "☐ 1 ☑ 2 ", "[ ] ", "<td>", "<tr>", "<tr><td>IF</td><td>4</td></tr>", "<![CDATA[",
        '<a b="c"/>', '<a b="c" ', "<rationale>", "<think>", "</think>", "\\text{", "$", "\\frac{1}{2}", "4\ufe0f\u20e3", "𝗦", "４", "٤ ",
        "，。：；", "评分：4分。", "一二三", "Had it been so, it would be a 5. ", "Had it, IF would be 5. ", "Suppose; ", "then; ", "IF,4,\"x\"\n",
        "Q1,Q2,Q3,Q4,Q5\n", "| a | b |\n", "> a\n", "# a\n", "**a**\n", "5 = good; ", "5 – good\n", '{"IF": 4}\n', '{"a": 1}', '{"a":',
        '[{"IF": 4},', "the image is not ", "I cannot ", "following this ", "as the ", "لا أرى ", "صور ", "תמונ ", "δεν ", "ภาพ", "không ",
    )
] + [
    ('{"IF": 4, "rationale": "', piece, '"}')
    for piece in ("1 ", "The text is 3 px off. ", '\\"', "a\n", '"x" ')
] + [
    (before, piece, "")
    for before in ("IF: 4\n", '{"IF": 4}\n', "dimension,score,reason\n")
    for piece in ("\n", "The background is intact. ", "Der Hintergrund ist gleich. ", "केवल आधा पाठ बदला गया। ", "2 letters are wrong. ", 'IF,4,"x"\n')
] + [("IF", " ", ": 4"), ('{"IF"', " ", ": 4}"), ('{"score": ', "9", "}")]  # fmt: skip


def seconds(reply: str, fields: dict[str, tuple[int, int]]) -> float:
    """Processor time of one reading."""
    started = time.process_time()
    read_answer(reply, fields)
    read_reason(reply)
    return time.process_time() - started


def made(grammar: tuple[str, str, str], length: int) -> str:
    """A reply of that length."""
    before, piece, after = grammar
    return before + piece * ((length - len(before) - len(after)) // len(piece)) + after


def main() -> None:
    """Print the slowest and how many pass the limit."""
    for fields in ASKED.values():
        read_answer("Overall a 4.", fields)  # patterns are compiled once
    times = []
    for grammar in GRAMMARS:
        for name, fields in ASKED.items():
            short, long = (
                seconds(made(grammar, length), fields) for length in (LENGTH // 4, LENGTH)
            )
            times.append((long, long / max(short, 1e-4), name, grammar))
    times.sort(reverse=True)
    for long, growth, name, grammar in times[:20]:
        print(f"{long:6.3f} s  {growth:5.1f} times a quarter's  {name:10} {grammar!r:.70}")
    over = sum(long > LIMIT for long, *_ in times)
    print(f"{len(times)} readings, {over} over {LIMIT} s")


if __name__ == "__main__":
    main()

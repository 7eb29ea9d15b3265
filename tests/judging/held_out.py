"""Sets of replies as text files: one a line, ``what was asked|what may be read|the reply``.

The second column has a word for each field asked for: the number that must be read, ``-`` where none
may be, and ``4?`` where 4 or none is right; a single ``-`` stands for all fields. ``¶`` is a line
break in the reply. Lines that begin with ``# `` name a kind.

Each set was written before the reader was run on it, against what it did on the set before. When
first run, wrong numbers and clear replies read were: eighth 48 of 611 and 177 of 209, ninth 43 of
370 and 103 of 114, tenth 31 of 305 and 93 of 97, eleventh 27 of 315 and 89 of 98, twelfth 23 of 243
and 76 of 80, thirteenth 2 of 178 and 63 of 64,
fourteenth 2 of 117 and 38 of 39. The fifteenth was written while the reader of
sentences was: when first run 56 of its 298 traps gave a number and 135 of 187 clear ones were read;
its reasons, with digits of the picture, are of the same time. The sixteenth holds the kin of what was
wrong or unread in the sets g and h, written while the reader was mended for them; its last kind, words
between two verdicts, kept 30 of 48 numbers in the forms that were read before.
The seventeenth was written in seven parts while the words of judges got one home; when first run
its parts gave 32, 41, 28, 0, 30, 9 and 10 numbers in traps, and 170 of its 214 clear replies were
read; two kinds in it are by a fresh eye, 5 of 50 and 12 of 150 kept their number. Six of its labels
were put right afterwards (nobody can tell whether "as before" explains a number), and one of the
sixteenth (a 0 on a scale from 1 says nothing of the other fields). The nineteenth holds ordinary reasons, most of failed
edits, in hedged or everyday words ("it seems that nothing was changed"); when first run 28 of its 91 were
flagged. Three labels were put right before (a bare "Editing Accuracy: 8" is an 8; a
line that gives a number with the words of its anchor is a verdict; "IF: ★★★★☆" is a 4).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from tests.judging.reply_corpus import IF, KRIS, PAIR, QS, SCORE, Case, Ranges
from tests.judging.reply_corpus_fourth import TWO

HELD_OUT = (
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
)
FOLDER = Path(__file__).parent / "replies"
ASKED: dict[str, Ranges] = (
    {
        "IF": IF,
        "S": SCORE,
        "T": TWO,
        "Q": QS,
        "KC": KRIS,
        "KP": PAIR,
        "E": {"Editing Accuracy": (0, 10), "Visual Quality": (0, 10)},
        "KQ": {"quality_score": (1, 5)},
        "KI": {"instruction_score": (1, 5)},
        "M": dict.fromkeys(
            ("Editing Accuracy", "Visual Quality", "Contextual Preservation"), (0, 10)
        ),
    }
    | {name: {name: (0, 5)} for name in ("TA", "VC", "LP", "SE")}
    | {"QQ": {"Q1": (1, 5), "Q2": (1, 5)}}
)


def held_out(name: str) -> Iterator[Case]:
    """The cases of the file `name`, in its order."""
    kind = ""
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            kind = line[2:]
            continue
        asked, wanted, reply = line.split("|", 2)
        fields = ASKED[asked]
        words = wanted.split() if wanted != "-" else ["-"] * len(fields)
        assert len(words) == len(fields), line
        yield Case(
            kind=kind,
            reply=reply.replace("¶", "\n"),
            fields=fields,
            allowed=tuple(_allowed(word) for word in words),
            clear="?" not in wanted and any(word != "-" for word in words),
        )


def _allowed(word: str) -> frozenset[int | None]:
    if word == "-":
        return frozenset({None})
    number = int(word.rstrip("?"))
    return frozenset({number, None} if word.endswith("?") else {number})


SETS = {
    "set_a": 0.94,
    "set_b": 0.96,
    "set_c": 0.95,
    "set_d": 0.87,
    "set_e": 0.98,
    "set_f": 0.98,
    "set_g": 0.99,
    "set_h": 0.99,
    "set_j": 0.96,
    "set_k": 0.96,
    "set_l": 0.94,
    "set_m": 0.94,
    "set_p": 0.94,
    "set_n": 0.93,
    "set_q": 0.93,
    "set_r": 0.88,
    "set_s": 0.91,
    "set_u": 0.85,
    "set_v": 0.91,
    "set_w": 0.93,
    "set_x": 0.95,
    "set_za": 0.94,
    "set_zb": 0.94,
    "set_zc": 0.93,
    "set_zd": 0.98,
    "set_ze": 0.95,
}
"""Sets that somebody wrote who had not seen the reader. When first run, wrong numbers were 0 of 150,
0 of 151, 2 of 150 and 0 of 156, and clear replies read 42 of 84, 34 of 80, 40 of 80 and 21 of 78:
many are in languages and forms that no prompt asks for. Other spellings, sentences and forms were
added then. The next two, when first run: wrong 2 of 255 and 1 of 236, clear ones read 103 of 127 and
85 of 103. The two after them: wrong 3 of 224 and 1 of 246, clear ones read 96 of 110 and 109 of 121.
The next ones: wrong 4 of 220, 1 of 264, 1 of 272, 1 of 317, 1 of 290, 3 of 294 and 6 of 293, clear ones read 99 of
114, 132 of 140, 112 of 133, 141 of 164, 113 of 141, 124 of 139 and 130 of 145. The next two: wrong
4 of 282 and 5 of 315, clear ones read 112 of 123 and 135 of 145. The next four: wrong 2 of 365,
3 of 311, 5 of 300 and 2 of 300, clear ones read 129 of 150, 141 of 152, 143 of 151 and 146 of 151.
The ones from za to ze, of 300 each, with `likeness` beside the rules: wrong 0, 1, 1, 1 and 1 (by the
rules alone 1, 2, 2, 4 and 3), clear ones read 142, 140, 135, 148 and 141 of 150. Each with the share
of its clear replies that is read now, less a little: the weights change with each set.
"""
UNSEEN = {"set_zf": 0.94, "set_zg": 0.93}
"""Two more of 300, written and run when the weights were made; of what was
mended since nothing came from them. Wrong 0
and 0, clear ones read 144 and 141 of 150. The weights are not made of them: they stay a check.
"""
PAIRS = {
    "set_ya": (0.79, 6),
    "set_yb": (0.89, 22),
    "set_yc": (0.73, 19),
    "set_yd": (0.88, 39),
    "set_ye": (0.85, 19),
    "set_yf": (0.91, 12),
    "set_yg": (0.83, 10),
    "set_yh": (0.82, 26),
}
"""Sets of 200 traps and 200 clear replies, all well-formed, that differ in their free words alone, by
somebody who had not seen the reader. When first run, without `likeness`, 67, 139, 78, 140, 133 and 66
of the traps of the first six gave a number; 104, 85 and 23 of the fourth to the sixth with weights
from the sets before them. Of the last two 48 and 108, and 22 and 42. They are what the weights are
made of. Each with the share of its clear replies that is read now,
and the most traps that give a number.
"""
_NAMES = {
    "medebench": {"EA": "Editing Accuracy", "VQ": "Visual Quality"},
    "krisbench": {
        "VC": "consistency_score",
        "VQ": "quality_score",
        "IF": "instruction_score",
        "KP": "knowledge_score",
    },
}
"""What the sets call a field, and what the call asks for."""


def of_set(name: str) -> Iterator[Case]:
    """The cases of such a set; a field without a number in its verdict may have none."""
    for entry in json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")):
        names = _NAMES.get(entry["benchmark"], {})
        verdict = entry["verdict"] or {}
        yield Case(
            kind=entry["id"],
            reply=entry["reply"],
            fields={names.get(field, field): tuple(r) for field, r in entry["fields"].items()},
            allowed=tuple(
                frozenset({verdict[field]} if entry["clear"] else {verdict.get(field), None})
                for field in entry["fields"]
            ),
            clear=entry["clear"],
        )


def ordinary() -> Iterator[Case]:
    """Replies of judges that keep to the prompts, each with the verdict in it; all are clear."""
    for entry in json.loads((FOLDER / "ordinary.json").read_text(encoding="utf-8")):
        yield Case(
            kind=entry["id"],
            reply=entry["reply"],
            fields={field: tuple(scale) for field, scale in entry["fields"].items()},
            allowed=tuple(frozenset({entry["verdict"][field]}) for field in entry["fields"]),
            clear=True,
        )

"""`typeset`: what the numbers of `limits` decide, fitted without one topic and tried on it, and how
its grammar takes other words.

    python perf/typeset_topics.py                  faces that people judged: fit without each topic
    python perf/typeset_topics.py DATA             the same on a TextEditBench folder
    python perf/typeset_topics.py DATA --vary [NAME ...]    numbers halved and doubled, on all topics
    python perf/typeset_topics.py --paraphrases    instructions made by code in other words

*Understood*: an operation was recorded. *Delivered*: the result was not the input. *Right* is told
only of a change, an insertion or a deletion whose reference differs from the input: the delivered
picture then reads as the reference does. That is less than what people judge, and no verdict on
looks. Where a folder has no such reference, right is not told.

Fitted are `FITTED`; the rest of `limits` is argued there, and only varied. A fit takes the value
with most (right - 3 wrong), the strictest of equals, on the other topics. What reads right may be
set in another face, which a reader by machine does not see: `limits` holds what `JUDGED` gives.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from editgauge.benchmarks.texteditbench import BENCHMARK
from editgauge.editors.typeset import TypesetEditor, limits
from editgauge.editors.typeset.find import Line, likeness, plain
from editgauge.editors.typeset.grammar import read_request
from editgauge.editors.typeset.reading import reader
from editgauge.images import Array, read_image
from editgauge.types import Sample

FITTED: dict[str, tuple[float, ...]] = {
    "LIKE": (0.92, 0.86, 0.8, 0.7),
    "LIKE_BESIDE": (0.97, 0.95, 0.92, 0.86),
}
"""The strictest value first."""
JUDGED: dict[str, tuple[tuple[str, float, bool], ...]] = {
    "LIKE": (
        ("Data_Analytics", 0.867, True), ("Personal_Communication_Social_Media", 0.884, True),
        ("Business_Advertising", 0.999, True), ("Business_Advertising", 0.878, True),
        ("Environmental_Spatial_Signage", 0.914, False),
    ),
    "LIKE_BESIDE": (
        ("Business_Advertising", 0.871, False), ("Business_Advertising", 0.835, False),
        ("Crafts_Personal_Creations", 0.969, True), ("Crafts_Personal_Creations", 0.998, True),
        ("Personal_Communication_Social_Media", 0.94, False),
        ("Art_Creative_Expression", 0.936, False), ("Art_Creative_Expression", 0.829, False),
        ("Packaging_Logistics", 0.985, True), ("Packaging_Logistics", 0.991, True),
        ("Professional_Documents_Reports", 0.931, False),
        ("Digtial_Interfaces_Reports", 0.903, False),
    ),
}  # fmt: skip
"""Topic, likeness of the face, and whether a person who looked at the picture took it for the face
of the old text: all such verdicts on five sets of drawn pictures, November 2026.
"""
_TEXTUAL = ("text_change", "text_insert", "text_delete")
_SAME = 0.97
"""The similarity of two readings from which they are of one text: an engine's own noise."""


@dataclass
class CachedReader:
    """An engine that reads each picture once."""

    engine: Any = field(default_factory=lambda: reader("rapidocr"))
    seen: dict[str, Sequence[Line]] = field(default_factory=dict)

    def __call__(self, picture: Array) -> Sequence[Line]:
        key = hashlib.sha256(np.ascontiguousarray(picture)).hexdigest()
        if key not in self.seen:
            self.seen[key] = self.engine(picture)
        return self.seen[key]


@dataclass(frozen=True)
class Outcome:
    """One instance; `right` is None where the reference does not tell."""

    topic: str
    understood: bool
    delivered: bool
    right: bool | None


def outcomes(samples: Sequence[Sample], read: CachedReader) -> list[Outcome]:
    editor = TypesetEditor(read)
    found = []
    for sample in samples:
        before = read_image(sample.image)
        after, detail, _ = editor.edit(before, sample.instruction)
        delivered = bool(detail["edited"])
        right = _right(sample, before, after, read) if delivered else None
        found.append(Outcome(_topic(sample), bool(detail.get("operations")), delivered, right))
    return found


def _sets_letters(sample: Sample) -> bool:
    """Whether the numbers of `FITTED` matter: letters are set in another face."""
    return any(
        operation.kind in ("change", "insert") or operation.manner in ("upper", "lower")
        for operation in read_request(sample.instruction)
    )


def _topic(sample: Sample) -> str:
    return sample.id.split("/")[1]


def _right(sample: Sample, before: Array, after: Array, read: CachedReader) -> bool | None:
    if sample.attributes.get("operation") not in _TEXTUAL or sample.reference is None:
        return None
    wanted = read_image(sample.reference)
    if wanted.shape == before.shape and np.array_equal(wanted, before):
        return None
    asked, was, got = (_words(read(picture)) for picture in (wanted, before, after))
    if asked == was:
        return None
    return likeness(got, asked) >= max(_SAME, likeness(was, asked))


def _words(lines: Sequence[Line]) -> str:
    """All words that were read, in the order of the alphabet: engines cut lines as they like."""
    words = (plain(word) for line in lines for word in line.text.split())
    return " ".join(sorted(word for word in words if word))


def _score(found: Sequence[Outcome]) -> int:
    told = Counter(outcome.right for outcome in found)
    return told[True] - 3 * told[False]


def _told(found: Sequence[Outcome]) -> str:
    told = Counter(outcome.right for outcome in found if outcome.delivered)
    return (
        f"{len(found):3d} instances, understood {sum(o.understood for o in found):3d}, delivered "
        f"{sum(o.delivered for o in found):3d}: right {told[True]}, wrong {told[False]}, not told "
        f"{told[None]}"
    )


def _tried(samples: Sequence[Sample], read: CachedReader, name: str, value: Any) -> list[Outcome]:
    usual = getattr(limits, name)
    setattr(limits, name, value)
    try:
        return outcomes(samples, read)
    finally:
        setattr(limits, name, usual)


def leave_one_out(samples: Sequence[Sample], read: CachedReader) -> None:
    """Both numbers in all combinations on every instance, then one topic after the other left
    out.
    """
    trials: dict[tuple[float, ...], list[Outcome]] = {}
    usual = {name: getattr(limits, name) for name in FITTED}
    concerned = [sample for sample in samples if _sets_letters(sample)]
    others = outcomes([sample for sample in samples if not _sets_letters(sample)], read)
    try:
        for values in itertools.product(*FITTED.values()):
            for name, value in zip(FITTED, values, strict=True):
                setattr(limits, name, value)
            trials[values] = [*others, *outcomes(concerned, read)]
    finally:
        for name, value in usual.items():
            setattr(limits, name, value)
    print("as it is:", _told([*others, *outcomes(concerned, read)]), flush=True)
    held: list[Outcome] = []
    for topic in sorted({_topic(sample) for sample in samples}):
        rest = {v: [o for o in found if o.topic != topic] for v, found in trials.items()}
        best = max(rest, key=lambda values: _score(rest[values]))
        own = [o for o in trials[best] if o.topic == topic]
        held += own
        chosen = ", ".join(f"{n} {v}" for n, v in zip(FITTED, best, strict=True))
        print(f"{topic:38s} {_told(own)}   ({chosen})")
    print("left out, all topics:", _told(held))


def vary(samples: Sequence[Sample], read: CachedReader, names: Sequence[str]) -> None:
    """Each number of `limits` (or those named) halved and doubled, alone; a least similarity's
    distance to 1.
    """
    print("as it is:", _told(outcomes(samples, read)))
    for name, value in vars(limits).items():
        if (
            not name.isupper()
            or not isinstance(value, int | float)
            or (names and name not in names)
        ):
            continue
        near_one = name in ("SURE", "LIKE", "LIKE_BESIDE", "READ", "KEPT", "STILL")
        for factor in (0.5, 2.0):
            other = 1 - (1 - value) * factor if near_one else type(value)(value * factor)
            print(
                f"{name} {value} -> {other:.3g}:",
                _told(_tried(samples, read, name, other)),
                flush=True,
            )


def judged() -> None:
    """Each number of `JUDGED` chosen without a topic, and the verdicts on that topic that it then
    agrees with.
    """
    for name, rows in JUDGED.items():
        agreed = 0
        chosen: Counter[float] = Counter()
        for topic in sorted({row[0] for row in rows}):
            rest = [row for row in rows if row[0] != topic]
            best = max(FITTED[name], key=lambda least: _agreement(rest, least))
            chosen[best] += 1
            agreed += sum((like >= best) == fine for where, like, fine in rows if where == topic)
        values = ", ".join(f"{value} ({count} topics)" for value, count in chosen.items())
        print(f"{name}: {agreed} of {len(rows)} left-out verdicts; chosen {values}")


def _agreement(rows: Sequence[tuple[str, float, bool]], least: float) -> int:
    return sum(1 if fine else -3 for _, like, fine in rows if like >= least)


# --- other words ----------------------------------------------------------------------------------

TEXTS = ("'SALE'", "the text 'Open daily'", "the word 'coffee' on the cup")
WORDINGS: dict[str, tuple[str, ...]] = {
    "change": (
        "Change {a} to 'NEW'", "Replace {a} with 'NEW'", "Turn {a} into 'NEW'", "Modify {a} to 'NEW'",
        "{a} should read 'NEW'", "Let {a} say 'NEW'", "Substitute 'NEW' for {a}",
        "Rewrite {a} as 'NEW'", "Instead of {a} it should say 'NEW'", "Update {a} so it reads 'NEW'",
        "Swap out {a} for 'NEW'", "I want {a} to be 'NEW'",
    ),
    "delete": (
        "Delete {a}", "Remove {a}", "Erase {a} from the picture", "Get rid of {a}", "Take out {a}",
        "{a} should be removed", "Please wipe away {a}", "{a} has to go", "Leave out {a}",
        "Make {a} disappear", "Clear {a} and restore the background", "Cut {a}",
    ),
    "insert": (
        "Add 'NEW' after {a}", "Insert 'NEW' below {a}", "Write 'NEW' above {a}",
        "Put 'NEW' in front of {a}", "Place the text 'NEW' under {a}", "Append 'NEW' to {a}",
        "Below {a}, add 'NEW'", "'NEW' should be added after {a}", "Include 'NEW' behind {a}",
        "Type 'NEW' right of {a}", "Attach 'NEW' at the end of {a}", "Below {a} there should be 'NEW'",
    ),
    "move": (
        "Move {a} to the top right corner", "Shift {a} to the left", "Put {a} at the bottom",
        "Place {a} in the center of the picture", "Relocate {a} to the upper left corner",
        "{a} should be moved down a little", "Drag {a} to the bottom center",
        "Bring {a} to the top", "Slide {a} a bit to the right", "Center {a} horizontally",
        "Push {a} upwards", "Transfer {a} to the lower left corner",
    ),
    "resize": (
        "Make {a} bigger", "Enlarge {a}", "Shrink {a} to half of its size", "Scale {a} up by 20%",
        "Reduce the size of {a}", "{a} is too small, make it larger", "Double the size of {a}",
        "Increase the font size of {a}", "{a} should be twice as large", "Make {a} a bit smaller",
        "Blow {a} up", "Set {a} at 150% of its size",
    ),
    "recolour": (
        "Change the color of {a} to red", "Make {a} blue", "Turn {a} green", "Paint {a} yellow",
        "{a} should be white", "Change {a} from black to red", "Recolor {a} in orange",
        "Give {a} a purple color", "Set the color of {a} to dark blue", "Color {a} pink",
        "Use red for {a}", "I'd like {a} in gold",
    ),
    "rotate": (
        "Rotate {a} by 30 degrees", "Turn {a} 90 degrees clockwise", "Tilt {a} by 10 degrees",
        "{a} should be rotated 45 degrees to the left", "Spin {a} by 180 degrees",
        "Turn {a} upside down",
    ),
    "restyle": (
        "Make {a} bold", "Set {a} in italics", "Underline {a}", "Write {a} in capital letters",
        "{a} should be bold", "Strike through {a}", "Italicize {a}", "Put {a} in bold",
        "Capitalize {a}", "Cross out {a}",
    ),
}  # fmt: skip
"""Wordings of each operation, from its verbs."""


def paraphrases() -> None:
    """How many of the wordings are taken for their own operation, for none, and for another."""
    whole: Counter[str] = Counter()
    for kind, wordings in WORDINGS.items():
        told: Counter[str] = Counter()
        for wording, text in itertools.product(wordings, TEXTS):
            operations = read_request(wording.format(a=text))
            kinds = {  # "put A there" is the one or the other, as the picture has A or not
                kind if o.perhaps_there and kind in ("insert", "move") else o.kind
                for o in operations
            }
            own = "own" if kinds == {kind} else "another" if kinds else "none"
            told[own] += 1
            if own != "own":
                print(f"    {own}: {wording.format(a=text)}")
        whole += told
        print(f"{kind:9s} its own {told['own']}, none {told['none']}, another {told['another']}")
    print(f"all       its own {whole['own']}, none {whole['none']}, another {whole['another']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("--vary", nargs="*", metavar="NAME")
    parser.add_argument("--paraphrases", action="store_true")
    given = parser.parse_args()
    if given.paraphrases:
        paraphrases()
    if given.data is None:
        if not given.paraphrases:
            judged()
        return
    samples = [sample for sample in BENCHMARK.load(given.data) if len(sample.images) == 1]
    if given.vary is None:
        leave_one_out(samples, CachedReader())
    else:
        vary(samples, CachedReader(), given.vary)


if __name__ == "__main__":
    main()

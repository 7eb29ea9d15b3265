"""A guess which file of a folder is the output of which sample, where nobody gave a pattern.

A wrong sample is worse than no sample. So a rule is proposed only where the names of the files
prove it; in doubt nothing is proposed. A rule is in doubt where

- it would give two samples of the data the same name,
- a picture whose name has the form of a matched one fits no sample (files that were counted in
  another order match some numbers by coincidence),
- it rests on a bare number, and explains less than half of the pictures, or the numbers may only
  count the files,
- a matched name says the id, the category or the topic of another sample,
- numbers that it passes over differ from file to file,
- another rule that is as good gives a file to another sample.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from editgauge.store.patterns import (
    BETWEEN,
    FIELD,
    Matches,
    alike,
    by_pattern,
    facts_of,
    filled,
    without_extension,
)
from editgauge.types import Sample

Words = tuple[str, ...]
"""The words of a name in lower case, without what stands between them."""
OFFICIAL = "{stem}"
_TELLING = ("stem", "id", "flat", "image", "name", "number")
"""Facts that may tell a sample in a file's name, the surest first; ids of the release before."""
_FOLDERS = (
    "split",
    "category",
    "category1",
    "category2",
    "category3",
    "folder",
    "folder1",
    "folder2",
)
"""Facts that group samples, and that folders are called by."""
_LOOKED_AT = 40
"""Files whose names are looked at for patterns, spread over the folder."""
_SUGGESTED = 24
"""Patterns that are tried."""
_SHORTEST_LABEL = 3
_LONG_NUMBER = 6
"""Digits from which on a number is no count."""


def guessed(folder: Path, samples: Sequence[Sample], there: tuple[str, ...]) -> Matches:
    """The matches of the rule that the names of these pictures prove; none, with the reason
    (`Matches.doubt`), where they prove none.
    """
    proof = Proof(samples, folder, there)
    official = by_pattern(folder, samples, OFFICIAL, there)
    none = replace(official, files={sample.id: () for sample in samples})
    none = replace(none, facts=facts_of(samples[0]))
    doubts: list[str] = []
    proven: list[Matches] = []
    for rule in [OFFICIAL, *_suggestions(there, samples, proof.release)]:
        matches = official if rule == OFFICIAL else by_pattern(folder, samples, rule, there)
        if not matches.named:
            continue
        if doubt := proof.doubt(matches):
            doubts.append(doubt)
        else:
            proven.append(matches)
    if not proven:
        return replace(none, doubt=doubts[0] if doubts else "")
    best = max(proven, key=lambda one: len(one.named))  # the first of those that are as good
    for other in proven:
        if proof.disagree(best, other):
            doubt = "the names of the files can be read in two ways, which name different samples"
            return replace(none, doubt=doubt)
    return best


# -- the proof -------------------------------------------------------------------------------------


class Proof:
    """The texts by which the names of files tell a sample, and what speaks against a rule.

    `release`: attributes that are ids of the release. `texts`: sample -> its ids and labels;
    `owners`: an id or a label -> the samples that have it.
    """

    def __init__(self, samples: Sequence[Sample], folder: Path, there: Sequence[str]) -> None:
        self.facts = {sample.id: facts_of(sample) for sample in samples}
        self.release = release_ids(samples)
        self.there = there
        self.words = {file: words_of(without_extension(file)) for file in there}
        self.texts: dict[str, set[Words]] = {}
        self.owners: dict[Words, set[str]] = {}
        self._labels: set[Words] = set()
        attributes = [name for name in _labels_in(samples) if name not in self.release]
        for sample in samples:
            self._add(sample, attributes)
        every = (text for texts in self.texts.values() for text in texts)
        self._longest = max(map(len, every), default=0)
        self._folders = [words_of(part) for part in folder.absolute().parts[-3:]]
        self._shapes = {file: self._shape(words) for file, words in self.words.items()}
        self._grouped = any("/" in sample.id for sample in samples)

    def _add(self, sample: Sample, attributes: Sequence[str]) -> None:
        facts = self.facts[sample.id]
        texts = {words_of(facts.get(name, "")) for name in (*_TELLING, *self.release)}
        texts |= {words_of(stem) for stem in sample.output_stems}
        ids = {text for text in texts if is_sure(text)}
        named = [facts.get(name, "") for name in (*_FOLDERS, *attributes)]
        labels = {words_of(text) for text in named if len(text) >= _SHORTEST_LABEL}
        labels.discard(())
        self._labels |= labels
        self.texts[sample.id] = texts | labels
        for text in ids | labels:
            self.owners.setdefault(text, set()).add(sample.id)

    def _spans(self, words: Words, texts: Container[Words]) -> Iterator[Words]:
        """The parts of a name that are one of these texts."""
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + self._longest) + 1):
                if words[start:end] in texts:
                    yield words[start:end]

    def _shape(self, words: Words) -> Words:
        """The form of a name: its labels are all the same, and so are its numbers."""
        shape: list[str] = []
        at = 0
        while at < len(words):
            lengths = range(min(self._longest, len(words) - at), 0, -1)
            length = next((n for n in lengths if words[at : at + n] in self._labels), 0)
            shape.append("@" if length else re.sub(r"\d+", "#", words[at]))
            at += length or 1
        return tuple(shape)

    def doubt(self, matches: Matches) -> str:
        """The reason why a rule may be wrong; "" where nothing speaks against it."""
        taken = {file.relative_to(matches.folder).as_posix(): sample
                 for sample, file in matches.named.items()}  # fmt: skip
        doubts = (
            self._shared(matches.rule),
            self._unexplained(matches, taken),
            self._rare(matches, taken),
            self._contradicted(taken),
            self._passed_over(matches.rule, taken),
        )
        return next(filter(None, doubts), "")

    def _of_release(self, rule: str) -> bool:
        return any(name in self.release for name, _ in FIELD.findall(rule))

    def _shared(self, rule: str) -> str:
        """Two samples of the data that the rule gives one name."""
        if self._of_release(rule):
            return ""  # a file of such an id is given to nobody
        fields = {name for name, _ in FIELD.findall(rule)}
        first: dict[str, str] = {}
        for sample, facts in self.facts.items():
            if fields <= facts.keys():
                name = alike(filled(rule, facts))
                if first.setdefault(name, sample) != sample:
                    return f"the samples {first[name]} and {sample} would have the same name"
        return ""

    def _scope(self, matches: Matches) -> list[str]:
        """The pictures that a rule should explain: where it names a folder, those of the folder."""
        if not matches.beside:
            return [*self.there]
        head = matches.rule.partition("/")[0] + "/"
        return [file for file in self.there if file.startswith(head)]

    def _unexplained(self, matches: Matches, taken: Mapping[str, str]) -> str:
        """A picture that fits no sample, though its name has the form of one that does."""
        explained = {*taken}
        if self._of_release(matches.rule):
            explained |= {file for files in matches.files.values() for file in files}
        forms = {self._shapes[file]: file for file in taken}
        for file in self._scope(matches):
            if file not in explained and (fitting := forms.get(self._shapes[file])):
                return f"{file} is named like {fitting}, and belongs to no sample"
        return ""

    def _rare(self, matches: Matches, taken: Mapping[str, str]) -> str:
        """A bare number that few names have, which may be a coincidence."""
        if any(self._is_told(file, sample) for file, sample in taken.items()):
            return ""
        scope = self._scope(matches)
        literal = words_of(FIELD.sub("", matches.rule))
        if self._grouped and any(word.isdigit() for word in literal):
            return f"{next(iter(taken))} has several numbers, and any of them may be the sample's"
        numbers = sorted(self.facts[sample]["number"].zfill(9) for sample in taken.values())
        counts = [[f"{n + first:09}" for n in range(len(numbers))] for first in (0, 1)]
        if numbers in counts and len(taken) < len(self.facts):
            return "the numbers of the files may only count them"
        if 2 * len(taken) < len(scope):
            return f"only {len(taken)} of {len(scope)} pictures have the number of a sample"
        return ""

    def _is_told(self, file: str, sample: str) -> bool:
        """Whether a name says more of its sample than a number."""
        return any(is_sure(text) and sample in self.owners[text]
                   for text in self._spans(self.words[file], self.owners))  # fmt: skip

    def _contradicted(self, taken: Mapping[str, str]) -> str:
        """A name, or the folder, that says an id or a label of another sample."""
        for file, sample in taken.items():
            own = [*self._spans(self.words[file], self.texts[sample])]
            folders = [text for text in self._folders if text in self._labels]
            others = [
                text
                for text in (*self._spans(self.words[file], self.owners), *folders)
                if sample not in self.owners[text] and not any(_is_within(text, one) for one in own)
            ]
            if others:
                return f"{file} would belong to {sample}, but its name says {' '.join(others[0])!r}"
        return ""

    def _passed_over(self, rule: str, taken: Mapping[str, str]) -> str:
        """Numbers in the place of ``*`` that differ: any of them may be what counts."""
        if "*" not in rule:
            return ""
        numbers: dict[Words, str] = {}
        for file, sample in taken.items():
            steps = alike(filled(rule, self.facts[sample])).split("*")
            fitting = re.fullmatch("([^/]*)".join(map(re.escape, steps)),
                                   alike(without_extension(file)))  # fmt: skip
            passed = words_of("_".join(fitting.groups())) if fitting else ()
            short = tuple(word for word in passed if word.isdigit() and len(word) < _LONG_NUMBER)
            numbers.setdefault(short, file)
        if len(numbers) > 1:
            some = " and ".join([*numbers.values()][:2])
            return f"{some} have several numbers, and any of them may be the sample's"
        return ""

    def disagree(self, best: Matches, other: Matches) -> bool:
        """Whether another rule gives a file to another sample, or a sample to another file, and is
        as good: it explains every picture, or the best one does not either.
        """
        if self._scope(best) != self._scope(other):
            return False  # of another editor's folder
        by_file = {file: sample for sample, file in best.named.items()}
        differs = any(
            best.named.get(sample, file) != file or by_file.get(file, sample) != sample
            for sample, file in other.named.items()
        )
        number = len(self._scope(best))
        return differs and (len(best.named) < number or len(other.named) == number)


def words_of(text: str) -> Words:
    """The words of a text in lower case; a dot parts words, too."""
    return tuple(re.findall(r"[^\W_]+", text.casefold()))


def _is_within(words: Words, longer: Words) -> bool:
    starts = range(len(longer) - len(words) + 1)
    return any(longer[at : at + len(words)] == words for at in starts)


def is_sure(text: Words) -> bool:
    """Whether a text is more than a number that may as well be a count."""
    has_letter = any(not word.isdigit() for word in text)
    return has_letter or any(len(word) >= _LONG_NUMBER for word in text)


def release_ids(samples: Sequence[Sample]) -> list[str]:
    """The attributes that are ids: texts with a digit, of which most are one sample's alone."""
    values: dict[str, list[str]] = {}
    for sample in samples:
        for name, value in sample.attributes.items():
            if isinstance(value, str) and value:
                values.setdefault(name, []).append(value)
    return [
        name
        for name, texts in values.items()
        if len(texts) > len(samples) / 2
        and len({*texts}) > max(1, len(texts) / 2)
        and all(re.search(r"\d", text) and is_sure(words_of(text)) for text in texts)
    ]


def _labels_in(samples: Iterable[Sample]) -> list[str]:
    """The attributes that are texts."""
    return sorted(
        {
            name
            for sample in samples
            for name, text in sample.attributes.items()
            if isinstance(text, str) and len(text) >= _SHORTEST_LABEL
        }
    )


# -- what names suggest ----------------------------------------------------------------------------


def _suggestions(
    there: Sequence[str], samples: Sequence[Sample], release: Sequence[str]
) -> list[str]:
    """Patterns that files' names suggest, those of the release's own ids first."""
    names = [without_extension(file) for file in there[:: max(1, len(there) // _LOOKED_AT)]]
    names = [name for name in names if not {*"{*"} & {*name}]
    telling = (*release, *_TELLING)
    places = (*_FOLDERS, *(name for name in _labels_in(samples) if name not in release))
    every = [facts_of(sample) for sample in samples]
    known = [{fact: alike(facts.get(fact, "")) for fact in telling} for facts in every]
    counts = Counter[str]()
    for name in names:
        plain = alike(name)
        patterns: set[str] = set()
        for facts, texts in zip(every, known, strict=True):
            for fact, text in texts.items():
                if text and text in plain:
                    patterns.update(_patterns_with(name, fact, facts, places))
        counts.update(patterns)

    def order(pattern: str) -> tuple[bool, int, bool, int, str]:
        """The place of a pattern: ids of the release, then what fits most of the names."""
        fact = FIELD.findall(pattern)[-1][0]
        return fact not in release, -counts[pattern], "*" in pattern, telling.index(fact), pattern

    return sorted(counts, key=order)[:_SUGGESTED]


def _patterns_with(
    name: str, fact: str, facts: Mapping[str, str], places: Iterable[str]
) -> Iterator[str]:
    """Patterns of a name with this fact: as it is, ``*`` behind the fact, ``*`` before it."""
    called = [(facts[place], f"{{{place}}}") for place in places if facts.get(place)]
    of_folders = [one for one in called if one[1][1:-1] in _FOLDERS]
    digits = rf"0*{facts[fact]}" if fact == "number" else ""
    for word in [*re.finditer(_spelled([facts[fact]], digits), name)][-1:]:
        width = len(word[0]) if word[0] != facts[fact] and digits else 0
        field = f"{{{fact}:0{width}}}" if width else f"{{{fact}}}"
        before, after = name[: word.start()], name[word.end() :]
        if "/" in after and not (after[0] == "/" and before[-1:] in ("", "/")):
            continue  # a part of a folder's name
        orders = (called, called[::-1], of_folders, of_folders[::-1])
        heads = {_headed(before, dict(order)) for order in orders}
        for head in heads:  # one text may be a category and an output folder of another sample
            yield f"{head}{field}{after}"
            if after:
                yield f"{head}{field}{after[0]}*"
        folder, slash, stem = before.rpartition("/")
        mark = stem[len(stem.rstrip("_-. ")) :]
        if stem != mark:
            yield f"{_headed(folder, dict(called))}{slash}*{mark}{field}{after}"


def _headed(before: str, called: Mapping[str, str]) -> str:
    """What stands before a fact, with the facts that folders are called by as fields."""
    fields = {alike(text): field for text, field in called.items()}
    if not called:
        return before
    return re.sub(_spelled(called), lambda word: fields[alike(word[0])], before)


def _spelled(texts: Iterable[str], digits: str = "") -> str:
    """A regular expression for these texts, each a word of its own, in any spelling that `alike`
    makes equal. `digits` is another expression that fits.
    """
    longest = sorted(texts, key=len, reverse=True)
    spelled = [BETWEEN.join(map(re.escape, re.split(BETWEEN, text))) for text in longest]
    fitting = "|".join(filter(None, (digits, *spelled)))
    return rf"(?i)(?<![^\W_])(?:{fitting})(?![^\W_])"

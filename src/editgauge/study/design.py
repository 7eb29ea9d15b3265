"""The design of a study: one TOML file that says what is shown to whom and what is asked; see the
example in docs/how-to/human-study.md.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from editgauge.errors import DataError
from editgauge.schema import convert
from editgauge.store.labels import Samples
from editgauge.study.scales import Scale

Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the file."""


class Question(_Part, frozen=True):
    """`id` is the metric of the rows, `text` what the annotator reads."""

    id: Annotated[str, Meta(pattern=r"^[^.\x00-\x1f]{1,80}$")]
    text: str = ""


class Draw(_Part, frozen=True):
    """Which samples: `ids`, or so many at random, or `each` of every value of the label `by`."""

    by: str = ""
    each: Annotated[int, Meta(ge=1)] | None = None
    count: Annotated[int, Meta(ge=1)] | None = None
    ids: list[Name] | None = None


class Training(_Part, frozen=True):
    """Samples that are shown first and not counted, and what is said after them."""

    samples: list[Name] = []
    feedback: dict[str, str] = {}


class Checks(_Part, frozen=True):
    """An attention check after so many samples; 0: none."""

    every: Annotated[int, Meta(ge=0)] = 0


class Repeats(_Part, frozen=True):
    """The share of an annotator's samples that come again at the end."""

    share: Annotated[float, Meta(ge=0, le=1)] = 0.0


class Design(_Part, frozen=True, kw_only=True):
    """A study as its file says. Where it was checked against a run (`resolved`), `benchmark` and
    `editors` are named and ``samples.ids`` are the samples that were drawn. `hint`: whether the
    sample's knowledge is shown; `reference`: its reference. `return_after`: seconds without a sign
    of life, after which others take over.
    """

    mode: Scale
    questions: Annotated[list[Question], Meta(min_length=1)]
    name: Annotated[str, Meta(pattern=r"^\w[\w .-]{0,79}$")] = "study"
    benchmark: str = ""
    editors: list[Name] = []
    annotators_per_sample: Annotated[int, Meta(ge=2)] = 2
    seed: Annotated[int, Meta(ge=0)] = 0
    hint: bool = False
    reference: bool = True
    return_after: Annotated[int, Meta(ge=1)] = 86400
    samples: Draw = Draw()
    training: Training = Training()
    checks: Checks = Checks()
    repeats: Repeats = Repeats()

    @property
    def drawn(self) -> list[str]:
        """The samples of a study whose design was resolved."""
        return self.samples.ids or []


def resolved(
    facts: Mapping[str, Any], samples: Samples, outputs: Mapping[str, Collection[str]],
    benchmark: str, *, where: str = "design",
) -> Design:  # fmt: skip
    """A design from its file's `facts`, resolved against a run: `outputs` maps a sample to its
    editors. Raises `DataError` that names the key, what was wanted and what was found.
    """
    design = convert(dict(facts), Design, where)
    if design.benchmark not in ("", benchmark):
        raise DataError(f"{where}: benchmark {design.benchmark!r}: the samples are {benchmark}'s")
    least = 2 if design.mode in ("rank", "pairwise") else 1
    there = sorted({editor for editors in outputs.values() for editor in editors})
    editors = [*dict.fromkeys(design.editors or there)]
    if not set(editors) <= set(there) or len(editors) < least:
        raise DataError(
            f"{where}: editors: found {', '.join(editors) or 'none'}; mode {design.mode} wants "
            f"{least} or more with outputs in the run: {', '.join(there) or 'there are none'}"
        )
    if len({question.id for question in design.questions}) != len(design.questions):
        raise DataError(f"{where}: questions: one id is named twice; give each its own")
    shown = [s for s in samples.ids if len(set(outputs.get(s, ())) & set(editors)) >= least]
    training, ids = design.training, [*dict.fromkeys(design.samples.ids or ())]
    for name in (*training.samples, *training.feedback, *ids):
        if name not in shown:
            raise DataError(f"{where}: sample {name!r} has no outputs to show")
    rest = [name for name in shown if name not in training.samples]
    drawn = msgspec.structs.replace(design.samples, ids=ids or _drawn(design, samples, rest, where))
    return msgspec.structs.replace(design, benchmark=benchmark, editors=editors, samples=drawn)


def _drawn(design: Design, samples: Samples, shown: Sequence[str], where: str) -> list[str]:
    """The samples of a seeded draw, in the benchmark's order."""
    draw, groups = design.samples, dict[str, list[str]]()
    labels = samples.labels(draw.by).tolist() if draw.by else [""] * len(samples.ids)
    for name, label in zip(samples.ids, labels, strict=True):
        if name in shown:
            groups.setdefault(label, []).append(name)
    wanted = draw.each if draw.by else draw.count
    random = np.random.default_rng(design.seed)
    chosen: set[str] = set()
    for label, names in (groups or {"": []}).items():
        size = wanted or max(1, len(names))
        if len(names) < size:
            part = f" of {label!r}" if label else ""
            raise DataError(
                f"{where}: samples: wanted {size}{part}, but {len(names)} have outputs to be rated"
            )
        chosen |= {names[k] for k in random.permutation(len(names))[:size].tolist()}
    return [name for name in shown if name in chosen]

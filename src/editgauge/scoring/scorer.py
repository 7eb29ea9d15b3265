"""The one base class of everything that gives an output scores."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editgauge.errors import UsageError
from editgauge.types import Edit, JsonMapping, Metric, Sample, Score, Track

Pair = tuple[Sample, Edit]


@dataclass(frozen=True, slots=True)
class Needs:
    """What one worker takes of its machine: processors, GPUs (None: one where there is any), and
    bytes of memory (0: not counted). Raises `UsageError` for a value that is no amount.
    """

    num_cpus: float = 1.0
    num_gpus: float | None = 0.0
    memory: int = 0

    def __post_init__(self) -> None:
        for name, value in (("num_cpus", self.num_cpus), ("num_gpus", self.num_gpus or 0.0)):
            if not (isinstance(value, int | float) and 0 <= value < math.inf):  # nor is NaN
                raise UsageError(f"{value!r}: wanted a number of at least 0", argument=name)

    def workers(self, most: int, memory: int) -> int:
        """How many of `most` workers of one processor each these needs leave room for, with so much
        `memory` for all of them (0: not known): at least 1, where there was any.
        """
        room = int(most // self.num_cpus) if self.num_cpus > 1 else most
        if self.memory and memory:
            room = min(room, memory // self.memory)
        return min(most, max(room, 1))

    def with_(self, other: Needs) -> Needs:
        """Enough for both, one after the other; each keeps in memory what it has loaded."""
        gpus = (self.num_gpus, other.num_gpus)
        known = max((number for number in gpus if number is not None), default=0.0)
        most = None if None in gpus and known < 1 else known
        return Needs(max(self.num_cpus, other.num_cpus), most, self.memory + other.memory)


class Scorer:
    """`(sample, edit) -> scores`; pure, knows nothing of runs or files of results.

    A scorer gives one `Score` for each metric and variant in `metrics`. `inputs` names the fields
    of the sample that the values depend on; together with `origin` and the output's bytes they make
    the fingerprint. It is called only with an edit that has a file; it must be picklable, and give
    the same value whatever was scored before. Override `score`; or `score_many`, where many pairs
    at once are much faster (a network on a GPU), with a `batch` above 1; or, for a metric of all
    outputs of an editor (FID), `score_set`, with `whole_set`: its rows have the sample id ``*``.
    """

    name: str
    track: Track
    metrics: tuple[Metric, ...]
    inputs: tuple[str, ...] = ("images",)
    wants: tuple[str, ...] = ()
    """Fields without which a sample is not applicable: ``masks``, ``reference``."""
    source: str = ""
    """Which way the values were made, where there are several: an OCR engine, for example."""
    whole_set: bool = False
    batch: int = 1
    """How many pairs a worker is given at once. Above 1, one worker has the whole machine."""
    needs: Needs = Needs()

    def origin(self) -> JsonMapping:
        """Versions, model hashes, parameters: JSON values that the scores depend on."""
        return {}

    def applies(self, sample: Sample) -> str | None:
        """None, or why there is nothing to say about the sample (rows are not_applicable)."""
        for name in self.wants:
            if not getattr(sample, name):
                return f"the sample has no {name.removesuffix('s')}"
        return None

    def begin(self) -> None:
        """Load what is kept between outputs, once in each worker; what it raises ends the call."""

    def score(self, sample: Sample, edit: Edit) -> Sequence[Score]:
        """The scores of one output. What it raises becomes a row with a status and a reason."""
        return dict(self.score_many([(sample, edit)]))[0]

    def score_many(self, pairs: Sequence[Pair]) -> Iterator[tuple[int, Sequence[Score]]]:
        """The index of a pair and its scores, each pair once, in any order, as they come. The
        values must not depend on the other pairs but for the rounding of float32 sums. Where it
        fails, the pairs that have no scores yet are scored alone.
        """
        for number, (sample, edit) in enumerate(pairs):
            yield number, self.score(sample, edit)

    def score_set(self, pairs: Sequence[Pair]) -> Sequence[Score]:
        """The scores of all outputs of one editor."""
        raise NotImplementedError(f"{self.name}: no score of a whole set")

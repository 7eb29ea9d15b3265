"""The tracks of a benchmark: which there are, and which are scored where none is named."""

from __future__ import annotations

from editgauge.errors import UsageError
from editgauge.scoring.outside import own_scorers
from editgauge.types import TRACKS, Benchmark, Track

_COMMAND = {"judge": "judge", "human": "study"}
"""Tracks whose scores do not come from scorers, and the command that makes them."""


def tracks_of(text: str) -> list[Track]:
    """Tracks joined by commas. Raises `UsageError` for one that is none, or another command's."""
    words = [word for part in text.split(",") if (word := part.strip())]
    for word in words:
        if word not in TRACKS:
            why = f"{word!r}: wanted one of {', '.join(TRACKS)}"
            raise UsageError(why, argument="tracks")
        if word in _COMMAND:
            why = f"{word}: this track has a command of its own: editgauge {_COMMAND[word]}"
            raise UsageError(why, argument="tracks")
    return [track for word in words for track in TRACKS if track == word]


def default_tracks(bench: Benchmark) -> list[Track]:
    """The tracks of the paper's tables that need no weights, else the first that there is."""
    return list(bench.main_tracks) or offered(bench)[:1]


def offered(bench: Benchmark) -> list[Track]:
    """The tracks for which a benchmark has scorers, the cheapest first."""
    return [track for track in TRACKS if own_scorers(bench, [track])]


def judged(bench: Benchmark) -> bool:
    """Whether a judge gives all scores of the benchmark's tables."""
    scorers = [one for track in offered(bench) for one in own_scorers(bench, [track])]
    measured = {metric.name for scorer in scorers for metric in scorer.metrics}
    return bench.judging is not None and measured <= set(bench.not_in_tables)

"""Pictures for a judge, prepared on a cluster: decoded, resized and encoded there, asked for from
here.

A picture is prepared when its call is about to be sent, never earlier: as many as calls are under
way are held, whatever the number of samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import ImageError
from editgauge.judging.pictures import as_png
from editgauge.run.engine import Engine, Job

SECONDS = 120.0
"""For one picture."""
_Item = tuple[Path, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Preparing:
    """`judging.pictures.as_png` on the workers of an engine; takes the place of
    `PictureStore.to_png`. `places`: what every worker must see under the same path.

    Raises `ImageError` for a file that is no readable picture, or that a worker dies on.
    """

    engine: Engine
    places: tuple[Path, ...] = ()

    def __call__(self, path: Path, size: tuple[int, int]) -> bytes:
        job: Job[_Item, list[bytes]] = Job(
            work=_encoded,
            start=_nothing,
            start_args=(),
            unfinished=list,
            seconds_an_item=SECONDS,
            places=self.places,
        )
        for done in self.engine.outcomes(job, iter([[(path, size)]])):
            if done.result is not None:
                return done.result[0]
            raise ImageError(done.died or "its worker was lost", path=path)
        raise AssertionError("unreachable: an engine answers every batch")


def _encoded(batch: Sequence[_Item]) -> list[bytes]:
    return [as_png(path, size) for path, size in batch]


def _nothing() -> None:
    """Nothing is loaded beforehand."""

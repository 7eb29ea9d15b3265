"""Pictures for a judge, prepared by an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editgauge.errors import ImageError
from editgauge.images import write_png
from editgauge.judging.calls import Picture
from editgauge.judging.pictures import PictureStore, as_png
from editgauge.run.engine import Local
from editgauge.run.prepare import Preparing
from editgauge.run.supervisor import Done
from editgauge.store.hashes import HashStore


@pytest.fixture
def picture(tmp_path: Path) -> Picture:
    """A picture that must be brought to another one's size."""
    generator = np.random.default_rng(0)
    for name, size in (("output", (40, 30, 3)), ("input", (24, 32, 3))):
        write_png(tmp_path / f"{name}.png", generator.integers(0, 256, size, dtype=np.uint8))
    return Picture(tmp_path / "output.png", "output", size_of=tmp_path / "input.png")


def test_a_request_has_the_same_bytes_wherever_its_picture_is_prepared(
    picture: Picture, tmp_path: Path
) -> None:
    with HashStore(tmp_path / "hashes.sqlite") as hashes:
        here = PictureStore(hashes).encode(picture)
        there = PictureStore(hashes)
        there.to_png = Preparing(Local(0), places=(tmp_path,))
        assert there.encode(picture) == here
    assert (here.width, here.height) == (32, 24)


def test_a_picture_that_cannot_be_read_is_the_pictures_fault(tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    with pytest.raises(ImageError):
        Preparing(Local(0))(broken, (8, 8))


def test_a_picture_that_kills_its_worker_is_the_pictures_fault(tmp_path: Path) -> None:
    class Deadly(Local):
        def outcomes(self, job: Any, batches: Iterator[Any]) -> Iterator[Done[Any, Any]]:
            yield Done(next(batches), None, "the worker died on this picture: exit code 9")

    with pytest.raises(ImageError, match="exit code 9"):
        Preparing(Deadly(0))(tmp_path / "bomb.png", (8, 8))


@pytest.mark.slow
def test_a_cluster_prepares_the_same_bytes(picture: Picture, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    from editgauge.run import cluster
    from tests.run.nodes import nodes_of_one_core

    with nodes_of_one_core(1) as nodes, cluster.Ray(address=nodes.address) as engine:
        preparing = Preparing(engine, places=(tmp_path,))
        assert preparing(picture.path, (32, 24)) == as_png(picture.path, (32, 24))
        with pytest.raises(ImageError, match="gone"):
            preparing(tmp_path / "gone.png", (8, 8))

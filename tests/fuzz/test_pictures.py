"""Whatever the bytes are, a picture is read or is one `ImageError` that names its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from editgauge.errors import ImageError
from editgauge.images import read_grey, read_header, read_image, read_luma, read_mask
from tests.fuzz.corpus import fuzz, pictures, spoilt_bytes

PICTURES = pictures()


@pytest.mark.parametrize("name", PICTURES)
def test_the_corpus_itself_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(PICTURES[name])
    assert read_image(path).shape == (40, 52, 3)
    assert np.array_equal(read_mask(path), read_grey(path) >= 128)


@fuzz
@given(name=st.sampled_from(sorted(PICTURES)), seed=st.integers(0, 2**32))
def test_spoilt_pictures(tmp_path: Path, name: str, seed: int) -> None:
    look(tmp_path / "a", spoilt_bytes(PICTURES[name], seed))


def look(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    shape = None
    for read in (read_header, read_image, read_grey, read_luma, read_mask):
        try:
            found = read(path)
        except ImageError as error:
            assert error.path == path
            assert str(path) in str(error)
            assert "\n" not in str(error)
            continue
        if read is read_header:
            shape = (found.height, found.width)  # type: ignore[union-attr]
            continue
        assert found.shape[:2] == shape  # type: ignore[union-attr]
        assert found.dtype == (np.bool_ if read is read_mask else np.uint8)  # type: ignore[union-attr]

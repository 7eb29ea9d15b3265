"""Existing outputs: found by official name, judged by content, never outside their folder."""

from pathlib import Path

import cv2
import pytest

from editgauge import catalog
from editgauge.editors.folder import folder
from editgauge.errors import DataError, UsageError
from editgauge.store.outputs import find_output
from editgauge.testing import make_picture, make_sample
from editgauge.types import Status


def encoded(extension: str, size: tuple[int, int] = (40, 30)) -> bytes:
    return cv2.imencode(extension, make_picture(size))[1].tobytes()


def test_content_decides_what_a_file_is(tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "sample-1.jpg").write_bytes(encoded(".png"))
    edit = catalog.find("editors", "folder")([sample], path=tmp_path / "o", name="m")(
        sample, tmp_path / "out"
    )
    assert edit.path.suffix == ".png"


def test_over_the_pixel_limit_is_unreadable_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = make_sample(tmp_path)
    (tmp_path / "o").mkdir()
    (tmp_path / "o" / "sample-1.png").write_bytes(encoded(".png"))
    monkeypatch.setenv("EDITGAUGE_MAX_PIXELS", "1000")
    edit = folder([sample], path=tmp_path / "o")(sample, tmp_path / "out")
    assert edit.status is Status.UNREADABLE
    assert "limit" in edit.reason


@pytest.mark.parametrize(
    "stem", ["../secret", "a/../../secret", "/etc/secret", "..\\secret", "C:/secret", "", "a\0b"]
)
def test_a_stem_cannot_lead_out_of_the_folder(stem: str, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(encoded(".png"))
    (tmp_path / "o" / "a").mkdir(parents=True)
    sample = make_sample(tmp_path, output_stems=(stem,))
    assert find_output(tmp_path / "o", sample) is None
    edit = folder([sample], path=tmp_path / "o")(sample, tmp_path / "out")
    assert (edit.path, edit.status) == (None, Status.MISSING)


def test_settings_are_checked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found no path"):
        folder([])
    with pytest.raises(UsageError, match="found seed"):
        folder([], path=tmp_path, seed="1")
    with pytest.raises(DataError, match="nothing there"):
        folder([], path=tmp_path / "none")

"""Functions of one's own as editors: ``FILE.py:function``."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from editgauge import catalog
from editgauge.errors import DataError, Unavailable, UsageError
from editgauge.images import read_image, write_png
from editgauge.run.edit import edit as edit_all
from editgauge.store.run import Run
from editgauge.testing import make_picture, make_sample
from editgauge.types import Status

FILE = """
from pathlib import Path
import numpy as np
import beside

with open(Path(__file__).with_name("loads"), "a") as log:
    log.write("x")

def edit(image, instruction):
    assert instruction
    return image.transpose(0)

def many(images, instruction, seed=0):
    return np.full((4, 5, 3), len(images) + seed, np.uint8)

def words(image, instruction):
    return "no picture"

def odd(image, instruction, prompt):
    return image
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(FILE)
    (tmp_path / "beside.py").write_text("")
    return tmp_path / "model.py"


def test_a_function_edits_and_its_file_is_run_once(file: Path, tmp_path: Path) -> None:
    write_png(tmp_path / "in.png", make_picture((20, 12)))
    editor = catalog.find("editors", f"{file}:edit")([])
    editor = pickle.loads(pickle.dumps(editor))
    sample = make_sample(tmp_path, images=(tmp_path / "in.png",))
    for _ in range(3):
        made = editor(sample, tmp_path)
    assert made.ok
    assert np.array_equal(read_image(made.path), read_image(tmp_path / "in.png")[:, ::-1])
    assert (made.editor, made.width) == ("model-edit", 20)
    assert (tmp_path / "loads").read_text() == "x"
    two = make_sample(tmp_path, images=(tmp_path / "in.png",) * 2)
    assert editor(two, tmp_path).status is Status.NOT_APPLICABLE


def test_with_workers_the_file_is_run_in_each_and_not_before(file: Path, tmp_path: Path) -> None:
    samples = [make_sample(tmp_path / "data", f"s{n}") for n in range(4)]
    settings = {"workers": "process"}
    editor = catalog.find("editors", f"{file}:edit")([], **settings)
    run = Run.create(tmp_path / "run")
    assert edit_all(run, "mini", samples, editor, workers=2).counts == {"scored": 4}
    assert (tmp_path / "loads").read_text() in ("x", "xx")
    lost = catalog.find("editors", f"{file}:nothing")([], **settings)
    with pytest.raises(Unavailable, match="has no function 'nothing'"):
        edit_all(run, "mini", samples, lost, workers=1)


def test_a_function_may_take_all_pictures_and_a_seed(file: Path, tmp_path: Path) -> None:
    write_png(tmp_path / "in.png", make_picture((20, 12)))
    editor = catalog.find("editors", f"{file}:many")([], seed="7")
    two = make_sample(tmp_path, images=(tmp_path / "in.png",) * 2)
    assert read_image(editor(two, tmp_path).path)[0, 0, 0] == 9


def test_what_does_not_fit_is_one_line(file: Path, tmp_path: Path) -> None:
    sample = make_sample(tmp_path)
    with pytest.raises(UsageError, match="wanted a picture of Pillow or an array"):
        catalog.find("editors", f"{file}:words")([])(sample, tmp_path)
    with pytest.raises(DataError, match="wanted a Python file"):
        catalog.find("editors", f"{tmp_path}/none.py:edit")([])
    (tmp_path / "broken.py").write_text("import nothing_like_it")
    for name, why in (
        (f"{file}:odd", r"found \(image, instruction, prompt\)"),
        (f"{file}:nothing", "has no function 'nothing'"),
        (f"{tmp_path}/broken.py:edit", r"broken\.py: ModuleNotFoundError"),
    ):
        with pytest.raises(Unavailable, match=why):
            catalog.find("editors", name)([]).prepare()

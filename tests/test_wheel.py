"""The wheel works outside the repository: installed in a fresh environment, it runs the demo."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def run(
    *words: str | Path, cwd: Path, codes: tuple[int, ...] = (0,), **env: str
) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV_", "PYTEST"))}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**clean, **env},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode in codes, f"{words}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index",
        "--disable-pip-version-check", "-w", folder, ROOT, cwd=folder)  # fmt: skip
    (built,) = folder.glob("editgauge-*.whl")
    return built


def test_the_wheel_holds_what_is_not_code_and_nothing_it_should_not(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert any(name.endswith("py.typed") for name in names)
    assert any("/rubrics/" in name and name.endswith(".md") for name in names)
    assert any(name.endswith(".csv") for name in names)
    assert not [
        name
        for name in names
        if name.startswith("tests/") or name.endswith((".pt", ".safetensors", ".onnx"))
    ]
    assert max(info.file_size for info in zipfile.ZipFile(wheel).infolist()) < 500_000


def test_the_demo_runs_from_the_wheel_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    """The environment is new and holds only the wheel; its dependencies are lent by the one that
    runs the tests, because tests make no network connection (`make demo` installs them for real).
    """
    place = tmp_path / "env"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    site = Path(
        run(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path
        ).stdout.strip()
    )
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    lent = sysconfig.get_path("purelib")
    (site / "lent.pth").write_text(f"import site; site.addsitedir({lent!r})\n")
    where = run(
        python, "-c", "import editgauge; print(editgauge.__file__)", cwd=tmp_path
    ).stdout.strip()
    assert Path(where).is_relative_to(site)
    done = run(
        python,
        "-m",
        "editgauge",
        "demo",
        "--run",
        "first",
        cwd=tmp_path,
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    assert "reference" in done.stdout
    assert "first/" in done.stdout
    assert (tmp_path / "first" / "run.sqlite").is_file()
    assert list((tmp_path / "first" / "edits" / "mini").iterdir())
    again = run(python, "-m", "editgauge", "score", "mini", "--run", "first", "--json", cwd=tmp_path,
                codes=(0, 1), XDG_CACHE_HOME=str(tmp_path / "cache"))  # fmt: skip
    assert '"computed": 0' in again.stdout

"""The entry point: what lies beside the call is not imported, and every error is one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = "import sys; sys.argv[0] = 'editgauge'; sys.path[0] = '/nowhere'; from editgauge.cli.main import main; main()"


def call(
    *words: str, cwd: Path, entry: tuple[str, ...] = ("-m", "editgauge"), **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *entry, *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "XDG_CACHE_HOME": str(cwd / "cache"),
            **env,
        },
    )


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_folder_full_of_names_of_libraries(tmp_path: Path, workers: str) -> None:
    """In the parent and in its workers; `http` is a folder and `http.server` a module of it."""
    trap = "raise SystemExit('imported from the working directory')"
    for name in (
        "cv2",
        "numpy",
        "orjson",
        "typer",
        "rich",
        "signal",
        "socket",
        "queue",
        "PIL",
        "hashlib",
        "secrets",
    ):
        (tmp_path / f"{name}.py").write_text(trap)
    for name in ("http", "duckdb", "json", "multiprocessing"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(trap)
    done = call(
        "edit",
        "mini",
        "--editor",
        "copy",
        "--run",
        "run",
        "--limit",
        "4",
        "--workers",
        workers,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    done = call(
        "score",
        "mini",
        "--run",
        "run",
        "--limit",
        "4",
        "--tracks",
        "pixel",
        "--workers",
        workers,
        cwd=tmp_path,
    )
    assert "imported" not in done.stderr + done.stdout
    assert done.returncode in (0, 1), done.stderr

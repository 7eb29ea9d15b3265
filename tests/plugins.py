"""Packages of other people, installed for a test: a folder with modules and a ``dist-info``."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest


def install(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    entry_points: Mapping[str, Mapping[str, str]],
    *,
    modules: Mapping[str, str] | None = None,
    package: Path | None = None,
    version: str = "1.0",
) -> Path:
    """Put a distribution on the path of this process and of those it starts.

    `entry_points`: group -> name -> ``module:object``; `modules`: file name -> source; `package`: a
    folder that is copied beside them.
    """
    folder = place / f"site-{name}"
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = (
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in names.items())
        for group, names in entry_points.items()
    )
    (info / "entry_points.txt").write_text("\n".join(groups))
    for file, source in (modules or {}).items():
        (folder / file).write_text(textwrap.dedent(source))
    if package is not None:
        shutil.copytree(
            package, folder / package.name, ignore=shutil.ignore_patterns("__pycache__")
        )
    monkeypatch.syspath_prepend(str(folder))
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{folder}{os.pathsep}{known}" if known else str(folder))
    importlib.invalidate_caches()
    before = set(sys.modules)
    tops = {Path(file).stem for file in modules or {}} | ({package.name} if package else set())
    for loaded in [one for one in before if one.partition(".")[0] in tops]:
        monkeypatch.delitem(sys.modules, loaded)
    return folder

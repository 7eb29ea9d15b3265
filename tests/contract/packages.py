"""A package of somebody else, installed for a test: modules and a ``dist-info`` on the path."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def installed(
    place: Path,
    patch: pytest.MonkeyPatch,
    entry_points: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str],
    version: str = "1.0",
) -> None:
    """`entry_points`: group -> name -> ``module:object``; `modules`: file name -> source. Also for
    the processes that this one starts.
    """
    info = place / f"{place.name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    about = f"Metadata-Version: 2.1\nName: {place.name}\nVersion: {version}\n"
    (info / "METADATA").write_text(about)
    lines = []
    for group, names in entry_points.items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in names.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for name, source in modules.items():
        (place / name).write_text(source)
        patch.delitem(sys.modules, name.removesuffix(".py"), raising=False)
    patch.syspath_prepend(str(place))
    known = os.environ.get("PYTHONPATH", "")
    patch.setenv("PYTHONPATH", f"{place}{os.pathsep}{known}" if known else str(place))
    importlib.invalidate_caches()

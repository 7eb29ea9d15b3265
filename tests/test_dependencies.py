"""What is declared is what is imported: nothing else is installed, and nothing is missing."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DISTRIBUTION = {"PIL": "pillow", "cv2": "opencv-python-headless", "skimage": "scikit-image"}
"""Modules whose distribution has another name."""
WITHOUT_IMPORT = {
    "accelerate": "diffusers loads large models through it",
    "paddlepaddle": "paddleocr computes with it",
    "onnxruntime": "rapidocr computes with it",
    "torchvision": "processors of some diffusers pipelines use it",
    "s3fs": "fsspec opens s3:// addresses with it",
    "torchmetrics": "carries the linear heads of LPIPS",
    "mkdocs-material": "builds the documentation's site (make site)",
}


def distribution(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


DECLARED = {
    name: {distribution(line) for line in lines}
    for name, lines in {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items()
}


@cache
def trees() -> dict[Path, ast.Module]:
    """Every module of ours, parsed."""
    sources = (ROOT / "src").rglob("*.py")
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sources}


def distributions(node: ast.AST) -> Iterator[str]:
    """What a statement or a call imports, by whatever words."""
    names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        names += [str(node.args[0].value)] if called == "import_module" else []
    for top in {name.split(".")[0] for name in names} - {"editgauge", ""}:
        if top not in sys.stdlib_module_names:
            yield DISTRIBUTION.get(top, top).replace("_", "-").lower()


@cache
def imported() -> dict[str, set[str]]:
    """Distribution -> the modules of ours that import it."""
    found: dict[str, set[str]] = {}
    for path, tree in trees().items():
        for name in (name for node in ast.walk(tree) for name in distributions(node)):
            found.setdefault(name, set()).add(path.name)
    return found


def test_everything_imported_is_declared() -> None:
    known = set().union(*(names for extra, names in DECLARED.items() if extra != "dev"))
    assert {name: where for name, where in imported().items() if name not in known} == {}


@pytest.mark.parametrize("extra", [name for name in DECLARED if name != "dev"])
def test_everything_declared_is_imported(extra: str) -> None:
    assert DECLARED[extra] - set(imported()) - set(WITHOUT_IMPORT) - {"editgauge"} == set()


def test_what_stands_at_the_top_of_a_module_needs_no_extra() -> None:
    for path, tree in trees().items():
        for name in (name for node in tree.body for name in distributions(node)):
            assert name in DECLARED[""] or path.parent.name in ALLOWED, f"{path}: {name}"


ALLOWED = {"networks", "editors", "study", "curation", "web"}
"""Rooms whose inner modules are themselves imported inside functions."""

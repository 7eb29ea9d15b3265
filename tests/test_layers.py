"""Imports point downwards only, and the light parts stay light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "editgauge"
LAYERS: dict[str, int] = {
    "types": 0, "errors": 0, "escape": 0, "images": 0, "catalog": 0, "instructions": 0,
    "temporary": 0, "machine": 0,
    "schema": 0,
    "web": 1,
    "store": 1,
    "services": 1,
    "metrics": 1,
    "statistics": 1,
    "networks": 2,
    "ocr": 2,
    "tables": 2,
    "scoring": 3,
    "judging": 3,
    "editors": 3,
    "diagnosis": 3,
    "testing": 4,
    "benchmarks": 4,
    "reports": 6,
    "study": 6,
    "run": 7,
    "tuning": 7,
    "curation": 7,
    "cli": 8,
}  # fmt: skip
READINGS = "editgauge.diagnosis.failures"
"""Of the diagnosis what reads rows alone: reports use it, and it uses nothing above level 2."""


def modules() -> list[tuple[str, Path]]:
    return [
        (".".join(("editgauge", *path.relative_to(SOURCE).with_suffix("").parts)), path)
        for path in SOURCE.rglob("*.py")
    ]


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.startswith("editgauge.")}


def part(module: str) -> str:
    return module.split(".")[1]


@pytest.mark.parametrize(("module", "path"), modules())
def test_imports_point_downwards(module: str, path: Path) -> None:
    own = part(module)
    if own in ("__init__", "__main__"):
        return
    assert own in LAYERS, f"{module}: put its first part into LAYERS"
    for name in imports(path):
        other = part(name)
        if other in ("__version__", own):
            continue
        assert LAYERS[other] <= LAYERS[own], f"{module} imports {name}, which lies above it"
        if own in ("reports", "study") or module == READINGS:
            light = LAYERS[other] <= 2 or name.startswith(READINGS)
            assert light, f"{module} imports {name}: a run must be readable without it"


def test_importing_the_package_pulls_in_nothing_heavy() -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r}); import editgauge; "
    command = [sys.executable, "-c", f"{code}print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"torch", "cv2", "numpy", "duckdb", "transformers", "PIL"}


def test_the_map_for_newcomers_has_every_room_on_its_floor() -> None:
    text = (SOURCE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = {room: int(floor) for floor, room in re.findall(r"^\| (\d) \| `(\w+)` \|", text, re.M)}
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert told == {room: LAYERS[room] for room in rooms}
    for path in re.findall(r"`((?:run|store|services|tables|tests)/[\w./]+)`", text):
        place = SOURCE.parents[1] / path if path.startswith("tests/") else SOURCE / path
        assert place.exists(), path

"""Print a bill of materials (CycloneDX 1.6, JSON): what `pip install editgauge` brings along, in
the versions that are installed here. Needs no network.

    python tools/sbom.py [extra …] > sbom.json
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main(extras: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    components: dict[str, dict[str, Any]] = {}
    while wanted:
        name = plain(wanted.pop())
        if name in components:
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:
            print(f"{name}: not installed here, left out", file=sys.stderr)
            continue
        components[name] = component(name, found)
        wanted += [line for line in found.requires or () if "extra ==" not in line and holds(line)]
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": project["name"],
                "version": project["version"],
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": [components[name] for name in sorted(components)],
    }
    print(json.dumps(bill, indent=2))


def plain(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None, requirement
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def holds(requirement: str) -> bool:
    """Whether a requirement with a marker (`; sys_platform == …`) is one of this machine."""
    if ";" not in requirement:
        return True
    try:
        distribution(plain(requirement))
    except PackageNotFoundError:
        return False
    return True


def component(name: str, found: Distribution) -> dict[str, Any]:
    text = str(found.metadata.get("License-Expression") or found.metadata.get("License") or "")
    made: dict[str, Any] = {
        "type": "library",
        "name": name,
        "version": found.version,
        "purl": f"pkg:pypi/{name}@{found.version}",
    }
    if text and len(text) < 80:
        made["licenses"] = [{"license": {"name": text}}]
    return made


if __name__ == "__main__":
    main(sys.argv[1:])

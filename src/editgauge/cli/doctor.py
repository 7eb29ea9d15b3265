"""`editgauge doctor`: what is installed here, and what is missing for which track."""

from __future__ import annotations

from typing import Any

import typer

from editgauge.cli.options import JsonOpt, WeightsOpt


def register(app: typer.Typer) -> None:
    app.command("doctor", epilog="Example: editgauge doctor")(doctor)


def doctor(weights: WeightsOpt = None, json: JsonOpt = False) -> None:
    """Say what this installation can do: extras, GPU, weights, keys, disk. Changes nothing.

    Keys are named, never shown.
    """
    from editgauge.cli import common
    from editgauge.installation import inspect
    from editgauge.networks import weights as table

    files = [
        {"name": name, "state": table.state(name, weights), "used_for": entry.used_for}
        for name, entry in table.WEIGHTS.items()
    ]
    found = {**inspect(), "weights": {"folder": str(table.folder(weights)), "files": files}}
    if json:
        common.print_json(found)
        return
    _print(found)


def _print(found: dict[str, Any]) -> None:
    machine = found["machine"]
    print(
        f"editgauge {found['version']}, Python {found['python']}, {machine['cores']} cores, "
        f"{machine['disk_free_gb']:.1f} GB free here"
    )
    print(f"GPU:  {found['gpu']}")
    print("\nextras                what they bring")
    for extra in found["extras"]:
        state = "installed" if not extra["missing"] else f"missing: {', '.join(extra['missing'])}"
        print(f"  {extra['name']:<14} {extra['brings']:<52} {state}")
        if extra["missing"]:
            print(f"  {'':<14} pip install 'editgauge[{extra['name']}]'")
    print(f"\nweights in {found['weights']['folder']}")
    for entry in found["weights"]["files"]:
        print(f"  {entry['name']:<28} {entry['state']:<10} {entry['used_for']}")
    print("\nenvironment (names only)")
    for entry in found["environment"]:
        print(f"  {entry['name']:<26} {'set' if entry['set'] else '-':<4} {entry['meaning']}")
    print("\nnext:  editgauge demo")

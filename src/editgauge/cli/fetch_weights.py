"""`editgauge fetch weights`: the weights of networks, listed or fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editgauge.cli.transfers import MB, bytes_shown


def fetch(names: list[str], folder: Path | None, trust_first_use: bool, json: bool) -> None:
    """Fetch weights, or list them where no name is given."""
    from editgauge.cli import common
    from editgauge.networks import weights as table

    if not names:
        listed = [table.described(entry, folder) for entry in table.WEIGHTS.values()]
        if json:
            common.print_json({"folder": str(table.folder(folder)), "weights": listed})
            return
        print(f"folder: {table.folder(folder)}")
        for entry in listed:
            size = f"{entry['size'] / MB:.1f} MB" if entry["size"] else "size unknown"
            print(
                f"{entry['name']:<26} {entry['state']:<9} {size:>14}  {entry['licence']}; "
                f"{entry['used_for']}"
            )
        return
    for name in names:
        table.find(name)
    done: list[dict[str, Any]] = []
    for name in names:
        local = table.fetch(
            name, folder, trust_first_use=trust_first_use, progress=bytes_shown(name, json)
        )
        done.append(
            {
                "name": name,
                "files": {file: str(path) for file, path in local.paths.items()},
                **local.identity,
            }
        )
        if not json:
            print(f"{name}: {len(local.paths)} files here and verified, in {table.folder(folder)}")
    if json:
        common.print_json({"weights": done})
    else:
        print("next:  editgauge score BENCHMARK DATA --tracks embedding --run RUN")

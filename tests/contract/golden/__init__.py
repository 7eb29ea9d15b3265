"""The golden values, as numbers: what the released code gives (kris_bench_parse, textedit_judge,
textedit_ocr, texteditbench_pixel), what scikit-image gives (medebench_pixel), and the papers' tables.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any


def golden(name: str) -> Any:
    return json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))


def published(name: str) -> list[dict[str, str]]:
    """The lines of a paper's table: column -> what is printed."""
    with (Path(__file__).parent / "published" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))

"""MkDocs hooks: screenshots where a page asks for one, as far as they were taken, and links to the
repository for files that are no pages.

A page has a line ``<!-- screenshot: gallery: What the picture shows -->``. Read on its own, it is a
comment; on the site it is the picture that `tools/screenshots.py` took, or nothing.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PLACE = "pictures"
_LINE = re.compile(r"^<!-- screenshot: ([\w-]+): (.+) -->$", re.MULTILINE)
_LINK = re.compile(r"\]\((\.\./[^)#\s]+)\)")


def _folder() -> Path:
    return Path(os.environ.get("EDITGAUGE_SCREENSHOTS", ROOT / "build" / "screenshots"))


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File

    for path in sorted(_folder().glob("*.png")):
        files.append(File.generated(config, f"{PLACE}/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    up = "../" * page.file.src_uri.count("/")

    def shown(found: re.Match[str]) -> str:
        name, caption = found.groups()
        there = (_folder() / f"{name}.png").is_file()
        return f"![{caption}]({up}{PLACE}/{name}.png)" if there else ""

    def linked(found: re.Match[str]) -> str:
        there = (DOCS / page.file.src_uri).parent.joinpath(found[1]).resolve()
        if there.is_relative_to(DOCS) or not there.exists():
            return found[0]
        return f"]({config.extra['files_at']}/{there.relative_to(ROOT).as_posix()})"

    return _LINK.sub(linked, _LINE.sub(shown, markdown))

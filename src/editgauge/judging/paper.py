"""A benchmark's released prompts, other people's texts and no part of this package: files of the
authors' public repository, pinned by SHA-256. Constants are read with `ast`; none is ever run.
"""

from __future__ import annotations

import ast
import csv
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editgauge.errors import DataError, UsageError
from editgauge.judging.questions import Track
from editgauge.store.schema import digest
from editgauge.types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from editgauge.services.download import Progress

SET = "paper"
"""The name of the set of prompts that released scripts send."""
UNLIMITED = 65_536
"""The token limit where a script sends none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFile:
    """Path in the repository, commit (None: not known), SHA-256 of the text with LF line ends."""

    path: str
    commit: str | None
    sha256: str


def pinned(module: str) -> tuple[ScriptFile, ...]:
    """The files that ``scripts.csv`` beside a module names."""
    with (Path(module).parent / "scripts.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            ScriptFile(path=line["path"], commit=line["commit"] or None, sha256=line["sha256"])
            for line in csv.DictReader(file)
        )


class Script:
    """One released script. Its text is pinned, so that what is looked for is there."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)

    def constant(self, name: str) -> str:
        """A text constant at the top of the script, or ``NAME[key]`` of a dictionary there."""
        name, _, key = name.removesuffix("]").partition("[")
        for node in self._tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
                value = node.value
                if key and isinstance(value, ast.Dict):
                    value = _entries(value)[key]
                return str(ast.literal_eval(value))
        raise KeyError(name)

    def texts(self, function: str) -> tuple[str, ...]:
        """The texts of a function's messages in order, as templates for ``str.format``."""
        displays = (_entries(node) for node in self._walk(function) if isinstance(node, ast.Dict))
        return tuple(_template(entries["text"]) for entries in displays if "text" in entries)

    def parameters(self, function: str) -> JsonObject:
        """The constant keywords of the function's call to ``….create(…)``, without the model."""
        for node in self._walk(function):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "create":
                return {
                    word.arg: ast.literal_eval(word.value)
                    for word in node.keywords
                    if word.arg not in (None, "model", "messages")
                    and isinstance(word.value, ast.Constant)
                }
        raise KeyError(function)

    def _walk(self, function: str) -> list[ast.expr]:
        (assigned,) = (
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.FunctionDef) and node.name == function
        )
        nodes = [node for node in ast.walk(assigned) if isinstance(node, ast.expr)]
        return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


@dataclass(frozen=True, slots=True)
class Scripts:
    """The scripts of a benchmark, and one hash over them: 16 hexadecimal digits."""

    by_path: Mapping[str, Script]
    fingerprint: str

    def __getitem__(self, path: str) -> Script:
        return self.by_path[path]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedPrompts:
    """`track` makes the judge track; `repository`: ``owner/name`` on GitHub; `note`: for users."""

    benchmark: str
    repository: str
    files: tuple[ScriptFile, ...]
    track: Callable[[Scripts], Track]
    note: str = ""


def as_sent(track: Track, ask: Callable[..., Any], **changes: Any) -> Callable[[Scripts], Track]:
    """`track` with the calls that `ask`, given the scripts first, makes of them, and `changes`."""
    return lambda scripts: replace(track, ask=partial(ask, scripts), rubrics=(), **changes)


def fetch(
    prompts: ReleasedPrompts,
    target: Path,
    *,
    clone: Path | None = None,
    progress: Progress | None = None,
) -> Scripts:
    """Bring the scripts into the folder `target` and return them: from a local `clone` (anywhere
    below it), else over HTTP. Raises `DataError` for a file that is not there or is not the pinned
    one; `DownloadError` when it cannot be fetched.
    """
    from editgauge.images import write_bytes
    from editgauge.services.download import Remote, download

    for file in prompts.files:
        path, name = target / file.path, Path(file.path).name
        if clone is not None:
            candidates = [place for place in (clone / file.path, *sorted(clone.rglob(name)))
                     if place.is_file()]  # fmt: skip
            if not candidates:
                raise DataError(f"{clone}: {file.path} of {prompts.repository} is not below it")
            write_bytes(path, _checked(prompts, file, candidates[0]).encode())
        elif not path.is_file():
            if file.commit is None:
                raise DataError(
                    f"{prompts.benchmark}: the address of {file.path} is not recorded here; clone "
                    f"{prompts.repository} and give its folder"
                )
            place = f"{prompts.repository}/{file.commit}/{file.path}"
            url = f"https://raw.githubusercontent.com/{place}"
            download(Remote(url=url), path, progress=progress)
    return load(prompts, target)


def load(prompts: ReleasedPrompts, folder: Path) -> Scripts:
    """The scripts in a folder. Raises `UsageError` for a missing one, `DataError` for another."""
    missing = [file.path for file in prompts.files if not (folder / file.path).is_file()]
    if missing:
        raise UsageError(
            f"{folder / missing[0]}: the paper's prompts are not there; `editgauge fetch prompts "
            f"{prompts.benchmark}` brings them into a run"
        )
    texts = {file.path: _checked(prompts, file, folder / file.path) for file in prompts.files}
    scripts = {path: Script(text) for path, text in texts.items()}
    return Scripts(scripts, digest([(file.path, file.sha256) for file in prompts.files])[:16])


def sent(parameters: JsonMapping) -> JsonObject:
    """The keywords of a `Call` that sends a script's parameters."""
    further = dict(parameters)
    temperature, limit = further.pop("temperature", None), further.pop("max_tokens", UNLIMITED)
    return {"temperature": temperature, "max_tokens": limit, "parameters": further, "parts": ()}


def _checked(prompts: ReleasedPrompts, file: ScriptFile, path: Path) -> str:
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    checksum = hashlib.sha256(text.encode()).hexdigest()
    if checksum != file.sha256:
        wanted = f"the pinned {file.path} of {prompts.repository} (commit {file.commit or '?'})"
        raise DataError(f"{path}: is not {wanted}: SHA-256 {checksum[:12]}…")
    return text


def _entries(node: ast.Dict) -> dict[str, ast.expr]:
    return {
        str(key.value): value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    }


def _template(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value).replace("{", "{{").replace("}", "}}")
    if isinstance(node, ast.Name):
        return f"{{{node.id}}}"
    if isinstance(node, ast.FormattedValue):
        return _template(node.value)
    parts = node.values if isinstance(node, ast.JoinedStr) else [node.left, node.right]  # type: ignore[attr-defined]
    return "".join(map(_template, parts))

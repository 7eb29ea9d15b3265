"""A benchmark's released prompts: where they lie, and how they become a prompt set.

A benchmark declares `ReleasedPrompts`: the files in the authors' public repository at a pinned
commit with their SHA-256, and a function that makes calls of them. The files are fetched by the
downloader that fetches weights, or taken from a local clone, and read by `released`; nothing of
them is shipped with this package.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import DataError
from editgauge.judging import released
from editgauge.judging.prompts import CallPrompt, PromptSet
from editgauge.judging.protocol import Judging
from editgauge.services.download import Progress, Remote, download, sha256

SET = "paper"
"""The name of a set that was made from released scripts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptFile:
    """One released script: its path in the repository, the commit, and its SHA-256 there.

    `commit` is None where the address of the file is not known: it is then taken from a local clone
    only. `sha256` is None where nobody has recorded it: what was read is written into the set.
    """

    path: str
    commit: str | None
    sha256: str | None


Scripts = Mapping[str, ast.Module]
"""Path in the repository -> syntax tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedPrompts:
    """See the module. `calls` makes the prompts from the syntax trees of the files, `judging` the
    judge track that sends them. `repository` is ``owner/name`` on GitHub. `note` says what a user
    must know before comparing with published numbers.
    """

    benchmark: str
    repository: str
    files: tuple[ScriptFile, ...]
    calls: Callable[[Scripts], Mapping[str, CallPrompt]]
    judging: Callable[[PromptSet], Judging]
    note: str = ""


def fetch(
    prompts: ReleasedPrompts,
    target: Path,
    *,
    clone: Path | None = None,
    progress: Progress | None = None,
) -> PromptSet:
    """Make the paper's prompt set in the folder `target` and return it.

    The scripts come from the local `clone` when one is given, else over HTTP at the pinned commit;
    they are kept beside the set. Raises `DataError` for a file that is not there, has another
    content than the pinned one, or another shape; `DownloadError` when it cannot be fetched.
    """
    scripts = target / "scripts"
    trees, known = {}, {}
    for file in prompts.files:
        path = _local(prompts, file, clone) if clone else scripts / file.path
        if clone is None:
            _download(prompts, file, path, progress)
        found = sha256(path)
        if file.sha256 is not None and found != file.sha256:
            raise DataError(
                f"{path}: is not the pinned {file.path} of {prompts.repository} (SHA-256 "
                f"{found[:12]}…, wanted {file.sha256[:12]}…); check out commit "
                f"{file.commit or 'of the release'}, or give your own set with --prompts DIR"
            )
        known[file.path] = {"sha256": found, "commit": file.commit}
        trees[file.path] = released.parse(_text(path), file.path)
    source = {"repository": prompts.repository, "files": known}
    built = PromptSet(prompts.benchmark, SET, dict(prompts.calls(trees)), source)
    built.save(target)
    return built


def with_texts(
    messages: tuple[released.Message, ...], values: Mapping[str, released.Template]
) -> tuple[released.Message, ...]:
    """Messages with some fields filled in by templates; parts whose condition is about a field that
    now has a constant value are kept or dropped by it.
    """
    return tuple(
        released.Message(
            message.role,
            tuple(part for old in message.parts for part in _part(old, values)),
            message.plain,
        )
        for message in messages
    )


def renamed(
    messages: tuple[released.Message, ...], names: Mapping[str, str]
) -> tuple[released.Message, ...]:
    """Messages whose fields, pictures, conditions and loops have our names instead of the script's
    variables. Names without an entry stay.
    """
    return tuple(
        released.Message(
            message.role,
            tuple(
                released.Part(
                    text=None
                    if part.text is None
                    else tuple(
                        released.Field(names.get(p.name, p.name))
                        if isinstance(p, released.Field)
                        else p
                        for p in part.text
                    ),
                    picture=names.get(part.picture, part.picture),
                    mime=part.mime,
                    detail=part.detail,
                    when={names.get(name, name): value for name, value in part.when.items()},
                    each=names.get(part.each, part.each),
                )
                for part in message.parts
            ),
            message.plain,
        )
        for message in messages
    )


def _part(part: released.Part, values: Mapping[str, released.Template]) -> list[released.Part]:
    when = {}
    for name, wanted in part.when.items():
        given = values.get(name)
        if given is None or any(isinstance(piece, released.Field) for piece in given):
            when[name] = wanted
        elif (wanted is None and not given) or (wanted is not None and given != (wanted,)):
            return []
    text = None if part.text is None else released.filled(part.text, values)
    return [
        released.Part(
            text=text,
            picture=part.picture,
            mime=part.mime,
            detail=part.detail,
            when=when,
            each=part.each,
        )
    ]


def _local(prompts: ReleasedPrompts, file: ScriptFile, clone: Path) -> Path:
    """The file in a local clone: at its path, by its name in the folder that was given, or, where
    its content is pinned, anywhere below it.
    """
    name = Path(file.path).name
    for path in (clone / file.path, clone / name):
        if path.is_file():
            return path
    if file.sha256 is not None:
        for folder, folders, names in os.walk(clone):
            folders[:] = sorted(inner for inner in folders if not inner.startswith("."))
            if name in names and sha256(Path(folder, name)) == file.sha256:
                return Path(folder, name)
    raise DataError(
        f"{clone}: looked for {file.path} of {prompts.repository} and did not find it; give the "
        f"folder of a clone with --from"
    )


def _download(
    prompts: ReleasedPrompts, file: ScriptFile, path: Path, progress: Progress | None
) -> None:
    if file.commit is None:
        raise DataError(
            f"{prompts.benchmark}: the address of {file.path} is not recorded here; clone "
            f"{prompts.repository} and give its folder with --from DIR"
        )
    if path.is_file() and file.sha256 is not None and sha256(path) == file.sha256:
        return
    address = f"https://raw.githubusercontent.com/{prompts.repository}/{file.commit}/{file.path}"
    path.parent.mkdir(parents=True, exist_ok=True)
    download(Remote(url=address, sha256=file.sha256), path, progress=progress)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: wanted a script in UTF-8 ({error})") from error

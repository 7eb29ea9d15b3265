"""Outputs that exist already: a folder in the benchmark's official naming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from editgauge.editors.delivery import known, received
from editgauge.editors.editor import BaseEditor
from editgauge.errors import DataError, UsageError
from editgauge.images import read_header, write_bytes
from editgauge.store.outputs import OutputFolder
from editgauge.types import Edit, Sample, Status


def folder(samples: Sequence[Sample], **settings: object) -> Folder:
    """Outputs below `path` (required), one model's, as the benchmark names them; any of png, jpg,
    jpeg, webp.

    Settings: `path`, the folder; `name`, what the editor is called in rows and tables (default: the
    folder's name). Raises `UsageError` for another setting or none, and `DataError` when `path` is
    not a folder.
    """
    del samples
    known("folder", settings, "path", "name")
    if "path" not in settings:
        raise UsageError(
            "editor 'folder': wanted the setting path, the folder of the outputs; found no path"
        )
    path = Path(str(settings["path"]))
    if not path.is_dir():
        there = "a file" if path.exists() else "nothing there"
        raise DataError(f"{path}: wanted a folder of outputs, found {there}")
    return Folder(OutputFolder(path.absolute()), str(settings.get("name") or path.absolute().name))


@dataclass(frozen=True)
class Folder(BaseEditor):
    """See `folder`. An output is taken byte for byte; its content, not its name, decides what it
    is.
    """

    outputs: OutputFolder
    name: str

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        found = self.outputs.find(sample)
        if found is None:
            reason = f"no output named {' or '.join(sample.output_stems)} (.png, .jpg, .webp)"
            return Edit.without(sample.id, self.name, Status.MISSING, reason)
        place = found.relative_to(self.outputs.root).as_posix()
        edit = received(sample, self.name, found, detail={"file": place})
        if not edit.ok:  # rows hold no machine's paths: the file is named as the folder has it
            return replace(edit, reason=f"{place}: {edit.reason}")
        target = folder / f"output{read_header(found).extension}"
        write_bytes(target, found.read_bytes())
        return replace(edit, path=target)

"""Outputs that exist already: a folder in the benchmark's official naming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from editgauge.errors import DataError, ImageError, UsageError
from editgauge.images import read_header, read_image, write_bytes
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
    unknown = sorted(set(settings) - {"path", "name"})
    if unknown or "path" not in settings:
        found = f"found {', '.join(unknown)}" if unknown else "found no path"
        raise UsageError(
            f"editor 'folder': wanted the settings path and, optionally, name; {found}"
        )
    path = Path(str(settings["path"]))
    if not path.is_dir():
        raise DataError(
            f"{path}: wanted a folder of outputs, found "
            f"{'a file' if path.exists() else 'nothing there'}"
        )
    return Folder(OutputFolder(path.absolute()), str(settings.get("name") or path.absolute().name))


@dataclass(frozen=True, slots=True)
class Folder:
    """See `folder`. An output is taken byte for byte; its content, not its name, decides what it
    is.
    """

    outputs: OutputFolder
    name: str

    def __call__(self, sample: Sample, folder: Path) -> Edit:
        found = self.outputs.find(sample)
        if found is None:
            wanted = " or ".join(sample.output_stems)
            return Edit.without(
                sample.id,
                self.name,
                Status.MISSING,
                f"no output named {wanted} (.png, .jpg, .webp)",
            )
        place = found.relative_to(self.outputs.root).as_posix()
        detail = {"file": place}
        try:
            read_image(found)
            header = read_header(found)
            data = found.read_bytes()
        except ImageError as error:
            # Rows hold no machine's paths: the file is named as it is called inside the outputs
            # folder.
            reason = str(error).replace(str(found), place)
            return Edit.without(sample.id, self.name, Status.UNREADABLE, reason, detail=detail)
        target = folder / f"output{header.extension}"
        write_bytes(target, data)
        return Edit(
            sample=sample.id,
            editor=self.name,
            path=target,
            width=header.width,
            height=header.height,
            detail=detail,
        )

"""The editor that made an output, made again from what the run recorded of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editgauge import catalog
from editgauge.editors.loading import best_device
from editgauge.editors.models import MODELS
from editgauge.errors import UsageError
from editgauge.types import Edit, JsonMapping, JsonObject

_NOT_SETTINGS = {"family", "device", "revision", "instruction", "template", "learning"}
"""What a record says beside the settings, much of it of the track."""


def why_not(edit: Edit) -> str | None:
    """Why the making of an edit cannot be watched, or None."""
    settings = edit.settings
    family = settings.get("family")
    if not isinstance(family, str) or (family not in MODELS and family != "diffusers"):
        return "not made by a diffusers pipeline of this tool: its inside cannot be looked at"
    if settings.get("demonstrations"):
        return "it was shown demonstrations: several samples in one prompt are not looked at"
    if settings.get("tuned"):
        return "it was fine-tuned: its weights in the run are not loaded again"
    return None


def settings_of(
    edit: Edit, *, model: str = "", device: str | None = None, dtype: str = ""
) -> JsonObject:
    """The settings with which the edit's editor is made again, on `device` (default: the best
    there is; half precision becomes float32 on a CPU). Raises `UsageError` where the weights were a
    folder that `model` does not name, or others than the family's own.
    """
    known = MODELS.get(str(edit.settings.get("family")))
    left_out = {*_NOT_SETTINGS, "pipeline"} if known else _NOT_SETTINGS
    settings = {name: value for name, value in edit.settings.items() if name not in left_out}
    recorded, named = (str(edit.settings.get(name) or "") for name in ("revision", "model"))
    of_folder = recorded.startswith("folder-")
    if model:
        settings["model"] = model
    elif not of_folder and (known is None or named != known.hub):
        # A run may come from anybody: what it names is not fetched and loaded unasked.
        raise UsageError(
            f"{edit.editor} was made with the weights {named!r}, which are not those of its "
            f"family; name them by the setting model={named} if you trust them"
        )
    if of_folder and not Path(str(settings["model"])).expanduser().is_dir():
        raise UsageError(
            f"{edit.editor} was made with weights of a folder called {settings['model']!r}; name "
            f"it by the setting model=DIR"
        )
    if recorded and not of_folder and model in ("", named):
        settings["revision"] = recorded
    settings |= {"seed": edit.seed or 0, "name": edit.editor, "device": device or ""}
    if dtype:
        settings["dtype"] = dtype
    elif (device or best_device()) == "cpu":
        settings.pop("dtype", None)
    return settings


def editor_of(edit: Edit, settings: JsonMapping) -> Any:
    """The editor with these settings, its weights loaded. Raises `UsageError` for other weights
    than those that the run recorded, `Unavailable` for weights that cannot be loaded.
    """
    editor: Any = catalog.find("editors", str(edit.settings["family"]))([], **settings)
    loaded, recorded = editor.load()[1], str(edit.settings.get("revision") or "")
    if recorded and loaded != recorded:
        raise UsageError(
            f"{edit.editor} was made with other weights: recorded {recorded}, found {loaded}; name "
            f"those by the setting model=…"
        )
    return editor

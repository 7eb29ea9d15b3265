"""Settings under a name: how a paper ran the editors that have a name here.

MedEBench (arXiv 2506.01921, appendix C) ran seven models. Four are editors of this package and
stand below; the other three (ICEdit, InstructDiffusion, SEED-X) have repositories of their own: see
``docs/how-to/models-of-the-papers.md``. Where the paper gives several values of a setting, the
preset is a sweep over them: which of its outputs the paper's tables show, it does not say. Its line
on InstructPix2Pix names the text guidance twice; values near 1.6 are taken as the picture's, as in
the same line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editgauge.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Settings of an editor, those that are swept, the words around its instruction, and where all
    of that is from.
    """

    origin: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    template: str = ""


_MEDEBENCH = "arXiv 2506.01921, appendix C"
PRESETS: dict[str, dict[str, Preset]] = {
    "medebench": {
        "instructpix2pix": Preset(
            origin=_MEDEBENCH,
            settings={"num_inference_steps": 50},
            sweep={"guidance_scale": (7.5, 7.6), "image_guidance_scale": (1.55, 1.6, 1.65)},
        ),
        "imagic": Preset(
            origin=f"{_MEDEBENCH}; its alpha is eta here",
            settings={"num_inference_steps": 50},
            sweep={"guidance_scale": (7.5, 7.6), "eta": (1.3, 1.35)},
        ),
        "paint-by-inpaint": Preset(
            origin=_MEDEBENCH,
            settings={
                "num_inference_steps": 50,
                "guidance_scale": 7.0,
                "image_guidance_scale": 1.7,
            },
        ),
        "gemini": Preset(
            origin=f"{_MEDEBENCH}: Gemini 2.0 Flash",
            template="You are good at image editing. Here is the image editing instruction: "
            "{instruction}",
        ),
    }
}


def preset(name: str, editor: str) -> Preset:
    """The preset of an editor. Raises `UsageError` for an unknown name, and for an editor that the
    preset does not have.
    """
    if name not in PRESETS:
        raise UsageError(f"--preset {name}: wanted one of {', '.join(PRESETS)}")
    found = PRESETS[name].get(editor)
    if found is None:
        raise UsageError(
            f"--preset {name}: has no settings of {editor!r}; it has {', '.join(PRESETS[name])}; "
            f"those of models in repositories of their own are in docs/how-to/models-of-the-papers"
        )
    return found

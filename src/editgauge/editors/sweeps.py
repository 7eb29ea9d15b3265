"""Sweeps and presets: one editor with several values of its settings, each combination an editor of
its own.

``--sweep scale=3,7.5 --sweep seed=0..3`` makes ``instructpix2pix[guidance_scale=3, seed=0]``
and seven others. A preset is how a paper ran an editor: MedEBench (arXiv 2506.01921, appendix C)
ran seven models, of which three are editors of this package; the others are on the page
``docs/how-to/models-of-the-papers.md``. Where the paper gives several values the preset is a sweep
over them: which of its outputs the paper's tables show, it does not say. Its line on
InstructPix2Pix names the text guidance twice; values near 1.6 are taken as the picture's.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from editgauge.editors.delivery import typed
from editgauge.editors.editor import as_editor
from editgauge.editors.tracks import Track
from editgauge.errors import UsageError
from editgauge.store.paths import plain_name
from editgauge.types import Editor

MOST = 256
"""Variants of one command."""
_NOT_SWEPT = {
    "name": "it is what variants are told apart by",
    "shots": "give --shots, once for each command",
    "program": "give each program a command and a name of its own",
}
_NO_FILE_NAME = re.compile(r'[\\/:*?"<>|,=\[\]\x00-\x1f]+')


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Settings of an editor, those that are swept, the words around its instruction, and where all
    of that is from.
    """

    origin: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    sweep: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    template: str = ""


_APPENDIX = "arXiv 2506.01921, appendix C"
PRESETS: dict[str, dict[str, Preset]] = {
    "medebench": {
        "instructpix2pix": Preset(
            origin=_APPENDIX,
            settings={"num_inference_steps": 50},
            sweep={"guidance_scale": (7.5, 7.6), "image_guidance_scale": (1.55, 1.6, 1.65)},
        ),
        "paint-by-inpaint": Preset(
            origin=_APPENDIX,
            settings={
                "num_inference_steps": 50, "guidance_scale": 7.0, "image_guidance_scale": 1.7,
            },
        ),
        "gemini": Preset(
            origin=f"{_APPENDIX}: Gemini 2.0 Flash",
            template="You are good at image editing. Here is the image editing instruction: "
            "{instruction}",
        ),
    }
}  # fmt: skip


def preset(name: str, editor: str) -> Preset:
    """The preset of an editor. Raises `UsageError` for an unknown name, and for an editor that the
    preset does not have.
    """
    if name not in PRESETS:
        raise UsageError(f"preset {name}: wanted one of {', '.join(PRESETS)}")
    if editor not in PRESETS[name]:
        raise UsageError(
            f"preset {name}: has no settings of {editor!r}; it has {', '.join(PRESETS[name])}; "
            f"those of models in repositories of their own are in docs/how-to/models-of-the-papers"
        )
    return PRESETS[name][editor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One editor to be made: what its factory is given, and its track."""

    settings: Mapping[str, Any]
    track: Track


def variants(
    settings: Mapping[str, Any],
    track: Track = Track(),  # noqa: B008 - frozen
    *,
    sweeps: Sequence[str] = (),
    seeds: str = "",
    paper: Preset | None = None,
) -> list[Variant]:
    """The editors that a command stands for, in the order of their values: one without a sweep.

    `paper`: the preset whose name the track has. A setting of the user's own takes the place of the
    preset's, swept or not. Raises `UsageError` for a sweep without values, with one value twice,
    over a setting that is set as well, or of more than `MOST` variants.
    """
    axes = _axes(sweeps, seeds, settings)
    base = dict(settings)
    if paper is not None:
        own = {*settings, *axes}
        base = {**{k: v for k, v in paper.settings.items() if k not in own}, **base}
        axes = {**{k: list(v) for k, v in paper.sweep.items() if k not in own}, **axes}
        track = replace(track, template=track.template or paper.template)
    if not axes:
        return [Variant(settings=base, track=track)]
    count = math.prod(map(len, axes.values()))
    if count > MOST:
        raise UsageError(f"--sweep: {count} variants, wanted at most {MOST}; sweep in parts")
    chosen = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    return [
        Variant(settings={**base, **values}, track=replace(track, swept=_told(values)))
        for values in chosen
    ]


def editors(wanted: Sequence[Variant], make: Callable[[Variant], Editor]) -> list[Editor]:
    """The editors of all variants. Nothing heavy is loaded by making one, so that a setting that an
    editor refuses is said before the first edit. Raises `UsageError` where two have one name,
    `RunError` for a name that is too long for a folder.
    """
    made = [make(one) for one in wanted]
    names = [plain_name(editor.name) for editor in made]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--sweep: two variants are called {twice!r}; give other values")
    return made


def hand_over(before: Editor, after: Editor) -> None:
    """Let one editor take over the weights that another has loaded, where the two can share them;
    in any case the other, whose turn is over, lets go of them.
    """
    as_editor(after).adopt(as_editor(before))
    as_editor(before).release()


def _axes(sweeps: Sequence[str], seeds: str, settings: Mapping[str, Any]) -> dict[str, list[Any]]:
    axes: dict[str, list[Any]] = {}
    for text in sweeps:
        name, values = _axis(text)
        if name in axes:
            raise UsageError(f"--sweep {name}: given twice; put all values into one")
        axes[name] = values
    if seeds:
        if "seed" in axes:
            raise UsageError("seeds: the sweep has seeds already; give one of the two")
        axes["seed"] = list(numbers(seeds))
    for name in axes:
        if name in settings:
            raise UsageError(f"--sweep {name}: is set to {settings[name]} as well; give one")
    return axes


def numbers(text: str) -> list[int]:
    """Seeds as a list: ``0..3`` (both ends belong to it) or ``1,5,7``; the two can be mixed. Raises
    `UsageError` for anything else, an empty range, a number below 0 or one twice.
    """
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,10})(?:\.\.(\d{1,10}))?\s*", part)
        first, last = (match[1], match[2] or match[1]) if match else ("1", "0")
        low, high = int(first), int(last)
        if low > high or high - low >= MOST:
            raise UsageError(
                f"seeds {text!r}: wanted whole numbers such as 0..3 or 1,5,7, at most {MOST}"
            )
        found += range(low, high + 1)
    if len(set(found)) < len(found):
        raise UsageError(f"seeds {text!r}: a seed stands there twice")
    return found


def _axis(text: str) -> tuple[str, list[Any]]:
    """Name and values of one ``--sweep``."""
    name, equals, rest = text.partition("=")
    name = name.strip()
    values = [typed(word.strip()) for word in rest.split(",")]
    if not equals or not name or any(value == "" for value in values):
        raise UsageError(f"--sweep {text!r}: wanted name=value,value such as guidance_scale=3,7.5")
    if name in _NOT_SWEPT:
        raise UsageError(f"--sweep {name}: cannot be swept: {_NOT_SWEPT[name]}")
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        raise UsageError(f"--sweep {text!r}: wanted finite numbers")
    if any(value in values[:place] for place, value in enumerate(values)):
        raise UsageError(f"--sweep {text!r}: a value stands there twice")
    return name, values


def _told(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values as names of folders can hold them: a path by its last part."""
    return {
        name: _NO_FILE_NAME.sub("-", value.rstrip("/").rpartition("/")[2])
        if isinstance(value, str)
        else value
        for name, value in values.items()
    }

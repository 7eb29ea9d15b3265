"""TextEditBench's LPIPS: SqueezeNet, whole frames whose masked area was made black.

*Faithful*: input and output with the union of both masks set to black, compared whole; an output of
another size has no value. *Corrected*: an output of another size is resized to the input's
(Lanczos, and the row says so), and each layer's map is averaged only over positions whose cell
holds no masked pixel, because the black area, which is equal in both frames by construction,
otherwise counts as perfectly preserved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from editgauge.benchmarks.texteditbench.facts import LPIPS, REFERENCE_LPIPS
from editgauge.benchmarks.texteditbench.pixel import NO_REFERENCE, check_released_conditions
from editgauge.scoring import NoScore
from editgauge.scoring.lpips import Frames, LpipsScorer
from editgauge.scoring.neural import place
from editgauge.scoring.pixel import Source, fitted, read_output, reference_source_of, source_of
from editgauge.types import Edit, Sample, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceLpips(LpipsScorer):
    """LPIPS against the reference edit, for samples that have one (paper, 4.1)."""

    def applies(self, sample: Sample) -> str | None:
        return NO_REFERENCE if sample.reference is None else None


def scorers(**options: Any) -> list[LpipsScorer]:
    """LPIPS against the input (the released code) and against the reference edit (the paper).

    Options in use: ``weights`` (folder), ``device``, ``precision``.
    """
    settings: dict[str, Any] = {"net": "squeeze", **place(options)}
    return [
        LpipsScorer(frames=frames, inputs=("images", "masks"), metrics=(LPIPS,), **settings),
        ReferenceLpips(
            frames=reference_frames,
            inputs=("reference", "masks"),
            metrics=(REFERENCE_LPIPS,),
            name="lpips-reference",
            **settings,
        ),
    ]


def frames(sample: Sample, edit: Edit) -> Frames:
    """Input and output with the masked area black, and the mask: the same area, and the same
    conditions, as SSIM's.

    Raises `scoring.NoScore` when a picture cannot be read or there is no mask.
    """
    return _frames(source_of, sample, edit)


def reference_frames(sample: Sample, edit: Edit) -> Frames:
    """As `frames`, with the reference edit in the input's place."""
    return _frames(reference_source_of, sample, edit)


def _frames(read: Callable[[Sample], Source], sample: Sample, edit: Edit) -> Frames:
    source = read(sample)
    output, _ = read_output(edit)
    source.need_every_mask()
    mask = source.area(source.picture.shape)
    no_faithful = _why_not(lambda: check_released_conditions(source, output))
    no_corrected = _why_not(source.need_every_mask)
    same, detail = fitted(output, source.picture)
    black = mask[:, :, None]
    return Frames(
        reference=np.where(black, 0, source.picture),
        output=np.where(black, 0, same),
        mask=mask,
        no_faithful=no_faithful,
        no_corrected=no_corrected,
        detail=detail,
    )


def _why_not(check: Callable[[], None]) -> tuple[Status, str] | None:
    try:
        check()
    except NoScore as why:
        return why.status, why.reason
    return None

"""Attention grounding (MedEBench, arXiv 2506.01921, section 4): the editor runs again as recorded
(`reproduced`); mean over steps, heads, layers of one resolution, the concept's occurrences.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from editgauge.diagnosis import remake
from editgauge.diagnosis.change import masked_source
from editgauge.diagnosis.concepts import NoConcept, Tokens, last_tokens, mentions
from editgauge.diagnosis.metrics import ATTENTION, VERSION, scores
from editgauge.images import read_image
from editgauge.metrics import Floats
from editgauge.metrics.grounding import ALPHA, cut, enlarged, grounding
from editgauge.scoring import NoScore
from editgauge.scoring.scorer import Needs, Scorer
from editgauge.types import Edit, JsonObject, Metric, Sample, Score, Status, Track, not_scored

RESOLUTION = 16
"""The longer side of the maps of a U-Net that count; the paper's *16 × 16* of a square picture."""


@dataclass(slots=True, kw_only=True)
class AttentionScorer(Scorer):
    """Attention grounding (see the module), a row for each metric of `ATTENTION`. Holds one editor
    at a time. `resolution`: see `collect.watch`; `first`: an output whose model `begin` loads.
    """

    alpha: float = ALPHA
    resolution: int | None = RESOLUTION
    model: str = ""
    device: str | None = None
    dtype: str = ""
    name: str = "attention_grounding"
    track: Track = "diagnosis"
    metrics: tuple[Metric, ...] = ATTENTION
    inputs: tuple[str, ...] = ("images", "masks", "instruction", "concept")
    first: Edit | None = None
    needs: Needs = field(default=Needs(num_gpus=None))
    """On a cluster: a GPU for each worker, where there are any."""
    _made: tuple[JsonObject, Any] | None = field(default=None, init=False, repr=False)

    def origin(self) -> JsonObject:
        return {
            "version": VERSION,
            "alpha": self.alpha,
            "resolution": self.resolution or "all",
            **{name: version(name) for name in ("torch", "diffusers", "transformers")},
        }

    def begin(self) -> None:
        """Load the weights: what is wrong with them is no output's failure. Raises as `editor`."""
        if self.first is not None:
            self.editor(self.first)

    def applies(self, sample: Sample) -> str | None:
        if not sample.masks:
            return "the sample has no mask of where the model should look"
        named = (sample.concept or "").strip()
        return None if named else "the sample names no key concept; give one in a file of concepts"

    def score(self, sample: Sample, edit: Edit) -> list[Score]:
        try:
            return self._scored(sample, *self._looked(sample, edit))
        except NoScore as why:
            return not_scored(self.metrics, why.status, why.reason)
        except NoConcept as why:
            return not_scored(self.metrics, Status.NOT_APPLICABLE, str(why))

    def editor(self, edit: Edit) -> Any:
        """The editor that made an output, its weights loaded. Raises as `remake.editor_of`."""
        settings = remake.settings_of(edit, model=self.model, device=self.device, dtype=self.dtype)
        if self._made is None or self._made[0] != settings:
            self._made = None  # its memory, before the next one needs some
            self._made = (settings, remake.editor_of(edit, settings))
        return self._made[1]

    def _looked(self, sample: Sample, edit: Edit) -> tuple[Floats, Tokens, JsonObject]:
        """The map of a sample's concept, which tokens it is of, and what is to be said of it."""
        from editgauge.diagnosis.collect import kind_of, watch

        if why := remake.why_not(edit):
            raise NoScore(Status.NOT_APPLICABLE, why)
        asked = replace(sample, instruction=edit.instruction or sample.instruction)
        mentions(asked.instruction, sample.concept)  # before anything is paid for
        kept: list[Any] = []

        @contextlib.contextmanager
        def around(pipe: Any, prompt: str) -> Iterator[None]:
            tokenizer = getattr(pipe, kind_of(pipe).tokenizer)

            def locate(given: Any, seen: int) -> tuple[int, ...]:
                kept.append(last_tokens(prompt, sample.concept, tokenizer, given, seen))
                return tuple(kept[-1].positions)

            with watch(pipe, locate, resolution=self.resolution) as attention:
                yield
            kept.append(attention)

        with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
            edit_again = self.editor(edit).watched(asked, Path(folder), around)
            if not kept:
                raise NoScore(edit_again.status, edit_again.reason)
            reproduced = _reproduced(edit_again, edit)
        tokens, attention = kept
        maps = [f"{w}x{h}" for h, w in sorted(attention.sums, reverse=True)]
        detail = {"calls": attention.calls, "layers": sum(attention.counts.values())}
        return attention.map(), tokens, {**detail, "maps": maps, "reproduced": reproduced}

    def _scored(
        self, sample: Sample, values: Floats, tokens: Tokens, told: JsonObject
    ) -> list[Score]:
        source = masked_source(sample)
        mask = source.area(source.picture.shape)
        size = (max(mask.shape[0], values.shape[0]), max(mask.shape[1], values.shape[1]))
        if mask.shape != size:  # a mask is never smaller than its map
            mask = np.asarray(enlarged(mask, size), dtype=np.bool_)
        if not mask.any():
            raise NoScore(Status.DATASET_FAULT, "the mask marks no pixel: there is no region")
        region, level = cut(values, self.alpha)
        overlap = grounding(values, mask, region, level)
        detail = {
            "concept": sample.concept,
            "token": list(tokens.texts),
            "position": list(tokens.positions),
            "occurrences": tokens.occurrences,
            "cut": round(level, 6),
            **told,
        }
        return scores(self.metrics, overlap, values, **detail)


def _reproduced(made: Edit, recorded: Edit) -> str:
    """How the output that was made again compares with the recorded one, in words."""
    if made.path is None or recorded.path is None:
        return f"no picture: {made.reason}" if made.path is None else "nothing recorded"
    new, old = read_image(made.path), read_image(recorded.path)
    if new.shape != old.shape:
        return f"another size: {new.shape[:2]}, was {old.shape[:2]}"
    largest = int(np.abs(new.astype(np.int16) - old).max())
    return "to the last bit" if largest == 0 else f"up to {largest} of 255 levels"

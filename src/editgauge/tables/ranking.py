"""Who is ahead in a table, where its editors were not all scored on the same samples: they are
ranked on those that all of them have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from editgauge.tables.build import build, scored
from editgauge.tables.frame import Frame
from editgauge.tables.spec import Field, Layout
from editgauge.tables.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """`table` has one column, with intervals and with ``meta["ranks"]``, over the `n` samples of
    the column's `of` that all of its editors have. `left_out`: editor -> on how many samples it was
    scored, too few to rank it.
    """

    table: Table
    field: Field
    n: int
    of: int
    left_out: Mapping[str, int]


def ranking(frame: Frame, layout: Layout, *, keeps: bool | None = None) -> Ranking | None:
    """The frame's editors by the layout's headline, or by its first column over all samples.

    `keeps`: only by a score that tells what was kept (`Metric.keeps`), or only by another; None: by
    either.

    An editor that was scored on less than half of the samples that the others have is left out
    instead of leaving them a handful. None where fewer than two editors, or two samples, are left,
    and for a layout that makes its lines itself.
    """
    if layout.lines is not None:
        return None
    first = [item for item in layout.fields if item.column.name == layout.headline]
    first += [item for item in layout.fields if not item.where]
    if keeps is not None:
        first = [item for item in first if item.metric.keeps is keeps]
    return next(filter(None, (_by(frame, layout, item) for item in first)), None)


def _by(frame: Frame, layout: Layout, item: Field) -> Ranking | None:
    leaves = [layout.leaves[key] for key in item.leaves]
    if item.column.direction is None or any(leaf.metric.whole_set for leaf in leaves) or not leaves:
        return None
    have, belongs = scored(frame, layout, item)
    counts = have.sum(axis=1)
    enough = (counts > 0) & (counts * 2 >= counts.max(initial=0))
    common = have[enough].all(axis=0) & belongs
    if enough.sum() < 2 or common.sum() < 2:
        return None
    ranked = [editor for editor, keep in zip(frame.editors, enough, strict=True) if keep]
    one = replace(
        layout,
        fields=(item,),
        leaves={key: layout.leaves[key] for key in item.leaves},
        published=(),
        average=False,
        params=False,
        sections=False,
    )
    table = build(frame.of_editors(ranked).of_samples(np.asarray(common)), one, intervals=True)
    if table is None or not table.meta["ranks"]:
        return None
    left = {
        editor: int(count)
        for editor, count, keep in zip(frame.editors, counts, enough, strict=True)
        if not keep
    }
    return Ranking(
        table=table, field=item, n=int(common.sum()), of=int(belongs.sum()), left_out=left
    )

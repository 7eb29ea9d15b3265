"""What a worker takes of a cluster's node, as scorers and editors declare it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from editgauge.errors import UsageError


@dataclass(frozen=True, slots=True)
class Needs:
    """What one worker takes of a cluster's node: processors, GPUs, bytes of memory (0: not
    counted). `num_gpus` None means one where the cluster has any.
    """

    num_cpus: float = 1.0
    num_gpus: float | None = 0.0
    memory: int = 0

    @classmethod
    def of(cls, thing: object) -> Needs:
        """What a scorer or an editor declares in attributes of these names. Raises `UsageError` for
        a value that is no amount.
        """
        amounts: dict[str, Any] = {}
        for name, default in (("num_cpus", 1.0), ("num_gpus", 0.0), ("memory", 0)):
            value = amounts[name] = getattr(thing, name, default)
            if name == "num_gpus" and value is None:
                continue
            whole = name == "memory" or (name == "num_gpus" and _is_number(value) and value > 1)
            if not _is_number(value) or value < 0 or (whole and value != int(value)):
                raise UsageError(
                    f"{getattr(thing, 'name', thing)!r}: {name} {value!r}: wanted a number of at "
                    f"least 0 (a whole one for bytes, and for more than one GPU)"
                )
        return cls(**amounts)

    def with_(self, other: Needs) -> Needs:
        """Enough for both, one after the other."""
        gpus = (self.num_gpus, other.num_gpus)
        known = [number for number in gpus if number is not None]
        return Needs(
            max(self.num_cpus, other.num_cpus),
            None if None in gpus and max(known, default=0) < 1 else max(known),
            max(self.memory, other.memory),
        )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

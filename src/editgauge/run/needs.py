"""What a worker takes of its machine, as scorers and editors declare it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from editgauge.errors import UsageError


@dataclass(frozen=True, slots=True)
class Needs:
    """What one worker takes of its machine: processors, GPUs, bytes of memory (0: not counted).
    `num_gpus` None means one where there is any.
    """

    num_cpus: float = 1.0
    num_gpus: float | None = 0.0
    memory: int = 0

    @classmethod
    def of(cls, thing: object, pixels: int = 0) -> Needs:
        """What a scorer or an editor declares in attributes of these names. A ``pixel_memory``
        beside them is the bytes that each of `pixels` takes above ``memory``: those of the largest
        picture. Raises `UsageError` for a value that is no amount.
        """
        amounts: dict[str, Any] = {}
        for name, default in _DEFAULTS.items():
            value = amounts[name] = getattr(thing, name, default)
            if name == "num_gpus" and value is None:
                continue
            whole = name.endswith("memory") or (
                name == "num_gpus" and _is_number(value) and value > 1
            )
            if not _is_number(value) or value < 0 or (whole and value != int(value)):
                raise UsageError(
                    f"{getattr(thing, 'name', thing)!r}: {name} {value!r}: wanted a number of at "
                    f"least 0 (a whole one for bytes, and for more than one GPU)"
                )
        each = amounts.pop("pixel_memory")
        if amounts["memory"] or each:
            amounts["memory"] = int(amounts["memory"] + each * pixels)
        return cls(**amounts)

    def workers(self, most: int, memory: int) -> int:
        """How many of `most` workers of one processor each these needs leave room for, with so much
        `memory` for all of them (0: not known): at least 1, where there was any.
        """
        room = int(most // self.num_cpus) if self.num_cpus > 1 else most
        if self.memory and memory:
            room = min(room, memory // self.memory)
        return min(most, max(room, 1))

    def with_(self, other: Needs) -> Needs:
        """Enough for both, one after the other; each keeps in memory what it has loaded."""
        gpus = (self.num_gpus, other.num_gpus)
        known = [number for number in gpus if number is not None]
        return Needs(
            max(self.num_cpus, other.num_cpus),
            None if None in gpus and max(known, default=0) < 1 else max(known),
            self.memory + other.memory,
        )


_DEFAULTS = {"num_cpus": 1.0, "num_gpus": 0.0, "memory": 0, "pixel_memory": 0}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

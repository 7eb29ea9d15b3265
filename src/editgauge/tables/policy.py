"""What a release gate asks for: a policy of rules, as its TOML file has it."""

from __future__ import annotations

import math
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from editgauge import schema
from editgauge.types import JsonMapping, Variant

LEAST_SAMPLES: Final = 30
"""Samples that both editors need for a margin, where a policy names no other number: an
interval of fewer is too narrow more often than its confidence says.
"""
Kind = Literal["floor", "margin", "coverage"]


class Verdict(StrEnum):
    """What a gate says of one check, or of all of them together; in the order of severity."""

    FAIL = "FAIL"
    CANNOT_TELL = "CANNOT TELL"
    PASS = "PASS"

    @classmethod
    def of(cls, holds: bool) -> Verdict:
        """PASS or FAIL."""
        return cls.PASS if holds else cls.FAIL


NotNegative = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Rule(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    rename={"metric": "name", "least": "least_samples"},
):
    """What one metric must hold, on all samples or on those with the labels in `where`.

    `floor`: the candidate's mean is at least this good (for a metric of which lower is better: at
    most this). `margin`: how much worse than the baseline the candidate may be, in the metric's own
    unit. At least one is given.
    """

    metric: Annotated[str, Meta(min_length=1)]
    benchmark: str = ""
    variant: Variant | None = None
    where: str | tuple[str, ...] = ()
    floor: float | None = None
    margin: NotNegative | None = None
    least: Annotated[int, Meta(ge=2)] = LEAST_SAMPLES

    def __post_init__(self) -> None:
        if not all(math.isfinite(one) for one in (self.floor, self.margin) if one is not None):
            raise ValueError(f"{self.metric}: wanted finite numbers")
        if self.floor is None and self.margin is None:
            raise ValueError(f"{self.metric}: wanted a floor or a margin")

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.where,) if isinstance(self.where, str) else self.where

    @property
    def name(self) -> str:
        """The metric and, in brackets, the samples that are not all."""
        return f"{self.metric} [{', '.join(self.labels)}]" if self.labels else self.metric

    @property
    def kind(self) -> Kind:
        """The stronger of the two that it may ask for."""
        return "floor" if self.margin is None else "margin"

    def applies(self, benchmark: str, metrics: JsonMapping) -> bool:
        """Whether it asks something of a benchmark that has rows of these metrics."""
        return self.benchmark == benchmark or (not self.benchmark and self.metric in metrics)


class Policy(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    rename={"rules": "metric"},
):
    """What a candidate must hold to be released.

    `coverage`: the least share of the benchmark's samples that the candidate must have a score of,
    on the samples of each rule. `variant`: of the rules that name none.
    """

    rules: tuple[Rule, ...] = ()
    coverage: Share = 1.0
    variant: Variant = "corrected"
    alpha: Annotated[float, Meta(gt=0, le=0.25)] = 0.05

    def __post_init__(self) -> None:
        if not self.rules:
            raise ValueError("asks for nothing; name a [[metric]]")


def policy_of(path: Path) -> Policy:
    """The policy in a TOML file. Raises `DataError` for anything that is not known, is of a wrong
    kind or out of range: nothing is passed over.
    """
    return schema.read_toml(path, Policy)

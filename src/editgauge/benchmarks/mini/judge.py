"""The built-in benchmark's judge track: each sample is judged by the protocol whose shape it has.

The attribute ``protocol`` of a sample names one of the four benchmarks; its calls, rubrics and
metrics are used as they are. Metric names are those of the protocols; rubrics are looked up in the
protocol's own folder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editgauge.benchmarks.mini.metrics import JUDGE, PROTOCOLS
from editgauge.judging.protocol import Call, Judging, Rubrics
from editgauge.types import Edit, Metric, Sample


def _protocol(name: str) -> Judging:
    make = PROTOCOLS[name].judging
    assert make is not None
    found: Judging = make()
    return found


@dataclass(frozen=True, slots=True)
class MiniJudging:
    """See the module. Options are handed to the protocols, each of which takes those that it
    knows.
    """

    by_name: Mapping[str, Metric]
    """Its metrics, as this benchmark declares them."""

    @property
    def version(self) -> str:
        """Those of the protocols together."""
        return ",".join(f"{name} {_protocol(name).version}" for name in PROTOCOLS)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return tuple(self.by_name.values())

    @property
    def options(self) -> Mapping[str, tuple[str, ...]]:
        """Those of all protocols."""
        return {
            name: values
            for protocol in PROTOCOLS
            for name, values in getattr(_protocol(protocol), "options", {}).items()
        }

    def rubric_names(self) -> Sequence[str]:
        return tuple(
            f"{name}.{rubric}" for name in PROTOCOLS for rubric in _protocol(name).rubric_names()
        )

    def metrics_for(self, sample: Sample, options: Mapping[str, Any]) -> Sequence[Metric]:
        found = _protocol(_name(sample)).metrics_for(sample, options)
        return [self.by_name[metric.name] for metric in found]

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: Mapping[str, Any]
    ) -> Sequence[Call]:
        name = _name(sample)
        return _protocol(name).calls(sample, edit, _Prefixed(rubrics, name), options)


@dataclass(frozen=True, slots=True)
class _Prefixed:
    """A protocol's view of the rubrics: ``quality`` is ``krisbench.quality``."""

    rubrics: Rubrics
    name: str

    def render(self, name: str, **fields: str | None) -> tuple[str, str]:
        return self.rubrics.render(f"{self.name}.{name}", **fields)


def _name(sample: Sample) -> str:
    name = str(sample.attributes.get("protocol", "textedit"))
    return name if name in PROTOCOLS else "textedit"


JUDGING = MiniJudging(JUDGE)

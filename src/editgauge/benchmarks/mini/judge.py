"""The built-in benchmark's judge track: a sample's attribute ``protocol`` names the benchmark whose
calls, rubrics (``krisbench.quality``) and metrics are used as they are, with their options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from editgauge.benchmarks.mini.facts import JUDGE, PROTOCOLS
from editgauge.judging.protocol import Call, Rubrics
from editgauge.judging.questions import Track
from editgauge.types import Edit, JsonMapping, Metric, Sample

_TRACKS: Mapping[str, Track] = {
    name: protocol.judging() for name, protocol in PROTOCOLS.items() if protocol.judging
}


@dataclass(frozen=True, slots=True)
class _Prefixed:
    """A protocol's view of the rubrics."""

    rubrics: Rubrics
    name: str

    def render(self, name: str, **fields: str | None) -> tuple[str, str]:
        return self.rubrics.render(f"{self.name}.{name}", **fields)


def _name(sample: Sample) -> str:
    return str(sample.attributes.get("protocol", "textedit"))


def wanted(sample: Sample, options: JsonMapping) -> Sequence[Metric]:
    declared = _TRACKS[_name(sample)].metrics_for(sample, options)
    return [JUDGE[metric.name] for metric in declared]


def ask(sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping) -> Sequence[Call]:
    name = _name(sample)
    return _TRACKS[name].calls(sample, edit, _Prefixed(rubrics, name), options)


JUDGING = Track(
    metrics=tuple(JUDGE.values()),
    ask=ask,
    wanted=wanted,
    rubrics=tuple(f"{name}.{file}" for name, one in _TRACKS.items() for file in one.rubric_names()),
    options={key: values for one in _TRACKS.values() for key, values in one.options.items()},
    version=",".join(f"{name} {track.version}" for name, track in _TRACKS.items()),
)

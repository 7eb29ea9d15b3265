"""A judge track: a list of questions (the shortest way to a protocol), or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from editgauge.judging.protocol import VISIBLE, Call, Kind, Picture, Range, Rubrics, fenced
from editgauge.types import Edit, JsonMapping, JsonObject, Metric, Sample

Shown = Sequence[str | Picture]


def input_and_output(sample: Sample, edit: Edit) -> Shown:
    """The sample's first picture and the output, each under its name."""
    assert edit.path is not None  # nothing is asked about an edit without a picture
    return ["Original:", Picture(sample.image, "input"), "Edited:", Picture(edit.path, "output")]


def output_alone(sample: Sample, edit: Edit) -> Shown:
    """The output and nothing else."""
    del sample
    assert edit.path is not None
    return ["Picture:", Picture(edit.path, "output")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One call to the judge.

    `rubric` is the name of a file without ``.md``; ``{{instruction}}`` in it is the sample's, and
    each key of `words` the text that its function gives. `metrics` are what is scored, the keys of
    the reply. `show` gives the pictures and the texts between them. `when`: of which samples it is
    asked.
    """

    rubric: str
    metrics: tuple[str, ...]
    show: Callable[[Sample, Edit], Shown] = input_and_output
    words: Mapping[str, Callable[[Sample], str]] = field(default_factory=dict)
    when: Callable[[Sample], bool] = lambda _: True
    max_tokens: int = 1000


_REASON = "reasoning"
Ask = Callable[[Sample, Edit, Rubrics, JsonObject], Sequence[Call]]
"""Makes the calls about one edit that has a picture; what cannot be asked is not in the list. The
options are a `dict`, so that functions that are declared for a `dict` or for a `Mapping` both fit.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A judge track: the metrics, each in both variants, and what is asked about one edit.

    Either `questions`, whose numbers are whole ones from `Metric.low` to `Metric.high`, or a
    function `ask`, with `wanted(sample, options)` for the metrics of a complete judgement and
    `rubrics` for the names of its files. `options` are those that it has, with their values. Raise
    `version` when a reply would be read otherwise: rows are then made anew from stored replies.
    Raises `ValueError` for a question of a metric that is not in `metrics`.
    """

    metrics: tuple[Metric, ...]
    questions: tuple[Question, ...] = ()
    ask: Ask | None = None
    wanted: Callable[[Sample, JsonObject], Sequence[Metric]] | None = None
    rubrics: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version: str = "1"

    def __post_init__(self) -> None:
        known = {metric.name for metric in self.metrics}
        for question in self.questions:
            if taken := {*VISIBLE, _REASON} & set(question.metrics):
                raise ValueError(
                    f"question {question.rubric!r}: a metric cannot be called {min(taken)}, which "
                    f"is a field of every reply; give it another name"
                )
            if unknown := set(question.metrics) - known:
                raise ValueError(
                    f"question {question.rubric!r}: {', '.join(sorted(unknown))} is no metric of "
                    f"this track ({', '.join(sorted(known))})"
                )

    def rubric_names(self) -> Sequence[str]:
        """The rubric files that it uses, for their common hash."""
        return self.rubrics or tuple(dict.fromkeys(one.rubric for one in self.questions))

    def metrics_for(self, sample: Sample, options: JsonMapping) -> Sequence[Metric]:
        """The metrics that a complete judgement of this sample has, picture or not."""
        if self.wanted is not None:
            return self.wanted(sample, dict(options))
        asked = [question for question in self.questions if question.when(sample)]
        names = {name for question in asked for name in question.metrics}
        return [one for one in self.metrics if one.name in names or not self.questions]

    def calls(
        self, sample: Sample, edit: Edit, rubrics: Rubrics, options: JsonMapping
    ) -> Sequence[Call]:
        """The calls for one edit; none for one without a picture."""
        if edit.path is None:
            return ()
        if self.ask is not None:
            return self.ask(sample, edit, rubrics, dict(options))
        asked = [question for question in self.questions if question.when(sample)]
        return [self._call(question, sample, edit, rubrics) for question in asked]

    def _call(self, question: Question, sample: Sample, edit: Edit, rubrics: Rubrics) -> Call:
        words = {"instruction": sample.instruction}
        words |= {name: text(sample) for name, text in question.words.items()}
        fields = {name: fenced(name, text) if text else None for name, text in words.items()}
        text, fingerprint = rubrics.render(question.rubric, **fields)
        ranges = {metric.name: Range(int(metric.low), int(metric.high)) for metric in self.metrics}
        scores: dict[str, Kind] = {name: ranges[name] for name in question.metrics}
        return Call(
            name=question.rubric,
            parts=(text, *question.show(sample, edit)),
            reply={**VISIBLE, _REASON: str, **scores},
            metrics={name: name for name in question.metrics},
            rubric=fingerprint,
            max_tokens=question.max_tokens,
        )


Questions = Track
"""The public name: most tracks of others are a list of questions."""

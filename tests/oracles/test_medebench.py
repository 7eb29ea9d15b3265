"""MedEBench: means per organ, and what its released script makes of a reply."""

from __future__ import annotations

import pytest

from editgauge.benchmarks.medebench.judge import released_scores
from tests.oracles.medebench import by_organ


def test_means_per_organ_and_over_samples() -> None:
    """Two teeth (10, 0) and one eye (6), one eye failed: .5, .6, overall (10 + 0 + 6) / 30."""
    scores = [("Teeth", 10.0), ("Eyes", 6.0), ("Teeth", 0.0), ("Eyes", None)]
    organs, overall = by_organ(scores)
    assert list(organs) == ["Teeth", "Eyes"]
    assert organs["Teeth"].value == pytest.approx(0.5)
    assert (organs["Eyes"].value, organs["Eyes"].n, organs["Eyes"].of) == (pytest.approx(0.6), 1, 2)
    assert overall.value == pytest.approx(16 / 30)
    assert by_organ(scores, minimum=True)[1].value == pytest.approx(16 / 40)


NONE = (None, None, None)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            "Editing Accuracy: 7/10, fine\nContextual Preservation: 6/10\nVisual Quality: 8/10",
            (7, 6, 8),
        ),
        (
            "Visual Quality: 12\n- Contextual Preservation: 6\n- Editing Accuracy: 7.5/10",
            (7.5, 6, 12),
        ),
        (
            "Editing Accuracy: 7\nEditing Accuracy: 3\nContextual Preservation: 1\nVisual Quality: 8",
            (3, 1, 8),
        ),
        ("**Editing Accuracy:** 7/10\nContextual Preservation: 6\nVisual Quality: 8/10", NONE),
        ("Editing Accuracy: 7/10\nVisual Quality: 8/10", NONE),
        ("Editing Accuracy: nan\nContextual Preservation: 6\nVisual Quality: 8/10", NONE),
        ("Editing Accuracy: -1\nContextual Preservation: 6\nVisual Quality: 8/10", NONE),
        ("", NONE),
    ],
)
def test_what_the_released_script_takes(reply: str, expected: tuple[float | None, ...]) -> None:
    """One score without a number drops all three; a bold name is not read at all (the strict reader
    reads it).
    """
    assert tuple(released_scores(reply).values()) == expected

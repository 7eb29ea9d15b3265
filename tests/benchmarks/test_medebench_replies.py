"""MedEBench: what its released script makes of a reply."""

from __future__ import annotations

import pytest

from editgauge.benchmarks.medebench.judge import released_scores

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
    assert tuple(released_scores(reply).values()) == expected

"""What rows keep of how their output was asked for."""

from __future__ import annotations

from editgauge.store.variants import learned

TEMPLATE = "Edit this image: {instruction}"


def test_what_an_editor_learned_is_the_first_sound_record() -> None:
    sound = {"of": "a", "kind": "shots", "samples": 4}
    odd = (
        {"learning": "x"},
        {"learning": {**sound, "samples": -1}},
        {"learning": {**sound, "kind": "y"}},
        {},
    )
    found = learned([*(("e", one) for one in odd), ("e", {"learning": sound})])
    assert [(one.of, one.kind, one.samples) for one in found.values()] == [("a", "shots", 4)]

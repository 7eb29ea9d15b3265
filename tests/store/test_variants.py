"""What rows keep of how their output was asked for."""

from __future__ import annotations

from editgauge.store.variants import learned, marks, row_detail

TEMPLATE = "Edit this image: {instruction}"


def test_demonstrations_and_template_go_into_the_detail_and_the_template_into_the_mark() -> None:
    assert row_detail({"template": "", "demonstrations": []}) == {}
    told = {"template": TEMPLATE, "demonstrations": ["a", "b"], "seed": 1}
    assert row_detail(told) == {"template": TEMPLATE, "demonstrations": ["a", "b"]}
    assert marks({"seed": 1}) == []
    assert marks({"template": TEMPLATE}) != marks({"template": "{instruction}"})


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

"""MedEBench's scales, sizes and organs."""

from __future__ import annotations

LOW, HIGH = 0, 10
"""The judge's scale; tables divide by `HIGH`."""
SIZE = 1182
ORGANS: tuple[str, ...] = (
    "Teeth", "Eyes", "Spine", "Skin", "Nose", "Face", "GI Tract", "Ears", "Hands", "Mouth", "Torso",
    "Feet", "Hair",
)  # fmt: skip
"""In the order of the paper's Table 2."""
RELEASED: dict[str, str] = {"Spine and Bones": "Spine", "Gastrointestinal Tract": "GI Tract"}
"""What the released metadata (and the paper's Table 5) call an organ -> Table 2's name of it."""
INTERNAL: frozenset[str] = frozenset({"GI Tract", "Spine", "Teeth"})
"""The organs that the paper counts as internal (conclusion: "internal organ tasks, e.g.,
gastrointestinal tract, spine, teeth"); it gives no full list, and all others are superficial here.
"""

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
TASK_TYPES: dict[str, tuple[str, ...]] = {
    "removal": ("remove", "reduce", "fade", "whiten", "lighten", "liposuction"),
    "addition": ("implant", "add", "complete", "create", "make", "augmentation", "filler"),
    "reconstruction": ("reconstruct", "repair", "restore", "correct", "fix", "straighten"),
}
"""Section 4 speaks of removal, addition and reconstruction and lists no tasks: the words that tell
are ours. The first of a task that is here decides.
"""
INTERNAL: frozenset[str] = frozenset({"GI Tract", "Spine", "Teeth"})
"""The organs that the paper counts as internal (conclusion: "internal organ tasks, e.g.,
gastrointestinal tract, spine, teeth"); it gives no full list, and all others are superficial here.
"""

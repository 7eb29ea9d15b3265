"""MedEBench's scales, sizes and organs."""

from __future__ import annotations

LOW, HIGH = 0, 10
"""The judge's scale; tables divide by `HIGH`."""
SIZE = 1182
ORGANS: tuple[str, ...] = (
    "Teeth", "Eyes", "Spine", "Skin", "Nose", "Face", "GI Tract", "Ears", "Hands", "Mouth", "Torso",
    "Feet", "Hair",
)  # fmt: skip
"""In the paper's order."""
ALIASES: dict[str, str] = {"GI Tract": "Gastrointestinal Tract"}
"""The paper's name of an organ -> the data's, where they differ."""

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
TASKS: dict[str, dict[str, int]] = {
    "Ears": {
        "Reconstruct ear.": 31,
        "Reconstruct auricle.": 11,
    },
    "Eyes": {
        "Reconstruct missing or injured eye.": 35,
        "Reconstruct eyelid or lower eyelid skin.": 29,
        "Create double eyelids.": 29,
        "Remove eyelid styes (chalazion).": 14,
        "Correct lower eyelid ectropion.": 10,
        "Remove conjunctival nevus.": 8,
        "Remove eye bags.": 8,
        "Remove eyelid xanthalasma.": 6,
    },
    "Face": {
        "Reduce facial wrinkles.": 25,
        "Remove or revise facial scars.": 21,
        "Reconstruct cheek or forehead skin.": 17,
        "Remove facial redness.": 17,
        "Remove excess fat from neck.": 15,
        "Lift neck and face by tightening skin.": 10,
        "Remove facial acne, bumps, or cysts.": 7,
    },
    "Feet": {
        "Repair or reconstruct toenail.": 30,
    },
    "GI Tract": {
        "Remove intestinal polyps or adenomas.": 15,
    },
    "Hair": {
        "Make hair thicker.": 150,
        "Make beard thicker.": 13,
        "Make eyebrow thicker.": 8,
    },
    "Hands": {
        "Complete missing finger or fingernail.": 18,
        "Improve hand appearance by injectable filler.": 7,
    },
    "Mouth": {
        "Reconstruct damaged lip or lip skin.": 20,
        "Perform lip augmentation.": 11,
    },
    "Nose": {
        "Reconstruct or repair nose skin.": 107,
        "Remove or fade scar on nose.": 23,
        "Remove or beautify rhinophyma.": 16,
    },
    "Skin": {
        "Remove moles, nevi, or black marks.": 136,
        "Reconstruct damaged skin or scalp.": 48,
        "Remove varicose veins.": 36,
        "Remove brown spots or pigmentation.": 31,
        "Remove or fade scars.": 20,
        "Remove black birthmarks to even skin tone.": 14,
    },
    "Spine": {
        "Correct spine alignment.": 10,
        "Fix fractures with screws or splints.": 6,
    },
    "Teeth": {
        "Remove wisdom teeth.": 31,
        "Remove stains, tartar, or plaque from teeth.": 22,
        "Implant or add missing teeth.": 13,
        "Repair or restore damaged teeth.": 13,
    },
    "Torso": {
        "Perform body liposuction and skin tightening.": 36,
    },
}
"""Organ -> task -> samples, as the paper's Table 5 has them: the tasks with more than five. Its line
of facial acne stands at the edge of Face and Feet; it is of the face.
"""
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

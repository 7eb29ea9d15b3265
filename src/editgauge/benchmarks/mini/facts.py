"""How many samples the built-in benchmark has, and which splits."""

SPLITS = ("plain", "textured")
"""Flat grounds and gradients; wood, walls and photographs."""
COUNTS = {
    "": 26, "plain": 13, "textured": 13, "Labels": 2, "Medical": 3, "Objects": 3, "Posters": 4,
    "Prints": 5, "Science": 1, "Screens": 2, "Signs": 6,
}  # fmt: skip
"""Samples in all, per split, and per topic."""

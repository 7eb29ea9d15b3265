"""Statistics of ratings: pure functions over arrays, NumPy only, seeded."""

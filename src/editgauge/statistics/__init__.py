"""Statistics of scores and ratings: pure, seeded, NumPy only; what is drawn again is always the
sample. SciPy, statsmodels, krippendorff, ppi_py and choix gave the tests' frozen numbers.
"""

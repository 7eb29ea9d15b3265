"""Statistics of scores and ratings, with NumPy alone.

All functions are pure, and the same call gives the same numbers. Intervals are over samples. SciPy,
statsmodels, krippendorff, ppi_py and choix gave the tests' frozen numbers.
"""

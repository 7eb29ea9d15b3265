"""Statistics of scores and ratings: pure functions over arrays, seeded, NumPy only.

SciPy, statsmodels, krippendorff, ppi_py and choix are their oracles; those numbers are frozen in
the tests. The unit that is drawn again is always the sample (a picture with its instruction).
"""

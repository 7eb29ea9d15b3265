"""The steps: edit, score, diagnose, compare, report, each a function over a run. Order,
concurrency, retry and resume are here alone.
"""

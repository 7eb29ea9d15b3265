"""Pure array functions, one family a file. Nothing here knows of samples, runs or files."""

PEAK = 255.0
"""The largest value of an 8-bit channel."""

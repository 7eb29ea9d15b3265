"""Pure array functions, one family a file. Nothing here knows of samples, runs or files."""

import numpy as np
import numpy.typing as npt

PEAK = 255.0
"""The largest value of an 8-bit channel."""
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

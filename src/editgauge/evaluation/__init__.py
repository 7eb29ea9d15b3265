"""The steps of an evaluation, each in one call: what a command asks for, and a program may too.

A step is made of the rooms below it and leaves what it did in the run folder. Nothing here prints
and nothing ends the process. `Evaluation` is all of them on one benchmark and one run.
"""

from __future__ import annotations

from editgauge.evaluation.evaluation import Evaluation, FunctionEditor, Progress

__all__ = ["Evaluation", "FunctionEditor", "Progress"]

"""Lints a data set and a folder of outputs before anything is spent: what is there, what is not,
what was assumed.
"""

from __future__ import annotations

from editgauge.run.check.checked import Checked, Subject, check
from editgauge.run.check.data import Count, DataReport, check_data
from editgauge.run.check.issues import Issue, Level, Progress
from editgauge.run.check.outputs import OutputsReport, check_outputs, editor_folders

__all__ = [
    "Checked",
    "Count",
    "DataReport",
    "Issue",
    "Level",
    "OutputsReport",
    "Progress",
    "Subject",
    "check",
    "check_data",
    "check_outputs",
    "editor_folders",
]

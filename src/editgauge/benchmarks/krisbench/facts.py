"""KRIS-Bench's folders, tasks, dimensions, types of knowledge and metrics."""

from __future__ import annotations

from editgauge.scoring.metrics import read_metrics
from editgauge.types import Derived

TAXONOMY: dict[str, dict[str, str]] = {
    "Factual": {
        "Attribute Perception": "count_change color_change size_adjustment part_completion "
        "anomaly_correction",
        "Spatial Perception": "position_movement viewpoint_change",
        "Temporal Prediction": "temporal_prediction",
    },
    "Conceptual": {
        "Social Science": "practical_knowledge humanities",
        "Natural Science": "biology chemistry geography mathematics medicine physics",
    },
    "Procedural": {
        "Logical Reasoning": "abstract_reasoning rule-based_reasoning",
        "Instruction Decomposition": "multi-instruction_execution multi-element_composition",
    },
}
"""Type of knowledge -> dimension -> folders, in the paper's order."""
FOLDERS: dict[str, tuple[str, str]] = {
    folder: (knowledge, dimension)
    for knowledge, dimensions in TAXONOMY.items()
    for dimension, folders in dimensions.items()
    for folder in folders.split()
}
"""Folder -> type of knowledge and dimension."""
EXPLAINED: tuple[str, ...] = ("Social Science", "Natural Science", "Logical Reasoning")
"""Dimensions whose judge is given the explanation."""
FRAMES = 4
"""Frames of a temporal sequence, one of which is to be made."""


def temporal_task(missing: int | None) -> str:
    """The task by the frame that is to be made: 1 reverse, 2 and 3 between, 4 forward."""
    kinds = {1: "reverse", 2: "intermediate", 3: "intermediate", 4: "forward"}
    return f"temporal_prediction_{kinds.get(missing or 0, 'unknown')}"


_TEMPORAL = dict.fromkeys(temporal_task(frame) for frame in range(1, FRAMES + 1))
TASKS: tuple[str, ...] = tuple(
    task
    for folder in FOLDERS
    for task in (_TEMPORAL if folder == "temporal_prediction" else [folder])
)
"""The 22 tasks, in the order of `TAXONOMY`."""
LOW, HIGH = 1, 5
"""The judge's scale."""
STEP = 100.0 / (HIGH - LOW)
"""What one point is on the table's scale of 0 to 100."""
SAMPLES: dict[str, int] = {
    "Attribute Perception": 275, "Spatial Perception": 100, "Temporal Prediction": 74,
    "Social Science": 125, "Natural Science": 393,
    "Logical Reasoning": 150, "Instruction Decomposition": 150,
}  # fmt: skip
"""Samples of each dimension in the full release: the weights of the paper's averages."""
SIZE = sum(SAMPLES.values())


def metrics_of(dimension: str) -> tuple[str, ...]:
    """The metrics that a dimension has in the paper's table."""
    return ("VC", "VQ", "IF", "KP") if dimension in EXPLAINED else ("VC", "VQ", "IF")


def title_of(knowledge: str) -> str:
    """A type of knowledge as the paper's table calls it."""
    return f"{knowledge} Knowledge"


def scaled(score: float) -> float:
    """A score of 1 to 5 on the table's scale of 0 to 100."""
    return (score - LOW) * STEP


METRICS = read_metrics(__file__)
JUDGE = METRICS["judge"]
BY_NAME = {metric.name: metric for metric in JUDGE}
AVERAGE = Derived(
    METRICS["average"][0],
    tuple(BY_NAME),
    lambda values: scaled(sum(values.values()) / len(values)),
    optional=("KP",),
)

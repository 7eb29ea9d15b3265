"""TextEditBench's sizes, dimensions, topics, operations, difficulty, metrics (arXiv 2512.16270)."""

from __future__ import annotations

from dataclasses import replace

from editgauge.scoring.metrics import read_metrics
from editgauge.types import Derived, Metric

SIZES: dict[str, int] = {"synthetic": 691, "real": 505}
SIZE = sum(SIZES.values())
FOLDERS: dict[str, tuple[str, ...]] = {
    "synthetic": ("data_manual_production", "canva", "synthetic"),
    "real": ("data_web-sourced_instances", "real"),
}
"""Split -> names of its folder; the first is the one in sample ids, the second the one in outputs.
"""
SPLITS: dict[str, str] = {"synthetic": "Synthetic", "real": "Real"}
LOW, HIGH = 0, 5
TOPICS: dict[str, str] = {
    "Art_Creative_Expression": "Art & Creative Expression",
    "Business_Advertising": "Business & Advertising",
    "Crafts_Personal_Creations": "Crafts & Personal Creations",
    "Data_Analytics": "Data & Analytics",
    "Digital_Interfaces_Interaction": "Digital Interfaces & Interaction",
    "Documents_Credentials": "Documents & Credentials",
    "Environmental_Spatial_Signage": "Environmental & Spatial Signage",
    "Merchandise_Apparel": "Merchandise & Apparel",
    "Packaging_Logistics": "Packaging & Logistics",
    "Personal_Communication_Social_Media": "Personal Communication & Social Media",
    "Professional_Documents_Reports": "Professional Documents & Reports",
    "Scientific_Technical_Diagrams": "Scientific & Technical Diagrams",
}
"""Folder name -> topic as printed. A folder that is not here keeps its own name as its topic."""
OTHER_FOLDERS: dict[str, str] = {
    "Digital_Interfaces_Reports": "Digital_Interfaces_Interaction",
    "Digtial_Interfaces_Reports": "Digital_Interfaces_Interaction",
}
"""Another name of a folder -> its name in `TOPICS`: the synthetic part calls one topic otherwise than
the real part, with two letters swapped. The last one is the released spelling.
"""
OPERATIONS: tuple[str, ...] = (
    "text_delete", "text_insert", "text_change", "text_relocation", "scaling", "text_attribute",
)  # fmt: skip
"""The six of the release."""
OTHER_OPERATIONS: tuple[str, ...] = (
    "text_correction", "font_change", "translation", "position_shift", "rotation",
)  # fmt: skip
"""Named in the released rubrics."""
TAGS: tuple[str, ...] = ("human_annotation", "model_generated")
ATTRIBUTES: tuple[str, ...] = (
    "num_text_regions", "text_length", "font_complexity", "language", "surface_geometry",
    "occlusion", "context_dependency", "background_clutter", "task_category", "semantic_linkage",
)  # fmt: skip
"""In the order of the released field; each 0, 1 or 2."""
TIERS: tuple[str, ...] = ("easy", "medium", "hard")


def tier_of(total: int) -> str:
    """The tier that follows from a total: easy 0 to 5, medium 6 to 10, hard 11 to 20."""
    return "easy" if total <= 5 else "medium" if total <= 10 else "hard"


METRICS = read_metrics(__file__)
PIXEL = METRICS["pixel"]
(LPIPS,) = METRICS["lpips"]
REFERENCE = "reference_"
"""What the names of the metrics begin with that compare with the reference edit, not the input."""


def _against_reference(metric: Metric) -> Metric:
    return replace(
        metric,
        name=f"{REFERENCE}{metric.name}",
        heading=f"{metric.title} to reference",
        note=f"As {metric.name}, against the reference edit (paper, 4.1). {metric.note}",
        keeps=False,
        plain="how close the picture outside the region to be edited is to the reference's",
    )


REFERENCE_PIXEL = tuple(_against_reference(metric) for metric in PIXEL)
REFERENCE_LPIPS = _against_reference(LPIPS)
JUDGE = METRICS["judge"]
"""Instruction following, text accuracy, visual consistency, layout preservation, and semantic
expectation, which only samples with a knowledge prompt have.
"""
DIMENSIONS = tuple(metric.name for metric in JUDGE)
OVERALL = Derived(
    METRICS["overall"][0],
    DIMENSIONS,
    lambda values: len(DIMENSIONS) * sum(values.values()) / len(values),
    optional=("SE",),
)

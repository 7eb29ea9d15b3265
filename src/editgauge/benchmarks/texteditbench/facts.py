"""TextEditBench's sizes, splits, judged dimensions and their scale (arXiv 2512.16270)."""

from __future__ import annotations

SIZES: dict[str, int] = {"synthetic": 691, "real": 505}
SIZE = sum(SIZES.values())
SPLITS: dict[str, str] = {"synthetic": "Synthetic", "real": "Real"}
DIMENSIONS: tuple[str, ...] = ("IF", "TA", "VC", "LP", "SE")
"""Instruction following, text accuracy, visual consistency, layout preservation, and semantic
expectation, which only samples with a knowledge prompt have.
"""
LOW, HIGH = 0, 5

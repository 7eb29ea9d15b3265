"""Scorers that several benchmarks share: pixels, LPIPS, CLIP, Fréchet distance, adapters of other
packages.
"""

"""Networks and what they need: weights as data, loading with checksums, features computed once and
kept.

Level 1b: knows pictures and metrics, nothing of benchmarks or runs. Importing it costs nothing
heavy; torch and transformers are imported when a network is loaded.
"""

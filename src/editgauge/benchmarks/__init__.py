"""The benchmarks: one folder each, holding everything that is special to it and nothing else."""

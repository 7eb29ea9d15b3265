"""Everything on disk: the run and what cost money, outputs and samples, runs on stores, the door
for paths.
"""

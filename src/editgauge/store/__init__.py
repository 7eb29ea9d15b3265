"""Everything on disk: runs and what cost money, outputs, samples, stores, the door for paths."""

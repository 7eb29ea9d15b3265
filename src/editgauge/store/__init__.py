"""Everything on disk: the run folder, its segments and Parquet files, outputs, and what is kept by
content.
"""

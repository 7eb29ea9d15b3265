"""From rows to tables: the frame, what a table is made of, statistics, comparison, audit and
drawing.
"""

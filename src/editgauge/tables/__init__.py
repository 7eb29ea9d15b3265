"""From rows to tables: the frame, parts of a table, statistics, comparison, audit and drawing."""

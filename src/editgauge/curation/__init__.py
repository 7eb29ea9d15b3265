"""Data sets made by people: pictures, one database, every change. A data set is a benchmark without
a line of Python (`benchmark`). The door is `dataset.DataSet`; the other modules work on one.
"""

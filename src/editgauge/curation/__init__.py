"""Data sets made by people: pictures, one JSON Lines file, and the trail of every change.

A data set is a benchmark without a line of Python (`benchmark`). What changes it goes through
`dataset.DataSet`, at the command line as in the browser.
"""

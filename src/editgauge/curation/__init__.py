"""Data sets made by people: pictures, one database, every change. A data set is a benchmark without
a line of Python (`benchmark`).

The door of the room, for the command line, the page and programs: `dataset.DataSet` (samples and
every change of them), `intake.add` and `intake.pair`, `fields.set_words`, `masks.propose` and
`masks.save`, `privacy.search` and `privacy.hide`, `review.review`, `readiness.faults`,
`exports.export`, `releases.release`, and `server.serve`.
"""

"""Models under test, each `(sample, folder) -> edit`: one file a family.

An editor's name in `catalog` leads to a **factory** with one signature for all families::

    factory(samples: Sequence[Sample], **settings) -> Editor

`samples` are those that will be edited (an editor may look at its neighbours: `shuffle` does; most
ignore them); `settings` come from the command line as strings or from Python as objects, and a
setting that the family does not know is a `UsageError`. The editor is an object of `types.Editor`:
a `name`, and a call that writes its picture below the `folder` it is given and says so in an
`Edit`. It keeps nothing between calls that changes what a call gives, and answers a faulty sample
with an `Edit` without a path and with a status and a reason: it never raises because of one sample.

What an editor may have beside, all optional (see `run.edit`):

``parallel``
    ``process`` (the default; the editor is pickled into worker processes), ``thread`` (services:
    called on ``concurrency`` threads at once), or ``serial`` (a model on a GPU).
``batch_size`` and ``edit_batch(samples, folders) -> edits``
    Several samples at once, for a ``serial`` editor; one edit a sample, in order, each in its own
    folder.
``estimate(sample) -> dollars or None`` and ``ledger``
    What an edit will cost, for ``--estimate``; and a `service.Ledger`, through which ``--budget``
    reaches it. Book each call by a `service.Charge`: what was sent stays booked until it is billed.
"""

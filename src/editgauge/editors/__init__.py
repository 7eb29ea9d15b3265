"""Models under test, each `(sample, folder) -> edit`: one file a family.

An editor's name in `catalog` leads to a **factory** with one signature for all families::

    factory(samples: Sequence[Sample], **settings) -> Editor

`samples` are those that will be edited (an editor may look at its neighbours: `shuffle` does; most ignore them);
`settings` come from the command line as strings or from Python as objects, and a setting that the family does not
know is a `UsageError`. The editor is an object of `types.Editor`: a `name`, and a call that writes its picture below
the `folder` it is given and says so in an `Edit`. It can be pickled, keeps nothing between calls that changes what a
call gives, and answers a faulty sample with an `Edit` without a path and with a status and a reason: it never raises
because of one sample.
"""

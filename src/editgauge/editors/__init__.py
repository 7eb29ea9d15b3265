"""Models under test, each `(sample, folder) -> edit`: one file a family.

An editor's name in `catalog` leads to a **factory** with one signature for all families::

    factory(samples: Sequence[Sample], **settings) -> Editor

`samples` are all of the data set (`shuffle` looks at a sample's neighbours; the others ignore
them); `settings` come from the command line as strings or from Python as objects, and a setting
that the family does not know is a `UsageError`. What an editor is, and how it says that it wants to
be run, is `editor.BaseEditor`; one of another package needs no more than a `name` and the call.
"""

"""Models under test, one file a family; a name in `catalog` leads to ``factory(samples, **settings)
-> Editor``, its settings strings of a command line or objects.
"""

"""Models under test, each `(sample, folder) -> edit`: one file a family."""

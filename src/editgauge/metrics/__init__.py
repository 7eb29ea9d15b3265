"""Pure array functions, one family a file. Nothing here knows of samples, runs or files."""

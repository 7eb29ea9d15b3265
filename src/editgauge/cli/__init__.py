"""The command line: options as dataclasses, and commands that parse, call the library and print."""

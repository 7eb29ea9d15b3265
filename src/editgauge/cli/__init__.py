"""The command line: a file a command, thin: parse, call, print."""

"""editgauge measures how well a model edits images by instruction.

Four published benchmarks from one command, the numbers of their papers where those can be
reproduced, and every picture behind every number. Importing this package pulls in no heavy library;
sub-packages do so where they are used.
"""

__version__ = "0.1.0"

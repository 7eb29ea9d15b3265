"""`python -m editgauge` is `editgauge`."""

import os
import sys


def _leave_out_the_working_directory() -> None:
    """`python -m` puts the working directory first on the path: a user's `http` or `cv2.py` there
    would be imported instead of the library. It stays only where this package was found in it.
    """
    try:
        here = os.path.realpath(os.getcwd())
    except OSError:  # the folder is gone: nothing can be imported from it
        return
    package = os.path.realpath(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if not sys.flags.safe_path and sys.path and here != package:
        first = os.path.realpath(sys.path[0] or here)
        if first == here:
            del sys.path[0]


def main() -> None:
    """The program `editgauge`: a Ctrl-C while it is still loading ends it like any later one."""
    try:
        from editgauge.cli.main import main as command_line
    except KeyboardInterrupt:
        print("interrupted before anything was done", file=sys.stderr)
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    _leave_out_the_working_directory()
    main()
